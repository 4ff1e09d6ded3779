// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "limber/files/recording_reader.hpp"
#include "limber/model/model.hpp"

namespace limber {

// One signal of a recording.
struct PlotChannel {
  int series = 0, column = 0;  // its position in the file
  std::string name, group, unit;
  int rank = 0;                   // of its group: the most important has the lowest
  double least = 0, largest = 0;  // of its finite values
  bool shown = false;             // plotted initially

  double size() const { return std::max(std::abs(least), std::abs(largest)); }
};

// The parts of the path of a dataset: "nodes", "boom.tip", "position".
struct ChannelPath {
  std::string first, owner, last;
};
ChannelPath split_path(const std::string& path);

// All signals with their names, in display order; least and largest are not set.
std::vector<PlotChannel> list_channels(const Recorded& recording, const Model& model);
// Those of a table, grouped by the prefix before the colon.
std::vector<PlotChannel> list_channels(const Recorded& table);

// Passes on columns of a series one after the other, each complete.  Memory is bounded.
using ColumnTaker = std::function<void(std::size_t, std::span<const double>)>;
void for_each_column(const Recorded& recording, int series, const std::vector<int>& columns, const ColumnTaker& take);

// The signals included in a page, at most `most`: by rank, and within a rank the largest first.  Order is kept.
std::vector<PlotChannel> choose_channels(const std::vector<PlotChannel>& all, std::size_t most);
// Selects the initially plotted signals: tracking or motion of the joints, the largest deflection, energies.
void choose_shown(std::vector<PlotChannel>& channels);

}  // namespace limber
