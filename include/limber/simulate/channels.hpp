// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of all quantities that can be recorded: recordings, text tables, pages and the ports of a simulation take
// paths, names, units and values from here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "limber/simulate/simulate.hpp"

namespace limber {

// One quantity of a run: a row of numbers at each recorded time.
struct Channel {
  using Getter = std::function<void(const Record&, double* out)>;  // writes `columns` numbers; no allocation

  std::string path;                // "nodes/boom.tip/position"
  int columns = 1;                 // may be 0
  std::vector<std::string> units;  // one for all columns, or one each
  std::vector<std::string> names;  // (columns)
  bool named = false;              // by the model; otherwise axis_name
  bool scalar = false;             // one number, not a row of one
  Getter get;

  // Of one column.
  const std::string& unit(int column) const { return units[units.size() == 1 ? 0 : static_cast<std::size_t>(column)]; }
};

// Values of a part outside the dynamics, such as a controller, which must outlive the channel.
struct ExternalChannel {
  std::string path;                       // "control/desired"
  std::vector<std::string> names, units;  // (columns)
  const VectorXd* values;                 // (columns)
};

struct ChannelOptions {
  std::vector<NodeRef> nodes = {};             // pose and deflection of each
  bool energy = true;                          // energies and momenta
  bool parts = false;                          // q and v also by joint and by body: joints/<joint>/position, velocity,
                                               // bodies/<body>/modes, mode_rates
  std::vector<ExternalChannel> external = {};  // of a controller
};

// All channels in the order of docs/recording-format.md, `time` first.  Getters refer to `model`.  O(N).
std::vector<Channel> make_channels(const Model& model, const ChannelOptions& options = {});

// nullptr: none of this path.
const Channel* find_channel(std::span<const Channel> channels, std::string_view path);

// Writes all channels of a record in order; `row` has total_columns() entries.  No allocation.
int total_columns(std::span<const Channel> channels);
void fill_row(std::span<const Channel> channels, const Record& record, double* row);

// "nodes/boom.tip/deflection"; a body frame has the name of its body.
std::string node_channel(const Model& model, NodeRef node, std::string_view quantity);

// Name of a column that is an axis: x, y, z; a component of a wrench; otherwise a number from 1.  "" for a single one.
std::string axis_name(std::string_view path, int columns, int column);

}  // namespace limber
