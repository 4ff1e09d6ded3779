// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/body.hpp"
#include "limber/body/segmented.hpp"
#include "limber/linear/facts.hpp"
#include "rooms.hpp"

namespace limber::python {
namespace {

void define_parts_of_bodies(py::module_& m) {
  Struct<Pose>(m, "JointOrigin", "The pose of a frame in another: R (3, 3), p (3) m.", "Pose")
      .field("R", &Pose::R, "Array")
      .field("p", &Pose::p, "Array");
  Struct<Node>(m, "Node")
      .field("name", &Node::name, "str")
      .field("position", &Node::position, "Array")
      .field("rotation", &Node::rotation, "Array")
      .field("translation", &Node::translation, "Array")
      .field("turn", &Node::turn, "Array");
  Struct<RigidSpec>(m, "RigidSpec", "A rigid body: kg, m, kg m^2.")
      .field("mass", &RigidSpec::mass, "float")
      .field("com", &RigidSpec::com, "Array")
      .field("inertia", &RigidSpec::inertia, "Array")
      .field("nodes", &RigidSpec::nodes, "list[Node]");
  Struct<MassPoint>(m, "MassPoint")
      .field("mass", &MassPoint::mass, "float")
      .field("position", &MassPoint::position, "Array")
      .field("shape", &MassPoint::shape, "Array");
  Struct<ModalSpec>(m, "ModalSpec", "A body of mass points with modes.")
      .field("points", &ModalSpec::points, "list[MassPoint]")
      .field("stiffness", &ModalSpec::stiffness, "Array")
      .field("damping", &ModalSpec::damping, "Array")
      .field("nodes", &ModalSpec::nodes, "list[Node]");
}

void define_beams(py::module_& m) {
  choice<BeamBasis>(m, "BeamBasis",
                    {{"clamped_free", BeamBasis::clamped_free},
                     {"free_free", BeamBasis::free_free},
                     {"pinned_free", BeamBasis::pinned_free},
                     {"craig_bampton", BeamBasis::craig_bampton},
                     {"polynomial", BeamBasis::polynomial},
                     {"custom", BeamBasis::custom}});
  choice<PlateEdge>(
      m, "PlateEdge",
      {{"free", PlateEdge::free}, {"simply_supported", PlateEdge::simply_supported}, {"clamped", PlateEdge::clamped}});
  Struct<BeamNode>(m, "BeamNode", "A node of a beam.")
      .field("name", &BeamNode::name, "str")
      .field("at", &BeamNode::at, "float")
      .field("rotation", &BeamNode::rotation, "Array");
  Struct<BeamSpec>(m, "BeamSpec", "Lengths in m, kg/m, N m^2 (EIy, EIz, GJ), N (EA), kg m.")
      .field("length", &BeamSpec::length, "float")
      .field("mass_per_length", &BeamSpec::mass_per_length, "float")
      .field("EIy", &BeamSpec::EIy, "float")
      .field("EIz", &BeamSpec::EIz, "float")
      .field("EA", &BeamSpec::EA, "float")
      .field("GJ", &BeamSpec::GJ, "float")
      .field("rotary_inertia_y", &BeamSpec::rotary_inertia_y, "float")
      .field("rotary_inertia_z", &BeamSpec::rotary_inertia_z, "float")
      .field("basis", &BeamSpec::basis, "BeamBasis | str")
      .field("tip_mass", &BeamSpec::tip_mass, "float")
      .field("tip_inertia", &BeamSpec::tip_inertia, "float")
      .field("modes", &BeamSpec::modes, "Sequence[int]", "bending_y, bending_z, axial, torsion")
      .field("shapes", &BeamSpec::shapes, "Any")
      .field("damping", &BeamSpec::damping, "Sequence[float]")
      .field("nodes", &BeamSpec::nodes, "list[BeamNode]");
  Struct<PlateNode>(m, "PlateNode", "A node of a plate.")
      .field("name", &PlateNode::name, "str")
      .field("at", &PlateNode::at, "Sequence[float]")
      .field("rotation", &PlateNode::rotation, "Array");
  Struct<PlateSpec>(m, "PlateSpec")
      .field("length", &PlateSpec::length, "float")
      .field("width", &PlateSpec::width, "float")
      .field("D", &PlateSpec::D, "float")
      .field("poisson", &PlateSpec::poisson, "float")
      .field("mass_per_area", &PlateSpec::mass_per_area, "float")
      .field("edges", &PlateSpec::edges, "Sequence[PlateEdge | str]")
      .field("modes", &PlateSpec::modes, "int")
      .field("damping", &PlateSpec::damping, "Sequence[float]")
      .field("nodes", &PlateSpec::nodes, "list[PlateNode]");
}

Body named(Body body, const std::string& name) {
  body.name = name;
  return body;
}

std::vector<std::string> names_of_nodes(const Body& body) {
  std::vector<std::string> out;
  for (const Node& node : body.nodes) out.push_back(node.name);
  return out;
}

VectorXd hertz_of(const Body& body) {
  const BodyFacts facts = compute_body_facts(body);
  VectorXd out(static_cast<Eigen::Index>(facts.modes.size()));
  for (Eigen::Index k = 0; k < out.size(); ++k) out[k] = facts.modes[static_cast<std::size_t>(k)].hertz;
  return out;
}

void define_body(py::module_& m) {
  py::class_<Body> body(m, "Body", header_doc("Body").c_str());
  const auto property = [&](const char* name, const char* type, const std::string& more = "") {
    return property_doc(body, name, type, std::string("Body::") + name, more);
  };
  body.def_readonly("name", &Body::name, property("name", "str", "Its name in a model.").c_str());
  body.def_readonly("modes", &Body::modes, property("modes", "int").c_str());
  body.def_readonly("mass", &Body::mass, property("mass", "float", "kg").c_str());
  body.def_readonly("mode_names", &Body::mode_names, property("mode_names", "list[str]").c_str());
  body.def_readonly("length", &Body::length, property("length", "float").c_str());
  body.def_property_readonly(
      "stiffness", [](const Body& b) { return b.stiffness; }, property("stiffness", "Array").c_str());
  body.def_property_readonly(
      "damping", [](const Body& b) { return b.damping; }, property("damping", "Array").c_str());
  body.def_readonly("nodes", &Body::nodes, property("nodes", "list[Node]", "Frames on its material.").c_str());
  body.def_property_readonly("node_names", &names_of_nodes,
                             property("node_names", "list[str]", "Of its nodes.").c_str());
  body.def_property_readonly("frequencies", &hertz_of,
                             property("frequencies", "Array", "(modes) Hz, of the body held at its frame.").c_str());
  body.def_property_readonly(
      "com", [](const Body& b) { return compute_body_facts(b).com; },
      property("com", "Array", "(3) centre of mass of the undeformed body in its frame, m.").c_str());
  body.def("modal_mass", &Body::modal_mass, Signature("() -> Array", "Body::modal_mass"));
  body.def("__repr__", [](const Body& b) {
    return "<limber.Body '" + b.name + "': " + std::to_string(b.mass) + " kg, " + std::to_string(b.modes) + " modes>";
  });
  body.def("__copy__", [](const Body& b) { return Body(b); });
  body.def("__deepcopy__", [](const Body& b, const py::dict&) { return Body(b); });
}

}  // namespace

void define_bodies(py::module_& m) {
  define_parts_of_bodies(m);
  define_beams(m);
  define_body(m);
  const std::string second = ", second_order: bool = False, *, name: str = \"\") -> Body";
  m.def(
      "make_rigid_body",
      [](const RigidSpec& spec, const std::string& name) { return named(make_rigid_body(spec), name); },
      Signature("(spec: RigidSpec | dict[str, Any], *, name: str = \"\") -> Body", "",
                "A rigid body from its mass, kg, centre of mass, m, and inertia about it, kg m^2."));
  m.def(
      "make_beam_body",
      [](const BeamSpec& spec, bool second_order, const std::string& name) {
        return named(make_beam_body(spec, second_order), name);
      },
      Signature("(spec: BeamSpec | dict[str, Any]" + second, "make_beam_body"));
  m.def(
      "make_segmented_beam",
      [](const BeamSpec& spec, int segments, bool second_order, const std::string& name) {
        return named(make_segmented_beam(spec, segments, second_order), name);
      },
      Signature("(spec: BeamSpec | dict[str, Any], segments: int" + second, "make_segmented_beam"));
  m.def(
      "make_modal_body",
      [](const ModalSpec& spec, bool second_order, const std::string& name) {
        return named(make_modal_body(spec, second_order), name);
      },
      Signature("(spec: ModalSpec | dict[str, Any]" + second, "",
                "A body of mass points with modes.  `second_order`: also make the second-order shapes that `stiffened` "
                "needs."));
  m.def(
      "make_plate_body",
      [](const PlateSpec& spec, bool second_order, const std::string& name) {
        return named(make_plate_body(spec, second_order), name);
      },
      Signature("(spec: PlateSpec | dict[str, Any]" + second, "make_plate_body"));
}

}  // namespace limber::python
