# bomb_data.py - hostile files of arrays, captures and traces.
#
# Each maker returns the bytes of one file.  The tables at the end name them by kind.
# SPDX-License-Identifier: LGPL-2.1-or-later
import gzip
import io
import struct
import zipfile
import zlib

import bomb_graphs

# --- Files of arrays ---


def npy(shape="(2, 3)", kind="<f4", data=b"", header_length=None):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    header = header.encode() + b" " * (63 - (len(header) + 10) % 64) + b"\n"
    length = len(header) if header_length is None else header_length
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", length) + header + data


def npz(entries, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def npz_bomb(megabytes):
    return npz([("a.npy", npy("(%d,)" % (megabytes << 18), data=bytes(megabytes << 20)))])


def end_of_zip(count, size, offset, archive):
    return archive + struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, count, count, size, offset, 0)


def directory_entry(name, packed, whole, offset, checksum):
    return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 8, 0, 0, checksum, packed, whole,
                       len(name), 0, 0, 0, 0, 0, offset) + name


def overlapping_npz(count):
    """All entries of the directory share one stream."""
    data = npy("(%d,)" % (8 << 18), data=bytes(8 << 20))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    checksum = zlib.crc32(data)
    archive = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 8, 0, 0, checksum, len(packed), len(data),
                          5, 0) + b"a.npy" + packed
    directory = b"".join(directory_entry(b"%05d.npy" % i, len(packed), len(data), 0, checksum)
                         for i in range(count))
    return end_of_zip(count, len(directory), len(archive), archive + directory)


def lying_npz(whole):
    """The directory claims another length than the stream has."""
    archive = bytearray(npz_bomb(1))
    at = archive.rfind(b"PK\x01\x02")
    archive[at + 24:at + 28] = struct.pack("<I", whole)
    archive[22:26] = struct.pack("<I", whole)
    return bytes(archive)


def zip64_npz():
    """A directory whose zip64 fields claim 2^60 bytes."""
    name = b"a.npy"
    extra = struct.pack("<HHQQQ", 1, 24, 1 << 60, 1 << 60, 0)
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 45, 0, 0, 0, 0, 0, 0xffffffff, 0xffffffff, 5, len(extra))
    archive = local + name + extra + npy(data=bytes(24))
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 45, 45, 0, 0, 0, 0, 0, 0xffffffff, 0xffffffff,
                        5, len(extra), 0, 0, 0, 0, 0xffffffff) + name + extra
    return end_of_zip(1, len(entry), len(archive), archive + entry)


def record(shape, data, kind=0):
    """A dense array of version 2 in MXNet's file of arrays."""
    return (struct.pack("<IiI", 0xf993fac9, 0, len(shape)) + struct.pack("<%dq" % len(shape), *shape)
            + struct.pack("<iii", 1, 0, kind) + data)


def params(records, count=None, names=None):
    names = names if names is not None else [b"arg:w%d" % i for i in range(len(records))]
    return (struct.pack("<QQQ", 0x112, 0, len(records) if count is None else count) + b"".join(records)
            + struct.pack("<Q", len(names)) + b"".join(struct.pack("<Q", len(n)) + n for n in names))


def sparse_record(rows, columns):
    """A row-sparse array with one row of data that stands for `rows` rows."""
    return (struct.pack("<Iii", 0xf993fac9, 1, 2) + struct.pack("<qq", 1, columns)
            + struct.pack("<i", 2) + struct.pack("<qq", rows, columns)
            + struct.pack("<iii", 1, 0, 0) + struct.pack("<i", 6)
            + struct.pack("<iq", 1, 1) + bytes(4 * columns) + struct.pack("<q", rows - 1))


def name_lie():
    return params([record((2,), bytes(8))], names=[])[:-8] + struct.pack("<QQ", 1, 1 << 62)


# --- Captures ---

SIZES = [1, 8, 16, 12, 72, 4, 16, 32, 16, 1]
STRINGS, TEXTS, NUMBERS, GRAPHS, NODES, EDGES, SAMPLES, EVENTS, MEMORY, SYMBOL = range(10)
NODE_EVENT, RUN_EVENT = 0, 5
NONE = 0xffffffff


