// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Histograms and quantiles of signals.

const kBins = 100;
export const kMarks = [["median", 0.5], ["99 %", 0.99], ["99.9 %", 0.999], ["largest", 1]];

// {counts, low, high, total, marks} of the values between two times; null if none is finite.  The marks are quantiles,
// defined as everywhere in limber (limber/realtime/timing.hpp): the smallest value with at least that fraction of the
// records at or below it.
export function histogram_between(time, values, from, to) {
  const kept = [];
  for (let i = 0; i < values.length; ++i) if (time[i] >= from && time[i] <= to && Number.isFinite(values[i])) kept.push(values[i]);
  if (!kept.length) return null;
  const sorted = Float64Array.from(kept).sort();
  const low = sorted[0], high = sorted[sorted.length - 1];
  const counts = new Float64Array(kBins);
  const factor = high > low ? kBins / (high - low) : 0;
  for (const x of sorted) counts[Math.min(kBins - 1, Math.floor((x - low) * factor))]++;
  const marks = kMarks.map(([, share]) => sorted[Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1)]);
  return {counts, low, high, total: sorted.length, marks};
}

// The same from stored counts and quantiles; without quantiles, marks are exact to within a bin.
export function histogram_given({counts, low, high}, quantiles = null) {
  let total = 0;
  for (const n of counts) total += n;
  if (!(total > 0) || !Number.isFinite(low) || !Number.isFinite(high)) return null;
  if (quantiles?.length === kMarks.length) return {counts, low, high, total, marks: [...quantiles]};
  const width = (high - low) / counts.length;
  const marks = kMarks.map(([, share]) => {
    let below = 0;
    for (let i = 0; i < counts.length; ++i) {
      const want = share * total - below;
      if (counts[i] > 0 && want <= counts[i] * (1 + 1e-12)) return share === 1 ? high : low + width * (i + Math.min(1, Math.max(0, want / counts[i])));
      below += counts[i];
    }
    return high;
  });
  return {counts, low, high, total, marks};
}

// {edges, rows}: all histograms over the union of their bin edges, for one axis; rows[h][k] is the count of h between
// edges k and k+1.
export function over_one_axis(histograms) {
  const all = [];
  for (const one of histograms) for (let i = 0; i <= one.counts.length; ++i) all.push(edge(one, i));
  const edges = Float64Array.from(new Set(all)).sort();
  const rows = histograms.map((one) => {
    const row = new Float64Array(edges.length);
    let bin = -1;
    for (let k = 0; k < edges.length; ++k) {
      while (bin < one.counts.length && edges[k] >= edge(one, bin + 1)) ++bin;
      row[k] = bin >= 0 && bin < one.counts.length ? one.counts[bin] : 0;
    }
    return row;
  });
  return {edges, rows};
}

// Edge i of the bins; the range is widened for a constant signal, so that its bar is visible.
function edge({counts, low, high}, i) {
  const half = high > low ? 0 : Math.abs(low) * 1e-3 || 1e-3;
  return i === counts.length ? high + half : low - half + ((high - low + 2 * half) * i) / counts.length;
}
