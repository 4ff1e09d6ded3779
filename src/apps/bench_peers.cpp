// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stubs for engines that are not in this build; implementations: bench/*_arm.cpp.
#include "apps/bench_peers.hpp"

namespace limber::apps {

#ifndef LIMBER_HAS_MUJOCO
Peer make_mujoco_arm(const PeerBeam&, int) { return {}; }
#endif
#ifndef LIMBER_HAS_SIMBODY
Peer make_simbody_arm(const PeerBeam&, int) { return {}; }
#endif

}  // namespace limber::apps
