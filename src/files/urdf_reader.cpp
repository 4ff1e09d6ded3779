// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/urdf_reader.hpp"

#include <fmt/format.h>

#ifdef LIMBER_HAS_URDF
#include <console_bridge/console.h>
#include <tinyxml.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include "limber/files/detail/text.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/text_file.hpp"
#include "limber/spatial/rotation.hpp"
#endif

#include "limber/spatial/status.hpp"

namespace limber {

#ifndef LIMBER_HAS_URDF

UrdfRobot parse_urdf(std::string_view, const std::string& file) {
  throw InputError(fmt::format(
      "{}:1: this build reads no URDF; install liburdfdom-dev and build limber again, or write a model file", file));
}

#else

namespace {

[[noreturn]] void fail_at(const std::string& file, int line, std::string_view what) {
  throw InputError(fmt::format("{}:{}: {}", file, line, what));
}

int line_of(std::string_view text, std::size_t place) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

// Refuses what the XML reader cannot handle: binary data, and excessive nesting.
void check_text(std::string_view text, const std::string& file) {
  constexpr int kDeepest = 64;
  if (text.size() > kMaxFileBytes) fail_at(file, 1, "larger than 64 MiB");
  if (const std::size_t bad = find_bad_utf8(text); bad != std::string_view::npos)
    fail_at(file, line_of(text, bad), "a byte that is not UTF-8 text");
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
      fail_at(file, line_of(text, i), fmt::format("control character 0x{:02x}", c));
    if (c == '>' && i > 0 && text[i - 1] == '/') --depth;
    if (c != '<' || i + 1 == text.size()) continue;
    if (text[i + 1] == '/') --depth;
    if (text.substr(i).starts_with("<!--")) {
      i = std::min(text.find("-->", i), text.size());
    } else if (std::isalpha(static_cast<unsigned char>(text[i + 1])) && ++depth > kDeepest) {
      fail_at(file, line_of(text, i), fmt::format("elements nested deeper than {} levels", kDeepest));
    }
  }
}

// ---- names and places, from the XML -------------------------------------------------------------------

// Three numbers, already validated by the parser of urdfdom.
Vector3d three_numbers(const char* text) {
  Vector3d out = Vector3d::Zero();
  const char *at = text, *end = text + std::char_traits<char>::length(text);
  for (int i = 0; i < 3; ++i) {
    while (at < end && (std::isspace(static_cast<unsigned char>(*at)) || *at == '+')) ++at;
    at = std::from_chars(at, end, out[i]).ptr;
  }
  return out;
}

UrdfPose read_origin_element(const TiXmlElement* parent) {
  UrdfPose out;
  const TiXmlElement* origin = parent == nullptr ? nullptr : parent->FirstChildElement("origin");
  if (origin == nullptr) return out;
  if (const char* xyz = origin->Attribute("xyz")) out.xyz = three_numbers(xyz);
  if (const char* rpy = origin->Attribute("rpy")) out.rpy = three_numbers(rpy);
  constexpr double kTurn = 6.283185307179586;
  for (double& angle : out.rpy)
    if (std::abs(angle) > 2 * kTurn) angle = std::remainder(angle, kTurn);
  return out;
}

std::string read_name(const TiXmlElement& item, const std::string& file) {
  const char* name = item.Attribute("name");
  if (name == nullptr) fail_at(file, item.Row(), fmt::format("a {} without a name; write name=\"...\"", item.Value()));
  if (*name == 0) fail_at(file, item.Row(), fmt::format("a {} with an empty name", item.Value()));
  return name;
}

int find_link(const TiXmlElement& joint, const char* end, const std::unordered_map<std::string, int>& links,
              const UrdfRobot& robot) {
  const TiXmlElement* element = joint.FirstChildElement(end);
  const char* name = element == nullptr ? nullptr : element->Attribute("link");
  const std::string item = fmt::format("joint {}", show(joint.Attribute("name")));
  if (name == nullptr)
    fail_at(robot.file, joint.Row(), fmt::format("{}: no {}; write <{} link=\"...\"/>", item, end, end));
  if (const auto found = links.find(name); found != links.end()) return found->second;
  std::vector<std::string> names;  // all on one line
  for (const UrdfLink& link : robot.links) {
    names.push_back(link.name);
    std::replace_if(
        names.back().begin(), names.back().end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  fail_at(
      robot.file, element->Row(),
      fmt::format("{}: {} {} is not a link;{} links: {}", item, end, show(name), suggest(name, known), join(known)));
}

void check_type(const TiXmlElement& joint, const std::string& name, const std::string& file) {
  constexpr std::array<std::string_view, 6> kTypes = {"fixed",     "revolute", "continuous",
                                                      "prismatic", "planar",   "floating"};
  const char* type = joint.Attribute("type");
  if (type == nullptr)
    fail_at(file, joint.Row(), fmt::format("joint {}: no type; write type=\"revolute\"", show(name)));
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end())
    fail_at(file, joint.Row(),
            fmt::format("joint {}: type {} is unknown;{} types: {}", show(name), show(type), suggest(type, kTypes),
                        join(kTypes)));
}

// The names, lines and ends of links and joints.
void read_tree(const TiXmlElement& root, UrdfRobot& robot) {
  std::unordered_map<std::string, int> links, joints;
  const auto take = [&](std::unordered_map<std::string, int>& names, const TiXmlElement& item, int index) {
    std::string name = read_name(item, robot.file);
    if (!names.emplace(name, index).second)
      fail_at(robot.file, item.Row(), fmt::format("duplicate {} {}; rename one", item.Value(), show(name)));
    return name;
  };
  for (const TiXmlElement* e = root.FirstChildElement("link"); e != nullptr; e = e->NextSiblingElement("link")) {
    UrdfLink link;
    link.line = e->Row();
    link.name = take(links, *e, static_cast<int>(robot.links.size()));
    robot.links.push_back(std::move(link));
    if (static_cast<int>(robot.links.size()) > kMaxBodies)
      fail_at(robot.file, e->Row(), fmt::format("more than {} links", kMaxBodies));
  }
  if (robot.links.empty()) fail_at(robot.file, root.Row(), "a robot without links; write <link name=\"...\"/>");
  for (const TiXmlElement* e = root.FirstChildElement("joint"); e != nullptr; e = e->NextSiblingElement("joint")) {
    UrdfJoint joint;
    joint.line = e->Row();
    joint.name = take(joints, *e, static_cast<int>(robot.joints.size()));
    check_type(*e, joint.name, robot.file);
    joint.parent = find_link(*e, "parent", links, robot);
    joint.child = find_link(*e, "child", links, robot);
    if (const TiXmlElement* mimic = e->FirstChildElement("mimic"))
      fail_at(robot.file, mimic->Row(),
              fmt::format("joint {}: mimic is not supported: the coordinates of joints are independent; leave it out, "
                          "so that the joint moves by "
                          "itself, or make the joint fixed",
                          show(joint.name)));
    joint.origin = read_origin_element(e);
    robot.joints.push_back(std::move(joint));
  }
}

// ---- the tree -----------------------------------------------------------------------------------------

// Links below the root, parents first.
std::vector<int> walk_tree(const UrdfRobot& robot, const std::vector<std::vector<int> >& carried) {
  std::vector<int> order, open = {robot.root};
  while (!open.empty()) {
    const int link = open.back();
    open.pop_back();
    for (const int joint : carried[static_cast<std::size_t>(link)]) order.push_back(joint);
    for (auto it = carried[static_cast<std::size_t>(link)].rbegin();
         it != carried[static_cast<std::size_t>(link)].rend(); ++it)
      open.push_back(robot.joints[static_cast<std::size_t>(*it)].child);
  }
  return order;
}

int find_root(const UrdfRobot& robot, const std::vector<int>& carrier) {
  int root = -1;
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (carrier[i] >= 0) continue;
    if (root >= 0)
      fail_at(robot.file, robot.links[i].line,
              fmt::format("links {} and {} are both roots; a robot has one root link",
                          show(robot.links[static_cast<std::size_t>(root)].name), show(robot.links[i].name)));
    root = static_cast<int>(i);
  }
  return root;
}

// Requires one root, one joint per other link, no loop; sorts joints parents first.
void order_tree(UrdfRobot& robot) {
  std::vector<int> carrier(robot.links.size(), -1);
  std::vector<std::vector<int> > carried(robot.links.size());
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const UrdfJoint& joint = robot.joints[i];
    int& before = carrier[static_cast<std::size_t>(joint.child)];
    if (before >= 0)
      fail_at(robot.file, joint.line,
              fmt::format(
                  "joint {}: child {} is carried by joint {} already; a closed chain is written under closures of a "
                  "model file",
                  show(joint.name), show(robot.links[static_cast<std::size_t>(joint.child)].name),
                  show(robot.joints[static_cast<std::size_t>(before)].name)));
    before = static_cast<int>(i);
    carried[static_cast<std::size_t>(joint.parent)].push_back(static_cast<int>(i));
  }
  const int root = find_root(robot, carrier);
  robot.root = std::max(root, 0);
  const std::vector<int> order = root < 0 ? std::vector<int>() : walk_tree(robot, carried);
  if (order.size() < robot.joints.size()) {
    std::vector<bool> reached(robot.joints.size(), false);
    for (const int joint : order) reached[static_cast<std::size_t>(joint)] = true;
    const auto lost = std::find(reached.begin(), reached.end(), false) - reached.begin();
    const UrdfJoint& joint = robot.joints[static_cast<std::size_t>(lost)];
    fail_at(robot.file, joint.line,
            fmt::format("joint {} is part of a loop, or carried by one; leave one joint of it out and write it under "
                        "closures of a model file",
                        show(joint.name)));
  }
  // Keeps the order of the file where it has parents first.
  std::vector<bool> there(robot.links.size(), false);
  there[static_cast<std::size_t>(robot.root)] = true;
  bool good = true;
  for (const UrdfJoint& joint : robot.joints) {
    good = good && there[static_cast<std::size_t>(joint.parent)];
    there[static_cast<std::size_t>(joint.child)] = true;
  }
  if (good) return;
  std::vector<UrdfJoint> sorted;
  for (const int joint : order) sorted.push_back(robot.joints[static_cast<std::size_t>(joint)]);
  robot.joints = std::move(sorted);
}

