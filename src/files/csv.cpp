// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/files/recording.hpp"
#include "limber/files/table_writer.hpp"

namespace limber {
namespace {

// Whether a channel belongs to the table: time, coordinates, speeds, energies.
bool is_in_table(const Channel& channel) {
  return channel.path == "time" || channel.path == "q" || channel.path == "v" || channel.path.starts_with("energy/");
}

std::vector<Channel> channels_of(const Model& model, bool energy) {
  std::vector<Channel> out = make_channels(model, {.nodes = {}, .energy = energy, .external = {}});
  std::erase_if(out, [](const Channel& channel) { return !is_in_table(channel); });
  return out;
}

// "q:elbow", "energy:kinetic".
std::vector<std::string> columns_of(const std::vector<Channel>& channels) {
  std::vector<std::string> out;
  for (const Channel& channel : channels) {
    std::string path = channel.path;
    std::replace(path.begin(), path.end(), '/', ':');
    for (const std::string& name : channel.names) out.push_back(name.empty() ? path : path + ":" + name);
  }
  return out;
}

}  // namespace

struct CsvWriter::Impl {
  std::vector<Channel> channels;
  TableWriter table;
  std::vector<double> row;
};

CsvWriter::CsvWriter(const Model& model, const std::string& path, bool energy, const std::vector<std::string>& never) {
  std::vector<Channel> channels = channels_of(model, energy);
  const std::vector<std::string> columns = columns_of(channels);
  impl_.reset(new Impl{std::move(channels), {path, columns, {.never_overwrites = never}}, {}});
  impl_->row.resize(columns.size());
}
CsvWriter::~CsvWriter() = default;
CsvWriter::CsvWriter(CsvWriter&&) noexcept = default;

void CsvWriter::write(const Record& record) {
  fill_row(impl_->channels, record, impl_->row.data());
  impl_->table.write(impl_->row);
}

void CsvWriter::finish() { impl_->table.finish(); }

}  // namespace limber
