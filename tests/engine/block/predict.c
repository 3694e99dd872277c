/* predict.c — the smallest program that opens a model of MXNet and runs it; valid C and C++.
 *
 * test-installed.sh compiles it against the installed headers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <stdio.h>

static int
fail (GError *error)
{
  fprintf (stderr, "%s\n", error->message);
  g_error_free (error);
  return 1;
}

int
main (int argc, char **argv)
{
  GError            *error = NULL;
  HybModel          *model = hyb_model_open (argv[1], NULL, HYB_EPOCH_HIGHEST, &error);
  HybExecutorOptions options = { HYB_MODE_STATIC };
  HybType            type = { hyb_shape_2d (1, 20), HYB_F32 };
  HybTensor         *data = hyb_tensor_new_zeros (&type, NULL), *output;
  HybExecutor       *executor;

  if (!model)
    return fail (error);
  executor = hyb_executor_new (hyb_model_get_graph (model), &options);
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      hyb_executor_bind (executor, name, hyb_model_get_parameter (model, name), NULL);
    }
  ((float *) hyb_tensor_get_data (data))[3] = 1;
  hyb_executor_bind (executor, "data", data, NULL);
  if (!hyb_executor_run (executor, NULL, &error))
    return fail (error);
  output = hyb_executor_get_output (executor, 0);
  for (gint64 i = 0; i < hyb_tensor_get_size (output); i++)
    printf ("%.6g\n", hyb_tensor_get_value (output, i));
  return 0;
}
