// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "files/hdf5.hpp"
#include "limber/files/detail/output.hpp"
#include "limber/files/modal_body_file.hpp"

namespace limber {
namespace {

using h5::checked;
using h5::Id;

constexpr OutputKind kModalBodyKind = {"a modal body", &is_modal_body};

// Writes datasets with unit and description.
class Writer {
 public:
  explicit Writer(hid_t file) : file_(file) {}

  template <class Number>
  void add(const std::string& name, const std::vector<hsize_t>& size, const Number* numbers, const char* units,
           const char* what) {
    const hid_t memory = std::is_same_v<Number, double>  ? H5T_NATIVE_DOUBLE
                         : std::is_same_v<Number, float> ? H5T_NATIVE_FLOAT
                                                         : H5T_NATIVE_INT;
    const hid_t disk = std::is_same_v<Number, double>  ? H5T_IEEE_F64LE
                       : std::is_same_v<Number, float> ? H5T_IEEE_F32LE
                                                       : H5T_STD_I32LE;
    hsize_t count = 1;
    for (const hsize_t n : size) count *= n;
    const Id space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), &H5Sclose);
    const Id creation(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose), links(H5Pcreate(H5P_LINK_CREATE), &H5Pclose);
    checked(H5Pset_obj_track_times(creation.get(), false));
    checked(H5Pset_create_intermediate_group(links.get(), 1));
    constexpr hsize_t kWorthIt = 1000;
    if (count > kWorthIt) {
      checked(H5Pset_chunk(creation.get(), static_cast<int>(size.size()), size.data()));
      checked(H5Pset_shuffle(creation.get()));
      checked(H5Pset_deflate(creation.get(), 6));
    }
    const Id dataset(H5Dcreate2(file_, name.c_str(), disk, space.get(), links.get(), creation.get(), H5P_DEFAULT),
                     &H5Dclose);
    if (count > 0) checked(H5Dwrite(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
    h5::set_text(dataset.get(), "units", units);
    h5::set_text(dataset.get(), "what", what);
  }

  void names(const std::string& dataset, const std::vector<std::string>& names) {
    const Id id(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), &H5Dclose);
    h5::set_texts(id.get(), "names", names);
  }

 private:
  hid_t file_;
};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void add_integrals(Writer& out, const Body& body) {
  const auto n = static_cast<hsize_t>(body.modes), shapes = n + 1;
  out.add("mass", {1}, &body.mass, "kg", "mass m");
  const RowMajor S = body.S;
  out.add("S", {3, shapes}, S.data(), "kg m", "S_a = sum m phi_a; column 0: of the undeformed positions");
  std::vector<double> C;
  for (const Matrix3d& block : body.C) {
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rows = block;
    C.insert(C.end(), rows.data(), rows.data() + 9);
  }
  out.add("C", {shapes, shapes, 3, 3}, C.data(), "kg m2",
          "C_ab = sum m phi_a phi_b^T; index 0: the undeformed positions");
  const VectorXd K = body.stiffness.diagonal(), D = body.damping.diagonal();
  out.add("stiffness", {n}, K.data(), "N m", "modal stiffness, diagonal; the modes have modal mass 1 kg m2");
  out.add("damping", {n}, D.data(), "N m s", "modal damping, diagonal");
}

void add_nodes(Writer& out, const Body& body) {
  const auto n = static_cast<hsize_t>(body.modes), count = static_cast<hsize_t>(body.nodes.size());
  std::vector<double> position, rotation, translation, turn;
  std::vector<std::string> names;
  const auto append = [](std::vector<double>& list, const RowMajor& m) {
    list.insert(list.end(), m.data(), m.data() + m.size());
  };
  for (const Node& node : body.nodes) {
    names.push_back(node.name);
    append(position, RowMajor(node.position.transpose()));
    append(rotation, RowMajor(node.rotation));
    append(translation, RowMajor(node.translation));
    append(turn, RowMajor(node.turn));
  }
  out.add("nodes/position", {count, 3}, position.data(), "m", "undeformed place of each interface in the body frame");
  out.add("nodes/rotation", {count, 3, 3}, rotation.data(), "1",
          "undeformed axes of each interface in the body frame, as columns");
  out.add("nodes/translation", {count, 3, n}, translation.data(), "m", "displacement of each interface per mode");
  out.add("nodes/turn", {count, 3, n}, turn.data(), "rad", "rotation of each interface per mode");
  out.names("nodes/position", names);
}

void add_modes(Writer& out, const FeReduction& reduction) {
  const Body& body = reduction.body;
  const auto n = static_cast<hsize_t>(body.modes);
  const VectorXd hertz = body.stiffness.diagonal().cwiseMax(0).cwiseSqrt() / (2 * 3.14159265358979323846);
  const RowMajor effective = reduction.facts.effective_mass.transpose();
  out.add("modes/hertz", {n}, hertz.data(), "Hz",
          "natural frequencies of the body held at its frame, or free for method free");
  out.add("modes/free_hertz", {static_cast<hsize_t>(reduction.facts.free_hertz.size())},
          reduction.facts.free_hertz.data(), "Hz", "elastic frequencies of the free body with these modes");
  out.add("modes/fixed_hertz", {static_cast<hsize_t>(reduction.facts.fixed_hertz.size())},
          reduction.facts.fixed_hertz.data(), "Hz",
          "fixed-interface modes of Craig and Bampton, before the shapes were made orthogonal");
  out.add("modes/effective_mass", {n, 3}, effective.data(), "kg",
          "effective modal mass along x, y, z with the frame held");
}

void add_surface(Writer& out, const FePart& part, const FeReduction& reduction) {
  PartSpec surface;
  set_surface(part, reduction, surface);
  const auto stations = static_cast<hsize_t>(surface.places.rows()), n = static_cast<hsize_t>(reduction.body.modes);
  out.add("surface/places", {stations, 3}, surface.places.data(), "m",
          "nodes of the surface, undeformed, in the body frame");
  out.add("surface/shapes", {3 * stations, n}, surface.shapes.data(), "m",
          "their displacement per mode, rows x, y, z of each");
  std::vector<int> corners;
  for (const auto& t : surface.triangles) corners.insert(corners.end(), t.begin(), t.end());
  out.add("surface/triangles", {static_cast<hsize_t>(surface.triangles.size()), 3}, corners.data(), "1",
          "corners, from 0");
}

}  // namespace

void write_modal_body(const std::string& path, const FePart& part, const FeReduction& reduction,
                      const std::vector<std::pair<std::string, std::string>>& facts,
                      const std::vector<std::string>& never_overwrites) {
  const h5::Quiet quiet;
  OutputFile output(path, kModalBodyKind, never_overwrites);
  try {
    Id file(H5Fcreate(output.part().c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose);
    h5::set_number(file.get(), "limber_body", kModalBodyFormat);
    h5::set_text(file.get(), "version", LIMBER_VERSION);
    h5::set_text(file.get(), "units", "SI: m, kg, s, N, rad");
    std::vector<std::string> lines;
    for (const auto& [label, value] : facts) lines.push_back(label + "\t" + value);
    h5::set_texts(file.get(), "facts", lines);
    h5::set_texts(file.get(), "warnings", reduction.facts.warnings);
    Writer out(file.get());
    add_integrals(out, reduction.body);
    add_nodes(out, reduction.body);
    add_modes(out, reduction);
    add_surface(out, part, reduction);
    if (!file.close()) throw h5::HdfError(h5::reason());
  } catch (const h5::HdfError& e) {
    refuse_output(path, e.what());
  }
  output.publish();
}

}  // namespace limber
