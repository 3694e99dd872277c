/* nodes.h — graphs of ONNX nodes as text, for tests.
 *
 * A line is an input “x: float[batch,3]”, an initialiser “w = int64[2] 3 4”, an output “-> y”, or a node
 * “y, z = Split x, w | axis=0 split=[2,2]”.  A left-out input is “_”.  Attributes are integers, floats with a point, lists
 * of integers in brackets, or strings.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "tests/engine/onnx/messages.h"

/* A GraphProto of these lines, which newlines separate. */
Message *nodes_graph (const char *lines);
/* A ModelProto of a graph with an operator set.  Takes graph. */
Message *nodes_file (Message *graph, gint64 opset);
/* Reads a file of these lines as a model. */
HybModel *nodes_model (const char *lines, gint64 opset);
/* Reads a message as a model.  Takes file. */
HybModel *nodes_read (Message *file, GError **error);
