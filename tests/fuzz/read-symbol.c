/* read-symbol.c — symbol JSON: reader, doctor, repair, writer, and reading again what was written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "engine/doctor/change.h"
#include "engine/doctor/diagnose.h"
#include "engine/formats/mxnet-symbol.h"

#include <string.h>

const guint fuzz_graph_attempts = 1;

/* What the writer makes of a graph without unknown operators is read again, with as many outputs. */
static void
check_written (HybGraph *graph)
{
  gsize            length;
  guint            n, n_again;
  g_autofree char *text = hyb_symbol_print (graph, &length);
  g_autoptr (GBytes) bytes = g_bytes_new (text, length);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;

  if (hyb_graph_has_opaque (graph))
    return;
  if (!hyb_symbol_read (model, bytes, "written", &error))
    g_error ("what was written cannot be read: %s\n%s", error->message, text);
  hyb_graph_get_heads (graph, &n);
  hyb_graph_get_heads (hyb_model_get_graph (model), &n_again);
  if (n != n_again)
    g_error ("%u outputs were written, %u were read:\n%s", n, n_again, text);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) broken = NULL;
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autofree HybType *types = NULL;

  fuzz_begin ();
  if (!hyb_symbol_read (model, bytes, "fuzz", &error))
    {
      g_assert_nonnull (error);
      return 0;
    }
  fuzz_reached (FUZZ_READ);
  if (!hyb_graph_verify (hyb_model_get_graph (model), &broken) &&
      !strstr (broken->message, "two variables"))
    g_error ("%s", broken->message);
  types = hyb_diagnose_new_types (hyb_model_get_graph (model));
  hyb_diagnose (model, types);
  hyb_diagnose_repair (model, changes);
  check_written (hyb_model_get_graph (model));
  return 0;
}
