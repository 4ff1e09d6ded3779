// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/info.hpp"
#include "apps/terminal.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/elements.hpp"
#include "limber/model/segments.hpp"
#include "limber/simulate/segment_advice.hpp"

namespace limber::apps {
namespace {

using Align = Table::Align;

constexpr int kName = 22;              // columns for a name
constexpr std::size_t kMaxRows = 24;   // of a shortened table
constexpr std::size_t kMaxShapes = 6;  // bodies with a table of modes
constexpr std::size_t kMaxHertz = 24;  // natural frequencies
constexpr int kLineWidth = 96;

struct Page {
  const Model& model;
  const ModelFacts& facts;
  Style style;
  std::size_t most_rows, most_shapes, most_hertz;

  std::string title(std::string_view text, std::string_view note = "") const {
    return fmt::format("\n{}{}\n", style.bold(text), note.empty() ? "" : style.dim(fmt::format("  {}", note)));
  }
};

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string vector_text(const Vector3d& v) {
  // Values at rounding level are shown as zero.
  constexpr double kRounding = 1e-12;
  const Vector3d shown = (v.array().abs() > kRounding * v.cwiseAbs().maxCoeff()).select(v, 0.0);
  return fmt::format("[{}, {}, {}]", short_number(shown[0]), short_number(shown[1]), short_number(shown[2]));
}

// "x", "-z", or the three components.
std::string axis_text(const Vector3d& axis) {
  for (int k = 0; k < 3; ++k) {
    if (axis == Vector3d::Unit(k)) return std::string(1, "xyz"[k]);
    if (axis == -Vector3d::Unit(k)) return std::string("-") + "xyz"[k];
  }
  return fmt::format("[{:.3g}, {:.3g}, {:.3g}]", axis[0], axis[1], axis[2]);
}

std::string joint_text(const Joint& joint) {
  std::string text = to_string(joint.kind);
  const int axes = joint_traits(joint.kind).axes;
  if (axes > 0) text += " " + axis_text(joint.axis);
  if (axes > 1) text += ", " + axis_text(joint.axis2);
  return text;
}

std::string header(const Page& page) {
  const Model& model = page.model;
  const auto bodies = static_cast<std::size_t>(count_bodies(model));
  int hinge = 0, motors = 0;
  for (int i = 1; i < model.body_count(); ++i) {
    hinge += speed_count(model.joints[i].kind);
    motors += motor_index(model, i).v >= 0 ? 1 : 0;
  }
  std::string out = page.style.bold(page.style.accent(fit(model.name.empty() ? "(no name)" : model.name, kLineWidth)));
  out += fmt::format("\n  {}, {} ({} hinge + {} modal{}), {} fidelity\n", counted(bodies, "body", "bodies"),
                     counted(model.nv, "degree of freedom", "degrees of freedom"), hinge, model.nv - hinge - motors,
                     motors > 0 ? fmt::format(" + {} motor", motors) : "", to_string(model.fidelity));
  out += fmt::format("  {} kg, centre of mass {} m at {}\n", short_number(page.facts.total_mass),
                     vector_text(page.facts.center_of_mass), page.facts.where);
  out += model.gravity.isZero(0) ? std::string("  no gravity\n")
                                 : fmt::format("  gravity {} m/s²\n", vector_text(model.gravity));
  return out;
}

// The body shown for a beam in the tree: the segment at its inboard joint; for others, the body itself.
int standing(const Model& model, int body) {
  while (joins_segments(model, body)) body = model.joints[body].parent.body;
  return body;
}

// The tree lines left of each body: "│  ├─ ".  At great depth only the depth.
std::vector<std::string> tree_prefixes(const Model& model) {
  constexpr int kDeepest = 10;
  std::vector<int> last_child(model.bodies.size(), 0), depth(model.bodies.size(), 0);
  for (int i = 1; i < model.body_count(); ++i) {
    if (joins_segments(model, i)) continue;
    const int parent = standing(model, model.joints[i].parent.body);
    last_child[parent] = i;
    depth[i] = depth[parent] + 1;
  }
  std::vector<std::string> below(model.bodies.size()), out(model.bodies.size());  // below: for its children
  for (int i = 1; i < model.body_count(); ++i) {
    if (joins_segments(model, i)) continue;
    const int parent = standing(model, model.joints[i].parent.body);
    const bool last = last_child[parent] == i;
    out[i] = depth[i] > kDeepest ? fmt::format("⋯{:>4} ", depth[i]) : below[parent] + (last ? "└─ " : "├─ ");
    if (depth[i] <= kDeepest) below[i] = below[parent] + (last ? "   " : "│  ");
  }
  return out;
}

// Bodies in depth-first order.
std::vector<int> tree_order(const Model& model) {
  std::vector<std::vector<int>> carried(model.bodies.size());
  for (int i = model.body_count() - 1; i > 0; --i)
    if (!joins_segments(model, i)) carried[standing(model, model.joints[i].parent.body)].push_back(i);
  std::vector<int> order, open = carried[kGround];
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    order.push_back(i);
    open.insert(open.end(), carried[i].begin(), carried[i].end());
  }
  return order;
}

std::string tree(const Page& page) {
  const Model& model = page.model;
  Table table;
  table.column("world", Align::left, 40).column("joint", Align::left, kName).column("", Align::left, 36);
  table.column("on", Align::left, kName).column("at", Align::left, kName);
  const std::vector<std::string> prefixes = tree_prefixes(model);
  for (const int i : tree_order(model)) {
    const Joint& joint = model.joints[i];
    const int modes = model.body(i).modes;
    const std::size_t segments = bodies_of(model, i).size();
    const std::string kind = modes == 0     ? ""
                             : segments > 1 ? fmt::format("  ~{} × {}", segments, modes)
                                            : fmt::format("  ~{}", modes);
    const std::string at = joint.child_node == kBodyFrame ? "" : node_name(model, {i, joint.child_node});
    table.row(
        {prefixes[i] + model.body_names[i] + kind, joint.name, joint_text(joint), node_name(model, joint.parent), at});
  }
  std::string out =
      page.title("Tree", model.segments ? "~n: a flexible body with n modes; ~k × n: k segments with n modes each"
                                        : "~n: a flexible body with n modes");
  out += table.render(page.style, page.most_rows, "bodies");
  for (const Closure& closure : model.closures)
    out += fmt::format("  closure {}: {}, {} to {}\n", fit(closure.name, kName), to_string(closure.kind),
                       node_name(model, closure.a), node_name(model, closure.b));
  if (model.elements) {
    for (const ForceElement& e : model.elements->list)
      out += fmt::format("  {} {}: {}\n", to_string(e.kind), fit(e.name, kName),
                         e.joint >= 0 ? "joint " + model.joints[e.joint].name
                                      : node_name(model, e.a.node) + " to " + node_name(model, e.b.node));
  }
  if (model.contacts) {
    for (const Contact& c : model.contacts->list)
      out += fmt::format("  contact {}: {} on a {} of {}\n", fit(c.name, kName), node_name(model, c.point.node),
                         to_string(c.shape), node_name(model, c.on.node));
  }
  return out;
}

std::string coordinates(const Page& page) {
  const Model& model = page.model;
  Table table;
  table.column("q", Align::right).column("coordinate", Align::left, 32).column("v", Align::right);
  table.column("speed", Align::left, 32).column("", Align::left, 40);
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const int nq = position_count(joint.kind), nv = speed_count(joint.kind), n = model.body(i).modes;
    const auto cells = [&](int q, int v, const std::string& what) {
      const bool has_v = v >= 0;
      table.row({std::to_string(q), model.coordinates[q], has_v ? std::to_string(v) : "",
                 has_v ? (model.speeds[v] == model.coordinates[q] ? "" : model.speeds[v]) : "", what});
    };
    const int odd = nq - nv;  // a quaternion has one coordinate more than speeds
    for (int k = 0; k < nq; ++k) cells(joint.q + k, k < odd ? -1 : joint.v + k - odd, to_string(joint.kind));
    const BodyFacts& body = page.facts.shapes[page.facts.shape_of[i]];
    for (int a = 0; a < n; ++a)
      cells(model.first_mode_q(i) + a, model.first_mode(i) + a,
            body.mixed ? "mode" : fmt::format("mode, {} Hz", short_number(body.modes[a].hertz)));
  }
  for (int i = 1; i < model.body_count(); ++i) {
    const MotorIndex motor = motor_index(model, i);
    if (motor.v < 0) continue;
    const Drive& drive = *model.joints[i].drive;
    const std::string backlash = drive.backlash > 0 ? fmt::format(", backlash {}; frequencies are those on a flank",
                                                                  short_number(drive.backlash))
                                                    : "";
    table.row({std::to_string(motor.q), model.coordinates[motor.q], std::to_string(motor.v), "",
               fmt::format("motor, ratio {}{}", short_number(drive.ratio), backlash)});
  }
  if (table.size() == 0) return "";
  return page.title("Coordinates") + table.render(page.style, page.most_rows, "coordinates");
}

