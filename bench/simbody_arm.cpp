// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Simbody's accelerations, without contacts and constraints.  C++17: its headers are not C++20.
#include <Simbody.h>

#include <memory>
#include <random>

#include "apps/bench_peers.hpp"

namespace limber::apps {
namespace {

class SimbodyArm {
 public:
  SimbodyArm(const PeerBeam& beam, int pieces)
      : matter_(system_), forces_(system_), gravity_(forces_, matter_, {0, 0, -9.81}) {
    using namespace SimTK;
    const double h = beam.length / pieces;
    MobilizedBody at = matter_.Ground();
    double reach = 0;  // from `at` to the end of the piece
    for (int link = 0; link < kPeerLinks; ++link) {
      const Rotation about(link % 2 == 0 ? 0 : -Pi / 2, XAxis);  // the pin rotates about z, or about y
      at = MobilizedBody::Pin(at, {about, Vec3(reach, 0, 0)}, piece(beam, h / 2), {about, Vec3(0)});
      reach = h / 2;
      for (int k = 0; k < pieces; ++k) {
        const Rotation bend(Pi / 2, YAxis);  // a universal joint rotates about x, then y, of its frame: here z and y
        const double length = k == pieces - 1 ? h / 2 : h;
        MobilizedBody::Universal next(at, {bend, Vec3(reach, 0, 0)}, piece(beam, length), {bend, Vec3(0)});
        for (int axis = 0; axis < 2; ++axis) {
          Force::MobilityLinearSpring(forces_, next, MobilizerQIndex(axis), beam.EI / h, 0);
          Force::MobilityLinearDamper(forces_, next, MobilizerUIndex(axis), 0.01);
        }
        at = next;
        reach = length;
      }
    }
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    std::mt19937 random(1);
    const auto between = [&](double size) { return size * (2 * (random() / 4294967295.0) - 1); };
    for (int i = 0; i < state_.getNU(); ++i) state_.updQ()[i] = between(0.1), state_.updU()[i] = between(0.1);
  }
  void evaluate() {
    state_.updQ()[0] += 0;  // invalidates earlier results
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

 private:
  static SimTK::Body::Rigid piece(const PeerBeam& beam, double length) {
    const double mass = beam.mass_per_length * length;
    const double polar = 2 * beam.rotary_inertia * length;
    const double across = beam.rotary_inertia * length + mass * length * length / 12;
    const SimTK::Vec3 com(length / 2, 0, 0);
    return SimTK::Body::Rigid(
        SimTK::MassProperties(mass, com, SimTK::Inertia(polar, across, across).shiftFromMassCenter(com, mass)));
  }
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::UniformGravity gravity_;
  SimTK::State state_;
};

}  // namespace

Peer make_simbody_arm(const PeerBeam& beam, int pieces) {
  const auto arm = std::make_shared<SimbodyArm>(beam, pieces);
  return {"Simbody", [arm] { arm->evaluate(); }};
}

}  // namespace limber::apps
