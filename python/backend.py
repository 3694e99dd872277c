"""backend.py — builds the wheel of this package (PEP 517): a zip of its files, which needs no other package and no network.

It writes nothing into this folder, so that an installed copy of the sources can be used as well.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import base64
import hashlib
import pathlib
import re
import zipfile

HERE = pathlib.Path(__file__).parent
PROJECT = (HERE / "pyproject.toml").read_text(encoding="utf-8")
NAME = "hybridscope"
VERSION = re.search(r'(?m)^version = "(.*)"$', PROJECT)[1]
SUMMARY = re.search(r'(?m)^description = "(.*)"$', PROJECT)[1]
INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: {SUMMARY}
License: LGPL-2.1-or-later
Requires-Python: >=3.9
Requires-Dist: numpy
Description-Content-Type: text/markdown

"""
WHEEL = "Wheel-Version: 1.0\nGenerator: hybridscope\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Called by pip. Returns the name of the file."""
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in sorted((HERE / NAME).iterdir()) if path.suffix in (".py", ".typed")}
    files[f"{INFO}/METADATA"] = (METADATA + (HERE / "README.md").read_text(encoding="utf-8")).encode()
    files[f"{INFO}/WHEEL"] = WHEEL.encode()
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for name, data in files.items())
    files[f"{INFO}/RECORD"] = (record + f"{INFO}/RECORD,,\n").encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel
