// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/model/manifold.hpp"
#include "limber/simulate/archive.hpp"
#include "limber/simulate/system.hpp"

namespace limber {

// A System as a first-order equation dz/dt = f(t, z) around a point, for vector-space methods:
// z = (y, v, work, dissipated), y the coordinates of a chart around q0 (manifold.hpp).
// A method that starts every step at y = 0 works on the manifold itself, with its full order [Munthe-Kaas 1999].
class Flow {
 public:
  explicit Flow(System& system)
      : system_(system), point_{{}, VectorXd::Zero(system.model().nq), VectorXd::Zero(system.model().nv)} {
    q0_ = point_.q;
  }

  int size() const { return 2 * nv() + 2; }
  int nv() const { return system_.model().nv; }
  System& system() { return system_; }
  const Model& model() const { return system_.model(); }
  const VectorXd& base() const { return q0_; }

  // Sets the chart around m, and z there.
  void set_base(const Motion& m, Vec z) {
    q0_ = m.x.q;
    z.head(nv()).setZero();
    z.segment(nv(), nv()) = m.x.v;
    z[2 * nv()] = m.work;
    z[2 * nv() + 1] = m.dissipated;
  }

  // dz/dt.  Prescribed coordinates follow their motion, not z.
  [[nodiscard]] Status rate(double t, ConstVec z, Vec dz) {
    set_point(t, z);
    Powers powers;
    const Status status = system_.accelerate(point_, dz.segment(nv(), nv()), &powers);
    if (status != Status::ok) return status;
    chart_rate(system_.model(), point_.q, z.head(nv()), point_.v, dz.head(nv()));
    dz[2 * nv()] = powers.work;
    dz[2 * nv() + 1] = powers.dissipated;
    return Status::ok;
  }

  // The y part of dz/dt at the base itself.
  void rate_at_base(ConstVec z, Vec dz) const {
    chart_rate(system_.model(), q0_, z.head(nv()), z.segment(nv(), nv()), dz.head(nv()));
  }

  // z of a motion near the base point.
  void write(const Motion& m, Vec z) const {
    chart_coordinates(system_.model(), q0_, m.x.q, z.head(nv()));
    z.segment(nv(), nv()) = m.x.v;
    z[2 * nv()] = m.work;
    z[2 * nv() + 1] = m.dissipated;
  }

  void read(double t, ConstVec z, Motion& out) const {
    out.x.t = t;
    chart_point(system_.model(), q0_, z.head(nv()), out.x.q);
    out.x.v = z.segment(nv(), nv());
    out.work = z[2 * nv()];
    out.dissipated = z[2 * nv() + 1];
    system_.prescribe(out.x);
  }

  void transfer(Archive& archive) { archive(q0_); }

 private:
  void set_point(double t, ConstVec z) {
    point_.t = t;
    chart_point(system_.model(), q0_, z.head(nv()), point_.q);
    point_.v = z.segment(nv(), nv());
    system_.prescribe(point_);
  }

  System& system_;
  State point_;
  VectorXd q0_;
};

// Reference magnitudes for errors, at z in the chart around q0: of the coordinates themselves and of the speeds, one
// for rotations; negative: excluded from error control (prescribed coordinates, work and dissipation).
void compute_scales(const System& system, ConstVec q0, ConstVec z, Vec scale);

}  // namespace limber
