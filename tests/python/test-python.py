"""test-python.py — the Python package: its functions, what they give, and that they fit the library.

usage: test-python.py SOURCE HSCOPE LIBRARY

Installs the package with pip into a folder of its own, without a network. Without NumPy all tests are skipped. Prints TAP.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import ctypes
import importlib.util
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

if importlib.util.find_spec("numpy") is None:
    if sys.executable != "/usr/bin/python3" and subprocess.run(["/usr/bin/python3", "-c", "import numpy"], check=False,
                                                               capture_output=True).returncode == 0:
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("1..0 # SKIP Python has no NumPy (Debian: python3-numpy)")
    sys.exit(0)

import numpy  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import temporary_folder  # noqa: E402

sys.dont_write_bytecode = True
SOURCE, HSCOPE, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:])
PACKAGE = pathlib.Path(SOURCE) / "python"
METHODS = ["info", "check", "run", "train", "weights", "profile", "compare", "convert", "prove", "diff", "render"]
FUNCTIONS = ["open", "new", "trace", "load_operators", "check_gradient"]

LAYOUT = """
#include "engine/hybrid.h"
#include <stddef.h>
#include <stdio.h>
#define SIZE(type) printf ("%s %zu\\n", #type, sizeof (type))
#define MEMBER(type, name) printf ("%s.%s %zu\\n", #type, #name, offsetof (type, name))
int
main (void)
{
"""


def test_pip_installs_without_a_network(folder):
    target = folder / "site"
    if importlib.util.find_spec("pip") is None:
        shutil.copytree(PACKAGE / "hybridscope", target / "hybridscope")
    else:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check",
                        "--target", str(target), str(PACKAGE)], check=True, env={**os.environ, "PIP_NO_CACHE_DIR": "1"})
    sys.path.insert(0, str(target))
    import hybridscope
    assert pathlib.Path(hybridscope.__file__).parent == target / "hybridscope"
    assert (target / "hybridscope" / "py.typed").exists()


def test_the_version_is_that_of_the_tree(folder):
    del folder
    version = re.search(r"(?m)^  version: '(.*)',$", (pathlib.Path(SOURCE) / "meson.build").read_text())[1]
    assert f'version = "{version}"' in (PACKAGE / "pyproject.toml").read_text()


def test_only_functions_of_the_abi_are_called(folder):
    del folder
    from hybridscope import _library
    known = (pathlib.Path(SOURCE) / "engine/abi.txt").read_text().split()
    assert not set(_library.FUNCTIONS) - set(known), set(_library.FUNCTIONS) - set(known)


def test_structs_are_laid_out_as_in_c(folder):
    from hybridscope import _library
    if not shutil.which("cc") or not shutil.which("pkg-config"):
        return "there is no compiler"
    structs = [_library.HybShape, _library.HybType, _library.HybExecutorOptions, _library.HybOpCall, _library.HybWhile, _library.GError]
    lines, expected = [], []
    for struct in structs:
        lines.append(f"  SIZE ({struct.__name__});")
        expected.append(f"{struct.__name__} {ctypes.sizeof(struct)}")
        for field, _ in struct._fields_:
            name = field.rstrip("_")
            lines.append(f"  MEMBER ({struct.__name__}, {name});")
            expected.append(f"{struct.__name__}.{name} {getattr(struct, field).offset}")
    (folder / "layout.c").write_text(LAYOUT + "\n".join(lines) + "\n  return 0;\n}\n")
    flags = subprocess.run(["pkg-config", "--cflags", "gio-2.0"], check=True, capture_output=True, text=True).stdout.split()
    subprocess.run(["cc", f"-I{SOURCE}", "layout.c", "-o", "layout", *flags], cwd=folder, check=True)
    assert subprocess.run(["./layout"], cwd=folder, check=True, capture_output=True, text=True).stdout.split("\n")[:-1] == expected


def get_functions():
    import hybridscope
    return [getattr(hybridscope, name) for name in FUNCTIONS] + [getattr(hybridscope.Model, name) for name in METHODS]


def test_every_function_is_typed_and_documented(folder):
    del folder
    import hybridscope
    public = [name for name in vars(hybridscope.Model) if not name.startswith("_")]
    assert sorted(public) == sorted(METHODS), public
    assert sorted(hybridscope.__all__) == sorted([*FUNCTIONS, "Error", "F", "Model"])
    readme = (PACKAGE / "README.md").read_text()
    for name, function in zip(FUNCTIONS + METHODS, get_functions()):
        signature = inspect.signature(function)
        assert function.__doc__, name
        assert signature.return_annotation is not inspect.Signature.empty, name
        assert all(parameter.annotation is not inspect.Parameter.empty or parameter.name == "self"
                   for parameter in signature.parameters.values()), name
        assert re.search(rf"`(Model\.)?{name}\(", readme), name


def make(folder):
    import hybridscope
    return hybridscope.new("mlp", folder / "mlp")


def make_recurrent(folder):
    import hybridscope
    return hybridscope.new("lstm-unrolled", folder / "lstm", length=3, hidden=8, embedding=4, vocabulary=10)


def test_info_and_check_are_documents(folder):
    net = make(folder)
    assert net.info()["format"] == "mxnet-symbol"
    assert net.info()["operators"]["FullyConnected"] == 3
    assert {finding["severity"] for finding in net.check()["findings"]} == {"note"}
    assert net.info(shape={"data": (2, 512)})["outputs"][0]["shape"][0] == 2


def test_run_computes_what_the_program_computes(folder):
    net = make(folder)
    width = net.weights()["hybridsequential0_dense0_weight"].shape[1]
    x = numpy.random.default_rng(0).standard_normal((4, width), "float32")
    numpy.savez(folder / "in.npz", data=x)
    subprocess.run([HSCOPE, "run", net.file, "--input", folder / "in.npz", "--output", folder / "out.npz", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    expected = numpy.load(folder / "out.npz")
    for mode in ("imperative", "hybrid", "static"):
        outputs = net.run({"data": x}, mode=mode)
        assert list(outputs) == expected.files
        for name in expected.files:
            numpy.testing.assert_array_equal(outputs[name], expected[name])
    first = net.run({"data": x})
    net.run({"data": 2 * x})
    numpy.testing.assert_array_equal(first[expected.files[0]], expected[expected.files[0]])     # outputs are kept
    assert net.run({"data": x[:1].tolist()})[expected.files[0]].shape[0] == 1                   # lists, another batch


def test_weights_are_those_of_the_file(folder):
    net = make(folder)
    subprocess.run([HSCOPE, "weights", folder / "mlp-0000.params", "--to", folder / "w.npz", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    expected, got = numpy.load(folder / "w.npz"), net.weights()
    assert {name.split(":")[-1] for name in expected.files} == set(got)
    for name in expected.files:
        numpy.testing.assert_array_equal(expected[name], got[name.split(":")[-1]])


def test_forms_are_converted_proved_and_compared(folder):
    net = make_recurrent(folder)
    fused = net.convert("fused", folder / "fused")
    assert fused.prove(net)["ok"] and net.prove(fused)["ok"]
    assert not net.diff(fused)["same"] and net.diff(net)["same"]
    result = net.compare(fused, length=3, repeat=6, no_ladder=True, time_limit=20)
    assert len(result["cells"]) == 2 and result["equal"]["ok"]


def test_a_profile_colours_the_picture(folder):
    net = make_recurrent(folder)
    costs = net.profile(capture=folder / "net.hscope", repeat=6, traced=2)
    assert costs["clean"]["median"] > 0 and costs["operators"]
    plain, coloured = net.render(), net.render(overlay=folder / "net.hscope")
    assert plain.startswith("<svg") or "<svg" in plain[:300]
    assert plain != coloured and net._repr_svg_() == plain
    assert pathlib.Path(net.render(folder / "net.png")).read_bytes().startswith(b"\x89PNG")


def test_a_function_is_traced(folder):
    import hybridscope

    def forward(F, data, n):
        def step(row, total):
            return F.sum(row * total), total + row

        outputs, total = F.foreach(step, data, F.zeros((3,)))
        rows, (i, _) = F.while_loop(lambda i, x: i < n, lambda i, x: (x, [i + 1, 3 - x]), [F.zeros((1,)), F.zeros((1,))], 4)
        return [outputs, rows, i, F.cond(F.sum(total) > 10, lambda: -total, lambda: 6 / total - total ** 2)]

    net = hybridscope.trace(forward, folder / "loops")
    assert {"_foreach", "_while_loop", "_cond"} <= set(net.info()["operators"])
    for x in (numpy.arange(6), numpy.full(6, 0.5)):
        x = x.reshape(2, 3).astype("float32")
        outputs, rows, i, last = net.run({"data": x, "n": numpy.array([3.0], "float32")}).values()
        numpy.testing.assert_array_equal(outputs.ravel(), [0, (x[0] * x[1]).sum()])
        numpy.testing.assert_array_equal(rows.ravel(), [0, 3, 0, 0])
        assert i == 3
        total = x.sum(0)
        numpy.testing.assert_allclose(last, -total if total.sum() > 10 else 6 / total - total ** 2, rtol=1e-6)
    given = hybridscope.trace(lambda F, data: F.FullyConnected(data, num_hidden=2, name="out"), folder / "given",
                              {"out_weight": numpy.eye(2, dtype="float32"), "out_bias": numpy.ones(2, "float32")})
    assert next(iter(given.run({"data": [[1.0, 2.0]]}).values())).tolist() == [[2, 3]]


def test_a_traced_model_is_trained(folder):
    import hybridscope
    x = numpy.random.default_rng(0).standard_normal((200, 16, 2)).astype("float32")
    net = hybridscope.trace(lambda F, data: F.FullyConnected(data, num_hidden=1, name="out"), folder / "line")
    trained = net.train(folder / "trained", {"data": x, "label": x @ numpy.array([[1], [-2]], "float32")}, init="zeros", loss="l2",
                        optimizer="adam", set="learning_rate=0.1")
    numpy.testing.assert_allclose(trained.weights()["out_weight"], [[1, -2]], atol=0.01)


def test_a_gradient_is_checked(folder):
    import hybridscope
    x = numpy.array([-1, 0.5, 2], "float32")
    hybridscope.check_gradient("LeakyReLU", x, act_type="elu")
    fails(lambda: hybridscope.check_gradient("Activation", x, act_typ="relu"), "act_type")
    fails(lambda: hybridscope.check_gradient("nosuch", x), "nosuch")
    fails(lambda: hybridscope.load_operators(folder / "missing.so"), "missing.so", "no such file")


def test_mistakes_in_a_traced_function_end_in_a_message(folder):
    import hybridscope

    def trace(function):
        return lambda: hybridscope.trace(function, folder / "bad")

    def foreach(body, states=None):
        return trace(lambda F, data: F.foreach(body, data, F.zeros((1,)) if states is None else states)[0])

    fails(trace(lambda F, data: F.FullyConected(data)), "FullyConected")
    fails(trace(lambda F, data: F.Activation(data, act_typ="relu")), "act_type")
    fails(trace(lambda F, data: F.Activation(data, act_type="rleu")), "rleu", "relu")
    fails(trace(lambda F, data: data if data > 1 else -data), "F.cond()")
    fails(trace(lambda F, data: F.relu(3)), "3 is no array")
    fails(trace(lambda F, data: None), "None is no array")
    fails(foreach(lambda row, state: (row, [])), "states")
    fails(foreach(lambda row, state: (None, state)), "None is no array")
    fails(trace(lambda F, data: F.while_loop(lambda x: x < 1, lambda x: (x, [x, x]), [data], 3)[0]), "variables")
    fails(trace(lambda F, data: F.while_loop(lambda x: x < 1, lambda x: (x, [x]), [data], 0)[0]), "max_iterations")
    fails(trace(lambda F, data: F.cond(data, lambda: data, lambda: [data, data])), "branches")
    for function, kind in ((foreach(lambda row, state: 1 / 0), ZeroDivisionError), (foreach(lambda row: row), TypeError)):
        try:
            function()
        except kind:
            continue
        raise AssertionError(f"{kind.__name__} was not raised")
    assert not list(folder.iterdir())


def fails(function, *words):
    import hybridscope
    try:
        function()
    except hybridscope.Error as error:
        assert all(word in str(error) for word in words), str(error)
        return error
    raise AssertionError("it did not fail")


def test_mistakes_end_in_a_message(folder):
    import hybridscope
    net = make(folder)
    assert fails(lambda: hybridscope.open(folder / "missing.json"), "missing.json").status == 3
    fails(lambda: hybridscope.new("no-such-model", folder / "x"), "no-such-model")
    fails(lambda: net.run({"date": numpy.zeros((1, 512), "float32")}), "date")
    fails(lambda: net.run({"data": numpy.zeros((1, 3), "float32")}), "shape")
    fails(lambda: net.run({"data": numpy.zeros((1, 512), "complex64")}), "complex64")
    fails(lambda: net.run({}, mode="fast"), "imperative")
    fails(lambda: net.run({}), "data")
    assert fails(lambda: net.profile(no_such_option=1), "no-such-option").status == 2
    (folder / "broken-symbol.json").write_text("{")
    assert fails(lambda: hybridscope.open(folder / "broken-symbol.json"), "broken").status == 3
    net.run({"data": numpy.zeros((1, 512), "float32")})     # and it still works


def test_the_notebook_runs(folder):
    os.chdir(folder)
    shown, variables = [], {}
    cells = json.loads((PACKAGE / "first-steps.ipynb").read_text())["cells"]
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        *lines, last = "".join(cell["source"]).split("\n")
        exec("\n".join(lines), variables)       # noqa: S102
        try:
            shown.append(eval(last, variables))     # noqa: S307
        except SyntaxError:
            exec(last, variables)               # noqa: S102
    pictures = [item for item in shown if hasattr(item, "_repr_svg_")]
    assert len(pictures) == 3 and all("<svg" in picture._repr_svg_()[:300] for picture in pictures)


def main():
    """Runs all tests in the order of this file: the first one installs the package."""
    temporary_folder.use()
    os.environ["HYBRIDSCOPE_HSCOPE"], os.environ["HYBRIDSCOPE_LIBRARY"] = HSCOPE, LIBRARY
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        for number, (name, test) in enumerate(tests, 1):
            title, folder = "/python/" + name[len("test_"):].replace("_", "-"), pathlib.Path(work) / name
            folder.mkdir()
            try:
                skipped = test(folder)
                print(f"ok {number} {title}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
            except Exception as error:      # pylint: disable=broad-except
                print(f"not ok {number} {title}\n# " + f"{type(error).__name__}: {error}".replace("\n", "\n# "), flush=True)
        os.chdir("/")
    print(f"1..{len(tests)}")


main()
