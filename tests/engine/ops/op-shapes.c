/* op-shapes.c — infers the shapes of a sample from some of them; see op-shapes.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/ops/op-shapes.h"

#include "engine/analysis/infer-types.h"

/* Infers all shapes from that of one value, or from all others, and compares them with the whole ones. */
static void
check_some (const OpCaseGraph *sample, const HybType *whole, HybValueId chosen, gboolean only)
{
  guint               n = hyb_graph_n_values (sample->graph);
  const char         *what = only ? "from only" : "without";
  g_autofree HybType *types = g_memdup2 (whole, n * sizeof *types);
  g_autoptr (GError) error = NULL;

  for (HybValueId v = 0; v < n; v++)
    if ((v == chosen) != only)
      types[v].shape = HYB_SHAPE_UNKNOWN;
  if (!hyb_infer_types (sample->graph, types, NULL, FALSE, &error))
    g_error ("%s the shape of value %u: %s", what, chosen, error->message);
  for (HybValueId v = 0; v < n; v++)
    {
      g_autofree char *inferred = hyb_shape_to_string (&types[v].shape),
                      *is = hyb_shape_to_string (&whole[v].shape);

      if (!hyb_shape_assign (&types[v].shape, &whole[v].shape, NULL))
        g_error ("%s the shape of value %u: value %u is %s, but %s is inferred", what, chosen, v,
                 is, inferred);
    }
}

void
op_check_shapes (const OpCase *this)
{
  g_autoptr (OpCaseGraph) sample = op_case_new_sample (this, FALSE);
  g_autofree HybType *types = op_infer_types (sample->graph, sample->inputs, FALSE, NULL);
  guint               n = hyb_graph_n_values (sample->graph);

  if (!types || this->flags & OP_OTHER_SHAPE)
    return;
  for (HybValueId v = 0; v < n; v++)
    if (!hyb_type_is_known (&types[v])) /* known only when it runs */
      return;
  for (HybValueId v = 0; v < n; v++)
    {
      check_some (sample, types, v, TRUE);
      check_some (sample, types, v, FALSE);
    }
}
