// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "files/study_table.hpp"
#include "files/worker.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/recording_reader.hpp"

namespace limber {
namespace {

using h5::checked;
using h5::Id;

constexpr std::size_t kStudyTextBytes = std::size_t{256} << 20;
constexpr hsize_t kStudyRuns = 100'000'000;
constexpr std::size_t kStudyColumns = 100'000;

std::string text_of(hid_t object, const char* name) {
  const std::vector<std::string> found = h5::get_texts(object, name, kStudyTextBytes);
  return found.size() == 1 ? found[0] : "";
}

// A table being read; `bytes`: size of its file.
class StudySource {
 public:
  StudySource(hid_t file, double bytes) : file_(file), bytes_(bytes) {}

  // Opens a list of `runs` values; 0: of any length, which it returns.
  Id open(const std::string& name, hsize_t& runs) const {
    Id id = h5::open_dataset(file_, name, "a table of a study");
    const Id space(H5Dget_space(id.get()), &H5Sclose);
    hsize_t size = 0;
    if (H5Sget_simple_extent_ndims(space.get()) != 1) throw FileError("dataset " + show(name) + " is not a list");
    checked(H5Sget_simple_extent_dims(space.get(), &size, nullptr));
    if (runs == 0) runs = size;
    if (size != runs || size > kStudyRuns || !h5::has_storage(id.get(), static_cast<double>(size), bytes_))
      throw FileError(
          fmt::format("dataset {} has {} values in place of {}; the file is damaged", show(name), size, runs));
    return id;
  }

  template <class T>
  std::vector<T> values(const std::string& name, hid_t type, H5T_class_t wanted, hsize_t runs) const {
    const Id id = open(name, runs), own(H5Dget_type(id.get()), &H5Tclose);
    if (H5Tget_class(own.get()) != wanted)
      throw FileError("dataset " + show(name) + " holds no numbers; the file is damaged");
    std::vector<T> out(runs);
    checked(H5Dread(id.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()));
    return out;
  }
  std::vector<double> numbers(const std::string& name, hsize_t runs) const {
    return values<double>(name, H5T_NATIVE_DOUBLE, H5T_FLOAT, runs);
  }

  std::vector<std::string> texts(const std::string& name, hsize_t runs) const {
    const Id id = open(name, runs), own(H5Dget_type(id.get()), &H5Tclose);
    if (H5Tget_class(own.get()) != H5T_STRING || H5Tis_variable_str(own.get()) > 0)
      throw FileError("dataset " + show(name) + " holds no texts of fixed length; the file is damaged");
    const std::size_t bytes = H5Tget_size(own.get());
    std::string all(bytes * runs, '\0');
    checked(H5Dread(id.get(), own.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));
    std::vector<std::string> out;
    for (hsize_t k = 0; k < runs; ++k) {
      const std::string_view text(all.data() + k * bytes, bytes);
      out.emplace_back(text.substr(0, text.find('\0')));
    }
    return out;
  }

  std::vector<StudyColumn> columns(const char* group, hsize_t runs) const {
    std::vector<StudyColumn> out;
    for (const std::string& name : h5::get_texts(file_, group, kStudyTextBytes)) {
      StudyColumn column;
      column.name = name;
      const std::string path = std::string(group) + "/" + name;
      hsize_t size = runs;
      const Id id = open(path, size), own(H5Dget_type(id.get()), &H5Tclose);
      column.unit = text_of(id.get(), "units");
      column.text = text_of(id.get(), "definition");
      if (H5Tget_class(own.get()) == H5T_STRING)
        column.words = texts(path, runs);
      else
        column.values = numbers(path, runs);
      out.push_back(std::move(column));
      if (out.size() > kStudyColumns) throw FileError("has too many columns; the file is damaged");
    }
    return out;
  }

