// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Several recordings as one view: their signals side by side, matched by group, name and unit.

// {runs, differences, channels, time, frequencies}: a channel has one line per run (null if the run lacks it), and the
// same for the differences from the first run.
export function overlay_of(runs, differences = []) {
  runs.forEach((run, k) => (run.label = String(run.header.label ?? run.name) || `run ${k + 1}`));
  const signals = new Map();
  const put = (view, key, k) => {
    for (const [id, channel] of keyed(view.channels)) {
      if (!signals.has(id)) signals.set(id, make_signal(channel, runs.length));
      const signal = signals.get(id);
      signal[key][k] = {...channel, name: runs[k].label, run: k, signal};
      signal.shown ||= k === 0 && channel.shown;
    }
  };
  runs.forEach((run, k) => put(run, "lines", k));
  differences.forEach((view, k) => view && put(view, "differences", k));
  const first = Math.min(...runs.map(({time}) => time[0])), last = Math.max(...runs.map(({time}) => time[time.length - 1]));
  const channels = [...signals.values()];
  if (!channels.some((signal) => signal.shown)) channels.filter((signal) => signal.lines.every(Boolean)).slice(0, 3).forEach((signal) => (signal.shown = true));
  return {runs, differences, channels, time: [first, last], frequencies: runs[0].frequencies, has_differences: differences.some(Boolean)};
}

function make_signal({name, group, unit}, count) {
  return {name, group, unit, shown: false, lines: Array(count).fill(null), differences: Array(count).fill(null)};
}

// [key, channel] with unique keys: signals of equal name are numbered.
function keyed(channels) {
  const seen = new Map();
  return channels.map((channel) => {
    const key = JSON.stringify([channel.group, channel.name, channel.unit]);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return [`${key} ${count}`, channel];
  });
}
