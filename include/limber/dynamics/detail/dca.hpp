// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/detail/aba.hpp"
#include "limber/dynamics/detail/thread_pool.hpp"

namespace limber {

// A part: consecutive bodies of one path of the tree, with all side branches.  Its inboard end is
// the child side of the joint of its first body, its outboard end the place on its last body where the path
// continues.
struct DcaPart {
  int left = -1, right = -1;         // its inboard and outboard halves; -1: a single body
  int first = 0;                     // first body
  int attachment = -1;               // outboard end: this moving node of the last body; -1: its frame
  bool open = false;                 // has an outboard end
  bool rigid = false;                // one body whose outboard end moves with its inboard end
  bool direct = false;               // one body with diagonal D_f: no loads or inboard columns on its modes
  bool closes = false;               // its first joint is the last to be closed: outboard half of a pair, or a branch
  int bodies = 0;                    // number of bodies
  int branch = -1;                   // side branch of a single body
  int load_begin = 0, load_end = 0;  // range of its loads
};

// A side branch of a body: one part, or two branches.
struct DcaBranch {
  int left = -1, right = -1;
  int part = -1;
  bool sum = false;  // both are at the same place: their loads are added
  int bodies = 0;
};

// The load of a branch, or the sum of several, on its supporting body.
struct DcaLoad {
  int attachment = -1;  // where, -1: on the frame
  int branch = 0;
};

// Depends only on the topology.
struct DcaTree {
  explicit DcaTree(const Layout& layout);
  std::vector<DcaPart> parts;
  std::vector<DcaBranch> branches;
  std::vector<DcaLoad> loads;
  int ground = -1;  // all bodies on the ground, as a branch
  int levels = 0;   // dependent steps in one sweep over the tree
};

// Equations of the ends of a part: with the acceleration a of the inboard end (beyond the bias) and the wrench f
// exerted by the outboard end, the wrench on the inboard end is P a + B^T f + z, and the acceleration of the outboard
// end is B a - Omega f + y.  theory §6.
struct DcaEnds {
  Mat6 P, Bt, Omega;
  Spatial z, y;
  double d_inverse[8];  // d^-1 of T = N d^-1 N^T once the part is joined; P then holds N
  double loss;          // estimated error in units of rounding; above kMaxLoss the evaluation stops
};

// Motion of a part's outboard end relative to the frame of its first body.
struct DcaMotion {
  Mat3 R, Rt;
  Vec4d r;
  Spatial V, a;
};

// The load of a branch on its node.
struct DcaSum {
  Mat6 Gamma;  // articulated inertia
  Spatial z;   // bias wrench
};

struct DcaData {
  explicit DcaData(const Model& model, const DcaOptions& options = {});

  DcaTree tree;
  AbaData serial;                                      // kinematics; solves serially if parts are weak
  std::vector<DcaEnds> ends;                           // (part)
  std::vector<DcaMotion> motions;                      // (part)
  std::vector<DcaEnds> constants;                      // (part) in `ruthless`, of single bodies
  std::vector<DcaSum> sums;                            // (branch) loads added
  std::vector<Spatial> PH, BH;                         // (speed) P H and B H of hinges
  std::vector<double> D_inverse, e;                    // (speed)
  std::vector<double, Vec4dAllocator> e_f, d_inverse;  // (at link.scalars)
  std::vector<Spatial> mu, Y;  // (at link.columns) L^-1 times the columns of a body, if its modes are factored
  std::vector<double> L;       // (body) rows of L, at factor_begin
  std::vector<std::size_t> factor_begin;
  std::vector<Spatial> a, attachment_a;  // (body), (attachment) acceleration beyond the bias
  std::vector<GroupScratch> scratch;     // (thread)
  ThreadPool threads;
  int grain = kDcaGrain;
  double loss = 0;                 // of the whole model, in the last call
  bool answered_serially = false;  // by the last call
  int failure = -1;                // index of the speed without inertia, after Status::singular_mass
};

}  // namespace limber