// ---- numbers, by urdfdom ------------------------------------------------------------------------------

constexpr char kPercent = '\x1a';  // urdfdom uses attribute values as printf formats

std::string with_percent(std::string text) {
  std::replace(text.begin(), text.end(), kPercent, '%');
  return text;
}

// Collects the output of urdfdom.
class Complaints : public console_bridge::OutputHandler {
 public:
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) texts.push_back(with_percent(text));
  }
  std::vector<std::string> texts;
};

// The model of urdfdom.  It continues after errors in links: any message is an error.
urdf::ModelInterfaceSharedPtr parse_with_urdfdom(std::string_view text, const UrdfRobot& robot) {
  static std::mutex one_at_a_time;  // its error output is global
  const std::lock_guard lock(one_at_a_time);
  std::string copy(text);
  std::replace(copy.begin(), copy.end(), '%', kPercent);
  Complaints complaints;
  console_bridge::useOutputHandler(&complaints);
  urdf::ModelInterfaceSharedPtr model;
  try {
    model = urdf::parseURDF(copy);
  } catch (const std::exception& e) {
    complaints.texts.emplace_back(e.what());
  }
  console_bridge::restorePreviousOutputHandler();
  if (model && complaints.texts.empty()) return model;
  std::string why;
  int line = 1;
  for (std::string complaint : complaints.texts) {
    std::replace_if(
        complaint.begin(), complaint.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    const auto mentions = [&](const auto& item) { return complaint.find("[" + item.name + "]") != std::string::npos; };
    if (const auto link = std::find_if(robot.links.begin(), robot.links.end(), mentions); link != robot.links.end())
      line = link->line;
    if (const auto joint = std::find_if(robot.joints.begin(), robot.joints.end(), mentions);
        joint != robot.joints.end())
      line = joint->line;
    why += (why.empty() ? "" : "; ") + complaint;
  }
  fail_at(robot.file, line, why.empty() ? "this is not a URDF" : why);
}

// Releases the links from each other, to avoid deep recursion in the destructors of long chains.
void cut_tree(urdf::ModelInterface& model) {
  for (auto& [name, link] : model.links_) {
    link->child_links.clear();
    link->child_joints.clear();
  }
}

Vector3d vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

std::optional<UrdfVisual> read_shape(const urdf::Visual& given, const UrdfPose& origin) {
  UrdfVisual out;
  out.origin = origin;
  if (const auto* box = dynamic_cast<const urdf::Box*>(given.geometry.get())) {
    out.shape.kind = VisualKind::box;
    out.shape.size = vector(box->dim);
  } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(given.geometry.get())) {
    out.shape.kind = VisualKind::cylinder;
    out.shape.size = {cylinder->radius, cylinder->length, 0};
  } else if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(given.geometry.get())) {
    out.shape.kind = VisualKind::sphere;
    out.shape.size = {sphere->radius, 0, 0};
  } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(given.geometry.get())) {
    out.shape.kind = VisualKind::mesh;
    out.shape.size = vector(mesh->scale);
    out.shape.file = with_percent(mesh->filename);
    if (out.shape.file.empty()) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return out;
}

