/* convolutions.c — finds convolutions and replaces them with fused ones.
 *
 * Shared by the passes fold-batch-norm, fold-scales, transform-filters and finish-convolutions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/passes/convolutions.h"

#include "engine/analysis/infer-types.h"
#include "engine/graph/reach.h"
#include "engine/ops/convolution/convolution.h"

#include <string.h>

void
hyb_convolutions_init (HybConvolutions *convolutions, HybGraph *graph, HybFacts *facts)
{
  *convolutions = (HybConvolutions){ .graph = graph,
                                     .facts = facts,
                                     .convolution = hyb_op_find ("Convolution"),
                                     .fused = hyb_op_find ("_fused_convolution"),
                                     .is_head = hyb_graph_find_heads (graph) };
}

void
hyb_convolutions_clear (HybConvolutions *convolutions)
{
  g_clear_pointer (&convolutions->is_head, g_free);
}

gboolean
hyb_convolutions_view (const HybConvolutions *convolutions, HybNodeId id, HybConvolve *convolve)
{
  const HybNode    *node = hyb_graph_get_node (convolutions->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (convolutions->graph, id);
  HybType           room[4]; /* at most three inputs, one output */
  HybCall           call;
  const char       *layout;

  if (node->op != convolutions->convolution || node->n_inputs > 3)
    return FALSE;

  layout = hyb_node_get_attribute (node, "layout");
  if (convolutions->facts->types[node->first_output].dtype != HYB_F32 ||
      !hyb_type_is_known (&convolutions->facts->types[node->first_output]) ||
      !hyb_type_is_known (&convolutions->facts->types[inputs[0]]) ||
      (layout && g_str_has_suffix (layout, "C")))
    return FALSE;

  hyb_call_init (&call, convolutions->graph, id, convolutions->facts->types, room);
  *convolve = hyb_convolution_view_call (&call);
  return TRUE;
}

gboolean
hyb_convolutions_is_constant (const HybConvolutions *convolutions, HybValueId value)
{
  HybNodeId    producer = hyb_graph_get_producer (convolutions->graph, value);
  const HybOp *op = hyb_graph_get_node (convolutions->graph, producer)->op;

  return (convolutions->facts->constants[value] && !convolutions->facts->same_bytes) ||
         op == hyb_op_find ("_fold_batch_norm") || op == hyb_op_find ("_fold_scale");
}

HybNodeId
hyb_convolutions_only_user (const HybConvolutions *convolutions, HybValueId value)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (convolutions->graph, value, &n);

  return n == 1 && !convolutions->is_head[value] ? users[0] : HYB_NO_ID;
}

HybValueId
hyb_convolutions_add (HybRewrite *rewrite, HybNodeId origin, const HybNodeSpec *spec)
{
  g_autofree char *name =
      g_strconcat (hyb_graph_get_node (rewrite->from, origin)->name, spec->name, NULL);
  HybNodeSpec full = *spec;

  full.name = name;
  return hyb_rewrite_add (rewrite, origin, &full);
}

/* The convolution's attributes with a bias enabled: a new array of borrowed strings. */
static const char **
attributes_with_bias (const HybNode *node)
{
  GPtrArray *attributes = g_ptr_array_new ();

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (g_strcmp0 (node->attributes[i], "no_bias") != 0)
      {
        g_ptr_array_add (attributes, (gpointer) node->attributes[i]);
        g_ptr_array_add (attributes, (gpointer) node->attributes[i + 1]);
      }
  g_ptr_array_add (attributes, (gpointer) "no_bias");
  g_ptr_array_add (attributes, (gpointer) "False");
  g_ptr_array_add (attributes, NULL);
  return (const char **) g_ptr_array_free (attributes, FALSE);
}

void
hyb_convolutions_replace (HybRewrite *rewrite,
                          HybNodeId   convolution,
                          HybNodeId   last,
                          HybValueId  folded)
{
  const HybNode          *from = hyb_graph_get_node (rewrite->from, convolution);
  HybValueId              data = hyb_graph_get_inputs (rewrite->from, convolution)[0];
  g_autofree const char **attributes = attributes_with_bias (from);
  HybValueId              inputs[] = { hyb_rewrite_value (rewrite, data), folded, folded + 1 };
  HybValueId              value = hyb_rewrite_add (rewrite, convolution,
                                                   &(HybNodeSpec){ .op = from->op,
                                                                   .n_inputs = 3,
                                                                   .inputs = inputs,
                                                                   .attributes = attributes });

  hyb_rewrite_set_value (rewrite, hyb_graph_get_node (rewrite->from, last)->first_output, value);
}

static gboolean
has_flag (const HybNode *node, const char *name)
{
  return hyb_params_get_bool (node->op->params, node->params, name);
}

void
hyb_convolutions_emit (const HybConvolutions *convolutions,
                       HybRewrite            *rewrite,
                       HybNodeId              id,
                       HybNodeId              last,
                       const HybFusion       *fusion)
{
  static const char *const kept[] = {
    "kernel", "stride", "dilate", "pad", "num_filter", "num_group",
  };
  const HybNode    *node = hyb_graph_get_node (convolutions->graph, id);
  const HybValueId *old = hyb_graph_get_inputs (convolutions->graph, id);
  gboolean          has_bias =
      node->op == convolutions->fused ? has_flag (node, "has_bias") : node->n_inputs > 2;
  const char *attributes[2 * (G_N_ELEMENTS (kept) + 5) + 1];
  HybValueId  inputs[4], value;
  guint       n = 0, n_inputs = 0;

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    if (hyb_node_get_attribute (node, kept[i]))
      {
        attributes[n++] = kept[i];
        attributes[n++] = hyb_node_get_attribute (node, kept[i]);
      }
  for (guint i = 0; i < 2 + (guint) has_bias; i++)
    inputs[n_inputs++] = hyb_rewrite_value (rewrite, old[i]);
  if (fusion->weight != HYB_NO_ID)
    inputs[1] = fusion->weight;
  if (fusion->other != HYB_NO_ID)
    inputs[n_inputs++] = fusion->other;

  attributes[n++] = "has_bias";
  attributes[n++] = has_bias ? "True" : "False";
  attributes[n++] = "adds";
  attributes[n++] = fusion->other != HYB_NO_ID ? "True" : "False";
  attributes[n++] = "rectify";
  attributes[n++] = fusion->rectifies ? "True" : "False";
  if (fusion->slope)
    {
      attributes[n++] = "slope";
      attributes[n++] = fusion->slope;
    }
  attributes[n++] = "winograd";
  attributes[n++] = fusion->is_winograd || has_flag (node, "winograd") ? "True" : "False";
  attributes[n] = NULL;
  value = hyb_rewrite_add (rewrite, id,
                           &(HybNodeSpec){ .op = convolutions->fused,
                                           .n_inputs = n_inputs,
                                           .inputs = inputs,
                                           .attributes = attributes });
  hyb_rewrite_set_value (rewrite, hyb_graph_get_node (convolutions->graph, last)->first_output,
                         value);
}
