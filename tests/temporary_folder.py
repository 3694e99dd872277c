"""temporary_folder.py — a folder for the temporary files of a program.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import os
import pathlib
import subprocess
import tempfile

# The process that removes the folder when the pipe to it is closed.
remover = None


def use():
    """Makes the folder and lets TMPDIR and tempfile name it.  It is removed when the program ends, also when it is killed."""
    global remover

    folder = tempfile.mkdtemp(prefix="program-")
    made = os.stat(folder)
    remover = subprocess.Popen([pathlib.Path(__file__).with_name("remove-afterwards.sh"), folder, f"{made.st_dev}:{made.st_ino}"],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    tempfile.tempdir = os.environ["TMPDIR"] = folder
