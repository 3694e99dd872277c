/* fuse-attention.c — the pass that computes attention in blocks of rows.
 *
 * softmax (q kᵀ s + bias, masked) v in pieces writes and reads all scores several times, which are larger than the caches for long
 * sequences; _scaled_attention keeps a block of them.  Scores must have no other reader, so nothing is fused while training: the
 * backward pass reads them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"

#define MAX_PIECES 8

/* Attention that was found, from its last node to its first. */
typedef struct
{
  HybNodeId  pieces[MAX_PIECES]; /* nodes before the last one, which are removed */
  guint      n_pieces;
  HybValueId query, key, value;
  HybValueId bias, mask, hidden; /* HYB_NO_ID: none */
  double     scale;
  gboolean   is_inverted;
} Found;

typedef struct
{
  HybGraph    *graph;
  HybFacts    *facts;
  guint8      *is_head;    /* by value */
  Found      **found;      /* by node: what is computed there */
  guint8      *is_removed; /* by node */
  const HybOp *matmul, *softmax, *where;
} Fusing;

/* --- Matching --- */

static const HybType *
type_of (const Fusing *self, HybValueId value)
{
  return &self->facts->types[value];
}

static gboolean
is_known_float (const Fusing *self, HybValueId value)
{
  const HybType *type = type_of (self, value);

  return type->dtype == HYB_F32 && hyb_type_is_known (type);
}

/* The only reader of value is one node, which can take its place. */
static gboolean
has_one_reader (const Fusing *self, HybValueId value)
{
  guint n;

  hyb_graph_get_users (self->graph, value, &n);
  return n == 1 && !self->is_head[value];
}

/* The node that returns value, if it is a piece: removed with the rest. */
static const HybNode *
piece_of (const Fusing *self, Found *found, HybValueId value)
{
  HybNodeId id = hyb_graph_get_producer (self->graph, value);

  if (!has_one_reader (self, value) || found->n_pieces == MAX_PIECES)
    return NULL;
  found->pieces[found->n_pieces++] = id;
  return hyb_graph_get_node (self->graph, id);
}

static const HybValueId *
inputs_of (const Fusing *self, HybValueId value)
{
  return hyb_graph_get_inputs (self->graph, hyb_graph_get_producer (self->graph, value));
}

