// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

// Other engines on the same arm.  They have no modes: each link is divided into as many pieces as limber has modes,
// with joints at their midpoints that bend about y and z against springs of EI / (length of a piece).  Built with
// -DLIMBER_BENCH=ON if their packages are installed.
namespace limber::apps {

constexpr int kPeerLinks = 10;

// A link of the arm.
struct PeerBeam {
  double length = 0, mass_per_length = 0, EI = 0, rotary_inertia = 0;  // equal in y and z
};

struct Peer {
  std::string name;                // empty: not in this build
  std::function<void()> evaluate;  // computes the accelerations once
};
Peer make_mujoco_arm(const PeerBeam& beam, int pieces);
Peer make_simbody_arm(const PeerBeam& beam, int pieces);

}  // namespace limber::apps
