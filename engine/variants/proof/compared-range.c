/* compared-range.c — numbers that a variable is compared with.
 *
 * A switch of a model is such a variable: an example has one setting, and trials have to try others.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/compared-range.h"

#include "engine/variants/node-kind.h"

#include <math.h>

#define MAX_DEPTH 8
/* Taken for a number that is not an attribute. */
#define USUAL_REACH 2

static const char *const comparisons[] = {
  "_greater_scalar", "_greater_equal_scalar", "_lesser_scalar", "_lesser_equal_scalar",
  "_equal_scalar",   "_not_equal_scalar",     "_npi_less",      "_npi_less_equal",
  "_npi_greater",    "_npi_greater_equal",    "_npi_equal",     "_npi_not_equal",
};

static gboolean
is_comparison (const HybNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (comparisons); i++)
    if (node->op == hyb_op_find (comparisons[i]))
      return TRUE;
  return FALSE;
}

static gboolean follow (HybGraph *graph, HybValueId value, guint depth, double *reach);

/* FALSE if a body reads the input in another way. */
static gboolean
follow_into_bodies (HybGraph *graph, HybNodeId id, guint input, guint depth, double *reach)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  for (guint b = 0; b < node->n_bodies; b++)
    {
      HybGraph        *body = hyb_graph_get_bodies (graph, id)[b];
      guint            n;
      const HybNodeId *variables = hyb_graph_get_variables (body, &n);

      for (guint v = 0; v < n; v++)
        if (node->op->body_variable (node->params, node->n_inputs, b, v) == input &&
            (depth >= MAX_DEPTH ||
             !follow (body, hyb_graph_get_node (body, variables[v])->first_output, depth + 1,
                      reach)))
          return FALSE;
    }
  return TRUE;
}

static gboolean
follow (HybGraph *graph, HybValueId value, guint depth, double *reach)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  for (guint u = 0; u < n; u++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, users[u]);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, users[u]);

      if (is_comparison (node))
        *reach = fmax (*reach, fabs (hyb_node_double (node, "scalar", USUAL_REACH)));
      else if (node->n_bodies == 0)
        return FALSE;
      for (guint i = 0; i < node->n_inputs && node->n_bodies > 0; i++)
        if (inputs[i] == value && !follow_into_bodies (graph, users[u], i, depth, reach))
          return FALSE;
    }
  return TRUE;
}

gboolean
hyb_compared_range_find (HybGraph *graph, HybNodeId variable, double *reach)
{
  *reach = -1;
  return follow (graph, hyb_graph_get_node (graph, variable)->first_output, 0, reach) &&
         *reach >= 0;
}
