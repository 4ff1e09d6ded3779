// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/model_file.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <unordered_map>

#include "files/body_reader.hpp"
#include "files/drive_reader.hpp"
#include "files/element_reader.hpp"
#include "files/names.hpp"
#include "files/urdf_model.hpp"
#include "limber/dynamics/check.hpp"
#include "limber/files/detail/flow.hpp"
#include "limber/files/detail/quantity.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/recorded_model.hpp"
#include "limber/files/text_file.hpp"
#include "limber/files/urdf.hpp"

namespace limber {
namespace {

constexpr std::array<std::string_view, 3> kFidelities = {"ruthless", "full", "stiffened"};

// A body, as named by joints and closures.
struct Carried {
  int index = kGround;             // from the builder
  std::vector<std::string> nodes;  // in the order of Body::nodes
  std::vector<Pose> places;        // (node) undeformed
};

// A joint as an edge of the tree.
struct Edge {
  Reader at;
  std::string name;
  int parent = kGround, child = kGround;  // from the builder
};

class ModelReader {
 public:
  explicit ModelReader(const Reader& root, const std::map<std::string, std::string>* kept = nullptr)
      : root_(root), files_(std::filesystem::path(root.file()).parent_path().string(), kept) {}
  Model read();

 private:
  void read_header();
  void read_bodies();
  void read_joint(const Reader& entry);
  void read_joint_frames(const Reader& at, Joint& joint) const;
  void read_closure(const Reader& entry);
  NodeRef resolve(const Reader& reference) const;
  const Carried& find_body(const Reader& reference, const std::string& name) const;
  void check_tree() const;
  void refuse_loop(int body) const;

  // Calls the builder; adds item and place to its errors.
  template <class Call>
  auto place_errors(const Call& call) const;

