/* files.h — small ONNX files with what another program computed from them, for tests.
 *
 * NAME.onnx is a model; NAME.npz has its inputs by their names, and its outputs in order as “=0”, “=1”, …
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Opens a model of a folder of tests/data/onnx. */
HybModel *files_open (const char *folder, const char *name);
/* Runs it in every mode, with and without passes, on one and two threads; the test fails if an output differs. */
void files_run (const char *folder, const char *name);
