/* test-variants.c — converts every recurrent model to every form, as tests/data/variants.json
 * lists.
 *
 * The table has for each golden, file and model of the gallery, and for each form, “converted” or
 * the reason why not. Conversions are proved forward and backward; where all forms are possible,
 * unrolled → foreach → fused → unrolled must end as it began.  Large graphs without weights are
 * only converted: there are small versions of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/depth-first.h"
#include "engine/analysis/pass.h"
#include "engine/variants/proof/prove.h"
#include "tests/engine/variants/converted.h"
#include "tests/engine/variants/listed.h"
#include "tests/program.h"

#include <string.h>

static HybVariant *
convert (HybModel *model, HybTensorList *input, HybForm form, GError **error)
{
  HybConvertOptions options = { .form = form, .input = input };

  return hyb_variant_convert (model, &options, error);
}

static void
check_proof (HybModel *model, const HybVariant *variant, HybTensorList *input)
{
  HybProveOptions options = { .input = input, .variant = variant };
  g_auto (HybProof) proof = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_prove (model, variant->model, &options, &proof, &error));
  g_assert_no_error (error);
  g_assert_true (proof.ok);
  g_assert_true (proof.gradients);
  g_assert_cmpuint (proof.n_inputs, >=, 2);
}

static void
check_matches (HybModel *model, const HybVariant *variant)
{
  guint n_a = hyb_graph_n_nodes (hyb_model_get_graph (model));
  guint n_b = hyb_graph_n_nodes (hyb_model_get_graph (variant->model));

  g_assert_cmpuint (variant->matches->len, >, 0);
  for (guint i = 0; i < variant->matches->len; i++)
    {
      const HybMatch *match = &g_array_index (variant->matches, HybMatch, i);

      g_assert_cmpuint (match->a, <, n_a);
      g_assert_cmpuint (match->b, <, n_b);
    }
}

/* Merges equal nodes, so that two forms can be compared. */
static HybGraph *
merge_equal (HybGraph *graph)
{
  g_autoptr (HybFacts) facts = hyb_facts_new (FALSE);
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (HybGraph) merged = NULL;

  hyb_facts_resize (facts, graph);
  merged = hyb_pass_find ("merge-equal")->run (graph, facts, map, NULL);
  return hyb_graph_depth_first (merged, NULL);
}

/* Nodes and edges without the names of variables. */
static char *
shape_of (HybModel *model)
{
  g_autoptr (HybGraph) graph = merge_equal (hyb_model_get_graph (model));
  GString *text = g_string_new (NULL);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      g_string_append (text, node->op->name);
      for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
        if (!g_str_has_prefix (node->attributes[i], "__"))
          g_string_append_printf (text, " %s=%s", node->attributes[i], node->attributes[i + 1]);
      for (guint i = 0; i < node->n_inputs; i++)
        g_string_append_printf (text, " %u", inputs[i]);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/* Sums of a residual that all steps make alone at first are made for all steps at once
 * when they come back: the same numbers from fewer nodes. */
static const char *const comes_back_smaller[] = { "foreachrnn-stack", NULL };

/* The fused form written out is what comes back after the way through all forms. */
static void
check_round_trip (const char *folder, HybModel *model, HybTensorList *input)
{
  g_autoptr (HybVariant) fused = convert (model, input, HYB_FORM_FUSED, NULL);
  g_autoptr (HybVariant) start = convert (fused->model, input, HYB_FORM_UNROLLED, NULL);
  g_autoptr (HybVariant) loop = convert (start->model, input, HYB_FORM_FOREACH, NULL);
  g_autoptr (HybVariant) again = convert (loop->model, input, HYB_FORM_FUSED, NULL);
  g_autoptr (HybVariant) end = convert (again->model, input, HYB_FORM_UNROLLED, NULL);
  g_autofree char *want = shape_of (start->model);
  g_autofree char *got = shape_of (end->model);

  if (g_strv_contains (comes_back_smaller, folder))
    check_proof (again->model, end, input);
  else
    g_assert_cmpstr (got, ==, want);
}

/* Steps that are not found again once they are written out come back from the other kind of loop.
 */
static void
check_direct_trip (HybModel *model, HybTensorList *input)
{
  g_autoptr (HybVariant) loop = convert (model, input, HYB_FORM_WHILE, NULL);
  g_autoptr (HybVariant) back = convert (loop->model, input, HYB_FORM_FOREACH, NULL);

  g_assert_nonnull (back);
  if (back)
    check_proof (loop->model, back, input);
}

/* Steps of no known cell come back from a loop as they were. */
static void
check_loop_trip (HybModel *model, HybTensorList *input)
{
  g_autoptr (HybVariant) begin = convert (model, input, HYB_FORM_FOREACH, NULL);
  g_autoptr (HybVariant) start = convert (begin->model, input, HYB_FORM_UNROLLED, NULL);
  g_autoptr (HybVariant) loop = convert (start->model, input, HYB_FORM_FOREACH, NULL);
  g_autoptr (HybVariant) end = convert (loop->model, input, HYB_FORM_UNROLLED, NULL);
  g_autofree char *want = shape_of (start->model);
  g_autofree char *got = shape_of (end->model);

  g_assert_cmpstr (got, ==, want);
}

static void
test_folder (gconstpointer data)
{
  const cJSON *row = data, *cell;
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybModel) model = listed_open (row->string, "?hidden=8");
  gboolean has_weights;
  guint    n_converted = 0;
  gboolean is_loop = FALSE, is_direct = FALSE, is_kept = FALSE;

  if (!model)
    {
      g_test_skip ("it is not here");
      return;
    }
  input = listed_input (row->string, model, &has_weights);
  cJSON_ArrayForEach (cell, row)
  {
    const char *expected = cJSON_GetStringValue (cell);
    HybForm     form;
    g_autoptr (GError) error = NULL;
    g_autoptr (HybVariant) variant = NULL;

    g_assert_true (hyb_form_from_name (cell->string, &form));
    variant = convert (model, input, form, &error);
    if (strcmp (expected, "converted") != 0)
      {
        g_assert_null (variant);
        g_assert_cmpstr (error ? error->message : NULL, ==, expected);
        continue;
      }
    g_assert_no_error (error);
    if (!variant)
      continue;
    if (has_weights)
      check_proof (model, variant, input);
    check_matches (model, variant);
    n_converted++;
    is_loop = is_loop || form == HYB_FORM_WHILE;
    is_direct = is_direct || (form == HYB_FORM_WHILE && variant->stages->len == 1);
    is_kept = is_kept || (form == HYB_FORM_WHILE && variant->model == model);
  }
  if (n_converted == HYB_N_FORMS && has_weights)
    check_round_trip (row->string, model, input);
  else if (is_direct && has_weights)
    check_direct_trip (model, input);
  else if (is_loop && has_weights &&
           n_converted > (is_kept ? 1u : 0u)) /* a loop that stays leads nowhere */
    check_loop_trip (model, input);
}

