/* test-compare-cells.c — reading results of hscope compare: rows, sizes, pairs, explanations.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-cells.h"

#include "app/compare/compare-numbers.h"
#include "app/compare/compare-say.h"
#include "app/process/json-fields.h"
#include "tests/program.h"

#include <math.h>

/* Two forms at two batches; only the first pair says why.  Quotes are written as ' and replaced. */
static const char sizes_text[] =
    "{'cells':["
    "{'variant':'unrolled','mode':'static','batch':1,'train':false,'median':2e-3},"
    "{'variant':'fused','mode':'static','batch':1,'train':false,'median':1e-3},"
    "{'variant':'unrolled','mode':'static','batch':8,'train':false,'median':3e-3},"
    "{'variant':'fused','mode':'static','batch':8,'train':false,'median':4e-3}],"
    "'pairs':["
    "{'a':'fused, static','b':'unrolled, static','batch':1,'train':false,"
    "'explanation':{'saved':1e-3}},"
    "{'a':'fused, static','b':'unrolled, static','batch':8,'train':false}],"
    "'explanation':{'saved':7}}";

/* Two kinds of cells; one of them without passes, too, the other one in training, too. */
static const char work_text[] =
    "{'cells':["
    "{'variant':'fused','passes':true,'cell':'lstm','batch':1,'train':false,'median':1},"
    "{'variant':'fused','passes':true,'cell':'lstm','batch':8,'train':false,'median':2},"
    "{'variant':'fused','passes':false,'cell':'lstm','batch':1,'train':false,'median':3},"
    "{'variant':'fused','passes':false,'cell':'lstm','batch':8,'train':false,'median':4},"
    "{'variant':'fused','passes':true,'cell':'gru','batch':1,'train':false,'median':5},"
    "{'variant':'fused','passes':true,'cell':'gru','batch':8,'train':false,'median':6},"
    "{'variant':'fused','passes':true,'cell':'gru','batch':1,'train':true,'median':7},"
    "{'variant':'fused','passes':true,'cell':'gru','batch':8,'train':true,'median':8}],"
    "'pairs':[]}";

static cJSON *
parse (const char *text)
{
  g_autofree char *quoted = g_strdelimit (g_strdup (text), "'", '"');
  cJSON           *json = cJSON_Parse (quoted);

  g_assert_nonnull (json);
  return json;
}

static const cJSON *
cell (const cJSON *result, int index)
{
  return cJSON_GetArrayItem (cJSON_GetObjectItemCaseSensitive (result, "cells"), index);
}

static void
test_rows_and_sizes (void)
{
  cJSON *result = parse (sizes_text);
  g_autoptr (GPtrArray) rows = scope_cells_list_rows (result);
  g_autoptr (GPtrArray) sizes = scope_cells_list_sizes (result);
  g_autofree char *name = scope_cell_dup_name (rows->pdata[1], result);
  g_autofree char *size = scope_cell_dup_varying_size (sizes->pdata[1], result);
  g_autofree char *whole = scope_cell_dup_size (sizes->pdata[1]);
  const cJSON     *slow, *fast;

  g_assert_true (scope_cells_are_result (result));
  g_assert_cmpuint (rows->len, ==, 2);
  g_assert_cmpuint (sizes->len, ==, 2);
  g_assert_cmpstr (name, ==, "fused, static");
  g_assert_cmpstr (size, ==, "batch 8");
  g_assert_cmpstr (whole, ==, "batch 8, inference");
  g_assert_true (scope_cells_find (result, "fused, static", sizes->pdata[1]) == cell (result, 3));
  g_assert_null (scope_cells_find (result, "while, static", sizes->pdata[1]));
  scope_cells_find_extremes (result, cell (result, 3), &slow, &fast);
  g_assert_true (slow == cell (result, 3));
  g_assert_true (fast == cell (result, 2));
  cJSON_Delete (result);
}

/* The pair's own explanation, in either order; that of the whole result belongs to the first size. */
static void
test_explanations (void)
{
  cJSON       *result = parse (sizes_text), *old;
  const cJSON *found = scope_pair_find_explanation (result, cell (result, 0), cell (result, 1));

  g_assert_cmpfloat (scope_json_get_number (found, "saved"), ==, 1e-3);
  g_assert_true (scope_pair_find_explanation (result, cell (result, 1), cell (result, 0)) == found);
  g_assert_null (scope_pair_find_explanation (result, cell (result, 2), cell (result, 3)));

  old = cJSON_GetArrayItem (cJSON_GetObjectItemCaseSensitive (result, "pairs"), 0);
  cJSON_DeleteItemFromObjectCaseSensitive (old, "explanation");
  found = scope_pair_find_explanation (result, cell (result, 1), cell (result, 0));
  g_assert_cmpfloat (scope_json_get_number (found, "saved"), ==, 7);
  g_assert_null (scope_pair_find_explanation (result, cell (result, 2), cell (result, 3)));
  cJSON_Delete (result);
}

