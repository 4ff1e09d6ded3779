# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""The examples run, and are short."""
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import SOURCE


class Examples(unittest.TestCase):
    def test_run(self):
        files = sorted((SOURCE / "examples/python").glob("*.py"))
        self.assertGreaterEqual(len(files), 7)
        with ThreadPoolExecutor(2) as pool:
            done = pool.map(lambda path: subprocess.run([sys.executable, path], capture_output=True, text=True), files)
            for path, result in zip(files, done):
                with self.subTest(path.name):
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertTrue(result.stdout.strip())
                    self.assertLess(len(path.read_text(encoding="utf-8").splitlines()), 80)


if __name__ == "__main__":
    unittest.main()