std::string masses(const Page& page) {
  const Model& model = page.model;
  Table table;
  table.column("body", Align::left, kName).column("kg", Align::right).column("share", Align::right);
  table.column("centre of mass, m", Align::left, 36).column("inertia about it, kg m²", Align::left, 36);
  table.column("modes", Align::right).column("eliminated by");
  for (int i = 1; i < model.body_count(); ++i) {
    if (!leads_segments(model, i)) continue;
    const BodyFacts& body = page.facts.shapes[page.facts.shape_of[i]];
    const int modes = modes_of(model, i).count;
    const bool flexible = modes > 0;
    table.row({model.body_names[i], short_number(body.mass),
               fmt::format("{:.1f}%", 100 * body.mass / page.facts.total_mass), vector_text(body.com),
               vector_text(body.inertia), flexible ? std::to_string(modes) : "–",
               flexible ? to_string(model.layout->links[i].elimination) : ""});
  }
  return page.title("Bodies", "undeformed, in the body frame; inertia xx yy zz") +
         table.render(page.style, page.most_rows, "bodies");
}

// The modes of one body, with sums of their effective masses.
std::string modes_of(const Page& page, const BodyFacts& body) {
  Table table;
  table.column("mode", Align::left, kName).column("Hz", Align::right).column("modal kg", Align::right);
  table.column("damping", Align::right);
  for (const char* title : {"mass x", "y", "z", "inertia x", "y", "z"}) table.column(title, Align::right);
  const auto shares = [&](const Vector3d& mass, const Vector3d& inertia, std::vector<std::string> cells) {
    const auto percent = [](double part, double whole) {
      constexpr double kSeen = 0.0005;
      if (!(whole > 0)) return std::string("–");
      return part < kSeen * whole ? std::string("·") : fmt::format("{:.1f}%", 100 * part / whole);
    };
    for (int k = 0; k < 3; ++k) cells.push_back(percent(mass[k], body.mass));
    for (int k = 0; k < 3; ++k) cells.push_back(percent(inertia[k], body.inertia_about_frame[k]));
    table.row(std::move(cells));
  };
  Vector3d mass = Vector3d::Zero(), inertia = Vector3d::Zero();
  for (const ModeFacts& mode : body.modes) {
    shares(mode.effective_mass, mode.effective_inertia,
           {mode.name, short_number(mode.hertz), short_number(mode.modal_mass), short_number(mode.damping_ratio)});
    mass += mode.effective_mass;
    inertia += mode.effective_inertia;
  }
  table.rule();
  shares(mass, inertia, {"together", "", "", ""});
  return table.render(page.style, page.most_rows, "modes");
}