void set_link(const urdf::Link& given, const TiXmlElement& element, const std::string& file, UrdfLink& link) {
  const TiXmlElement* visual = element.FirstChildElement("visual");
  for (const auto& shape : given.visual_array) {
    if (auto read = read_shape(*shape, read_origin_element(visual))) link.visuals.push_back(*read);
    visual = visual->NextSiblingElement("visual");
  }
  if (!given.inertial) return;
  const urdf::Inertial& inertial = *given.inertial;
  const UrdfPose origin = read_origin_element(element.FirstChildElement("inertial"));
  link.mass = inertial.mass;
  link.com = origin.xyz;
  Matrix3d J;
  J << inertial.ixx, inertial.ixy, inertial.ixz, inertial.ixy, inertial.iyy, inertial.iyz, inertial.ixz, inertial.iyz,
      inertial.izz;
  const Matrix3d R = rpy_rotation(origin.rpy);
  link.inertia = origin.rpy.isZero(0) ? J : Matrix3d(R * J * R.transpose());
  link.inertia = Matrix3d(0.5 * (link.inertia + link.inertia.transpose()));
  try {
    RigidSpec spec;
    spec.mass = link.mass;
    spec.com = link.com;
    spec.inertia = link.inertia;
    if (link.mass == 0 && !link.inertia.isZero(0)) throw InputError("inertia without mass; give both, or neither");
    make_rigid_body(spec);
  } catch (const InputError& e) {
    fail_at(file, element.FirstChildElement("inertial")->Row(), fmt::format("link {}: {}", show(link.name), e.what()));
  }
}

