// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Layout of the file, chosen such that it is valid after every single write, docs/decisions/0006-hdf5-recording.md:
// everything except rows is written before the first record; then rows are written beyond the current end of their
// datasets, and afterwards the lengths of the datasets, each one number at a fixed offset, that of `time` last.
#include "limber/files/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "files/hdf5.hpp"
#include "files/recording_source.hpp"
#include "limber/body/part.hpp"
#include "limber/body/visual_mesh.hpp"
#include "limber/files/detail/output.hpp"

namespace limber {
namespace {

using Clock = std::chrono::steady_clock;
using h5::checked;
using h5::HdfError;
using h5::Id;

constexpr std::size_t kBufferBytes = std::size_t{8} << 20;
constexpr std::size_t kMaxBufferBytes = std::size_t{64}
                                        << 20;  // where buffers of the default size hold only a few rows
constexpr hsize_t kFewRows = 64;
constexpr double kLostShare = 1.0 / 64;                     // of a disk that is too small
constexpr hsize_t kMaxChunkBytes = (hsize_t{1} << 32) - 1;  // of HDF5
constexpr std::size_t kEndedBytes = 240;
constexpr std::size_t kFiguresBytes = 8192;
constexpr int kManyColumns = 4000;    // their names exceed the 64 KiB limit of an ordinary attribute
constexpr double kMaxTimeShare = 20;  // between two flushes, in units of the duration of the last one

// All writes are explicit: no caches with delayed writes, no locks against readers.
Id file_access(std::size_t datasets) {
  Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  H5AC_cache_config_t cache;
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  checked(H5Pget_mdc_config(access.get(), &cache));
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  checked(H5Pset_mdc_config(access.get(), &cache));
  checked(H5Pset_file_locking(access.get(), false, true));
  // Groups metadata into one block, instead of gaps between rows.
  constexpr hsize_t kLeast = hsize_t{1} << 13, kMax = hsize_t{1} << 20, kEach = hsize_t{1} << 12;
  checked(H5Pset_meta_block_size(access.get(), std::clamp(kEach * datasets, kLeast, kMax)));
  return access;
}

// One chunk in time, allocated early but not filled (a hole in the file), so that appending only changes the length.
Id dataset_creation(const Channel& channel, hsize_t records) {
  Id creation(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
  const hsize_t most = kMaxChunkBytes / (records * sizeof(double));
  const hsize_t columns = std::max<hsize_t>(1, channel.columns);
  const hsize_t chunk[2] = {records, std::min(columns, most)};
  checked(H5Pset_chunk(creation.get(), channel.scalar ? 1 : 2, chunk));
  checked(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY));
  // Except `time`, which is filled early: then a full disk cannot fail the write of its rows after its length has
  // changed.
  const bool is_time = channel.path == "time";
  checked(H5Pset_fill_time(creation.get(), is_time ? H5D_FILL_TIME_ALLOC : H5D_FILL_TIME_NEVER));
  checked(H5Pset_obj_track_times(creation.get(), false));
  if (channel.columns > kManyColumns) {  // large attributes, stored outside the header
    checked(H5Pset_attr_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED));
    checked(H5Pset_attr_phase_change(creation.get(), 0, 0));
  }
  return creation;
}

Id make_dataset(hid_t file, const Channel& channel, hsize_t records) {
  const hsize_t columns = channel.columns;
  const hsize_t now[2] = {1, columns};
  const hsize_t most[2] = {records, columns == 0 ? H5S_UNLIMITED : columns};
  const Id space(H5Screate_simple(channel.scalar ? 1 : 2, now, most), &H5Sclose);
  const Id creation = dataset_creation(channel, records);
  const Id access(H5Pcreate(H5P_DATASET_ACCESS), &H5Pclose);
  checked(H5Pset_chunk_cache(access.get(), 0, 0, 0));
  const Id links(H5Pcreate(H5P_LINK_CREATE), &H5Pclose);
  checked(H5Pset_create_intermediate_group(links.get(), 1));
  checked(H5Pset_char_encoding(links.get(), H5T_CSET_UTF8));
  return {
      H5Dcreate2(file, channel.path.c_str(), H5T_IEEE_F64LE, space.get(), links.get(), creation.get(), access.get()),
      &H5Dclose};
}

void describe_column(hid_t dataset, const Channel& channel) {
  if (channel.named) h5::set_texts(dataset, "names", channel.names);
  if (channel.units.size() == 1 && !channel.named)
    h5::set_text(dataset, "units", channel.units[0]);
  else
    h5::set_texts(dataset, "units", channel.units);
}

void describe_run(hid_t file, const RecordingOptions& options) {
  h5::set_number(file, "limber", kRecordingFormat);
  h5::set_text(file, "version", LIMBER_VERSION);
  h5::set_text(file, "name", options.name);
  h5::set_text(file, "model", options.model_text);
  h5::set_text(file, "scenario", options.scenario_text);
  h5::set_text(file, "solver", options.solver);
  if (!options.set.empty()) h5::set_texts(file, "set", options.set);
  if (!options.shaping.empty()) h5::set_text(file, "shaping", options.shaping);
  h5::set_number(file, "complete", 0);
  h5::make_fixed_text(file, "ended", "running", kEndedBytes);
  h5::make_fixed_text(file, "figures", "", kFiguresBytes);
}

// Stores modal bodies and meshes of the model, zero-padded so that what follows is aligned to 8 bytes.
void keep_files(hid_t file, const Model& model) {
  std::set<std::string> kept;
  const auto keep = [&](const std::string& path, const std::string& whole) {
    if (!kept.insert(path).second) return;
    std::string bytes = whole;
    bytes.resize((bytes.size() + 7) / 8 * 8);
    const hsize_t size = bytes.size();
    const Id space(H5Screate_simple(1, &size, nullptr), &H5Sclose), links(H5Pcreate(H5P_LINK_CREATE), &H5Pclose);
    checked(H5Pset_create_intermediate_group(links.get(), 1));
    const std::string name = "files/" + std::to_string(kept.size());
    const Id dataset(H5Dcreate2(file, name.c_str(), H5T_STD_U8LE, space.get(), links.get(), H5P_DEFAULT, H5P_DEFAULT),
                     &H5Dclose);
    checked(H5Dwrite(dataset.get(), H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
    h5::set_text(dataset.get(), "name", path);
    h5::set_number(dataset.get(), "bytes", static_cast<int>(whole.size()));
  };
  for (int i = 1; i < model.body_count(); ++i) {
    if (const PartSpec* part = part_of(model.body(i))) keep(part->file, part->bytes);
    const DrawnSpec* drawn = drawn_of(model.body(i));
    if (drawn == nullptr) continue;
    for (const auto& mesh : drawn->meshes)
      if (mesh) keep(mesh->file, mesh->bytes);
  }
}

constexpr OutputKind kRecordingKind = {"a recording", &is_recording};

}  // namespace

struct RecordingWriter::Impl {
  struct Column {
    Id dataset;
    std::size_t begin = 0;  // in a row; in the buffer, in units of `capacity`
  };

  const Model& model;
  RecordingOptions options;
  std::optional<OutputFile> output;  // gets its name with the first record
  Id file;
  std::vector<Channel> channels;  // `time` last
  std::vector<Column> columns;    // (channel)
  std::vector<double> row, buffer;
  hsize_t capacity = 1, buffered = 0, written = 0, limit = 1;
  bool open = true;
  Clock::time_point next = Clock::now();
  double last_time = 0;
  std::string warning;

  Impl(const Model& model_, RecordingOptions options_) : model(model_), options(std::move(options_)) {}

  void create();
  void append(std::size_t channel);
  void hand_on();
  void mark(std::string_view ended, bool complete, std::string_view figures = {});
  bool close();
  [[noreturn]] void fail(const std::string& why);
};

void RecordingWriter::Impl::create() {
  limit = static_cast<hsize_t>(std::max(1L, options.records)) + 1;  // plus one at an unplanned end
  if (limit > kMaxChunkBytes / sizeof(double))
    throw InputError(
        fmt::format("{}: {} records are too many; raise record.every in the scenario", output->path(), limit));
  channels = make_channels(model, {.nodes = options.nodes, .energy = options.energy, .external = options.channels});
  std::rotate(channels.begin(), channels.begin() + 1, channels.end());
  double bytes = 0;
  for (const Channel& channel : channels)
    bytes += static_cast<double>(channel.columns) * static_cast<double>(limit * sizeof(double));
  if (!options.force) warning = check_room(output->path(), bytes);
  const Id access = file_access(channels.size());
  file = Id(H5Fcreate(output->part().c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()), &H5Fclose);
  std::size_t width = 0;
  for (const Channel& channel : channels) {
    columns.push_back({make_dataset(file.get(), channel, limit), width});
    width += static_cast<std::size_t>(channel.columns);
  }
  // After all headers: these are then aligned to 8 bytes, and the first two, which may have a checksum, lie in the
  // first page.  A write interrupted by a kill can be split between two pages, but not within one.
  for (std::size_t i = 0; i < channels.size(); ++i) describe_column(columns[i].dataset.get(), channels[i]);
  describe_run(file.get(), options);
  keep_files(file.get(), model);
  const hsize_t fit = kBufferBytes / (width * sizeof(double)), fit_at_most = kMaxBufferBytes / (width * sizeof(double));
  capacity = std::clamp<hsize_t>(std::max(fit, std::min(kFewRows, fit_at_most)), 1, limit);
  // On a disk that is too small, the piece that no longer fits is lost.
  if (const double room = free_room(output->path()); bytes > room)
    capacity = std::clamp<hsize_t>(static_cast<hsize_t>(kLostShare * room) / (width * sizeof(double)), 1, capacity);
  row.resize(width);
  buffer.resize(width * capacity);
}

// Writes the buffered rows of one dataset to disk, and sets its length in memory only.
void RecordingWriter::Impl::append(std::size_t i) {
  const Channel& channel = channels[i];
  const auto& [dataset, begin] = columns[i];
  const int rank = channel.scalar ? 1 : 2;
  const hsize_t width = channel.columns;
  const hsize_t size[2] = {written + buffered, width};
  checked(H5Dset_extent(dataset.get(), size));
  if (width == 0) return;
  const hsize_t start[2] = {written, 0}, count[2] = {buffered, width};
  const Id in_file(H5Dget_space(dataset.get()), &H5Sclose);
  checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start, nullptr, count, nullptr));
  const Id in_memory(H5Screate_simple(rank, count, nullptr), &H5Sclose);
  checked(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, in_memory.get(), in_file.get(), H5P_DEFAULT,
                   buffer.data() + begin * capacity));
}

