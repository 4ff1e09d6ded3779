# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Models and scenarios from files, texts and dicts."""
from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _limber
from ._limber import Model, Scenario


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a dict of a model or a scenario holds numbers, texts, lists and dicts, not {type(value).__name__}")


def text_of(given: str | dict[str, Any]) -> str:
    """The text of a document: a dict becomes JSON, which is YAML."""
    if isinstance(given, str):
        return given
    if isinstance(given, dict):
        return json.dumps(given, default=_plain)
    raise TypeError(f"a text or a dict is wanted, not {type(given).__name__}")


def _set_of(overrides: dict[str, Any] | None) -> list[tuple[str, str]]:
    return [(path, value if isinstance(value, str) else json.dumps(value, default=_plain)) for path, value in (overrides or {}).items()]


def read_model(path: str | os.PathLike[str], overrides: dict[str, Any] | None = None) -> Model:
    """A model file, YAML or JSON (docs/model-format.md), or a URDF (docs/urdf.md).

    overrides: values in place of those of the file, {"load.mass": 5} (docs/studies.md, "Paths").  Every key is checked; the first
    fault is an InputError "FILE:LINE: body 'link2': what is wrong; what to write instead".
    """
    return _limber._read_model(os.fspath(path), _set_of(overrides))


def parse_model(text: str | dict[str, Any], name_for_messages: str = "model", overrides: dict[str, Any] | None = None) -> Model:
    """A model from the text of a model file (YAML or JSON, docs/model-format.md) or from a dict of the same form.

    overrides: as in read_model.  Every key is checked; the first fault is an InputError "NAME:LINE: body 'link2': what is wrong;
    what to write instead".
    """
    return _limber._parse_model(text_of(text), name_for_messages, _set_of(overrides))


def parse_scenario(text: str | dict[str, Any], name_for_messages: str = "scenario", folder: str = "",
                   overrides: dict[str, Any] | None = None) -> Scenario:
    """A scenario from the text of a scenario file (YAML or JSON, docs/scenario-format.md) or from a dict of the same form.

    folder: from which the name of the model file is taken; "" is the current one.  overrides: as in read_scenario.
    """
    return _limber._parse_scenario(text_of(text), name_for_messages, folder, _set_of(overrides))


def read_scenario(scenario: str | os.PathLike[str] | dict[str, Any] | Scenario, overrides: dict[str, Any] | None = None) -> Scenario:
    """A scenario file, YAML or JSON, and its model; a dict of the same form does as well.

    overrides: values in place of those of both files, {"load.mass": 5, "scenario.solver.step": 1e-3} (docs/studies.md, "Paths").
    Every key is checked; the first fault is an InputError "FILE:LINE: inputs[2].torque what is wrong; what to write instead".
    """
    if isinstance(scenario, Scenario):
        if overrides:
            raise _limber.InputError("overrides change files and dicts; this is a Scenario already, give them when it is read")
        return scenario
    if isinstance(scenario, dict):
        return parse_scenario(scenario, overrides=overrides)
    try:
        path = os.fspath(scenario)
    except TypeError:
        raise TypeError(f"a scenario is a path, a dict or a Scenario, not {type(scenario).__name__}") from None
    return _limber._read_scenario(path, _set_of(overrides))
