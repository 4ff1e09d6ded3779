// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/report.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>

#include "apps/program.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/recording.hpp"
#include "limber/linear/campbell.hpp"
#include "report/outline.hpp"
#include "report/spectrum.hpp"
#include "report/thinning.hpp"
#include "support/mixed_trees.hpp"
#include "support/model_text.hpp"
#include "support/no_alloc.hpp"
#include "support/page_reader.hpp"
#include "support/recorded.hpp"
#include "support/sampled.hpp"

namespace limber::test {
namespace {

using RowNumbers = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// An array of a page as a matrix.
RowNumbers matrix(const PageReader& page, const std::string& name) {
  const std::vector<double> numbers = page.numbers(name);
  const std::vector<std::size_t> shape = page.shape(name);
  return Eigen::Map<const RowNumbers>(numbers.data(), static_cast<Eigen::Index>(shape[0]),
                                      static_cast<Eigen::Index>(numbers.size() / std::max<std::size_t>(1, shape[0])));
}

// S eta + eta^T Xi eta / 2 of rows [row, row + 3).
Vector3d displacement(const PageReader& page, const nlohmann::json& entry, Eigen::Index row, const VectorXd& eta) {
  Vector3d out = Vector3d::Zero();
  if (entry.contains("shapes")) out = matrix(page, entry["shapes"]).middleRows(row, 3) * eta;
  if (!entry.contains("second")) return out;
  const RowNumbers all = matrix(page, entry["second"]);
  for (int c = 0; c < 3; ++c) {
    const VectorXd flat = all.row(row + c);
    const Eigen::Map<const RowNumbers> Xi(flat.data(), eta.size(), eta.size());
    out[c] += 0.5 * eta.dot(Xi * eta);
  }
  return out;
}

Vector3d vector(const nlohmann::json& list) {
  return Vector3d(list[0].get<double>(), list[1].get<double>(), list[2].get<double>());
}

// One frame of a page.
struct Shown {
  const PageReader& page;
  std::size_t frame;
  Vector3d world(std::size_t body, const Vector3d& place) const {
    const std::size_t bodies = page.header["bodies"].size();
    const double* pose = &poses[(frame * bodies + body) * 7];
    return Eigen::Quaterniond(pose[3], pose[4], pose[5], pose[6]) * place + Vector3d(pose[0], pose[1], pose[2]);
  }
  VectorXd eta_of(std::size_t body) const {
    std::size_t first = 0, all = 0, n = 0;
    for (std::size_t b = 0; b < page.header["bodies"].size(); ++b) {
      const auto& geometry = page.header["geometries"][page.header["bodies"][b]["geometry"].get<std::size_t>()];
      const std::size_t modes = geometry.contains("shapes") ? page.shape(geometry["shapes"])[1] : 0;
      if (b < body) first += modes;
      if (b == body) n = modes;
      all += modes;
    }
    if (n == 0) return VectorXd(0);
    return Eigen::Map<const VectorXd>(&eta[frame * all + first], static_cast<Eigen::Index>(n));
  }
  std::vector<double> poses = page.numbers("poses");
  std::vector<double> eta = page.has("eta") ? page.numbers("eta") : std::vector<double>();
};

void write_samples(const Model& model, const std::string& text, const std::string& path, int records) {
  RecordingOptions options;
  options.name = "samples";
  options.model_text = text;
  options.solver = "none";
  options.nodes = named_nodes(model);
  options.records = records;
  RecordingWriter writer(model, path, options);
  for (int k = 0; k < records; ++k) writer.write(Sampled(model, 0.25 * k, static_cast<unsigned>(k + 1)).record());
  writer.finish("finished", true);
}

TEST(Report, PicturesPutEveryNodeWhereTheRecordingHasIt) {
  const Folder folder;
  for (std::uint64_t seed = 1; seed <= (kNoAllocWorks ? 60 : 12); ++seed) {
    const TreeOptions options = mixed_tree(seed);
    const Machine machine = random_machine(options, seed);
    const Model made = make_model(machine);
    const std::string text = ModelText::of(machine, made);
    const Model model = parse_model(text, "tree");
    write_samples(model, text, folder.file("a.h5"), 4);
    const ReportFacts facts = write_report(folder.file("a.h5"), folder.file("a.html"));
    EXPECT_EQ(facts.pictures, 4);
    const PageReader page = PageReader::of_file(folder.file("a.html"));
    const Recorded recorded(folder.file("a.h5"));
    for (std::size_t frame = 0; frame < 4; ++frame) {
      const Shown shown{page, frame};
      for (const auto& node : page.header["nodes"]) {
        const std::size_t body = node["body"];
        const Vector3d local = vector(node["position"]) + displacement(page, node, 0, shown.eta_of(body));
        const std::vector<double> all = recorded.numbers("nodes/" + node["name"].get<std::string>() + "/position");
        const Vector3d want(all[3 * frame], all[3 * frame + 1], all[3 * frame + 2]);
        // Single precision for positions of some metres, and for the poses of long chains.
        EXPECT_LT((shown.world(body, local) - want).norm(), 4e-6 * (1 + want.norm())) << describe(options, seed);
      }
    }
  }
}

TEST(Report, SignalsAreTheRecordedNumbers) {
  const Folder folder;
  const Machine machine = random_machine(mixed_tree(8), 8);
  const std::string text = ModelText::of(machine, make_model(machine));
  const Model model = parse_model(text, "tree");
  write_samples(model, text, folder.file("a.h5"), 9);
  const ReportFacts facts = write_report(folder.file("a.h5"), folder.file("a.html"));
  const PageReader page = PageReader::of_file(folder.file("a.html"));
  const Recorded recorded(folder.file("a.h5"));
  std::vector<float> want, got;
  std::size_t count = 0;
  for (const std::string& path : recorded.datasets()) {
    if (path == "time" || path.ends_with("/rotation")) continue;
    const std::vector<double> numbers = recorded.numbers(path);
    want.insert(want.end(), numbers.begin(), numbers.end());
    count += numbers.size() / 9;
  }
  for (const double x : page.numbers("channels")) got.push_back(static_cast<float>(x));
  std::sort(want.begin(), want.end());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, want);
  EXPECT_EQ(facts.channels, count);
  EXPECT_EQ(facts.channels_shown, count);
  EXPECT_EQ(page.header["channels"].size(), count);
  EXPECT_EQ(page.numbers("time"), recorded.numbers("time"));
  EXPECT_FALSE(page.header.contains("thinned"));
  // Each with its own name.
  for (std::size_t k = 0; k < count; ++k) {
    const auto& channel = page.header["channels"][k];
    if (channel["group"] != "energy") continue;
    const std::vector<double> numbers = recorded.numbers("energy/" + channel["name"].get<std::string>());
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_EQ(static_cast<float>(page.numbers("channels")[k * 9 + i]), static_cast<float>(numbers[i]));
  }
}

constexpr const char* kPendulum = R"(limber: 1
name: pendulum
gravity: [0, 0, -9.81]
bodies:
  - {name: rod, beam: {length: 1, mass: 1, EIy: 50, modes: {bending_z: 1}}}
joints:
  - {name: pin, type: revolute, axis: [0, 1, 0], parent: world, child: rod}
)";

