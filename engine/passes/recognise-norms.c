/* recognise-norms.c — the pass that computes layer normalisation in one operator.
 *
 * Exporters write it as two means, a difference, a square, a root, and a product and a sum with one number for each column,
 * which go through memory nine times; LayerNorm does it for a row at a time.  Start at match_layer_norm().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/passes/pieces.h"

static const char *const mean[] = { "_npi_mean", NULL };
static const char *const root[] = { "sqrt", NULL };
static const char *const inverse_root[] = { "rsqrt", NULL };
static const char *const inverse[] = { "reciprocal", NULL };

/* TRUE if value is the mean of x over its last axis, which is kept with size 1. */
static gboolean
is_mean_of (const HybPieces *pieces, HybValueId value, HybValueId x)
{
  HybShape want = hyb_pieces_type (pieces, x)->shape;

  if (!hyb_pieces_is_float (pieces, x) || want.rank < 1 || want.dim[want.rank - 1] < 2 ||
      !hyb_pieces_is_made_by (pieces, value, mean) || !hyb_pieces_is_float (pieces, value) ||
      hyb_pieces_inputs (pieces, value)[0] != x)
    return FALSE;
  want.dim[want.rank - 1] = 1;
  return hyb_shape_equal (&hyb_pieces_type (pieces, value)->shape, &want);
}

/* TRUE if value is the square of x, in any spelling. */
static gboolean
is_square_of (const HybPieces *pieces, HybValueId value, HybValueId x)
{
  const HybNode    *node = hyb_pieces_node (pieces, value);
  const HybValueId *inputs;
  double            power;

  if (hyb_node_is_variable (node) || node->n_inputs == 0)
    return FALSE;
  inputs = hyb_pieces_inputs (pieces, value);
  if (inputs[0] != x)
    return FALSE;
  if (hyb_pieces_is_made_by (pieces, value, (const char *const[]){ "square", NULL }))
    return TRUE;
  if (hyb_pieces_is_made_by (pieces, value, hyb_pieces_products))
    return inputs[1] == x;
  if (hyb_pieces_is_made_by (pieces, value, (const char *const[]){ "_power_scalar", NULL }))
    return hyb_params_get_double (node->op->params, node->params, "scalar", 0) == 2;
  return hyb_pieces_is_made_by (pieces, value, (const char *const[]){ "broadcast_power", NULL }) &&
         hyb_pieces_read_number (pieces, inputs[1], &power) && power == 2;
}

/* Goes from *value through the sum with a small number, which is eps, to the variance. */
static gboolean
match_eps (const HybPieces *pieces, HybReplacement *found, HybValueId *value, double *eps)
{
  const HybNode    *node = hyb_pieces_node (pieces, *value);
  const HybValueId *inputs = hyb_pieces_inputs (pieces, *value);
  guint             of = 0;

  if (hyb_pieces_is_made_by (pieces, *value, (const char *const[]){ "_plus_scalar", NULL }))
    *eps = hyb_params_get_double (node->op->params, node->params, "scalar", 0);
  else if (!hyb_pieces_is_made_by (pieces, *value, hyb_pieces_sums))
    return FALSE;
  else if (hyb_pieces_read_number (pieces, inputs[0], eps))
    of = 1;
  else if (!hyb_pieces_read_number (pieces, inputs[1], eps))
    return FALSE;
  hyb_pieces_add (pieces, found, *value);
  *value = inputs[of];
  return *eps >= 0;
}

/* Goes from *value, which is 1 / √variance or √variance, to the operand of the root. */
static gboolean
match_root (const HybPieces *pieces, HybReplacement *found, gboolean is_inverse, HybValueId *value)
{
  if (is_inverse && hyb_pieces_is_made_by (pieces, *value, inverse_root))
    {
      hyb_pieces_add (pieces, found, *value);
      *value = hyb_pieces_inputs (pieces, *value)[0];
      return TRUE;
    }
  if (is_inverse && !hyb_pieces_is_made_by (pieces, *value, inverse))
    return FALSE;
  if (is_inverse)
    {
      hyb_pieces_add (pieces, found, *value);
      *value = hyb_pieces_inputs (pieces, *value)[0];
    }
  if (!hyb_pieces_is_made_by (pieces, *value, root))
    return FALSE;
  hyb_pieces_add (pieces, found, *value);
  *value = hyb_pieces_inputs (pieces, *value)[0];
  return TRUE;
}

