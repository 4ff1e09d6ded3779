// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Amplitude spectra.  One definition, here and in src/report/spectrum.cpp, of the n records x_i at t_i in view:
//   A(f) = 2 |sum_i w_i (x_i - m) e^(-2 pi j f t_i)| / sum_i w_i,   m = sum_i w_i x_i / sum_i w_i
// with w_i the Hann window times the time interval of the record.  The records are transformed directly, never
// resampled.  Lines f_k = k / (M h), h the step of the records and M the power of two not below 2 n, by zero padding.
// Any frequency is then at most a quarter of 1 / (n h) away from a line, and a sine reads between kScalloping and 1
// times its amplitude.

const kLeast = 8;              // records
const kEven = 1e-6;            // relative to the step
export const kScalloping = 0.960;   // sin(pi/4) / (pi/4) / (1 - 1/16): the Hann window a quarter of a line off [Harris 1978]

// In-place fast Fourier transform of 2^k points.
export function fft(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; ++k) {
      const wr = Math.cos((2 * Math.PI * k) / size), wi = -Math.sin((2 * Math.PI * k) / size);
      for (let a = k; a < n; a += size) {
        const b = a + half;
        const tr = wr * re[b] - wi * im[b], ti = wr * im[b] + wi * re[b];
        re[b] = re[a] - tr;
        im[b] = im[a] - ti;
        re[a] += tr;
        im[a] += ti;
      }
    }
  }
}

