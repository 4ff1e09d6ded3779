# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""pip installs the package into a virtual environment, offline; its libraries come with it."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import limber
from support import SOURCE

CODE = """
import limber, sys
assert limber.__file__.startswith(sys.argv[1]), limber.__file__
rec = limber.run(sys.argv[2] + "/examples/spin-up/scenario.yaml")
with open("/proc/self/maps", encoding="utf-8") as file:
    loaded = {line.split()[-1] for line in file if "libhdf5" in line}
assert loaded and all(path.startswith(sys.argv[1]) for path in loaded), loaded
print("good", len(rec.time))
"""


class Install(unittest.TestCase):
    def test_into_a_virtual_environment(self):
        build = Path(limber.__file__).resolve().parents[2]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", folder], check=True)
            python = f"{folder}/bin/python"
            own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            if subprocess.run([python, "-c", "import setuptools, wheel, pip"], env=own, capture_output=True).returncode:
                self.skipTest("no pip, setuptools or wheel")
            pip = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", str(SOURCE)]
            done = subprocess.run(pip, env={**own, "LIMBER_BUILD": str(build)}, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            done = subprocess.run([python, "-c", CODE, folder, str(SOURCE)], env=own, capture_output=True, text=True, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("good", done.stdout)


if __name__ == "__main__":
    unittest.main()