void RecordingWriter::Impl::hand_on() {
  const auto begin = Clock::now();
  const bool first = !output->published();
  if (buffered > 0) {
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) append(i);
    checked(H5Fflush(file.get(), H5F_SCOPE_LOCAL));
    append(columns.size() - 1);  // time
    checked(H5Fflush(file.get(), H5F_SCOPE_LOCAL));
    written += buffered;
    buffered = 0;
  }
  if (first && written > 0) output->publish();
  const auto end = Clock::now();
  const double took = first ? 0 : std::chrono::duration<double>(end - begin).count();
  next = end + std::chrono::duration_cast<Clock::duration>(
                   std::chrono::duration<double>(std::max(options.flush_every, kMaxTimeShare * took)));
}

// Sets `complete` last, so that it implies the other marks.
void RecordingWriter::Impl::mark(std::string_view ended, bool complete, std::string_view figures) {
  if (figures.size() < kFiguresBytes) h5::overwrite_fixed_text(file.get(), "figures", figures);
  h5::overwrite_fixed_text(file.get(), "ended", ended);
  checked(H5Fflush(file.get(), H5F_SCOPE_LOCAL));
  if (!complete) return;
  h5::overwrite_number(file.get(), "complete", 1);
  checked(H5Fflush(file.get(), H5F_SCOPE_LOCAL));
}

