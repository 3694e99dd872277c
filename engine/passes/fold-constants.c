/* fold-constants.c — the pass that computes constant values while planning.
 *
 * Nodes stay in the graph, but the contents of their values are known from here on, so that a plan
 * has no step for them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/passes/fold-constants.h"

#include "engine/analysis/infer-types.h"
#include "engine/analysis/pass.h"
#include "engine/graph/reach.h"
#include "engine/imperative/imperative.h"

/* A result more than twice as large as its inputs is only kept up to this size, in bytes: large
 * zeros are cheaper to compute than to store. */
#define MAX_GROWTH_BYTES ((gsize) 1 << 20)

/* Known from an earlier pass. */
static gboolean
is_known (const HybNode *node, const guint8 *known)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (!known[node->first_output + i])
      return FALSE;
  return node->n_outputs > 0;
}

/* Adds the size of a value.  FALSE: it is not known. */
static gboolean
add_bytes (const HybType *type, gsize *sum)
{
  gsize bytes;

  return hyb_type_is_known (type) && hyb_shape_bytes (&type->shape, type->dtype, &bytes, NULL) &&
         g_size_checked_add (sum, *sum, bytes);
}

/* known: by value. */
static gboolean
may_fold (const HybGraph *graph, HybNodeId id, const HybType *types, const guint8 *known)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  gsize             bytes_in = 0, bytes_out = 0;

  if (is_known (node, known) || hyb_node_is_variable (node) || hyb_op_needs_compute (node->op) ||
      node->n_bodies > 0 || node->op->mutates != 0 ||
      (node->op->flags & (HYB_OP_RANDOM | HYB_OP_OPAQUE)))
    return FALSE;

  for (guint i = 0; i < node->n_inputs; i++)
    if (!known[inputs[i]] || !add_bytes (&types[inputs[i]], &bytes_in))
      return FALSE;
  for (guint i = 0; i < node->n_outputs; i++)
    if (!add_bytes (&types[node->first_output + i], &bytes_out))
      return FALSE;
  return bytes_out <= MAX_GROWTH_BYTES || bytes_out - MAX_GROWTH_BYTES <= 2 * bytes_in;
}

static void
mark_outputs (const HybNode *node, guint8 *known)
{
  for (guint i = 0; i < node->n_outputs; i++)
    known[node->first_output + i] = TRUE;
}

guint8 *
hyb_fold_find (const HybGraph *graph, const HybType *types, guint8 *known, gboolean training)
{
  g_autofree guint8 *needed = hyb_graph_find_needed (graph, NULL);
  g_autofree guint8 *written = hyb_graph_find_written (graph, training);
  guint8            *folded = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (needed[id] && !written[id] && may_fold (graph, id, types, known))
      {
        folded[id] = TRUE;
        mark_outputs (hyb_graph_get_node (graph, id), known);
      }
  return folded;
}

/* A view of a constant needs no copy. */
static gboolean
fold_as_view (HybGraph *graph, HybNodeId id, HybFacts *facts)
{
  const HybNode      *node = hyb_graph_get_node (graph, id);
  const HybValueId   *inputs = hyb_graph_get_inputs (graph, id);
  g_autofree HybType *room = g_new (HybType, node->n_inputs + node->n_outputs);
  HybCall             call;
  guint               input, i;
  gsize               offset;

  if (!node->op->view)
    return FALSE;

  hyb_call_init (&call, graph, id, facts->types, room);
  for (i = 0; i < node->n_outputs; i++)
    {
      if (!node->op->view (&call, i, &input, &offset))
        break;
      facts->constants[node->first_output + i] =
          hyb_tensor_new_view (facts->constants[inputs[input]], &call.output[i], offset);
    }
  if (i == node->n_outputs)
    return TRUE;

  while (i-- > 0)
    g_clear_pointer (&facts->constants[node->first_output + i], hyb_tensor_unref);
  return FALSE;
}

static gboolean
fold_node (HybGraph *graph, HybNodeId id, HybFacts *facts, GError **error)
{
  const HybNode         *node = hyb_graph_get_node (graph, id);
  const HybValueId      *ids = hyb_graph_get_inputs (graph, id);
  g_autofree HybTensor **inputs = g_new (HybTensor *, MAX (node->n_inputs, 1));
  HybRun                 context = { .training = facts->training, .key = node->key };

  if (fold_as_view (graph, id, facts))
    return TRUE;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = facts->constants[ids[i]];
  return hyb_imperative_node (&(HybImperativeNode){ .graph = graph,
                                                    .id = id,
                                                    .types = facts->types,
                                                    .inputs = inputs,
                                                    .outputs =
                                                        facts->constants + node->first_output },
                              &context, error);
}

/* with_parameters: also fold values that depend on variables with known contents. */
static HybGraph *
fold (HybGraph *graph, HybFacts *facts, gboolean with_parameters, GError **error)
{
  g_autofree guint8 *needed = hyb_graph_find_needed (graph, NULL);
  g_autofree guint8 *written = hyb_graph_find_written (graph, facts->training);
  g_autofree guint8 *known = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      for (guint i = 0; i < node->n_outputs; i++)
        known[node->first_output + i] = facts->constants[node->first_output + i] &&
                                        (with_parameters || !hyb_node_is_variable (node));
      if (needed[id] && !written[id] && may_fold (graph, id, facts->types, known))
        {
          if (!fold_node (graph, id, facts, error))
            return NULL;
          mark_outputs (node, known);
        }
    }

  facts->have |= HYB_FACT_CONSTANTS;
  return hyb_graph_ref (graph);
}

/* Passes that follow count products and readers.  They must find the same as without parameters if kernels are
 * to stay the same; keep-panels folds the rest then. */
static HybGraph *
fold_constants_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  return fold (graph, facts, !facts->same_bytes || facts->for_device, error);
}

/* Values that depend on no variable, such as numbers that a node of an ONNX file generates. */
static HybGraph *
fold_literals_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  return facts->same_bytes ? hyb_graph_ref (graph) : fold (graph, facts, FALSE, error);
}

static HybGraph *
keep_panels_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  return fold (graph, facts, TRUE, error);
}

extern const HybPass hyb_pass_fold_constants;

const HybPass hyb_pass_fold_constants = {
  .name = "fold-constants",
  .doc = "Computes values that depend on constants alone while planning.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .makes_constants = TRUE,
  .run = fold_constants_run,
};

extern const HybPass hyb_pass_fold_literals;

const HybPass hyb_pass_fold_literals = {
  .name = "fold-literals",
  .doc = "Computes values that depend on no variable, for the passes that look for constants.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .makes_constants = TRUE,
  .run = fold_literals_run,
};

extern const HybPass hyb_pass_keep_panels;

const HybPass hyb_pass_keep_panels = {
  .name = "keep-panels",
  .doc = "Packs constant weights while planning instead of in every run.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_MOVEMENT,
  .run = keep_panels_run,
};
