// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Everything except rows is written before the file gets its name.  Then rows are written in place, each dataset
// contiguous, without buffering by HDF5: the structure of the file does not change any more, and the system keeps the
// order of the writes, so that a row whose status is written is complete.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "files/study_table.hpp"
#include "limber/files/detail/output.hpp"
#include "limber/files/detail/text.hpp"

namespace limber {
namespace {

using h5::checked;
using h5::HdfError;
using h5::Id;

constexpr OutputKind kStudyKind = {"a table of a study", &is_study_table};
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Id unbuffered_access() {
  Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  checked(H5Pset_sieve_buf_size(access.get(), 0));
  checked(H5Pset_file_locking(access.get(), false, true));
  return access;
}

// A contiguous dataset of `size` values; values not written read as zeros.
Id make_values(hid_t file, const std::string& name, hid_t type, hsize_t size) {
  const Id space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
  const Id creation(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
  checked(H5Pset_layout(creation.get(), H5D_CONTIGUOUS));
  checked(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY));
  checked(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER));
  checked(H5Pset_obj_track_times(creation.get(), false));
  const Id links(H5Pcreate(H5P_LINK_CREATE), &H5Pclose);
  checked(H5Pset_create_intermediate_group(links.get(), 1));
  checked(H5Pset_char_encoding(links.get(), H5T_CSET_UTF8));
  return {H5Dcreate2(file, name.c_str(), type, space.get(), links.get(), creation.get(), H5P_DEFAULT), &H5Dclose};
}

template <class T>
void write_all(const Id& dataset, hid_t type, const std::vector<T>& values) {
  if (!values.empty()) checked(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

// Texts of equal length, zero-padded.
void write_words(hid_t file, const std::string& name, const std::vector<std::string>& words) {
  std::size_t bytes = 1;
  for (const std::string& word : words) bytes = std::max(bytes, word.size());
  std::string all;
  for (std::string word : words) {
    word.resize(bytes);
    all += word;
  }
  const Id type = study_text_type(bytes), dataset = make_values(file, name, type.get(), words.size());
  checked(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));
}

void write_one(const Id& dataset, hid_t type, long index, const void* value) {
  const hsize_t start = static_cast<hsize_t>(index), one = 1;
  const Id in_file(H5Dget_space(dataset.get()), &H5Sclose), in_memory(H5Screate_simple(1, &one, nullptr), &H5Sclose);
  checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &start, nullptr, &one, nullptr));
  checked(H5Dwrite(dataset.get(), type, in_memory.get(), in_file.get(), H5P_DEFAULT, value));
}

void write_text(const Id& dataset, const Id& type, long index, std::string_view text) {
  const std::size_t bytes = H5Tget_size(type.get());
  std::size_t size = std::min(text.size(), bytes);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  std::string padded(text.substr(0, size));
  padded.resize(bytes);
  write_one(dataset, type.get(), index, padded.data());
}

std::vector<std::string> names_of(const std::vector<StudyColumn>& columns) {
  std::vector<std::string> out;
  for (const StudyColumn& column : columns) out.push_back(column.name);
  return out;
}

void describe_study(hid_t file, const StudyData& data) {
  h5::set_number(file, "limber", kStudyFormat);
  h5::set_text(file, "kind", "study");
  h5::set_text(file, "version", LIMBER_VERSION);
  h5::set_text(file, "name", data.name);
  h5::set_text(file, "study", data.study_text);
  h5::set_text(file, "scenario", data.scenario_text);
  h5::set_text(file, "model", data.model_text);
  h5::set_text(file, "method", data.method);
  h5::set_text(file, "seed", std::to_string(data.seed));
  h5::set_text(file, "recordings", data.recordings);
  h5::set_texts(file, "parameters", names_of(data.parameters));
  h5::set_texts(file, "results", names_of(data.results));
  h5::set_number(file, "complete", 0);
}

void make_parameters(hid_t file, const StudyData& data) {
  for (const StudyColumn& column : data.parameters) {
    const std::string name = "parameters/" + column.name;
    if (!column.words.empty()) {
      write_words(file, name, column.words);
    } else {
      const Id dataset = make_values(file, name, H5T_IEEE_F64LE, static_cast<hsize_t>(data.runs()));
      std::vector<double> values = column.values;
      values.resize(static_cast<std::size_t>(data.runs()), kNone);
      write_all(dataset, H5T_NATIVE_DOUBLE, values);
    }
    const Id dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), &H5Dclose);
    h5::set_text(dataset.get(), "units", column.unit);
    h5::set_text(dataset.get(), "definition", column.text);
  }
}

void make_results(hid_t file, const StudyData& data) {
  const std::vector<double> none(static_cast<std::size_t>(data.runs()), kNone);
  for (const StudyColumn& column : data.results) {
    const Id dataset = make_values(file, "results/" + column.name, H5T_IEEE_F64LE, none.size());
    write_all(dataset, H5T_NATIVE_DOUBLE, none);
    h5::set_text(dataset.get(), "units", column.unit);
    h5::set_text(dataset.get(), "definition", column.text);
  }
}