 private:
  hid_t file_;
  double bytes_;
};

// ---- between the two processes ---------------------------------------------------------------------------

// Sends values of 1 or 8 bytes in binary form.
template <class T>
void send_list(Wire& wire, const std::vector<T>& values) {
  std::vector<double> raw((values.size() * sizeof(T) + sizeof(double) - 1) / sizeof(double));
  if (!values.empty()) std::memcpy(raw.data(), values.data(), values.size() * sizeof(T));
  wire.send(static_cast<std::int64_t>(values.size()));
  wire.send(std::span<const double>(raw));
}
template <class T>
std::vector<T> receive_list(Wire& wire) {
  std::vector<T> out(static_cast<std::size_t>(wire.receive_number()));
  std::vector<double> raw((out.size() * sizeof(T) + sizeof(double) - 1) / sizeof(double));
  wire.receive(raw);
  if (!out.empty()) std::memcpy(out.data(), raw.data(), out.size() * sizeof(T));
  return out;
}
// In one message, each terminated by a zero.
void send_texts(Wire& wire, const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + '\0';
  wire.send(all);
}
std::vector<std::string> receive_study_texts(Wire& wire) {
  const std::string all = wire.receive_text();
  std::vector<std::string> out;
  for (std::size_t at = 0; at < all.size(); at += out.back().size() + 1) out.emplace_back(all.c_str() + at);
  return out;
}

void send_columns(Wire& wire, const std::vector<StudyColumn>& columns) {
  wire.send(static_cast<std::int64_t>(columns.size()));
  for (const StudyColumn& column : columns) {
    wire.send(std::vector<std::string>{column.name, column.unit, column.text});
    send_list(wire, column.values);
    send_texts(wire, column.words);
  }
}
std::vector<StudyColumn> receive_columns(Wire& wire) {
  std::vector<StudyColumn> out(static_cast<std::size_t>(wire.receive_number()));
  for (StudyColumn& column : out) {
    const std::vector<std::string> texts = wire.receive_texts();
    column.name = texts.at(0);
    column.unit = texts.at(1);
    column.text = texts.at(2);
    column.values = receive_list<double>(wire);
    column.words = receive_study_texts(wire);
  }
  return out;
}

void send_study(Wire& wire, const StudyData& data) {
  wire.send(std::vector<std::string>{data.name, data.version, data.study_text, data.scenario_text, data.model_text,
                                     data.method, data.recordings});
  wire.send(static_cast<std::int64_t>(data.seed));
  wire.send(std::int64_t{data.complete ? 1 : 0});
  send_columns(wire, data.parameters);
  send_columns(wire, data.results);
  send_texts(wire, data.status);
  send_texts(wire, data.message);
  send_list(wire, data.seeds);
  send_list(wire, data.wall);
  send_list(wire, data.kept);
}

StudyData receive_study(Wire& wire) {
  StudyData out;
  const std::vector<std::string> texts = wire.receive_texts();
  std::string* const to[] = {&out.name,       &out.version, &out.study_text, &out.scenario_text,
                             &out.model_text, &out.method,  &out.recordings};
  for (std::size_t k = 0; k < std::size(to); ++k) *to[k] = texts.at(k);
  out.seed = static_cast<std::uint64_t>(wire.receive_number());
  out.complete = wire.receive_number() != 0;
  out.parameters = receive_columns(wire);
  out.results = receive_columns(wire);
  out.status = receive_study_texts(wire);
  out.message = receive_study_texts(wire);
  out.seeds = receive_list<std::uint64_t>(wire);
  out.wall = receive_list<double>(wire);
  out.kept = receive_list<std::uint8_t>(wire);
  return out;
}

bool looks_like_study(const std::string& path) {
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  checked(H5Pset_file_locking(access.get(), false, true));
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (id < 0) return false;
  const Id file(id, &H5Fclose);
  return H5Aexists(id, "kind") > 0 && text_of(id, "kind") == "study";
}

}  // namespace

Id study_text_type(std::size_t bytes) {
  Id type(H5Tcopy(H5T_C_S1), &H5Tclose);
  checked(H5Tset_size(type.get(), bytes));
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD));
  return type;
}

StudyData load_study_table(const std::string& path) {
  H5PLset_loading_state(0);  // no plugins
  if (!looks_like_study(path)) throw FileError("is not a table of a study; name one that `limber sweep` wrote");
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  checked(H5Pset_file_locking(access.get(), false, true));
  const Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), &H5Fclose);
  const int format = h5::get_number(file.get(), "limber");
  if (format != kStudyFormat)
    throw FileError(fmt::format("is a study of format {}; this program reads {}", format, kStudyFormat));
  h5::list_datasets(file.get(), "a table of a study", kStudyColumns);
  std::error_code ignored;
  const StudySource source(file.get(), static_cast<double>(std::filesystem::file_size(path, ignored)));
  StudyData out;
  out.name = text_of(file.get(), "name");
  out.version = text_of(file.get(), "version");
  out.study_text = text_of(file.get(), "study");
  out.scenario_text = text_of(file.get(), "scenario");
  out.model_text = text_of(file.get(), "model");
  out.method = text_of(file.get(), "method");
  out.recordings = text_of(file.get(), "recordings");
  out.seed = std::strtoull(text_of(file.get(), "seed").c_str(), nullptr, 10);
  out.complete = h5::get_number(file.get(), "complete") != 0;
  hsize_t runs = 0;
  source.open("index", runs);
  if (runs == 0) throw FileError("holds no runs; the file is damaged");
  out.status = source.texts("status", runs);
  out.message = source.texts("message", runs);
  out.seeds = source.values<std::uint64_t>("seed", H5T_NATIVE_UINT64, H5T_INTEGER, runs);
  out.kept = source.values<std::uint8_t>("kept", H5T_NATIVE_UINT8, H5T_INTEGER, runs);
  out.wall = source.numbers("wall", runs);
  out.parameters = source.columns("parameters", runs);
  out.results = source.columns("results", runs);
  return out;
}

bool StudyData::done(long run) const {
  // A word truncated at a page of the file, by a kill or a full disk, is none of these.
  const std::string& word = status[static_cast<std::size_t>(run)];
  return word == "ok" || word == "diverged" || word == "refused" || word == "failed";
}

long StudyData::done_count() const {
  long out = 0;
  for (long run = 0; run < runs(); ++run) out += done(run) ? 1 : 0;
  return out;
}

StudyData read_study_table(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw FileError(path + ": no such file");
  if (!is_hdf5(path)) throw FileError(path + ": is not a table of a study; name one that `limber sweep` wrote");
  Worker worker([&](Wire& wire) {
    const h5::Quiet quiet;
    try {
      const StudyData data = load_study_table(path);
      wire.send(std::string());
      send_study(wire, data);
    } catch (const Wire::Closed&) {
      throw;
    } catch (const FileError& e) {
      wire.send(std::string(e.what()));
    }
  });
  try {
    if (const std::string fault = worker.wire().receive_text(); !fault.empty()) throw FileError(path + ": " + fault);
    return receive_study(worker.wire());
  } catch (const Wire::Closed&) {
    throw FileError(fmt::format("{}: {}; the file is damaged", path, worker.failure()));
  }
}

bool is_study_table(const std::string& path) {
  if (!is_hdf5(path)) return false;
  Worker worker([&](Wire& wire) {
    const h5::Quiet quiet;
    wire.send(std::int64_t{looks_like_study(path) ? 1 : 0});
    wire.receive_number();  // until the other end closes
  });
  try {
    return worker.wire().receive_number() == 1;
  } catch (const Wire::Closed&) {
    return false;
  }
}

}  // namespace limber
