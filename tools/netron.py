#!/usr/bin/env python3
"""netron.py — draws models with Hybridscope and with Netron, for docs/netron.md.

usage: netron.py --hscope HSCOPE --netron NETRON [--chromium CHROMIUM] --output FOLDER MODEL…

For each model, FOLDER gets NAME.png (hscope render) and NAME-netron.png (Netron in a headless browser), both the
whole graph, fitted into the same page. Standard output gets one row of a table for each model: nodes, time and size of
both pictures. NETRON is the program that Netron's package on PyPI installs.

Times are seconds. Hybridscope's is that of the whole process, from its start to the written picture. Netron's is from
the moment at which the browser asks for the page until the graph is drawn; starting the browser and the server
is not counted. Sizes are in pixels at the scale at which text has its natural size.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import base64
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
import temporary_folder  # noqa: E402

PAGE = (900, 640)           # the page that both pictures are fitted into
WAIT = 120                  # seconds until a page that does not show a graph is given up
RUNS = 3                    # the smallest time of this many runs is printed

# Netron asks for an update if its own version is older than half a year, and for the use of cookies.
PREPARE = """
  (() => {
    const RealDate = Date;
    const then = RealDate.UTC (2025, 0, 1);
    window.Date = class extends RealDate {
      constructor (...list) { if (list.length > 0) super (...list); else super (then); }
      static now () { return then; }
    };
    document.cookie = 'consent=1';
  }) ();
"""

IS_DRAWN = "Boolean (window.__view__ && __view__._page === 'default' && document.querySelector ('#canvas .node'))"

# Scales the graph to the page, from its upper left corner, and says where it is.
FIT = """
  (() => {
    const canvas = document.getElementById ('canvas');
    const box = canvas.querySelector ('#origin').getBBox ();
    const view = canvas.viewBox.baseVal;
    const scale = Math.min (%d / box.width, %d / box.height, 1);
    canvas.style.width = view.width * scale + 'px';
    canvas.style.height = view.height * scale + 'px';
    const target = document.getElementById ('target');
    target.style.overflow = 'visible';
    const all = document.querySelectorAll ('body > *:not(#target), .toolbar, #sidebar');
    for (const other of all) if (!other.contains (target)) other.style.display = 'none';
    const seen = canvas.querySelector ('#origin').getBoundingClientRect ();
    return { x: seen.x, y: seen.y, width: seen.width, height: seen.height,
             natural: [ Math.ceil (box.width), Math.ceil (box.height) ] };
  }) ()
"""


class Browser:
    """A headless browser that is driven through a pair of pipes."""

    def __init__(self, program, folder):
        command_end, self.commands = os.pipe()
        self.answers, answer_end = os.pipe()

        def connect():
            ends = [os.dup(command_end), os.dup(answer_end)]    # neither end may be 3 or 4 already
            for number, end in enumerate(ends, 3):
                os.dup2(end, number)
                os.set_inheritable(number, True)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--hide-scrollbars", f"--user-data-dir={folder}"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_end)
        os.close(answer_end)
        self.rest = b""
        self.number = 0
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        self.page("Page.enable")
        self.page("Page.addScriptToEvaluateOnNewDocument", source=PREPARE)
        self.page("Emulation.setDeviceMetricsOverride", width=1440, height=900, deviceScaleFactor=1, mobile=False)

    def call(self, method, parameters, session=None):
        """Sends a command and returns its result; events in between are dropped."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                part = os.read(self.answers, 1 << 20)
                if not part:
                    raise RuntimeError("the browser has ended")
                self.rest += part
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def page(self, method, **parameters):
        return self.call(method, parameters, self.session)

    def evaluate(self, text):
        return self.page("Runtime.evaluate", expression=text, returnByValue=True)["result"].get("value")

    def open(self, url):
        """Opens a page of Netron; returns the seconds until its graph is drawn, or None if it shows none."""
        start = time.monotonic()
        self.page("Page.navigate", url=url)
        while time.monotonic() - start < WAIT:
            try:
                if self.evaluate(IS_DRAWN):
                    return time.monotonic() - start
            except RuntimeError:
                pass                            # the page was replaced in the meantime
            time.sleep(0.01)
        return None

    def picture(self, path):
        """Writes the whole graph; returns its natural size."""
        place = self.evaluate(FIT % PAGE)
        clip = {key: place[key] for key in ("x", "y", "width", "height")} | {"scale": 1}
        data = self.page("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))
        return place["natural"]

    def close(self):
        self.process.terminate()
        self.process.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port):
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("Netron's server does not answer")


def draw_with_netron(options, browser, model, path):
    """Returns seconds and size, or None if Netron shows no graph."""
    port = free_port()
    server = subprocess.Popen([options.netron, "--port", str(port), "--verbosity", "quiet", str(model)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        times = [browser.open(f"http://127.0.0.1:{port}/") for _ in range(RUNS)]
        if None in times:
            return None
        return min(times), browser.picture(path)
    finally:
        server.terminate()
        server.wait()


def draw_with_hybridscope(options, model, path):
    """Returns seconds, size, nodes and boxes drawn."""
    command = [options.hscope, "render", str(model), "--fit", f"{PAGE[0]}x{PAGE[1]}", "--detail", "auto", "--json"]
    times = []
    for _ in range(RUNS):
        start = time.monotonic()
        text = subprocess.run(command + ["--output", str(path.with_suffix(".svg"))], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
        times.append(time.monotonic() - start)
    result = json.loads(text)
    size = (result["width"], result["height"])
    scale = min(PAGE[0] / size[0], PAGE[1] / size[1], 1)
    subprocess.run(command + ["--output", str(path), "--scale", f"{scale:.4f}"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    path.with_suffix(".svg").unlink()
    return min(times), size, result["nodes"], result["drawn"]


def name_of(model):
    """The name of the pictures: that of the file, without the usual ending, or of its folder."""
    name = re.sub(r"(-symbol)?\.json$|\.onnx$", "", model.name)
    return name if name not in ("symbol", "net", "model") else model.parent.name


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hscope", required=True)
    parser.add_argument("--netron", required=True)
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    options = parser.parse_args()

    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(options.chromium, folder)
        for model in options.models:
            name = name_of(model)
            seconds, size, n_nodes, n_drawn = draw_with_hybridscope(options, model, options.output / f"{name}.png")
            row = f"| {name} | {n_nodes} | {n_drawn} | {seconds:.2f} s | {size[0]} × {size[1]} |"
            theirs = draw_with_netron(options, browser, model, options.output / f"{name}-netron.png")
            if theirs:
                row += f" {theirs[0]:.2f} s | {theirs[1][0]} × {theirs[1][1]} |"
            else:
                row += " shows no graph | |"
            print(row, flush=True)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
