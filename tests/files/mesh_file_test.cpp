// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/mesh_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "limber/files/model_file.hpp"
#include "limber/spatial/status.hpp"
#include "limber/spatial/types.hpp"

namespace limber {
namespace {

// A tetrahedron with corners at the origin and on the axes, in three formats.
const std::string kTextStl =
    "solid tet\n"
    "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 2 0\nvertex 1 0 0\nendloop\nendfacet\n"
    "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 3\nendloop\nendfacet\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 3\nvertex 0 2 0\nendloop\nendfacet\n"
    "facet normal 6 3 2\nouter loop\nvertex 1 0 0\nvertex 0 2 0\nvertex 0 0 3\nendloop\nendfacet\n"
    "endsolid tet\n";
const std::string kObj =
    "# a tetrahedron\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nvn 0 0 1\nf 1 3 2\nf 1/1 2/2 4/3\nf -4//1 -1//1 -2//1\nf 2 3 "
    "4\n";

double volume(const VisualMesh& mesh) {
  double six = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    six += mesh.points.col(a).dot(mesh.points.col(b).head<3>().cross(mesh.points.col(c).head<3>()));
  return six / 6;
}

std::string mesh_message(const std::string& bytes, const std::string& name) {
  try {
    parse_mesh(bytes, name);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(MeshFile, FormatsGiveTheSameTriangles) {
  const VisualMesh text = parse_mesh(kTextStl, "a.stl"), obj = parse_mesh(kObj, "a.OBJ");
  const VisualMesh binary = parse_mesh(text.bytes, "a.stl");
  for (const VisualMesh* mesh : {&text, &obj, &binary}) {
    EXPECT_EQ(mesh->points.cols(), 4);
    EXPECT_EQ(mesh->triangles.size(), 4U);
    EXPECT_NEAR(volume(*mesh), 1, 1e-12);
  }
  EXPECT_EQ(text.bytes.size(), 84U + 4 * 50);
  // A binary file with the header of a text file.
  std::string titled = text.bytes;
  std::memcpy(titled.data(), "solid", 5);
  EXPECT_NEAR(volume(parse_mesh(titled, "a.stl")), 1, 1e-12);
}

TEST(MeshFile, FineMeshesAreThinned) {
  constexpr int n = 200;
  std::ostringstream obj;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k <= n; ++k) obj << "v " << i << ' ' << k << ' ' << std::sin(0.05 * i) << '\n';
  for (int i = 0; i < n; ++i)
    for (int k = 1; k <= n; ++k) {
      const int a = i * (n + 1) + k;
      obj << "f " << a << ' ' << a + n + 1 << ' ' << a + n + 2 << ' ' << a + 1 << '\n';
    }
  const VisualMesh mesh = parse_mesh(obj.str(), "sheet.obj");
  EXPECT_LE(mesh.points.cols(), 5000);
  EXPECT_GT(mesh.points.cols(), 1000);
  double area = 0;  // projected along z
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vector3d x = mesh.points.col(b) - mesh.points.col(a), y = mesh.points.col(c) - mesh.points.col(a);
    area += 0.5 * (x.x() * y.y() - x.y() * y.x());
  }
  EXPECT_NEAR(area, n * n, 0.05 * n * n);
}

TEST(MeshFile, FaultsAreNamed) {
  const std::string binary = parse_mesh(kTextStl, "a.stl").bytes;
  EXPECT_EQ(mesh_message(binary.substr(0, 200), "a.stl"),
            "a.stl: a binary STL of 4 triangles has 284 bytes, not 200; the file was cut short?");
  EXPECT_EQ(mesh_message("", "a.stl"),
            "a.stl: a binary STL of 0 triangles has 84 bytes, not 0; the file was cut short?");
  std::string bad = binary;
  std::memset(bad.data() + 96, 0xff, 4);
  EXPECT_EQ(mesh_message(bad, "a.stl"), "a.stl: a coordinate is not a finite number");
  EXPECT_EQ(mesh_message("solid x\nvertex 0 0\n", "a.stl"), "a.stl:2: a corner needs three coordinates");
  EXPECT_EQ(mesh_message("solid x\nvertex 0 0 1e99\n", "a.stl"), "a.stl:2: a coordinate is larger than any drawing");
  EXPECT_EQ(mesh_message("solid x\nvertex 0 0 0\n", "a.stl"), "a.stl:2: ends inside a facet; the file was cut short?");
  EXPECT_EQ(mesh_message("v 0 0 0\nf 1 2 3\n", "a.obj"), "a.obj:2: corner 2 does not exist: 1 were given so far");
  EXPECT_EQ(mesh_message("v 0 0 0\nf 1 1\n", "a.obj"), "a.obj:2: a face needs three corners");
}

// A URDF in its package, used by a model in another folder.
TEST(MeshFile, MeshesOfAUrdfAreFound) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("limber-mesh-" + std::to_string(::getpid()));
  fs::create_directories(folder / "arm" / "meshes");
  fs::create_directories(folder / "arm" / "urdf");
  std::ofstream(folder / "arm" / "meshes" / "tet.stl") << kTextStl;
  std::ofstream(folder / "arm" / "urdf" / "arm.urdf")
      << "<robot name='r'><link name='a'><inertial><mass value='1'/>"
         "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
         "<visual><geometry><mesh filename='package://arm/meshes/tet.stl' scale='1 1 0.5'/></geometry></visual>"
         "<visual><geometry><mesh filename='../meshes/tet.stl'/></geometry></visual>"
         "<visual><geometry><mesh filename='package://nobody/x.stl'/></geometry></visual>"
         "<visual><geometry><mesh filename='../meshes/x.dae'/></geometry></visual>"
         "<visual><geometry><sphere radius='0.1'/></geometry></visual></link></robot>";
  std::ofstream(folder / "model.yaml") << "limber: 1\nurdf: arm/urdf/arm.urdf\n";
  const Model model = read_model((folder / "model.yaml").string());
  const Body& body = model.body(model.body_index("a"));
  const DrawnSpec* drawn = drawn_of(body);
  ASSERT_NE(drawn, nullptr);
  ASSERT_EQ(drawn->meshes.size(), 5U);
  EXPECT_NE(drawn->meshes[0], nullptr);
  EXPECT_NE(drawn->meshes[1], nullptr);
  EXPECT_EQ(drawn->meshes[2], nullptr);
  EXPECT_EQ(drawn->meshes[3], nullptr);
  EXPECT_EQ(drawn->meshes[4], nullptr);
  EXPECT_EQ(body.visuals[0].file, "arm/urdf/../meshes/tet.stl");
  EXPECT_EQ(body.visuals[2].file, "package://nobody/x.stl");
  // An existing file must be valid.
  std::ofstream(folder / "arm" / "meshes" / "tet.stl") << "solid x\nvertex\n";
  try {
    read_model((folder / "model.yaml").string());
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("tet.stl:2: a corner needs three coordinates"), std::string::npos) << e.what();
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace limber
