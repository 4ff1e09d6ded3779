// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// HDF5 reads the file in a separate process, which passes on arrays of numbers.
#include <fmt/format.h>

#include <cmath>

#include "files/hdf5.hpp"
#include "files/worker.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/modal_body_file.hpp"
#include "limber/files/recording_reader.hpp"
#include "limber/files/text_file.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

using h5::checked;
using h5::Id;

constexpr const char* kDamagedBody = "the file is damaged, make it again with `limber modes`";
constexpr std::size_t kMaxDatasets = 100, kMaxFactBytes = std::size_t{1} << 20;
constexpr double kMaxBodyNumbers = 5e7;
constexpr Eigen::Index kMaxModalBodyModes = 1000, kMaxModalBodyNodes = 10'000;

const std::vector<std::string> kArrays = {"mass",
                                          "S",
                                          "C",
                                          "stiffness",
                                          "damping",
                                          "nodes/position",
                                          "nodes/rotation",
                                          "nodes/translation",
                                          "nodes/turn",
                                          "modes/free_hertz",
                                          "surface/places",
                                          "surface/shapes",
                                          "surface/triangles"};

// A dataset converted to double, whatever its stored type.
struct Array {
  std::vector<std::int64_t> size;
  std::vector<double> numbers;
};

// ---- in the worker ------------------------------------------------------------------------------

Id open_image(const std::string& bytes) {
  H5PLset_loading_state(0);  // no plugins
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  checked(H5Pset_fapl_core(access.get(), std::size_t{1} << 16, false));
  checked(H5Pset_file_image(access.get(), const_cast<char*>(bytes.data()), bytes.size()));
  const hid_t id = H5Fopen("modal body", H5F_ACC_RDONLY, access.get());
  if (id < 0) throw FileError("is not a modal body: not an HDF5 file; name one that `limber modes` wrote");
  Id file(id, &H5Fclose);
  if (H5Aexists(id, "limber_body") <= 0)
    throw FileError("is an HDF5 file but not a modal body; name one that `limber modes` wrote");
  return file;
}

Array read_array(hid_t file, const std::string& name, double file_bytes) {
  const Id dataset = h5::open_dataset(file, name, "a modal body");
  const Id type(H5Dget_type(dataset.get()), &H5Tclose), space(H5Dget_space(dataset.get()), &H5Sclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw FileError("does not hold numbers");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 1 || rank > 4) throw FileError("has a wrong shape");
  hsize_t size[4] = {};
  checked(H5Sget_simple_extent_dims(space.get(), size, nullptr));
  double count = 1;
  for (int k = 0; k < rank; ++k) count *= static_cast<double>(size[k]);
  if (count > kMaxBodyNumbers || (count > 0 && !h5::has_storage(dataset.get(), count, file_bytes)))
    throw FileError("claims more numbers than the file has");
  Array out;
  out.size.assign(size, size + rank);
  out.numbers.resize(static_cast<std::size_t>(count));
  if (count > 0) checked(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.numbers.data()));
  return out;
}

void send_body(Wire& wire, const std::string& bytes) {
  const Id file = open_image(bytes);
  const int format = h5::get_number(file.get(), "limber_body");
  if (format != kModalBodyFormat)
    throw FileError(fmt::format("is a modal body of format {}; this program reads {}", format, kModalBodyFormat));
  h5::list_datasets(file.get(), "a modal body", kMaxDatasets);
  std::vector<Array> arrays;
  std::vector<std::string> names;
  for (const std::string& name : kArrays) {
    try {
      arrays.push_back(read_array(file.get(), name, static_cast<double>(bytes.size())));
      if (name != "nodes/position") continue;
      names = h5::get_texts(h5::open_dataset(file.get(), name, "a modal body").get(), "names", kMaxFactBytes);
    } catch (const FileError& e) {
      throw FileError(fmt::format("dataset {}: {}; {}", show(name), e.what(), kDamagedBody));
    }
  }
  const auto facts = h5::get_texts(file.get(), "facts", kMaxFactBytes);
  const auto warnings = h5::get_texts(file.get(), "warnings", kMaxFactBytes);
  wire.send(std::int64_t{1});
  for (const Array& array : arrays) {
    wire.send(static_cast<std::int64_t>(array.size.size()));
    for (const std::int64_t n : array.size) wire.send(n);
    wire.send(std::span<const double>(array.numbers));
  }
  wire.send(names);
  wire.send(facts);
  wire.send(warnings);
}

