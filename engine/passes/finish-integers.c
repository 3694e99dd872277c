/* finish-integers.c — the pass that lets products of integers write scaled floats and add a bias.
 *
 * Exporters write a quantised product as MatMulInteger, Cast, Mul and Add; the product scales sums while they are in the
 * first-level cache:
 *
 *   broadcast_add (broadcast_mul (Cast (_integer_matmul (…)), scale), bias)  →  _integer_matmul (…, scale, bias)
 *
 * scale is one number or one for each column, bias one for each column; without a bias the multiplication is the last node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/op/op-one-of.h"
#include "engine/passes/pieces.h"

static const char *const products[] = { "_integer_matmul", NULL };
static const char *const casts[] = { "Cast", NULL };

/* Whether value is float and is broadcast to the rows of a product of this type: one number, if that is allowed, or one
 * for each column. */
static gboolean
is_by_column (const HybPieces *pieces,
              HybValueId       value,
              const HybType   *product,
              gboolean         may_be_one)
{
  const HybShape *shape = &hyb_pieces_type (pieces, value)->shape, *whole = &product->shape;
  gint64          size;

  if (!hyb_pieces_is_float (pieces, value) || whole->rank < 1 || shape->rank > whole->rank)
    return FALSE;
  size = hyb_shape_size (shape);
  return (size == 1 && may_be_one) || (shape->rank > 0 && size == whole->dim[whole->rank - 1] &&
                                       shape->dim[shape->rank - 1] == size);
}

/* A scaled product. */
typedef struct
{
  HybValueId product, scale;
} Scaled;

/* Whether value is a product, cast to floats and scaled; its nodes but the last one are added to found. */
static gboolean
match_scaled (const HybPieces *pieces, HybValueId value, HybReplacement *found, Scaled *scaled)
{
  const HybValueId *factors;

  if (!hyb_pieces_is_made_by (pieces, value, hyb_pieces_products))
    return FALSE;
  factors = hyb_pieces_inputs (pieces, value);
  for (guint i = 0; i < 2; i++)
    {
      const HybType *type = hyb_pieces_type (pieces, factors[i]);

      if (!hyb_pieces_is_made_by (pieces, factors[i], casts) ||
          !hyb_pieces_is_float (pieces, factors[i]))
        continue;
      scaled->product = hyb_pieces_inputs (pieces, factors[i])[0];
      scaled->scale = factors[1 - i];
      if (hyb_pieces_is_made_by (pieces, scaled->product, products) &&
          hyb_pieces_type (pieces, scaled->product)->dtype == HYB_I32 &&
          hyb_shape_equal (&type->shape, &hyb_pieces_type (pieces, value)->shape) &&
          is_by_column (pieces, scaled->scale, type, TRUE))
        return hyb_pieces_add (pieces, found, factors[i]) &&
               hyb_pieces_add (pieces, found, scaled->product);
    }
  return FALSE;
}

/* The bias that a node adds to a scaled product; HYB_NO_ID if it adds something else. */
static HybValueId
match_sum (const HybPieces *pieces, HybNodeId id, HybReplacement *found, Scaled *scaled)
{
  const HybValueId *inputs = hyb_graph_get_inputs (pieces->graph, id);
  HybValueId        output = hyb_graph_get_node (pieces->graph, id)->first_output;

  for (guint i = 0; i < 2; i++)
    {
      const HybType *type = hyb_pieces_type (pieces, inputs[i]);

      found->n_pieces = 0;
      if (hyb_shape_equal (&type->shape, &hyb_pieces_type (pieces, output)->shape) &&
          match_scaled (pieces, inputs[i], found, scaled) &&
          is_by_column (pieces, inputs[1 - i], type, FALSE))
        return hyb_pieces_add (pieces, found, inputs[i]) ? inputs[1 - i] : HYB_NO_ID;
    }
  return HYB_NO_ID;
}

static gboolean
is_head (HybGraph *graph, HybValueId value)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);

  for (guint i = 0; i < n; i++)
    if (heads[i] == value)
      return TRUE;
  return FALSE;
}

/* Whether the only reader of a value adds a bias to it, so that the reader is the last node. */
static gboolean
is_added_to (const HybPieces *pieces, HybValueId value)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (pieces->graph, value, &n);
  HybReplacement   found = { 0 };
  Scaled           scaled;

  return n == 1 &&
         hyb_op_is_one_of (hyb_graph_get_node (pieces->graph, users[0])->op, hyb_pieces_sums) &&
         match_sum (pieces, users[0], &found, &scaled) != HYB_NO_ID &&
         !is_head (pieces->graph, value);
}

static gboolean
match (const HybPieces *pieces, HybNodeId id, HybReplacement *found)
{
  const HybNode    *node = hyb_graph_get_node (pieces->graph, id);
  HybValueId        bias = HYB_NO_ID;
  const HybValueId *inputs;
  Scaled            scaled;

  if (hyb_op_is_one_of (node->op, hyb_pieces_sums))
    {
      bias = match_sum (pieces, id, found, &scaled);
      if (bias == HYB_NO_ID)
        return FALSE;
    }
  else if (!match_scaled (pieces, node->first_output, found, &scaled) ||
           is_added_to (pieces, node->first_output))
    return FALSE;

  inputs = hyb_pieces_inputs (pieces, scaled.product);
  for (found->n_inputs = 0; found->n_inputs < 4; found->n_inputs++)
    found->inputs[found->n_inputs] = inputs[found->n_inputs];
  found->inputs[found->n_inputs++] = scaled.scale;
  if (bias != HYB_NO_ID)
    found->inputs[found->n_inputs++] = bias;
  found->op = products[0];
  found->attributes = g_new0 (char *, 5);
  found->attributes[0] = g_strdup ("out_type");
  found->attributes[1] = g_strdup ("float32");
  found->attributes[2] = g_strdup ("has_bias");
  found->attributes[3] = g_strdup (bias != HYB_NO_ID ? "True" : "False");
  return TRUE;
}

static HybGraph *
finish_integers_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  static const char *const last[] = { "broadcast_mul", "elemwise_mul", "broadcast_add",
                                      "elemwise_add", NULL };
  static const HybPattern  pattern = { last, products, match };

  return hyb_pieces_replace (graph, facts, &pattern, map, error);
}

extern const HybPass hyb_pass_finish_integers;

const HybPass hyb_pass_finish_integers = {
  .name = "finish-integers",
  .doc = "Lets products of 8-bit integers write scaled floats and add a bias.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = finish_integers_run,
};