void make_rest(hid_t file, const StudyData& data) {
  const auto runs = static_cast<hsize_t>(data.runs());
  std::vector<std::int64_t> index(runs);
  for (std::size_t k = 0; k < index.size(); ++k) index[k] = static_cast<std::int64_t>(k);
  write_all(make_values(file, "index", H5T_STD_I64LE, runs), H5T_NATIVE_INT64, index);
  write_all(make_values(file, "seed", H5T_STD_U64LE, runs), H5T_NATIVE_UINT64, data.seeds);
  const Id wall = make_values(file, "wall", H5T_IEEE_F64LE, runs);
  h5::set_text(wall.get(), "units", "s");
  make_values(file, "kept", H5T_STD_U8LE, runs);
  make_values(file, "message", study_text_type(kStudyMessageBytes).get(), runs);
  make_values(file, "status", study_text_type(kStudyStatusBytes).get(), runs);
}

}  // namespace

struct StudyTableWriter::Impl {
  std::string path;
  std::optional<OutputFile> output;  // of a new table, until it has its name; holds the lock
  std::optional<OutputLock> lock;    // of a resumed table
  Id file, status, message, wall, kept;
  Id status_type = study_text_type(kStudyStatusBytes), message_type = study_text_type(kStudyMessageBytes);
  std::vector<Id> parameters, results;
  bool open = false;

  Id dataset(const std::string& name) { return {H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), &H5Dclose}; }

  void open_datasets(const StudyData& data) {
    for (const StudyColumn& column : data.parameters) parameters.push_back(dataset("parameters/" + column.name));
    for (const StudyColumn& column : data.results) results.push_back(dataset("results/" + column.name));
    status = dataset("status");
    message = dataset("message");
    wall = dataset("wall");
    kept = dataset("kept");
    open = true;
  }

  bool close() {
    open = false;
    bool good = true;
    for (auto* list : {&parameters, &results}) {
      for (Id& id : *list) good &= id.close();
    }
    for (Id* id : {&status, &message, &wall, &kept, &file}) good &= id->close();
    return good;
  }

  template <class Work>
  void guarded(const Work& work) {
    const h5::Quiet quiet;
    try {
      work();
    } catch (const HdfError& e) {
      close();
      refuse_output(path,
                    std::string(e.what()) + "; the rows written so far are kept: free some space and add --resume");
    }
  }
};

StudyTableWriter::StudyTableWriter(const std::string& path, const StudyData& data,
                                   std::vector<std::string> never_overwrites)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->output.emplace(path, kStudyKind, std::move(never_overwrites));
  if (is_study_table(path)) {
    const StudyData old = read_study_table(path);
    if (!old.complete && old.done_count() > 0)
      throw FileError(fmt::format(
          "{}: holds {} of {} runs of a study; continue with --resume (resume=True in Python), or remove it", path,
          old.done_count(), old.runs()));
  }
  const h5::Quiet quiet;
  try {
    const Id access = unbuffered_access();
    impl_->file = Id(H5Fcreate(impl_->output->part().c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()), &H5Fclose);
    make_parameters(impl_->file.get(), data);
    make_results(impl_->file.get(), data);
    make_rest(impl_->file.get(), data);
    describe_study(impl_->file.get(), data);
    checked(H5Fflush(impl_->file.get(), H5F_SCOPE_LOCAL));
    impl_->open_datasets(data);
    impl_->output->publish();
  } catch (const HdfError& e) {
    impl_->close();
    refuse_output(path, e.what());
  }
}

StudyTableWriter::StudyTableWriter(const std::string& path, const StudyData& data) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->lock.emplace(path, check_output(path, {}, kStudyKind));
  const h5::Quiet quiet;
  try {
    const Id access = unbuffered_access();
    impl_->file = Id(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), &H5Fclose);
    impl_->open_datasets(data);
  } catch (const HdfError& e) {
    impl_->close();
    refuse_output(path, e.what());
  }
}

StudyTableWriter::~StudyTableWriter() {
  if (!impl_ || !impl_->open) return;
  const h5::Quiet quiet;
  impl_->close();
}

StudyTableWriter::StudyTableWriter(StudyTableWriter&&) noexcept = default;

void StudyTableWriter::begin(long index) {
  impl_->guarded([&] { write_text(impl_->status, impl_->status_type, index, "running"); });
}

void StudyTableWriter::write_parameters(long index, const std::vector<double>& values) {
  impl_->guarded([&] {
    for (std::size_t k = 0; k < values.size(); ++k)
      write_one(impl_->parameters[k], H5T_NATIVE_DOUBLE, index, &values[k]);
  });
}

void StudyTableWriter::write(const StudyRow& row) {
  Impl& w = *impl_;
  w.guarded([&] {
    for (std::size_t k = 0; k < row.results.size(); ++k)
      write_one(w.results[k], H5T_NATIVE_DOUBLE, row.index, &row.results[k]);
    write_one(w.wall, H5T_NATIVE_DOUBLE, row.index, &row.wall);
    const std::uint8_t kept = row.kept ? 1 : 0;
    write_one(w.kept, H5T_NATIVE_UINT8, row.index, &kept);
    if (!row.message.empty()) write_text(w.message, w.message_type, row.index, row.message);
    write_text(w.status, w.status_type, row.index, row.status);
  });
}

void StudyTableWriter::finish(bool complete) {
  Impl& w = *impl_;
  if (!w.open) return;
  w.guarded([&] {
    if (complete) h5::overwrite_number(w.file.get(), "complete", 1);
    checked(H5Fflush(w.file.get(), H5F_SCOPE_LOCAL));
  });
  const h5::Quiet quiet;
  if (!w.close()) refuse_output(w.path, h5::reason());
  if (w.output) w.output->check_still_there();
  w.output.reset();
  w.lock.reset();
}

}  // namespace limber
