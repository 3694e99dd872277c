#!/usr/bin/env python3
# null-calls.py — writes a C program that calls every function of engine/abi.txt without what it needs.
# usage: null-calls.py ABI SOURCE COMPILER… -- HEADER…    SOURCE: the source tree, to which the names of headers are relative
#
# A function is called once with zeros only; once for each of its pointers with that one NULL and the others valid; once for
# each of its indices, ids and element types with that one out of range; and once for each object of the wrong kind.
# Fails if a name of the list has no declaration, so that none is left out.
# SPDX-License-Identifier: LGPL-2.1-or-later
import re
import shlex
import subprocess
import sys

# How a valid object of a type is made; a pointer to a struct that the headers define, or to a number, points to zeros.
MAKERS = {
    "char": '"x"',
    "GError *": "&error",
    "GBytes": "g_bytes_new_static (zeros, sizeof zeros)",
    "GCancellable": "g_cancellable_new ()",
    "GHashTable": "g_hash_table_new (g_str_hash, g_str_equal)",
    "GPtrArray": "g_ptr_array_new ()",
    "HybBlock": "make_block ()",
    "HybCell": "hyb_cell_from_block (make_cell ())",
    "HybExecutor": "make_executor ()",
    "HybF": "make_f ()",
    "HybGraph": "make_graph ()",
    "HybGraphBuilder": "hyb_graph_builder_new ()",
    "HybModel": "make_model ()",
    "HybParameter": "make_parameter ()",
    "HybTape": "hyb_tape_new ()",
    "HybTensor": "make_tensor ()",
    "HybTensorList": "hyb_tensor_list_new ()",
    "HybValue": "make_value ()",
    "HybVocabulary": "hyb_vocabulary_new ()",
}


# Objects of a type that few functions expect.
STRANGE = {
    "HybBlock": {"an empty container": "hyb_sequential (NULL)", "a loss": 'hyb_loss_new ("l2", NULL)', "a cell": "make_cell ()"},
    "HybGraph": {"an empty graph": "make_empty_graph ()"},
    "HybModel": {"a model without a graph": "hyb_model_new ()"},
    "HybTensor": {"no elements": "make_nothing ()", "integers": "make_integers ()"},
    "HybValue": {"a list": "hyb_list (make_f (), 0, NULL)", "a value of another F": "make_traced ()"},
    "char": {"an empty text": '""', "a text of percent signs": '"%s%n%d"'},
}

# Numbers that have a range, by type or by name, and one out of it.
FAR_TYPES = {"HybNodeId": "0x7ffffff0", "HybValueId": "0x7ffffff0", "HybDType": "1000"}
FAR_NAMES = {"index", "id", "axis", "head", "variable", "input"}

# Structs whose members may not be zeros.
NEED_MEMBERS = {"HybBlockClass", "HybCall", "HybEncoding", "HybFinding", "HybGpuFacts", "HybImperativeCall", "HybModelSpec",
                "HybOp", "HybParam", "HybRnnCheckpoint"}


def split_arguments(text):
    depth, parts, start = 0, [], 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [p.strip() for p in parts]


def type_of(argument):
    """The type of a parameter: without its name; arrays are pointers."""
    if "(" in argument:  # a pointer to a function
        return re.sub(r"\(\s*\*\s*\w+\s*\)", "(*)", argument)
    argument, n = re.subn(r"\[[^]]*\]", "", argument)
    argument = re.sub(r"\s+", " ", argument.replace("*", " * ")).strip()
    words = argument.split(" ")
    if words[-1] != "*" and len([w for w in words if w not in ("const", "*", "struct", "enum")]) > 1:
        words = words[:-1]
    return " ".join(words) + (" *" if n else "")


def read_declarations(text):
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    found = {}
    for match in re.finditer(r"([\w\s*]+?)\b(hyb_\w+)\s*\(", text):
        name, at, depth = match.group(2), match.end(), 1
        while depth:
            depth += (text[at] == "(") - (text[at] == ")")
            at += 1
        if text[at:].lstrip()[:1] == ";" and not re.search(r"\b(typedef|return|static)\b", match.group(1)):
            found[name] = split_arguments(text[match.end():at - 1])
    return found


def target_of(kind):
    """What a pointer points to."""
    return re.sub(r"\bconst\b ?", "", kind[:-1]).strip()


