"""Calls `hscope` with --json.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Iterable, Mapping

from ._error import Error

CHECK_FAILED = 1        # done, and the answer is no


def find() -> str:
    """The path of hscope: $HYBRIDSCOPE_HSCOPE, or the one in $PATH."""
    path = os.environ.get("HYBRIDSCOPE_HSCOPE") or shutil.which("hscope")
    if not path:
        raise Error("the program hscope is not in PATH; install Hybridscope, or set HYBRIDSCOPE_HSCOPE to its path")
    return path


def options(values: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as options: batch=8 is --batch=8, quick=True is --quick, shape={"data": (1, 3)} is --shape=data=1,3.

    None and False leave an option out; a list gives it with commas.
    """
    words = []
    for name, value in values.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            words += [f"{option}={key}={_text(item)}" for key, item in value.items()]
        else:
            words.append(f"{option}={_text(value)}")
    return words


def _text(value: Any) -> str:
    if isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable):
        return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    return ",".join("?" if item is None else str(item) for item in value)


def call(command: str, files: Iterable[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """The document that a command prints. Raises Error if it fails; an answer of “no” is no failure."""
    words = [find(), command, "--json", "--progress=none", *options(values), "--", *map(os.fspath, files)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        document = {}
    if done.returncode not in (0, CHECK_FAILED) or not isinstance(document, dict) or "error" in document:
        # The sentence with place and hint is what a terminal would show last.
        lines = done.stderr.decode(errors="replace").strip().split("\n")
        raise Error(lines[-1].removeprefix("error: ") or f"hscope {command} failed", done.returncode)
    return document
