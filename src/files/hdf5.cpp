// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/hdf5.hpp"

#include <algorithm>

#include "limber/files/detail/text.hpp"

namespace limber::h5 {
namespace {

constexpr double kMaxCompression = 1100;  // of deflate; its limit is 1032

// Keeps the first description, which is the innermost; one with a system error message takes precedence.
herr_t visit_error(unsigned /*depth*/, const H5E_error2_t* error, void* data) {
  constexpr std::string_view kSystem = "error message = '";
  std::string& best = *static_cast<std::string*>(data);
  const std::string text = error->desc == nullptr ? "" : error->desc;
  const std::size_t begin = text.find(kSystem);
  if (begin == std::string::npos) {
    if (best.empty()) best = text;
    return 0;
  }
  best = text.substr(begin + kSystem.size());
  best.erase(std::min(best.find('\''), best.size()));
  return 1;  // stop the walk
}

Id text_type(std::size_t bytes) {
  Id type(H5Tcopy(H5T_C_S1), &H5Tclose);
  checked(H5Tset_size(type.get(), bytes));
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  if (bytes != H5T_VARIABLE) checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD));
  return type;
}

Id make_attribute(hid_t object, const char* name, hid_t type, hid_t space) {
  return {H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose};
}

Id open_attribute(hid_t object, const char* name) { return {H5Aopen(object, name, H5P_DEFAULT), &H5Aclose}; }

// `value` padded with zeros; a text that is too long is cut between two characters.
std::string padded(std::string_view value, std::size_t bytes) {
  std::size_t size = std::min(value.size(), bytes);
  const auto inside = [&](std::size_t i) { return (static_cast<unsigned char>(value[i]) & 0xc0) == 0x80; };
  while (size < value.size() && size > 0 && inside(size)) --size;
  std::string out(value.substr(0, size));
  out.resize(bytes);
  return out;
}

// The links found in a file.
struct Found {
  std::vector<std::string> datasets;
  std::size_t most = 0;
  std::string elsewhere;  // the first soft or external link
};

herr_t visit_link(hid_t group, const char* name, const H5L_info_t* link, void* data) {
  Found& found = *static_cast<Found*>(data);
  if (link->type != H5L_TYPE_HARD) {
    found.elsewhere = name;
    return 1;
  }
  H5O_info_t info;
  if (H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0) return -1;
  if (info.type == H5O_TYPE_DATASET) found.datasets.emplace_back(name);
  return found.datasets.size() > found.most ? 1 : 0;
}

}  // namespace

std::vector<std::string> list_datasets(hid_t file, const std::string& kind, std::size_t most) {
  Found found;
  found.most = most;
  checked(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, &visit_link, &found));
  if (!found.elsewhere.empty())
    throw FileError("holds a link to elsewhere, " + show(found.elsewhere) + "; " + kind + " has none");
  if (found.datasets.size() > most) throw FileError("holds too many datasets; the file is damaged");
  return std::move(found.datasets);
}

Id open_dataset(hid_t file, const std::string& name, const std::string& kind) {
  Id id(H5Dopen2(file, name.c_str(), H5P_DEFAULT), &H5Dclose);
  const Id creation(H5Dget_create_plist(id.get()), &H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  const bool elsewhere = layout == H5D_VIRTUAL || H5Pget_external_count(creation.get()) != 0;
  if (layout < 0 || elsewhere) throw FileError("keeps its numbers in another file; " + kind + " does not");
  return id;
}

bool has_storage(hid_t dataset, double numbers, double file_bytes) {
  const Id type(H5Dget_type(dataset), &H5Tclose), creation(H5Dget_create_plist(dataset), &H5Pclose);
  const double bytes = numbers * static_cast<double>(H5Tget_size(type.get()));
  const double stored = static_cast<double>(H5Dget_storage_size(dataset));
  return bytes <= std::min(stored, file_bytes) * (H5Pget_nfilters(creation.get()) > 0 ? kMaxCompression : 1);
}

// At exit HDF5 1.10 retries writes that failed on a full disk, and crashes.  All files are closed explicitly instead.
// This must precede any other call.
[[maybe_unused]] const herr_t kNothingAtExit = H5dont_atexit();

std::recursive_mutex& mutex() {
  static std::recursive_mutex one;
  return one;
}

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string reason() {
  std::string best;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &visit_error, &best);
  return best.empty() ? "HDF5 failed" : best;
}