static void
collect_figure (gpointer figures, const ScopeFigure *figure)
{
  g_ptr_array_add (figures, (gpointer) figure);
}

/* Several modes are told apart by title; one mode is not named. */
static void
test_titles (void)
{
  cJSON *one = parse (sizes_text);
  cJSON *two = parse ("{'cells':[{'variant':'fused','mode':'static','median':1},"
                      "{'variant':'fused','mode':'hybrid','median':1}],'pairs':[]}");
  cJSON *recordings = parse (
      "{'cells':[{'variant':'fused','mode':'static','capture':'/tmp/monday.hscope','median':1},"
      "{'variant':null,'capture':'/tmp/tuesday.hscope','median':2}],"
      "'pairs':[{'a':'/tmp/tuesday.hscope','b':'/tmp/monday.hscope'}],"
      "'baseline':['/tmp/monday.hscope']}");
  g_autofree char *plain = scope_cell_dup_title (cell (one, 1), one);
  g_autofree char *with_mode = scope_cell_dup_title (cell (two, 1), two);
  g_autofree char *file = scope_cell_dup_title (cell (recordings, 1), recordings);

  g_assert_cmpstr (plain, ==, "Fused Operator");
  g_assert_cmpstr (with_mode, ==, "Fused Operator, hybrid");
  g_assert_cmpstr (file, ==, "tuesday");
  g_assert_false (scope_cell_has_size (cell (two, 0)));
  g_assert_true (scope_cell_has_size (cell (one, 0)));
  g_assert_nonnull (scope_pair_find (recordings, cell (recordings, 0), cell (recordings, 1)));
  cJSON_Delete (one);
  cJSON_Delete (two);
  cJSON_Delete (recordings);
}

/* Curves are the rows of the table: models, modes and devices have names. */
static void
test_curves_have_the_titles_of_rows (void)
{
  cJSON *result =
      parse ("{'cells':["
             "{'variant':'one as-is','mode':'static','device':'cpu','batch':1,'median':1e-3},"
             "{'variant':'two as-is','mode':'static','device':'cpu','batch':1,'median':2e-3},"
             "{'variant':'two fused','mode':'hybrid','device':'cpu','batch':1,'median':3e-3},"
             "{'variant':'two fused','mode':'hybrid','device':'gpu','batch':1,'median':4e-3},"
             "{'variant':'one as-is','mode':'static','device':'cpu','batch':8,'median':5e-3},"
             "{'variant':'two as-is','mode':'static','device':'cpu','batch':8,'median':6e-3},"
             "{'variant':'two fused','mode':'hybrid','device':'cpu','batch':8,'median':7e-3},"
             "{'variant':'two fused','mode':'hybrid','device':'gpu','batch':8,'median':8e-3}],"
             "'pairs':[{'a':'two as-is, static, cpu','b':'one as-is, static, cpu','batch':1}]}");
  static const char *const titles[] = { "one, static, cpu", "two, static, cpu",
                                        "two, Fused Operator, hybrid, cpu",
                                        "two, Fused Operator, hybrid, gpu" };
  g_autoptr (GPtrArray) figures = g_ptr_array_new ();
  g_autoptr (ScopeSaid) said = scope_said_new ();
  const VizCurveTable *curves;

  scope_result_say_curves (said, result);
  scope_said_walk (said, &(ScopeSaidRenderer){ .figure = collect_figure }, figures);
  g_assert_cmpuint (figures->len, ==, 1);
  curves = ((const ScopeFigure *) figures->pdata[0])->curves;
  g_assert_cmpuint (curves->n_curves, ==, G_N_ELEMENTS (titles));
  for (guint i = 0; i < curves->n_curves; i++)
    {
      g_assert_cmpstr (curves->labels[i], ==, titles[i]);
      g_assert_cmpfloat (curves->y[2 * i], ==, 1e-3 * (i + 1));
      g_assert_cmpfloat (curves->y[2 * i + 1], ==, 1e-3 * (i + 5));
    }
  g_assert_nonnull (scope_pair_find (result, cell (result, 0), cell (result, 1)));
  cJSON_Delete (result);
}

