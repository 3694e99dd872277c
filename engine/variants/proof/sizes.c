/* sizes.c — see sizes.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/sizes.h"

#include "engine/variants/node-kind.h"
#include "engine/variants/recognise.h"

#include <math.h>

void
hyb_proof_collect_sizes (HybModel *model, GArray *fixed, double *accumulated)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (HybCells) cells = hyb_cells_find (graph, NULL, NULL);
  double widest = 1, steps = 1;

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      HybTensor *tensor = hyb_model_get_parameter (model, hyb_model_get_parameter_name (model, i));
      const HybShape *shape = hyb_tensor_get_shape (tensor);

      /* A weight is (units, inputs): each element of a product adds up dim[1] terms. */
      if (shape->rank == 2)
        widest = fmax (widest, (double) shape->dim[1]);
    }
  for (guint i = 0; i < cells->chains->len; i++)
    {
      gint64 n = ((const HybChain *) cells->chains->pdata[i])->n_steps;

      steps = fmax (steps, (double) n);
      if (n > 1)
        g_array_append_val (fixed, n);
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      gint64 n = hyb_node_int (hyb_graph_get_node (graph, id), "max_iterations", 0);

      steps = fmax (steps, (double) n);
      if (n > 0)
        g_array_append_val (fixed, n);
    }
  /* A state adds up the products of its step and of all steps before it. */
  *accumulated = fmax (*accumulated, widest * steps);
}

gint64
hyb_proof_find_batch (HybTensorList *values)
{
  gint64 most = 1;

  for (guint i = 0; i < hyb_tensor_list_n (values); i++)
    {
      const HybShape *shape = hyb_tensor_get_shape (hyb_tensor_list_get (values, i)->tensor);

      if (shape->rank >= 2)
        most = MAX (most, shape->dim[0] * shape->dim[1]);
    }
  return most;
}
