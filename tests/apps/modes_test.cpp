// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// limber modes, and what becomes of its files.
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
  std::filesystem::remove(body);  // the recording has it
  EXPECT_EQ(limber({"view", folder.file("fall.h5"), "-q"}).code, 0) << limber({"view", folder.file("fall.h5")}).err;
  EXPECT_NE(read_all(folder.file("fall.html")).size(), 0U);
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

}  // namespace
}  // namespace limber::test
