/* body-constants.c — constants of bodies as nodes of MXNet.
 *
 * A body has no parameters of its own, and MXNet no node with contents: numbers, arrays of one number and arrays that count are
 * filled, and short arrays are joined of numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered/body-constants.h"

#include "engine/analysis/rewrite.h"
#include "engine/ops/array/constant.h"
#include "engine/variants/lowered/array-pattern.h"

/* Longer arrays are not written number by number. */
#define MAX_JOINED 32

static HybTensor *
get_contents (const HybNode *node)
{
  return hyb_constant_get_contents (node->op, node->params);
}

static gboolean
is_changed (HybGraph *body)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      const HybNode *node = hyb_graph_get_node (body, id);

      if (get_contents (node))
        return TRUE;
      for (guint b = 0; b < node->n_bodies; b++)
        if (is_changed (hyb_graph_get_bodies (body, id)[b]))
          return TRUE;
    }
  return FALSE;
}

static HybValueId
add_filled (HybBuilder *builder, const char *name, const HybType *type, double number)
{
  g_autofree char *shape = hyb_shape_to_string (&type->shape);
  g_autofree char *value = g_strdup_printf ("%.17g", number);

  return hyb_builder_call (builder, "_full",
                           &(HybNodeSpec){
                               .name = name,
                               .attributes =
                                   (const char *const[]){ "dtype", hyb_dtype_name (type->dtype),
                                                          "shape", shape, "value", value, NULL } },
                           NULL);
}

/* An array of one dimension, number by number. */
static HybValueId
add_joined (HybBuilder *builder, const char *name, HybTensor *tensor)
{
  HybType          type = { .shape = hyb_shape_1d (1), .dtype = hyb_tensor_get_dtype (tensor) };
  guint            n = (guint) hyb_tensor_get_size (tensor);
  HybValueId       parts[MAX_JOINED];
  g_autofree char *count = g_strdup_printf ("%u", n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *part = g_strdup_printf ("%s_%u", name, i);

      parts[i] = add_filled (builder, part, &type, hyb_tensor_get_value (tensor, i));
    }
  return hyb_builder_call (builder, "Concat",
                           &(HybNodeSpec){
                               .name = name,
                               .attributes =
                                   (const char *const[]){ "dim", "0", "num_args", count, NULL },
                               .n_inputs = n,
                               .inputs = parts },
                           NULL);
}

/* HYB_NO_ID: no pattern makes the constant. */
static HybValueId
add_constant (HybBuilder *builder, const HybNode *node)
{
  HybTensor       *tensor = get_contents (node);
  const HybType   *type = hyb_tensor_get_type (tensor);
  g_autofree char *inner = g_strconcat (node->name, "_count", NULL);

  if (hyb_tensor_get_size (tensor) == 1)
    return add_filled (builder, node->name, type, hyb_tensor_get_value (tensor, 0));
  if (hyb_array_has_pattern (tensor))
    return hyb_array_add_pattern (builder, (const char *const[]){ node->name, inner }, tensor);
  if (type->shape.rank == 1 && hyb_tensor_get_size (tensor) <= MAX_JOINED)
    return add_joined (builder, node->name, tensor);
  return HYB_NO_ID;
}

/* Copies a node whose bodies are written anew. */
static HybValueId
copy_with_bodies (HybRewrite *rewrite, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (rewrite->from, id);
  g_autoptr (GPtrArray) bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_graph_unref);
  HybNodeSpec spec = { .op = node->op,
                       .type = node->type,
                       .name = node->name,
                       .attributes = node->attributes,
                       .params = hyb_params_ref (node->params),
                       .n_inputs = node->n_inputs,
                       .inputs = hyb_rewrite_inputs (rewrite, id),
                       .n_bodies = node->n_bodies,
                       .n_outputs = node->n_outputs,
                       .key = node->key,
                       .origin_plus_one = node->origin + 1,
                       .line = node->line };

  for (guint b = 0; b < node->n_bodies; b++)
    g_ptr_array_add (bodies,
                     hyb_body_write_constants (hyb_graph_get_bodies (rewrite->from, id)[b]));
  spec.bodies = (HybGraph *const *) bodies->pdata;
  return hyb_builder_output (rewrite->builder, hyb_builder_add (rewrite->builder, &spec, NULL), 0);
}

HybGraph *
hyb_body_write_constants (HybGraph *body)
{
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybRewrite rewrite;

  if (!is_changed (body))
    return hyb_graph_ref (body);
  hyb_rewrite_init (&rewrite, body, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      const HybNode *node = hyb_graph_get_node (body, id);
      HybValueId     value = get_contents (node)  ? add_constant (rewrite.builder, node)
                             : node->n_bodies > 0 ? copy_with_bodies (&rewrite, id)
                                                  : HYB_NO_ID;

      if (value == HYB_NO_ID)
        hyb_rewrite_copy (&rewrite, id);
      for (guint i = 0; value != HYB_NO_ID && i < node->n_outputs; i++)
        g_array_index (map, HybValueId, node->first_output + i) = value + i;
    }
  return hyb_rewrite_finish (&rewrite, NULL);
}
