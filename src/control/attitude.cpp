// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/attitude.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "control/attitude_reference.hpp"
#include "control/attitude_watch.hpp"
#include "control/fixed_archive.hpp"
#include "limber/control/loop.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {
namespace {

constexpr double kGrows = 1e-2;     // 1/s: slower growth is attributed to rounding
constexpr double kUnloaded = 0.1;   // of the momentum at which unloading begins: where it ends
constexpr double kUnloadTime = 10;  // modulation periods of the thrusters

// Wheel limits default to those of their joints.
AttitudeOptions with_joint_limits(AttitudeOptions options) {
  const auto n = static_cast<Eigen::Index>(options.wheels.joints.size());
  VectorXd torque(n), speed(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Model& model = *options.model;
    const Joint& joint = model.joints[model.joint_index(options.wheels.joints[static_cast<std::size_t>(k)])];
    torque[k] = joint.effort_limit;
    speed[k] = joint.velocity_limit;
  }
  if (n > 0 && options.wheels.max_torque.size() == 0 && torque.minCoeff() > 0) options.wheels.max_torque = torque;
  if (n > 0 && options.wheels.max_speed.size() == 0 && speed.minCoeff() > 0) options.wheels.max_speed = speed;
  return options;
}

Eigen::Quaterniond attitude_of(const Model& model, const State& x, int body) {
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  return Eigen::Quaterniond(body_pose(kin, body).R);
}

AttitudePath plan_slews(AttitudeOptions& options, const State& own, const Eigen::Quaterniond& start) {
  const auto make = [&](const std::vector<Signal::Impulse>& shaper) {
    return AttitudePath(options.profile, start, options.begin, options.waypoints, options.limits, shaper);
  };
  AttitudePath plain = make({{0, 1}});
  if (!options.shaping) return plain;
  ShapingOptions& shaping = *options.shaping;
  shaping.chosen.clear();
  for (const double hertz : shaping.frequencies) shaping.chosen.push_back({hertz, shaping.ratio, 0, ""});
  if (shaping.frequencies.empty()) shaping.chosen = choose_slew_vibrations(options, own, plain);
  std::vector<Signal::Impulse> shaper = {{0, 1}};
  for (const ShapedVibration& one : shaping.chosen)
    shaper = convolve(shaper, make_shaper(shaping.kind, 2 * std::numbers::pi * one.frequency, one.ratio));
  shaping.delay = shaper.back().delay;
  return make(shaper);
}

// (6 x thruster) torque about the center of mass, and force, in body axes, at full thrust.
Matrix6X thruster_wrenches(const Model& model, const State& x, int body, const ThrusterSetOptions& options) {
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  const Vector3d center = compute_center_of_mass(model, kin);
  const Matrix3d& R = body_pose(kin, body).R;
  Matrix6X out(6, static_cast<Eigen::Index>(options.thrusters.size()));
  for (Eigen::Index k = 0; k < out.cols(); ++k) {
    const ThrusterOptions& one = options.thrusters[static_cast<std::size_t>(k)];
    const Pose at = node_pose(model, kin, model.node(one.node));
    const Vector3d force = one.force * (at.R * one.direction);
    const bool free = model.joints[body].kind == JointKind::free;
    const Vector3d arm = at.p - (free ? center : body_pose(kin, body).p);
    out.col(k) << R.transpose() * arm.cross(force), R.transpose() * force;
  }
  return out;
}

void put_turn(const Eigen::Quaterniond& q, VectorXd& out) {
  out.resize(4);
  out << q.w(), q.x(), q.y(), q.z();
}

}  // namespace

struct AttitudeLoop::Impl {
  const Model& plant;
  AttitudeOptions options;
  const Model& model;  // the controller's
  int body, own_body;
  std::vector<int> wheels, own_wheels;
  State own_start;
  AttitudePath path;
  AttitudeInertia inertia;
  AttitudeSensors sensors;
  std::optional<AttitudeFilter> filter;
  std::optional<Wheels> allocation;
  std::optional<Thrusters> thrusters;
  std::optional<AttitudeReference> reference;
  AttitudeWatch watch;
  bool started = false, unloading = false;
  std::string failure;
  Vector3d last_error = Vector3d::Zero(), last_rate_error = Vector3d::Zero();
  // Recorded, and kept from sample to sample.
  VectorXd desired, desired_rate, measured, measured_rate, error, feed_forward, feedback, delivered;
  VectorXd wheel_torque, wheel_speed, thrust, gyro, stars, force, bias, efforts;

