/* export-check.c — see export-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/block/export-check.h"

#include "engine/formats/mxnet-symbol.h"
#include "tests/engine/goldens/golden.h"

#include <string.h>

typedef struct
{
  const char   *folder;
  ExportBuild   build;
  ExportGraph   graph;
  gconstpointer data;
  const char   *structure;
} Check;

static void
show_difference (const char *got, const char *want)
{
  g_auto (GStrv) got_lines = g_strsplit (got, "\n", -1);
  g_auto (GStrv) want_lines = g_strsplit (want, "\n", -1);
  guint shown = 0;

  for (guint i = 0; got_lines[i] != NULL && want_lines[i] != NULL && shown < 12; i++)
    if (strcmp (got_lines[i], want_lines[i]) != 0)
      {
        g_test_message ("line %u: %s, MXNet wrote %s", i + 1, got_lines[i], want_lines[i]);
        shown++;
      }
}

static HybGraph *
trace_block (const Check *check, GError **error)
{
  g_autoptr (HybBlock) block = NULL;
  guint n_inputs = 0;

  hyb_names_reset ();
  block = check->build (check->data);
  for (const char *c = check->structure; *c != '\0'; c++)
    n_inputs += *c == '0';
  return hyb_block_trace (block, n_inputs, check->structure, FALSE, error);
}

static void
run_check (gconstpointer data)
{
  const Check     *check = data;
  g_autofree char *file = g_strconcat (check->folder, "-symbol.json", NULL);
  g_autofree char *path = golden_path ("models", check->folder, file, NULL);
  g_autofree char *want = NULL;
  g_autofree char *got = NULL;
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  if (!g_file_get_contents (path, &want, NULL, NULL))
    {
      g_test_skip ("this golden is not in the small set");
      return;
    }
  graph = check->build != NULL ? trace_block (check, &error) : check->graph (check->data);
  g_assert_no_error (error);

  got = hyb_symbol_print (graph, &length);
  g_strchomp (got);
  g_strchomp (want);
  if (strcmp (got, want) != 0)
    {
      show_difference (got, want);
      g_test_fail ();
    }
}

static void
add (const Check *given)
{
  g_autofree char *path = g_strconcat ("/engine/block/exports/", given->folder, NULL);

  g_test_add_data_func_full (path, g_memdup2 (given, sizeof *given), run_check, g_free);
}

void
export_check_add (const char *folder, ExportBuild build, gconstpointer data, const char *structure)
{
  add (&(Check){ .folder = folder, .build = build, .data = data, .structure = structure });
}

void
export_check_add_graph (const char *folder, ExportGraph graph, gconstpointer data)
{
  add (&(Check){ .folder = folder, .graph = graph, .data = data });
}
