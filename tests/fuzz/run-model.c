/* run-model.c — a model in any format all the way: reader, doctor, inference, plan, run.
 *
 * Inputs whose shapes are unknown get small ones.  A run is bounded by the size of its variables, by the work
 * that operators state (HybOp.cost), and by the number of operators that ran.  The bytes of the input choose
 * mode, passes, training and gradients, so that the same input always runs the same way.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/touch.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/finding.h"
#include "engine/doctor/diagnose.h"
#include "engine/exec/executor.h"
#include "engine/formats/format.h"
#include "engine/gradient/backward.h"
#include "profiler/summary/cost.h"

#define MAX_VARIABLES (1 << 20) /* bytes of all of them */
#define MAX_MEMORY    (8 << 20) /* bytes of a run */
#define MAX_WORK      2e6       /* operations, and bytes, of one operator that a plan calls */
#define MAX_SPANS     500       /* operators that run */
#define MAX_GUESSES   6         /* shapes that are made up */

const guint fuzz_graph_attempts = 4;

/* One run of a model. */
typedef struct
{
  HybGraph     *graph;
  HybType      *types; /* by value */
  guint32       choices;
  GCancellable *cancellable;
  guint         n_spans;
} Trial;

/* --- Types and values of variables --- */

static gboolean
has_errors (HybModel *model)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (((const HybFinding *) findings->pdata[i])->severity == HYB_SEVERITY_ERROR)
      return TRUE;
  return FALSE;
}

/* Gives the first variable of unknown shape a small one.  FALSE: there is none. */
static gboolean
guess_shape (HybGraph *graph, HybType *types)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      HybShape *shape = &types[hyb_graph_get_node (graph, variables[i])->first_output].shape;

      if (hyb_shape_is_known (shape))
        continue;
      if (shape->rank < 0)
        *shape = hyb_shape_2d (2, 3);
      for (int k = 0; k < shape->rank; k++)
        if (shape->dim[k] < 0)
          shape->dim[k] = 2;
      return TRUE;
    }
  return FALSE;
}

static gboolean
infer_with_guesses (Trial *trial)
{
  gboolean training = (trial->choices & 4) != 0;

  for (guint i = 0; i < MAX_GUESSES; i++)
    {
      if (!hyb_infer_types (trial->graph, trial->types, NULL, training, NULL))
        return FALSE;
      if (!guess_shape (trial->graph, trial->types))
        return TRUE;
    }
  return FALSE;
}

/* Small numbers that differ; 0 and 1 where elements are integers, which may be indices. */
static HybTensor *
make_value (const HybType *type)
{
  HybTensor *tensor = hyb_tensor_new (type, NULL);
  gboolean   is_float = hyb_dtype_is_float (type->dtype);

  for (gint64 i = 0; tensor && i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), type->dtype, (gsize) i,
                          is_float ? (double) (i * 5 % 7) * 0.25 : (double) (i % 2));
  return tensor;
}

static gboolean
bind_values (const Trial *trial, HybExecutor *executor)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (trial->graph, &n);
  gsize            bytes, total = 0;

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (trial->graph, variables[i]);
      const HybType *type = &trial->types[node->first_output];
      HybTensor     *contents = hyb_graph_get_contents (trial->graph, variables[i]);
      g_autoptr (HybTensor) value = contents ? hyb_tensor_ref (contents) : NULL;

      if (!hyb_type_is_known (type) || !hyb_shape_bytes (&type->shape, type->dtype, &bytes, NULL) ||
          bytes > MAX_VARIABLES - total || (!value && !(value = make_value (type))) ||
          !hyb_executor_bind (executor, node->name, value, NULL))
        return FALSE;
      total += bytes;
    }
  return TRUE;
}

/* --- Running --- */

/* Whether some operator states that it needs more work than a quick run may take.  types: by value */
static gboolean
is_too_much (HybGraph *graph, const HybType *types)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      HybCost cost;

      if (prof_cost_of_node (graph, id, types, &cost) &&
          (cost.flops > MAX_WORK || cost.bytes_read + cost.bytes_written > MAX_WORK))
        return TRUE;
    }
  return FALSE;
}

static void
count_span (gpointer data, const HybSpan *span)
{
  Trial *trial = data;

  if (++trial->n_spans == MAX_SPANS)
    g_cancellable_cancel (trial->cancellable);
}

static void
run_graph (Trial *trial)
{
  static const HybMode modes[] = { HYB_MODE_STATIC, HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID,
                                   HYB_MODE_STATIC };
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (GError) error = NULL;
  HybProbe       probe = { .data = trial, .begin = count_span };
  const HybPlan *plan;

  executor = hyb_executor_new (trial->graph, &(HybExecutorOptions){
                                                 .mode = modes[trial->choices & 3],
                                                 .training = (trial->choices & 4) != 0,
                                                 .no_passes = (trial->choices & 8) != 0,
                                                 .fold_parameters = (trial->choices & 16) != 0,
                                                 .memory_limit = MAX_MEMORY,
                                                 .seed = trial->choices,
                                             });
  if (!bind_values (trial, executor))
    return;
  if (!hyb_executor_prepare (executor, &error))
    {
      g_assert_nonnull (error);
      return;
    }
  fuzz_reached (FUZZ_PLANNED);
  plan = hyb_executor_get_plan (executor);
  if (is_too_much (trial->graph, trial->types) ||
      (plan && is_too_much (hyb_plan_get_graph (plan), hyb_plan_get_types (plan))))
    return;
  hyb_executor_set_probe (executor, &probe);
  if (!hyb_executor_run (executor, trial->cancellable, &error))
    {
      g_assert_nonnull (error);
      return;
    }
  fuzz_reached (FUZZ_RAN);
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    fuzz_touch_tensor (hyb_executor_get_output (executor, i));
}

/* Adds gradients of all arguments as outputs.  Without a gradient the graph stays as it is. */
static void
add_gradients (Trial *trial)
{
  guint            n;
  const HybNodeId *arguments = hyb_graph_get_arguments (trial->graph, &n);
  HybGraph        *graph = hyb_graph_with_gradients (trial->graph, n, arguments, NULL);

  if (!graph)
    return;
  hyb_graph_unref (trial->graph);
  trial->graph = graph;
  g_free (trial->types);
  trial->types = hyb_diagnose_new_types (graph);
}

static gboolean
read_model (HybModel *model, GBytes *bytes)
{
  const HybFormat *format = hyb_format_for_graph (hyb_format_of_bytes (bytes));
  g_autoptr (GError) error = NULL;

  if (format->read_graph (model, bytes, "fuzz", &error))
    return TRUE;
  g_assert_nonnull (error);
  return FALSE;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree HybType *types = NULL;
  Trial               trial = { .choices = g_bytes_hash (bytes), .cancellable = cancellable };
  gboolean            is_sound;

  fuzz_begin ();
  if (!read_model (model, bytes))
    return 0;
  is_sound = !has_errors (model);
  types = hyb_diagnose_new_types (hyb_model_get_graph (model));
  hyb_diagnose (model, types);
  if (!is_sound)
    return 0;

  fuzz_reached (FUZZ_READ);
  trial.graph = hyb_graph_ref (hyb_model_get_graph (model));
  trial.types = hyb_diagnose_new_types (trial.graph);
  if (trial.choices & 32)
    add_gradients (&trial);
  if (infer_with_guesses (&trial))
    run_graph (&trial);
  g_free (trial.types);
  hyb_graph_unref (trial.graph);
  return 0;
}
