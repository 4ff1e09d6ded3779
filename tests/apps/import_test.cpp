// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/program.hpp"

namespace limber::test {
namespace {

const std::string kRobot = std::string(LIMBER_SOURCE_DIR) + "/examples/industrial-arm/robot.urdf";
const std::string kRobotState =
    R"({"q": [0.1, -0.9, 1.2, 0.3, -0.4, 0.5], "v": [1, 0, 0.5, 0, -1, 0], "tau": [1, 2, 3, 4, 5, 6], "a": [1, 1, 1, 1, 1, 1]})";

// import, export, import: `eval` prints the same numbers, up to rounding the same text.
TEST(Import, RoundTripEvaluatesToTheSame) {
  const Folder folder;
  folder.write("state.json", kRobotState);
  const Result imported = limber({"import", kRobot, "-o", folder.file("robot.yaml")});
  ASSERT_EQ(imported.code, 0) << imported.err;
  EXPECT_EQ(imported.out, "");
  ASSERT_EQ(limber({"export", folder.file("robot.yaml"), "-o", folder.file("back.urdf")}).code, 0);
  ASSERT_EQ(limber({"import", folder.file("back.urdf"), "-o", folder.file("again.yaml")}).code, 0);
  const auto evaluate = [&](const std::string& model) {
    const Result result = limber({"eval", model, folder.file("state.json")});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const auto first = evaluate(kRobot), second = evaluate(folder.file("robot.yaml")),
             third = evaluate(folder.file("again.yaml"));
  EXPECT_EQ(first, second);
  EXPECT_EQ(first["coordinates"], third["coordinates"]);
  for (const char* key : {"acceleration", "force"})
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(first[key][i].get<double>(), third[key][i].get<double>(),
                  1e-9 * (1 + std::abs(first[key][i].get<double>())));
}

constexpr const char* kFlexible = R"(limber: 1
bodies: [{name: a, beam: {length: 1, mass: 1, EIy: 1, modes: {bending_z: 1}}}]
joints: [{name: j, type: fixed, parent: world, child: a}]
)";

TEST(Import, FaultsAreOneLine) {
  const Folder folder;
  folder.write("bad.urdf", "<robot name=\"r\"><link name=\"a\"></robot>");
  const Result result = limber({"import", folder.file("bad.urdf"), "-o", folder.file("x.yaml")});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with(folder.file("bad.urdf") + ":1: XML: ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.yaml")));
  folder.write("arm.yaml", kFlexible);
  EXPECT_EQ(limber({"import", folder.file("arm.yaml")}).err,
            folder.file("arm.yaml") + ":1: is not a URDF, which is XML and begins with <robot name=\"...\">\n");
  EXPECT_EQ(limber({"export", folder.file("arm.yaml")}).err,
            folder.file("arm.yaml") +
                ": body 'a': cannot be written as URDF: it is flexible, and links of a URDF are rigid\n");
}

TEST(Import, InfoAndCheckReadARobot) {
  EXPECT_EQ(limber({"check", kRobot}).out, kRobot + ": ok (model, 8 bodies, 6 coordinates)\n");
  const Result info =
      limber({"info", "--json", std::string(LIMBER_SOURCE_DIR) + "/examples/industrial-arm/model.yaml"});
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_NE(info.out.find("link_2.bending_z1"), std::string::npos);
}

}  // namespace
}  // namespace limber::test
