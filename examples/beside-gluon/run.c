/* run.c — opens an export and runs it on one array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <stdio.h>

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) net = hyb_model_open ("net-symbol.json", NULL, HYB_EPOCH_HIGHEST, &error);
  g_autoptr (HybTensorList) inputs = net ? hyb_arrays_read ("in.npz", &error) : NULL;
  g_autoptr (HybTensorList) outputs = inputs ? hyb_model_predict (net, inputs, &error) : NULL;

  if (!outputs)
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  printf ("%.4f\n", hyb_tensor_get_value (hyb_tensor_list_get (outputs, 0)->tensor, 0));
  return 0;
}