export function value_at(time, values, t) {
  let low = 0, high = time.length - 1;
  if (t <= time[low]) return values[low];
  if (t >= time[high]) return values[high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  const s = (t - time[low]) / (time[high] - time[low]);
  return s === 0 ? values[low] : (1 - s) * values[low] + s * values[high];
}

// {hz, amplitudes[channel], even: whether times are evenly spaced} of signals between two times; null with fewer than 8
// records.  For a signal with values that are not finite, the longest finite stretch is used; with fewer than 8 records
// there, its amplitudes are NaN.
export function spectra(time, signals, from, to) {
  let first = 0, end = time.length;
  while (first < end && time[first] < from) ++first;
  while (end > first && time[end - 1] > to) --end;
  if (end - first < kLeast) return null;
  const t = time.subarray ? time.subarray(first, end) : time.slice(first, end);
  const grid = make_grid(t);
  const hz = Float64Array.from({length: grid.size / 2 - grid.first}, (_, k) => (k + grid.first) / (grid.size * grid.step));
  return {hz, even: grid.even, amplitudes: signals.map((values) => amplitude_of(t, values.subarray ? values.subarray(first, end) : values.slice(first, end), grid))};
}

// {records, even, step, size, first}: number of records used, their step, size of the transform, and the first line, one
// period over all records.  The last record of a run is omitted if it alone is off the grid of the others.
function make_grid(t) {
  const even = (n) => {
    const step = (t[n - 1] - t[0]) / (n - 1);
    for (let i = 1; i < n; ++i) if (Math.abs(t[i] - t[0] - step * i) > kEven * step) return false;
    return true;
  };
  const records = even(t.length) || t.length === kLeast || !even(t.length - 1) ? t.length : t.length - 1;
  const size = 2 ** Math.ceil(Math.log2(2 * records));
  return {records, even: even(records), step: (t[records - 1] - t[0]) / (records - 1), size, first: Math.ceil(size / records)};
}

function amplitude_of(t, values, grid) {
  const [a, b] = longest_finite(values, grid.records);
  const out = new Float64Array(grid.size / 2 - grid.first).fill(NaN);
  if (b - a < kLeast) return out;
  const weights = window_of(t, a, b);
  let total = 0, mean = 0;
  for (let i = a; i < b; ++i) {
    total += weights[i - a];
    mean += weights[i - a] * values[i];
  }
  mean /= total;
  const weighted = weights.map((w, i) => w * (values[a + i] - mean));
  const [re, im] = grid.even ? transform(weighted, grid.size) : transform_uneven(t, a, weighted, grid);
  for (let k = 0; k < out.length; ++k) out[k] = (2 / total) * Math.hypot(re[k + grid.first], im[k + grid.first]);
  return out;
}

// [first, end) of the longest stretch of finite values among the first n.
function longest_finite(values, n) {
  let best = [0, 0];
  for (let a = 0; a < n; ++a) {
    let b = a;
    while (b < n && Number.isFinite(values[b])) ++b;
    if (b - a > best[1] - best[0]) best = [a, b];
    a = b;
  }
  return best;
}

// Hann window over the period of the records a ... b-1, times half the time between the neighbours of each record.
function window_of(t, a, b) {
  const n = b - a, period = ((t[b - 1] - t[a]) * n) / (n - 1);
  return Float64Array.from({length: n}, (_, i) => {
    const before = t[Math.max(a + i - 1, a)], behind = i === n - 1 ? t[a] + period : t[a + i + 1];
    return (0.5 - 0.5 * Math.cos((2 * Math.PI * (t[a + i] - t[a])) / period)) * 0.5 * (behind - before);
  });
}

function transform(values, size) {
  const re = new Float64Array(size), im = new Float64Array(size);
  re.set(values);
  fft(re, im);
  return [re, im];
}

// The same sum for records at arbitrary times, by Gaussian gridding [Greengard, Lee 2004]: each record is spread over
// 2 x 12 points of a grid twice as fine, and the lines are corrected for the spreading afterwards; exact to about 1e-12.
function transform_uneven(t, a, values, {size, step}) {
  const kSpread = 12, points = 2 * size;
  const tau = (Math.PI * kSpread) / (3 * size * size);
  const re = new Float64Array(points), im = new Float64Array(points);
  values.forEach((value, i) => {
    const place = (2 * (t[a + i] - t[a])) / step, middle = Math.round(place);
    for (let m = middle - kSpread; m <= middle + kSpread; ++m) {
      const x = (2 * Math.PI * (m - place)) / points;
      re[(m + points) % points] += value * Math.exp((-x * x) / (4 * tau));
    }
  });
  fft(re, im);
  const scale = Math.sqrt(Math.PI / tau) / points;
  for (let k = 0; k < size / 2; ++k) {
    const undo = scale * Math.exp(k * k * tau);
    re[k] *= undo;
    im[k] *= undo;
  }
  return [re, im];
}

// Indices of the highest peaks, at most `most`, rising: maxima at least four times their surroundings, and above the
// window's side lobes of larger maxima, which are below 1 / (pi d (d^2 - 1)) of these at a distance of d / (n h).
export function find_peaks(hz, amplitudes, most) {
  const tops = [];
  for (let k = 1; k + 1 < amplitudes.length; ++k) {
    const x = amplitudes[k];
    if (x > 0 && x >= amplitudes[k - 1] && x > amplitudes[k + 1]) tops.push(k);
  }
  tops.sort((a, b) => amplitudes[b] - amplitudes[a]);
  const line = 4 * (hz[1] - hz[0]);    // not below 1 / (n h), as M < 4 n
  const stands_out = (k, from) => {
    const d = Math.abs(hz[k] - hz[from]) / line;
    if (d < 2 || amplitudes[k] < (2 * amplitudes[from]) / (Math.PI * d * (d * d - 1))) return false;
    return amplitudes.subarray(Math.min(k, from), Math.max(k, from)).some((x) => x < 0.25 * amplitudes[k]);
  };
  const found = [];
  for (const k of tops.slice(0, kMostTops)) {
    if (found.length === most || amplitudes[k] < kLowest * amplitudes[tops[0]]) break;
    if (found.every((other) => stands_out(k, other))) found.push(k);
  }
  return found.sort((a, b) => a - b);
}

const kMostTops = 400, kLowest = 1e-4;   // maxima examined; smallest labelled peak relative to the largest
