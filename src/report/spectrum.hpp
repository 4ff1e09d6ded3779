// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace limber {

// Amplitude spectra of signals with common times t_i, up to half the sampling rate.  Same definition as in
// viewer/src/spectrum.js:
//   A(f) = 2 |sum_i w_i (x_i - m) e^(-2 pi j f t_i)| / sum_i w_i,   m = sum_i w_i x_i / sum_i w_i
// with w_i the Hann window times the interval represented by the record, at lines f_k = k / (M h), h the step of the
// records and M the smallest power of two not below twice their number.  Uniform records are transformed by FFT; a last
// record off the grid is omitted; for nonuniform times the sum is that of Greengard and Lee (SIAM Review 46, 2004).  A
// sine reads between kScalloping and 1 times its amplitude.  A band has the largest of its lines: single lines at
// first, then bands of 0.4 %.
class Spectrum {
 public:
  static constexpr double kScalloping =
      0.960;  // sin(pi/4) / (pi/4) / (1 - 1/16), off by a quarter of a line [Harris 1978]

  explicit Spectrum(std::span<const double> time);
  ~Spectrum();
  const std::vector<double>& hertz() const { return hertz_; }  // the center of each band; fewer than 8 records: none
  // Amplitude of a sine at each band.  A signal with values that are not finite uses its longest finite stretch; NaN if
  // that has fewer than 8 records.
  void compute(std::span<const double> values, float* amplitudes);

 private:
  struct Transform;
  void weigh(std::span<const double> values, std::size_t first);  // sets weighted_ and total_
  std::vector<double> time_;                                      // (records used)
  double step_ = 0;
  bool even_ = false;
  std::size_t size_ = 0;     // M
  std::vector<long> lines_;  // first line of each band, and one beyond the last
  std::vector<double> hertz_;
  std::vector<double> weighted_;  // w_i (x_i - m)
  double total_ = 0;              // of the weights
  std::unique_ptr<Transform> transform_;
};

}  // namespace limber
