// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/body/body.hpp"
#include "limber/spatial/status.hpp"

namespace limber::body_impl {

// Throws InputError("what; cure").
[[noreturn]] void fail(const std::string& what, const std::string& cure);

std::string text(double value);               // "0.5"
std::string quoted(const std::string& name);  // "'tip'"
std::string size_text(const MatrixXd& m);     // "3 x 2"

void check_finite(double value, const std::string& what);
void check_finite(const Eigen::Ref<const MatrixXd>& m, const std::string& what);
void check_positive(double value, const std::string& what, const std::string& cure);      // finite and > 0
void check_not_negative(double value, const std::string& what, const std::string& cure);  // finite and >= 0
void check_size(const MatrixXd& m, Eigen::Index rows, Eigen::Index cols, const std::string& what);
// (n x n), finite, symmetric to rounding, no negative eigenvalue beyond rounding.
void check_semidefinite(const MatrixXd& m, int n, const std::string& what);
// Every mode needs modal mass: G positive definite.
void check_modal_mass(const MatrixXd& G);
// Each component empty or (n x n), finite, symmetric to rounding.
void check_second(const std::array<MatrixXd, 3>& second, int n, const std::string& what);

void check_node_name(const std::string& name, const std::vector<std::string>& before);
void check_rotation(const Matrix3d& R, const std::string& what);
void check_nodes(const std::vector<Node>& nodes, int modes);

void check_beam(const BeamSpec& spec, bool second_order);

}  // namespace limber::body_impl
