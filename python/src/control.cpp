// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"
#include "limber/control/gains.hpp"
#include "limber/control/shaping.hpp"
#include "limber/control/tip_path.hpp"
#include "limber/control/trajectory.hpp"
#include "rooms.hpp"
#include "work.hpp"

namespace limber::python {
namespace {

State state_of(const Model& model, const py::object& x) {
  State out = x.is_none() ? make_zero_state(model) : x.cast<State>();
  check_state(model, out);
  return out;
}

// (t) or (K) times: value, rate and acceleration.
py::tuple signal_at(const Signal& signal, py::handle t) {
  const auto times = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(t);
  if (!times || times.ndim() > 1) throw InputError("t is one time or a list of them, s");
  if (times.ndim() == 0) {
    const Jet jet = signal.at(*times.data());
    return py::make_tuple(jet.value, jet.rate, jet.acceleration);
  }
  Array value(times.size()), rate(times.size()), acceleration(times.size());
  for (py::ssize_t k = 0; k < times.size(); ++k) {
    const Jet jet = signal.at(times.at(k));
    value.mutable_at(k) = jet.value;
    rate.mutable_at(k) = jet.rate;
    acceleration.mutable_at(k) = jet.acceleration;
  }
  return py::make_tuple(value, rate, acceleration);
}

void define_signals(py::module_& m) {
  choice<Interpolation>(
      m, "Interpolation",
      {{"linear", Interpolation::linear}, {"cubic", Interpolation::cubic}, {"quintic", Interpolation::quintic}});
  py::class_<Signal> cls(m, "Signal", ("Signal(value)\n--\n\n" + header_doc("Signal")).c_str());
  cls.def(py::init([](py::handle value) {
            return py::isinstance<py::str>(value) ? Signal::expression(value.cast<std::string>())
                                                  : Signal(value.cast<double>());
          }),
          Signature("(value: float | str) -> None", "", "A constant, or an expression in t: \"0.1*sin(2*pi*t)\"."));
  cls.def_static("sine", &Signal::sine,
                 Signature("(amplitude: float, frequency: float, phase: float = 0.0, offset: float = 0.0) -> Signal",
                           "Signal::sine", "frequency: Hz."));
  cls.def_static(
      "cycloid", &Signal::cycloid,
      Signature("(start: float, distance: float, from_: float, duration: float) -> Signal", "Signal::cycloid"));
  cls.def_static("table", &Signal::table,
                 Signature("(t: ArrayLike, y: ArrayLike, interpolation: Interpolation | str = \"linear\") -> Signal",
                           "Signal::table"));
  cls.def("at", &signal_at,
          Signature("(t: float | ArrayLike) -> tuple[Any, Any, Any]", "",
                    "Value, rate and acceleration at the time t, s, or at each of a list of times."));
  cls.def("breaks", &Signal::breaks, Signature("() -> list[float]", "Signal::breaks"));
}

void define_paths(py::module_& m) {
  choice<Profile>(m, "Profile",
                  {{"trapezoid", Profile::trapezoid}, {"quintic", Profile::quintic}, {"cycloid", Profile::cycloid}});
  m.def("make_move", &make_move,
        Signature("(profile: Profile | str, from_: float, to: float, begin: float, duration: float) -> Signal",
                  "make_move"));
  m.def("shortest_duration", &shortest_duration,
        Signature("(profile: Profile | str, distance: float, speed_limit: float, acceleration_limit: float) -> float",
                  "shortest_duration"));
  m.def("shortest_path_duration", &shortest_path_duration,
        Signature("(profile: Profile | str, distance: float, speed_limit: float, acceleration_limit: float) -> float",
                  "shortest_path_duration"));
  Struct<Waypoint>(m, "Waypoint")
      .field("q", &Waypoint::q, "Array")
      .field("duration", &Waypoint::duration, "float")
      .field("dwell", &Waypoint::dwell, "float");
  m.def(
      "make_path",
      [](Profile profile, const VectorXd& start, double begin, const std::vector<Waypoint>& waypoints,
         const VectorXd& speed, const VectorXd& acceleration) {
        JointPath path = make_path(profile, start, begin, waypoints, {speed, acceleration});
        return py::make_tuple(path.joints, path.end);
      },
      Signature("(profile: Profile | str, start: ArrayLike, begin: float, waypoints: Sequence[Waypoint | dict[str, "
                "Any]], speed: ArrayLike "
                "= [], acceleration: ArrayLike = []) -> tuple[list[Signal], float]",
                "make_path",
                "speed, acceleration: limits of each joint; empty: none.  Returns a Signal for each joint, and the "
                "time of the end."));
  m.def(
      "follow_tip_path",
      [](PyModel& pm, const std::string& node, const std::vector<std::optional<Signal>>& position, double end,
         const std::vector<std::string>& joints, const py::object& start, int samples, bool flexible) {
        const Model& model = *pm.model;
        if (position.size() != 3)
          throw InputError("position must have three entries: a Signal, or None where it is free");
        TipPath path{model.node(node), {position[0], position[1], position[2]}, end, samples};
        const State x = state_of(model, start);
        const DrivenJoints driven = find_driven_joints(model, joints);
        const py::gil_scoped_release release;
        return follow_tip_path(model, driven, path, x, flexible);
      },
      Signature("(model: Model, node: str, position: Sequence[Signal | None], end: float, joints: Sequence[str] = [], "
                "*, start: State | None = "
                "None, samples: int = 200, flexible: bool = True) -> list[Signal]",
                "follow_tip_path",
                "position: x, y, z in world, m; joints: those that are driven, none: all that can be."));
}

void define_shaping(py::module_& m) {
  choice<Shaper>(m, "Shaper", {{"zv", Shaper::zv}, {"zvd", Shaper::zvd}, {"ei", Shaper::ei}});
  Struct<Signal::Impulse>(m, "Impulse", "One impulse of a shaper: delay in s.", "Signal::Impulse")
      .field("delay", &Signal::Impulse::delay, "float")
      .field("weight", &Signal::Impulse::weight, "float");
  Struct<Vibration>(m, "Vibration")
      .field("frequency", &Vibration::frequency, "float")
      .field("ratio", &Vibration::ratio, "float")
      .field("shape", &Vibration::shape, "Array");
  m.def("make_shaper", &make_shaper,
        Signature("(kind: Shaper | str, frequency: float, ratio: float) -> list[Impulse]", "make_shaper",
                  "frequency: rad/s; ratio: of damping."));
  m.def("convolve", &convolve, Signature("(a: Sequence[Impulse], b: Sequence[Impulse]) -> list[Impulse]", "convolve"));
  m.def("residual_vibration", &residual_vibration,
        Signature("(shaper: Sequence[Impulse], frequency: float, ratio: float) -> float", "residual_vibration"));
  m.def(
      "shape_signal",
      [](const Signal& s, const std::vector<Signal::Impulse>& impulses) { return Signal::shaped(s, impulses); },
      Signature("(signal: Signal, impulses: Sequence[Impulse]) -> Signal", "Signal::shaped"));
  m.def(
      "compute_vibrations",
      [](PyModel& pm, const py::object& x, py::handle locked) {
        const State at = state_of(*pm.model, x);
        const std::vector<std::uint8_t> joints = read_joints(*pm.model, locked);
        const py::gil_scoped_release release;
        return compute_vibrations(*pm.model, at, joints);
      },
      Signature("(model: Model, x: State | None = None, locked: Sequence[str] | None = None) -> list[Vibration]",
                "compute_vibrations",
                "At rest at the configuration of x (None: the zero state), under static torques; locked: joints."));
}

void define_gains(py::module_& m) {
  Struct<LqrOptions>(m, "LqrOptions")
      .field("position", &LqrOptions::position, "float")
      .field("speed", &LqrOptions::speed, "float")
      .field("frequency", &LqrOptions::frequency, "float")
      .field("torque", &LqrOptions::torque, "float")
      .field("vibration", &LqrOptions::vibration, "float");
  Struct<KalmanOptions>(m, "KalmanOptions")
      .field("acceleration", &KalmanOptions::acceleration, "float")
      .field("min_position", &KalmanOptions::min_position, "float")
      .field("min_speed", &KalmanOptions::min_speed, "float")
      .field("distrust", &KalmanOptions::distrust, "float")
      .field("torque_steps", &KalmanOptions::torque_steps, "Array");
  Struct<EncoderOptions>(m, "EncoderOptions")
      .field("resolution", &EncoderOptions::resolution, "float")
      .field("noise", &EncoderOptions::noise, "float")
      .field("speed_noise", &EncoderOptions::speed_noise, "float")
      .field("tachometer", &EncoderOptions::tachometer, "bool");
  Struct<SensorOptions>(m, "SensorOptions",
                        "Sensors of the driven joints; encoders: none, or one per driven coordinate.")
      .field("encoders", &SensorOptions::encoders, "list[EncoderOptions]")
      .field("delay", &SensorOptions::delay, "int")
      .field("every", &SensorOptions::every, "int");
  const std::string rest =
      "joints: those that are driven, none: all that can be.  x: None is the zero state.  period: s.";
  m.def(
      "compute_lqr_gain",
      [](PyModel& pm, const std::vector<std::string>& joints, const py::object& x, const LqrOptions& options,
         double period) {
        const State at = state_of(*pm.model, x);
        const DrivenJoints driven = find_driven_joints(*pm.model, joints);
        const py::gil_scoped_release release;
        return compute_lqr_gain(*pm.model, driven, at, options, period);
      },
      Signature("(model: Model, joints: Sequence[str], x: State | None, options: LqrOptions | dict[str, Any], period: "
                "float) -> Array",
                "compute_lqr_gain", rest));
  m.def(
      "compute_kalman_gain",
      [](PyModel& pm, const std::vector<std::string>& joints, SensorOptions sensors, const py::object& x,
         const KalmanOptions& options, double period) {
        const State at = state_of(*pm.model, x);
        const DrivenJoints driven = find_driven_joints(*pm.model, joints);
        if (sensors.encoders.empty()) sensors.encoders.resize(static_cast<std::size_t>(driven.size()));
        if (static_cast<int>(sensors.encoders.size()) != driven.size())
          throw InputError("encoders: " + std::to_string(driven.size()) +
                           " are wanted, one for each driven coordinate");
        const py::gil_scoped_release release;
        return compute_kalman_gain(*pm.model, driven, sensors, at, options, period);
      },
      Signature("(model: Model, joints: Sequence[str], sensors: SensorOptions | dict[str, Any], x: State | None, "
                "options: KalmanOptions | "
                "dict[str, Any], period: float) -> Array",
                "compute_kalman_gain", rest));
}

}  // namespace

void define_control(py::module_& m) {
  define_signals(m);
  define_paths(m);
  define_shaping(m);
  define_gains(m);
}

}  // namespace limber::python
