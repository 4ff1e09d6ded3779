// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/recording.hpp"
#include "limber/files/table_writer.hpp"

namespace limber {
namespace {

std::vector<std::string> columns_of(const Model& model, bool energy) {
  std::vector<std::string> out = {"time"};
  for (const std::string& name : model.coordinates) out.push_back("q:" + name);
  for (const std::string& name : model.speeds) out.push_back("v:" + name);
  if (!energy) return out;
  for (const char* name : {"kinetic", "elastic", "gravity", "springs", "work", "dissipated", "balance"})
    out.push_back(std::string("energy:") + name);
  return out;
}

}  // namespace

struct CsvWriter::Impl {
  TableWriter table;
  bool energy = false;
};

CsvWriter::CsvWriter(const Model& model, const std::string& path, bool energy, const std::vector<std::string>& never)
    : impl_(new Impl{{path, columns_of(model, energy), {.never_overwrites = never}}, energy}) {}
CsvWriter::~CsvWriter() = default;
CsvWriter::CsvWriter(CsvWriter&&) noexcept = default;

void CsvWriter::write(const Record& record) {
  TableWriter& table = impl_->table;
  table.add(record.motion.x.t);
  for (const double value : record.motion.x.q) table.add(value);
  for (const double value : record.motion.x.v) table.add(value);
  if (impl_->energy) {
    const Energy& e = record.energy;
    for (const double value :
         {e.kinetic, e.elastic, e.gravity, e.springs, record.motion.work, record.motion.dissipated, record.balance})
      table.add(value);
  }
  table.end_row();
}

void CsvWriter::finish() { impl_->table.finish(); }

}  // namespace limber
