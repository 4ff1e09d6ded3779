// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "deformation.hpp"
#include "families.hpp"

// Sums over the shapes of beams, family by family.  theory §2, Families of shapes.
namespace limber {
namespace {

template <int Axis>
LIMBER_INLINE Vec4d& moment_at(FourSymmetric& m) {
  if constexpr (Axis == 0) return m.xx;
  if constexpr (Axis == 1) return m.yy;
  if constexpr (Axis == 2) return m.zz;
}
template <int Axis>
LIMBER_INLINE Vec4d& product_at(FourSymmetric& m) {
  if constexpr (Axis == 0) return m.yz;
  if constexpr (Axis == 1) return m.xz;
  if constexpr (Axis == 2) return m.xy;
}

// Adds F and 2 w . F' along this axis for a mode of family A: sums over the one family with which A has F there.
template <int A, int Axis, typename Families>
LIMBER_INLINE void add_partners(Families families, const Vec4d* pair, const Vec4d* e, const Vec4d* rate,
                                const FourVectors& w, FourVectors& F, Vec4d& force) {
  constexpr int kPartner = kFamilyAxes[A].family_at(Axis);
  if constexpr (kPartner >= 0) {
    const auto first = families.template begin<kPartner>();
    Vec4d sum = at_axis<Axis>(F), rates = zero();
    for_many(
        families.template size<kPartner>(), LIMBER_EACH(i) {
          const int b = first + i;
          sum += pair[b] * e[b];
          rates += pair[b] * rate[b];
        });
    at_axis<Axis>(F) = sum;
    force += (rates + rates) * at_axis<Axis>(w);
  }
}

// Factors of the constants of a family's modes in the modal forces: of the modal mass, of J along the second axis, of J
// with the undeformed body, and of F.
struct FamilyMotion {
  Vec4d mass, second, h;
  FourVectors turn;
  LIMBER_INLINE FamilyMotion(const FamilyAxes& axes, const FourMotions& motion)
      : turn{motion.wdot.x - axes.half(0) * motion.ww.yz, motion.wdot.y - axes.half(1) * motion.ww.xz,
             motion.wdot.z - axes.half(2) * motion.ww.xy} {
    const FourSymmetric& m = motion.ww;
    const auto ww = [&](int axis) { return axis == 0 ? m.xx : axis == 1 ? m.yy : m.zz; };
    mass = ww(axes.axes[0]) + ww(axes.axes[2]);
    second = ww(axes.axes[1]) - ww(axes.axes[2]);
    h = axes.f < 0 ? mass : axes.f == 0 ? m.yz : axes.f == 1 ? m.xz : m.xy;
  }
};

// F and modal forces of family A; `second`: sums over the modes of the family itself.
template <int A, typename Families>
LIMBER_INLINE void contract_family(Families families, const FourBodies& bodies, const FourMotions& motion,
                                   const Vec4d* e, const Vec4d* rate, FourVectors* F, Vec4d* p, Vec4d* second) {
  static constexpr FamilyAxes kAxes = kFamilyAxes[A];
  const auto first = families.template begin<A>();
  const auto size = families.template size<A>();
  if (size == 0) return;
  const FamilyMotion of(kAxes, motion);
  const FourBodies::BeamMode* modes = bodies.beam_modes.data();
  const Vec4d* pairs = bodies.beam_pairs.data();
  const int n = bodies.n;
  for_each(
      size, LIMBER_EACH(i) {
        const int a = first + i;
        const FourBodies::BeamMode& mode = modes[a];
        const Vec4d* pair = pairs + a * n;
        Vec4d sum = zero();
        for_many(
            size, LIMBER_EACH(j) { sum += pair[first + j] * e[first + j]; });
        second[a] = sum;
        Vec4d force = -(mode.h * of.h) - mode.g * e[a] * of.mass - sum * of.second;
        if constexpr (kAxes.S >= 0) force += mode.S * at_axis<kAxes.S>(motion.vdot);
        FourVectors of_mode{zero(), zero(), zero()};
        if constexpr (kAxes.f >= 0) at_axis<kAxes.f>(of_mode) = mode.f;
        add_partners<A, 0>(families, pair, e, rate, motion.w, of_mode, force);
        add_partners<A, 1>(families, pair, e, rate, motion.w, of_mode, force);
        add_partners<A, 2>(families, pair, e, rate, motion.w, of_mode, force);
        F[a] = of_mode;
        p[a] = force + dot(of_mode, of.turn);
      });
}

// Adds the share of family A to J = sum x_a (J_a0 + J_a) and s = sum x_a S_a with x = e, or (Rate) to sum x_a J_a,
// sum x_a F_a and sum x_a S_a with x the rate of e.
template <int A, bool Rate, typename Families>
LIMBER_INLINE void add_family(Families families, const FourBodies& bodies, const Vec4d* e, const Vec4d* x,
                              const FourVectors* F, const Vec4d* second, FourSymmetric& J, FourVectors& F_rate,
                              FourVectors& s) {
  static constexpr FamilyAxes kAxes = kFamilyAxes[A];
  const auto first = families.template begin<A>();
  const auto size = families.template size<A>();
  if (size == 0) return;
  const FourBodies::BeamMode* modes = bodies.beam_modes.data();
  const Vec4d o = zero();
  Vec4d of_mass = o, of_second = o, of_h = o, of_S = o;
  FourVectors of_F{o, o, o};
  for_each(
      size, LIMBER_EACH(i) {
        const int a = first + i;
        const Vec4d xa = x[a];
        of_mass += xa * (modes[a].g * e[a]);
        of_second += xa * second[a];
        of_h += xa * (Rate ? modes[a].h : modes[a].h_0);
        if constexpr (kAxes.S >= 0) of_S += xa * modes[a].S;
        if constexpr (kAxes.family_at(0) >= 0 || kAxes.f == 0) of_F.x += xa * F[a].x;
        if constexpr (kAxes.family_at(1) >= 0 || kAxes.f == 1) of_F.y += xa * F[a].y;
        if constexpr (kAxes.family_at(2) >= 0 || kAxes.f == 2) of_F.z += xa * F[a].z;
      });
  moment_at<kAxes.axes[0]>(J) += of_mass;
  moment_at<kAxes.axes[1]>(J) += of_second;
  moment_at<kAxes.axes[2]>(J) += of_mass - of_second;
  if constexpr (kAxes.f >= 0) product_at<kAxes.f>(J) += of_h;
  if constexpr (kAxes.f < 0) moment_at<kAxes.axes[0]>(J) += of_h, moment_at<kAxes.axes[2]>(J) += of_h;
  if constexpr (kAxes.half(0) != 0) J.yz += kAxes.half(0) * of_F.x;
  if constexpr (kAxes.half(1) != 0) J.xz += kAxes.half(1) * of_F.y;
  if constexpr (kAxes.half(2) != 0) J.xy += kAxes.half(2) * of_F.z;
  if constexpr (kAxes.S >= 0) at_axis<kAxes.S>(s) += of_S;
  if constexpr (Rate) add(F_rate, of_F);
}

template <typename Families>
LIMBER_INLINE void contract_families(Families families, const FourBodies& bodies, const FourMotions& motion,
                                     FourVectors* F, GroupScratch& scratch, FourLoads& out) {
  const Vec4d *e = scratch.e.data(), *rate = scratch.rate.data(), o = zero();
  Vec4d *p = scratch.p.data(), *second = scratch.second.data();
  contract_family<0>(families, bodies, motion, e, rate, F, p, second);
  contract_family<1>(families, bodies, motion, e, rate, F, p, second);
  contract_family<2>(families, bodies, motion, e, rate, F, p, second);
  contract_family<3>(families, bodies, motion, e, rate, F, p, second);
  FourVectors F_rate{o, o, o};
  {
    FourSymmetric J = bodies.J;
    FourVectors s = bodies.s;
    add_family<0, false>(families, bodies, e, e, F, second, J, F_rate, s);
    add_family<1, false>(families, bodies, e, e, F, second, J, F_rate, s);
    add_family<2, false>(families, bodies, e, e, F, second, J, F_rate, s);
    add_family<3, false>(families, bodies, e, e, F, second, J, F_rate, s);
    out.J = J;
    out.s = s;
  }
  FourSymmetric J_rate{o, o, o, o, o, o};
  FourVectors s_rate{o, o, o};
  add_family<0, true>(families, bodies, e, rate, F, second, J_rate, F_rate, s_rate);
  add_family<1, true>(families, bodies, e, rate, F, second, J_rate, F_rate, s_rate);
  add_family<2, true>(families, bodies, e, rate, F, second, J_rate, F_rate, s_rate);
  add_family<3, true>(families, bodies, e, rate, F, second, J_rate, F_rate, s_rate);
  out.s_rate = s_rate;
  const FourVectors Jw = J_rate * motion.w;
  out.p.ang = Jw + Jw - cross(F_rate, motion.w);
}

}  // namespace

void contract_beams(const FourBodies& bodies, const FourMotions& motion, FourVectors* F, GroupScratch& scratch,
                    FourLoads& out) {
  with_families(bodies, [&](auto families) { contract_families(families, bodies, motion, F, scratch, out); });
}

// At e = 0, F = f and J = h are constants of a mode.  The part of J determined by F is in FamilyMotion::turn.
void contract_undeformed_beams(const FourBodies& bodies, const FourMotions& motion, Vec4d* p) {
  const FourBodies::BeamMode* modes = bodies.beam_modes.data();
  with_families(bodies, [&](auto families) {
    for_families(
        families, LIMBER_FAMILY(family, first, size) {
          static constexpr FamilyAxes kAxes = kFamilyAxes[family];
          const FamilyMotion of(kAxes, motion);
          for_each(
              size, LIMBER_EACH(i) {
                const FourBodies::BeamMode& mode = modes[first + i];
                Vec4d force = -(mode.h * of.h);
                if constexpr (kAxes.S >= 0) force += mode.S * at_axis<kAxes.S>(motion.vdot);
                if constexpr (kAxes.f >= 0) force += mode.f * at_axis<kAxes.f>(of.turn);
                p[first + i] = force;
              });
        });
  });
}

}  // namespace limber
