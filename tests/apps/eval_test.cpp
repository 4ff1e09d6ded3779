// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "apps/program.hpp"

namespace limber::test {
namespace {

constexpr double kTolerance = 1e-10;  // the reference numbers are accurate to 1e-12

constexpr const char* kPendulum = R"({"limber": 1, "name": "pendulum", "gravity": [0, 0, -9.81],
  "bodies": [{"name": "rod", "rigid": {"mass": 2, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.01, 0, 0, 0]},
              "nodes": [{"name": "end", "position": [0, 0, -1]}]}],
  "joints": [{"name": "pin", "type": "revolute", "axis": [0, 1, 0], "parent": "world", "child": "rod"}]})";

void flatten(const Json& value, std::vector<double>& out) {
  if (value.is_number()) out.push_back(value.get<double>());
  if (value.is_array())
    for (const Json& item : value) flatten(item, out);
}

// |a - b| <= tolerance (1 + max |b|), entry by entry.
::testing::AssertionResult agree(const Json& got, const Json& expected) {
  std::vector<double> a, b;
  flatten(got, a);
  flatten(expected, b);
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " numbers in place of " << b.size();
  double size = 1;
  for (const double x : b) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= kTolerance * size))
      return ::testing::AssertionFailure() << "number " << i << ": " << a[i] << " in place of " << b[i];
  }
  return ::testing::AssertionSuccess();
}

// `expected` as in the reference files: nested maps with lists of numbers.
void compare(const Json& got, const Json& expected, const std::string& where) {
  if (!expected.is_object()) {
    EXPECT_TRUE(agree(got, expected)) << where;
    return;
  }
  for (const auto& [key, value] : expected.items()) {
    ASSERT_TRUE(got.contains(key)) << where << "." << key;
    compare(got[key], value, where + "." + key);
  }
}

class Reference : public ::testing::TestWithParam<int> {};

