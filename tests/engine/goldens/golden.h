/* golden.h — goldens, arrays that other implementations computed: finding, reading, comparing.
 *
 * goldens/README.md beside the data describes the files.  The full set is in $HYB_SHARED or
 * ../shared; folders that are not there are taken from tests/data/goldens.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"
#include "engine/graph/model.h"

#include <cjson/cJSON.h>

/* A path below a folder of goldens, "ops" for example.  (transfer full) */
char *golden_path (const char *folder, ...) G_GNUC_NULL_TERMINATED;
/* Names in a folder of goldens, sorted; NULL-terminated.  suffix NULL: all. */
char **golden_list (const char *folder, const char *suffix);

cJSON *golden_read_json (const char *path, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (cJSON, cJSON_Delete)

/* Named tensors of an npz: char * to HybTensor *. */
GHashTable *golden_read_npz (const char *path, GError **error);

/* Graphs.  A finding that says “error” fails too. */
gboolean  golden_read_text (HybModel *model, const char *text, const char *where, GError **error);
HybModel *golden_read_symbol (const cJSON *symbol, GError **error);

typedef struct
{
  double rtol, atol;
  gint64 rows; /* compare only these many of the first axis; 0: all */
} GoldenTolerance;

/* NULL if they agree, else a sentence about types or the worst element.  (transfer full) */
char *golden_compare (HybTensor *got, HybTensor *want, const GoldenTolerance *tolerance);

/* One run of a graph. */
typedef struct
{
  HybGraph   *graph;
  GHashTable *tensors; /* variables by name; may hold others */
  gboolean    training;
  HybMode     mode;
  guint64     seed;
  GPtrArray  *head_gradients; /* by head, of HybTensor; NULL: forward only */
  GArray     *wrt;            /* of HybNodeId */
  gboolean    no_passes;      /* leave all optimising passes out */
} GoldenRun;

/* HYB_TEST_DEVICE=gpu runs all goldens on a device.  NULL for the processor, also where NVRTC, which
 * compiles kernels, is not installed.  (transfer none) */
HybGpu *golden_get_device (void);

/* Outputs, then gradients.  Auxiliary states as they are afterwards go into states
 * (by name; may be NULL). */
GPtrArray *golden_run (const GoldenRun *run, GHashTable *states, GError **error);

/* Compares shapes as inferred from "given" with "arguments" and "outputs" of an object
 * of shapes by name, lists in order, as --shape asks it: no dtypes are given.  Appends what is wrong. */
void golden_check_shapes (HybGraph    *graph,
                          const cJSON *given,
                          const cJSON *arguments,
                          const cJSON *outputs,
                          GString     *wrong);

GHashTable *golden_tensors_new (void);
const char *golden_mode_name (HybMode mode);
