/* imported.c — maps a trace of another tool to a graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "imported.h"

void
imported_map (Imported *imported, ProfTrace *trace, HybGraph *graph)
{
  g_autoptr (GError) error = NULL;

  imported->trace = trace;
  imported->capture =
      prof_import_trace (trace, graph, &(ProfImportOptions){ 0 }, &imported->import, &error);
  g_assert_no_error (error);
  imported->summary = prof_summary_new (imported->capture);
}

void
imported_read (Imported *imported, const char *text, gsize length, HybGraph *graph)
{
  g_autoptr (GError) error = NULL;
  ProfTrace *trace = prof_trace_read (text, length, "trace", &error);

  g_assert_no_error (error);
  imported_map (imported, trace, graph);
}

HybModel *
imported_open (const char *path)
{
  g_autoptr (GError) error = NULL;
  HybModel *model = hyb_model_open_tolerant (path, NULL, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  return model;
}

void
imported_clear (Imported *imported)
{
  g_clear_pointer (&imported->summary, prof_summary_free);
  g_clear_pointer (&imported->trace, prof_trace_free);
  g_clear_pointer (&imported->model, hyb_model_unref);
  g_clear_pointer (&imported->capture, prof_capture_unref);
  prof_import_clear (&imported->import);
}
