/* mutate-symbol.c — changes a symbol file as a graph, so that most results are graphs that can run.
 *
 * A change picks the graph or one of its bodies, and alters an attribute within the operator's own table, a
 * shape, an edge, a node, an output or the version; what a change makes is in symbol-changes.c.  One input in
 * twenty is changed byte by byte instead.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/symbol-changes.h"

#include "engine/analysis/infer-types.h"
#include "engine/doctor/diagnose.h"
#include "engine/formats/mxnet-symbol.h"

#include <stdio.h>
#include <string.h>

#define MAX_CHANGES 3

/* libFuzzer only knows a change that the mutator has returned, and keeps nothing of a fault in here.  Where the
 * variable FUZZ_CHANGE names a file, the change that is judged is written to it. */
static void
keep (const char *text)
{
  const char *path = g_getenv ("FUZZ_CHANGE");
  FILE       *file = path ? fopen (path, "w") : NULL;

  if (!file)
    return;
  fputs (text, file);
  fclose (file);
}

/* Whether types can be inferred without a contradiction, so that the graph is likely to run. */
static gboolean
is_sound (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autofree HybType *types = NULL;
  HybGraph           *graph;

  keep (text);
  if (!hyb_symbol_read (model, bytes, "change", NULL))
    return FALSE;
  graph = hyb_model_get_graph (model);
  types = hyb_diagnose_new_types (graph);
  return !hyb_graph_has_opaque (graph) && hyb_infer_types (graph, types, NULL, FALSE, NULL);
}

/* The changed graph as text; NULL if data is none.  (transfer full) */
static char *
change_graph (const guint8 *data, gsize size, FuzzRandom *random)
{
  cJSON *root = cJSON_ParseWithLength ((const char *) data, size);
  guint  n = 1 + fuzz_below (random, MAX_CHANGES);
  char  *printed, *text;

  if (!root || !cJSON_IsArray (cJSON_GetObjectItem (root, "nodes")))
    {
      cJSON_Delete (root);
      return NULL;
    }
  while (n-- > 0)
    fuzz_change_symbol (root, random);
  printed = cJSON_PrintUnformatted (root);
  text = g_strdup (printed ? printed : "");
  cJSON_free (printed);
  cJSON_Delete (root);
  return text;
}

gsize
LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, unsigned seed)
{
  FuzzRandom       random = seed;
  g_autofree char *text = NULL;

  if (fuzz_once_in (&random, 20))
    return LLVMFuzzerMutate (data, size, max_size);

  for (guint i = 0; i < fuzz_graph_attempts; i++)
    {
      g_free (text);
      text = change_graph (data, size, &random);
      if (!text)
        return LLVMFuzzerMutate (data, size, max_size);
      if (i + 1 == fuzz_graph_attempts || is_sound (text) || fuzz_once_in (&random, 6))
        break;
    }
  if (strlen (text) > max_size)
    return size;
  memcpy (data, text, strlen (text));
  return strlen (text);
}
