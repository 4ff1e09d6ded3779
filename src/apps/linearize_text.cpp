// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "apps/json_writer.hpp"
#include "apps/linearize.hpp"
#include "apps/terminal.hpp"

namespace limber::apps {
namespace {

using Align = Table::Align;
using Complex = std::complex<double>;

constexpr std::size_t kMaxModeRows = 40;
constexpr double kRounding = 1e-9;  // relative size below which a part of a complex number is shown as zero

double shown(double part, double whole) { return std::abs(part) < kRounding * whole ? 0 : part; }

// "-0.2 ± 3.1i" for a conjugate pair.
std::string root_text(Complex root) {
  const double size = std::abs(root), re = shown(root.real(), size), im = shown(root.imag(), size);
  if (im == 0) return short_number(re);
  return re == 0 ? fmt::format("±{}i", short_number(std::abs(im)))
                 : fmt::format("{} ± {}i", short_number(re), short_number(std::abs(im)));
}

// One of each conjugate pair.
std::vector<Complex> upper_half(const VectorXcd& roots) {
  std::vector<Complex> out;
  for (const Complex& root : roots) {
    if (shown(root.imag(), std::abs(root)) >= 0) out.push_back(root);
  }
  return out;
}

std::string title(const Style& style, std::string_view text, std::string_view note = "") {
  return fmt::format("\n{}{}\n", style.bold(text), note.empty() ? "" : style.dim(fmt::format("  {}", note)));
}

// "boom.bending_y1 1, shoulder -0.32": the largest entries, in the units of the coordinates.
std::string shape_text(const LinearSystem& system, const VectorXcd& shape) {
  constexpr std::size_t kMax = 3;
  constexpr double kSmall = 0.01;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(shape.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return std::abs(shape[a]) > std::abs(shape[b]); });
  std::string out;
  for (std::size_t k = 0; k < std::min(kMax, order.size()); ++k) {
    const Complex entry = shape[order[k]];
    if (std::abs(entry) < kSmall) break;
    const double value = std::abs(entry.imag()) > kSmall ? std::abs(entry) : entry.real();
    out +=
        fmt::format("{}{} {:.2g}", out.empty() ? "" : ", ", system.states[static_cast<std::size_t>(order[k])], value);
  }
  return out;
}

std::string modes_text(const Style& style, const Linearization& found) {
  Table table;
  table.column("", Align::right).column("rad/s", Align::right).column("Hz", Align::right);
  table.column("damping", Align::right).column("", Align::left).column("moves most", Align::left, 64);
  for (std::size_t k = 0; k < found.modes.size(); ++k) {
    const VibrationMode& mode = found.modes[k];
    std::string note;
    if (mode.frequency == 0) note = mode.growth > 0 ? fmt::format("grows, {} 1/s", short_number(mode.growth)) : "rigid";
    if (mode.frequency == 0 && mode.growth < 0) note = fmt::format("decays, {} 1/s", short_number(-mode.growth));
    table.row(
        {std::to_string(k + 1), short_number(mode.frequency), short_number(mode.frequency / (2 * std::numbers::pi)),
         mode.frequency == 0 ? "–" : short_number(shown(mode.damping, 1)), note, shape_text(found.system, mode.shape)});
  }
  const char* note =
      has_real_modes(found.system) ? "undamped; damping as a ratio" : "moduli of poles; damping as a ratio";
  return title(style, "Natural frequencies", note) + table.render(style, kMaxModeRows, "modes");
}

std::string poles_text(const Style& style, const Linearization& found) {
  Table table;
  table.column("pole, 1/s").column("|s|", Align::right).column("", Align::left);
  const double largest = found.poles.size() == 0 ? 0 : found.poles.cwiseAbs().maxCoeff();
  for (const Complex& pole : upper_half(found.poles)) {
    const Complex seen = std::abs(pole) < kRounding * largest ? 0 : pole;  // a rigid motion, up to rounding
    const bool right = seen.real() > 1e-6 * std::abs(seen);
    table.row({root_text(seen), short_number(std::abs(seen)), right ? "unstable" : ""});
  }
  return title(style, "Poles") + table.render(style, kMaxModeRows, "poles");
}

std::string roots_text(const VectorXcd& roots) {
  std::string out;
  for (const Complex& root : upper_half(roots)) out += (out.empty() ? "" : ", ") + root_text(root);
  return out.empty() ? "none" : out;
}

std::string zeros_text(const Style& style, const Linearization& found) {
  if (found.zeros_left_out) return title(style, "Zeros", "too many inputs and outputs; choose with --input, --output");
  if (found.zeros.empty()) return "";
  Table table;
  table.column("from", Align::left, 22).column("to", Align::left, 32).column("", Align::left);
  table.column("zeros, 1/s", Align::left, 100);
  const auto side = [](const VectorXcd& zeros) {
    for (const Complex& zero : zeros) {
      if (zero.real() > 1e-6 * std::abs(zero)) return "right";
    }
    return "";
  };
  for (const auto& [input, output, values] : found.zeros) {
    table.row({found.system.inputs[static_cast<std::size_t>(input)],
               found.system.outputs[static_cast<std::size_t>(output)], side(values), roots_text(values)});
  }
  std::string out = title(style, "Zeros", "right: zeros in the right half-plane, non-minimum phase") +
                    table.render(style, kMaxModeRows, "pairs");
  if (found.all_zeros) out += fmt::format("  all inputs to all outputs: {}\n", roots_text(*found.all_zeros));
  return out;
}

std::string point_text(const Model& model, const Linearization& found) {
  const VectorXd& acceleration = found.system.acceleration;
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string out =
      fmt::format("  at {}; {}, {}, {}\n", found.where, counted(found.system.free.size(), "coordinate"),
                  counted(found.system.inputs.size(), "input"), counted(found.system.outputs.size(), "output"));
  if (found.stable) out += fmt::format("  the equilibrium is {}\n", *found.stable ? "stable" : "not stable");
  if (found.equilibrium || !found.warning.empty()) return out;  // the warning is more specific
  Eigen::Index largest = 0;
  const double size = acceleration.cwiseAbs().maxCoeff(&largest);
  out += fmt::format("  note: this is not an equilibrium: {} has an acceleration of {}; --equilibrium finds one\n",
                     model.speeds[static_cast<std::size_t>(largest)], short_number(size));
  return out;
}

void write_roots(JsonWriter& json, const VectorXcd& roots) {
  json.begin_list();
  for (const Complex& root : roots) json.numbers(Eigen::Vector2d(root.real(), root.imag()));
  json.end_list();
}

void write_modes(JsonWriter& json, const std::vector<VibrationMode>& modes) {
  json.begin_list();
  for (const VibrationMode& mode : modes) {
    const auto number = [&](const char* key, double value) {
      json.key(key);
      json.number(value);
    };
    json.begin_object();
    number("frequency", mode.frequency);
    number("damping", mode.damping);
    number("growth", mode.growth);
    json.key("shape");
    json.numbers(mode.shape.real());
    if (!mode.shape.imag().isZero(0)) {
      json.key("shape_imaginary");
      json.numbers(mode.shape.imag());
    }
    json.end_object();
  }
  json.end_list();
}

void write_zeros(JsonWriter& json, const Linearization& found) {
  json.begin_list();
  for (const auto& [input, output, values] : found.zeros) {
    json.begin_object();
    json.key("input");
    json.text(found.system.inputs[static_cast<std::size_t>(input)]);
    json.key("output");
    json.text(found.system.outputs[static_cast<std::size_t>(output)]);
    json.key("zeros");
    write_roots(json, values);
    json.end_object();
  }
  json.end_list();
}

}  // namespace