/* A curve shows the sizes of the first cell alone. */
static void
test_curves_say_at_which_size (void)
{
  cJSON *result =
      parse ("{'cells':[{'variant':'fused','batch':1,'length':5,'median':1,'low':0.9,'high':1.2},"
             "{'variant':'fused','batch':4,'length':5,'median':2},"
             "{'variant':'fused','batch':1,'length':20,'median':3}],'pairs':[]}");
  g_autoptr (GPtrArray) figures = g_ptr_array_new ();
  g_autoptr (ScopeSaid) said = scope_said_new ();

  scope_result_say_curves (said, result);
  scope_said_walk (said, &(ScopeSaidRenderer){ .figure = collect_figure }, figures);
  g_assert_cmpuint (figures->len, ==, 2);
  g_assert_cmpstr (((const ScopeFigure *) figures->pdata[0])->title, ==,
                   "Time of a run over its batch (length 5)");
  g_assert_cmpstr (((const ScopeFigure *) figures->pdata[1])->title, ==,
                   "Time of a run over its length (batch 1)");
  /* The interval of a time is drawn where it is known. */
  g_assert_cmpfloat (((const ScopeFigure *) figures->pdata[0])->curves->low[0], ==, 0.9);
  g_assert_cmpfloat (((const ScopeFigure *) figures->pdata[0])->curves->high[0], ==, 1.2);
  g_assert_true (isnan (((const ScopeFigure *) figures->pdata[0])->curves->low[1]));
  cJSON_Delete (result);
}

static void
collect_sentence (gpointer sentences, const char *text, ScopeSaidStyle style G_GNUC_UNUSED)
{
  g_ptr_array_add (sentences, (gpointer) text);
}

/* Sizes that all cells have are not repeated behind each sentence. */
static void
test_sentences_name_what_varies (void)
{
  cJSON *result = parse (
      "{'cells':[{'variant':'fused','mode':'static','batch':1,'length':5,'train':false,'median':1},"
      "{'variant':'foreach','mode':'static','batch':1,'length':5,'train':false,'median':2},"
      "{'variant':'fused','mode':'static','batch':4,'length':5,'train':false,'median':3}],"
      "'pairs':[{'a':'fused, static','b':'foreach, static','batch':1,'length':5,'train':false,"
      "'ratio':0.5,'low':0.4,'high':0.6,'verdict':'faster'}]}");
  g_autoptr (GPtrArray) sentences = g_ptr_array_new ();
  g_autoptr (ScopeSaid) said = scope_said_new ();

  scope_result_say_verdicts (said, result, cell (result, 0));
  scope_said_walk (said, &(ScopeSaidRenderer){ .sentence = collect_sentence }, sentences);
  g_assert_cmpuint (sentences->len, ==, 1);
  g_assert_cmpstr (sentences->pdata[0], ==,
                   "Fused Operator is 2.00 × as fast as Foreach Loop (1.67 – 2.50) · batch 1");
  cJSON_Delete (result);
}

/* Kinds of cells, training and planning without passes have rows, columns and curves of their own. */
static void
test_work_is_told_apart (void)
{
  cJSON                   *result = parse (work_text);
  static const char *const titles[] = { "Fused Operator, LSTM, inference",
                                        "Fused Operator, without passes, LSTM, inference",
                                        "Fused Operator, GRU, inference",
                                        "Fused Operator, GRU, training" };
  g_autoptr (GPtrArray) figures = g_ptr_array_new ();
  g_autoptr (GPtrArray) sizes = scope_cells_list_sizes (result);
  g_autoptr (ScopeSaid) said = scope_said_new ();
  g_autofree char     *size = scope_cell_dup_varying_size (cell (result, 7), result);
  g_autofree char     *whole = scope_cell_dup_size (cell (result, 0));
  const VizCurveTable *curves;

  g_assert_cmpuint (sizes->len, ==, 6);
  g_assert_cmpstr (size, ==, "GRU, batch 8, training");
  g_assert_cmpstr (whole, ==, "LSTM, batch 1, inference");
  scope_result_say_curves (said, result);
  scope_said_walk (said, &(ScopeSaidRenderer){ .figure = collect_figure }, figures);
  g_assert_cmpuint (figures->len, ==, 1);
  curves = ((const ScopeFigure *) figures->pdata[0])->curves;
  g_assert_cmpuint (curves->n_curves, ==, G_N_ELEMENTS (titles));
  for (guint i = 0; i < curves->n_curves; i++)
    {
      g_assert_cmpstr (curves->labels[i], ==, titles[i]);
      g_assert_cmpfloat (curves->y[2 * i], ==, 2 * i + 1);
      g_assert_cmpfloat (curves->y[2 * i + 1], ==, 2 * i + 2);
    }
  cJSON_Delete (result);
}

