// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Amplitude spectra.

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

// {hz, amplitudes[channel]} of signals between two times: made even in time, mean taken off, Hann window; the
// amplitude is that of a sine with this frequency.  null with fewer than 8 records.
export function spectra(time, signals, from, to) {
  let records = 0;
  for (const t of time) if (t >= from && t <= to) ++records;
  if (records < 8) return null;
  const n = Math.min(2 ** Math.ceil(Math.log2(records)), 1 << 17);
  const step = (to - from) / n;
  const hz = Float64Array.from({length: n / 2 - 1}, (_, k) => (k + 1) / (n * step));
  // Not beyond half the rate of the records, however fine the points between them.
  const limit = (0.5 * (records - 1)) / (to - from);
  const kept = Math.max(2, hz.filter((f) => f <= limit * 1.0001).length);
  const amplitudes = signals.map((values) => amplitude_of(time, values, from, step, n).subarray(0, kept));
  return {hz: hz.subarray(0, kept), amplitudes};
}

function amplitude_of(time, values, from, step, n) {
  const re = new Float64Array(n), im = new Float64Array(n);
  let mean = 0;
  for (let i = 0; i < n; ++i) mean += re[i] = finite(value_at(time, values, from + i * step));
  mean /= n;
  for (let i = 0; i < n; ++i) re[i] = (re[i] - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / n));
  fft(re, im);
  return Float64Array.from({length: n / 2 - 1}, (_, k) => (4 / n) * Math.hypot(re[k + 1], im[k + 1]));
}

function finite(x) {
  return Number.isFinite(x) ? x : 0;
}
