// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives in the articulated-body recursion.  A rotor with the axis e on its parent, whose frame has the angular
// velocity w, has the kinetic energy J (theta' + e . w)^2 / 2: the angular momentum h = J (theta' + e . w) e, and
//   tau_m = J (theta'' + e . wdot)      torque on the parent: -(tau_m e + w x h)
// A rigid gear has theta = n q.  With an elastic gear, theta is an unknown that is eliminated before the hinge:
//   J' theta'' + J e . a - c betadot = u_m      J' = J + c_mm, and c from c_D D + c_K K of the transmission
// theory §3, Drives; [RBDA §9.6].
#include "elimination.hpp"

namespace limber {
namespace {

const WorldFrame& carrier_of(const Link& link, const AbaData& ws) {
  return link.attachment >= 0 ? ws.attachment_frames[ws.attachment_places[link.attachment]] : ws.frames[link.parent];
}

// Axis, inertia and coupling of a rotor, and the terms of the bias motion in its spin equation.
template <bool Bias>
void place_rotor(const Link& link, BodyStep& step, RotorStep& rotor, AbaData& ws) {
  const WorldFrame& on = carrier_of(link, ws);
  const double J = link.rotor.inertia, n = link.rotor.ratio;
  const bool elastic = link.motor.v != 0;
  rotor.axis = on.R * link.rotor.axis;
  rotor.bias = Bias ? dot(rotor.axis, on.wdot) : 0;
  rotor.wrench = zero();
  rotor.g = n * J;
  rotor.inertia = J;
  if (elastic) {
    const MotorTerms terms(link, link.v + link.motor.v, ws.implicit);
    rotor.g = terms.coupling * J / terms.inertia;
    rotor.inertia = J - J * J / terms.inertia;
  }
  if (!Bias) return;
  const double turn = elastic ? ws.v[link.v + link.motor.v] : n * ws.v[link.v];
  const double spin = turn + dot(rotor.axis, on.w);
  rotor.wrench = rotor.axis * spread(J * rotor.bias) + cross(on.w, rotor.axis) * spread(J * spin);
  if (elastic) {
    ws.u[link.v + link.motor.v] -= J * rotor.bias;
  } else {
    step.b[0] += n * J * rotor.bias;
  }
}

}  // namespace

template <bool Bias>
void start_drives(const Layout& layout, AbaData& ws) {
  for (std::size_t k = 0; k < layout.rotors.size(); ++k) {
    const int i = layout.rotors[k];
    place_rotor<Bias>(layout.links[i], ws.steps[i], ws.rotors[k], ws);
  }
  for (const int i : layout.motors) {
    const Link& link = layout.links[i];
    const int m = link.v + link.motor.v;
    double& b = ws.steps[i].b[0];
    if (Bias) {
      const double torque = link.motor.torque(&ws.q[link.q], &ws.v[link.v]);
      b -= torque;
      ws.u[m] -= link.motor.per_turn * torque;
    }
    if (!ws.implicit.active) continue;
    const MotorTerms terms(link, m, ws.implicit);
    b -= terms.coupling / terms.inertia * ws.u[m];
  }
  for (std::size_t k = 0; k < layout.rotors.size(); ++k) {
    const Link& link = layout.links[layout.rotors[k]];
    if (link.motor.v == 0) continue;
    const int m = link.v + link.motor.v;
    const double share = link.motor.inertia / MotorTerms(link, m, ws.implicit).inertia;
    ws.rotors[k].wrench += ws.rotors[k].axis * spread(share * ws.u[m]);
  }
}
template void start_drives<true>(const Layout& layout, AbaData& ws);
template void start_drives<false>(const Layout& layout, AbaData& ws);

void start_motor_forces(const Layout& layout, AbaData& ws) {
  for (const int i : layout.motors) {
    const Link& link = layout.links[i];
    const int m = link.v + link.motor.v;
    const MotorTerms terms(link, m, ws.implicit);
    const BodyStep& step = ws.steps[i];
    step.b[0] -= terms.coupling / terms.inertia * ws.u[m];
    if (step.rotor == nullptr) continue;
    Spatial& z = link.attachment >= 0 ? ws.attachments[link.attachment].z : ws.bodies[link.parent].z;
    z.ang += step.rotor->axis * spread(link.motor.inertia / terms.inertia * ws.u[m]);
  }
}

void accelerate_motors(const Layout& layout, AbaData& ws, double* vdot) {
  for (const int i : layout.motors) {
    const Link& link = layout.links[i];
    const int m = link.v + link.motor.v;
    const BodyStep& step = ws.steps[i];
    double e = ws.u[m];
    if (step.rotor != nullptr) e -= link.motor.inertia * dot(step.rotor->axis, step.inboard_a->ang);
    if (!ws.implicit.active) {
      vdot[m] = e / link.motor.inertia;
      continue;
    }
    const MotorTerms terms(link, m, ws.implicit);
    vdot[m] = (e + terms.coupling * vdot[link.v]) / terms.inertia;
  }
}

double rotor_torque(const BodyStep& step) {
  return step.rotor->g * (step.rotor->bias + dot(step.rotor->axis, step.inboard_a->ang));
}

}  // namespace limber