/* TRUE if value has the shape of the scores, which the next piece then returns. */
static gboolean
is_scores (const Fusing *self, HybValueId value, const HybShape *scores)
{
  return is_known_float (self, value) && hyb_shape_equal (&type_of (self, value)->shape, scores);
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

/* The number that a constant of one element holds. */
static gboolean
read_number (const Fusing *self, HybValueId value, double *number)
{
  HybTensor *constant = self->facts->constants[value];

  if (!constant || type_of (self, value)->dtype != HYB_F32 || hyb_tensor_get_size (constant) != 1)
    return FALSE;
  *number = hyb_tensor_get_value (constant, 0);
  return TRUE;
}

/* Goes from *value through a choice by a mask to the scores before it. */
static gboolean
match_mask (const Fusing *self, Found *found, const HybShape *scores, HybValueId *value)
{
  const HybValueId *inputs = inputs_of (self, *value);
  guint             chosen = is_scores (self, inputs[1], scores) ? 1 : 2;

  if (!is_scores (self, inputs[chosen], scores) || type_of (self, inputs[0])->dtype != HYB_BOOL ||
      !is_broadcast_to (type_of (self, inputs[0]), scores) ||
      !is_known_float (self, inputs[3 - chosen]) ||
      hyb_shape_size (&type_of (self, inputs[3 - chosen])->shape) != 1 ||
      !piece_of (self, found, *value))
    return FALSE;
  found->mask = inputs[0];
  found->hidden = inputs[3 - chosen];
  found->is_inverted = chosen == 2;
  *value = inputs[chosen];
  return TRUE;
}

static gboolean
is_made_by (const Fusing *self, HybValueId value, const char *const *names)
{
  const HybOp *op =
      hyb_graph_get_node (self->graph, hyb_graph_get_producer (self->graph, value))->op;

  for (; *names; names++)
    if (op == hyb_op_find (*names))
      return TRUE;
  return FALSE;
}

static const char *const sums[] = { "broadcast_add", "elemwise_add", NULL };
static const char *const products[] = { "broadcast_mul", "elemwise_mul", NULL };
static const char *const quotients[] = { "broadcast_div", "elemwise_div", NULL };
static const char *const scalar_products[] = { "_mul_scalar", NULL };
static const char *const scalar_quotients[] = { "_div_scalar", NULL };

/* Goes from *value through a sum to the scores before it: those that a product or a factor of it returns. */
static gboolean
match_bias (const Fusing *self, Found *found, const HybShape *scores, HybValueId *value)
{
  const HybValueId *inputs = inputs_of (self, *value);

  for (guint i = 0; i < 2; i++)
    {
      const HybOp *op =
          hyb_graph_get_node (self->graph, hyb_graph_get_producer (self->graph, inputs[i]))->op;

      if (!is_scores (self, inputs[i], scores) || !is_known_float (self, inputs[1 - i]) ||
          !is_broadcast_to (type_of (self, inputs[1 - i]), scores) ||
          (op != self->matmul && !is_made_by (self, inputs[i], products) &&
           !is_made_by (self, inputs[i], quotients) &&
           !is_made_by (self, inputs[i], scalar_products) &&
           !is_made_by (self, inputs[i], scalar_quotients)))
        continue;
      if (!piece_of (self, found, *value))
        return FALSE;
      found->bias = inputs[1 - i];
      *value = inputs[i];
      return TRUE;
    }
  return FALSE;
}

/* Goes from *value through a factor to the scores before it. */
static gboolean
match_scale (const Fusing *self, Found *found, const HybShape *scores, HybValueId *value)
{
  const HybValueId *inputs = inputs_of (self, *value);
  const HybNode    *node =
      hyb_graph_get_node (self->graph, hyb_graph_get_producer (self->graph, *value));
  gboolean is_product = is_made_by (self, *value, products);
  guint    of = 0;
  double   number;

  if (is_made_by (self, *value, scalar_products))
    number = hyb_params_get_double (node->op->params, node->params, "scalar", 1);
  else if (is_made_by (self, *value, scalar_quotients))
    number = 1 / hyb_params_get_double (node->op->params, node->params, "scalar", 1);
  else if ((is_product || is_made_by (self, *value, quotients)) &&
           read_number (self, inputs[1], &number))
    number = is_product ? number : 1 / number;
  else if (is_product && read_number (self, inputs[0], &number))
    of = 1;
  else
    return FALSE;
  if (!is_scores (self, inputs[of], scores) || !piece_of (self, found, *value))
    return FALSE;
  found->scale = number;
  *value = inputs[of];
  return TRUE;
}

/* TRUE if a plain softmax along the last axis returns value. */
static gboolean
is_softmax (const Fusing *self, HybValueId value)
{
  HybNodeId      id = hyb_graph_get_producer (self->graph, value);
  const HybNode *node = hyb_graph_get_node (self->graph, id);
  int            rank = type_of (self, value)->shape.rank;
  gint64         axis;

  if (node->op != self->softmax || node->n_inputs != 1 ||
      hyb_node_get_attribute (node, "temperature") || !is_known_float (self, value) || rank < 2)
    return FALSE;
  axis = hyb_params_get_int (node->op->params, node->params, "axis", -1);
  return (axis == -1 || axis == rank - 1) &&
         is_scores (self, hyb_graph_get_inputs (self->graph, id)[0], &type_of (self, value)->shape);
}

/* TRUE if the operands are matrices over a batch that is that of the scores, and one of the operands of each axis has its size. */
static gboolean
has_matrices (const Fusing *self, const Found *found, const HybShape *scores)
{
  const HybValueId values[] = { found->query, found->key, found->value };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      const HybShape *shape = &type_of (self, values[i])->shape;

      if (!is_known_float (self, values[i]) || shape->rank != scores->rank)
        return FALSE;
      for (int axis = 0; axis < scores->rank - 2; axis++)
        if (shape->dim[axis] != 1 && shape->dim[axis] != scores->dim[axis])
          return FALSE;
    }
  return TRUE;
}