void set_limits(const urdf::Joint& given, const std::string& file, UrdfJoint& joint) {
  const auto fail = [&](std::string_view what) {
    fail_at(file, joint.line, fmt::format("joint {}: {}", show(joint.name), what));
  };
  if (given.limits) {
    joint.limits = UrdfLimits{given.limits->effort, given.limits->velocity, given.limits->lower, given.limits->upper};
    if (joint.limits->effort < 0 || joint.limits->velocity < 0) fail("a limit of effort or velocity is negative");
    if (joint.limits->lower > joint.limits->upper)
      fail(fmt::format("lower limit {} is above upper limit {}", joint.limits->lower, joint.limits->upper));
  }
  if (given.dynamics) {
    joint.damping = given.dynamics->damping;
    joint.friction = given.dynamics->friction;
    if (joint.damping < 0 || joint.friction < 0) fail("damping or friction is negative");
  }
}

void set_joint(const urdf::Joint& given, const std::string& file, UrdfJoint& joint) {
  using Type = urdf::Joint;
  switch (given.type) {
    case Type::REVOLUTE:
      joint.type = UrdfJointType::revolute;
      break;
    case Type::CONTINUOUS:
      joint.type = UrdfJointType::continuous;
      break;
    case Type::PRISMATIC:
      joint.type = UrdfJointType::prismatic;
      break;
    case Type::PLANAR:
      joint.type = UrdfJointType::planar;
      break;
    case Type::FLOATING:
      joint.type = UrdfJointType::floating;
      break;
    default:
      joint.type = UrdfJointType::fixed;
  }
  set_limits(given, file, joint);
  if (joint.type == UrdfJointType::fixed || joint.type == UrdfJointType::floating) return;
  joint.axis = vector(given.axis);
  if (!(joint.axis.norm() > 0))
    fail_at(file, joint.line,
            fmt::format("joint {}: axis has length 0; write for example <axis xyz=\"0 0 1\"/>", show(joint.name)));
}

}  // namespace

UrdfRobot parse_urdf(std::string_view text, const std::string& file) {
  check_text(text, file);
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos || text[first] != '<')
    fail_at(file, 1, "is not a URDF, which is XML and begins with <robot name=\"...\">");
  TiXmlDocument document;
  document.Parse(std::string(text).c_str(), nullptr, TIXML_ENCODING_UTF8);
  if (document.Error()) fail_at(file, std::max(1, document.ErrorRow()), fmt::format("XML: {}", document.ErrorDesc()));
  const TiXmlElement* root = document.FirstChildElement("robot");
  if (root == nullptr) fail_at(file, 1, "no element 'robot'; a URDF is <robot name=\"...\"> with links and joints");
  UrdfRobot robot;
  robot.file = file;
  robot.name = read_name(*root, file);
  read_tree(*root, robot);
  order_tree(robot);
  const urdf::ModelInterfaceSharedPtr model = parse_with_urdfdom(text, robot);
  cut_tree(*model);
  std::unordered_map<std::string, urdf::LinkSharedPtr> links;
  const TiXmlElement* element = root->FirstChildElement("link");
  const auto plain = [](std::string name) {
    std::replace(name.begin(), name.end(), '%', kPercent);
    return name;
  };
  for (UrdfLink& link : robot.links) {
    set_link(*model->links_.at(plain(link.name)), *element, file, link);
    element = element->NextSiblingElement("link");
  }
  for (UrdfJoint& joint : robot.joints) set_joint(*model->joints_.at(plain(joint.name)), file, joint);
  return robot;
}

#endif

}  // namespace limber
