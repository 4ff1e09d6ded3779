// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace limber::test {

// Reads a recording with HDF5 only, as other programs would.
class Recorded {
 public:
  explicit Recorded(const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file_ < 0) throw std::runtime_error(path + " does not open");
  }
  ~Recorded() { H5Fclose(file_); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  bool has(const std::string& path) const {
    for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
      if (H5Lexists(file_, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0;
  }

  // Paths of all datasets.
  std::vector<std::string> datasets() const {
    std::vector<std::string> out;
    const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* data) -> herr_t {
      if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(data)->push_back(name);
      return 0;
    };
    H5Ovisit2(file_, H5_INDEX_NAME, H5_ITER_INC, visit, &out, H5O_INFO_BASIC);
    return out;
  }

  std::vector<hsize_t> shape(const std::string& path) const {
    const hid_t dataset = open(path), space = H5Dget_space(dataset);
    std::vector<hsize_t> out(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, out.data(), nullptr);
    H5Sclose(space);
    H5Dclose(dataset);
    return out;
  }
  hsize_t rows(const std::string& path) const { return shape(path)[0]; }

  // Row by row.
  std::vector<double> numbers(const std::string& path) const {
    std::size_t size = 1;
    for (const hsize_t n : shape(path)) size *= n;
    std::vector<double> out(size);
    const hid_t dataset = open(path);
    const herr_t status = H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data());
    H5Dclose(dataset);
    if (status < 0) throw std::runtime_error(path + " cannot be read");
    return out;
  }

  // Attributes; `path` "/" is the root.
  int number(const std::string& path, const char* name) const {
    int value = -1;
    const hid_t attribute = H5Aopen_by_name(file_, path.c_str(), name, H5P_DEFAULT, H5P_DEFAULT);
    H5Aread(attribute, H5T_NATIVE_INT, &value);
    H5Aclose(attribute);
    return value;
  }
  bool has_attribute(const std::string& path, const char* name) const {
    return H5Aexists_by_name(file_, path.c_str(), name, H5P_DEFAULT) > 0;
  }
  std::vector<std::string> texts(const std::string& path, const char* name) const {
    const hid_t attribute = H5Aopen_by_name(file_, path.c_str(), name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) throw std::runtime_error(path + " has no attribute " + name);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
    std::vector<std::string> out;
    if (H5Tis_variable_str(type) > 0) {
      std::vector<char*> raw(count);
      H5Aread(attribute, type, raw.data());
      out.assign(raw.begin(), raw.end());
      if (count > 0) H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
    } else {
      std::string raw(H5Tget_size(type), '\0');
      H5Aread(attribute, type, raw.data());
      out.emplace_back(raw.c_str());
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return out;
  }
  std::string text(const std::string& path, const char* name) const {
    const auto all = texts(path, name);
    return all.size() == 1 ? all[0] : "";
  }

  // First byte and length of the header of a dataset.
  std::pair<haddr_t, hsize_t> header(const std::string& path) const {
    H5O_info_t info;
    H5Oget_info_by_name2(file_, path.c_str(), &info, H5O_INFO_BASIC | H5O_INFO_HDR, H5P_DEFAULT);
    return {info.addr, info.hdr.space.total};
  }

 private:
  hid_t open(const std::string& path) const {
    const hid_t dataset = H5Dopen2(file_, path.c_str(), H5P_DEFAULT);
    if (dataset < 0) throw std::runtime_error(path + " is not there");
    return dataset;
  }
  hid_t file_ = -1;
};

}  // namespace limber::test
