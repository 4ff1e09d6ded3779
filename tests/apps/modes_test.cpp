// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// limber modes, and the use of its files.
#include "apps/program.hpp"
#include "support/page_reader.hpp"

namespace limber::test {
namespace {

std::vector<std::string> modes_of(const std::string& part, const std::string& output,
                                  const std::vector<std::string>& more) {
  std::vector<std::string> words = {
      "modes", "calculix", data("fe/" + part + "_matrix"), "--mesh", data("fe/" + part + "_msh.inp"), "-o", output};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> kEnds = {"--units",    "m-kg-s",      "--interface",
                                        "base=NBASE", "--interface", "tip=NTIP:average"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ModesProgram, MakesABodyThatModelsUse) {
  const Folder folder;
  const std::string body = folder.file("link.h5");
  const Result made =
      limber(with(modes_of("beam_tiny", body, kEnds), {"--method", "clamped", "--modes", "5", "--damping", "0.02"}));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("67.28048"), std::string::npos) << made.out;  // CalculiX' first clamped frequency
  EXPECT_NE(made.out.find("geometric stiffening"), std::string::npos);
  EXPECT_NE(made.out.find("of memory"), std::string::npos);
  const Json info = limber({"info", "--json", body}).json();
  EXPECT_EQ(info["frequencies"].size(), 5U);
  EXPECT_NEAR(info["frequencies"][0].get<double>(), 67.28048, 1e-4);
  EXPECT_NEAR(info["mass"].get<double>(), 1.08, 1e-6);
  EXPECT_NEAR(info["modes"][0]["damping_ratio"].get<double>(), 0.02, 1e-12);
  EXPECT_EQ(info["nodes"][1]["name"], "tip");
  EXPECT_EQ(info["free_frequencies"].size(), 5U);
  EXPECT_GT(info["effective_mass"][2].get<double>(), 0.8);
  EXPECT_NE(limber({"check", body}).out.find("ok (modal body, 1.08 kg, 5 modes, 2 nodes)"), std::string::npos);
  const std::string model =
      folder.write("arm.yaml",
                   "limber: 1\nbodies: [{name: link, file: link.h5}]\n"
                   "joints: [{name: pin, type: revolute, axis: [0, 1, 0], parent: world, child: link}]\n");
  EXPECT_EQ(limber({"check", model}).code, 0);
  folder.write("fall.yaml",
               "limber: 1\nscenario: fall\nmodel: arm.yaml\nduration: 0.01\ninitial: {pin: {v: 1}}\n"
               "solver: {method: implicit, step: 1e-4}\nrecord: {every: 1e-3}\n");
  EXPECT_EQ(limber({"run", folder.file("fall.yaml"), "-q", "-o", folder.file("fall.h5")}).code, 0);
  std::filesystem::remove(body);  // the recording contains it
  EXPECT_EQ(limber({"view", folder.file("fall.h5"), "-q"}).code, 0) << limber({"view", folder.file("fall.h5")}).err;
  EXPECT_NE(read_all(folder.file("fall.html")).size(), 0U);
}

TEST(ModesProgram, SaysWhatLooksWrong) {
  const Folder folder;
  const std::string body = folder.file("link.h5");
  const auto words = with(modes_of("beam_tiny", body, kEnds), {"--method", "clamped", "--modes", "5", "-q"});
  const std::string note = "link.h5: note: --damping is 0.5, that is 50 % of critical damping; 0.5 % are 0.005\n";
  EXPECT_EQ(limber(with(words, {"--damping", "0.02"})).err.find("--damping"), std::string::npos);
  const Result result = limber(with(words, {"--damping", "0.5"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find(note), std::string::npos) << result.err;
}

TEST(ModesProgram, FaultsAreOneLine) {
  const Folder folder;
  const std::string out = folder.file("x.h5");
  const auto expect = [&](const std::vector<std::string>& words, const std::string& part) {
    const Result result = limber(words);
    EXPECT_TRUE(result.is_one_error_line()) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << result.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  };
  expect(modes_of("beam_tiny", out, {"--interface", "a=NBASE"}), "--units");
  expect(modes_of("beam_tiny", out, {"--units", "m-kg-s"}), "no interface");
  expect(modes_of("beam_tiny", out, {"--units", "inch", "--interface", "a=NBASE"}), "m-kg-s or mm-t-s");
  expect(modes_of("beam_tiny", out, {"--units", "m-kg-s", "--interface", "NBASE"}), "NAME=NODESET");
  expect(modes_of("beam_tiny", out, {"--units", "m-kg-s", "--interface", "a=NBAS"}), "node sets: NALL, NBASE, NTIP");
  expect(modes_of("beam_tiny", out, {"--units", "m-kg-s", "--interface", "a=NBASE:soft"}), "rigid or average");
  expect(modes_of("beam_tiny", out, with(kEnds, {"--frame", "middle"})), "interfaces: base, tip");
  expect(modes_of("beam_tiny", out, with(kEnds, {"--modes", "3", "--max-hz", "10"})), "exclude each other");
  expect(modes_of("beam_tiny", out, with(kEnds, {"--method", "guyan"})), "craig-bampton or clamped or free");
  expect(modes_of("nothing", out, kEnds), "no such file");
  expect({"modes", "calculix", data("fe/bad/beam_tiny_c3d20r_matrix"), "--mesh", data("fe/beam_tiny_msh.inp"),
          "--units", "m-kg-s", "--interface", "base=NBASE", "-o", out},
         "motions without strain: 13");
  expect(modes_of("beam_tiny_mm", out, kEnds), "check the units");
}

// Every format describes its files and shows a command of its own; a mesh that would not be read is refused.
TEST(ModesProgram, EveryFormatDescribesItsFiles) {
  const std::map<std::string, std::string> files = {{"calculix", "JOB.sti, JOB.mas and JOB.dof"},
                                                    {"nastran", "punch file"},
                                                    {"abaqus", "mass matrix in the same form"},
                                                    {"matrices", "optionally set"}};
  for (const auto& [format, what] : files) {
    const Result help = limber({"modes", format, "--help"});
    EXPECT_EQ(help.code, 0) << format;
    EXPECT_NE(help.out.find(what), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("Example:\n  limber modes " + format + " "), std::string::npos) << help.out;
  }
  const Result result = limber({"modes", "matrices", "K.mtx", "M.mtx", "nodes.csv", "--units", "m-kg-s", "--interface",
                                "base=left", "-o", "x.h5", "--mesh", "link.inp"});
  EXPECT_TRUE(result.is_one_error_line()) << result.err;
  EXPECT_NE(result.err.find("--mesh"), std::string::npos) << result.err;
}

TEST(ModesProgram, LinkOfTheExampleRuns) {
  const Folder folder;
  const Result run = limber({"run", std::string(LIMBER_SOURCE_DIR) + "/examples/fe-link/scenario.yaml", "-o",
                             folder.file("a.h5"), "--report"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("0.0137"), std::string::npos)
      << run.out;  // its largest deflection, examples/fe-link/README.md
  // The page draws a surface.
  const PageReader page = PageReader::of_file(folder.file("a.html"));
  EXPECT_TRUE(page.header["geometries"][0].contains("triangles"));
}

// The same arm from a URDF with links replaced by the file: equal to rounding, and its meshes are drawn.
TEST(ModesProgram, LinksOfAUrdfAreReplacedByAFile) {
  const Folder folder;
  const std::string example = std::string(LIMBER_SOURCE_DIR) + "/examples/fe-link/";
  for (const char* name : {"link.h5", "model.yaml", "robot.urdf", "pedestal.stl"})
    std::filesystem::copy(example + name, folder.file(name));
  folder.write("urdf.yaml",
               "limber: 1\nurdf: robot.urdf\nflexible: {upper: {file: link.h5}, lower: {file: link.h5}}\n");
  const std::size_t n = limber({"info", "--json", folder.file("urdf.yaml")}).json()["coordinates"].size();
  ASSERT_EQ(n, 2U + 2 * 14);
  Json state = {{"q", Json::array()}, {"v", Json::array()}, {"tau", Json::array()}};
  for (std::size_t i = 0; i < n; ++i) {
    const bool joint = i % 15 == 0;
    state["q"].push_back(joint ? 0.4 : 1e-4 * static_cast<double>(i));
    state["v"].push_back(joint ? -0.8 : 1e-3);
    state["tau"].push_back(joint ? 3.0 : 0.0);
  }
  folder.write("state.json", state.dump());
  const Json a = limber({"eval", folder.file("model.yaml"), folder.file("state.json")}).json();
  const Json b = limber({"eval", folder.file("urdf.yaml"), folder.file("state.json")}).json();
  EXPECT_EQ(a["coordinates"], b["coordinates"]);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(a["acceleration"][i].get<double>(), b["acceleration"][i].get<double>(),
                1e-12 * (1 + std::abs(a["acceleration"][i].get<double>())));
  // In a scenario with keys of the run; the recording contains body and mesh.
  folder.write("run.yaml",
               "limber: 1\nscenario: s\nurdf: robot.urdf\nflexible: {upper: {file: link.h5}}\nduration: 0.002\n"
               "solver: {method: implicit, step: 1e-3}\nrecord: {every: 1e-3}\n");
  ASSERT_EQ(limber({"run", folder.file("run.yaml"), "-q", "-o", folder.file("a.h5")}).code, 0);
  for (const char* name : {"link.h5", "robot.urdf", "pedestal.stl"}) std::filesystem::remove(folder.file(name));
  ASSERT_EQ(limber({"view", folder.file("a.h5"), "-q"}).code, 0);
  const PageReader page = PageReader::of_file(folder.file("a.html"));
  int drawn = 0;
  for (const Json& body : page.header["bodies"]) {
    const Json& geometry = page.header["geometries"][body["geometry"].get<std::size_t>()];
    EXPECT_TRUE(geometry.contains("triangles")) << body["name"] << geometry.dump();
    ++drawn;
  }
  EXPECT_EQ(drawn, 4);
}

}  // namespace
}  // namespace limber::test