/* The window says the same about the numbers as hscope, which wrote them. */
static void
test_numbers_are_those_that_were_written (void)
{
  cJSON *pair = parse ("{'ratio':0.5,'low':0.49,'high':0.51,'certain_low':0.4,'certain_high':0.6,"
                       "'verdict':'faster'}");
  cJSON *recordings = parse ("{'ratio':2,'low':1.5,'high':2.5,'verdict':'slower'}");
  cJSON *why = parse ("{'saved':1e-3,'low':9e-4,'high':11e-4,'certain':true,'same_plan':false,"
                      "'has_cause':true,'unexplained':1e-4,'run':1e-3,'buckets':["
                      "{'name':'host and dispatch','seconds':9e-4,'low':8e-4,'high':10e-4}]}");
  cJSON *ladder = parse ("[{'name':'a','seconds':3e-3,'saved':null,'verdict':null},"
                         "{'name':'b','seconds':1e-3,'saved':2e-3,'low':1e-3,'high':3e-3,"
                         "'verdict':'faster'}]");
  g_autoptr (GPtrArray) rungs = scope_rungs_read (ladder);
  const ProfRung  *last = rungs->pdata[1];
  ProfPairing      pairing;
  ProfExplanation  explanation;
  g_autofree char *sentence = NULL, *slower = NULL, *change = NULL, *sum = NULL, *reason = NULL;

  scope_pairing_read (pair, &pairing);
  sentence = scope_say_pair ("A", "B", &pairing);
  g_assert_cmpstr (sentence, ==, "A is 2.00 × as fast as B (1.67 – 2.50)");
  scope_pairing_read (recordings, &pairing);
  slower = scope_say_pair ("A", "B", &pairing);
  g_assert_cmpstr (slower, ==, "B is 2.00 × as fast as A (1.50 – 2.50)");
  change = scope_say_change (&last->saved, last->verdict);
  g_assert_cmpstr (change, ==, "−2.00 ms (−3.00 ms … −1.00 ms)");
  sum = scope_say_rungs (rungs);
  g_assert_true (g_str_has_prefix (sum, "−2.00 ms in all, 0.00 ns"));
  g_assert_true (scope_explanation_read (why, &explanation));
  reason = scope_say_reason (&explanation);
  g_assert_cmpstr (reason, ==, "mostly host and dispatch (90 %)");
  prof_explanation_clear (&explanation);
  g_assert_false (scope_explanation_read (NULL, &explanation));
  prof_explanation_clear (&explanation);
  cJSON_Delete (pair);
  cJSON_Delete (recordings);
  cJSON_Delete (why);
  cJSON_Delete (ladder);
}

/* Other JSON is no result, nor is a list of cells without any. */
static void
test_other_json (void)
{
  static const char *const texts[] = {
    "{}",
    "[]",
    "{'nodes':[]}",
    "{'cells':[],'pairs':[]}",
    "{'cells':[1],'pairs':[]}",
    "{'cells':{},'pairs':[]}",
  };

  g_assert_false (scope_cells_are_result (NULL));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      cJSON *json = parse (texts[i]);

      g_assert_false (scope_cells_are_result (json));
      cJSON_Delete (json);
    }
}

TEST_PROGRAM (test_compare_cells)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/compare-cells/rows-are-forms-and-columns-sizes", test_rows_and_sizes);
  g_test_add_func ("/app/compare-cells/a-pair-has-its-own-explanation", test_explanations);
  g_test_add_func ("/app/compare-cells/titles-tell-rows-apart", test_titles);
  g_test_add_func ("/app/compare-cells/curves-have-the-titles-of-rows",
                   test_curves_have_the_titles_of_rows);
  g_test_add_func ("/app/compare-cells/curves-say-at-which-size", test_curves_say_at_which_size);
  g_test_add_func ("/app/compare-cells/sentences-name-what-varies",
                   test_sentences_name_what_varies);
  g_test_add_func ("/app/compare-cells/cells-and-passes-are-told-apart", test_work_is_told_apart);
  g_test_add_func ("/app/compare-cells/numbers-are-those-that-were-written",
                   test_numbers_are_those_that_were_written);
  g_test_add_func ("/app/compare-cells/other-json-is-no-result", test_other_json);
  return g_test_run ();
}
