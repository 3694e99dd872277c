/* files.c — small ONNX files with what another program computed from them, for tests.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/onnx/files.h"

#include "engine/base/parallel.h"
#include "engine/exec/executor.h"
#include "engine/formats/npz.h"
#include "engine/open/open.h"

#include <math.h>

HybModel *
files_open (const char *folder, const char *name)
{
  g_autofree char *file =
      g_strdup_printf ("%s/tests/data/onnx/%s/%s.onnx", SOURCE_ROOT, folder, name);
  g_autoptr (GError) error = NULL;
  HybModel *model = hyb_model_open (file, NULL, -1, &error);

  g_assert_no_error (error);
  return model;
}

static HybTensorList *
read_arrays (const char *folder, const char *name)
{
  g_autofree char *file =
      g_strdup_printf ("%s/tests/data/onnx/%s/%s.npz", SOURCE_ROOT, folder, name);
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

      g_assert_true (hyb_executor_bind (executor, name,
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

      if (!(fabs (x - y) <= 1e-6 + 1e-5 * fabs (y)))
        g_error ("%s: element %d is %.9g instead of %.9g", name, (int) i, x, y);
    }
}

static void
run_case (const char *folder, const char *name, const HybExecutorOptions *options)
{
  g_autoptr (HybModel) model = files_open (folder, name);
  g_autoptr (HybTensorList) arrays = read_arrays (folder, name);
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

          check_output (name, hyb_executor_get_output (executor, i),
                        hyb_tensor_list_find (arrays, key));
        }
    }
}

void
files_run (const char *folder, const char *name)
{
  static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID, HYB_MODE_STATIC };

  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    for (guint threads = 1; threads <= 2; threads++)
      {
        hyb_parallel_set_threads (threads);
        run_case (folder, name, &(HybExecutorOptions){ .mode = modes[m] });
        run_case (folder, name, &(HybExecutorOptions){ .mode = modes[m], .no_passes = TRUE });
      }
}
