# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of runs, as arrays."""
from __future__ import annotations

import difflib
import os
import shutil
import tempfile
import weakref
import webbrowser
from typing import Any, Iterator

import numpy as np

from . import _limber
from ._limber import InputError, Model, NumericalError, RunReport
from ._texts import read_scenario


def _hint(name: str, known: list[str]) -> str:
    """Names that may be meant, and what there is."""
    near, most = difflib.get_close_matches(name, known, 1), 12
    more = f", and {len(known) - most} more" if len(known) > most else ""
    return (f" did you mean '{near[0]}'?" if near else "") + f" there are {', '.join(known[:most]) or 'no names'}{more}"


class Series:
    """A dataset of a recording: an array (T, columns), read on access, and columns by name: rec.q["elbow"]."""

    def __init__(self, recording: "Recording", index: int) -> None:
        """The dataset with this index."""
        self._recording, self._index = recording, index
        self.path, self.columns, self.units, self.names = recording._file.series[index]
        self._all: np.ndarray | None = None

    def __array__(self, dtype: Any = None) -> np.ndarray:
        """The whole of it (T, columns)."""
        if self._all is None:
            self._all = self._recording._file.read(self._index, 0, self.columns)
            self._all.flags.writeable = False
        return self._all if dtype is None else self._all.astype(dtype)

    def __getitem__(self, key: Any) -> np.ndarray:
        """A column by its name (T), or any index that NumPy knows."""
        if isinstance(key, str):
            if key not in self.names:
                raise InputError(f"{self.path} has no '{key}';{_hint(key, self.names)}")
            return np.asarray(self)[:, self.names.index(key)]
        return np.asarray(self)[key]

    def __len__(self) -> int:
        """Number of records."""
        return len(self._recording.time)

    def __iter__(self) -> Iterator[np.ndarray]:
        """Row by row."""
        return iter(np.asarray(self))

    @property
    def shape(self) -> tuple[int, int]:
        """(records, columns)."""
        return len(self), self.columns

    def __repr__(self) -> str:
        return f"<{self.path}: {len(self)} x {self.columns}, {', '.join(dict.fromkeys(self.units))}>"


class Group:
    """A folder of a recording: rec.energy.kinetic, rec.nodes["fore.tip"].position."""

    def __init__(self, recording: "Recording", path: str) -> None:
        """What lies below this path."""
        self._recording, self._path = recording, path

    def _names(self) -> list[str]:
        below = (path[len(self._path) + 1 :] for path in self._recording.paths if path.startswith(self._path + "/"))
        return list(dict.fromkeys(name.split("/")[0] for name in below))

    def __getitem__(self, name: str) -> Any:
        """A group below, or the numbers of a dataset: (T) where it is one column, (T, 3, 3) for rotations."""
        return self._recording._find(f"{self._path}/{name}")

    def __getattr__(self, name: str) -> Any:
        """The same, for names that are words."""
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except InputError as error:
            raise AttributeError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        """Names of what is inside."""
        return iter(self._names())

    def __contains__(self, name: str) -> bool:
        """Whether there is one of this name."""
        return name in self._names()

    def __dir__(self) -> list[str]:
        return self._names()

    def __repr__(self) -> str:
        return f"<{self._path}: {', '.join(self._names())}>"


