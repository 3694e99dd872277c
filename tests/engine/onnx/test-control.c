/* test-control.c — tests of If, Loop and Scan: numbers that ONNX Runtime computed, in every mode, and what nodes are
 * lowered to.
 *
 * tests/data/onnx/control has a model and its arrays for each case; make-control.py beside it writes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/base/parallel.h"
#include "engine/exec/executor.h"
#include "engine/formats/npz.h"
#include "engine/lower/infer-lowered.h"
#include "engine/open/open.h"
#include "tests/program.h"

#include <math.h>

static const char *const cases[] = {
  "data-dependent", "if-sign",     "if-sizes",      "loop-counter", "loop-growing",
  "loop-limit",     "loop-nested", "loop-no-steps", "loop-slices",  "loop-limit-input",
  "loop-until",     "loop-while",  "scan-axes",     "scan-sum",     "unused",
};

static HybModel *
open_case (const char *name)
{
  g_autofree char *file = g_strdup_printf ("%s/tests/data/onnx/control/%s.onnx", SOURCE_ROOT, name);
  g_autoptr (GError) error = NULL;
  HybModel *model = hyb_model_open (file, NULL, -1, &error);

  g_assert_no_error (error);
  return model;
}

/* --- Numbers --- */

static HybTensorList *
read_arrays (const char *name)
{
  g_autofree char *file = g_strdup_printf ("%s/tests/data/onnx/control/%s.npz", SOURCE_ROOT, name);
  g_autoptr (GError) error = NULL;
  HybTensorList *arrays = hyb_npz_read_file (file, &error);

  g_assert_no_error (error);
  return arrays;
}

static void
bind_all (HybExecutor *executor, HybModel *model, HybTensorList *arrays)
{
  guint            n;
  HybGraph        *graph = hyb_model_get_graph (model);
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *given = hyb_tensor_list_find (arrays, name);

      g_assert_true (hyb_executor_bind (executor,
                                        name,
                                        given ? given : hyb_model_get_parameter (model, name),
                                        NULL));
    }
}

static void
check_output (const char *name, HybTensor *got, HybTensor *expected)
{
  g_autofree char *got_type = hyb_type_to_string (hyb_tensor_get_type (got));
  g_autofree char *type = hyb_type_to_string (hyb_tensor_get_type (expected));

  g_assert_cmpstr (got_type, ==, type);
  for (gint64 i = 0; i < hyb_tensor_get_size (expected); i++)
    {
      double x = hyb_tensor_get_value (got, i), y = hyb_tensor_get_value (expected, i);

      if (fabs (x - y) > 1e-6 + 1e-5 * fabs (y))
        g_error ("%s: element %d is %.9g instead of %.9g", name, (int) i, x, y);
    }
}

static void
run_case (const char *name, const HybExecutorOptions *options)
{
  g_autoptr (HybModel) model = open_case (name);
  g_autoptr (HybTensorList) arrays = read_arrays (name);
  g_autoptr (HybExecutor) executor = hyb_executor_new (hyb_model_get_graph (model), options);
  g_autoptr (GError) error = NULL;

  bind_all (executor, model, arrays);
  /* The second run uses what the first one planned. */
  for (guint run = 0; run < 2; run++)
    {
      hyb_executor_run (executor, NULL, &error);
      if (error)
        g_error ("%s: %s", name, error->message);
      for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
        {
          g_autofree char *key = g_strdup_printf ("=%u", i);

          check_output (name,
                        hyb_executor_get_output (executor, i),
                        hyb_tensor_list_find (arrays, key));
        }
    }
}

static void
test_numbers_are_those_of_onnx_runtime (gconstpointer data)
{
  static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID, HYB_MODE_STATIC };

  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    for (guint threads = 1; threads <= 2; threads++)
      {
        hyb_parallel_set_threads (threads);
        run_case (data, &(HybExecutorOptions){ .mode = modes[m] });
        run_case (data, &(HybExecutorOptions){ .mode = modes[m], .no_passes = TRUE });
      }
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
  g_autoptr (HybModel) model = open_case (name);
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
  { "loop-limit", "_foreach" },    { "loop-counter", "_foreach" },  { "loop-nested", "_foreach" },
  { "loop-growing", NULL },        { "loop-slices", NULL },         { "loop-no-steps", NULL },
  { "loop-until", "_while_loop" }, { "loop-while", "_while_loop" }, { "scan-sum", "_foreach" },
  { "if-sign", "_cond" },
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
        g_assert_cmpint (has_operator (lowered->graph, control[c]),
                         ==,
                         g_strcmp0 (control[c], forms[i].op) == 0);
    }
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

  return g_test_run ();
}
