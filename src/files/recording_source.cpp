// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/recording_source.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "files/worker.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/recording.hpp"

namespace limber {
namespace {

using h5::checked;
using h5::Id;

constexpr hsize_t kMaxColumns = 10'000'000;  // of all datasets together
constexpr hsize_t kMaxRecordsRead = 2'000'000'000;
constexpr std::size_t kMaxSeries = 1'000'000;
constexpr double kMaxCompression = 1100;  // of deflate: 1032
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;
constexpr const char* kDamaged = "the file is damaged, record it again";

// Units and names: one text for all columns becomes one for each.
std::vector<std::string> column_texts(hid_t dataset, const char* attribute, std::size_t columns) {
  std::vector<std::string> texts = h5::get_texts(dataset, attribute, kMaxTextBytes);
  if (texts.size() == 1) texts.resize(columns, texts[0]);
  if (texts.size() != columns) texts.clear();
  return texts;
}

// Which links there are.
struct Found {
  std::vector<std::string> datasets;
  std::string elsewhere;  // the first that is not a plain one
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
  return found.datasets.size() > kMaxSeries ? 1 : 0;
}

}  // namespace

RecordingSource::RecordingSource(const std::string& path) {
  std::error_code ignored;
  file_bytes_ = static_cast<double>(std::filesystem::file_size(path, ignored));
  H5PLset_loading_state(0);  // no code from elsewhere
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  checked(H5Pset_file_locking(access.get(), false, true));
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (id < 0) throw FileError("is not a recording: not an HDF5 file; name one that `limber run` wrote");
  file_ = Id(id, &H5Fclose);
  if (H5Aexists(id, "limber") <= 0 || H5Lexists(id, "time", H5P_DEFAULT) <= 0)
    throw FileError("is an HDF5 file but not a recording; name one that `limber run` wrote");
}

void RecordingSource::check_links() {
  Found found;
  checked(H5Lvisit(file_.get(), H5_INDEX_NAME, H5_ITER_INC, &visit_link, &found));
  if (!found.elsewhere.empty())
    throw FileError(fmt::format("holds a link to elsewhere, {}; a recording has none", show(found.elsewhere)));
  if (found.datasets.size() > kMaxSeries) throw FileError(fmt::format("holds too many datasets; {}", kDamaged));
  datasets_ = std::move(found.datasets);
}

// A dataset whose numbers are in this file.
Id RecordingSource::open(const std::string& dataset) const {
  Id id(H5Dopen2(file_.get(), dataset.c_str(), H5P_DEFAULT), &H5Dclose);
  const Id creation(H5Dget_create_plist(id.get()), &H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  const bool elsewhere = layout == H5D_VIRTUAL || H5Pget_external_count(creation.get()) != 0;
  if (layout < 0 || elsewhere) throw FileError("keeps its numbers in another file; a recording does not");
  return id;
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

// The file has that many numbers.
void RecordingSource::check_storage(hid_t dataset, const Extent& size) const {
  const Id type(H5Dget_type(dataset), &H5Tclose), creation(H5Dget_create_plist(dataset), &H5Pclose);
  const double bytes =
      static_cast<double>(size.rows) * static_cast<double>(size.columns) * static_cast<double>(H5Tget_size(type.get()));
  const double stored = static_cast<double>(H5Dget_storage_size(dataset));
  if (bytes > std::min(stored, file_bytes_) * (H5Pget_nfilters(creation.get()) > 0 ? kMaxCompression : 1))
    throw FileError(fmt::format("claims more numbers than the file has; {}", kDamaged));
}

void RecordingSource::read_header() {
  const hid_t file = file_.get();
  const int format = h5::get_number(file, "limber");
  if (format != kRecordingFormat)
    throw FileError(fmt::format("is a recording of format {}; this program reads {}", format, kRecordingFormat));
  check_links();
  const std::pair<const char*, std::string*> texts[] = {
      {"name", &name},     {"model", &model_text}, {"scenario", &scenario_text},
      {"solver", &solver}, {"version", &version},  {"ended", &ended}};
  for (const auto& [attribute, text] : texts) {
    const std::vector<std::string> found = h5::get_texts(file, attribute, kMaxTextBytes);
    if (found.size() != 1) throw FileError(fmt::format("has no attribute '{}'; record it again", attribute));
    *text = found[0];
  }
  for (const std::string& text : h5::get_texts(file, "figures", kMaxTextBytes)) figures = text;  // not in old ones
  complete = h5::get_number(file, "complete") != 0;
  const Id times = open("time");
  const Extent time = extent_of(times.get());
  check_storage(times.get(), time);
  if (time.columns != 1) throw FileError(fmt::format("dataset 'time' is a table; {}", kDamaged));
  if (time.rows == 0) throw FileError("holds no records; the run ended before its first one");
  records = static_cast<long>(time.rows);
  for (const std::string& dataset : datasets_) {
    try {
      if (dataset != "time") add_series(dataset);
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