std::string modes(const Page& page) {
  const ModelFacts& facts = page.facts;
  std::string out;
  std::size_t shown = 0, flexible = 0;
  for (std::size_t s = 0; s < facts.shapes.size(); ++s) {
    const BodyFacts& body = facts.shapes[s];
    if (body.modes.empty()) continue;
    if (flexible++ == 0)
      out += page.title("Modes", "frame held; effective mass and inertia about the frame, % of the body's");
    if (shown == page.most_shapes) continue;
    ++shown;
    const auto first = std::find(facts.shape_of.begin(), facts.shape_of.end(), static_cast<int>(s));
    int equal = 0;
    for (int i = 1; i < page.model.body_count(); ++i)
      equal += facts.shape_of[i] == static_cast<int>(s) && leads_segments(page.model, i) ? 1 : 0;
    const SegmentedBeam* beam = find_segmented(page.model, static_cast<int>(first - facts.shape_of.begin()));
    std::string title = fit(page.model.body_names[first - facts.shape_of.begin()], kLineWidth - 30);
    out += "  " + page.style.accent(title);
    if (equal > 1) out += fmt::format(" and {} equal", counted(equal - 1, "other", "others"));
    if (beam != nullptr) out += page.style.dim(fmt::format("  of the whole, {} segments", beam->segments()));
    if (body.mixed && beam == nullptr)
      out += page.style.dim("  combinations of its coordinates that diagonalise mass and stiffness");
    out += "\n" + modes_of(page, body);
  }
  if (flexible > shown)
    out += page.style.dim(fmt::format("  ⋯ {} more flexible bodies; --all shows them", flexible - shown)) + "\n";
  return out;
}

