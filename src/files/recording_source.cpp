// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/recording_source.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "files/worker.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/reader.hpp"
#include "limber/files/recording.hpp"
#include "limber/files/text_file.hpp"

namespace limber {
namespace {

using h5::checked;
using h5::Id;

constexpr hsize_t kMaxColumns = 10'000'000;  // of all datasets together
constexpr hsize_t kMaxRecordsRead = 2'000'000'000;
constexpr std::size_t kMaxSeries = 1'000'000;
constexpr std::size_t kMaxFiles = 1000;
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;
constexpr const char* kDamaged = "the file is damaged, record it again";

// Units and names: a single text for all columns is repeated for each.
std::vector<std::string> column_texts(hid_t dataset, const char* attribute, std::size_t columns) {
  std::vector<std::string> texts = h5::get_texts(dataset, attribute, kMaxTextBytes);
  if (texts.size() == 1) texts.resize(columns, texts[0]);
  if (texts.size() != columns) texts.clear();
  return texts;
}

}  // namespace

RecordingSource::RecordingSource(const std::string& path) {
  std::error_code ignored;
  file_bytes_ = static_cast<double>(std::filesystem::file_size(path, ignored));
  H5PLset_loading_state(0);  // no plugins
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  checked(H5Pset_file_locking(access.get(), false, true));
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (id < 0) throw FileError("is not a recording: not an HDF5 file; name one that `limber run` wrote");
  file_ = Id(id, &H5Fclose);
  if (H5Aexists(id, "limber") <= 0 || H5Lexists(id, "time", H5P_DEFAULT) <= 0)
    throw FileError("is an HDF5 file but not a recording; name one that `limber run` wrote");
}

// Opens a dataset stored in this file.
Id RecordingSource::open(const std::string& dataset) const {
  return h5::open_dataset(file_.get(), dataset, "a recording");
}

// Rows and columns of a dataset of floating-point numbers.
RecordingSource::Extent RecordingSource::extent_of(hid_t dataset) const {
  const Id type(H5Dget_type(dataset), &H5Tclose), space(H5Dget_space(dataset), &H5Sclose);
  if (H5Tget_class(type.get()) != H5T_FLOAT)
    throw FileError(fmt::format("does not hold floating-point numbers; {}", kDamaged));
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank != 1 && rank != 2) throw FileError(fmt::format("is neither a list nor a table; {}", kDamaged));
  hsize_t size[2] = {0, 1};
  checked(H5Sget_simple_extent_dims(space.get(), size, nullptr));
  if (size[1] > kMaxColumns || size[0] > kMaxRecordsRead)
    throw FileError(fmt::format("is larger than a recording may be; {}", kDamaged));
  return {size[0], size[1]};
}

// Checks that the file is large enough for these numbers.
void RecordingSource::check_storage(hid_t dataset, const Extent& size) const {
  if (!h5::has_storage(dataset, static_cast<double>(size.rows) * static_cast<double>(size.columns), file_bytes_))
    throw FileError(fmt::format("claims more numbers than the file has; {}", kDamaged));
}

void RecordingSource::read_header() {
  const hid_t file = file_.get();
  const int format = h5::get_number(file, "limber");
  if (format != kRecordingFormat)
    throw FileError(fmt::format("is a recording of format {}; this program reads {}", format, kRecordingFormat));
  datasets_ = h5::list_datasets(file, "a recording", kMaxSeries);
  const std::pair<const char*, std::string*> texts[] = {
      {"name", &name},     {"model", &model_text}, {"scenario", &scenario_text},
      {"solver", &solver}, {"version", &version},  {"ended", &ended}};
  for (const auto& [attribute, text] : texts) {
    const std::vector<std::string> found = h5::get_texts(file, attribute, kMaxTextBytes);
    if (found.size() != 1) throw FileError(fmt::format("has no attribute '{}'; record it again", attribute));
    *text = found[0];
  }
  for (const std::string& text : h5::get_texts(file, "figures", kMaxTextBytes)) figures = text;  // missing in old files
  complete = h5::get_number(file, "complete") != 0;
  const Id times = open("time");
  const Extent time = extent_of(times.get());
  check_storage(times.get(), time);
  if (time.columns != 1) throw FileError(fmt::format("dataset 'time' is a table; {}", kDamaged));
  if (time.rows == 0) throw FileError("holds no records; the run ended before its first one");
  records = static_cast<long>(time.rows);
  for (const std::string& dataset : datasets_) {
    try {
      if (dataset.starts_with("files/"))
        add_file(dataset);
      else if (dataset != "time")
        add_series(dataset);
    } catch (const FileError& e) {
      throw FileError(fmt::format("dataset {} {}", show(dataset), e.what()));
    }
  }
}

