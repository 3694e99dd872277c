/* fold-scales.c — the pass that folds products and sums of one number for each channel into the convolution before them.
 *
 * Converters from Caffe write its Scale layers so, and exporters normalisations in pieces.  As with fold-batch-norm, the
 * convolution gets a new weight and bias, which fold-constants computes while planning.  Start at find_scale().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/passes/convolutions.h"
#include "engine/passes/fold-constants.h"
#include "engine/passes/pieces.h"

/* The factors and summands folded into a convolution. */
typedef struct
{
  HybNodeId  convolution;     /* HYB_NO_ID: nothing is folded into this node's value */
  HybNodeId  product, sum;    /* HYB_NO_ID: none; one of them is the last node */
  HybValueId factor, summand; /* likewise */
} Scale;

typedef struct
{
  HybConvolutions convolutions;
  guint8         *is_constant; /* by value: fold-constants computes it */
  Scale          *scales;      /* by node */
  guint8         *is_removed;  /* by node */
} Search;

/* TRUE if value is a constant with one number, or one for each channel of a map. */
static gboolean
is_scale (const Search *search, HybValueId value, const HybShape *map)
{
  const HybType *type = &search->convolutions.facts->types[value];

  if (!search->is_constant[value] || type->dtype != HYB_F32 || !hyb_type_is_known (type) ||
      type->shape.rank > map->rank)
    return FALSE;
  for (int i = 0; i < type->shape.rank; i++)
    {
      gboolean is_channel = i + map->rank - type->shape.rank == 1;

      if (type->shape.dim[i] != 1 && (!is_channel || type->shape.dim[i] != map->dim[1]))
        return FALSE;
    }
  return TRUE;
}

/* The node, one of these operators, that alone reads value and combines it with a scale, which is stored.  HYB_NO_ID if
 * there is none. */
static HybNodeId
find_next (const Search *search, HybValueId value, const char *const *names, HybValueId *scale)
{
  const HybConvolutions *convolutions = &search->convolutions;
  const HybType         *types = convolutions->facts->types;
  HybPieces              pieces = { convolutions->graph, convolutions->facts };
  HybNodeId              id = hyb_convolutions_only_user (convolutions, value);
  const HybNode         *node;
  const HybValueId      *inputs;

  if (id == HYB_NO_ID)
    return HYB_NO_ID;
  node = hyb_graph_get_node (convolutions->graph, id);
  inputs = hyb_graph_get_inputs (convolutions->graph, id);
  if (!hyb_pieces_is_made_by (&pieces, node->first_output, names) || inputs[0] == inputs[1] ||
      !hyb_shape_equal (&types[node->first_output].shape, &types[value].shape))
    return HYB_NO_ID;
  *scale = inputs[inputs[0] == value ? 1 : 0];
  return is_scale (search, *scale, &types[value].shape) ? id : HYB_NO_ID;
}

