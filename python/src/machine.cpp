// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of machines: drives, friction, force elements, contacts, attitudes.
#include "arrays.hpp"
#include "files/element_reader.hpp"
#include "files/element_writer.hpp"
#include "limber/control/attitude_path.hpp"
#include "limber/dynamics/statics.hpp"
#include "limber/linear/facts.hpp"
#include "limber/linear/floquet.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/elements.hpp"
#include "limber/model/friction.hpp"
#include "rooms.hpp"
#include "work.hpp"

namespace limber::python {
namespace {

// Elements and contacts are dicts with the keys of model files: their reader checks them, their writer makes them.
Document document_of(const char* key, const py::list& items) {
  const py::object dumps = py::module_::import("json").attr("dumps");
  py::dict root;
  root[key] = items;
  const py::cpp_function plain([](const py::object& value) { return value.attr("tolist")(); });  // arrays
  try {
    return parse_document(dumps(root, py::arg("default") = plain).cast<std::string>(), key);
  } catch (const py::error_already_set& e) {
    throw InputError(std::string(key) + ": each must be a dict of texts, numbers and lists; " + e.what());
  }
}

std::shared_ptr<PyModel> with_elements(const PyModel& m, const py::list& items) {
  const Document document = document_of("elements", items);
  Model out = *m.model;
  auto all = std::make_shared<ForceElements>();
  if (const auto read = read_elements(Reader(document), out)) all->list = read->list;
  if (m.model->elements) all->rests = m.model->elements->rests;
  out.elements = std::move(all);
  return std::make_shared<PyModel>(std::move(out));
}

std::shared_ptr<PyModel> with_contacts(const PyModel& m, const py::list& items) {
  const Document document = document_of("contacts", items);
  Model out = *m.model;
  auto all = std::make_shared<Contacts>();
  if (const auto read = read_contacts(Reader(document), out)) all->list = read->list;
  if (m.model->contacts) all->stops = m.model->contacts->stops;
  out.contacts = std::move(all);
  return std::make_shared<PyModel>(std::move(out));
}

py::object python_of(const std::vector<nlohmann::ordered_json>& items) {
  return py::module_::import("json").attr("loads")(nlohmann::ordered_json(items).dump());
}

py::object elements_of(const PyModel& m) { return python_of(elements_json(*m.model)); }
py::object contacts_of(const PyModel& m) { return python_of(contacts_json(*m.model)); }

// Of one model, which it keeps.
class PyStaticTangent {
 public:
  explicit PyStaticTangent(const PyModel& m) : model_(m.model), tangent_(*model_) {}
  void set(const VectorXd& q) {
    State x = make_zero_state(*model_);
    x.q = q;
    check_state(*model_, x);
    tangent_.set(x, model_->gravity, {});
  }
  VectorXd forces() const { return tangent_.forces(); }
  py::tuple solve(const VectorXd& r, double sigma) {
    if (r.size() != model_->nv) throw InputError("StaticTangent: r must have nv numbers");
    VectorXd dq(model_->nv);
    const int count = tangent_.solve(sigma, VectorXd::Zero(model_->nv), {}, r, dq);
    return py::make_tuple(dq, count);
  }