template <class Angle>
void write_angles(const Model& model, const std::string& path, long records, double step, Angle angle) {
  RecordingOptions options;
  options.name = "long";
  options.model_text = kPendulum;
  options.nodes = named_nodes(model);
  options.records = records;
  RecordingWriter writer(model, path, options);
  Sampled sampled(model, make_zero_state(model), 0, 1);
  for (long i = 0; i < records; ++i) {
    sampled.motion.x.t = step * static_cast<double>(i);
    sampled.motion.x.q[0] = angle(i);
    writer.write(sampled.record());
  }
  writer.finish("finished", true);
}

TEST(Report, LongRecordingsAreThinnedWithTheirExtremesAndSpectra) {
  const Folder folder;
  const Model model = parse_model(kPendulum, "pendulum");
  constexpr long kRecords = 100'001;
  constexpr double kStep = 1e-3, kHertz = 37.3, kAmplitude = 0.6;
  const auto angle = [](long i) {
    const double t = kStep * static_cast<double>(i);
    return kAmplitude * std::sin(2 * std::numbers::pi * kHertz * t) + (i == 54321 ? 5.0 : 0.0);
  };
  write_angles(model, folder.file("a.h5"), kRecords, kStep, angle);
  const ReportFacts facts = write_report(folder.file("a.h5"), folder.file("a.html"));
  EXPECT_EQ(facts.records, kRecords);
  EXPECT_LT(facts.records_shown, kRecords / 2);

  const PageReader page = PageReader::of_file(folder.file("a.html"));
  EXPECT_EQ(page.header["thinned"]["records"], kRecords);
  EXPECT_FALSE(page.header["notes"].empty());
  std::size_t k = 0;
  while (page.header["channels"][k]["name"] != "pin" || page.header["channels"][k]["group"] != "joint coordinates") ++k;
  const auto row = [&](const char* name) {
    const RowNumbers all = matrix(page, name);
    return VectorXd(all.row(static_cast<Eigen::Index>(k)));
  };
  const VectorXd value = row("channels"), low = row("low"), high = row("high");
  const std::vector<double> time = page.numbers("time");
  ASSERT_EQ(static_cast<long>(time.size()), facts.records_shown);
  EXPECT_EQ(time.back(), kStep * (kRecords - 1));
  double largest = 0;
  for (std::size_t i = 0; i < time.size(); ++i) {
    const long first = std::lround(time[i] / kStep);
    const long last = i + 1 < time.size() ? std::lround(time[i + 1] / kStep) : first;
    const auto j = static_cast<Eigen::Index>(i);
    EXPECT_EQ(static_cast<float>(value[j]), static_cast<float>(angle(first)));
    double least = angle(first), most = least;
    for (long r = first; r <= last; ++r) least = std::min(least, angle(r)), most = std::max(most, angle(r));
    EXPECT_EQ(static_cast<float>(low[j]), static_cast<float>(least));
    EXPECT_EQ(static_cast<float>(high[j]), static_cast<float>(most));
    largest = std::max(largest, high[j]);
  }
  EXPECT_EQ(static_cast<float>(largest), static_cast<float>(angle(54321)));

  const VectorXd spectrum = row("spectra");
  const std::vector<double> hertz = page.numbers("spectrum_hz");
  Eigen::Index peak = 0;
  EXPECT_NEAR(spectrum.maxCoeff(&peak), kAmplitude, (1.001 - Spectrum::kScalloping) * kAmplitude);
  EXPECT_NEAR(hertz[static_cast<std::size_t>(peak)], kHertz, 0.004 * kHertz);
  EXPECT_EQ(row("histograms").sum(), static_cast<double>(kRecords));
  const VectorXd quantiles = row("quantiles");
  std::vector<double> sorted;
  for (long i = 0; i < kRecords; ++i) sorted.push_back(angle(i));
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(quantiles[0], sorted[50000]);  // of 100 001
  EXPECT_EQ(quantiles[2], sorted[99900]);
  EXPECT_EQ(quantiles[3], sorted.back());
}