/* Whether fold-constants computes the weight and bias of a convolution of floats. */
static gboolean
is_foldable (const Search *search, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (search->convolutions.graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (search->convolutions.graph, id);
  HybConvolve       convolve;

  if (!hyb_convolutions_view (&search->convolutions, id, &convolve))
    return FALSE;
  for (guint i = 1; i < node->n_inputs; i++)
    if (!search->is_constant[inputs[i]])
      return FALSE;
  return TRUE;
}

/* Finds a product, a sum, or both, behind the convolution id.  Returns the last node, or HYB_NO_ID. */
static HybNodeId
find_scale (const Search *search, HybNodeId id, Scale *scale)
{
  HybValueId value = hyb_graph_get_node (search->convolutions.graph, id)->first_output;

  if (!is_foldable (search, id))
    return HYB_NO_ID;
  *scale = (Scale){ .convolution = id, .factor = HYB_NO_ID, .summand = HYB_NO_ID };
  scale->product = find_next (search, value, hyb_pieces_products, &scale->factor);
  if (scale->product != HYB_NO_ID)
    value = hyb_graph_get_node (search->convolutions.graph, scale->product)->first_output;
  else
    scale->factor = HYB_NO_ID;
  scale->sum = find_next (search, value, hyb_pieces_sums, &scale->summand);
  if (scale->sum == HYB_NO_ID)
    scale->summand = HYB_NO_ID;
  return scale->sum != HYB_NO_ID ? scale->sum : scale->product;
}

/* --- Rewriting --- */

/* Adds nodes that compute the new weight and bias; the bias is the value after the weight. */
static HybValueId
fold (HybRewrite *rewrite, HybNodeId last, const Scale *scale)
{
  const HybNode    *convolution = hyb_graph_get_node (rewrite->from, scale->convolution);
  const HybValueId *operands = hyb_graph_get_inputs (rewrite->from, scale->convolution);
  HybValueId        old[] = { operands[1], convolution->n_inputs > 2 ? operands[2] : HYB_NO_ID,
                              scale->factor, scale->summand };
  HybValueId        inputs[G_N_ELEMENTS (old)];
  const char       *attributes[] = { "has_bias",    old[1] != HYB_NO_ID ? "True" : "False",
                                     "has_factor",  old[2] != HYB_NO_ID ? "True" : "False",
                                     "has_summand", old[3] != HYB_NO_ID ? "True" : "False",
                                     NULL };
  guint             n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (old); i++)
    if (old[i] != HYB_NO_ID)
      inputs[n++] = hyb_rewrite_value (rewrite, old[i]);
  return hyb_convolutions_add (rewrite, last,
                               &(HybNodeSpec){ .op = hyb_op_find ("_fold_scale"),
                                               .name = "_fold",
                                               .n_inputs = n,
                                               .inputs = inputs,
                                               .attributes = attributes });
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Search *search = data;
  const Scale  *scale = &search->scales[id];

  if (scale->convolution != HYB_NO_ID)
    hyb_convolutions_replace (rewrite, scale->convolution, id, fold (rewrite, id, scale));
  else if (!search->is_removed[id])
    hyb_rewrite_copy (rewrite, id);
}

/* Marks the values that are known while planning, and those computed from them. */
static guint8 *
find_constants (HybGraph *graph, const HybFacts *facts)
{
  guint8 *is_constant = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));

  for (HybValueId value = 0; value < hyb_graph_n_values (graph); value++)
    is_constant[value] = facts->constants[value] != NULL;
  g_free (hyb_fold_find (graph, facts->types, is_constant, facts->training));
  return is_constant;
}

static HybGraph *
fold_scales_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint              n_nodes = MAX (hyb_graph_n_nodes (graph), 1), n = 0;
  g_autofree Scale  *scales = g_new (Scale, n_nodes);
  g_autofree guint8 *is_removed = g_new0 (guint8, n_nodes);
  g_autofree guint8 *is_constant = NULL;
  Search             search = { .scales = scales, .is_removed = is_removed };
  HybGraph          *result;

  if (facts->training || facts->same_bytes)
    return hyb_graph_ref (graph);
  search.is_constant = is_constant = find_constants (graph, facts);
  hyb_convolutions_init (&search.convolutions, graph, facts);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    scales[id].convolution = HYB_NO_ID;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      Scale     scale;
      HybNodeId last = find_scale (&search, id, &scale);

      if (last == HYB_NO_ID)
        continue;
      /* The new convolution replaces the last node; the nodes before it have no other reader. */
      scales[last] = scale;
      is_removed[id] = TRUE;
      if (scale.product != HYB_NO_ID && scale.product != last)
        is_removed[scale.product] = TRUE;
      n++;
    }
  result = n > 0 ? hyb_rewrite_graph (graph, visit, &search, map, error) : hyb_graph_ref (graph);
  hyb_convolutions_clear (&search.convolutions);
  return result;
}

extern const HybPass hyb_pass_fold_scales;

const HybPass hyb_pass_fold_scales = {
  .name = "fold-scales",
  .doc = "Folds constant factors and summands of channels into the convolution before them.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = fold_scales_run,
};
