// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "files/fe/mesh.hpp"
#include "limber/spatial/status.hpp"

namespace limber::fe {

// "712.3": node 712, direction 3; two integers, not a decimal number.
std::vector<std::pair<long, int>> read_rows(Lines& lines) {
  std::vector<std::pair<long, int>> out;
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = trim(line);
    if (text.empty()) continue;
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) lines.fail("must be NODE.DIRECTION, as in 712.3; the file was cut short?");
    const long node = integer_at(lines, text.substr(0, dot), "the node");
    const long direction = integer_at(lines, text.substr(dot + 1), "the direction");
    if (node <= 0 || direction < 1 || direction > 3)
      lines.fail(fmt::format("direction {} of node {} is not a displacement; directions are 1, 2, 3", direction, node));
    if (out.size() >= kMaxRows) lines.fail(fmt::format("more than {} degrees of freedom", kMaxRows));
    out.emplace_back(node, static_cast<int>(direction) - 1);
  }
  return out;
}

Entries read_triplets(Lines& lines, std::size_t rows) {
  Entries out;
  std::string_view line;
  while (lines.next(line)) {
    const auto fields = words(line);
    if (fields.empty()) continue;
    if (fields.size() != 3) lines.fail("must be ROW COLUMN VALUE; the file was cut short?");
    const long row = integer_at(lines, fields[0], "the row"), column = integer_at(lines, fields[1], "the column");
    for (const long index : {row, column})
      if (index < 1 || index > static_cast<long>(rows))
        lines.fail(
            fmt::format("row or column {} is not one of the {} degrees of freedom of the .dof file", index, rows));
    out.add(static_cast<int>(row) - 1, static_cast<int>(column) - 1, number_at(lines, fields[2], "the value"));
  }
  return out;
}

namespace {

// The reference node and the rotation node of a rigid body become one node with six rows: in the file, a rotation is
// stored as a displacement of the rotation node.
void join_rigid_bodies(const Mesh& mesh, const std::string& deck, FePart& part) {
  for (const RigidBody& body : mesh.rigid) {
    const auto refuse = [&](const std::string& what) {
      throw InputError(fmt::format("{}:{}: {}", deck, body.line, what));
    };
    const int reference = mesh.find(body.reference), rotation = mesh.find(body.rotation);
    if (reference < 0 || rotation < 0)
      refuse("*RIGID BODY must name REF NODE and ROT NODE, both defined by *NODE, to identify its rows");
    int rows = 0, turns = 0;
    for (FeDof& dof : part.dofs) {
      rows += dof.node == reference ? 1 : 0;
      if (dof.node != rotation) continue;
      dof = {reference, dof.direction + 3};
      ++turns;
    }
    if (rows != 3 || turns != 3)
      refuse(fmt::format(
          "the rigid body with REF NODE={} has {} displacements and {} rotations in the matrices, not 3 and 3; "
          "export without boundary conditions",
          body.reference, rows, turns));
    FeRigid rigid{reference, {}};
    for (const int node : body.nodes)
      if (node != reference && node != rotation) rigid.nodes.push_back(node);
    part.rigid.push_back(std::move(rigid));
  }
}

std::string without_ending(const std::string& job) {
  for (const char* end : {".sti", ".mas", ".dof"})
    if (job.ends_with(end)) return job.substr(0, job.size() - 4);
  return job;
}

}  // namespace
}  // namespace limber::fe

namespace limber {

FeModel read_calculix(const std::string& given, const std::string& mesh_file) {
  const std::string job = fe::without_ending(given);
  const std::string folder = std::filesystem::path(mesh_file).parent_path().string();
  fe::Mesh mesh;
  fe::Lines deck = fe::Lines::open(mesh_file);
  fe::read_deck(
      deck, [&](const std::string& name) { return fe::Lines::open((std::filesystem::path(folder) / name).string()); },
      mesh);
  fe::Lines dof = fe::Lines::open(job + ".dof");
  const auto rows = fe::read_rows(dof);
  if (rows.empty()) throw InputError(fmt::format("{}: is empty; run *FREQUENCY, SOLVER=MATRIXSTORAGE", dof.name()));
  FeModel out;
  mesh.finish(out);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const int node = mesh.find(rows[k].first);
    if (node < 0)
      throw InputError(
          fmt::format("{}:{}: node {} is not in {}; name the deck that the matrices were made of, with its "
                      "*NODE and *RIGID BODY cards",
                      dof.name(), k + 1, rows[k].first, mesh_file));
    out.part.dofs.push_back({node, rows[k].second});
  }
  fe::join_rigid_bodies(mesh, mesh_file, out.part);
  const auto n = static_cast<Eigen::Index>(rows.size());
  fe::Lines sti = fe::Lines::open(job + ".sti"), mas = fe::Lines::open(job + ".mas");
  out.part.stiffness = fe::read_triplets(sti, rows.size()).matrix(n, sti.name());
  out.part.mass = fe::read_triplets(mas, rows.size()).matrix(n, mas.name());
  out.files = fmt::format("CalculiX {}, {}, {}, mesh {}", sti.name(), mas.name(), dof.name(), mesh_file);
  return out;
}

}  // namespace limber