/* TRUE if value is (x − mean) / √(variance + eps); *x and *eps are set. */
static gboolean
match_normalised (const HybPieces *pieces,
                  HybReplacement  *found,
                  HybValueId       value,
                  HybValueId      *x,
                  double          *eps)
{
  gboolean          is_inverse = hyb_pieces_is_made_by (pieces, value, hyb_pieces_products);
  const HybValueId *inputs;
  HybValueId        difference, variance, squares;

  if (!is_inverse && !hyb_pieces_is_made_by (pieces, value, hyb_pieces_quotients))
    return FALSE;
  inputs = hyb_pieces_inputs (pieces, value);
  difference = inputs[0];
  variance = inputs[1];
  /* A product may have its factors in either order. */
  if (is_inverse && !hyb_pieces_is_made_by (pieces, difference, hyb_pieces_differences))
    {
      difference = inputs[1];
      variance = inputs[0];
    }
  hyb_pieces_add (pieces, found, value);
  if (!hyb_pieces_is_made_by (pieces, difference, hyb_pieces_differences) ||
      !match_root (pieces, found, is_inverse, &variance) ||
      !match_eps (pieces, found, &variance, eps) || !hyb_pieces_is_made_by (pieces, variance, mean))
    return FALSE;
  /* Left to check: the mean subtracted is the mean of x, and the variance the mean of (x − mean)²,
   * both over the last axis. */
  squares = hyb_pieces_inputs (pieces, variance)[0];
  *x = hyb_pieces_inputs (pieces, difference)[0];
  if (!is_mean_of (pieces, hyb_pieces_inputs (pieces, difference)[1], *x) ||
      !is_mean_of (pieces, variance, squares) || !is_square_of (pieces, squares, difference))
    return FALSE;
  return hyb_pieces_add (pieces, found, variance) && hyb_pieces_add (pieces, found, squares) &&
         hyb_pieces_add (pieces, found, difference) &&
         hyb_pieces_add (pieces, found, hyb_pieces_inputs (pieces, difference)[1]);
}

/* TRUE if value has one float for each column of x. */
static gboolean
is_vector_for (const HybPieces *pieces, HybValueId value, HybValueId x)
{
  const HybShape *shape = &hyb_pieces_type (pieces, value)->shape;
  const HybShape *data = &hyb_pieces_type (pieces, x)->shape;

  return hyb_pieces_is_float (pieces, value) && shape->rank == 1 &&
         shape->dim[0] == data->dim[data->rank - 1];
}

/* The operand of a binary node that is such a vector for the other one, which *other is set to; HYB_NO_ID if none is. */
static HybValueId
vector_of (const HybPieces *pieces, HybValueId value, HybValueId *other)
{
  const HybValueId *inputs = hyb_pieces_inputs (pieces, value);

  for (guint i = 0; i < 2; i++)
    if (hyb_pieces_is_float (pieces, inputs[1 - i]) &&
        hyb_pieces_type (pieces, inputs[1 - i])->shape.rank >= 2 &&
        is_vector_for (pieces, inputs[i], inputs[1 - i]))
      {
        *other = inputs[1 - i];
        return inputs[i];
      }
  return HYB_NO_ID;
}

/* The last node is the sum with beta. */
static gboolean
match_layer_norm (const HybPieces *pieces, HybNodeId id, HybReplacement *found)
{
  HybValueId value = hyb_graph_get_node (pieces->graph, id)->first_output, scaled, normalised;
  HybValueId gamma, beta, x;
  double     eps;
  char       text[G_ASCII_DTOSTR_BUF_SIZE];

  beta = vector_of (pieces, value, &scaled);
  if (beta == HYB_NO_ID || !hyb_pieces_is_made_by (pieces, scaled, hyb_pieces_products))
    return FALSE;
  hyb_pieces_add (pieces, found, scaled);
  gamma = vector_of (pieces, scaled, &normalised);
  if (gamma == HYB_NO_ID || !match_normalised (pieces, found, normalised, &x, &eps))
    return FALSE;
  g_ascii_dtostr (text, sizeof text, eps);
  found->op = "LayerNorm";
  found->attributes =
      g_strdupv ((char *[]){ (char *) "axis", (char *) "-1", (char *) "eps", text, NULL });
  found->inputs[0] = x;
  found->inputs[1] = gamma;
  found->inputs[2] = beta;
  found->n_inputs = 3;
  return TRUE;
}

static HybGraph *
recognise_norms_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  const HybPattern layer_norm = { hyb_pieces_sums, mean, match_layer_norm };

  return hyb_pieces_replace (graph, facts, &layer_norm, map, error);
}

extern const HybPass hyb_pass_recognise_norms;

const HybPass hyb_pass_recognise_norms = {
  .name = "recognise-norms",
  .doc = "Computes layer normalisation that is written in pieces as one operator.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = recognise_norms_run,
};
