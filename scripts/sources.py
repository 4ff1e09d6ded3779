# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""The files to be checked."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def source_files(wanted):
    """Paths, relative to ROOT, of the files for which wanted(path); arguments of the script replace the tree.

    The tree is all files not ignored by git; without git, all except hidden and build folders.
    """
    if len(sys.argv) > 1:
        return [Path(os.path.relpath(name, ROOT)) for name in sys.argv[1:]]
    return sorted(path for path in _tree() if wanted(path) and (ROOT / path).is_file())


def _tree():
    # safe.directory: the checkout may be owned by another user.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
        return {Path(name) for name in listing.split("\0") if name}
    except (OSError, subprocess.CalledProcessError):
        return set(_walk())


def _walk():
    for folder, subfolders, names in os.walk(ROOT):
        subfolders[:] = [name for name in subfolders if name == ".ci" or not name.startswith((".", "build"))]
        for name in names:
            yield (Path(folder) / name).relative_to(ROOT)


def report(check, problems, count):
    """Prints the problems, or one line if there are none; ends the script."""
    for problem in problems:
        print(f"{check}: {problem}", file=sys.stderr)
    if not problems:
        print(f"{check}: {count} files, all good")
    sys.exit(1 if problems else 0)
