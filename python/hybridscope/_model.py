"""Models: what a notebook works with.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any, Mapping, Union

from . import _program
from ._library import Runner

if TYPE_CHECKING:
    import numpy

Path = Union[str, "os.PathLike[str]"]


def open(file: Path, params: Path | None = None) -> Model:
    """Opens a model: NAME-symbol.json of MXNet or Gluon, NAME.onnx, NAME.pt2, a plug-in, or "gallery:NAME".

    params: its parameters; by default the file beside it with the highest epoch.
    """
    return Model(file, params)


def new(name: str, output: Path, **options: Any) -> Model:
    """Writes a model of the gallery as OUTPUT-symbol.json and OUTPUT-0000.params, and opens it.

    options: those of the model, as in new("lstm-lm", "net", hidden=64); `hscope new --list` lists them.
    """
    query = "&".join(f"{key}={value}" for key, value in options.items())
    document = _program.call("new", [f"{name}?{query}" if query else name], {"output": output})
    return Model(document["written"][0])


class Picture(str):
    """The text of an SVG file, which a notebook shows as a picture."""

    def _repr_svg_(self) -> str:
        return str(self)


class Model:
    """A model file. Keyword arguments of its methods are the options of the command: batch=8 is --batch=8."""

    def __init__(self, file: Path, params: Path | None = None) -> None:
        self.file = os.fspath(file)
        self.params = os.fspath(params) if params is not None else None
        self._runner: Runner | None = None
        self.info()     # whether it can be read

    def __repr__(self) -> str:
        return f"hybridscope.open({self.file!r})" if self.params is None else f"hybridscope.open({self.file!r}, {self.params!r})"

    def _repr_svg_(self) -> str:
        return self.render()

    def _call(self, command: str, options: Mapping[str, Any], *others: Path | Model) -> dict[str, Any]:
        files = [self.file] + [other.file if isinstance(other, Model) else os.fspath(other) for other in others]
        if self.params is not None:
            options = {"params": self.params, **options}
        return _program.call(command, files, options)

    def _get_runner(self) -> Runner:
        if self._runner is None:
            self._runner = Runner(self.file, self.params)
        return self._runner

    def info(self, **options: Any) -> dict[str, Any]:
        """What is in it: format, operators, arguments with shapes, outputs, structure, bytes of parameters."""
        return self._call("info", options)

    def check(self, **options: Any) -> dict[str, Any]:
        """What is wrong with it: a list of "findings", each with code, severity, message, place and hint."""
        return self._call("check", options)

    def run(self, inputs: Mapping[str, Any], *, mode: str = "static", training: bool = False, seed: int = 0
            ) -> dict[str, numpy.ndarray]:
        """Computes the outputs from arrays by the names of the inputs. Parameters may be given, too; they are kept."""
        return self._get_runner().run(inputs, mode, training, seed)

    def train(self, output: Path, data: Mapping[str, Any] | Path | None = None, **options: Any) -> Model:
        """Trains it and opens the last checkpoint, OUTPUT-symbol.json with the parameters of the last epoch.

        data: batches: arrays by the names of the inputs and "label", whose first axis is the step; or a file. Without it a model of
        the gallery has data of its own. Options are those of the command: epochs=3, optimizer="adam", set="learning_rate=0.01".
        """
        with tempfile.TemporaryDirectory() as folder:
            if isinstance(data, Mapping):
                import numpy

                file = pathlib.Path(folder) / "batches.npz"
                numpy.savez(file, **{name: numpy.asarray(array) for name, array in data.items()})
                data = file
            self._call("train", {"output": output, "data": data, **options})
        return Model(f"{os.fspath(output)}-symbol.json")

    def weights(self) -> dict[str, numpy.ndarray]:
        """The parameters by name; bfloat16 as the uint16 with its bits."""
        return self._get_runner().read_weights()

    def profile(self, **options: Any) -> dict[str, Any]:
        """What its operators cost: "clean" times, "operators", "nodes", "steps"; capture="net.hscope" keeps the recording."""
        return self._call("profile", options)

    def compare(self, *others: Path | Model, **options: Any) -> dict[str, Any]:
        """Measures it and others in turns: "cells", "pairs" with verdicts, "explanation".

        variants="unrolled,fused" compares forms of one model, modes="imperative,static" ways to run it.
        """
        return self._call("compare", options, *others)

    def convert(self, to: str, output: Path, **options: Any) -> Model:
        """Writes it as "unrolled", "foreach", "while" or "fused" after proving that both compute the same, and opens that."""
        document = self._call("convert", {"to": to, "output": output, **options})
        return Model(document["written"][0])

    def prove(self, other: Path | Model, **options: Any) -> dict[str, Any]:
        """Whether both compute the same, forward and backward: "ok", "max_abs", "worst"."""
        return self._call("prove", options, other)

    def diff(self, other: Path | Model) -> dict[str, Any]:
        """What differs between the graphs and the parameters: "same", "nodes", "parameters"."""
        return self._call("diff", {}, other)

    def render(self, output: Path | None = None, **options: Any) -> str:
        """Draws the graph. Returns the SVG, which a notebook shows, or the name of the file that was written: .svg, .png, .pdf, .dot.

        overlay="net.hscope" colours it by a recording.
        """
        if output is not None:
            self._call("render", {"output": output, **options})
            return os.fspath(output)
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "graph.svg"
            self._call("render", {"output": picture, **options})
            return Picture(picture.read_text())