  Impl(const Model& plant_, const State& start, AttitudeOptions given)
      : plant(plant_),
        options((check_attitude(given), with_joint_limits(std::move(given)))),
        model(*options.model),
        body(find_attitude_body(plant, options.body)),
        own_body(find_attitude_body(model, options.body)),
        wheels(find_wheels(plant, options.wheels.joints)),
        own_wheels(find_wheels(model, options.wheels.joints)),
        own_start(translate_state(plant, start, model)),
        path(plan_slews(options, own_start, attitude_of(model, own_start, own_body))),
        inertia(compute_attitude_inertia(model, own_start, own_body, own_wheels)),
        sensors(plant, body, options.sensors, 1 / options.rate),
        watch(plant, body, options, path) {
    const double period = 1 / options.rate;
    if (options.estimator)
      filter.emplace(*options.sensors.gyro, *options.sensors.star_tracker, *options.estimator, period);
    if (!wheels.empty()) allocation.emplace(options.wheels, inertia, period);
    if (!options.thrusters.thrusters.empty())
      thrusters.emplace(options.thrusters, thruster_wrenches(model, own_start, own_body, options.thrusters), period);
    std::vector<int> actuators;
    for (const int i : own_wheels) actuators.push_back(model.joints[i].v);
    for (int k = 0; k < 3 && wheels.empty(); ++k) actuators.push_back(model.joints[own_body].v + k);
    Inputs others;
    others.motions = options.motions;
    if (options.feed_forward == FeedForward::hybrid)
      reference.emplace(model, own_body, std::move(actuators), path, period, std::move(others));
    clear();
  }

  void clear() {
    const auto n = static_cast<Eigen::Index>(wheels.size());
    desired_rate.setZero(3);
    measured_rate = error = feed_forward = feedback = delivered = gyro = force = bias = desired_rate;
    put_turn(Eigen::Quaterniond::Identity(), desired);
    measured = stars = desired;
    wheel_torque.setZero(n);
    wheel_speed = efforts = wheel_torque;
    thrust.setZero(thrusters ? thrusters->size() : 0);
    started = unloading = false;
  }

  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques);
  void measure(const AttitudeReading& reading);
  Status compute_feed_forward(double t);
  Vector3d compute_feedback(const Attitude& now);
  void unload();
  void act();
};

// Sets the attitude and rate used by the controller.
void AttitudeLoop::Impl::measure(const AttitudeReading& reading) {
  gyro = reading.rate;
  put_turn(reading.attitude, stars);
  force = reading.specific_force;
  if (filter) {
    filter->update(reading);
    put_turn(filter->attitude(), measured);
    measured_rate = filter->rate();
    bias = filter->bias();
  } else {
    measured = stars;
    measured_rate = gyro;
  }
}

// Rigid body: S a + w x (J w + H Omega) at the middle of the period, [Wie, Weiss, Arapostathis 1989].
Status AttitudeLoop::Impl::compute_feed_forward(double t) {
  feed_forward.setZero();
  efforts.setZero();
  if (options.feed_forward == FeedForward::rigid) {
    const Attitude middle = path.at(t + 0.5 / options.rate);
    const Vector3d w = middle.rate;
    Vector3d momentum = inertia.J * w;
    momentum.noalias() += inertia.H * wheel_speed;
    feed_forward = inertia.S * middle.acceleration + w.cross(momentum);
  } else if (reference) {
    if (const Status s = reference->step(); s != Status::ok) {
      failure = reference->failure();
      return s;
    }
    if (wheels.empty()) {
      feed_forward = reference->efforts();
    } else {
      efforts = reference->efforts();
      feed_forward.noalias() -= inertia.B * efforts;
    }
  }
  return Status::ok;
}

// S (w^2 e + 2 ratio w de/dt), e: the attitude error as the shortest rotation.
Vector3d AttitudeLoop::Impl::compute_feedback(const Attitude& now) {
  const Eigen::Quaterniond is(measured[0], measured[1], measured[2], measured[3]);
  const Eigen::Quaterniond turn = is.conjugate() * now.turn;
  last_error = attitude_error(is, now.turn);
  last_rate_error = turn * now.rate - Vector3d(measured_rate);
  error = last_error;
  if (!options.feedback) return Vector3d::Zero();
  const double w = 2 * std::numbers::pi * options.feedback->frequency;
  return inertia.S * (w * w * last_error + 2 * options.feedback->ratio * w * last_rate_error);
}

// Unloads the momentum of the wheels by thrusters.
void AttitudeLoop::Impl::unload() {
  const Vector3d momentum = inertia.H * wheel_speed;
  const double size = momentum.norm(), most = options.thrusters.unload;
  unloading = size > (unloading ? kUnloaded * most : most);
  const Vector3d wanted = unloading ? Vector3d(-momentum / (kUnloadTime * options.thrusters.period)) : Vector3d::Zero();
  thrusters->fire(wanted, Vector3d::Zero());
}

