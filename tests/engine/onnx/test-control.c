/* test-control.c — tests of If, Loop and Scan: numbers that ONNX Runtime computed, in every mode, and what nodes are
 * lowered to, and what is left out of that.
 *
 * tests/data/onnx/control has a model and its arrays for each case; make-control.py beside it writes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/lower/infer-lowered.h"
#include "engine/variants/lowered/trimmed.h"
#include "tests/engine/onnx/files.h"
#include "tests/program.h"

static const char *const cases[] = {
  "data-dependent",  "if-sign",     "if-sizes",      "loop-counter", "loop-growing",
  "loop-limit",      "loop-nested", "loop-no-steps", "loop-slices",  "loop-limit-input",
  "loop-limit-zero", "loop-until",  "loop-while",    "scan-axes",    "scan-sum",
  "unused",          "loop-before", "list-steps",    "list-while",   "lists",
};

static void
test_numbers_are_those_of_onnx_runtime (gconstpointer data)
{
  files_run ("control", data);
}

/* --- What a node is lowered to --- */

static gboolean
has_operator (HybGraph *graph, const char *op)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (node->op && g_str_equal (node->op->name, op))
        return TRUE;
    }
  return FALSE;
}

static HybLowered *
lower_case (const char *name)
{
  g_autoptr (HybModel) model = files_open ("control", name);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = g_new (HybType, hyb_graph_n_values (graph));

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  return hyb_lowered_new (graph, types);
}

/* A case and the control flow operator in what it is lowered to; NULL: there is none. */
typedef struct
{
  const char *name, *op;
} Form;

static const Form forms[] = {
  { "loop-limit", "_foreach" },  { "loop-counter", "_foreach" },  { "loop-before", "_foreach" },
  { "loop-nested", "_foreach" }, { "loop-growing", NULL },        { "loop-slices", NULL },
  { "loop-no-steps", NULL },     { "loop-until", "_while_loop" }, { "loop-while", "_while_loop" },
  { "scan-sum", "_foreach" },    { "if-sign", "_cond" },
};

static void
test_the_number_of_steps_decides_the_form (void)
{
  static const char *const control[] = { "_foreach", "_while_loop", "_cond" };

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (HybLowered) lowered = lower_case (forms[i].name);

      g_test_message ("%s", forms[i].name);
      for (guint c = 0; c < G_N_ELEMENTS (control); c++)
        g_assert_cmpint (has_operator (lowered->graph, control[c]), ==,
                         g_strcmp0 (control[c], forms[i].op) == 0);
    }
}

/* tensorflow-onnx hands the number of steps from step to step; only the steps' own states are left. */
static void
test_states_that_only_compute_themselves_are_left_out (void)
{
  g_autoptr (HybModel) model = files_open (".", "keras-gru");
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_model_new_types (model);
  g_autoptr (HybLowered) lowered = NULL;
  g_auto (HybTrimmed) trimmed = { 0 };
  guint             n;
  const HybValueId *heads;

  types[hyb_graph_get_node (graph, hyb_graph_find_variable (graph, "x0"))->first_output].shape =
      hyb_shape_3d (2, 5, 4);
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  lowered = hyb_lowered_new (graph, types);
  hyb_lowered_trim (&trimmed, lowered);
  g_assert_true (has_operator (trimmed.graph, "_foreach"));
  g_assert_cmpuint (hyb_graph_n_values (trimmed.graph), <, hyb_graph_n_values (lowered->graph));
  heads = hyb_graph_get_heads (trimmed.graph, &n);
  for (guint i = 0; i < n; i++)
    g_assert_true (hyb_type_is_known (&trimmed.types[heads[i]]));
}

TEST_PROGRAM (test_control)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/onnx/control/numbers/%s", cases[i]);

      g_test_add_data_func (path, cases[i], test_numbers_are_those_of_onnx_runtime);
    }
  g_test_add_func ("/engine/onnx/control/the_number_of_steps_decides_the_form",
                   test_the_number_of_steps_decides_the_form);
  g_test_add_func ("/engine/onnx/control/states_that_only_compute_themselves_are_left_out",
                   test_states_that_only_compute_themselves_are_left_out);

  return g_test_run ();
}
