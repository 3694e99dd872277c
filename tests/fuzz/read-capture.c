/* read-capture.c — captures: everything that hscope info, report and the window read in them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "profiler/exchange/report-text.h"
#include "profiler/exchange/write-trace.h"
#include "profiler/explain/advise.h"
#include "profiler/explain/difference.h"
#include "profiler/summary/gradients.h"
#include "profiler/summary/steps.h"

static void
read_all (const ProfCapture *capture)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  g_autoptr (GBytes) symbol = prof_capture_dup_symbol (capture, NULL);
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);
  g_autoptr (ProfStepMatrix) steps = prof_step_matrix_new (capture, NULL);
  g_autoptr (GArray) gradients = prof_gradients (capture);
  g_autoptr (GArray) difference = prof_difference (capture, capture);
  g_autofree char *text = prof_report_text (capture, summary);
  g_autofree char *chrome = prof_print_chrome (capture, 200, NULL);
  g_autofree char *csv = prof_print_csv (capture, summary);
  guint32          sum = 0;

  for (guint i = 0; i < prof_capture_n_nodes (capture); i++)
    {
      guint          n;
      const guint32 *edges = prof_capture_get_edges (capture, i, &n);

      for (guint k = 0; k < n; k++)
        sum += edges[k];
    }
  for (guint i = 0; i < prof_capture_n_graphs (capture); i++)
    sum += prof_capture_get_graph (capture, i)->parent;
  for (guint i = 0; i < prof_capture_n_memory (capture); i++)
    sum += prof_capture_get_memory (capture)[i].row;
  g_assert_true (g_utf8_validate (text, -1, NULL) || sum == 0);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_true (g_utf8_validate (chrome, -1, NULL));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfCapture) capture = NULL;

  fuzz_begin ();
  capture = prof_capture_new (bytes, "fuzz", &error);
  g_assert_true ((!capture) == (error != NULL));
  if (!capture)
    return 0;
  fuzz_reached (FUZZ_READ);
  read_all (capture);
  return 0;
}
