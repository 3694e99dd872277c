/* bench-op.c — benchmark cases of a single operator.
 *
 * A case is a row of specs.  Start at bench_op_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/bench/bench-case.h"

#include "engine/graph/builder.h"

#include <string.h>

#define MAX_TENSORS 3

typedef struct
{
  const char *name;
  const char *op;
  const char *attributes[5]; /* key, value, …, NULL */
  guint       n_inputs;      /* how many of the tensors, from the first, are inputs */
  guint       n_tensors;     /* inputs and weights, filled with seeds 1, 2, … */
  HybShape    shape[MAX_TENSORS];
  double      scale[MAX_TENSORS];
} OpSpec;

#define VECTOR(n)           \
  {                         \
    .rank = 1, .dim = { n } \
  }
#define MATRIX(m, n)           \
  {                            \
    .rank = 2, .dim = { m, n } \
  }
#define SQUARE MATRIX (1000, 1000)

static const OpSpec specs[] = {
  { "sgemm-512", "dot", { NULL }, 2, 2, { MATRIX (512, 512), MATRIX (512, 512) }, { 1, 1 } },
  { "sgemm-1024", "dot", { NULL }, 2, 2, { MATRIX (1024, 1024), MATRIX (1024, 1024) }, { 1, 1 } },
  { "sgemv-2048x512",
    "FullyConnected",
    { "no_bias", "True", "num_hidden", "2048", NULL },
    1,
    2,
    { MATRIX (1, 512), MATRIX (2048, 512) },
    { 1, 1 } },
  { "elemwise-add-1e6", "elemwise_add", { NULL }, 2, 2, { SQUARE, SQUARE }, { 1, 1 } },
  { "sigmoid-1e6", "sigmoid", { NULL }, 1, 1, { SQUARE }, { 4 } },
  { "tanh-1e6", "tanh", { NULL }, 1, 1, { SQUARE }, { 4 } },
  { "softmax-1000x1000", "softmax", { NULL }, 1, 1, { SQUARE }, { 4 } },
  { "layernorm",
    "LayerNorm",
    { "eps", "1e-5", NULL },
    1,
    3,
    { SQUARE, VECTOR (1000), VECTOR (1000) },
    { 4, 1, 1 } },
  { "transpose", "transpose", { NULL }, 1, 1, { SQUARE }, { 1 } },
  { "reduce-sum", "sum", { "axis", "1", NULL }, 1, 1, { SQUARE }, { 1 } },
};

#undef VECTOR
#undef MATRIX
#undef SQUARE

void
bench_op_list (GPtrArray *names)
{
  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    g_ptr_array_add (names, g_strdup (specs[i].name));
}

static HybGraph *
op_graph (const OpSpec *spec, const char *const *names, GError **error)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId inputs[MAX_TENSORS], output;

  for (guint i = 0; i < spec->n_tensors; i++)
    inputs[i] = hyb_builder_add_variable (builder, names[i], NULL);
  output = hyb_builder_call (builder, spec->op,
                             &(HybNodeSpec){ .name = "operator",
                                             .n_inputs = spec->n_tensors,
                                             .inputs = inputs,
                                             .attributes = spec->attributes },
                             error);
  if (output == HYB_NO_ID)
    return NULL;
  hyb_builder_add_head (builder, output);
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

static BenchCase *
op_new (const OpSpec *spec, const BenchOptions *options, GError **error)
{
  static const char *const names[MAX_TENSORS] = { "a", "b", "c" };
  HybTensor               *values[MAX_TENSORS] = { NULL };
  BenchGraph graph = { .n_values = spec->n_tensors, .names = names, .values = values };
  BenchCase *bench = NULL;
  g_autoptr (HybGraph) built = op_graph (spec, names, error);
  gboolean is_filled = built != NULL;

  for (guint i = 0; is_filled && i < spec->n_tensors; i++)
    {
      values[i] = bench_fill (&spec->shape[i], (BenchFill){ 1 + i, spec->scale[i], 0 }, error);
      is_filled = values[i] != NULL;
    }
  graph.graph = built;
  graph.n_inputs = spec->n_inputs;
  if (is_filled)
    bench = bench_graph_new (&graph, options, error);
  for (guint i = 0; i < spec->n_tensors; i++)
    g_clear_pointer (&values[i], hyb_tensor_unref);
  return bench;
}

BenchCase *
bench_op_new (const char *name, const BenchOptions *options, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    if (strcmp (specs[i].name, name) == 0)
      return op_new (&specs[i], options, error);
  return NULL;
}
