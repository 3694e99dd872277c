"""The exception that everything here raises.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from __future__ import annotations


class Error(RuntimeError):
    """What went wrong, in one sentence or two; `status` is the exit status of hscope, or None if the library failed."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
