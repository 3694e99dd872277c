/* fuse-attention.c — the pass that computes attention in blocks of rows.
 *
 * softmax (q kᵀ s + bias, masked) v in pieces writes and reads all scores several times, which are larger than the caches for
 * long sequences; _scaled_attention keeps a block of them.  Start at match_attention().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/passes/pieces.h"

/* The matched nodes, from the last to the first. */
typedef struct
{
  HybValueId bias, mask, hidden; /* HYB_NO_ID: none */
  double     scale;
  gboolean   is_inverted;
} Found;

/* TRUE if value has the shape of the scores, which the next piece then returns. */
static gboolean
is_scores (const HybPieces *pieces, HybValueId value, const HybShape *scores)
{
  return hyb_pieces_is_float (pieces, value) &&
         hyb_shape_equal (&hyb_pieces_type (pieces, value)->shape, scores);
}

/* TRUE if a known shape is broadcast to the scores without making them larger. */
static gboolean
is_broadcast_to (const HybType *type, const HybShape *scores)
{
  if (!hyb_type_is_known (type) || type->shape.rank > scores->rank)
    return FALSE;
  for (int i = 1; i <= type->shape.rank; i++)
    {
      gint64 dim = type->shape.dim[type->shape.rank - i];

      if (dim != 1 && dim != scores->dim[scores->rank - i])
        return FALSE;
    }
  return TRUE;
}

static const char *const matmul[] = { "_npi_matmul", NULL };
static const char *const softmax[] = { "softmax", NULL };
static const char *const where[] = { "_npi_where", NULL };
static const char *const scalar_product[] = { "_mul_scalar", NULL };
static const char *const scalar_quotient[] = { "_div_scalar", NULL };

/* TRUE if a product of matrices returns value, or a factor of it. */
static gboolean
is_product (const HybPieces *pieces, HybValueId value)
{
  return hyb_pieces_is_made_by (pieces, value, matmul) ||
         hyb_pieces_is_made_by (pieces, value, hyb_pieces_products) ||
         hyb_pieces_is_made_by (pieces, value, hyb_pieces_quotients) ||
         hyb_pieces_is_made_by (pieces, value, scalar_product) ||
         hyb_pieces_is_made_by (pieces, value, scalar_quotient);
}

/* Matches one operator between the product q kᵀ and the softmax.  Returns the index of the input with the scores, and
 * stores the other inputs; -1 if the producer of value does not match. */
typedef int (*MatchStep) (const HybPieces *pieces,
                          HybValueId       value,
                          const HybShape  *scores,
                          Found           *found);

/* A choice by a mask between scores and one number. */
static int
match_mask (const HybPieces *pieces, HybValueId value, const HybShape *scores, Found *found)
{
  const HybValueId *inputs = hyb_pieces_inputs (pieces, value);
  int               of;

  if (!hyb_pieces_is_made_by (pieces, value, where))
    return -1;
  of = is_scores (pieces, inputs[1], scores) ? 1 : 2;
  if (!is_scores (pieces, inputs[of], scores) ||
      hyb_pieces_type (pieces, inputs[0])->dtype != HYB_BOOL ||
      !is_broadcast_to (hyb_pieces_type (pieces, inputs[0]), scores) ||
      !hyb_pieces_is_float (pieces, inputs[3 - of]) ||
      hyb_shape_size (&hyb_pieces_type (pieces, inputs[3 - of])->shape) != 1)
    return -1;
  found->mask = inputs[0];
  found->hidden = inputs[3 - of];
  found->is_inverted = of == 2;
  return of;
}

/* A sum with a bias. */
static int
match_bias (const HybPieces *pieces, HybValueId value, const HybShape *scores, Found *found)
{
  const HybValueId *inputs = hyb_pieces_inputs (pieces, value);

  if (!hyb_pieces_is_made_by (pieces, value, hyb_pieces_sums))
    return -1;
  for (int of = 0; of < 2; of++)
    if (is_scores (pieces, inputs[of], scores) && is_product (pieces, inputs[of]) &&
        hyb_pieces_is_float (pieces, inputs[1 - of]) &&
        is_broadcast_to (hyb_pieces_type (pieces, inputs[1 - of]), scores))
      {
        found->bias = inputs[1 - of];
        return of;
      }
  return -1;
}

/* A factor or divisor. */
static int
match_scale (const HybPieces *pieces, HybValueId value, const HybShape *scores, Found *found)
{
  const HybValueId *inputs = hyb_pieces_inputs (pieces, value);
  const HybNode    *node = hyb_pieces_node (pieces, value);
  gboolean          multiplies = hyb_pieces_is_made_by (pieces, value, hyb_pieces_products);
  int               of = 0;
  double            number;

  if (hyb_pieces_is_made_by (pieces, value, scalar_product))
    number = hyb_params_get_double (node->op->params, node->params, "scalar", 1);
  else if (hyb_pieces_is_made_by (pieces, value, scalar_quotient))
    number = 1 / hyb_params_get_double (node->op->params, node->params, "scalar", 1);
  else if ((multiplies || hyb_pieces_is_made_by (pieces, value, hyb_pieces_quotients)) &&
           hyb_pieces_read_number (pieces, inputs[1], &number))
    number = multiplies ? number : 1 / number;
  else if (multiplies && hyb_pieces_read_number (pieces, inputs[0], &number))
    of = 1;
  else
    return -1;
  if (!is_scores (pieces, inputs[of], scores))
    return -1;
  found->scale = number;
  return of;
}

