// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "mobility.hpp"

namespace limber {
namespace {

// Exchanges angular and linear parts: then a mobility W transforms like an inertia, with -r instead of r.
LIMBER_INLINE Mat6 exchanged(const Mat6& m) {
  return {{{m.c[3].lin, m.c[3].ang},
           {m.c[4].lin, m.c[4].ang},
           {m.c[5].lin, m.c[5].ang},
           {m.c[0].lin, m.c[0].ang},
           {m.c[1].lin, m.c[1].ang},
           {m.c[2].lin, m.c[2].ang}}};
}

}  // namespace

// With f = L^-1 W^T, one row per unknown:
//   own = f^T d^-1 f      through^T = 1 - W Z
Passage compute_passage(const Layout& layout, int i, int attachment, const AbaData& ws, OperationalData& scratch) {
  const Link& link = layout.links[i];
  const Unknowns& u = ws.unknowns[i];
  const int r = ws.prescribed[i] != 0 ? 0 : link.nr, count = u.modes + r, width = kLanes * u.chunks;
  Spatial* f = scratch.columns.data();
  for (int k = 0; k < u.modes; ++k) {
    f[k] = attachment >= 0     ? ws.W[layout.attachments[attachment].columns + k]
           : link.inboard >= 0 ? ws.U[link.inboard_columns + k]
                               : zero_spatial();
  }
  for (int k = 0; k < r; ++k) f[u.modes + k] = ws.H[u.hinge + k];
  Passage out;
  Mat6 one;
  for (int j = 0; j < 6; ++j) one.c[j] = unit_spatial(j);
  Mat6Registers through = Mat6Registers::from(one);
  for (int k = 0; k < count; ++k) through.subtract(f[k], ws.Z[u.begin + k]);
  through.put(out.through_transposed);
  const double* L = reinterpret_cast<const double*>(ws.L.data() + u.D);
  Mat6Registers own{};
  for (int k = 0; k < count; ++k) {
    own.add(f[k] * ws.d_inverse[u.begin + k], f[k]);
    for (int j = k + 1; j < count; ++j) f[j] -= f[k] * L[k * width + j];
  }
  own.put(out.own);
  return out;
}

//   own + through^T W through
Mat6 pass_outward(const Passage& passage, const Mat6& W) {
  const Mat6& T = passage.through_transposed;
  Mat6 TW;
  for (int r = 0; r < 6; ++r) TW.c[r] = T * W.c[r];
  Mat6Registers sum = Mat6Registers::from(passage.own);
  for (int r = 0; r < 6; ++r) sum.add(TW.c[r], T.c[r]);
  Mat6 out;
  sum.put(out);
  return out;
}

Mat6 cross_joint_outward(int i, const AbaData& ws, const Mat6& W) {
  return exchanged(inertia_from(-ws.frames[i].l, exchanged(W)));
}

}  // namespace limber
