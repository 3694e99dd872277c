/* test-said.c — blocks of a comparison as text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/said-text.h"
#include "app/command/report/report-said.h"
#include "tests/app/adapt/said-facts.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* Words without a width follow the numbers, in as many lines as they have; the foot is below what is not shown. */
static void
test_table (void)
{
  static const ScopeTableColumn columns[] = {
    { "nodes", NULL, FALSE, 0 },
    { "ours", "ours\nhere", TRUE, 9 },
  };
  g_autoptr (ScopeSaid) said = scope_said_new ();
  ScopeTable      *table;
  g_autofree char *text = NULL;

  scope_said_heading (said, "Nodes", "  node by node");
  table = scope_said_table (said, columns, G_N_ELEMENTS (columns));
  table->n_lines = 1;
  scope_table_add (table, g_strdup ("conv0 + relu0\nours: conv0"), FALSE);
  scope_table_add (table, g_strdup ("1.2 µs"), TRUE);
  scope_table_add (table, g_strdup ("dense0"), FALSE);
  scope_table_add (table, g_strdup ("7 ns"), FALSE);
  scope_table_begin_foot (table);
  scope_table_add (table, g_strdup ("the rest"), FALSE);
  scope_table_add (table, g_strdup ("–"), FALSE);
  text = scope_said_dup_text (said);
  g_assert_cmpstr (text, ==,
                   "\n  node by node\n"
                   "     ours  nodes\n"
                   "     here\n"
                   " ~ 1.2 µs  conv0 + relu0\n"
                   "           ours: conv0\n"
                   "  and 1 more; --json lists them\n"
                   "        –  the rest\n");
}

static void
test_sentences (void)
{
  g_autoptr (ScopeSaid) said = scope_said_new ();
  g_autofree char *text = NULL;

  scope_said_heading (said, "On pages alone", NULL);
  scope_said_sentence (said, SCOPE_SAID_ON_PAGES, g_strdup ("what the heading says"));
  scope_said_sentence (said, SCOPE_SAID_PLAIN, g_strdup ("one\nline"));
  scope_said_sentence (said, SCOPE_SAID_PLAIN, NULL);
  scope_said_sentence (said, SCOPE_SAID_WARNING, g_strdup ("the machine is busy"));
  scope_said_fact (said, "gpu", "a device");
  text = scope_said_dup_text (said);
  g_assert_cmpstr (text, ==, "  one\\nline\nthe machine is busy\ngpu      a device\n");
}

/* A row ends where its texts end. */
static void
test_short_row (void)
{
  static const ScopeTableColumn columns[] = {
    { "name", NULL, FALSE, 6 },
    { "weights", NULL, TRUE, 9 },
    { "plan", NULL, TRUE, 9 },
  };
  g_autoptr (ScopeSaid) said = scope_said_new ();
  ScopeTable      *table = scope_said_table (said, columns, G_N_ELEMENTS (columns));
  g_autofree char *text = NULL;

  scope_table_add (table, g_strdup ("a"), FALSE);
  scope_table_add (table, g_strdup ("there is no memory"), FALSE);
  scope_table_add (table, NULL, FALSE);
  g_assert_cmpuint (scope_table_n_rows (table), ==, 1);
  text = scope_said_dup_text (said);
  g_assert_cmpstr (text, ==, "name    weights     plan\na      there is no memory\n");
}

/* The window's renderer says them, too: /app/window/says-the-same-facts-as-the-command. */
static void
test_facts (void)
{
  g_autoptr (ScopeSaid) said = said_facts_new ();
  g_autoptr (ScopeReportPage) page = scope_report_page_new ("facts");
  g_autofree char *text = scope_said_dup_text (said), *html = NULL;

  scope_report_page_add_said (page, said);
  html = scope_report_page_print_html (page);
  for (guint i = 0; said_facts[i]; i++)
    {
      if (!strstr (text, said_facts[i]))
        g_error ("the terminal does not say “%s”:\n%s", said_facts[i], text);
      if (!strstr (html, said_facts[i]))
        g_error ("the page does not say “%s”:\n%s", said_facts[i], html);
    }
  /* A terminal prints what pages draw. */
  g_assert_nonnull (strstr (text, "batch                                  fused\n"
                                  "1                                    1.00 ms\n"
                                  "8                                    2.00 ms\n"));
  g_assert_nonnull (strstr (html, "Time over the batch"));
  g_assert_nonnull (strstr (html, ">fused</text>"));
}

/* Figures that stay empty are no blocks, and those without a table are printed as their bars. */
static void
test_figures (void)
{
  g_autoptr (ScopeSaid) said = scope_said_new ();
  ScopeFigure     *figure;
  g_autofree char *text = NULL;

  scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_bars, .line = "nothing" });
  figure = scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_bars,
                                                    .line = "operators" });
  scope_figure_add_bar (figure, &(VizBar){ .label = "Convolution", .value = -1 },
                        g_strdup ("1.2 ms"));
  g_assert_cmpfloat (g_array_index (figure->bars, VizBar, 0).value, ==, 0);
  text = scope_said_dup_text (said);
  g_assert_cmpstr (text, ==, "operators\nConvolution               1.2 ms\n");
}

/* An axis without an end would have ticks without an end. */
static void
test_endless_curves (void)
{
  g_autoptr (ScopeSaid) said = scope_said_new ();
  g_autoptr (ScopeReportPage) page = scope_report_page_new ("curves");
  VizCurveTable   *curves = viz_curve_table_new (2, 1, "batch", NULL);
  g_autofree char *html = NULL;

  curves->x[0] = 1;
  curves->x[1] = 2;
  curves->labels[0] = g_strdup ("fused");
  g_assert_true (viz_curve_table_set (curves, 0, 0, 1.7e308));
  g_assert_false (viz_curve_table_set (curves, 0, 1, INFINITY));
  scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_curves })->curves = curves;
  scope_report_page_add_said (page, said);
  html = scope_report_page_print_html (page);
  g_assert_nonnull (strstr (html, ">fused</text>"));
}

TEST_PROGRAM (test_said)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/command/said/prints-words-after-numbers", test_table);
  g_test_add_func ("/app/command/said/prints-sentences-and-facts", test_sentences);
  g_test_add_func ("/app/command/said/ends-rows-where-texts-end", test_short_row);
  g_test_add_func ("/app/command/said/both-media-of-the-command-say-the-facts", test_facts);
  g_test_add_func ("/app/command/said/prints-figures-as-rows", test_figures);
  g_test_add_func ("/app/command/said/curves-have-an-end", test_endless_curves);
  return g_test_run ();
}
