/* unroll.c — how many time steps a loop or fused operator makes.
 *
 * Shapes are preferred; the length that the user gives must agree with them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/unroll.h"

#include "engine/base/error.h"
#include "engine/base/remedy.h"

gboolean
hyb_unroll_length (HybConversion *conversion,
                   HybNodeId      id,
                   HybValueId     data,
                   guint         *n,
                   GError       **error)
{
  const HybNode  *node = hyb_graph_get_node (conversion->graph, id);
  const HybShape *shape = &conversion->types[data].shape;
  gint64          length = conversion->options->length;

  if (shape->rank > 0 && shape->dim[0] > 0)
    {
      if (length > 0 && length != shape->dim[0])
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, node->name,
                             "Leave the length out, or give other inputs",
                             "its data has %" G_GINT64_FORMAT " steps, not %" G_GINT64_FORMAT,
                             shape->dim[0], length);
      length = shape->dim[0];
    }
  if (length < 1 || length > HYB_MAX_UNROLL)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, node->name, NULL,
                    length < 1 ? "the number of steps is not known"
                               : "it makes more than 100000 steps, the most that can be unrolled");
      return hyb_error_add_remedy (error, HYB_REMEDY_LENGTH, NULL);
    }
  *n = (guint) length;
  return TRUE;
}
