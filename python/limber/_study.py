# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Studies: many runs of one scenario, and the table that they leave."""
from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from . import _limber
from ._texts import text_of


class StudyTable:
    """The table of a study (docs/studies.md): parameters["load.mass"] (R), results["tip"] (R), status (R)."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Reads a table, finished or not."""
        data = _limber._read_study_table(os.fspath(path))
        self.name: str = data["name"]
        self.complete: bool = data["complete"]
        self.parameters: dict[str, Any] = {name: values for name, (values, _) in data["parameters"].items()}
        self.results: dict[str, np.ndarray] = {name: values for name, (values, _) in data["results"].items()}
        self.units: dict[str, str] = {name: unit for key in ("parameters", "results") for name, (_, unit) in data[key].items()}
        self.status: list[str] = data["status"]
        self.message: list[str] = data["message"]

    def __len__(self) -> int:
        """Number of runs."""
        return len(self.status)

    def __repr__(self) -> str:
        return f"<limber.StudyTable '{self.name}': {len(self)} runs, {self.status.count('ok')} ok>"


def read_study_table(path: str | os.PathLike[str]) -> StudyTable:
    """The table that `limber sweep` or limber.sweep wrote, finished or not."""
    return StudyTable(path)


def sweep(study: str | os.PathLike[str] | dict[str, Any], output: str | os.PathLike[str] = "", *, resume: bool = False,
          threads: int = 0) -> StudyTable:
    """What `limber sweep` does: the runs of a study (a file, or a dict of the same form) on all cores, and their table.

    output: the table (HDF5) to keep.  resume: continue an existing one.  threads: 0 takes all cores.  Ctrl-C stops it.
    """
    text, name = (text_of(study), "study") if isinstance(study, dict) else ("", os.fspath(study))
    with tempfile.TemporaryDirectory(prefix="limber-") as folder:
        path = os.fspath(output) or os.path.join(folder, "study.h5")
        _limber._sweep(text, name, "", path, resume, threads)
        return StudyTable(path)


class Tuning:
    """What a search found: values["load.mass"] of the best run, its goal, how the search ended, and table, all of its runs."""

    def __init__(self, found: dict[str, Any], table: StudyTable) -> None:
        """Of limber.tune."""
        self.values: dict[str, float] = found["values"]
        self.goal: float | None = found["goal"]
        self.best: int = found["best"]
        self.evaluations: int = found["evaluations"]
        self.failed: int = found["failed"]
        self.ended: str = found["ended"]
        self.table = table

    def __repr__(self) -> str:
        return f"<limber.Tuning '{self.table.name}': {self.goal} after {self.evaluations} runs, {self.ended}>"


def tune(study: str | os.PathLike[str] | dict[str, Any], output: str | os.PathLike[str] = "") -> Tuning:
    """What `limber tune` does: looks for the values of a study's parameters where the result that its `tune` names is best.

    study: a file, or a dict of the same form.  output: the table (HDF5) to keep.  Ctrl-C stops it.
    """
    text, name = (text_of(study), "study") if isinstance(study, dict) else ("", os.fspath(study))
    with tempfile.TemporaryDirectory(prefix="limber-") as folder:
        path = os.fspath(output) or os.path.join(folder, "tune.h5")
        found = _limber._tune(text, name, "", path)
        return Tuning(found, StudyTable(path))
