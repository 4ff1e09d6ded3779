// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A controller that commands an actuator, and its plant in another process.
#include <cmath>

#include "apps/two_processes.hpp"
#include "limber/files/recording_reader.hpp"

namespace limber::test {
namespace {

// A boom that a cylinder lifts, and a stick on a motor.
const std::string kExcavator = R"(limber: 1
scenario: lift
model:
  limber: 1
  name: excavator
  gravity: [0, 0, -9.81]
  bodies:
    - {name: boom, rigid: {mass: 20, com: [0.8, 0, 0], inertia: [0.1, 4, 4, 0, 0, 0]},
       nodes: [{name: eye, position: [0.6, 0, 0]}, {name: end, position: [1.6, 0, 0]}]}
    - {name: stick, rigid: {mass: 8, com: [0.4, 0, 0], inertia: [0.1, 0.5, 0.5, 0, 0, 0]}}
  joints:
    - {name: pin, type: revolute, axis: [0, -1, 0], parent: world, child: boom, limits: {effort: 2000, velocity: 5}}
    - {name: elbow, type: revolute, axis: [0, -1, 0], parent: boom.end, child: stick, limits: {effort: 300, velocity: 5}}
  elements:
    - {name: ram, type: actuator, a: [0.2, 0, -0.9], b: boom.eye}
initial: {pin: {q: 0.2}, elbow: {q: -0.8}, equilibrium: true}
control:
  rate: 200
  joints: [pin, elbow]
  actuators: {pin: ram}
  desired: {profile: quintic, waypoints: [{q: [0.6, -0.4], duration: 1}]}
  feed_forward: rigid
  feedback: {pid: {frequency: 1, ratio: 1}}
solver: {method: implicit, step: 5e-3}
duration: 1.5
record: {every: 0.05}
)";

// The first columns of a series, in the last record.
std::vector<double> last(const RecordingReader& file, const std::string& path, int columns = 1) {
  std::vector<double> out(static_cast<std::size_t>(columns));
  EXPECT_GE(file.find(path), 0) << path;
  if (file.find(path) >= 0) file.read(file.find(path), file.records() - 1, 1, 0, columns, out.data());
  return out;
}

TEST(RealTime, AnActuatorIsCommandedOverTheWire) {
  const Pair pair(kExcavator);
  Process first(pair.plant(pair.ports.control, kPatient));
  Process second(pair.control(pair.ports.plant, kPatientControl));
  const Result a = first.wait(), b = second.wait();
  ASSERT_EQ(a.code, 0) << a.err;
  ASSERT_EQ(b.code, 0) << b.err;
  EXPECT_EQ(a.json()["braked"], false);
  EXPECT_LT(a.json()["largest_error"], 0.05);
  // At rest: the force of the cylinder over its lever dl/dq, and the torque of the motor, balance the weights.
  const RecordingReader file(pair.folder.file("turn.h5"));
  const std::vector<double> q = last(file, "q", 2);
  const double pin = q[0], both = q[0] + q[1], g = 9.81;
  EXPECT_NEAR(pin, 0.6, 0.02);
  const double stick = 8 * g * 0.4 * std::cos(both), boom = 20 * g * 0.8 * std::cos(pin) + 8 * g * 1.6 * std::cos(pin);
  const double x = 0.6 * std::cos(pin) - 0.2, z = 0.6 * std::sin(pin) + 0.9;
  const double lever = (-x * 0.6 * std::sin(pin) + z * 0.6 * std::cos(pin)) / std::hypot(x, z);
  EXPECT_NEAR(last(file, "elements/ram/force")[0], (boom + stick) / lever, 0.05 * (boom + stick) / lever);
  EXPECT_NEAR(last(file, "joints/elbow/torque")[0], stick, 0.05 * stick);
  EXPECT_NEAR(last(file, "joints/pin/torque")[0], 0, 1e-9);
  // The log of the controller contains the force, too.
  const std::string table = read_all(pair.folder.file("turn.csv"));
  EXPECT_NE(table.substr(0, table.find('\n')).find("sent:pin"), std::string::npos);
}

}  // namespace
}  // namespace limber::test