// A file without any record is removed.
bool RecordingWriter::Impl::close() {
  if (!open) return true;
  open = false;
  bool good = true;
  for (Column& column : columns) good &= column.dataset.close();
  good &= file.close();
  return good;
}

void RecordingWriter::Impl::fail(const std::string& why) {
  try {
    mark("failed: " + why, false);
  } catch (const Error&) {  // the error is already being reported
  }
  close();
  const std::string path = output->path();
  const bool kept = output->published();
  output.reset();
  if (!kept) refuse_output(path, why);
  refuse_output(path, fmt::format("{}; it holds everything up to t = {:.6g}", why, last_time));
}

RecordingWriter::RecordingWriter(const Model& model, const std::string& path, RecordingOptions options)
    : impl_(std::make_unique<Impl>(model, std::move(options))) {
  const h5::Quiet quiet;
  impl_->output.emplace(path, kRecordingKind, impl_->options.never_overwrites);
  try {
    impl_->create();
  } catch (const HdfError& e) {
    impl_->close();
    refuse_output(path, e.what());
  }
}

RecordingWriter::~RecordingWriter() {
  if (!impl_ || !impl_->open) return;
  const h5::Quiet quiet;
  impl_->close();
}

RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;

void RecordingWriter::write(const Record& record) {
  Impl& w = *impl_;
  if (w.written + w.buffered >= w.limit)
    throw InputError(fmt::format("{}: more than the {} records that were announced", w.output->path(), w.limit));
  fill_row(w.channels, record, w.row.data());
  for (std::size_t i = 0; i < w.channels.size(); ++i) {
    const std::size_t begin = w.columns[i].begin, width = static_cast<std::size_t>(w.channels[i].columns);
    std::copy_n(w.row.data() + begin, width, w.buffer.data() + begin * w.capacity + w.buffered * width);
  }
  ++w.buffered;
  if (w.buffered < w.capacity && Clock::now() < w.next) return;
  const h5::Quiet quiet;
  try {
    w.hand_on();
    w.last_time = record.motion.x.t;
  } catch (const HdfError& e) {
    w.fail(e.what());
  }
}

void RecordingWriter::finish(std::string_view ended, bool complete, std::string_view figures) {
  Impl& w = *impl_;
  if (!w.open) return;
  const h5::Quiet quiet;
  try {
    w.hand_on();
    if (w.written > 0) w.mark(ended, complete, figures);
  } catch (const HdfError& e) {
    w.fail(e.what());
  }
  if (!w.close()) refuse_output(w.output->path(), h5::reason());
  w.output->check_still_there();
  w.output.reset();  // releases its name
}

const std::string& RecordingWriter::warning() const { return impl_->warning; }
long RecordingWriter::records() const { return static_cast<long>(impl_->written + impl_->buffered); }

}  // namespace limber