void serve_body(Wire& wire, const std::string& bytes) {
  const h5::Quiet quiet;
  Worker::forbid_files();
  try {
    send_body(wire, bytes);
  } catch (const Error& e) {
    wire.send(std::int64_t{0});
    wire.send(std::string(e.what()));
  }
  wire.receive_number();  // until the other end closes
}

// ---- in the caller ------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& what) { throw InputError(fmt::format("{}; {}", what, kDamagedBody)); }

class BodyMaker {
 public:
  BodyMaker(std::vector<Array> arrays, std::vector<std::string> names)
      : arrays_(std::move(arrays)), names_(std::move(names)) {}
  void make(ModalBodyFile& out, PartSpec& part);

 private:
  // The numbers of a dataset, which must have the given shape and be finite.
  const double* at(const std::string& name, const std::vector<std::int64_t>& size) const {
    const Array& array = find(name);
    if (array.size != size)
      refuse(fmt::format("dataset {} is {}, not {}", show(name), fmt::join(array.size, " x "), fmt::join(size, " x ")));
    for (const double x : array.numbers)
      if (!std::isfinite(x)) refuse(fmt::format("dataset {} has an entry that is not a finite number", show(name)));
    return array.numbers.data();
  }
  const Array& find(const std::string& name) const {
    for (std::size_t k = 0; k < kArrays.size(); ++k)
      if (kArrays[k] == name) return arrays_[k];
    refuse("no dataset " + show(name));
  }
  void set_nodes(Body& body) const;
  void set_surface_of(PartSpec& part) const;

  std::vector<Array> arrays_;
  std::vector<std::string> names_;
  std::int64_t n_ = 0;
};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MapRows = Eigen::Map<const RowMajor>;

void BodyMaker::set_nodes(Body& body) const {
  const std::int64_t count = find("nodes/position").size[0];
  if (count > kMaxModalBodyNodes || static_cast<std::size_t>(count) != names_.size())
    refuse(fmt::format("{} nodes have {} names", count, names_.size()));
  const double* position = at("nodes/position", {count, 3});
  const double* rotation = at("nodes/rotation", {count, 3, 3});
  const double* translation = at("nodes/translation", {count, 3, n_});
  const double* turn = at("nodes/turn", {count, 3, n_});
  for (std::int64_t k = 0; k < count; ++k) {
    Node node;
    node.name = names_[static_cast<std::size_t>(k)];
    node.position = Eigen::Map<const Vector3d>(position + 3 * k);
    node.rotation = MapRows(rotation + 9 * k, 3, 3);
    node.translation = MapRows(translation + 3 * n_ * k, 3, n_);
    node.turn = MapRows(turn + 3 * n_ * k, 3, n_);
    body.nodes.push_back(std::move(node));
  }
}

void BodyMaker::set_surface_of(PartSpec& part) const {
  const std::int64_t stations = find("surface/places").size[0], triangles = find("surface/triangles").size[0];
  part.places = MapRows(at("surface/places", {stations, 3}), stations, 3).cast<float>();
  part.shapes = MapRows(at("surface/shapes", {3 * stations, n_}), 3 * stations, n_).cast<float>();
  const double* corner = at("surface/triangles", {triangles, 3});
  for (std::int64_t k = 0; k < triangles; ++k) {
    std::array<int, 3> t{};
    for (std::size_t c = 0; c < 3; ++c, ++corner) {
      if (!(*corner >= 0 && *corner < static_cast<double>(stations)))
        refuse("a triangle of the surface names no station");
      t[c] = static_cast<int>(*corner);
    }
    part.triangles.push_back(t);
  }
}

// The inertia of the undeformed body must be positive definite.
void check_inertia_of(const Body& body) {
  const MatrixXd M = rest_inertia(body);
  if (!(M.diagonal().minCoeff() > 0)) refuse("a coordinate has no mass");
  const VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  if (eigenvalues_symmetric(MatrixXd(scale.asDiagonal() * M * scale.asDiagonal()))(0) < -1e-8)
    refuse("the mass integrals are not those of a body: its inertia is not positive");
}

