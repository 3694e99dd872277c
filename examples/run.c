/* run.c — opens a model, runs it on arrays of a file, and writes what it returns.
 *
 * usage: run [MODEL [IN.npz [OUT.npz]]]    Without files a model of the gallery runs on zeros.
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

/* Zeros for the inputs that the model says it usually has. */
static HybTensorList *
new_zeros (HybModel *model)
{
  HybTensorList *inputs = hyb_tensor_list_new ();
  g_auto (GStrv) names = hyb_model_dup_input_names (model);

  for (guint i = 0; names[i]; i++)
    {
      const HybType *type = hyb_model_get_input_type (model, names[i]);
      g_autoptr (HybTensor) zeros = type ? hyb_tensor_new_zeros (type, NULL) : NULL;

      if (zeros)
        hyb_tensor_list_set (inputs, names[i], zeros);
    }
  return inputs;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  g_autoptr (HybModel) model =
      hyb_model_open (argc > 1 ? argv[1] : "gallery:mlp", NULL, HYB_EPOCH_HIGHEST, &error);
  g_autoptr (HybTensorList) inputs = NULL;
  g_autoptr (HybTensorList) outputs = NULL;

  if (!model)
    return fail (error);
  inputs = argc > 2 ? hyb_arrays_read (argv[2], &error) : new_zeros (model);
  outputs = inputs ? hyb_model_predict (model, inputs, &error) : NULL;
  if (!outputs || (argc > 3 && !hyb_arrays_write (outputs, argv[3], &error)))
    return fail (error);
  for (guint i = 0; i < hyb_tensor_list_n (outputs); i++)
    {
      const HybNamedTensor *output = hyb_tensor_list_get (outputs, i);
      g_autofree char      *type = hyb_type_to_string (hyb_tensor_get_type (output->tensor));

      printf ("%s: %s\n", output->name, type);
    }
  return 0;
}