// "  label  1.2  3.4 ..." wrapped to the width.
std::string wrapped(const Page& page, std::string_view label, std::vector<std::string> words) {
  const std::size_t cut = words.size() > page.most_hertz ? words.size() - page.most_hertz : 0;
  words.resize(words.size() - cut);
  if (cut > 0) words.push_back(page.style.dim(fmt::format("⋯ {} more", cut)));
  const std::string indent(16, ' ');
  std::string out, line = "  " + pad(label, 14, false);
  for (const std::string& word : words) {
    if (display_width(line) + display_width(word) > kLineWidth) {
      out += line + "\n";
      line = indent;
    }
    line += "  " + pad(word, 8, true);
  }
  return out + line + "\n";
}

std::string frequencies(const Page& page) {
  const FrequencyFacts& facts = page.facts.frequencies;
  if (!facts.why_not.empty()) return page.title("Natural frequencies", facts.why_not);
  const auto words = [](const std::vector<double>& hertz) {
    std::vector<std::string> out;
    for (const double value : hertz) out.push_back(short_number(value));
    return out;
  };
  std::string out = page.title("Natural frequencies", fmt::format("Hz at {}; stiffness of {}, no gravity",
                                                                  page.facts.where, stiff_parts(page.model)));
  std::vector<std::string> free = words(facts.joints_free);
  if (facts.rigid > 0) free.insert(free.begin(), fmt::format("{} × 0", facts.rigid));
  out += wrapped(page, facts.joints_locked.empty() ? "all" : "joints free", std::move(free));
  if (!facts.joints_locked.empty()) out += wrapped(page, "joints locked", words(facts.joints_locked));
  if (!facts.caution.empty()) out += "  " + facts.caution + "\n";
  return out;
}

std::string advice(const Page& page) {
  std::string out;
  for (const std::string& line : segment_advice(page.model, page.facts.at)) out += "\n" + line + "\n";
  return out;
}

}  // namespace

std::string info_text(const Model& model, const ModelFacts& facts, bool all) {
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  const Page page{model,
                  facts,
                  style_for(stdout),
                  all ? kNoLimit : kMaxRows,
                  all ? kNoLimit : kMaxShapes,
                  all ? kNoLimit : kMaxHertz};
  return header(page) + tree(page) + coordinates(page) + masses(page) + modes(page) + frequencies(page) + advice(page);
}

}  // namespace limber::apps