// Between any two kept records, whatever their number.
TEST(Thinning, KeepsTheFirstAndTheLastAndNotMoreThanAsked) {
  for (long records = 1; records < 400; ++records) {
    for (long most = 2; most < 60; most += 7) {
      const std::vector<long> kept = kept_records(records, stride_for(records, most));
      EXPECT_EQ(kept.front(), 0);
      EXPECT_EQ(kept.back(), records - 1);
      EXPECT_LE(static_cast<long>(kept.size()), std::max(most, 1L)) << records << " " << most;
    }
  }
}

TEST(Outline, StrainOfABeamAddsUpToItsEnergy) {
  for (const BeamBasis basis :
       {BeamBasis::clamped_free, BeamBasis::free_free, BeamBasis::pinned_free, BeamBasis::craig_bampton}) {
    BeamSpec spec;
    spec.length = 2.5;
    spec.mass_per_length = 3;
    spec.EIy = 40, spec.EIz = 70, spec.EA = 1e4, spec.GJ = 30;
    spec.rotary_inertia_y = 0.01, spec.rotary_inertia_z = 0.02;
    spec.basis = basis;
    spec.modes = {3, 2, basis == BeamBasis::clamped_free ? 1 : 0, basis == BeamBasis::clamped_free ? 1 : 0};
    const Body body = make_beam_body(spec, false);
    constexpr int kStations = 129;
    const Outline outline = make_outline(body, Fidelity::full, kStations);
    for (int a = 0; a < body.modes; ++a) {
      double sum = 0;
      for (int i = 0; i < kStations; ++i) {
        const double weight = i == 0 || i == kStations - 1 ? 0.5 : 1;
        const MatrixXd rows = outline.strain.middleRows(4 * i, 4).cast<double>();
        sum += weight * 0.5 * rows.col(a).squaredNorm() * spec.length / (kStations - 1);
      }
      const double want = 0.5 * body.stiffness(a, a);
      EXPECT_NEAR(sum, want, 5e-3 * want) << body.mode_names[static_cast<std::size_t>(a)];
    }
    // Stations are in order from root to tip.
    for (int i = 0; i < kStations; ++i)
      EXPECT_NEAR(outline.places(i, 0), spec.length * i / (kStations - 1), 1e-6 * spec.length);
    const Node& tip = body.nodes[static_cast<std::size_t>(body.node_index("tip"))];
    EXPECT_LT((outline.shapes.bottomRows(3).cast<double>() - tip.translation).norm(), 1e-6 * tip.translation.norm());
  }
}