 private:
  std::shared_ptr<const Model> model_;
  StaticTangent tangent_;
};

VectorXd py_impulse(const PyModel& m, const VectorXd& q, const VectorXd& v, const py::dict& prescribed) {
  const Model& model = *m.model;
  State x{0, q, v};
  check_state(model, x);
  std::vector<std::uint8_t> joints(model.joints.get().size(), 0);
  VectorXd dv = VectorXd::Zero(model.nv);
  for (const auto& [name, value] : prescribed) {
    const int joint = model.joint_index(name.cast<std::string>());
    const Joint& of = model.joints[joint];
    const VectorXd given = py::isinstance<py::sequence>(value) || py::hasattr(value, "__len__")
                               ? value.cast<VectorXd>()
                               : VectorXd::Constant(1, value.cast<double>());
    if (given.size() != speed_count(of.kind))
      throw InputError("hybrid_impulse: joint '" + of.name + "' has " + std::to_string(speed_count(of.kind)) +
                       " speeds; give one number for each");
    dv.segment(of.v, given.size()) = given;
    joints[static_cast<std::size_t>(joint)] = 1;
  }
  AbaWorkspace ws(model);
  const Status status = hybrid_impulse(model, x, joints, ws, dv);
  if (status != Status::ok) throw NumericalError(std::string("hybrid_impulse: ") + to_string(status));
  return dv;
}

py::tuple py_floquet(const std::vector<MatrixXd>& parts, double period) {
  if (parts.empty() || !(period > 0))
    throw InputError("compute_floquet: give at least one matrix and a period above 0");
  for (const MatrixXd& part : parts)
    if (part.rows() != parts[0].rows() || part.cols() != part.rows())
      throw InputError("compute_floquet: the matrices must be square and of one size");
  const FloquetSolutions out = compute_floquet(parts, period);
  return py::make_tuple(out.exponents, out.vectors);
}

Eigen::Quaterniond quaternion_of(const VectorXd& q) {
  if (q.size() != 4 || !(std::abs(q.norm() - 1) < 1e-6))
    throw InputError("a quaternion must be w, x, y, z of length 1");
  return {q[0], q[1], q[2], q[3]};
}

py::tuple attitude_at(const AttitudePath& path, double t) {
  const Attitude a = path.at(t);
  return py::make_tuple(Eigen::Vector4d(a.turn.w(), a.turn.x(), a.turn.y(), a.turn.z()), a.rate, a.acceleration);
}

void define_attitudes(py::module_& m) {
  py::class_<AttitudePath> path(m, "AttitudePath", header_doc("AttitudePath").c_str());
  path.def(
      py::init([](const std::vector<py::dict>& waypoints, const VectorXd& start, Profile profile, double begin) {
        std::vector<AttitudeWaypoint> list;
        for (const py::dict& given : waypoints) {
          AttitudeWaypoint one;
          for (const auto& [key, value] : given) {
            const auto name = key.cast<std::string>();
            if (name == "quaternion") {
              one.quaternion = quaternion_of(value.cast<VectorXd>());
            } else if (name == "axis") {
              one.axis = value.cast<Vector3d>();
            } else if (name == "angle") {
              one.angle = value.cast<double>();
            } else if (name == "duration") {
              one.duration = value.cast<double>();
            } else if (name == "dwell") {
              one.dwell = value.cast<double>();
            } else {
              throw InputError("AttitudePath: unknown key '" + name +
                               "'; known: quaternion, axis, angle, duration, dwell");
            }
          }
          if (!(one.axis.norm() > 0)) throw InputError("AttitudePath: an axis has length 0");
          list.push_back(one);
        }
        return AttitudePath(profile, quaternion_of(start), begin, list, {}, {{0, 1}});
      }),
      Signature("(waypoints: Sequence[dict[str, Any]], start: ArrayLike, profile: Profile | str = \"cycloid\", begin: "
                "float = 0) -> None",
                "", "Waypoints: {quaternion} or {axis, angle}, with duration (s) and dwell (s)."));
  path.def("at", &attitude_at,
           Signature("(t: float) -> tuple[Array, Array, Array]", "",
                     "Quaternion w, x, y, z, angular velocity and acceleration in the body's axes at time t."));
  m.def(
      "attitude_error",
      [](const VectorXd& from, const VectorXd& to) { return attitude_error(quaternion_of(from), quaternion_of(to)); },
      Signature("(from_: ArrayLike, to: ArrayLike) -> Array", "attitude_error"));
}

}  // namespace

void define_drives(py::module_& m) {
  Struct<Motor>(m, "Motor")
      .field("torque_constant", &Motor::torque_constant, "float")
      .field("back_emf", &Motor::back_emf, "float")
      .field("resistance", &Motor::resistance, "float")
      .field("current", &Motor::current, "float")
      .field("voltage", &Motor::voltage, "float")
      .field("curve", &Motor::curve, "Sequence[Sequence[float]]");
  Struct<Brake>(m, "Brake")
      .field("torque", &Brake::torque, "float")
      .field("breakaway", &Brake::breakaway, "float")
      .field("at_joint", &Brake::at_joint, "bool")
      .field("presliding", &Brake::presliding, "float");
  Struct<LoadFriction>(m, "LoadFriction")
      .field("coefficient", &LoadFriction::coefficient, "float")
      .field("breakaway", &LoadFriction::breakaway, "float")
      .field("radius", &LoadFriction::radius, "float");
  Struct<Drive>(m, "Drive")
      .field("ratio", &Drive::ratio, "float")
      .field("inertia", &Drive::inertia, "float")
      .field("axis", &Drive::axis, "Array | None")
      .field("stiffness", &Drive::stiffness, "float")
      .field("damping", &Drive::damping, "float")
      .field("backlash", &Drive::backlash, "float")
      .field("efficiency", &Drive::efficiency, "float")
      .field("motor", &Drive::motor, "Motor | None")
      .field("brake", &Drive::brake, "Brake | None");
  Struct<JointFriction>(m, "JointFriction")
      .field("viscous", &JointFriction::viscous, "float")
      .field("coulomb", &JointFriction::coulomb, "float")
      .field("breakaway", &JointFriction::breakaway, "float")
      .field("stribeck", &JointFriction::stribeck, "float")
      .field("presliding", &JointFriction::presliding, "float")
      .field("damping", &JointFriction::damping, "float")
      .field("load", &JointFriction::load, "LoadFriction | None");
}

namespace {

// A part that hangs on the joint, or None.
template <class T>
void add_part(py::class_<Joint>& joint, const char* name, std::shared_ptr<const T> Joint::*member, const char* type) {
  joint.def_property(
      name, [member](const Joint& j) { return j.*member ? py::cast(T(*(j.*member))) : py::object(py::none()); },
      [member](Joint& j, const std::optional<T>& value) {
        j.*member = value ? std::make_shared<const T>(*value) : nullptr;
      },
      property_doc(joint, name, type, std::string("Joint::") + name).c_str());
  add_field(joint, name);
}

}  // namespace

void add_joint_parts(py::class_<Joint>& joint) {
  add_part<Drive>(joint, "drive", &Joint::drive, "Drive | None");
  add_part<JointFriction>(joint, "friction", &Joint::friction, "JointFriction | None");
}

void define_machine(py::module_& m) {
  py::class_<PyModel, std::shared_ptr<PyModel>> model(m.attr("Model"));
  const std::string told =
      "A list of dicts as in model files, which replaces those of the model.  Returns the "
      "changed model; this one is not modified.";
  model.def(
      "with_elements", &with_elements,
      Signature("(elements: list[dict[str, Any]]) -> Model", "", "The model with these force elements.  " + told));
  model.def("with_contacts", &with_contacts,
            Signature("(contacts: list[dict[str, Any]]) -> Model", "", "The model with these contacts.  " + told));
  model.def_property_readonly(
      "elements", &elements_of,
      property_doc(model, "elements", "list[dict[str, Any]]", "", "Force elements, as with_elements takes them.")
          .c_str());
  model.def_property_readonly(
      "contacts", &contacts_of,
      property_doc(model, "contacts", "list[dict[str, Any]]", "", "Contacts, as with_contacts takes them.").c_str());
  py::class_<PyStaticTangent> tangent(m, "StaticTangent", header_doc("StaticTangent").c_str());
  tangent.def(py::init<const PyModel&>(),
              Signature("(model: Model) -> None", "", "For a model, which it keeps alive."));
  tangent.def(
      "set", &PyStaticTangent::set,
      Signature("(q: ArrayLike) -> None", "", "Sets the configuration, at rest, under the gravity of the model."));
  tangent.def("forces", &PyStaticTangent::forces, Signature("() -> Array", "StaticTangent::forces"));
  tangent.def(
      "solve", &PyStaticTangent::solve,
      Signature("(r: ArrayLike, sigma: float = 0) -> tuple[Array, int]", "",
                "dq (nv) of (K + sigma M) dq = r, K the tangent stiffness, and the number of eigenvalues of the "
                "matrix that are not positive."));
  m.def("hybrid_impulse", &py_impulse,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike, prescribed: dict[str, Any]) -> Array", "",
                  "The jump dv (nv) of all speeds due to impulses that change these joint speeds {joint: jump}."));
  m.def("compute_floquet", &py_floquet,
        Signature(
            "(parts: Sequence[ArrayLike], period: float) -> tuple[Array, list[Array]]", "",
            "Exponents (1/s) and vectors (per part, columns) of Floquet's solutions from the transition matrices of "
            "equal parts of a period."));
  define_attitudes(m);
}

}  // namespace limber::python