def capture(sections, lies=None):
    """A capture of these sections; lies: counts that are stored instead of the true ones."""
    sections = dict({STRINGS: b"\0"}, **{}) | sections
    at = 32 + 24 * len(sections)
    table, body = b"", b""
    for kind, data in sections.items():
        count = (lies or {}).get(kind, len(data) // SIZES[kind])
        table += struct.pack("<IIQQ", kind, SIZES[kind], at + len(body), count)
        body += data + bytes(-len(data) % 8)
    head = b"hscope\x1a\n" + struct.pack("<IIQII", 1, 0x01020304, at + len(body), len(sections), 0)
    return head + table + body


def node(name=0, graph=0, step=NONE, edges=(0, 0), kind=0):
    return struct.pack("<11IHHddd4x", name, kind, 0, 0, name, graph, 0, NONE, step, *edges, 0, 2, 1e9, 1e6,
                       1e6)[:72]


def event(kind, row, run=0, begin=0, step=NONE, graph=0):
    return struct.pack("<QQIIHHI", begin, 1000 | kind << 40, row, step, graph, run, 0)


def runs(count):
    return b"".join(event(RUN_EVENT, 0, run, run * 10000) for run in range(count))


def rows_by_runs(rows, count):
    return capture({GRAPHS: struct.pack("<III", 0, NONE, NONE), NODES: node() * rows,
                    EVENTS: runs(count) + b"".join(event(NODE_EVENT, row) for row in range(rows))})


def operators_by_steps(rows, last):
    """Each node is an operator of its own that ran in one step; the last step is far away."""
    strings = b"\0" + b"".join(b"op%05d\0" % i for i in range(rows))
    nodes = b"".join(node(1 + 8 * i, kind=1 + 8 * i, step=last - i % 2) for i in range(rows))
    events = b"".join(event(NODE_EVENT, i, begin=i * 1000) for i in range(rows))
    return capture({STRINGS: strings, GRAPHS: struct.pack("<III", 0, NONE, NONE), NODES: nodes,
                    EVENTS: event(RUN_EVENT, 0) + events})


def long_string(size, rows):
    return capture({STRINGS: b"\0" + b"a" * size + b"\0", GRAPHS: struct.pack("<III", 0, NONE, NONE),
                    NODES: node(1, kind=1) * rows, TEXTS: struct.pack("<II", 1, 1) * rows,
                    EVENTS: event(RUN_EVENT, 0) + b"".join(event(NODE_EVENT, i) for i in range(rows))})


def damaged_strings(size, rows):
    """As long_string(), with one text that is not UTF-8."""
    return long_string(size, rows).replace(b"aaaa\0", b"aaa\xff\0", 1)


def symbol_bomb(megabytes):
    return capture({SYMBOL: zlib.compress(b" " * (megabytes << 20), 9), NODES: node(),
                    GRAPHS: struct.pack("<III", 0, NONE, NONE), EVENTS: event(RUN_EVENT, 0)})


def symbol_of_values(count):
    return capture({SYMBOL: zlib.compress(bomb_graphs.many_values(count).encode(), 9), NODES: node(),
                    GRAPHS: struct.pack("<III", 0, NONE, NONE), EVENTS: event(RUN_EVENT, 0)})


def graphs_in_cycle(count):
    """Each graph is a body of a node of the next graph."""
    graphs = b"".join(struct.pack("<III", 0, (i + 1) % count, 0) for i in range(count))
    nodes = b"".join(node(graph=i) for i in range(count))
    events = b"".join(event(NODE_EVENT, i, graph=i & 0xffff, begin=i * 1000) for i in range(count))
    return capture({GRAPHS: graphs, NODES: nodes, EVENTS: event(RUN_EVENT, 0) + events})


def shared_edges(rows, edges):
    """Every node claims all edges."""
    return capture({GRAPHS: struct.pack("<III", 0, NONE, NONE), NODES: node(edges=(0, edges)) * rows,
                    EDGES: struct.pack("<I", rows - 1) * edges,
                    EVENTS: event(RUN_EVENT, 0) + b"".join(event(NODE_EVENT, i) for i in range(rows))})


def nested_events(count):
    """Events that all begin at once: depth grows with each."""
    return capture({GRAPHS: struct.pack("<III", 0, NONE, NONE), NODES: node(),
                    EVENTS: event(RUN_EVENT, 0) + event(NODE_EVENT, 0) * count})


def many(kind, data, count):
    return capture({GRAPHS: struct.pack("<III", 0, NONE, NONE), NODES: node(), kind: data * count,
                    EVENTS: event(RUN_EVENT, 0)})


ARRAYS = {
    "params: count 2^63": ("params", lambda: params([], count=1 << 63)),
    "params: count 1e9 of none": ("params", lambda: params([record((2,), bytes(8))], count=10 ** 9)),
    "params: shape 2^40": ("params", lambda: params([record((1 << 40,), bytes(8))])),
    "params: shape 2^31 cubed": ("params", lambda: params([record((1 << 31,) * 3, bytes(8))])),
    "params: rank 2^32-1": ("params", lambda: struct.pack("<QQQIiI", 0x112, 0, 1, 0xf993fac9, 0, NONE)),
    "params: name of 2^62": ("params", name_lie),
    "params: 200000 arrays": ("params", lambda: params([record((1,), bytes(4))] * 200000)),
    "params: sparse 1e12 rows": ("params", lambda: params([sparse_record(10 ** 12, 4)])),
    "params: sparse 60 MB from 1 row": ("params", lambda: params([sparse_record(15 << 20, 1)] * 40)),
    "npz: bomb of 1 GB": ("npz", lambda: npz_bomb(1024)),
    "npz: 30 entries share a stream": ("npz", lambda: overlapping_npz(30)),
    "npz: 60000 entries share a stream": ("npz", lambda: overlapping_npz(60000)),
    "npz: length claimed 4 GB": ("npz", lambda: lying_npz(0xfffffff0)),
    "npz: length claimed 8": ("npz", lambda: lying_npz(8)),
    "npz: zip64 of 2^60": ("npz", zip64_npz),
    "npz: 60000 entries": ("npz", lambda: npz([("%d.npy" % i, b"") for i in range(60000)])),
    "npz: shape (2^40,)": ("npz", lambda: npz([("a.npy", npy("(%d,)" % (1 << 40)))])),
    "npy: shape (2^62, 2^62)": ("npy", lambda: npy("(%d, %d)" % (1 << 62, 1 << 62))),
    "npy: shape of 10000 axes": ("npy", lambda: npy(str((1,) * 10000), data=bytes(4))),
    "npy: header longer than the file": ("npy", lambda: npy(header_length=65535)),
    "npy: header of brackets": ("npy", lambda: npy("(" * 60000)),
    "gzip: 1 GB of blanks as symbol": ("json", lambda: gzip.compress(b" " * (1 << 30), 9, mtime=0)),
    "gzip: 1 GB of zeros as params": ("params", lambda: gzip.compress(bytes(1 << 30), 9, mtime=0)),
    "gzip in gzip": ("json", lambda: gzip.compress(gzip.compress(bytes(1 << 28), 9, mtime=0), 9, mtime=0)),
}

CAPTURES = {
    "capture: 4000 rows x 65000 runs": lambda: rows_by_runs(4000, 65000),
    "capture: 20000 rows x 30000 runs": lambda: rows_by_runs(20000, 30000),
    "capture: 300 operators x 2^20 steps": lambda: operators_by_steps(300, (1 << 20) - 1),
    "capture: 2000 operators x 2^20 steps": lambda: operators_by_steps(2000, (1 << 20) - 1),
    "capture: 1 operator in step 2^20": lambda: operators_by_steps(1, (1 << 20) - 1),
    "capture: string of 1 MB, 10000 times": lambda: long_string(1 << 20, 10000),
    "capture: string of 16 kB, 20000 times": lambda: long_string(16000, 20000),
    "capture: damaged string, 20000 times": lambda: damaged_strings(16000, 20000),
    "capture: symbol of 900 MB": lambda: symbol_bomb(900),
    "capture: symbol of 20e6 values": lambda: symbol_of_values(20000000),
    "capture: 5000 graphs in a cycle": lambda: graphs_in_cycle(5000),
    "capture: 5000 nodes share 50000 edges": lambda: shared_edges(5000, 50000),
    "capture: 200000 events at once": lambda: nested_events(200000),
    "capture: 300000 samples": lambda: many(SAMPLES, struct.pack("<IId", 2, 0, 1.0), 300000),
    "capture: 200000 memory points": lambda: many(MEMORY, struct.pack("<IIQ", 0, 0, 1 << 60), 200000),
    "capture: 100000 texts": lambda: many(TEXTS, struct.pack("<II", 0, 0), 100000),
    "capture: count of nodes 2^58": lambda: capture({NODES: node()}, {NODES: 1 << 58}),
    "capture: count of events 2^32-1": lambda: capture({EVENTS: event(5, 0)}, {EVENTS: 2 ** 32 - 1}),
    "capture: graph of 2^16 edges out of range": lambda: capture({NODES: node(edges=(NONE, NONE)) * 1000}),
}

TRACES = {
    "trace: 200 kB of open braces": lambda: b"[" + b'{"' * 100000,
    "trace: 2 MB of open braces": lambda: b"[" + b'{"' * 1000000,
    "trace: 2 MB of brackets": lambda: b"[" * 2000000,
    "trace: 200000 broken events": lambda: b"[" + b'{"ph":"X","name":"a","ts":' * 200000,
    "trace: name of 4 MB": lambda: b'[{"ph":"X","name":"' + b"a" * (4 << 20) + b'","ts":1,"dur":1}]',
    "trace: 100000 open begins": lambda: b'{"traceEvents":[' + b",".join(
        [b'{"ph":"B","name":"a","ts":1,"pid":1,"tid":1}'] * 100000) + b"]}",
}