void set_text(hid_t object, const char* name, const std::string& value) {
  const Id type = text_type(H5T_VARIABLE);
  const Id space(H5Screate(H5S_SCALAR), &H5Sclose);
  const Id attribute = make_attribute(object, name, type.get(), space.get());
  const char* text = value.c_str();
  checked(H5Awrite(attribute.get(), type.get(), &text));
}

void set_texts(hid_t object, const char* name, std::span<const std::string> values) {
  const hsize_t count = values.size();
  const Id type = text_type(H5T_VARIABLE);
  const Id space(H5Screate_simple(1, &count, nullptr), &H5Sclose);
  const Id attribute = make_attribute(object, name, type.get(), space.get());
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  if (count > 0) checked(H5Awrite(attribute.get(), type.get(), texts.data()));
}

void set_number(hid_t object, const char* name, int value) {
  const Id space(H5Screate(H5S_SCALAR), &H5Sclose);
  const Id attribute = make_attribute(object, name, H5T_STD_I32LE, space.get());
  checked(H5Awrite(attribute.get(), H5T_NATIVE_INT, &value));
}

void make_fixed_text(hid_t object, const char* name, std::string_view value, std::size_t bytes) {
  const Id type = text_type(bytes);
  const Id space(H5Screate(H5S_SCALAR), &H5Sclose);
  const Id attribute = make_attribute(object, name, type.get(), space.get());
  checked(H5Awrite(attribute.get(), type.get(), padded(value, bytes).data()));
}

void overwrite_fixed_text(hid_t object, const char* name, std::string_view value) {
  const Id attribute = open_attribute(object, name);
  const Id type(H5Aget_type(attribute.get()), &H5Tclose);
  checked(H5Awrite(attribute.get(), type.get(), padded(value, H5Tget_size(type.get())).data()));
}

void overwrite_number(hid_t object, const char* name, int value) {
  const Id attribute = open_attribute(object, name);
  checked(H5Awrite(attribute.get(), H5T_NATIVE_INT, &value));
}

std::vector<std::string> get_texts(hid_t object, const char* name, std::size_t max_bytes) {
  if (H5Aexists(object, name) <= 0) return {};
  const Id attribute = open_attribute(object, name);
  const Id type(H5Aget_type(attribute.get()), &H5Tclose), space(H5Aget_space(attribute.get()), &H5Sclose);
  const hssize_t count = checked(H5Sget_simple_extent_npoints(space.get()));
  if (H5Tget_class(type.get()) != H5T_STRING || count == 0) return {};
  const std::size_t bytes = H5Tget_size(type.get());
  if (bytes == 0 || static_cast<std::size_t>(count) > max_bytes / bytes)
    throw HdfError(std::string("its attribute '") + name + "' is too long");
  std::vector<std::string> out;
  if (H5Tis_variable_str(type.get()) > 0) {
    const Id memory = text_type(H5T_VARIABLE);
    checked(H5Tset_cset(memory.get(), H5Tget_cset(type.get())));
    std::vector<char*> texts(static_cast<std::size_t>(count));
    checked(H5Aread(attribute.get(), memory.get(), texts.data()));
    std::size_t taken = 0;
    for (const char* text : texts) {
      out.emplace_back(text == nullptr ? "" : text);
      if ((taken += out.back().size()) > max_bytes)
        throw HdfError(std::string("its attribute '") + name + "' is too long");
    }
    checked(H5Dvlen_reclaim(memory.get(), space.get(), H5P_DEFAULT, texts.data()));
    return out;
  }
  std::string all(bytes * static_cast<std::size_t>(count), '\0');
  checked(H5Aread(attribute.get(), type.get(), all.data()));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::string_view text(all.data() + i * bytes, bytes);
    out.emplace_back(text.substr(0, text.find('\0')));
  }
  return out;
}

int get_number(hid_t object, const char* name) {
  const Id attribute = open_attribute(object, name);
  const Id type(H5Aget_type(attribute.get()), &H5Tclose), space(H5Aget_space(attribute.get()), &H5Sclose);
  if (H5Tget_class(type.get()) != H5T_INTEGER || H5Sget_simple_extent_npoints(space.get()) != 1)
    throw HdfError(std::string("its attribute '") + name + "' is not a number");
  int value = 0;
  checked(H5Aread(attribute.get(), H5T_NATIVE_INT, &value));
  return value;
}

}  // namespace limber::h5
