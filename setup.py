# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""The Python package by CMake.  LIMBER_BUILD names a build folder to use; without it, one is made."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parent
VERSION = re.search(r"project\(limber VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


class CMakeBuild(build_ext):
    """Configures, builds the target limber_python, and installs it with the libraries that it needs."""

    def run(self):
        build = Path(os.environ.get("LIMBER_BUILD") or Path(self.build_temp).resolve() / "limber")
        if not (build / "CMakeCache.txt").exists():
            options = ["-DCMAKE_BUILD_TYPE=Release", "-DLIMBER_TESTS=OFF", "-DLIMBER_PROGRAM=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]
            subprocess.run(["cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", *options], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "limber_python"], check=True)
        place = Path(self.build_lib).resolve()
        shutil.rmtree(place / "limber", ignore_errors=True)
        subprocess.run(["cmake", "--install", build, "--component", "limber_python", "--prefix", place], check=True)
        unlink_versions(place / "limber/libraries")

    def get_outputs(self):
        return [str(path) for path in Path(self.build_lib).rglob("*") if path.is_file()]


def unlink_versions(folder):
    """Wheels know no links: each library once, under the name that it is asked for by."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            target = path.resolve()
            path.unlink()
            target.rename(path)


def egg_folder():
    folder = SOURCE / "build/pip"
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


setup(version=VERSION, options={"build": {"build_base": "build/pip"}, "egg_info": {"egg_base": egg_folder()}},
      packages=[], ext_modules=[Extension("limber._limber", [])], cmdclass={"build_ext": CMakeBuild})
