// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/model.hpp"

#include "arrays.hpp"
#include "limber/body/payload.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/model_writer.hpp"
#include "limber/files/text_file.hpp"
#include "limber/files/urdf.hpp"
#include "limber/linear/facts.hpp"
#include "limber/model/segments.hpp"
#include "rooms.hpp"
#include "work.hpp"

namespace limber::python {
namespace {

using Models = py::class_<PyModel, std::shared_ptr<PyModel>>;

Overrides overrides_of(const std::vector<std::pair<std::string, std::string>>& set) {
  Overrides out;
  for (const auto& [path, value] : set) out.push_back({path, value});
  return out;
}

void define_joints(py::module_& m) {
  std::vector<std::pair<const char*, JointKind>> kinds;
  for (const JointKind kind : joint_kinds()) kinds.emplace_back(to_string(kind), kind);
  choice<JointKind>(m, "JointKind", kinds);
  choice<Fidelity>(m, "Fidelity",
                   {{"ruthless", Fidelity::ruthless}, {"full", Fidelity::full}, {"stiffened", Fidelity::stiffened}});
  choice<Frame>(m, "Frame", {{"world", Frame::world}, {"node", Frame::node}});
  Struct<NodeRef>(m, "NodeRef").field("body", &NodeRef::body, "int").field("node", &NodeRef::node, "int");
  Struct<JointStop>(m, "JointStop")
      .field("lower", &JointStop::lower, "float")
      .field("upper", &JointStop::upper, "float")
      .field("stiffness", &JointStop::stiffness, "float")
      .field("damping", &JointStop::damping, "float");
  Struct<Joint> joint(m, "Joint", "N m/rad or N/m, N m s/rad or N s/m, kg m^2 or kg.");
  joint.field("name", &Joint::name, "str")
      .field("kind", &Joint::kind, "JointKind | str")
      .field("axis", &Joint::axis, "Array")
      .field("axis2", &Joint::axis2, "Array")
      .field("origin", &Joint::origin, "JointOrigin | dict[str, Any]")
      .field("stiffness", &Joint::stiffness, "Array")
      .field("damping", &Joint::damping, "Array")
      .field("armature", &Joint::armature, "Array")
      .field("effort_limit", &Joint::effort_limit, "float")
      .field("velocity_limit", &Joint::velocity_limit, "float")
      .field("stop", &Joint::stop, "JointStop | None")
      .field("q", &Joint::q, "int")
      .field("v", &Joint::v, "int");
  add_joint_parts(joint.cls());
  Struct<Closure>(m, "Closure")
      .field("name", &Closure::name, "str")
      .field("kind", &Closure::kind, "JointKind | str")
      .field("axis", &Closure::axis, "Array")
      .field("axis2", &Closure::axis2, "Array");
  Struct<State>(m, "State")
      .field("t", &State::t, "float", "s")
      .field("q", &State::q, "Array", "(nq) coordinates")
      .field("v", &State::v, "Array", "(nv) speeds");
}

void define_builder(py::module_& m) {
  py::class_<ModelBuilder> builder(m, "ModelBuilder",
                                   ("ModelBuilder(name=\"\")\n--\n\n" + header_doc("ModelBuilder")).c_str());
  builder.def(py::init<std::string>(), Signature("(name: str = \"\") -> None", "", "An empty one."));
  const auto self = py::return_value_policy::reference_internal;
  builder.def("gravity", &ModelBuilder::gravity, self,
              Signature("(g: ArrayLike) -> ModelBuilder", "ModelBuilder::gravity"));
  builder.def("fidelity", &ModelBuilder::fidelity, self,
              Signature("(f: Fidelity | str) -> ModelBuilder", "ModelBuilder::fidelity"));
  builder.def(
      "add_body",
      [](ModelBuilder& b, Body body, const std::string& name) {
        if (!name.empty()) body.name = name;
        return b.add_body(std::move(body));
      },
      Signature("(body: Body, name: str = \"\") -> int", "ModelBuilder::add_body"));
  builder.def(
      "add_joint",
      [](ModelBuilder& b, const Joint& joint, const std::string& parent, const std::string& child) {
        b.add_joint(joint, parent, child);
      },
      Signature("(joint: Joint | dict[str, Any], parent: str, child: str) -> None", "ModelBuilder::add_joint"));
  builder.def(
      "add_closure",
      [](ModelBuilder& builder_, const Closure& closure, const std::string& a, const std::string& b) {
        builder_.add_closure(closure, a, b);
      },
      Signature("(closure: Closure | dict[str, Any], a: str, b: str) -> None", "ModelBuilder::add_closure"));
  builder.def(
      "build", [](const ModelBuilder& b) { return std::make_shared<PyModel>(b.build()); },
      Signature("() -> Model", "ModelBuilder::build"));
}

std::shared_ptr<PyModel> share(Model model) { return std::make_shared<PyModel>(std::move(model)); }

std::vector<std::string> all_nodes(const Model& model) {
  std::vector<std::string> out;
  for (const NodeRef node : visible_nodes(model)) out.push_back(node_name(model, node));
  return out;
}

void define_properties(Models& cls) {
  const auto property = [&](const char* name, const char* type, auto get, const char* more = "") {
    cls.def_property_readonly(
        name, [get](const PyModel& m) { return get(*m.model); },
        property_doc(cls, name, type, std::string("Model::") + name, more).c_str());
  };
  property(
      "name", "str", [](const Model& m) { return m.name; }, "Of the machine.");
  property(
      "gravity", "Array", [](const Model& m) { return m.gravity; },
      "(3) m/s^2; with_gravity() makes a model with another.");
  property(
      "fidelity", "Fidelity", [](const Model& m) { return m.fidelity.get(); },
      "The terms of the deformation that are included.");
  property(
      "nq", "int", [](const Model& m) { return m.nq; }, "Number of coordinates.");
  property(
      "nv", "int", [](const Model& m) { return m.nv; }, "Number of speeds.");
  property("coordinates", "list[str]", [](const Model& m) { return m.coordinates.get(); });
  property("speeds", "list[str]", [](const Model& m) { return m.speeds.get(); });
  property(
      "body_names", "list[str]", [](const Model& m) { return m.body_names.get(); }, "The first is the world.");
  property(
      "joint_names", "list[str]",
      [](const Model& m) {
        std::vector<std::string> out;
        for (int i = 1; i < m.body_count(); ++i) out.push_back(m.joints[i].name);
        return out;
      },
      "In the order of the coordinates.");
  property(
      "node_names", "list[str]", [](const Model& m) { return all_nodes(m); }, "\"fore.tip\", ...");
  property("bodies", "list[Body]", [](const Model& m) {
    std::vector<Body> out;
    for (int i = 0; i < m.body_count(); ++i) {
      out.push_back(m.body(i));
      out.back().name = m.body_names[i];
    }
    return out;
  });
  property("joints", "list[Joint]", [](const Model& m) { return m.joints.get(); });
  property(
      "closures", "list[Closure]", [](const Model& m) { return m.closures.get(); }, "Cut joints of closed chains.");
  property(
      "total_mass", "float", [](const Model& m) { return total_mass(m); }, "kg, of all bodies.");
  property(
      "text", "str", [](const Model& m) { return model_text(m); }, "The model as a model file, in JSON.");
}

Model changed_body(const Model& model, const std::string& name, const Body& body) {
  Model out = model;
  out.set_body(model.body_index(name), body);
  return out;
}

void define_methods(Models& cls) {
  cls.def(
      "workspace", [](const PyModel& m) { return std::make_unique<Work>(m.model); },
      Signature("() -> Workspace", "", "A workspace for the calls of one thread; without one, each call allocates."));
  const auto by_name = [&](const char* name, auto find) {
    cls.def(
        name, [find](const PyModel& m, const std::string& text) { return ((*m.model).*find)(text); },
        Signature("(name: str) -> int", std::string("Model::") + name));
  };
  by_name("body_index", &Model::body_index);
  by_name("joint_index", &Model::joint_index);
  by_name("closure_index", &Model::closure_index);
  by_name("coordinate", &Model::coordinate);
  by_name("speed", &Model::speed);
  cls.def(
      "node", [](const PyModel& m, const std::string& path) { return m.model->node(path); },
      Signature("(path: str) -> NodeRef", "Model::node"));
  cls.def(
      "body",
      [](const PyModel& m, const std::string& name) {
        Body out = m.model->body(m.model->body_index(name));
        out.name = name;
        return out;
      },
      Signature("(name: str) -> Body", "", "A body by its name.  Raises InputError for an unknown name."));
  cls.def(
      "joint",
      [](const PyModel& m, const std::string& name) { return Joint(m.model->joints[m.model->joint_index(name)]); },
      Signature("(name: str) -> Joint", "", "A joint by its name.  Raises InputError for an unknown name."));
}

void define_changes(Models& cls) {
  cls.def(
      "with_payload",
      [](const PyModel& m, const std::string& node, const RigidSpec& load) {
        return share(with_payload(*m.model, node, load));
      },
      Signature("(node: str, load: RigidSpec | dict[str, Any]) -> Model", "with_payload"));
  cls.def(
      "with_gravity",
      [](const PyModel& m, const Vector3d& g) {
        Model out = *m.model;
        out.gravity = g;
        return share(std::move(out));
      },
      Signature("(g: ArrayLike) -> Model", "", "The model with another gravity (3), m/s^2."));
  cls.def(
      "with_body",
      [](const PyModel& m, const std::string& name, const Body& body) {
        return share(changed_body(*m.model, name, body));
      },
      Signature("(name: str, body: Body) -> Model", "Model::set_body",
                "Returns the changed model; this one is not modified."));
  cls.def(
      "write", [](const PyModel& m, const std::string& path) { write_model(*m.model, path); },
      Signature("(path: str) -> None", "write_model"));
  cls.def_static(
      "from_urdf",
      [](py::handle path) {
        const std::string file = py::module_::import("os").attr("fspath")(path).cast<std::string>();
        if (!is_urdf(read_text_file(file))) throw InputError(file + ": no URDF; read_model reads model files");
        return share(read_model(file));
      },
      Signature("(path: str) -> Model", "", "A robot description, URDF.  read_model reads them, too."));
  cls.def(py::pickle([](const PyModel& m) { return model_text(*m.model); },
                     [](const std::string& text) { return share(parse_model(text, "a pickled model")); }));
  cls.def("__copy__", [](std::shared_ptr<PyModel> m) { return m; });
  cls.def("__deepcopy__", [](std::shared_ptr<PyModel> m, const py::dict&) { return m; });
  cls.def("__repr__", [](const PyModel& m) {
    return "<limber.Model '" + m.model->name + "': " + std::to_string(m.model->body_count() - 1) + " bodies, " +
           std::to_string(m.model->nv) + " degrees of freedom>";
  });
}

}  // namespace

void define_model(py::module_& m) {
  define_joints(m);
  py::class_<Work> work(
      m, "Workspace",
      "Memory of dynamics calls, allocated once: model.workspace().  One per thread; keeps the model alive as long "
      "as it does.");
  work.def("__reduce__", [](const Work&) -> py::object {
    throw py::type_error("a Workspace cannot be copied or pickled; make one with model.workspace()");
  });
  work.def("__copy__", [](const Work&) -> py::object {
    throw py::type_error("a Workspace cannot be copied; make one with model.workspace()");
  });
  Models model(m, "Model",
               (header_doc("Model") +
                "\n\nIn Python it never changes: with_payload, with_body and with_gravity make another one.")
                   .c_str());
  define_properties(model);
  define_methods(model);
  define_changes(model);
  define_builder(m);
  m.def(
      "_read_model",
      [](const std::string& path, const std::vector<std::pair<std::string, std::string>>& set) {
        const Overrides overrides = overrides_of(set);
        const py::gil_scoped_release release;
        return share(read_model(path, overrides));
      },
      Signature("(path: str, set: list[tuple[str, str]]) -> Model", "", "read_model of a path."));
  m.def(
      "_parse_model",
      [](const std::string& text, const std::string& name,
         const std::vector<std::pair<std::string, std::string>>& set) {
        return share(parse_model(text, name, overrides_of(set)));
      },
      Signature("(text: str, name: str, set: list[tuple[str, str]]) -> Model", "", "parse_model of a text."));
  m.def(
      "import_urdf",
      [](const std::string& text, const std::string& name) {
        ImportedModel out = import_urdf(text, name);
        return py::make_tuple(out.text, out.notes);
      },
      Signature("(text: str, name_for_messages: str = \"robot.urdf\") -> tuple[str, list[str]]", "",
                "A robot description, URDF, as the text of a model file, and notes on omissions and renamings."));
  m.def(
      "make_zero_state", [](const PyModel& model_) { return make_zero_state(*model_.model); },
      Signature("(model: Model) -> State", "make_zero_state"));
  m.def(
      "check_state", [](const PyModel& model_, const State& x) { check_state(*model_.model, x); },
      Signature("(model: Model, x: State) -> None", "check_state"));
}

}  // namespace limber::python
