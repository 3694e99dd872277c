/* bench-case.c — data of benchmark cases, and cases that run one planned graph.
 *
 * Start at bench_graph_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/bench/bench-case.h"

#include "engine/exec/executor-keep.h"

HybTensor *
bench_fill (const HybShape *shape, BenchFill fill, GError **error)
{
  HybType    type = { *shape, HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, error);
  float     *values;

  if (!tensor)
    return NULL;

  values = hyb_tensor_get_data (tensor);
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    {
      /* The finaliser of MurmurHash3. */
      guint32 x = (guint32) i + fill.seed * 0x9E3779B9u;

      x ^= x >> 16;
      x *= 0x85EBCA6Bu;
      x ^= x >> 13;
      x *= 0xC2B2AE35u;
      x ^= x >> 16;
      values[i] = (float) ((x / 2147483648.0 - 1.0) * fill.scale + fill.offset);
    }
  return tensor;
}

HybTensor *
bench_zeros (const HybShape *shape, GError **error)
{
  HybType type = { *shape, HYB_F32 };

  return hyb_tensor_new_zeros (&type, error);
}

double
bench_checksum (HybTensor *tensor)
{
  gint64 n = hyb_tensor_get_size (tensor);
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    sum += hyb_tensor_get_value (tensor, i) * (double) (1 + i % 7);
  return sum / (double) MAX (n, 1);
}

/* --- Cases that are a graph --- */

typedef struct
{
  BenchCase    parent;
  HybExecutor *executor;
  guint        checked_head;
  guint n_read; /* outputs that every run brings to the host: the model's, not its gradients */
} GraphCase;

static gboolean
graph_run (BenchCase *bench, GError **error)
{
  GraphCase *self = (GraphCase *) bench;

  return hyb_executor_run (self->executor, NULL, error) &&
         hyb_executor_read_outputs (self->executor, 0, self->n_read, error);
}

static HybTensor *
graph_result (BenchCase *bench, GError **error)
{
  GraphCase *self = (GraphCase *) bench;

  return hyb_tensor_ref (hyb_executor_get_output (self->executor, self->checked_head));
}

static void
graph_free (BenchCase *bench)
{
  hyb_executor_free (((GraphCase *) bench)->executor);
  g_free (bench);
}

static gsize
graph_plan_memory (BenchCase *bench)
{
  const HybPlan *plan = hyb_executor_get_plan (((GraphCase *) bench)->executor);

  return plan ? hyb_plan_get_memory (plan) : 0;
}

static const BenchKind graph_kind = { graph_run, graph_result, graph_free, graph_plan_memory };

/* Binds a gradient of ones to every head, and counts them.  The heads of these cases have the shape of the first
 * input. */
static gboolean
bind_head_gradients (HybExecutor *executor, const BenchGraph *graph, guint *n_heads, GError **error)
{
  const HybNodeId *variables;
  guint            n;

  variables = hyb_graph_get_variables (graph->graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph->graph, variables[i])->name;
      g_autoptr (HybTensor) ones = NULL;

      if (!g_str_has_suffix (name, "_head_gradient"))
        continue;
      ones = bench_fill (hyb_tensor_get_shape (graph->values[0]), (BenchFill){ 0, 0, 1 }, error);
      if (!ones || !hyb_executor_bind (executor, name, ones, error))
        return FALSE;
      hyb_executor_set_constant (executor, name, TRUE);
      ++*n_heads;
    }
  return TRUE;
}

BenchCase *
bench_graph_new (const BenchGraph *graph, const BenchOptions *options, GError **error)
{
  HybExecutorOptions executor_options = { .mode = options->mode,
                                          .training = graph->training,
                                          .fold_parameters = !graph->training,
                                          .without = options->without,
                                          .dump_after = options->dump_after,
                                          .gpu = options->gpu };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph->graph, &executor_options);
  guint      n_heads = 0;
  GraphCase *self;

  for (guint i = 0; i < graph->n_values; i++)
    {
      if (!hyb_executor_bind (executor, graph->names[i], graph->values[i], error))
        return NULL;
      hyb_executor_set_constant (executor, graph->names[i], i >= graph->n_inputs);
    }
  if (graph->training && !bind_head_gradients (executor, graph, &n_heads, error))
    return NULL;
  if (!hyb_executor_prepare (executor, error))
    return NULL;

  self = g_new0 (GraphCase, 1);
  self->parent.kind = &graph_kind;
  self->executor = g_steal_pointer (&executor);
  self->checked_head = graph->checked_head;
  self->n_read = graph->training ? n_heads : hyb_executor_n_outputs (self->executor);
  return &self->parent;
}
