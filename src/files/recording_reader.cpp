// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/recording_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "files/hdf5.hpp"
#include "files/text.hpp"
#include "limber/files/recording.hpp"

namespace limber {
namespace {

using h5::checked;
using h5::Id;

constexpr hsize_t kMostColumns = 10'000'000;
constexpr hsize_t kMostRecords = 2'000'000'000;
constexpr std::size_t kMostSeries = 1'000'000;

struct Extent {
  hsize_t rows = 0, columns = 1;
};

// Rows and columns of a dataset of floating-point numbers.
Extent extent_of(hid_t dataset) {
  const Id type(H5Dget_type(dataset), &H5Tclose), space(H5Dget_space(dataset), &H5Sclose);
  if (H5Tget_class(type.get()) != H5T_FLOAT) throw InputError("it does not hold floating-point numbers");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank != 1 && rank != 2) throw InputError("it is neither a list nor a table");
  hsize_t size[2] = {0, 1};
  checked(H5Sget_simple_extent_dims(space.get(), size, nullptr));
  if (size[1] > kMostColumns || size[0] > kMostRecords) throw InputError("it is too large");
  return {size[0], size[1]};
}

// Paths of all datasets, in their order.
std::vector<std::string> find_datasets(hid_t file) {
  std::vector<std::string> out;
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* data) -> herr_t {
    auto& found = *static_cast<std::vector<std::string>*>(data);
    if (info->type == H5O_TYPE_DATASET && found.size() < kMostSeries) found.emplace_back(name);
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

struct RecordingReader::Impl {
  std::string path, name, model, solver, version, ended;
  bool complete = false;
  Id file;
  std::vector<double> time;
  std::vector<RecordedSeries> series;

  void open();
  void read_times();
  void add_series(const std::string& dataset);
  void read(const std::string& dataset, const hsize_t* first, const hsize_t* count, double* out) const;
};

void RecordingReader::Impl::open() {
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  checked(H5Pset_file_locking(access.get(), false, true));
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (id < 0) throw InputError("is not a recording: not an HDF5 file; name one that `limber run` wrote");
  file = Id(id, &H5Fclose);
  if (H5Aexists(file.get(), "limber") <= 0 || H5Lexists(file.get(), "time", H5P_DEFAULT) <= 0)
    throw InputError("is an HDF5 file but not a recording; name one that `limber run` wrote");
  const int format = h5::get_number(file.get(), "limber");
  if (format != kRecordingFormat)
    throw InputError(fmt::format("is a recording of format {}; this program reads {}", format, kRecordingFormat));
  const auto text = [&](const char* attribute) {
    const std::vector<std::string> texts = h5::get_texts(file.get(), attribute);
    if (texts.size() != 1) throw InputError(fmt::format("has no attribute '{}'; record it again", attribute));
    return texts[0];
  };
  name = text("name");
  model = text("model");
  solver = text("solver");
  version = text("version");
  ended = text("ended");
  complete = h5::get_number(file.get(), "complete") != 0;
}

void RecordingReader::Impl::read_times() {
  const Id dataset(H5Dopen2(file.get(), "time", H5P_DEFAULT), &H5Dclose);
  const Extent size = extent_of(dataset.get());
  if (size.rows == 0) throw InputError("holds no records; the run ended before its first one");
  time.resize(size.rows);
  const hsize_t first[2] = {0, 0}, count[2] = {size.rows, 1};
  read("time", first, count, time.data());
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (std::isfinite(time[i]) && (i == 0 || time[i] > time[i - 1])) continue;
    throw InputError(fmt::format("the times do not rise at record {}; the file is damaged, record it again", i + 1));
  }
}

void RecordingReader::Impl::add_series(const std::string& dataset) {
  const Id id(H5Dopen2(file.get(), dataset.c_str(), H5P_DEFAULT), &H5Dclose);
  const Extent size = extent_of(id.get());
  if (size.rows < time.size())
    throw InputError(fmt::format("it holds {} records, /time {}", size.rows, time.size()));
  RecordedSeries made{dataset, static_cast<int>(size.columns), {}, {}};
  made.units = column_texts(id.get(), "units", made.columns);
  made.units.resize(size.columns);
  if (H5Aexists(id.get(), "names") > 0) made.names = column_texts(id.get(), "names", made.columns);
  series.push_back(std::move(made));
}

void RecordingReader::Impl::read(const std::string& dataset, const hsize_t* first, const hsize_t* count,
                                 double* out) const {
  const Id id(H5Dopen2(file.get(), dataset.c_str(), H5P_DEFAULT), &H5Dclose);
  const Id in_file(H5Dget_space(id.get()), &H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(in_file.get());
  checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, first, nullptr, count, nullptr));
  const Id in_memory(H5Screate_simple(rank, count, nullptr), &H5Sclose);
  checked(H5Dread(id.get(), H5T_NATIVE_DOUBLE, in_memory.get(), in_file.get(), H5P_DEFAULT, out));
}

RecordingReader::RecordingReader(const std::string& path) : impl_(std::make_unique<Impl>()) {
  const h5::Quiet quiet;
  impl_->path = path;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw InputError(path + ": no such file");
  if (std::filesystem::is_directory(path, ignored)) throw InputError(path + ": is a directory; name a recording in it");
  std::string where = path + ": ";
  try {
    impl_->open();
    impl_->read_times();
    for (const std::string& dataset : find_datasets(impl_->file.get())) {
      if (dataset == "time") continue;
      where = fmt::format("{}: dataset {}: ", path, show(dataset));
      impl_->add_series(dataset);
    }
  } catch (const InputError& e) {
    throw InputError(where + e.what());
  }
}

RecordingReader::~RecordingReader() {
  const h5::Quiet quiet;
  impl_.reset();
}
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;

const std::string& RecordingReader::path() const { return impl_->path; }
const std::string& RecordingReader::name() const { return impl_->name; }
const std::string& RecordingReader::model_text() const { return impl_->model; }
const std::string& RecordingReader::solver() const { return impl_->solver; }
const std::string& RecordingReader::version() const { return impl_->version; }
const std::string& RecordingReader::ended() const { return impl_->ended; }
bool RecordingReader::complete() const { return impl_->complete; }
const std::vector<double>& RecordingReader::time() const { return impl_->time; }
const std::vector<RecordedSeries>& RecordingReader::series() const { return impl_->series; }

int RecordingReader::find(const std::string& path) const {
  const auto& all = impl_->series;
  const auto found = std::find_if(all.begin(), all.end(), [&](const RecordedSeries& s) { return s.path == path; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

void RecordingReader::read(int series, long first, long count, int column, int columns, double* out) const {
  const RecordedSeries& chosen = impl_->series[static_cast<std::size_t>(series)];
  if (count == 0 || columns == 0) return;
  const h5::Quiet quiet;
  const hsize_t start[2] = {static_cast<hsize_t>(first), static_cast<hsize_t>(column)};
  const hsize_t size[2] = {static_cast<hsize_t>(count), static_cast<hsize_t>(columns)};
  try {
    impl_->read(chosen.path, start, size, out);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: dataset {}: {}", impl_->path, show(chosen.path), e.what()));
  }
}

}  // namespace limber
