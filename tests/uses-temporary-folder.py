#!/usr/bin/env python3
"""uses-temporary-folder.py — names the programs that use tempfile before or without temporary_folder.use().

usage: uses-temporary-folder.py FILE.py…

It has to be called at the top level, or in main() outside of any condition, above the first use of tempfile there.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import ast
import sys


def uses_tempfile(node):
    return any(isinstance(part, ast.Name) and part.id == "tempfile" for part in ast.walk(node))


def begins_with_use(statements):
    """Whether the folder is made in these statements before one of them uses tempfile."""
    for statement in statements:
        if ast.unparse(statement) == "temporary_folder.use()":
            return True
        if uses_tempfile(statement) and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return False
    return False


def finding(tree):
    if any(isinstance(node, ast.ImportFrom) and node.module == "tempfile" for node in ast.walk(tree)):
        return "write “import tempfile”, so that its uses are found"
    bodies = [tree.body] + [node.body for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
    if uses_tempfile(tree) and not any(begins_with_use(body) for body in bodies):
        return "call temporary_folder.use() before tempfile is used"
    return None


for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        said = finding(ast.parse(file.read(), name))
    if said:
        print(f"{name}: {said}")