/* What the product in node id is the end of.  (transfer full) (nullable) */
static Found *
match (const Fusing *self, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (self->graph, id);
  const HybShape   *scores;
  HybValueId        value;
  Found found = { .bias = HYB_NO_ID, .mask = HYB_NO_ID, .hidden = HYB_NO_ID, .scale = 1 };

  if (!is_softmax (self, inputs[0]) || !piece_of (self, &found, inputs[0]))
    return NULL;
  scores = &type_of (self, inputs[0])->shape;
  found.value = inputs[1];
  value = inputs_of (self, inputs[0])[0];
  if (is_made_by (self, value, (const char *const[]){ "_npi_where", NULL }) &&
      !match_mask (self, &found, scores, &value))
    return NULL;
  if (is_made_by (self, value, sums) && !match_bias (self, &found, scores, &value))
    return NULL;
  match_scale (self, &found, scores, &value);
  if (!is_made_by (self, value, (const char *const[]){ "_npi_matmul", NULL }) ||
      !piece_of (self, &found, value))
    return NULL;
  found.query = inputs_of (self, value)[0];
  found.key = inputs_of (self, value)[1];
  return has_matrices (self, &found, scores) ? g_memdup2 (&found, sizeof found) : NULL;
}

static guint
find_all (Fusing *self)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (self->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (self->graph, id);

      if (node->op != self->matmul || !is_known_float (self, node->first_output))
        continue;
      self->found[id] = match (self, id);
      n += self->found[id] != NULL;
      for (guint i = 0; self->found[id] && i < self->found[id]->n_pieces; i++)
        self->is_removed[self->found[id]->pieces[i]] = TRUE;
    }
  return n;
}

/* --- Rewriting --- */

static gboolean
make_attention (const Fusing *self, HybRewrite *rewrite, HybNodeId id, GError **error)
{
  const Found     *found = self->found[id];
  const HybNode   *node = hyb_graph_get_node (self->graph, id);
  char             scale[G_ASCII_DTOSTR_BUF_SIZE];
  const HybValueId values[] = { found->query, found->key,  found->value,
                                found->bias,  found->mask, found->hidden };
  HybValueId       inputs[G_N_ELEMENTS (values)];
  guint            n = 0;
  HybNodeId        made;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (values[i] != HYB_NO_ID)
      inputs[n++] = g_array_index (rewrite->map, HybValueId, values[i]);
  made = hyb_builder_add (rewrite->builder,
                          &(HybNodeSpec){
                              .op = hyb_op_find ("_scaled_attention"),
                              .name = node->name,
                              .attributes =
                                  (const char *[]){
                                      "scale", g_ascii_dtostr (scale, sizeof scale, found->scale),
                                      "has_bias", found->bias != HYB_NO_ID ? "True" : "False",
                                      "has_mask", found->mask != HYB_NO_ID ? "True" : "False",
                                      "is_inverted", found->is_inverted ? "True" : "False", NULL },
                              .n_inputs = n,
                              .inputs = inputs,
                              .key = node->key,
                              .origin_plus_one = node->origin + 1,
                              .line = node->line },
                          error);
  if (made == HYB_NO_ID)
    return FALSE;
  g_array_index (rewrite->map, HybValueId, node->first_output) =
      hyb_builder_output (rewrite->builder, made, 0);
  return TRUE;
}

static HybGraph *
rewrite_all (const Fusing *self, GArray *map, GError **error)
{
  HybRewrite rewrite;

  hyb_rewrite_init (&rewrite, self->graph, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (self->graph); id++)
    if (!self->found[id] && !self->is_removed[id])
      hyb_rewrite_copy (&rewrite, id);
    else if (self->found[id] && !make_attention (self, &rewrite, id, error))
      {
        hyb_rewrite_clear (&rewrite);
        return NULL;
      }
  return hyb_rewrite_finish (&rewrite);
}

static HybGraph *
fuse_attention_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint              n_nodes = MAX (hyb_graph_n_nodes (graph), 1), n_heads;
  const HybValueId  *heads = hyb_graph_get_heads (graph, &n_heads);
  g_autofree guint8 *is_head = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));
  g_autofree guint8 *is_removed = g_new0 (guint8, n_nodes);
  g_autofree Found **found = g_new0 (Found *, n_nodes);
  Fusing             self = { .graph = graph,
                              .facts = facts,
                              .is_head = is_head,
                              .found = found,
                              .is_removed = is_removed,
                              .matmul = hyb_op_find ("_npi_matmul"),
                              .softmax = hyb_op_find ("softmax"),
                              .where = hyb_op_find ("_npi_where") };
  HybGraph          *result;

  if (facts->training || facts->same_bytes)
    return hyb_graph_ref (graph);
  for (guint i = 0; i < n_heads; i++)
    is_head[heads[i]] = TRUE;
  result = find_all (&self) > 0 ? rewrite_all (&self, map, error) : hyb_graph_ref (graph);
  for (guint i = 0; i < n_nodes; i++)
    g_free (found[i]);
  return result;
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
