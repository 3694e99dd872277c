/* said-facts.c — see said-facts.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/adapt/said-facts.h"

#include "profiler/base/format.h"
#include "profiler/exchange/beside.h"

const char *const said_facts[] = {
  "a sentence",
  "a warning",
  "gpu:1",
  "a device",
  /* The table. */
  "row of the table",
  "12.5 MiB",
  /* Bars, by the table of the ladder. */
  "operator by operator",
  "3.00 ms",
  "planned",
  "−1.00 ms (−1.50 ms … −500 µs): all is computed before",
  "−1.00 ms in all",
  /* The waterfall. */
  "Why “fused” takes 1.00 ms less than “unrolled”: mostly gemm batching (90 %)",
  "gemm batching",
  "−900 µs (−950 µs … −850 µs)",
  "one product instead of many: 880 µs",
  "100 µs (10 %)",
  /* No cause. */
  "“b” and “a”: no difference beyond the noise",
  /* Another program. */
  "there/ort.json: a traced run takes 3.00 ms here and 4.00 ms there (5 iterations)",
  "conv0 + relu0",
  "theirs: FusedConv",
  "1.50",
  "theirs that belong to no node of the model: 1.00 ms",
  /* The hint. */
  "Measure again in twice the time",
  NULL,
};

static void
say_table (ScopeSaid *said)
{
  static const ScopeTableColumn columns[] = { { "what", NULL, FALSE, 20 },
                                              { "bytes", NULL, TRUE, 12 } };
  ScopeTable                   *table = scope_said_table (said, columns, G_N_ELEMENTS (columns));

  scope_table_add (table, g_strdup ("row of the table"), FALSE);
  scope_table_add (table, g_strdup ("12.5 MiB"), FALSE);
}

static void
say_ladder (ScopeSaid *said)
{
  g_autoptr (GPtrArray) rungs = g_ptr_array_new ();
  ProfRung first = { .name = (char *) "operator by operator", .time = { 3e-3, 3e-3, 3e-3 } };
  ProfRung second = { .name = (char *) "planned",
                      .doc = "all is computed before",
                      .time = { 2e-3, 2e-3, 2e-3 },
                      .saved = { 1e-3, 5e-4, 1.5e-3 },
                      .verdict = PROF_FASTER };

  g_ptr_array_add (rungs, &first);
  g_ptr_array_add (rungs, &second);
  scope_said_ladder (said, rungs);
}

static void
say_explanations (ScopeSaid *said)
{
  ProfExplanation explanation = { .saved = { 1e-3, 9e-4, 1.1e-3 },
                                  .unexplained = 1e-4,
                                  .run = 1e-3,
                                  .is_certain = TRUE,
                                  .same_flops = TRUE };

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    explanation.bucket[i].name = prof_bucket_name (i);
  explanation.bucket[PROF_BUCKET_GEMM].seconds = 9e-4;
  explanation.bucket[PROF_BUCKET_GEMM].low = 8.5e-4;
  explanation.bucket[PROF_BUCKET_GEMM].high = 9.5e-4;
  prof_bucket_set_rung (&explanation.bucket[PROF_BUCKET_GEMM], 8.8e-4,
                        g_strdup ("one product instead of many: 880 µs"));
  scope_said_explanation (said, (ScopeLevel){ "unrolled", 2e-3 }, (ScopeLevel){ "fused", 1e-3 },
                          &explanation);
  explanation.is_certain = FALSE;
  scope_said_explanation (said, (ScopeLevel){ "a", 2e-3 }, (ScopeLevel){ "b", 1e-3 }, &explanation);
  prof_explanation_clear (&explanation);
}

static void
say_beside (ScopeSaid *said)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (ProfBesideRow));
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  ProfBesideRow row = { nodes, (char *) "", (char *) "FusedConv", 3e-3, 2e-3 };

  g_ptr_array_add (nodes, (gpointer) "conv0");
  g_ptr_array_add (nodes, (gpointer) "relu0");
  g_array_append_val (rows, row);
  scope_said_beside (said, &(ScopeBeside){ "there/ort.json", 5, 3e-3, 4e-3, 0, 1e-3, rows });
}

/* The medians of two forms over the batch, which have no table of their own. */
static void
say_curves (ScopeSaid *said)
{
  ScopeFigure *figure = scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_curves,
                                                                 .name = "curves",
                                                                 .title = "Time over the batch" });

  figure->curves = viz_curve_table_new (2, 1, "batch", prof_format_seconds);
  figure->curves->labels[0] = g_strdup ("fused");
  for (guint i = 0; i < 2; i++)
    {
      figure->curves->x[i] = 1 + 7 * i;
      viz_curve_table_set (figure->curves, 0, i, 1e-3 * (1 + i));
    }
}

ScopeSaid *
said_facts_new (void)
{
  ScopeSaid *said = scope_said_new ();

  scope_said_heading (said, "A heading", "a heading");
  scope_said_sentence (said, SCOPE_SAID_PLAIN, g_strdup ("a sentence"));
  scope_said_sentence (said, SCOPE_SAID_WARNING, g_strdup ("a warning"));
  scope_said_fact (said, "gpu:1", "a device");
  say_table (said);
  say_ladder (said);
  say_explanations (said);
  say_beside (said);
  say_curves (said);
  scope_said_longer (said);
  return said;
}