def make(kind, opaque):
    """A valid argument; None if none can be made."""
    target = target_of(kind)
    if target in MAKERS:
        return MAKERS[target]
    return None if target in opaque or target in NEED_MEMBERS else "(%s) zeros" % kind


def name_of(argument):
    return re.findall(r"\w+", re.sub(r"\[[^]]*\]", "", argument))[-1]


def far_value(argument):
    """A number out of the range of the parameter; None if it has no range."""
    kind = type_of(argument)
    if kind in FAR_TYPES:
        return FAR_TYPES[kind]
    is_number = kind in ("guint", "int", "gint64", "guint64", "gsize")
    return "0x7ffffff0" if is_number and name_of(argument) in FAR_NAMES else None


def call(name, arguments, missing, odd, opaque):
    """The call, in which the arguments with the numbers in `missing` are zeros, and those in `odd` are what it says; None if
    another cannot be made."""
    values = []
    for i, argument in enumerate(arguments):
        kind = type_of(argument)
        if argument == "..." or "(*" in kind:
            values.append("NULL")
        elif i in odd:
            values.append("(%s) %s" % (kind, odd[i]))
        elif i in missing or not kind.endswith("*"):
            values.append("(%s){ 0 }" % kind)
        else:
            values.append(make(kind, opaque))
    return None if None in values else "%s (%s)" % (name, ", ".join(values))


def preprocess(source, compiler, headers):
    """What the headers of the source tree declare."""
    flags = shlex.split(subprocess.check_output(["pkg-config", "--cflags", "gio-2.0"], text=True))
    includes = "".join('#include "%s"\n' % name for name in headers)
    text = subprocess.check_output(compiler + ["-E", "-x", "c", "-I" + source, *flags, "-"], input=includes, text=True)
    ours, lines = False, []
    for line in text.splitlines():
        if re.match(r'# \d+ "', line):
            ours = "/engine/" in line.split('"')[1]
        elif ours:
            lines.append(line)
    return "\n".join(lines)


def main():
    names = open(sys.argv[1]).read().split()
    end = sys.argv.index("--")
    headers = sys.argv[end + 1:]
    text = preprocess(sys.argv[2], sys.argv[3:end], headers)
    declared = read_declarations(text)
    absent = [n for n in names if n not in declared]
    if absent:
        sys.exit("no declaration was found of " + ", ".join(absent))
    opaque = {n for n in re.findall(r"typedef\s+struct\s+_\w+\s+(\w+)\s*;", text)
              if not re.search(r"struct\s+_%s\s*\{" % n, text)}
    rows = []
    print("".join('#include "%s"\n' % name for name in headers) + '#include "tests/engine/null-calls.h"\n\n'
          '/* Formats may be NULL here, and have no arguments. */\n#pragma GCC diagnostic ignored "-Wformat"\n'
          '#pragma GCC diagnostic ignored "-Wformat-nonliteral"\n#pragma GCC diagnostic ignored "-Wformat-extra-args"\n')
    for name in names:
        arguments = [a for a in declared[name] if a != "void"]
        pointers = [i for i, a in enumerate(arguments) if type_of(a).endswith("*")]
        numbers = [i for i, a in enumerate(arguments) if a != "..." and "(*" not in a and far_value(a)]
        has_format = "..." in arguments
        sets = [("nothing", set(range(len(arguments))), {})]
        sets += [("all but " + name_of(arguments[i]), {i}, {}) for i in pointers]
        sets += [(name_of(arguments[i]) + " out of range", set(), {i: far_value(arguments[i])}) for i in numbers]
        sets += [("%s as %s" % (what, name_of(arguments[i])), set(), {i: expression})
                 for i in pointers if not has_format
                 for what, expression in STRANGE.get(target_of(type_of(arguments[i])), {}).items()]
        for number, (given, missing, odd) in enumerate(sets):
            expression = call(name, arguments, missing, odd, opaque)
            if expression:
                print("static void\n%s_%d (void)\n{\n  (void) %s;\n}\n" % (name, number, expression))
                rows.append('  { "%s", "%s", %s_%d },' % (name, given, name, number))
    print("const NullCall null_calls[] = {\n%s\n  { 0 },\n};" % "\n".join(rows))


main()
