// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Modal-body files from the parts in LIMBER_TEST_DATA/fe: written and read, in models, corrupted.
#include "limber/files/modal_body_file.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>
#include <random>
#include <utility>

#include "apps/program.hpp"
#include "files/worker.hpp"
#include "limber/body/detail/content.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/recorded_model.hpp"
#include "limber/files/recording.hpp"
#include "limber/files/text_file.hpp"
#include "support/fe_data.hpp"
#include "support/repetitions.hpp"
#include "support/sampled.hpp"

namespace limber::test {
namespace {

const FeModel& tiny_part() {
  static const FeModel model = read_part(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  return model;
}

FeReduction write_tiny(const std::string& path, int modes = 3) {
  FeReduction made =
      reduce_part(tiny_part().part, both_ends(tiny_part(), FeCoupling::rigid), {.modes = modes, .damping = 0.01});
  write_modal_body(path, tiny_part().part, made, {{"origin", "a test"}});
  return made;
}

std::string why_not(const std::string& path) {
  try {
    read_modal_body(path);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

constexpr const char* kArm = R"({limber: 1, name: arm, bodies: [{name: a, file: link.h5}, {name: b, file: link.h5}],
joints: [{name: one, type: revolute, axis: [0, 1, 0], parent: world, child: a},
         {name: two, type: revolute, axis: [0, 1, 0], parent: a.tip, child: b.base}]}
)";

TEST(ModalBodyFiles, AreReadAsTheyWereWritten) {
  const Folder folder;
  const std::string path = folder.file("link.h5");
  const FeReduction made = write_tiny(path);
  const ModalBodyFile read = read_modal_body(path);
  EXPECT_EQ(content_key(read.body), content_key(made.body));
  EXPECT_EQ(read.free_hertz, made.facts.free_hertz);
  EXPECT_EQ(read.facts[0].second, "a test");
  const PartSpec* part = part_of(read.body);
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->triangles.size(), tiny_part().part.triangles.size());
  EXPECT_EQ(part->places.rows(), 80);  // every node of one row of hexahedra is on the surface
  EXPECT_EQ(part->bytes, read_text_file(path));
  // The tip's nodes move with the rigid interface.
  EXPECT_TRUE(is_modal_body(path));
  EXPECT_EQ(folder.names().size(), 1U);
  write_tiny(path);  // may be replaced
  EXPECT_THROW(write_tiny(folder.write("other.txt", "text")), FileError);
}

TEST(ModalBodyFiles, AreBodiesOfModelsAndKeptInRecordings) {
  const Folder folder;
  write_tiny(folder.file("link.h5"));
  const Model model = read_model(folder.write("arm.yaml", kArm));
  EXPECT_EQ(model.nq, 2 + 2 * 9);
  EXPECT_EQ(&model.body(1), &model.body(2));  // equal bodies share their data
  const std::string recording = folder.file("run.h5");
  {
    RecordingOptions options;
    options.name = "run";
    options.model_text = kArm;
    RecordingWriter writer(model, recording, options);
    writer.write(Sampled(model, 0.5, 1).record());
    writer.finish("finished", true);
  }
  std::filesystem::remove(folder.file("link.h5"));
  const RecordingReader reader(recording);
  EXPECT_EQ(reader.files.size(), 1U);
  const Model again = parse_recorded_model(reader);
  EXPECT_EQ(content_key(again.body(1)), content_key(model.body(1)));
  for (const RecordedSeries& series : reader.series()) EXPECT_FALSE(series.path.starts_with("files"));
}

TEST(ModalBodyFiles, FaultsOfModelsNameThePlace) {
  const Folder folder;
  const auto fault = [&](const std::string& text) {
    try {
      read_model(folder.write("arm.yaml", text));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(fault(kArm).find("arm.yaml:1: body 'a': file"), std::string::npos) << fault(kArm);
  EXPECT_NE(fault(kArm).find("link.h5: no such file"), std::string::npos);
  folder.write("link.h5", "text");
  EXPECT_NE(fault(kArm).find("not an HDF5 file"), std::string::npos);
  write_tiny(folder.file("good.h5"));
  const std::string nodes =
      R"({limber: 1, bodies: [{name: a, file: good.h5, nodes: [{name: x, position: [0, 0, 0]}]}], joints: []})";
  EXPECT_NE(fault(nodes).find("the interfaces of the part are its nodes"), std::string::npos) << fault(nodes);
}

// `stiffened` and `full` are the same for a part.
TEST(ModalBodyFiles, HaveNoSecondOrderShapes) {
  const Folder folder;
  write_tiny(folder.file("link.h5"));
  std::string text = kArm;
  text.insert(text.find("name"), "fidelity: stiffened, ");
  const Model model = read_model(folder.write("arm.yaml", text));
  EXPECT_TRUE(model.body(1).pairs.empty());
}

// ---- damage -----------------------------------------------------------------------------------------

template <class Spoil>
std::string spoilt(const std::string& path, const Spoil& spoil) {
  std::filesystem::remove(path);
  write_tiny(path);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  spoil(file);
  H5Fclose(file);
  return why_not(path);
}

void replace_numbers(hid_t file, const char* name, const std::vector<hsize_t>& size, double value) {
  H5Ldelete(file, name, H5P_DEFAULT);
  hsize_t count = 1;
  for (const hsize_t n : size) count *= n;
  const std::vector<double> numbers(count, value);
  const hid_t space = H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
  const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
  H5Dclose(set);
  H5Sclose(space);
}

TEST(ModalBodyFiles, SpoiltOnesAreRefusedInWords) {
  const Folder folder;
  const std::string path = folder.file("link.h5");
  const auto expect = [&](const std::string& part, const auto& spoil) {
    const std::string found = spoilt(path, spoil);
    EXPECT_NE(found.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << found;
    EXPECT_TRUE(found.starts_with(path)) << found;
  };
  expect("holds a link to elsewhere", [](hid_t f) { H5Lcreate_soft("/S", f, "more", H5P_DEFAULT, H5P_DEFAULT); });
  expect("holds a link to elsewhere", [](hid_t f) {
    H5Ldelete(f, "S", H5P_DEFAULT);
    H5Lcreate_external("/etc/passwd", "S", f, "S", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect("dataset 'C'", [](hid_t f) { H5Ldelete(f, "C", H5P_DEFAULT); });
  expect("dataset 'S' is 3 x 5, not 3 x 10", [](hid_t f) { replace_numbers(f, "S", {3, 5}, 0); });
  expect("not a finite number", [](hid_t f) { replace_numbers(f, "mass", {1}, std::nan("")); });
  expect("the mass is not positive", [](hid_t f) { replace_numbers(f, "mass", {1}, -1); });
  expect("without stiffness", [](hid_t f) { replace_numbers(f, "stiffness", {9}, 0); });
  expect("not those of a body", [](hid_t f) { replace_numbers(f, "S", {3, 10}, 7); });
  expect("names no station", [](hid_t f) { replace_numbers(f, "surface/triangles", {2, 3}, 1e6); });
}

TEST(ModalBodyFiles, ChanceDamageIsSurvived) {
  const int before = std::exchange(worker_seconds, 2);  // HDF5 does not come to an end on one of these files
  const Folder folder;
  const std::string path = folder.file("link.h5");
  write_tiny(path, 1);
  const std::string good = read_text_file(path);
  std::mt19937 random(7);
  for (int k = 0; k < repetitions(150, 30); ++k) {
    std::string bad = good;
    for (int flips = 0; flips < 1 + k % 4; ++flips)
      bad[random() % (k % 2 == 0 ? std::min<std::size_t>(bad.size(), 4000) : bad.size())] = static_cast<char>(random());
    if (k % 10 == 0) bad.resize(random() % bad.size());
    try {
      check_body(parse_modal_body(bad, "bad.h5").body);
    } catch (const Error& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with("bad.h5: ")) << e.what();
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  }
  worker_seconds = before;
}

}  // namespace
}  // namespace limber::test