void RecordingSource::add_series(const std::string& dataset) {
  const Id id = open(dataset);
  const Extent size = extent_of(id.get());
  if (size.rows < static_cast<hsize_t>(records))
    throw FileError(fmt::format("holds {} records, /time {}; {}", size.rows, records, kDamaged));
  check_storage(id.get(), size);
  columns_ += size.columns;
  if (columns_ > kMaxColumns) throw FileError(fmt::format("is one column too many; {}", kDamaged));
  RecordedSeries made{dataset, static_cast<int>(size.columns), {}, {}};
  made.units = column_texts(id.get(), "units", size.columns);
  made.units.resize(size.columns);
  if (H5Aexists(id.get(), "names") > 0) made.names = column_texts(id.get(), "names", size.columns);
  series.push_back(std::move(made));
}

// A file of the model, zero-padded.
void RecordingSource::add_file(const std::string& dataset) {
  const Id id = open(dataset);
  const Id type(H5Dget_type(id.get()), &H5Tclose), space(H5Dget_space(id.get()), &H5Sclose);
  hsize_t size = 0;
  const int bytes = h5::get_number(id.get(), "bytes");
  const std::vector<std::string> path = h5::get_texts(id.get(), "name", kLongestPath);
  if (H5Tget_class(type.get()) != H5T_INTEGER || H5Tget_size(type.get()) != 1 || path.size() != 1 ||
      H5Sget_simple_extent_ndims(space.get()) != 1 || H5Sget_simple_extent_dims(space.get(), &size, nullptr) != 1 ||
      bytes < 0 || size < static_cast<hsize_t>(bytes) || size > kMaxFileBytes + 8 || files.size() >= kMaxFiles)
    throw FileError(fmt::format("is not a file; {}", kDamaged));
  check_storage(id.get(), {size, 1});
  std::string text(static_cast<std::size_t>(size), '\0');
  if (size > 0) checked(H5Dread(id.get(), H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
  text.resize(static_cast<std::size_t>(bytes));
  files[path[0]] = std::move(text);
}

void RecordingSource::read(const std::string& dataset, long first, long count, int column, int columns,
                           double* out) const {
  const Id id = open(dataset);
  const Id in_file(H5Dget_space(id.get()), &H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(in_file.get());
  const hsize_t start[2] = {static_cast<hsize_t>(first), static_cast<hsize_t>(column)};
  const hsize_t size[2] = {static_cast<hsize_t>(count), static_cast<hsize_t>(columns)};
  checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start, nullptr, size, nullptr));
  const Id in_memory(H5Screate_simple(rank, size, nullptr), &H5Sclose);
  checked(H5Dread(id.get(), H5T_NATIVE_DOUBLE, in_memory.get(), in_file.get(), H5P_DEFAULT, out));
}

bool is_recording(const std::string& path) {
  if (!is_hdf5(path)) return false;
  Worker worker([&](Wire& wire) {
    const h5::Quiet quiet;
    const RecordingSource source(path);
    wire.send(std::int64_t{1});
    wire.receive_number();  // until the other end closes
  });
  try {
    return worker.wire().receive_number() == 1;
  } catch (const Wire::Closed&) {
    return false;
  }
}

}  // namespace limber