class Recording:
    """A recording (HDF5, docs/recording-format.md) or a text table, from any source; limber.run returns one.

    rec.time (T), rec.q["elbow"], rec.v, rec.nodes["fore.tip"].deflection (T, 3), rec.joints["elbow"].torque,
    rec.energy.kinetic, rec.momentum.linear; any dataset: rec["nodes/fore.tip/position"].  Numbers are read on
    access.
    """

    def __init__(self, path: str | os.PathLike[str], report: RunReport | None = None) -> None:
        """Opens a file.  report: of the run that made it."""
        self._file = _limber._Recorded(os.fspath(path))
        self._folder = ""  # of files that go with this
        self._groups: dict[str, Any] = {}
        self.report = report
        self.paths: list[str] = [series[0] for series in self._file.series]

    def _own(self, folder: str) -> None:
        self._folder = folder
        weakref.finalize(self._file, shutil.rmtree, folder, True)

    path = property(lambda self: self._file.path, doc="The file.")
    time = property(lambda self: self._file.time, doc="(T) s, increasing.")
    name = property(lambda self: self._file.name, doc="Of the scenario.")
    model_text = property(lambda self: self._file.model_text, doc="The text of the model.")
    scenario_text = property(lambda self: self._file.scenario_text, doc="The text of the scenario.")
    solver = property(lambda self: self._file.solver, doc="Method and tolerances, in words.")
    version = property(lambda self: self._file.version, doc="Of limber.")
    ended = property(lambda self: self._file.ended, doc='"finished", "interrupted", "diverged: ...".')
    complete = property(lambda self: self._file.complete, doc="Whether the run came to its end.")
    figures = property(lambda self: self._file.figures, doc="Summary figures of the whole run, one per line.")

    @property
    def model(self) -> Model:
        """The recorded model."""
        return self._file.model()

    def series(self, path: str) -> Series:
        """A dataset with its names and units."""
        if path not in self.paths:
            raise InputError(f"{self.path} has no '{path}';{_hint(path, self._beside(path))}")
        if path not in self._groups:
            self._groups[path] = Series(self, self.paths.index(path))
        return self._groups[path]

    def _beside(self, path: str) -> list[str]:
        """Datasets and groups in the folder of a path; of a folder that is not there, all at the top."""
        folder = path.rpartition("/")[0]
        below = [known for known in self.paths if known.startswith(folder + "/")] if folder else self.paths
        depth = folder.count("/") + 2 if folder and below else 1
        return list(dict.fromkeys("/".join(known.split("/")[:depth]) for known in below or self.paths))

    def _find(self, path: str) -> Any:
        if any(known.startswith(path + "/") for known in self.paths):
            return Group(self, path)
        values = np.asarray(self.series(path))
        if path.endswith("/rotation"):
            return values.reshape(-1, 3, 3)
        return values[:, 0] if values.shape[1] == 1 else values

    def __getitem__(self, path: str) -> Any:
        """A dataset by its path, "nodes/fore.tip/position", or a group."""
        return self._find(path.strip("/"))

    def __getattr__(self, name: str) -> Any:
        """q and v with names of columns; the groups nodes, joints, energy, momentum, closures, control."""
        if name.startswith("_") or "paths" not in self.__dict__:
            raise AttributeError(name)
        try:
            return self.series(name) if name in self.paths else self._find(name)
        except InputError:
            raise AttributeError(f"{self.path} has no '{name}'") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dict.fromkeys(path.split("/")[0] for path in self.paths)]

    def _columns(self, name: str) -> tuple[np.ndarray, list[str], str]:
        """Numbers, labels and unit of what a plot is asked for: a coordinate, a node, a dataset."""
        for path in ("q", "v"):
            if path in self.paths and name in self.series(path).names:
                series = self.series(path)
                return series[name][:, None], [name], series.units[series.names.index(name)]
        if f"nodes/{name}/deflection" in self.paths:
            name = f"nodes/{name}/deflection"
        if name not in self.paths and "/" not in name:
            known = [n for path in ("q", "v") if path in self.paths for n in self.series(path).names]
            known += [path.split("/")[1] for path in self.paths if path.startswith("nodes/")] + self._beside(name)
            raise InputError(f"{self.path} has no '{name}';{_hint(name, list(dict.fromkeys(known)))}")
        series = self.series(name)
        labels = series.names or ["x", "y", "z"][: series.columns]
        return np.asarray(series), [f"{name} {label}".strip() for label in labels], series.units[0] if series.units else ""

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Draws coordinates ("elbow"), deflections of nodes ("fore.tip") or datasets over time with Matplotlib; returns the axes."""
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("plot needs Matplotlib: apt-get install python3-matplotlib") from None
        axes = plt.subplots()[1] if axes is None else axes
        unit = ""
        for name in names or ("q",):
            values, labels, unit = self._columns(name)
            for column, label in zip(values.T, labels):
                axes.plot(self.time, column, label=label)
        axes.set_xlabel("t [s]")
        axes.set_ylabel(f"[{unit}]" if unit else "")
        axes.legend()
        return axes

    def show(self, page: str | os.PathLike[str] = "") -> Any:
        """The page of the recording: inline in a notebook, else in a browser.  page: where to keep it."""
        if not page:
            if not self._folder:
                self._own(tempfile.mkdtemp(prefix="limber-"))
            page = os.path.join(self._folder, "page.html")
        _limber.write_report(self.path, os.fspath(page))
        try:
            from IPython import get_ipython
            from IPython.display import IFrame
            if get_ipython() is not None:
                return IFrame(os.path.relpath(page), width="100%", height=640)
        except ImportError:
            pass
        webbrowser.open("file://" + os.path.abspath(page))
        return os.fspath(page)

    def __repr__(self) -> str:
        return f"<limber.Recording '{self.name}': {len(self.time)} records, {self.ended}>"


def run(scenario: Any, recording: str | os.PathLike[str] = "", *, overrides: dict[str, Any] | None = None, csv: str | os.PathLike[str] = "",
        report: str | os.PathLike[str] = "", flush: float = 1.0, force: bool = False) -> Recording:
    """What `limber run` does: simulates a scenario (a path, a dict or a Scenario) to its end and returns its Recording.

    overrides: values in place of those of the files, {"load.mass": 5}.  recording: the file (HDF5) to keep; without one it goes with the Recording.  csv, report: a table and an HTML page to
    write.  flush: s between writes to the disk; force: begin even where the disk has no room.  How it went is in
    `Recording.report`.  Ctrl-C stops it.  A run that fails raises NumericalError, whose `recording` holds what was recorded.
    """
    scenario = read_scenario(scenario, overrides)
    folder = "" if recording else tempfile.mkdtemp(prefix="limber-")
    path = os.path.join(folder, "run.h5") if folder else os.fspath(recording)
    try:
        found = _limber._run(scenario, path, os.fspath(csv), os.fspath(report), flush, force)
    except BaseException:
        shutil.rmtree(folder, True)
        raise
    if found.page_failure:
        raise _limber.FileError(found.page_failure)
    out = Recording(path, found) if found.records else None
    if out is not None and folder:
        out._own(folder)
    if not found.complete:
        error = NumericalError(found.failure or str(found.status))
        error.recording = out
        raise error
    assert out is not None
    return out