void AttitudeLoop::Impl::act() {
  bool within = true;
  if (allocation) {
    Vector3d wanted = feedback;
    if (!reference) wanted += feed_forward;
    if (thrusters) {
      unload();
      wanted -= thrusters->delivered();
    }
    within = allocation->allocate(wanted, efforts, wheel_speed);
    wheel_torque = allocation->torques();
    delivered = allocation->delivered();
  } else {
    const double w = options.feedback ? 2 * std::numbers::pi * options.feedback->frequency : 1;
    const double ahead = options.feedback ? 2 * options.feedback->ratio / w : 0;
    within = thrusters->fire(feed_forward + feedback, last_error + ahead * last_rate_error);
    delivered.setZero();
  }
  if (thrusters) {
    thrust = thrusters->forces();
    delivered += thrusters->delivered();
  }
  watch.limited = !within;
}

Status AttitudeLoop::Impl::sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) {
  if (!started) {
    started = true;
    if (reference) {
      if (const Status s = reference->start(translate_state(plant, x, model)); s != Status::ok) {
        failure = reference->failure();
        return s;
      }
    }
  }
  for (std::size_t k = 0; k < wheels.size(); ++k)
    wheel_speed[static_cast<Eigen::Index>(k)] = x.v[plant.joints[wheels[k]].v];
  measure(sensors.read(x, kin, vdot));
  const Attitude now = path.at(x.t);
  put_turn(now.turn, desired);
  desired_rate = now.rate;
  if (const Status s = compute_feed_forward(x.t); s != Status::ok) return s;
  feedback = compute_feedback(now);
  act();
  watch.add(x.t, now, kin);
  torques.setZero();
  for (std::size_t k = 0; k < wheels.size(); ++k)
    torques[plant.joints[wheels[k]].v] = wheel_torque[static_cast<Eigen::Index>(k)];
  if (torques.allFinite()) return Status::ok;
  failure = "the torque of a wheel is not a number";
  return Status::not_finite;
}

AttitudeLoop::AttitudeLoop(const Model& plant, const State& start, AttitudeOptions options)
    : impl_(std::make_unique<Impl>(plant, start, std::move(options))) {}
AttitudeLoop::~AttitudeLoop() = default;

double AttitudeLoop::period() const { return 1 / impl_->options.rate; }
bool AttitudeLoop::wants_accelerations() const { return impl_->sensors.wants_accelerations(); }
std::string AttitudeLoop::failure() const { return "attitude: " + impl_->failure; }
const AttitudeOptions& AttitudeLoop::options() const { return impl_->options; }
const AttitudePath& AttitudeLoop::path() const { return impl_->path; }
const AttitudeInertia& AttitudeLoop::inertia() const { return impl_->inertia; }
const AttitudeFilter* AttitudeLoop::filter() const { return impl_->filter ? &*impl_->filter : nullptr; }
const AttitudeSensors& AttitudeLoop::sensors() const { return impl_->sensors; }
const Thrusters* AttitudeLoop::thrusters() const { return impl_->thrusters ? &*impl_->thrusters : nullptr; }
Tracking AttitudeLoop::tracking() const { return impl_->watch.tracking; }

Status AttitudeLoop::sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) {
  return impl_->sample(x, kin, vdot, torques);
}

void AttitudeLoop::restart(const State& start) {
  Impl& own = *impl_;
  own.own_start = translate_state(own.plant, start, own.model);
  own.path = plan_slews(own.options, own.own_start, attitude_of(own.model, own.own_start, own.own_body));
  own.sensors.restart();
  if (own.filter) own.filter->restart();
  if (own.thrusters) own.thrusters->restart();
  own.watch = AttitudeWatch(own.plant, own.body, own.options, own.path);
  own.clear();
}

std::vector<WrenchLaw> AttitudeLoop::wrench_laws() const {
  std::vector<WrenchLaw> out;
  for (std::size_t k = 0; k < impl_->options.thrusters.thrusters.size(); ++k) {
    const ThrusterOptions& one = impl_->options.thrusters.thrusters[k];
    const auto push = [thrust = &impl_->thrust, direction = one.direction, k](const State&, const Kinematics&) {
      Vector6 wrench = Vector6::Zero();
      wrench.tail<3>() = (*thrust)[static_cast<Eigen::Index>(k)] * direction;
      return wrench;
    };
    out.push_back({impl_->plant.node(one.node), Frame::node, push, "thruster '" + one.name + "'"});
  }
  return out;
}

