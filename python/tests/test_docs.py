# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Every name has its words, and the stubs are those of the module."""
import importlib.machinery
import importlib.util
import inspect
import unittest

import limber
from support import SOURCE


def make_stubs():
    loader = importlib.machinery.SourceFileLoader("make_stubs", str(SOURCE / "scripts/make_stubs"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_stubs", loader))
    loader.exec_module(module)
    return module


class Docs(unittest.TestCase):
    def test_every_name_is_described(self):
        silent = []
        for name in limber.__all__:
            thing = getattr(limber, name)
            if not (thing.__doc__ or "").strip():
                silent.append(name)
            if isinstance(thing, type):
                members = vars(thing).items()
                silent += [f"{name}.{key}" for key, member in members if not key.startswith("_") and
                           not hasattr(thing, "__members__") and not (getattr(member, "__doc__", None) or "").strip()]
        self.assertEqual(silent, [])

    def test_signatures(self):
        self.assertEqual(list(inspect.signature(limber.aba).parameters)[:4], ["model", "q", "v", "tau"])
        for name in limber.__all__:
            thing = getattr(limber, name)
            if callable(thing) and not isinstance(thing, type):
                self.assertIsNotNone(inspect.signature(thing), name)
        for words in ("(nv)", "tau (nv)", "vdot", "workspace"):
            self.assertIn(words, limber.rnea.__doc__)

    def test_stubs_are_fresh(self):
        committed = (SOURCE / "python/limber/_limber.pyi").read_text(encoding="utf-8")
        self.assertEqual(committed, make_stubs().stub(), "run scripts/make_stubs python/limber/_limber.pyi")
        compile(committed, "_limber.pyi", "exec")


if __name__ == "__main__":
    unittest.main()
