"""test-four-programs.py — the programs of docs/guide/four-programs.md, in C, C++ and Python, as a new user would compile them.

usage: test-four-programs.py SOURCE BUILD PREFIX LIBDIR [GLUON]

Installs the build, compiles each program from the installed headers alone with all warnings as errors, runs it, and compares what
it prints with examples/beside-gluon/NAME.txt, the same for all languages; the compiled ones again under valgrind. The page's table of
lines must be that of the files. GLUON: a Python with MXNet 1.9.1, which runs the programs to compare with. Prints TAP.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import ast
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import temporary_folder  # noqa: E402

sys.dont_write_bytecode = True
PROGRAMS = ("run", "tagger", "loops", "custom")
LANGUAGES = {"C": "{}.c", "C++": "{}.cpp", "Python": "{}.py", "Gluon": "{}-gluon.py"}
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
PYTHON = "python3" if importlib.util.find_spec("numpy") else "/usr/bin/python3"


def count_lines(path):
    """Lines of code: neither empty nor comments."""
    text = path.read_text()
    if path.suffix == ".py":
        tree = ast.parse(text)
        documented = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)]
        comments = {line for node in documented for line in range(node.body[0].lineno, node.body[0].end_lineno + 1)}
        return sum(1 for number, line in enumerate(text.split("\n"), 1) if line.strip() and number not in comments)
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return sum(1 for line in text.split("\n") if line.strip())


class Place:
    """The installed tree, and an empty folder with the two files that run.c reads."""

    def __init__(self, source, build, prefix, libdir, work):
        self.programs, self.work = pathlib.Path(source) / "examples" / "beside-gluon", pathlib.Path(work)
        root = self.work / "root"
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "DESTDIR": str(root)})
        installed = root / prefix.lstrip("/")
        self.library = installed / libdir
        self.environment = {**os.environ, "PATH": f"{installed / 'bin'}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
                            "PKG_CONFIG_PATH": str(self.library / "pkgconfig"), "PYTHONPATH": str(installed / "share/hybridscope/python")}
        for name in ("LD_LIBRARY_PATH", "HYBRIDSCOPE_GALLERY", "HYBRIDSCOPE_LIBRARY", "HYBRIDSCOPE_HSCOPE"):
            self.environment.pop(name, None)
        self.flags = self.call("pkg-config", "--cflags", "--libs", "hybridscope-engine").split()
        self.call("hscope", "new", "mlp", "--output", "net", "--quiet")
        self.call(PYTHON, "-c", "import numpy; numpy.savez('in.npz', data=numpy.ones((1, 512), 'float32'))")
        swish = pathlib.Path(source) / "resources/operators/swish.c"
        self.call("cc", "-shared", "-fPIC", swish, "-o", "swish.so", *self.flags, "-lm")

    def call(self, *words, environment=None):
        """What a command prints. Fails with all that it printed."""
        done = subprocess.run([str(word) for word in words], cwd=self.work, env=environment or self.environment, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
        if done.returncode != 0:
            raise AssertionError(f"{words[0]} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def compile(self, name, language):
        """Compiles a program. Returns its path."""
        program = self.work / f"{name}-{language}"
        compiler = ["cc"] if language == "C" else ["c++", "-std=c++20"]
        self.call(*compiler, *WARNINGS, self.programs / LANGUAGES[language].format(name), "-o", program, *self.flags, "-lm",
                  f"-Wl,-rpath,{self.library}")
        return program


def run_compiled(place, name, language):
    """A compiled program prints what the page says; also under valgrind, which finds nothing."""
    if not shutil.which("c++") and language == "C++":
        return "there is no C++ compiler"
    program = place.compile(name, language)
    assert place.call(program) == (place.programs / f"{name}.txt").read_text()
    return ""


def run_under_valgrind(place, name, language):
    """No error, and nothing lost."""
    if not shutil.which("valgrind"):
        return "valgrind is not installed"
    place.call("valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite",
               "--errors-for-leak-kinds=definite", f"--suppressions={place.programs.parents[1] / 'tests/valgrind.txt'}",
               place.work / f"{name}-{language}",
               environment={**place.environment, "OPENBLAS_CORETYPE": "Haswell", "HYB_CPU": "avx2"})
    return ""


def run_python(place, name):
    """The program of the Python package."""
    assert place.call(PYTHON, place.programs / f"{name}.py") == (place.programs / f"{name}.txt").read_text()
    return ""


def run_gluon(place, name, python):
    """MXNet's program computes the same."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    printed = place.call(python, "-W", "ignore", place.programs / f"{name}-gluon.py", environment=environment)
    assert printed == (place.programs / f"{name}.txt").read_text(), printed
    return ""


def check_table(place, page):
    """The table of lines."""
    for name in PROGRAMS:
        counts = [count_lines(place.programs / file.format(name)) for file in LANGUAGES.values()]
        row = f"| `{name}` | " + " | ".join(str(count) for count in counts) + " |"
        assert row in page.read_text(), row
    return ""


def main(source, build, prefix, libdir, gluon=None):
    """Runs everything; see the head of the file."""
    temporary_folder.use()
    if subprocess.run([PYTHON, "-c", "import numpy"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        print("1..0 # SKIP Python has no NumPy (Debian: python3-numpy)")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        place = Place(source, build, prefix, libdir, work)
        checks = [("table-of-lines", lambda: check_table(place, pathlib.Path(source) / "docs/guide/four-programs.md"))]
        for name in PROGRAMS:
            for language in ("C", "C++"):
                checks.append((f"{name}-in-{language}", lambda name=name, language=language: run_compiled(place, name, language)))
                checks.append((f"{name}-in-{language}-under-valgrind",
                               lambda name=name, language=language: run_under_valgrind(place, name, language)))
            checks.append((f"{name}-in-Python", lambda name=name: run_python(place, name)))
            if gluon:
                checks.append((f"{name}-in-Gluon", lambda name=name: run_gluon(place, name, gluon)))
        for number, (title, check) in enumerate(checks, 1):
            try:
                skipped = check()
                print(f"ok {number} /four-programs/{title}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                print(f"not ok {number} /four-programs/{title}\n# " + str(error).replace("\n", "\n# "), flush=True)
        print(f"1..{len(checks)}")


main(*sys.argv[1:])
