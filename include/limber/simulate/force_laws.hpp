// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "limber/model/elements.hpp"
#include "limber/simulate/signal.hpp"

namespace limber {

// A force given by an expression in x, v, t and named channels.
class ExpressionLaw final : public ForceLaw {
 public:
  // names: x, v, then those of the channels.  Throws InputError: what is wrong and at which character.
  ExpressionLaw(std::string text, std::span<const std::string> names);
  double force(double t, std::span<const double> values, std::span<double> slopes) const override;
  const std::string& text() const { return text_; }  // as written

 private:
  std::string text_;
  Expression expression_;
};

// A spring characteristic: force over length (or joint coordinate) through the points of a table; constant beyond
// its ends.
class TableLaw final : public ForceLaw {
 public:
  // Throws InputError: sizes differ, no points, lengths that do not increase.
  TableLaw(const VectorXd& x, const VectorXd& force, Interpolation interpolation);
  double force(double t, std::span<const double> values, std::span<double> slopes) const override;
  std::optional<double> energy(double x) const override;  // zero at the first point

  const VectorXd& points() const { return x_; }                   // lengths
  const VectorXd& forces() const { return force_; }               // forces there
  Interpolation interpolation() const { return interpolation_; }  // between them

 private:
  double integral(double from, double to) const;  // of the force inside of one interval
  VectorXd x_, force_, sums_;                     // sums_: of the integral up to each point
  Interpolation interpolation_;
  Signal signal_;
};

// Names of state quantities in an expression, each once, in order of appearance: words of letters, digits, _
// and dots that are not functions, constants, x, v or t.
std::vector<std::string> names_in_expression(std::string_view text);

// The channel of a name: a coordinate ("elbow", "boom.bending_y1"), NAME.rate, a node's "boom.tip.x", "boom.tip.vx", or
// "strut.length", "strut.rate" of a force element.  Throws InputError for an unknown name.
StateChannel find_state_channel(const Model& model, std::span<const ForceElement> elements, const std::string& name);

}  // namespace limber