TEST(Report, SignalsHaveUnitsAndNamesOfTheirOwn) {
  const Folder folder;
  const std::string text = R"(limber: 1
bodies:
  - {name: cart, rigid: {mass: 2, inertia: [1, 1, 1, 0, 0, 0]}}
  - {name: rod, beam: {length: 1, mass: 1, EIy: 50, modes: {bending_z: 1}}}
joints:
  - {name: slide, type: prismatic, axis: [1, 0, 0], parent: world, child: cart}
  - {name: pin, type: revolute, axis: [0, 1, 0], parent: cart, child: rod}
)";
  const Model model = parse_model(text, "cart");
  write_samples(model, text, folder.file("a.h5"), 4);
  write_report(folder.file("a.h5"), folder.file("a.html"));
  const PageReader page = PageReader::of_file(folder.file("a.html"));
  std::vector<std::string> seen;
  for (const auto& channel : page.header["channels"]) {
    seen.push_back(channel["group"].get<std::string>() + "|" + channel["name"].get<std::string>());
    EXPECT_EQ(std::count(seen.begin(), seen.end(), seen.back()), 1) << seen.back();
  }
  for (const char* name : {"momentum|linear x", "momentum|angular z", "energy|kinetic", "joint forces and torques|pin"})
    EXPECT_EQ(std::count(seen.begin(), seen.end(), name), 1) << name;
  std::string torque, force;
  for (const auto& fact : page.header["summary"]) {
    if (fact["label"] == "largest joint torque") torque = fact["value"];
    if (fact["label"] == "largest joint force") force = fact["value"];
  }
  EXPECT_TRUE(torque.ends_with(" N m, pin")) << torque;
  EXPECT_TRUE(force.ends_with(" N, slide")) << force;
  // Provenance of a recording.
  EXPECT_EQ(page.header["file"], "a.h5");
  EXPECT_TRUE(page.header["date"].get<std::string>().ends_with(" UTC"));
  EXPECT_EQ(page.header["texts"].back()["text"], text);
}

