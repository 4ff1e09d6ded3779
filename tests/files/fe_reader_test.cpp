// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Readers of finite-element models, on the files in LIMBER_TEST_DATA/fe: one part is the same in every format, and
// errors are reported.
// broken is told.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "files/fe/mesh.hpp"
#include "limber/spatial/status.hpp"
#include "support/fe_data.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;

class FeReaders : public ::testing::Test {
 protected:
  FeReaders() {
    fs::create_directories(folder_);
    tiny_ = read_calculix(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  }
  ~FeReaders() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  // "row column value" in a format, for one triangle or both.
  template <class Line>
  std::string entries(const Eigen::SparseMatrix<double>& m, bool both, const Line& line) const {
    std::string out;
    for (Eigen::Index c = 0; c < m.outerSize(); ++c)
      for (Eigen::SparseMatrix<double>::InnerIterator it(m, c); it; ++it)
        if (both || it.row() >= c) out += line(static_cast<int>(it.row()), static_cast<int>(c), it.value());
    return out;
  }
  void expect_same(const FeModel& other) const {
    ASSERT_EQ(other.part.dofs.size(), tiny_.part.dofs.size());
    EXPECT_LT((other.part.stiffness - tiny_.part.stiffness).norm(), 1e-12 * tiny_.part.stiffness.norm());
    EXPECT_LT((other.part.mass - tiny_.part.mass).norm(), 1e-12 * tiny_.part.mass.norm());
    EXPECT_LT((other.part.positions - tiny_.part.positions).norm(), 1e-9);
    EXPECT_EQ(find_nodes(other, "1-4,9-12").size(), 8U);
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) / ("fe_readers" + std::to_string(getpid()));
  FeModel tiny_;
};

std::string fault_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

void expect_message(const std::function<void()>& call, const std::string& part) {
  const std::string found = fault_of(call);
  EXPECT_NE(found.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << found;
  EXPECT_EQ(found.find('\n'), std::string::npos) << found;
}

TEST_F(FeReaders, SetsSurfaceAndRowsOfADeck) {
  EXPECT_EQ(tiny_.part.positions.cols(), 80);
  EXPECT_EQ(tiny_.part.dofs.size(), 240U);
  EXPECT_EQ(find_nodes(tiny_, "nbase"), find_nodes(tiny_, "1-4,9-12"));
  EXPECT_EQ(tiny_.sets.at("NALL").size(), 80U);
  // 6 hexahedra in a row: 26 outer faces of six triangles.
  EXPECT_EQ(tiny_.part.triangles.size(), 26U * 6);
  double area = 0;
  for (const auto& [a, b, c] : tiny_.part.triangles) {
    const Vector3d u = tiny_.part.positions.col(b) - tiny_.part.positions.col(a);
    area += 0.5 * u.cross(tiny_.part.positions.col(c) - tiny_.part.positions.col(a)).norm();
  }
  EXPECT_NEAR(area, 2 * (0.5 * 0.04 + 0.5 * 0.02 + 0.04 * 0.02), 1e-8);
}

TEST_F(FeReaders, MatrixMarketAndNodeTable) {
  const auto market = [&](const Eigen::SparseMatrix<double>& m, bool both) {
    const std::string body =
        entries(m, both, [](int r, int c, double v) { return fmt::format("{} {} {:.17g}\n", r + 1, c + 1, v); });
    return fmt::format("%%MatrixMarket matrix coordinate real {}\n% comment\n{} {} {}\n{}",
                       both ? "general" : "symmetric", m.rows(), m.cols(), std::count(body.begin(), body.end(), '\n'),
                       body);
  };
  std::string nodes = "node,x,y,z,set\n";
  for (Eigen::Index p = 0; p < 80; ++p)
    nodes += fmt::format("{},{:.17g},{:.17g},{:.17g},{}\n", p + 1, tiny_.part.positions(0, p),
                         tiny_.part.positions(1, p), tiny_.part.positions(2, p), p < 4 ? "corner all" : "all");
  const std::string K = write("K.mtx", market(tiny_.part.stiffness, false)),
                    M = write("M.mtx", market(tiny_.part.mass, true));
  const std::string table = write("nodes.csv", nodes);
  const FeModel read = read_matrices(K, M, table);
  expect_same(read);
  EXPECT_EQ(find_nodes(read, "corner").size(), 4U);
  const std::string whole = market(tiny_.part.stiffness, false);
  expect_message([&] { read_matrices(write("cut.mtx", whole.substr(0, whole.size() / 2)), M, table); }, "cut short");
  expect_message([&] { read_matrices(write("more.mtx", whole + "1 1 3\n"), M, table); }, "more than the");
  expect_message([&] { read_matrices(write("nan.mtx", whole.substr(0, whole.rfind(' ')) + " nan\n"), M, table); },
                 "not a finite number");
  expect_message([&] { read_matrices(K, M, write("few.csv", nodes.substr(0, nodes.find("\n42,") + 1))); },
                 "3 or 6 per node");
  expect_message([&] { read_matrices(K, M, write("twice.csv", nodes + "5,0,0,0,all\n")); }, "duplicate node 5");
  expect_message([&] { read_matrices(table, M, table); }, "is not a MatrixMarket file");
}

TEST_F(FeReaders, AbaqusMatrices) {
  const auto lines = [&](const Eigen::SparseMatrix<double>& m) {
    return "** made by a test\n" + entries(m, false, [](int r, int c, double v) {
             return fmt::format("{},{}, {},{}, {:.17e}\n", r / 3 + 1, r % 3 + 1, c / 3 + 1, c % 3 + 1, v);
           });
  };
  const std::string mesh = LIMBER_FE("beam_tiny_msh.inp");
  const std::string K = write("STIF1.mtx", lines(tiny_.part.stiffness)), M = write("MASS1.mtx", lines(tiny_.part.mass));
  expect_same(read_abaqus(K, M, mesh));
  expect_message([&] { read_abaqus(write("rows.mtx", "1 1 3.0\n"), M, mesh); }, "FORMAT=MATRIX INPUT");
  expect_message([&] { read_abaqus(write("held.mtx", "1,1, 1,1, 1e36\n"), M, mesh); }, "held by a boundary condition");
  expect_message([&] { read_abaqus(write("other.mtx", "999,1, 999,1, 1\n"), M, mesh); }, "node 999 is not in the mesh");
}

TEST_F(FeReaders, NastranPunchInLargeFields) {
  const auto matrix = [&](const char* name, const Eigen::SparseMatrix<double>& m) {
    std::string out = fmt::format("DMIG    {:<8}       0       6       2       0                     240\n", name);
    for (Eigen::Index c = 0; c < m.outerSize(); ++c) {
      out += fmt::format("DMIG*   {:<16}{:>16}{:>16}\n", name, c / 3 + 1, c % 3 + 1);
      for (Eigen::SparseMatrix<double>::InnerIterator it(m, c); it; ++it) {
        if (it.row() < c) continue;
        std::string value = fmt::format("{:.9E}", it.value());
        std::replace(value.begin(), value.end(), 'E', 'D');
        out += fmt::format("*       {:>16}{:>16}{:>16}\n", it.row() / 3 + 1, it.row() % 3 + 1, value);
      }
    }
    return out;
  };
  std::string bulk = "$ mesh\nSET 7 = 1 THRU 4,\n 9 THRU 12\nBEGIN BULK\n";
  for (Eigen::Index p = 0; p < 80; ++p)
    bulk += fmt::format("GRID*   {:>16}{:>16}{:>16.9E}{:>16.9E}\n*       {:>16.9E}{:>16}\n", p + 1, "",
                        tiny_.part.positions(0, p), tiny_.part.positions(1, p), tiny_.part.positions(2, p), "");
  bulk += "CHEXA,1,1,1,2,3,4,17,28\n,39,50\n";
  const std::string punch = matrix("KAAX", tiny_.part.stiffness) + matrix("MAAX", tiny_.part.mass);
  const std::string mesh = write("mesh.bdf", bulk), file = write("part.pch", punch);
  const FeModel read = read_nastran(file, mesh);
  ASSERT_EQ(read.part.dofs.size(), 240U);
  EXPECT_LT((read.part.stiffness - tiny_.part.stiffness).norm(), 1e-8 * tiny_.part.stiffness.norm());
  EXPECT_LT((read.part.mass - tiny_.part.mass).norm(), 1e-8 * tiny_.part.mass.norm());
  EXPECT_EQ(find_nodes(read, "7").size(), 8U);
  EXPECT_EQ(read.part.triangles.size(), 12U);
  EXPECT_EQ(read_nastran(write("one.pch", bulk + punch), "").part.dofs.size(), 240U);
  expect_message([&] { read_nastran(file, ""); }, "no GRID entries");
  expect_message([&] { read_nastran(write("k.pch", matrix("KAAX", tiny_.part.stiffness)), mesh); },
                 "no DMIG matrix begins with M");
  expect_message([&] { read_nastran(write("cp.pch", "GRID,1,5,0.,0.,0.\n" + punch), ""); }, "coordinate system 5");
  expect_message([&] { read_nastran(write("bad.pch", "DMIG,KAAX,0,6,4,0\n"), mesh); }, "is complex");
}

// ---- broken CalculiX files --------------------------------------------------------------------------

class BrokenCalculix : public FeReaders {
 protected:
  BrokenCalculix() {
    for (const auto* m : {&tiny_.part.stiffness, &tiny_.part.mass})
      (m == &tiny_.part.stiffness ? sti_ : mas_) =
          entries(*m, false, [](int r, int c, double v) { return fmt::format("{} {} {:.13e}\n", c + 1, r + 1, v); });
    for (int p = 1; p <= 80; ++p)
      for (int k = 1; k <= 3; ++k) dof_ += fmt::format("{}.{}\n", p, k);
    std::ifstream in(LIMBER_FE("beam_tiny_msh.inp"));
    mesh_.assign(std::istreambuf_iterator<char>(in), {});
  }
  FeReduction reduce() const {
    write("job.sti", sti_);
    write("job.mas", mas_);
    write("job.dof", dof_);
    const FeModel model = read_calculix((folder_ / "job").string(), write("mesh.inp", mesh_));
    return reduce_part(model.part, test::both_ends(model, FeCoupling::rigid), {.modes = 4});
  }
  void expect_refused(const std::string& part) const {
    expect_message([this] { reduce(); }, part);
  }
  static std::string without_last_lines(const std::string& text, int count) {
    std::size_t end = text.size();
    for (int k = 0; k <= count; ++k) end = text.rfind('\n', end - 1);
    return text.substr(0, end + 1);
  }
  std::string sti_, mas_, dof_, mesh_;
};

TEST_F(BrokenCalculix, GoodOnesAreTaken) { EXPECT_EQ(reduce().body.modes, 10); }

TEST_F(BrokenCalculix, TruncatedInALine) {
  sti_.resize(sti_.size() - 25);
  expect_refused("the file was cut short");
}
TEST_F(BrokenCalculix, TruncatedStiffness) {
  sti_ = without_last_lines(sti_, 3000);
  expect_refused("the stiffness of node");
}
TEST_F(BrokenCalculix, TruncatedMass) {
  mas_ = without_last_lines(mas_, 10);
  expect_refused("cut short, or the node belongs to no element");
}
TEST_F(BrokenCalculix, MoreRowsThanDegreesOfFreedom) {
  dof_ = without_last_lines(dof_, 3);
  expect_refused("is not one of the 237 degrees of freedom");
}
TEST_F(BrokenCalculix, ADirectionIsMissing) {
  dof_ = without_last_lines(dof_, 1) + "81.1\n";
  mesh_.insert(mesh_.find("*ELEMENT"), "81, 1, 1, 1\n");
  expect_refused("has no row for z");
}
TEST_F(BrokenCalculix, NotANumber) {
  sti_.replace(sti_.find("e+"), 4, "nan0");
  expect_refused("must be a number");
  sti_ = "1 1 nan\n" + sti_;
  expect_refused("job.sti:1: the value is nan, not a finite number");
}
TEST_F(BrokenCalculix, AsymmetricStiffness) {
  sti_ += "2 1 1.0e7\n";  // a lower entry besides the upper triangle: both are used, and they differ
  expect_refused("the stiffness matrix is not symmetric");
}
TEST_F(BrokenCalculix, EntryTwice) {
  mas_ += "5 5 1.0e-3\n";
  expect_refused("duplicate entries");
}
TEST_F(BrokenCalculix, OtherMesh) {
  mesh_.replace(mesh_.find("80, 0.416666667"), 15, "80, 0.216666667");
  expect_refused("resists rigid motion");
}
TEST_F(BrokenCalculix, DuplicateNode) {
  mesh_.insert(mesh_.find("*ELEMENT"), "5, 9, 9, 9\n");
  expect_refused("duplicate node 5, at two positions");
}
TEST_F(BrokenCalculix, UnknownNodeInSetAndElement) {
  mesh_ += "*NSET, NSET=MORE\n4711\n";
  expect_refused("node 4711 does not exist");
}
TEST_F(BrokenCalculix, HeldPart) {  // 1 GN/m to the ground at one node
  sti_.replace(0, sti_.find('\n'), "1 1 2.0e9");
  expect_refused("resists rigid motion");
}
TEST_F(BrokenCalculix, NoMassAtAll) {
  mas_ = entries(tiny_.part.mass, false,
                 [](int r, int c, double v) { return fmt::format("{} {} {:.13e}\n", c + 1, r + 1, -v); });
  expect_refused("positive diagonal");
}

// Two adjacent bars whose meshes are not merged.
TEST_F(BrokenCalculix, DisconnectedMesh) {
  const auto twice = [&](const std::string& text) {
    std::string out = text;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      int r = 0, c = 0;
      std::string v;
      fields >> r >> c >> v;
      out += fmt::format("{} {} {}\n", r + 240, c + 240, v);
    }
    return out;
  };
  sti_ = twice(sti_);
  mas_ = twice(mas_);
  for (int p = 81; p <= 160; ++p)
    for (int k = 1; k <= 3; ++k) dof_ += fmt::format("{}.{}\n", p, k);
  std::string more;
  for (Eigen::Index p = 0; p < 80; ++p)
    more += fmt::format("{}, {:.9g}, {:.9g}, {:.9g}\n", p + 81, tiny_.part.positions(0, p) + 0.5,
                        tiny_.part.positions(1, p), tiny_.part.positions(2, p));
  mesh_.insert(mesh_.find("*ELEMENT"), more);
  expect_refused("in 2 unconnected pieces");
  expect_refused("are at the same position: merge them");
}

TEST_F(BrokenCalculix, CompressedAndCutShort) {
  std::ifstream in(LIMBER_FE("beam_tiny_matrix.sti.xz"), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  write("job.sti.xz", bytes.substr(0, bytes.size() / 2));
  write("job.mas", mas_);
  write("job.dof", dof_);
  const std::string mesh = write("mesh.inp", mesh_), job = (folder_ / "job").string();
  expect_message([&] { read_calculix(job, mesh); }, "the compressed file was cut short");
  write("job.sti.xz", "no xz at all");
  expect_message([&] { read_calculix(job, mesh); }, "it is not compressed by xz");
}

// ---- parts and interfaces ----------------------------------------------------------------------------

TEST(BrokenParts, ReducedIntegrationIsRefusedWithItsCause) {
  const FeModel model = read_calculix(LIMBER_FE("bad/beam_tiny_c3d20r_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  for (const FeMethod method : {FeMethod::craig_bampton, FeMethod::clamped, FeMethod::free})
    expect_message([&] { reduce_part(model.part, test::both_ends(model, FeCoupling::rigid), {.method = method}); },
                   "motions without strain: 13");
  expect_message([&] { reduce_part(model.part, test::both_ends(model, FeCoupling::average), {}); },
                 "motions without strain: 13, but a part has six, the rigid ones; mesh with fully integrated elements");
}

TEST(BrokenParts, WrongUnitsAreSeenByDimensions) {
  FeModel mm = read_calculix(LIMBER_FE("beam_tiny_mm_matrix"), LIMBER_FE("beam_tiny_mm_msh.inp"));
  const auto ends = test::both_ends(mm, FeCoupling::rigid);
  expect_message([&] { reduce_part(mm.part, ends, {}); }, "check the units");
  FeModel si = read_calculix(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  convert_units(FeUnits::mm_t_s, si.part);
  expect_message([&] { reduce_part(si.part, ends, {}); }, "check the units");
}

TEST(BrokenParts, InterfacesThatCannotBe) {
  const FeModel model = read_calculix(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  const auto reduce = [&](const std::vector<FeInterface>& list, FeOptions options = {}) {
    reduce_part(model.part, list, options);
  };
  const std::vector<int> base = find_nodes(model, "NBASE");
  expect_message([&] { reduce({}); }, "there is no interface at which to hold the part");
  expect_message([&] { reduce({{"a", {base[0]}, FeCoupling::rigid}}); }, "1 node, which defines no rotation");
  expect_message([&] { reduce({{"a", find_nodes(model, "1,17,18"), FeCoupling::average}}); }, "on a line");
  expect_message(
      [&] {
        reduce({{"a", base, FeCoupling::rigid}, {"b", base, FeCoupling::rigid}});
      },
      "node 1 is in the interfaces 'a' and 'b'");
  expect_message([&] { reduce({{"a.b", base, FeCoupling::rigid}}); }, "node name");
  expect_message([&] { reduce({{"a", base, FeCoupling::rigid}}, {.damping = -1}); }, "damping is -1");
  expect_message([&] { find_nodes(model, "NBSE"); }, "NBASE");
  expect_message([&] { find_nodes(model, "3-900"); }, "names node 81, which does not exist");
}

}  // namespace
}  // namespace limber