  Reader root_;
  BodyFiles files_;
  ModelBuilder builder_;
  bool second_order_ = false;
  Names names_, closure_names_;  // bodies and joints share one namespace in scenarios
  std::vector<std::string> body_names_;
  std::unordered_map<std::string, Carried> bodies_;
  std::vector<Edge> edges_;
  std::vector<int> edge_of_;                    // (body, index from the builder) its inboard joint; -1: none yet
  std::unordered_map<std::string, int> lines_;  // of "body 'boom'", ...
};

template <class Call>
auto ModelReader::place_errors(const Call& call) const {
  try {
    return call();
  } catch (const InputError& e) {
    const std::string what = e.what();
    const auto found = lines_.find(what.substr(0, what.find("': ") + 1));
    throw InputError(
        fmt::format("{}:{}: {}", root_.file(), found == lines_.end() ? root_.line() : found->second, what));
  }
}

// Reads the name of an item; names reserved by scenarios are refused.
std::string take_name(Names& names, const Reader& entry, std::string_view example) {
  std::string name = names.take(entry, example);
  if (const std::string fault = reserved_fault(name); !fault.empty()) entry.at("name", "").fail(fault);
  return name;
}

Vector3d read_direction(const Reader& joint, std::string_view key, std::string_view example) {
  const Reader reader = joint.at(key, fmt::format("{}: {}", key, example));
  const Vector3d direction = reader.vector3();
  if (direction.isZero(0)) reader.fail(fmt::format("must not be zero; write for example {}", example));
  return direction.stableNormalized();
}

// `Connection`: Joint or Closure.
template <class Connection>
void read_axes(const Reader& entry, Connection& out) {
  const int axes = joint_traits(out.kind).axes;
  std::string_view example = "[0, 0, 1]";
  for (const std::string_view key : {"axis", "axis2"}) {
    const bool wanted = axes > (key == "axis" ? 0 : 1);
    const auto given = entry.find(key);
    if (given && !wanted) given->fail(fmt::format("has no meaning for type {}; remove it", to_string(out.kind)));
    if (wanted) (key == "axis" ? out.axis : out.axis2) = read_direction(entry, key, example);
    example = std::abs(out.axis.x()) < 0.9 ? "[1, 0, 0]" : "[0, 1, 0]";  // not parallel to it
  }
  constexpr double kParallel = 1e-9;  // sine of the angle
  if (axes == 2 && out.axis.cross(out.axis2).norm() < kParallel)
    entry.at("axis2", "").fail(fmt::format("must not be parallel to axis; write for example {}", example));
}

// Joint limits, each a spring and a damper.
void read_stop(const Reader& limits, Joint& joint) {
  const auto lower = limits.find("lower"), upper = limits.find("upper");
  const bool limited = lower || upper, allowed = joint_traits(joint.kind).stops;
  for (const std::string_view key : {"lower", "upper", "stiffness", "damping", "restitution"}) {
    const auto given = limits.find(key);
    if (given && !allowed)
      given->fail(fmt::format("has no meaning for type {}; revolute, prismatic and slider joints have stops",
                              to_string(joint.kind)));
    if (given && !limited) given->fail("belongs to a stop; write lower or upper beside it, or remove it");
  }
  if (!limited) return;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  JointStop stop{-kNone, kNone};
  if (lower) stop.lower = lower->number();
  if (upper) stop.upper = upper->number();
  if (stop.lower >= stop.upper) upper->fail(fmt::format("must be greater than lower, which is {}", stop.lower));
  stop.stiffness = limits.at("stiffness", "stiffness: 1e5").positive();
  if (const auto damping = limits.find("damping")) stop.damping = damping->not_negative();
  joint.stop = stop;
}

void read_limits(const Reader& entry, Joint& joint) {
  const auto limits = entry.find("limits");
  if (!limits) return;
  limits->check_keys({"effort", "velocity", "lower", "upper", "stiffness", "damping", "restitution"});
  for (const std::string& key : limits->keys()) check_units(limits->at(key, ""), joint_units(joint.kind, key));
  if (const auto effort = limits->find("effort")) joint.effort_limit = effort->positive();
  if (const auto velocity = limits->find("velocity")) joint.velocity_limit = velocity->positive();
  read_stop(*limits, joint);
}

void read_springs(const Reader& entry, Joint& joint) {
  const int speeds = speed_count(joint.kind);
  for (const std::string_view key : {"stiffness", "damping", "armature", "limits", "drive", "friction"}) {
    if (const auto given = entry.find(key); given && speeds == 0)
      given->fail(fmt::format("has no meaning for type {}; remove it", to_string(joint.kind)));
  }
  const auto read = [&](std::string_view key, VectorXd& out) {
    const auto given = entry.find(key);
    if (given) check_units(*given, joint_units(joint.kind, key));
    out = given ? given->number_or_numbers(speeds) : VectorXd::Zero(speeds);
    if (given && out.minCoeff() < 0) given->fail("must not be negative");
  };
  read("stiffness", joint.stiffness);
  read("damping", joint.damping);
  read("armature", joint.armature);
  read_limits(entry, joint);
  read_drive(entry, joint);
  read_friction(entry, joint);
}

Pose read_origin(const Reader& entry) {
  Pose origin;
  const auto given = entry.find("origin");
  if (!given) return origin;
  given->check_keys({"xyz", "rpy", "frame"});
  if (const auto xyz = given->find("xyz")) origin.p = xyz->vector3();
  if (const auto rpy = given->find("rpy")) origin.R = rpy->rpy();
  return origin;
}

JointKind read_kind(const Reader& entry) {
  std::vector<std::string_view> names;
  for (const JointKind kind : joint_kinds()) names.emplace_back(to_string(kind));
  return static_cast<JointKind>(entry.at("type", "type: revolute").choice(names));
}

Model ModelReader::read() {
  read_header();
  read_bodies();
  for (const Reader& entry :
       root_.at("joints", "joints: [{name: base, type: fixed, parent: world, child: hub}]").list())
    read_joint(entry);
  check_tree();
  if (const auto closures = root_.find("closures")) {
    for (const Reader& entry : closures->list()) read_closure(entry);
  }
  Model model = place_errors([&] {
    Model built = builder_.build();
    if (built.closures.empty()) check_inertia(built);
    return built;
  });
  model.elements = read_elements(root_, model);
  model.contacts = read_contacts(root_, model);
  return model;
}

void ModelReader::read_header() {
  if (root_.has("scenario"))
    root_.fail_item("this is a scenario, not a model; give the model file that it names under 'model'");
  // Inside a scenario, the version of the scenario applies.
  const bool inside = !root_.path().empty() && !root_.has("limber");
  if (!inside) check_version(root_);
  if (const auto flexible = root_.find("flexible"))
    flexible->fail("replaces links of a URDF; write urdf: robot.urdf in place of bodies and joints, or remove it");
  root_.check_keys({"limber", "name", "gravity", "fidelity", "bodies", "joints", "closures", "elements", "contacts"});
  const auto name = root_.find("name"), gravity = root_.find("gravity"), fidelity = root_.find("fidelity");
  if (name) builder_ = ModelBuilder(name->text());
  if (gravity) builder_.gravity(gravity->vector3());
  if (fidelity) builder_.fidelity(static_cast<Fidelity>(fidelity->choice(kFidelities)));
  second_order_ = fidelity && fidelity->text() == "stiffened";
}

void ModelReader::read_bodies() {
  const Reader list = root_.at("bodies", "bodies: [{name: hub, rigid: {mass: 1}}]");
  if (list.length(kMaxBodies) == 0) list.fail("must have at least one body");
  LastBeam last;
  for (const Reader& entry : list.list()) {
    const std::string name = take_name(names_, entry, "name: hub");
    const Reader at = entry.in(fmt::format("body '{}'", name));
    lines_[at.item()] = at.line();
    Body body = read_body(at, name, second_order_, last, files_);
    Carried carried;
    for (const Node& node : body.nodes) {
      carried.nodes.push_back(node.name);
      carried.places.push_back({node.rotation, node.position});
    }
    carried.index = place_errors([&] { return builder_.add_body(std::move(body)); });
    bodies_.emplace(name, std::move(carried));
    body_names_.push_back(name);
  }
  edge_of_.assign(body_names_.size() + 1, -1);
}

const Carried& ModelReader::find_body(const Reader& reference, const std::string& name) const {
  if (const auto found = bodies_.find(name); found != bodies_.end()) return found->second;
  const auto known = views(body_names_);
  reference.fail(fmt::format("{} is not a body;{} bodies: {}", show(name), suggest(name, known), join(known)));
}

// `world`, a body, or `body.node`.
NodeRef ModelReader::resolve(const Reader& reference) const {
  const std::string text = reference.text();
  const std::size_t dot = text.find('.');
  const std::string body_name = text.substr(0, dot);
  if (body_name == "world") {
    if (dot != std::string::npos) reference.fail(fmt::format("{} is not a node; the world has none", show(text)));
    return {};
  }
  const Carried& body = find_body(reference, body_name);
  if (dot == std::string::npos) return {body.index, kBodyFrame};
  const auto found = std::find(body.nodes.begin(), body.nodes.end(), text.substr(dot + 1));
  if (found == body.nodes.end())
    reference.fail(fmt::format("{} is not a node; body {} has {}", show(text), show(body_name),
                               body.nodes.empty() ? "none" : "nodes " + join(views(body.nodes))));
  return {body.index, static_cast<int>(found - body.nodes.begin())};
}

// `frame` of the axis and of the origin.
void ModelReader::read_joint_frames(const Reader& at, Joint& joint) const {
  constexpr std::array<std::string_view, 2> kOfOrigin = {"node", "body"}, kOfAxis = {"joint", "parent"};
  const auto origin = at.find("origin"), of_axis = at.find("frame");
  const auto of_origin = origin ? origin->find("frame") : std::nullopt;
  if (of_origin && of_origin->choice(kOfOrigin) == 1 && joint.parent.node != kBodyFrame) {
    const Carried& body = bodies_.find(body_names_[static_cast<std::size_t>(joint.parent.body) - 1])->second;
    joint.origin = inverse(body.places[static_cast<std::size_t>(joint.parent.node)]) * joint.origin;
  }
  if (!of_axis) return;
  if (joint_traits(joint.kind).axes == 0)
    of_axis->fail(fmt::format("has no meaning for type {}, which has no axis; remove it", to_string(joint.kind)));
  if (of_axis->choice(kOfAxis) == 1) joint.axis = (joint.origin.R.transpose() * joint.axis).eval();
}

void ModelReader::read_joint(const Reader& entry) {
  const std::string name = take_name(names_, entry, "name: shoulder");
  const Reader at = entry.in(fmt::format("joint '{}'", name));
  lines_[at.item()] = at.line();
  at.check_keys({"name", "type", "axis", "axis2", "frame", "parent", "child", "origin", "stiffness", "damping", "rest",
                 "armature", "limits", "drive", "friction"});
  Joint joint;
  joint.name = name;
  joint.kind = read_kind(at);
  read_axes(at, joint);
  read_springs(at, joint);
  joint.origin = read_origin(at);
  joint.parent = resolve(at.at("parent", "parent: world"));
  read_joint_frames(at, joint);
  const Reader child_at = at.at("child", "child: " + body_names_[0]);
  const NodeRef child = resolve(child_at);
  if (child.body == kGround) child_at.fail("must be a body, not the world");
  if (child.body == joint.parent.body) child_at.fail("must be another body than the parent");
  joint.child_node = child.node;
  if (const int other = edge_of_[child.body]; other >= 0)
    child_at.fail(
        fmt::format("{} is carried by joint '{}' on line {} already; a body has one joint, others go under closures",
                    show(child_at.text()), edges_[other].name, edges_[other].at.line()));
  edge_of_[child.body] = static_cast<int>(edges_.size());
  edges_.push_back({at, name, joint.parent.body, child.body});
  place_errors([&] { builder_.add_joint(std::move(joint), child.body); });
}

void ModelReader::read_closure(const Reader& entry) {
  Closure closure;
  closure.name = take_name(closure_names_, entry, "name: pin");
  const Reader at = entry.in(fmt::format("closure '{}'", closure.name));
  lines_[at.item()] = at.line();
  at.check_keys({"name", "type", "axis", "axis2", "a", "b"});
  closure.kind = read_kind(at);
  if (joint_traits(closure.kind).closure_rows == nullptr)
    at.at("type", "")
        .fail(fmt::format("{} closes nothing; choose another or remove the closure", to_string(closure.kind)));
  read_axes(at, closure);
  const Reader a = at.at("a", "a: boom.tip"), b = at.at("b", "b: world");
  closure.a = resolve(a);
  closure.b = resolve(b);
  if (closure.a.body == kGround) a.fail("must be a body or a node; write the world in b");
  if (closure.a.body == closure.b.body) b.fail("must be on another body than a");
  place_errors([&] { builder_.add_closure(std::move(closure)); });
}

// A parent must be the world, or a child of an earlier joint.
void ModelReader::check_tree() const {
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Edge& edge = edges_[i];
    const int carrier = edge.parent == kGround ? -1 : edge_of_[edge.parent];
    if (edge.parent == kGround || (carrier >= 0 && carrier < static_cast<int>(i))) continue;
    const Reader parent = edge.at.at("parent", "");
    const std::string& name = body_names_[edge.parent - 1];
    if (carrier < 0) parent.fail(fmt::format("'{0}' is carried by no joint; add one above with 'child: {0}'", name));
    refuse_loop(edge.parent);
    parent.fail(fmt::format("'{}' is carried by joint '{}' on line {}, further down; move that joint up", name,
                            edges_[carrier].name, edges_[carrier].at.line()));
  }
}

// Walks from a body to the world, and throws if it does not arrive.
void ModelReader::refuse_loop(int body) const {
  for (std::size_t step = 0; step <= edges_.size(); ++step) {
    if (body == kGround || edge_of_[body] < 0) return;
    body = edges_[edge_of_[body]].parent;
  }
  // After more steps than joints the body is on the loop.
  std::vector<int> loop;
  for (int next = body; loop.empty() || next != body; next = edges_[loop.back()].parent) loop.push_back(edge_of_[next]);
  std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  std::vector<std::string_view> names;
  for (const int edge : loop) names.push_back(edges_[edge].name);
  edges_[loop[0]].at.fail_item(
      fmt::format("the joints {} form a loop; leave one out and write it under closures", join(names)));
}

}  // namespace