std::string linearization_text(const Model& model, const Linearization& found, std::FILE* out) {
  const Style style = style_for(out);
  std::string text = style.bold(style.accent(fit(model.name.empty() ? "(no name)" : model.name, 96))) + "\n";
  return text + point_text(model, found) + modes_text(style, found) + poles_text(style, found) +
         zeros_text(style, found);
}

void write_linearization(const Model& model, const Linearization& found, std::FILE* out, const std::string& file) {
  const LinearSystem& system = found.system;
  JsonWriter json(out, file);
  json.begin_object();
  json.key("model");
  json.text(model.name);
  json.key("equilibrium");
  json.boolean(found.equilibrium);
  const std::pair<const char*, const VectorXd*> vectors[] = {
      {"q", &system.point.q}, {"v", &system.point.v}, {"acceleration", &system.acceleration}};
  for (const auto& [key, values] : vectors) {
    json.key(key);
    json.numbers(*values);
  }
  const std::pair<const char*, const std::vector<std::string>*> names[] = {
      {"states", &system.states}, {"inputs", &system.inputs}, {"outputs", &system.outputs}};
  for (const auto& [key, words] : names) {
    json.key(key);
    json.texts(*words);
  }
  const std::pair<const char*, const MatrixXd*> matrices[] = {{"A", &system.A},
                                                              {"B", &system.B},
                                                              {"C", &system.C},
                                                              {"D", &system.D},
                                                              {"mass", &system.M},
                                                              {"damping", &system.damping},
                                                              {"stiffness", &system.stiffness}};
  for (const auto& [key, matrix] : matrices) {
    json.key(key);
    json.rows(*matrix);
  }
  json.key("modes");
  write_modes(json, found.modes);
  json.key("poles");
  write_roots(json, found.poles);
  json.key("zeros");
  write_zeros(json, found);
  if (found.all_zeros) {
    json.key("transmission_zeros");
    write_roots(json, *found.all_zeros);
  }
  json.end_object();
  json.finish();
}

}  // namespace limber::apps