// A rotating boom is stiffer than one at rest: the marks are at the frequencies for the final state and speeds.
TEST(Report, MarksFrequenciesAtTheOperatingPoint) {
  const Folder folder;
  const std::string text = R"(limber: 1
fidelity: stiffened
bodies:
  - {name: boom, beam: {length: 8, mass: 60, EIy: 1e4, modes: {bending_z: 2}}}
joints:
  - {name: hub, type: revolute, axis: [0, 0, 1], parent: world, child: boom}
)";
  const Model model = parse_model(text, "boom");
  const auto lowest = [&](double speed) {
    RecordingOptions options;
    options.name = "boom";
    options.model_text = text;
    options.nodes = named_nodes(model);
    options.records = 2;
    RecordingWriter writer(model, folder.file("a.h5"), options);
    Sampled sampled(model, make_zero_state(model), 0, 1);
    for (int i = 0; i < 2; ++i) {
      sampled.motion.x.t = i;
      sampled.motion.x.v[0] = speed;
      writer.write(sampled.record());
    }
    writer.finish("finished", true);
    write_report(folder.file("a.h5"), folder.file("a.html"));
    const PageReader page = PageReader::of_file(folder.file("a.html"));
    return page.header["frequencies"][0]["hz"].get<double>();
  };
  const double rest = lowest(0), turning = lowest(0.5);
  // Southwell: omega^2 = omega_0^2 + a Omega^2 for slow rotation, a = 1.193 for flapping of a uniform clamped beam.
  const double a = (std::pow(2 * std::numbers::pi * turning, 2) - std::pow(2 * std::numbers::pi * rest, 2)) / 0.25;
  EXPECT_NEAR(a, 1.193, 0.006);
}

// If A depends on the angle of a rotor, the marks are those of its steady motion, not of the last instant.
TEST(Report, MarksFrequenciesOfARotorByItsSteadyMotion) {
  const Folder folder;
  const std::string text = R"(limber: 1
bodies:
  - {name: mast, beam: {length: 20, mass: 400, EIy: 2e6, EIz: 2.1e6, modes: {bending_y: 1, bending_z: 1}}}
  - {name: blade, rigid: {mass: 120, com: [0, 0, 0], inertia: [1000, 1, 1000, 0, 0, 0]}}
joints:
  - {name: base, type: fixed, parent: world, child: mast, origin: {rpy: [0, -1.5707963267948966, 0]}}
  - {name: shaft, type: revolute, axis: [0, 0, 1], parent: mast.tip, child: blade}
)";
  const Model model = parse_model(text, "mast");
  RotorOptions rotor;
  rotor.rotor = model.joint_index("shaft");
  const RotorModes exact = compute_rotor_modes(model, make_zero_state(model), rotor, 6);
  ASSERT_EQ(exact.method, RotorMethod::floquet);
  for (const double angle : {0.0, 1.1}) {
    RecordingOptions options;
    options.name = "mast";
    options.model_text = text;
    options.nodes = named_nodes(model);
    options.records = 2;
    RecordingWriter writer(model, folder.file("a.h5"), options);
    Sampled sampled(model, make_zero_state(model), 0, 1);
    sampled.motion.x.q[model.coordinate("shaft")] = angle;
    sampled.motion.x.v[model.speed("shaft")] = 6;
    for (int i = 0; i < 2; ++i, sampled.motion.x.t = i) writer.write(sampled.record());
    writer.finish("finished", true);
    write_report(folder.file("a.h5"), folder.file("a.html"));
    const PageReader page = PageReader::of_file(folder.file("a.html"));
    ASSERT_EQ(page.header["frequencies"].size(), exact.modes.size());
    for (std::size_t k = 0; k < exact.modes.size(); ++k) {
      EXPECT_NEAR(page.header["frequencies"][k]["hz"].get<double>(), exact.modes[k].frequency / (2 * std::numbers::pi),
                  1e-9);
    }
  }
}

TEST(Report, SaysWhichSignalsAreNotFinite) {
  const Folder folder;
  const Model model = parse_model(kPendulum, "pendulum");
  const auto angle = [](long i) {
    return i == 7 ? std::numeric_limits<double>::quiet_NaN() : 0.1 * static_cast<double>(i);
  };
  write_angles(model, folder.file("a.h5"), 20, 0.1, angle);
  write_report(folder.file("a.h5"), folder.file("a.html"));
  const PageReader page = PageReader::of_file(folder.file("a.html"));
  ASSERT_FALSE(page.header["notes"].empty());
  EXPECT_NE(page.header["notes"][0].get<std::string>().find("1 of 20 records of joint coordinates, pin"),
            std::string::npos);
}

}  // namespace
}  // namespace limber::test
