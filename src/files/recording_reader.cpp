// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/recording_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "files/hdf5.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/recording.hpp"

namespace limber {
namespace {

using h5::checked;
using h5::Id;

constexpr hsize_t kMaxColumns = 10'000'000;
constexpr hsize_t kMaxRecordsRead = 2'000'000'000;
constexpr std::size_t kMaxSeries = 1'000'000;

struct Extent {
  hsize_t rows = 0, columns = 1;
};

// Rows and columns of a dataset of floating-point numbers.
Extent extent_of(hid_t dataset) {
  const Id type(H5Dget_type(dataset), &H5Tclose), space(H5Dget_space(dataset), &H5Sclose);
  if (H5Tget_class(type.get()) != H5T_FLOAT)
    throw InputError("does not hold floating-point numbers; the file is damaged, record it again");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank != 1 && rank != 2) throw InputError("is neither a list nor a table; the file is damaged, record it again");
  hsize_t size[2] = {0, 1};
  checked(H5Sget_simple_extent_dims(space.get(), size, nullptr));
  if (size[1] > kMaxColumns || size[0] > kMaxRecordsRead)
    throw InputError("is larger than a recording may be; the file is damaged, record it again");
  return {size[0], size[1]};
}

// Paths of all datasets, in their order.
std::vector<std::string> find_datasets(hid_t file) {
  std::vector<std::string> out;
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* data) -> herr_t {
    auto& found = *static_cast<std::vector<std::string>*>(data);
    if (info->type == H5O_TYPE_DATASET && found.size() < kMaxSeries) found.emplace_back(name);
    return 0;
  };
  checked(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit, &out, H5O_INFO_BASIC));
  return out;
}

// Units and names: one text for all columns becomes one for each.
std::vector<std::string> column_texts(hid_t dataset, const char* attribute, int columns) {
  std::vector<std::string> texts = h5::get_texts(dataset, attribute);
  if (texts.size() == 1) texts.resize(static_cast<std::size_t>(columns), texts[0]);
  if (texts.size() != static_cast<std::size_t>(columns)) texts.clear();
  return texts;
}

}  // namespace

int Recorded::find(const std::string& path) const {
  const auto has_path = [&](const RecordedSeries& s) { return s.path == path; };
  const auto found = std::find_if(series_.begin(), series_.end(), has_path);
  return found == series_.end() ? -1 : static_cast<int>(found - series_.begin());
}

struct RecordingReader::Impl {
  Id file;
  void read(const std::string& dataset, const hsize_t* first, const hsize_t* count, double* out) const;
};

void RecordingReader::Impl::read(const std::string& dataset, const hsize_t* first, const hsize_t* count,
                                 double* out) const {
  const Id id(H5Dopen2(file.get(), dataset.c_str(), H5P_DEFAULT), &H5Dclose);
  const Id in_file(H5Dget_space(id.get()), &H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(in_file.get());
  checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, first, nullptr, count, nullptr));
  const Id in_memory(H5Screate_simple(rank, count, nullptr), &H5Sclose);
  checked(H5Dread(id.get(), H5T_NATIVE_DOUBLE, in_memory.get(), in_file.get(), H5P_DEFAULT, out));
}

void RecordingReader::open() {
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  checked(H5Pset_file_locking(access.get(), false, true));
  const hid_t id = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.get());
  if (id < 0) throw InputError("is not a recording: not an HDF5 file; name one that `limber run` wrote");
  impl_->file = Id(id, &H5Fclose);
  const hid_t file = impl_->file.get();
  if (H5Aexists(file, "limber") <= 0 || H5Lexists(file, "time", H5P_DEFAULT) <= 0)
    throw InputError("is an HDF5 file but not a recording; name one that `limber run` wrote");
  const int format = h5::get_number(file, "limber");
  if (format != kRecordingFormat)
    throw InputError(fmt::format("is a recording of format {}; this program reads {}", format, kRecordingFormat));
  const std::pair<const char*, std::string*> texts[] = {
      {"name", &name}, {"model", &model_text}, {"solver", &solver}, {"version", &version}, {"ended", &ended}};
  for (const auto& [attribute, text] : texts) {
    const std::vector<std::string> found = h5::get_texts(file, attribute);
    if (found.size() != 1) throw InputError(fmt::format("has no attribute '{}'; record it again", attribute));
    *text = found[0];
  }
  complete = h5::get_number(file, "complete") != 0;
}

void RecordingReader::read_times() {
  const Id dataset(H5Dopen2(impl_->file.get(), "time", H5P_DEFAULT), &H5Dclose);
  const Extent size = extent_of(dataset.get());
  if (size.rows == 0) throw InputError("holds no records; the run ended before its first one");
  time_.resize(size.rows);
  const hsize_t first[2] = {0, 0}, count[2] = {size.rows, 1};
  impl_->read("time", first, count, time_.data());
  for (std::size_t i = 0; i < time_.size(); ++i) {
    if (std::isfinite(time_[i]) && (i == 0 || time_[i] > time_[i - 1])) continue;
    throw InputError(fmt::format("the times do not rise at record {}; the file is damaged, record it again", i + 1));
  }
}

void RecordingReader::add_series(const std::string& dataset) {
  const Id id(H5Dopen2(impl_->file.get(), dataset.c_str(), H5P_DEFAULT), &H5Dclose);
  const Extent size = extent_of(id.get());
  if (size.rows < time_.size())
    throw InputError(
        fmt::format("holds {} records, /time {}; the file is damaged, record it again", size.rows, time_.size()));
  RecordedSeries made{dataset, static_cast<int>(size.columns), {}, {}};
  made.units = column_texts(id.get(), "units", made.columns);
  made.units.resize(size.columns);
  if (H5Aexists(id.get(), "names") > 0) made.names = column_texts(id.get(), "names", made.columns);
  series_.push_back(std::move(made));
}

RecordingReader::RecordingReader(const std::string& path) : impl_(std::make_unique<Impl>()) {
  const h5::Quiet quiet;
  path_ = path;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw InputError(path + ": no such file");
  if (std::filesystem::is_directory(path, ignored)) throw InputError(path + ": is a directory; name a recording in it");
  std::string where = path + ": ";
  try {
    open();
    read_times();
    for (const std::string& dataset : find_datasets(impl_->file.get())) {
      if (dataset == "time") continue;
      where = fmt::format("{}: dataset {} ", path, show(dataset));
      add_series(dataset);
    }
  } catch (const InputError& e) {
    throw InputError(where + e.what());
  }
}

RecordingReader::~RecordingReader() {
  const h5::Quiet quiet;
  impl_.reset();
}

void RecordingReader::read(int series, long first, long count, int column, int columns, double* out) const {
  const RecordedSeries& chosen = series_[static_cast<std::size_t>(series)];
  if (count == 0 || columns == 0) return;
  const h5::Quiet quiet;
  const hsize_t start[2] = {static_cast<hsize_t>(first), static_cast<hsize_t>(column)};
  const hsize_t size[2] = {static_cast<hsize_t>(count), static_cast<hsize_t>(columns)};
  try {
    impl_->read(chosen.path, start, size, out);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: dataset {} cannot be read: {}", path_, show(chosen.path), e.what()));
  }
}

}  // namespace limber
