// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/spatial/status.hpp"

// A small wrapper of HDF5's C interface for recordings and modal bodies: handles that close themselves, errors that
// throw.
namespace limber::h5 {

// The reason only ("No space left on device"); the caller adds the name of the file.
class HdfError : public FileError {
 public:
  using FileError::FileError;
};

// Held by the thread that uses HDF5, and during a fork.
std::recursive_mutex& mutex();

// While an object of this class exists, HDF5 prints nothing and no other thread uses it.  Required for every use of
// HDF5.
class Quiet {
 public:
  Quiet();
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_{mutex()};
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// The reason of the last failure.
std::string reason();

// Returns the result of a call, or throws.
template <typename Result>
Result checked(Result result) {
  if (result < 0) throw HdfError(reason());
  return result;
}

// A file, dataset, attribute, ... of HDF5.
class Id {
 public:
  using Closer = herr_t (*)(hid_t);
  Id() = default;
  Id(hid_t id, Closer closer) : id_(checked(id)), closer_(closer) {}
  ~Id() {
    if (id_ >= 0) closer_(id_);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
  }
  hid_t get() const { return id_; }
  bool is_open() const { return id_ >= 0; }
  // Closes the handle; false on failure, in which case the data are lost.
  bool close() { return id_ < 0 || closer_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

// Attributes: texts are UTF-8 of any length; `fixed` ones can be overwritten in place.
void set_text(hid_t object, const char* name, const std::string& value);
void set_texts(hid_t object, const char* name, std::span<const std::string> values);
void set_number(hid_t object, const char* name, int value);
void make_fixed_text(hid_t object, const char* name, std::string_view value, std::size_t bytes);
void overwrite_fixed_text(hid_t object, const char* name, std::string_view value);
void overwrite_number(hid_t object, const char* name, int value);
// One text or a list of them, of fixed or variable length; nothing if it does not exist or is not a text.  Throws if it
// is longer than max_bytes.
std::vector<std::string> get_texts(hid_t object, const char* name, std::size_t max_bytes);
int get_number(hid_t object, const char* name);

// For untrusted files; `kind` is the expected kind, "a recording".  All throw FileError without the file name. Names of
// all datasets, at most `most`; soft and external links are refused.
std::vector<std::string> list_datasets(hid_t file, const std::string& kind, std::size_t most);
// A dataset stored in this file: no external storage, not virtual.
Id open_dataset(hid_t file, const std::string& name, const std::string& kind);
// Whether the file is large enough for the numbers of the dataset.
bool has_storage(hid_t dataset, double numbers, double file_bytes);

}  // namespace limber::h5