/* Goes from the operand of the softmax to the product q kᵀ, adding the nodes in between to the pattern.  Returns the
 * value at which it stops; its producer is no product if the pattern is not attention. */
static HybValueId
find_product (const HybPieces *pieces,
              HybReplacement  *replacement,
              HybValueId       value,
              const HybShape  *scores,
              Found           *found)
{
  static const MatchStep steps[] = { match_mask, match_bias, match_scale };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      int of = steps[i](pieces, value, scores, found);

      if (of < 0)
        continue;
      hyb_pieces_add (pieces, replacement, value);
      value = hyb_pieces_inputs (pieces, value)[of];
    }
  return value;
}

/* TRUE if a plain softmax along the last axis returns value. */
static gboolean
is_softmax (const HybPieces *pieces, HybValueId value)
{
  const HybNode *node = hyb_pieces_node (pieces, value);
  int            rank = hyb_pieces_type (pieces, value)->shape.rank;
  gint64         axis;

  if (!hyb_pieces_is_made_by (pieces, value, softmax) || node->n_inputs != 1 ||
      hyb_node_get_attribute (node, "temperature") || !hyb_pieces_is_float (pieces, value) ||
      rank < 2)
    return FALSE;
  axis = hyb_params_get_int (node->op->params, node->params, "axis", -1);
  return (axis == -1 || axis == rank - 1) &&
         is_scores (pieces, hyb_pieces_inputs (pieces, value)[0],
                    &hyb_pieces_type (pieces, value)->shape);
}

/* TRUE if the operands are matrices over the batch of the scores, or over a part of it that is repeated. */
static gboolean
has_matrices (const HybPieces *pieces, const HybValueId *operands, const HybShape *scores)
{
  for (guint i = 0; i < 3; i++)
    {
      const HybShape *shape = &hyb_pieces_type (pieces, operands[i])->shape;

      if (!hyb_pieces_is_float (pieces, operands[i]) || shape->rank != scores->rank)
        return FALSE;
      for (int axis = 0; axis < scores->rank - 2; axis++)
        if (shape->dim[axis] != 1 && shape->dim[axis] != scores->dim[axis])
          return FALSE;
    }
  return TRUE;
}

static void
set_replacement (HybReplacement *replacement, const Found *found)
{
  const HybValueId optional[] = { found->bias, found->mask, found->hidden };
  const char      *is_inverted = found->is_inverted ? "True" : "False";
  const char      *has_bias = found->bias != HYB_NO_ID ? "True" : "False";
  const char      *has_mask = found->mask != HYB_NO_ID ? "True" : "False";
  char             scale[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_dtostr (scale, sizeof scale, found->scale);
  replacement->op = "_scaled_attention";
  replacement->attributes = g_strdupv ((char *[]){
      (char *) "scale", scale, (char *) "has_bias", (char *) has_bias, (char *) "has_mask",
      (char *) has_mask, (char *) "is_inverted", (char *) is_inverted, NULL });
  for (guint i = 0; i < G_N_ELEMENTS (optional); i++)
    if (optional[i] != HYB_NO_ID)
      replacement->inputs[replacement->n_inputs++] = optional[i];
}

/* The last node is the product with v. */
static gboolean
match_attention (const HybPieces *pieces, HybNodeId id, HybReplacement *replacement)
{
  const HybValueId *inputs = hyb_graph_get_inputs (pieces->graph, id);
  const HybShape   *scores;
  HybValueId        value;
  Found             found = { HYB_NO_ID, HYB_NO_ID, HYB_NO_ID, 1, FALSE };

  if (!is_softmax (pieces, inputs[0]))
    return FALSE;
  scores = &hyb_pieces_type (pieces, inputs[0])->shape;
  hyb_pieces_add (pieces, replacement, inputs[0]);
  value =
      find_product (pieces, replacement, hyb_pieces_inputs (pieces, inputs[0])[0], scores, &found);
  if (!hyb_pieces_is_made_by (pieces, value, matmul))
    return FALSE;
  hyb_pieces_add (pieces, replacement, value);
  replacement->inputs[0] = hyb_pieces_inputs (pieces, value)[0];
  replacement->inputs[1] = hyb_pieces_inputs (pieces, value)[1];
  replacement->inputs[2] = inputs[1];
  replacement->n_inputs = 3;
  if (!has_matrices (pieces, replacement->inputs, scores))
    return FALSE;
  set_replacement (replacement, &found);
  return TRUE;
}

static const HybPattern attention = { matmul, softmax, match_attention };

static HybGraph *
fuse_attention_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  return hyb_pieces_replace (graph, facts, &attention, map, error);
}

extern const HybPass hyb_pass_fuse_attention;

const HybPass hyb_pass_fuse_attention = {
  .name = "fuse-attention",
  .doc = "Computes attention in blocks of rows, whose scores stay in the caches.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = fuse_attention_run,
};
