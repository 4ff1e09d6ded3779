// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A user of limber, compiled with its own flags, together with a library that uses only Eigen.
#include <cstdio>
#include <memory>
#include <vector>

#include "arm.hpp"
#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "plain_eigen.hpp"

using namespace limber;

static int failures = 0;

static void expect(bool good, const char* what) {
  std::printf("%s %s\n", good ? "ok  " : "FAIL", what);
  failures += !good;
}

// A copy gives the same results as the original, and remains valid after it.
static void check_copies(const Model& model) {
  State x = make_zero_state(model);
  x.v.setConstant(0.1);
  const VectorXd tau = VectorXd::Constant(model.nv, 2.0);
  VectorXd vdot(model.nv), again(model.nv);
  auto first = std::make_unique<AbaWorkspace>(model);
  expect(aba(model, x, {tau, {}}, *first, vdot) == Status::ok, "aba");
  AbaWorkspace copy = *first;
  first.reset();
  expect(aba(model, x, {tau, {}}, copy, again) == Status::ok && again == vdot, "aba with a copied workspace");
  std::vector<AbaWorkspace> many(3, copy);
  many.reserve(64);
  many.emplace_back(model);
  for (AbaWorkspace& ws : many)
    expect(aba(model, x, {tau, {}}, ws, again) == Status::ok && again == vdot, "aba in a vector");

  MatrixXd M(model.nv, model.nv), N(model.nv, model.nv), P(model.nv, model.nv), Q(model.nv, model.nv);
  CrbaWorkspace crba_original(model), crba_copy = crba_original;
  crba(model, x, crba_original, M);
  crba(model, x, crba_copy, N);
  expect(M == N, "crba with a copied workspace");

  DerivativesWorkspace derivatives(model), derivatives_copy(derivatives);
  derivatives = derivatives_copy;
  const Status status = forward_derivatives(model, x, {tau, {}}, {}, derivatives_copy, again, N, P, Q);
  expect(status == Status::ok && (again - vdot).norm() < 1e-12 * vdot.norm(), "derivatives with a copied workspace");
  expect((M * Q - MatrixXd::Identity(model.nv, model.nv)).norm() < 1e-10, "d vdot / d tau is the inverse of M");

  const Model other = model;
  AbaWorkspace of_other(other);
  expect(aba(other, x, {tau, {}}, of_other, again) == Status::ok && again == vdot, "a copied model");
}

// Vectors are passed between limber, this program and the other library: each may free memory allocated by another.
static void check_plain_eigen(const Model& model) {
  Eigen::VectorXd v = plain_eigen::make_vector(33);  // an odd size, so that alignment is not coincidental
  v.resize(17);
  plain_eigen::take_vector(Eigen::VectorXd::Ones(41));
  State x = make_zero_state(model);
  plain_eigen::take_vector(std::move(x.q));
  x.q = plain_eigen::make_vector(model.nq);
  const VectorXd tau = plain_eigen::make_vector(model.nv);
  VectorXd vdot = plain_eigen::make_vector(model.nv);
  AbaWorkspace ws(model);
  expect(aba(model, x, {tau, {}}, ws, vdot) == Status::ok && vdot.allFinite(), "aba on vectors of the other library");
  plain_eigen::take_vector(std::move(vdot));
  Body body = model.body(1);
  plain_eigen::take_matrix(std::move(body.stiffness));  // allocated inside limber
  expect(plain_eigen::layout() == plain_eigen::layout_here(), "layout of Eigen's fixed-size types");
}

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // output before a crash is not lost
  const Model model = make_arm();
  expect(check_arm(), "the arm");
  check_copies(model);
  check_plain_eigen(model);
  return failures == 0 ? 0 : 1;
}