std::vector<ExternalChannel> AttitudeLoop::channels() const {
  const Impl& own = *impl_;
  using Words = std::vector<std::string>;
  const Words axes = {"x", "y", "z"}, quaternion = {"qw", "qx", "qy", "qz"};
  std::vector<ExternalChannel> out;
  const auto add = [&](const char* path, const Words& names, const char* unit, const VectorXd& values) {
    out.push_back({path, names, Words(names.size(), unit), &values});
  };
  add("control/desired", quaternion, "1", own.desired);
  add("control/desired_rate", axes, "rad/s", own.desired_rate);
  add("control/measured", quaternion, "1", own.measured);
  add("control/measured_rate", axes, "rad/s", own.measured_rate);
  add("control/error", axes, "rad", own.error);
  add("control/feed_forward", axes, "N m", own.feed_forward);
  add("control/feedback", axes, "N m", own.feedback);
  add("control/torque", axes, "N m", own.delivered);
  if (!own.wheels.empty()) {
    add("control/wheel_torque", own.options.wheels.joints, "N m", own.wheel_torque);
    add("control/wheel_speed", own.options.wheels.joints, "rad/s", own.wheel_speed);
  }
  Words names;
  for (const ThrusterOptions& one : own.options.thrusters.thrusters) names.push_back(one.name);
  if (!names.empty()) add("control/thrust", names, "N", own.thrust);
  if (own.options.sensors.gyro) add("control/gyro", axes, "rad/s", own.gyro);
  if (own.options.sensors.star_tracker) add("control/star_tracker", quaternion, "1", own.stars);
  if (own.options.sensors.accelerometer) add("control/accelerometer", axes, "m/s^2", own.force);
  if (own.filter) add("control/gyro_bias", axes, "rad/s", own.bias);
  return out;
}

std::vector<std::string> AttitudeLoop::warnings() const {
  const Impl& own = *impl_;
  std::vector<std::string> out = slew_warnings();
  const State x = translate_state(own.model, own.own_start, own.plant);
  const AttitudeVerdict verdict = judge_attitude(own.plant, x, own.options, own.inertia);
  if (verdict.growth > kGrows)
    out.push_back("the attitude loop is unstable: a deviation at " + text(verdict.frequency, 3) + " Hz doubles in " +
                  text(std::numbers::ln2 / verdict.growth, 3) +
                  " s; lower the frequency of the feedback, or raise the rate");
  return out;
}

// Checks that slews of the rigid machine are within the limits of the wheels.
std::vector<std::string> AttitudeLoop::slew_warnings() const {
  constexpr int kPoints = 400;
  const Impl& own = *impl_;
  std::vector<std::string> out;
  const WheelOptions& wheels = own.options.wheels;
  const auto n = static_cast<Eigen::Index>(own.wheels.size());
  VectorXd torque = VectorXd::Zero(n), speed = torque, first(n);
  for (Eigen::Index k = 0; k < n; ++k)
    first[k] = own.own_start.v[own.model.joints[own.own_wheels[static_cast<std::size_t>(k)]].v];
  for (int k = 0; n > 0 && k <= kPoints; ++k) {
    const Attitude at = own.path.at(own.options.begin + k * (own.path.end() - own.options.begin) / kPoints);
    const Vector3d momentum = own.inertia.J * at.rate;
    const VectorXd u = own.allocation->inverse() * (own.inertia.S * at.acceleration + at.rate.cross(momentum));
    const VectorXd spin = first - (own.allocation->inverse() * momentum).cwiseQuotient(own.inertia.axial);
    torque = torque.cwiseMax(u.cwiseAbs());
    speed = speed.cwiseMax(spin.cwiseAbs());
  }
  const auto tell = [&](const VectorXd& needed, const VectorXd& most, const char* unit, const char* what) {
    for (Eigen::Index k = 0; most.size() > 0 && k < n; ++k) {
      if (needed[k] <= most[k]) continue;
      out.push_back("the slews need " + text(needed[k], 3) + unit + " of wheel '" +
                    wheels.joints[static_cast<std::size_t>(k)] + "', which " + what + " " + text(most[k], 3) +
                    " at most; give them more time, or limits");
      return;
    }
  };
  tell(torque, wheels.max_torque, " N m", "gives");
  tell(speed, wheels.max_speed, " rad/s", "reaches");
  return out;
}

void AttitudeLoop::transfer(Archive& archive) {
  Impl& own = *impl_;
  archive(own.started, own.unloading, own.sensors, own.watch);
  if (own.filter) archive(*own.filter);
  if (own.thrusters) archive(*own.thrusters);
  if (own.reference) archive(*own.reference);
  transfer_fixed(archive, own.last_error, own.last_rate_error);
  for (VectorXd* one : {&own.desired, &own.desired_rate, &own.measured, &own.measured_rate, &own.error,
                        &own.feed_forward, &own.feedback, &own.delivered, &own.wheel_torque, &own.wheel_speed,
                        &own.thrust, &own.gyro, &own.stars, &own.force, &own.bias, &own.efforts})
    archive(*one);
}

}  // namespace limber
