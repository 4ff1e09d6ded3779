// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/plots.hpp"

namespace limber {

// The signals of one recording minus those of a reference, for signals in both: at the common times, if there are at
// least kCommonTimes; otherwise at the times of the recording that lie within those of the reference, which is
// interpolated linearly.
class Difference : public Recorded {
 public:
  // Both must outlive it.
  Difference(const RecordedPage& reference, const RecordedPage& other);
  void read(int series, long first, long count, int column, int columns, double* out) const override;

  std::vector<PlotChannel> channels;  // of the other recording, here in series() of this one
  bool interpolated = false;          // of the reference

 private:
  struct Pair {
    int reference = 0, other = 0;                       // series
    std::vector<int> reference_columns, other_columns;  // (columns)
  };
  void set_times(bool only_common);
  void set_series();

  const RecordedPage& reference_;
  const RecordedPage& other_;
  std::vector<long> here_;      // (records) record of `other`
  std::vector<long> left_;      // (records) record of the reference at or before the time
  std::vector<double> weight_;  // (records) of the record after it
  std::vector<Pair> pairs_;     // (series)
};

}  // namespace limber
