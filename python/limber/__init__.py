# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Flexible multibody dynamics: machines with flexible links, simulated and controlled.

Names, order of arguments and units (SI) are those of the C++ library.  docs/python.md is an introduction.
"""
from . import _limber
from ._limber import *  # noqa: F401,F403
from ._limber import __version__
from ._recording import Recording, run
from ._study import StudyTable, Tuning, read_study_table, sweep, tune
from ._texts import parse_model, parse_scenario, read_model, read_scenario
from ._tuples import Energy, Momentum, Pose

__all__ = sorted({name for name in dir(_limber) if not name.startswith("_")} | {
    "Energy", "Momentum", "Pose", "Recording", "StudyTable", "Tuning", "parse_model", "parse_scenario", "read_model",
    "read_scenario", "read_study_table", "run", "sweep", "tune"})

for _name in __all__:
    if isinstance(_object := globals()[_name], type):
        _object.__module__ = "limber"
del _name, _object
