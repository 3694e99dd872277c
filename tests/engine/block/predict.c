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
  GError        *error = NULL;
  HybModel      *model = hyb_model_open (argv[argc - 1], NULL, HYB_EPOCH_HIGHEST, &error);
  HybType        type = { hyb_shape_2d (1, 20), HYB_F32 };
  HybTensor     *data = hyb_tensor_new_zeros (&type, NULL), *output;
  HybTensorList *inputs = hyb_tensor_list_new (), *outputs;

  if (!model)
    return fail (error);
  ((float *) hyb_tensor_get_data (data))[3] = 1;
  hyb_tensor_list_set (inputs, hyb_model_dup_input_names (model)[0], data);
  outputs = hyb_model_predict (model, inputs, &error);
  if (!outputs)
    return fail (error);
  output = hyb_tensor_list_get (outputs, 0)->tensor;
  for (gint64 i = 0; i < hyb_tensor_get_size (output); i++)
    printf ("%.6g\n", hyb_tensor_get_value (output, i));
  return 0;
}
