// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/channels.hpp"

#include <set>

#include "support/close.hpp"
#include "support/no_alloc.hpp"
#include "support/sampled.hpp"

namespace limber::test {
namespace {

VectorXd value(const std::vector<Channel>& channels, const std::string& path, const Record& record) {
  const Channel* channel = find_channel(channels, path);
  if (channel == nullptr) throw std::runtime_error("no channel " + path);
  VectorXd out(channel->columns);
  channel->get(record, out.data());
  return out;
}

Model tree(std::uint64_t seed) {
  return make_model(random_machine({.bodies = 1 + static_cast<int>(seed % 9), .modes = 3}, seed));
}

TEST(Channels, EveryColumnHasANameAndAUnit) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model model = tree(seed);
    const VectorXd outside = VectorXd::Ones(2);
    const auto channels = make_channels(
        model,
        {.nodes = named_nodes(model), .parts = true, .external = {{"control/x", {"a", "b"}, {"m", "s"}, &outside}}});
    EXPECT_EQ(channels.front().path, "time");
    std::set<std::string> paths;
    for (const Channel& c : channels) {
      EXPECT_TRUE(paths.insert(c.path).second) << c.path << " twice";
      ASSERT_EQ(static_cast<int>(c.names.size()), c.columns) << c.path;
      if (c.columns == 0) continue;
      EXPECT_TRUE(c.units.size() == 1 || static_cast<int>(c.units.size()) == c.columns) << c.path;
      for (int k = 0; k < c.columns; ++k) EXPECT_FALSE(c.unit(k).empty()) << c.path;
    }
  }
}

// The channels of joints and bodies together are the whole state, with the same names and units.
TEST(Channels, PartsAreThoseOfTheState) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model model = tree(seed);
    const Sampled sample(model, 0.25, static_cast<unsigned>(seed));
    const auto channels = make_channels(model, {.nodes = {}, .parts = true});
    for (const bool speeds : {false, true}) {
      VectorXd found(0);
      std::vector<std::string> names, units;
      const auto append = [&](const std::string& path) {
        const Channel* c = find_channel(channels, path);
        if (c == nullptr) return;  // a fixed joint, a rigid body
        const VectorXd part = value(channels, path, sample.record());
        found.conservativeResize(found.size() + part.size());
        found.tail(part.size()) = part;
        names.insert(names.end(), c->names.begin(), c->names.end());
        for (int k = 0; k < c->columns; ++k) units.push_back(c->unit(k));
      };
      for (int i = 1; i < model.body_count(); ++i) {
        append("joints/" + model.joints[i].name + (speeds ? "/velocity" : "/position"));
        append("bodies/" + model.body_names[i] + (speeds ? "/mode_rates" : "/modes"));
      }
      const Channel* whole = find_channel(channels, speeds ? "v" : "q");
      EXPECT_EQ(found, speeds ? sample.motion.x.v : sample.motion.x.q);
      EXPECT_EQ(names, whole->names);
      EXPECT_EQ(units, whole->units);
    }
  }
}

// The unit of effort times that of speed is a power, column by column.
TEST(Channels, UnitsOfEffortAndSpeedMakeAPower) {
  for (const JointKind kind : kAllJoints) {
    const auto effort = force_units(kind), speed = speed_units(kind);
    ASSERT_EQ(static_cast<int>(speed.size()), speed_count(kind));
    ASSERT_EQ(effort.size(), speed.size());
    EXPECT_EQ(static_cast<int>(position_units(kind).size()), position_count(kind));
    for (std::size_t k = 0; k < speed.size(); ++k) {
      EXPECT_TRUE((effort[k] == "N m" && speed[k] == "rad/s") || (effort[k] == "N" && speed[k] == "m/s"))
          << to_string(kind) << " " << k;
    }
  }
}

TEST(Channels, ValuesAreThoseOfTheRecord) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model model = tree(seed);
    const Sampled s(model, 0.25, static_cast<unsigned>(seed));
    const auto channels = make_channels(model, {.nodes = named_nodes(model)});
    EXPECT_EQ(value(channels, "time", s.record())[0], 0.25);
    EXPECT_EQ(value(channels, "energy/elastic", s.record())[0], s.energy.elastic);
    EXPECT_EQ(value(channels, "momentum/angular", s.record()), s.momentum.angular);
    for (int i = 1; i < model.body_count(); ++i) {
      const Joint& joint = model.joints[i];
      const int count = speed_count(joint.kind);
      const std::string path = "joints/" + joint.name + "/torque";
      EXPECT_EQ(find_channel(channels, path) != nullptr, count > 0);
      if (count == 0) continue;
      EXPECT_EQ(value(channels, path, s.record()), s.torques.segment(joint.v, count));
    }
    for (const NodeRef node : named_nodes(model)) {
      const Pose pose = node_pose(model, s.kin, node);
      EXPECT_EQ(value(channels, node_channel(model, node, "position"), s.record()), pose.p);
      const VectorXd R = value(channels, node_channel(model, node, "rotation"), s.record());
      EXPECT_EQ(Matrix3d(Eigen::Map<const Matrix3d>(R.data()).transpose()), pose.R);  // by rows
      // The deflection is the node's shape times the modal coordinates.
      const Body& body = model.body(node.body);
      const Vector3d expected = body.nodes[static_cast<std::size_t>(node.node)].translation *
                                s.motion.x.q.segment(model.first_mode_q(node.body), body.modes);
      EXPECT_CLOSE(value(channels, node_channel(model, node, "deflection"), s.record()), expected,
                   1000 * kEps * (1 + pose.p.norm()));
    }
  }
}

TEST(Channels, ARowIsFilledWithoutTheHeap) {
  const Model model = tree(7);
  const Sampled s(model, 0.5, 7);
  VectorXd outside = VectorXd::Constant(2, 4);
  const auto channels = make_channels(
      model,
      {.nodes = named_nodes(model), .parts = true, .external = {{"control/x", {"a", "b"}, {"m", "m"}, &outside}}});
  VectorXd row = VectorXd::Constant(total_columns(channels) + 1, -1);
  {
    const NoAlloc guard;
    fill_row(channels, s.record(), row.data());
  }
  Eigen::Index at = 0;
  for (const Channel& c : channels) {
    EXPECT_EQ(row.segment(at, c.columns), value(channels, c.path, s.record())) << c.path;
    at += c.columns;
  }
  EXPECT_EQ(row[at], -1);
  outside[1] = 5;  // evaluated each time
  EXPECT_EQ(value(channels, "control/x", s.record()), (VectorXd(2) << 4, 5).finished());
}

}  // namespace
}  // namespace limber::test