TEST_P(Reference, IsReproduced) {
  const Json reference = Json::parse(read_all(data(fmt::format("reference/case-{:02d}.json", GetParam()))));
  const Folder folder;
  const std::string model = folder.write("model.json", reference["model"].dump());
  for (Json state : reference["states"]) {
    const Json expected = state["expected"];
    state.erase("expected");
    const std::string file = folder.write("state.json", state.dump());
    for (const char* algorithm : {"aba", "crba", "dca", "denoc", "two_stage", "operators"}) {
      const Result result = limber({"eval", model, file, "--algorithm", algorithm});
      ASSERT_EQ(result.code, 0) << result.err;
      const Json got = result.json();
      ASSERT_TRUE(got.is_object());
      compare(got, expected, algorithm);
      EXPECT_EQ(got["coordinates"].size(), state["q"].size());
      EXPECT_EQ(got["speeds"].size(), state["v"].size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Reference, ::testing::Range(0, 18));

TEST(Eval, PrintsEveryKeyOfTheDesign) {
  const Result result = limber({"eval", "-", LIMBER_SOURCE_DIR "/no/such/state"}, kPendulum);
  EXPECT_TRUE(result.is_one_error_line()) << result.err;
  const Folder folder;
  const std::string model = folder.write("pendulum.json", kPendulum);
  const Result good = limber({"eval", model, "-"}, R"({"q": [0.5], "v": [2], "a": [1]})");
  ASSERT_EQ(good.code, 0) << good.err;
  const Json got = good.json();
  const double J = 0.1 + 2 * 0.25;
  EXPECT_EQ(got["coordinates"], Json({"pin"}));
  EXPECT_TRUE(agree(got["mass_matrix"], {{J}}));
  EXPECT_TRUE(agree(got["acceleration"], {-2 * 9.81 * 0.5 * std::sin(0.5) / J}));
  EXPECT_TRUE(agree(got["force"], {J + 2 * 9.81 * 0.5 * std::sin(0.5)}));
  EXPECT_TRUE(agree(got["kinetic_energy"], 0.5 * J * 4));
  EXPECT_TRUE(agree(got["potential_energy"], -2 * 9.81 * 0.5 * std::cos(0.5)));
  EXPECT_TRUE(agree(got["momentum"]["angular"], {0, 2 * J, 0}));
  EXPECT_TRUE(agree(got["momentum"]["linear"], {-2 * std::cos(0.5), 0, 2 * std::sin(0.5)}));
  EXPECT_TRUE(agree(got["nodes"]["rod.end"]["position"], {-std::sin(0.5), 0, -std::cos(0.5)}));
  const double c = std::cos(0.5), s = std::sin(0.5);
  EXPECT_TRUE(agree(got["nodes"]["rod.end"]["rotation"], {{c, 0, s}, {0, 1, 0}, {-s, 0, c}}));
  EXPECT_TRUE(agree(got["center_of_mass"], {-0.5 * s, 0, -0.5 * c}));
  EXPECT_TRUE(agree(got["total_mass"], 2));
}

TEST(Eval, PrintsSeventeenDigits) {
  const Folder folder;
  const Result result = limber({"eval", folder.write("m.json", kPendulum), "-"}, R"({"q": [0.1], "v": [0]})");
  ASSERT_EQ(result.code, 0) << result.err;
  // 0.1 + 2 * 0.25 and similar sums, printed to 17 digits.
  EXPECT_TRUE(contains(result.out, fmt::format("{:.17g}", result.json()["acceleration"][0].get<double>())));
  EXPECT_FALSE(result.json().contains("force"));
}

TEST(Eval, LeavesTheMassMatrixOutWhenAsked) {
  const Folder folder;
  const Result result =
      limber({"eval", folder.write("m.json", kPendulum), "-", "--no-mass-matrix"}, R"({"q": [0.1], "v": [0]})");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(result.json().contains("mass_matrix"));
}

TEST(Eval, RefusesBadInputInOneLine) {
  const Folder folder;
  const std::string model = folder.write("m.json", kPendulum);
  const std::string good = folder.write("s.json", R"({"q": [0], "v": [0]})");
  struct Bad {
    std::vector<std::string> arguments;
    std::string input, part;
  };
  const Bad bad[] = {
      {{"eval", folder.file("none.yaml"), good}, "", "none.yaml"},
      {{"eval", model, folder.file("none.json")}, "", "none.json"},
      {{"eval", model, "-"}, "", "stdin"},
      {{"eval", model, "-"}, "{", "stdin"},
      {{"eval", model, "-"}, "[1, 2]", "stdin"},
      {{"eval", model, "-"}, R"({"q": [0, 0], "v": [0]})", "pin"},
      {{"eval", model, "-"}, R"({"q": [0]})", "'v'"},
      {{"eval", model, "-"}, R"({"q": [0], "v": [0], "tau": [1, 2]})", "tau"},
      {{"eval", model, "-"}, R"({"q": [0], "v": [0], "torque": [1]})", "torque"},
      {{"eval", model, "-"}, R"({"q": ["x"], "v": [0]})", "number"},
      {{"eval", model, "-"}, R"({"q": [1e999], "v": [0]})", "stdin"},
      {{"eval", model, "-"}, R"({"q": [0], "v": [1e200]})", "smaller"},
      {{"eval", model, good, "--algorithm", "abba"}, "", "aba"},
      {{"eval", good, good}, "", "limber"},
      {{"eval", model}, "", "STATE"},
      {{"eval", model, good, "extra"}, "", "extra"},
      {{"eval", model, good, "--algoritm", "aba"}, "", "--algorithm"},
      {{"eval", "-", "-"}, kPendulum, "only one"},
  };
  for (const Bad& entry : bad) {
    const Result result = limber(entry.arguments, entry.input);
    EXPECT_TRUE(result.is_one_error_line()) << entry.input << "\n" << result.out << result.err;
    EXPECT_TRUE(contains(result.err, entry.part)) << result.err;
  }
}

TEST(Eval, NamesTheCoordinateWithoutInertia) {
  // A point mass that lies on the axis of the first joint only if the second is at zero.
  const Folder folder;
  const std::string model = folder.write("m.yaml", R"(limber: 1
bodies: [{name: gimbal, rigid: {mass: 0}}, {name: bob, rigid: {mass: 1, com: [1, 0, 0]}}]
joints:
  - {name: roll, type: revolute, axis: [1, 0, 0], parent: world, child: gimbal}
  - {name: yaw, type: revolute, axis: [0, 0, 1], parent: gimbal, child: bob, stiffness: 10}
)");
  for (const char* algorithm : {"aba", "crba", "dca", "denoc", "two_stage", "book", "operators"}) {
    const Result result = limber({"eval", model, "-", "--algorithm", algorithm}, R"({"q": [0, 0], "v": [0, 0]})");
    EXPECT_TRUE(result.is_one_error_line()) << result.out << result.err;
    EXPECT_TRUE(contains(result.err, "'roll' has no inertia")) << result.err;
    EXPECT_TRUE(contains(result.err, "armature")) << result.err;
    EXPECT_EQ(limber({"eval", model, "-", "--algorithm", algorithm}, R"({"q": [0, 1], "v": [0, 0]})").code, 0);
  }
}

TEST(Eval, RefusesWhatAnAlgorithmDoesNotCover) {
  const Folder folder;
  const std::string good = folder.write("pendulum.json", kPendulum), state = R"({"q": [0.5], "v": [2]})";
  const Result book = limber({"eval", good, "-", "--algorithm", "book"}, state);
  ASSERT_EQ(book.code, 0) << book.err;
  EXPECT_TRUE(agree(book.json()["acceleration"], {-2 * 9.81 * 0.5 * std::sin(0.5) / (0.1 + 2 * 0.25)}));
  const std::string slider = folder.write("slider.yaml", R"(limber: 1
bodies: [{name: cart, rigid: {mass: 1}}]
joints: [{name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: cart}]
)");
  const Result refused = limber({"eval", slider, "-", "--algorithm", "book"}, state);
  EXPECT_TRUE(refused.is_one_error_line()) << refused.out << refused.err;
  EXPECT_TRUE(contains(refused.err, "joint 'rail' is prismatic")) << refused.err;
}

// Two carts on one rail, pinned together: they move as one, and the pin transmits the force on the second one.
TEST(Eval, ClosedChains) {
  const Folder folder;
  const std::string model = folder.write("carts.yaml", R"(limber: 1
bodies: [{name: first, rigid: {mass: 3}}, {name: second, rigid: {mass: 2}}]
joints:
  - {name: rail1, type: prismatic, axis: [1, 0, 0], parent: world, child: first}
  - {name: rail2, type: prismatic, axis: [1, 0, 0], parent: world, child: second}
closures: [{name: pin, type: spherical, a: first, b: second}]
)");
  for (const char* algorithm : {"aba", "crba", "dca", "denoc", "two_stage", "operators"}) {
    const Result result =
        limber({"eval", model, "-", "--algorithm", algorithm}, R"({"q": [1, 1], "v": [2, 2], "tau": [10, 0]})");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(agree(result.json()["acceleration"], {2, 2})) << algorithm;
    EXPECT_TRUE(agree(result.json()["closure_forces"]["pin"], {0, 0, 0, 4, 0, 0})) << algorithm;
  }
  const Result apart = limber({"eval", model, "-"}, R"({"q": [1, 1.001], "v": [0, 0]})");
  EXPECT_TRUE(apart.is_one_error_line()) << apart.out << apart.err;
  EXPECT_TRUE(contains(apart.err, "closure 'pin' is violated by 0.001")) << apart.err;
}

}  // namespace
}  // namespace limber::test