/* One mask a step, for all who read what is left. */
static void
test_dropout_once (void)
{
  g_autoptr (HybModel) model = listed_open ("foreachrnn-stack", NULL);
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybVariant) loop = NULL;
  g_autoptr (HybVariant) fused = NULL;
  gboolean has_weights;

  if (!model)
    {
      g_test_skip ("the golden is not here");
      return;
    }
  input = listed_input ("foreachrnn-stack", model, &has_weights);
  fused = convert (model, input, HYB_FORM_FUSED, NULL);
  loop = convert (fused->model, input, HYB_FORM_FOREACH, NULL);
  g_assert_cmpuint (converted_count_nodes (loop->model, "Dropout"), ==, 1);
  g_clear_pointer (&fused, hyb_variant_free);
  fused = convert (loop->model, input, HYB_FORM_FUSED, NULL);
  g_assert_cmpuint (converted_count_nodes (fused->model, "Dropout"), ==, 4);
}

static void
test_per_layer (void)
{
  g_autoptr (HybModel) model = listed_open ("fused-lstm-l3-bi", NULL);
  g_autoptr (HybTensorList) input = NULL;
  HybConvertOptions options = { .form = HYB_FORM_FUSED, .per_layer = TRUE };
  g_autoptr (HybVariant) variant = NULL;
  gboolean has_weights;

  if (!model)
    {
      g_test_skip ("the golden is not here");
      return;
    }
  input = options.input = listed_input ("fused-lstm-l3-bi", model, &has_weights);
  variant = hyb_variant_convert (model, &options, NULL);
  g_assert_nonnull (variant);
  g_assert_cmpuint (converted_count_nodes (model, "RNN"), ==, 1);
  g_assert_cmpuint (converted_count_nodes (variant->model, "RNN"), ==, 3);
  check_proof (model, variant, input);
}

/* What has no fused form stays, and it is said why. */
static void
test_partial (void)
{
  g_autoptr (HybModel) model = listed_open ("rnn-modifiers-deep", NULL);
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybVariant) variant = NULL;
  GPtrArray *findings;
  gboolean   has_weights, is_said = FALSE;

  if (!model)
    {
      g_test_skip ("the golden is not here");
      return;
    }
  input = listed_input ("rnn-modifiers-deep", model, &has_weights);
  variant = convert (model, input, HYB_FORM_FUSED, NULL);
  g_assert_nonnull (variant);
  g_assert_cmpuint (converted_count_nodes (variant->model, "RNN"), ==, 4);
  findings = hyb_model_get_findings (variant->model);
  for (guint i = 0; i < findings->len; i++)
    is_said = is_said || strstr (((const HybFinding *) findings->pdata[i])->message,
                                 "stays as it is: its step computes “where1” (where)");
  g_assert_true (is_said);
}

static gboolean
is_recurrent (const cJSON *structures)
{
  const cJSON *entry;

  cJSON_ArrayForEach (entry, structures)
  {
    const char *kind = cJSON_GetStringValue (cJSON_GetObjectItem (entry, "kind"));

    if (g_strcmp0 (kind, "branch") != 0)
      return TRUE;
  }
  return FALSE;
}

/* What tests/data/structures.json calls recurrent has a row here. */
static void
test_listed (gconstpointer data)
{
  const cJSON *table = data, *list;
  g_autoptr (cJSON) structures = listed_read ("structures.json");

  cJSON_ArrayForEach (list, structures)
  {
    if (!is_recurrent (list) || cJSON_GetObjectItemCaseSensitive (table, list->string))
      continue;
    g_test_message ("%s is not listed in tests/data/variants.json", list->string);
    g_test_fail ();
  }
}

TEST_PROGRAM (test_variants)
{
  g_autoptr (cJSON) table = listed_read ("variants.json");
  const cJSON *row;

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  cJSON_ArrayForEach (row, table)
  {
    g_autofree char *name = g_strconcat ("/engine/variants/", row->string, NULL);

    g_test_add_data_func (name, row, test_folder);
  }
  g_test_add_func ("/engine/variants/a-stack-becomes-one-operator-a-layer", test_per_layer);
  g_test_add_func ("/engine/variants/what-cannot-be-fused-stays-and-says-why", test_partial);
  g_test_add_func ("/engine/variants/units-are-dropped-once", test_dropout_once);
  g_test_add_data_func ("/engine/variants/everything-recurrent-is-listed", table, test_listed);
  return g_test_run ();
}