void BodyMaker::make(ModalBodyFile& out, PartSpec& part) {
  Body& body = out.body;
  n_ = find("stiffness").size[0];
  if (find("stiffness").size.size() != 1 || n_ > kMaxModalBodyModes) refuse(fmt::format("{} modes", n_));
  body.modes = static_cast<int>(n_);
  const std::int64_t shapes = n_ + 1;
  body.mass = *at("mass", {1});
  body.S = MapRows(at("S", {3, shapes}), 3, shapes);
  const double* C = at("C", {shapes, shapes, 3, 3});
  for (std::int64_t k = 0; k < shapes * shapes; ++k) body.C.emplace_back(MapRows(C + 9 * k, 3, 3));
  const Eigen::Map<const VectorXd> K(at("stiffness", {n_}), n_), D(at("damping", {n_}), n_);
  if (n_ > 0 && (!(K.minCoeff() > 0) || D.minCoeff() < 0)) refuse("a mode without stiffness, or with negative damping");
  body.stiffness = K.asDiagonal();
  body.damping = D.asDiagonal();
  set_nodes(body);
  for (std::int64_t a = 1; a <= n_; ++a) body.mode_names.push_back("mode" + std::to_string(a));
  set_surface_of(part);
  out.free_hertz = Eigen::Map<const VectorXd>(at("modes/free_hertz", {n_}), n_);
  if (!(body.mass > 0)) refuse("the mass is not positive");
  check_body(body);
  check_inertia_of(body);
  Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
  for (Eigen::Index i = 0; i < part.places.rows(); ++i) {
    low = low.cwiseMin(part.places.row(i).transpose().cast<double>());
    high = high.cwiseMax(part.places.row(i).transpose().cast<double>());
  }
  for (const Node& node : body.nodes) {
    low = low.cwiseMin(node.position);
    high = high.cwiseMax(node.position);
  }
  body.length = (high - low).norm();
}

ModalBodyFile receive_body(Wire& wire, const std::string& bytes) {
  if (wire.receive_number() == 0) throw FileError(wire.receive_text());
  std::vector<Array> arrays(kArrays.size());
  for (Array& array : arrays) {
    double count = 1;
    array.size.resize(static_cast<std::size_t>(wire.receive_number()));
    for (std::int64_t& n : array.size) count *= static_cast<double>(n = wire.receive_number());
    array.numbers.resize(static_cast<std::size_t>(count));
    wire.receive(std::span(array.numbers));
  }
  BodyMaker maker(std::move(arrays), wire.receive_texts());
  ModalBodyFile out;
  for (const std::string& fact : wire.receive_texts()) {
    const std::size_t tab = std::min(fact.find('\t'), fact.size());
    out.facts.emplace_back(fact.substr(0, tab), fact.substr(std::min(tab + 1, fact.size())));
  }
  out.warnings = wire.receive_texts();
  PartSpec part;
  part.bytes = bytes;
  maker.make(out, part);
  out.bytes = static_cast<double>(bytes.size());
  out.body.modal = share_part(std::move(part));
  return out;
}

}  // namespace

ModalBodyFile parse_modal_body(const std::string& bytes, const std::string& name) {
  Worker worker([&](Wire& wire) { serve_body(wire, bytes); });
  try {
    return receive_body(worker.wire(), bytes);
  } catch (const Wire::Closed&) {
    throw FileError(fmt::format("{}: {}; {}", name, worker.failure(), kDamagedBody));
  } catch (const FileError& e) {
    throw FileError(fmt::format("{}: {}", name, e.what()));
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", name, e.what()));
  }
}

ModalBodyFile read_modal_body(const std::string& path) { return parse_modal_body(read_text_file(path), path); }

bool is_modal_body(const std::string& path) {
  if (!is_hdf5(path)) return false;
  try {
    const std::string bytes = read_text_file(path);
    Worker worker([&](Wire& wire) {
      const h5::Quiet quiet;
      const Id file = open_image(bytes);
      wire.send(std::int64_t{1});
      wire.receive_number();  // until the other end closes
    });
    return worker.wire().receive_number() == 1;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace limber