void check_version(const Reader& root) {
  const Reader version = root.at("limber", "limber: 1");
  if (version.number() != 1) version.fail("is a format version that this program does not know; write limber: 1");
}

namespace {

std::string folder_of_file(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

// The contents of the file named by a key.
std::string read_named_file(const Reader& at, const std::string& folder, std::string& path) {
  path = (std::filesystem::path(folder) / at.one_line(kLongestPath)).string();
  try {
    return read_text_file(path);
  } catch (const FileError& e) {
    at.fail_item(fmt::format("{} {}", at.path(), e.what()));
  }
}

}  // namespace

const DocumentNode* expand_urdf(const Reader& root, const std::string& folder, Document& owner) {
  root.check_keys({"limber", "name", "gravity", "fidelity", "urdf", "flexible", "closures", "elements", "contacts"});
  const Reader at = root.at("urdf", "urdf: robot.urdf");
  std::string path;
  const std::string text = read_named_file(at, folder, path);
  const UrdfOverlay overlay{
      root.find("name"),     root.find("gravity"),
      root.find("fidelity"), root.find("flexible"),
      root.find("closures"), std::filesystem::path(at.one_line(kLongestPath)).parent_path().string(),
      root.find("elements"), root.find("contacts")};
  return make_urdf_document(parse_urdf(text, path), overlay, at.line(), owner, nullptr);
}

Document parse_model_document(std::string_view text, const std::string& name_for_messages) {
  if (is_urdf(text)) {
    Document document;
    document.file = name_for_messages;
    document.root = make_urdf_document(parse_urdf(text, name_for_messages), {}, 0, document, nullptr);
    document.written_out = true;
    return document;
  }
  Document document = parse_document(text, name_for_messages);
  const Reader root(document);
  if (!root.is_map() || !root.has("urdf") || root.has("scenario")) return document;
  check_version(root);
  document.root = expand_urdf(root, folder_of_file(name_for_messages), document);
  document.written_out = true;
  return document;
}

Model read_model(const Reader& root) {
  if (!root.is_map() || !root.has("urdf") || root.has("scenario")) return ModelReader(root).read();
  Document owner;
  owner.file = root.file();
  owner.root = expand_urdf(root, folder_of_file(root.file()), owner);
  return ModelReader(Reader(owner)).read();
}

Model parse_recorded_model(const RecordingReader& recording) {
  const Document document = parse_document(recording.model_text, recording.path() + ": the model inside");
  return ModelReader(Reader(document), &recording.files).read();
}

namespace {

Document overridden_document(std::string_view text, const std::string& name_for_messages, const Overrides& set) {
  Document document = parse_model_document(text, name_for_messages);
  override_model(document.root, document, split_overrides(set, false).machine);
  return document;
}

}  // namespace

std::string overridden_model_text(std::string_view text, const std::string& name_for_messages, const Overrides& set) {
  return write_flow(*overridden_document(text, name_for_messages, set).root);
}

Model parse_model(std::string_view text, const std::string& name_for_messages, const Overrides& set) {
  const Document document = overridden_document(text, name_for_messages, set);
  if (set.empty()) return read_model(Reader(document));
  try {
    return read_model(Reader(document));
  } catch (const InputError& e) {
    fail_with(e.what(), set);
  }
}

Model read_model(const std::string& path, const Overrides& set) { return parse_model(read_text_file(path), path, set); }

}  // namespace limber
