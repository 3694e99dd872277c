/* test-operators.c — compares the operators of a GPU with the processor's; see test-operators.h.
 *
 * Each operator gets the GPU opened anew, so that kernels and memory of the last one are freed.  Where
 * numbers differ, the same graph runs with one operator after the other on the host, which shows the wrong
 * one.  Start with scope_test_operators() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/test-operators.h"

#include "app/command/selftest/operator-graph.h"

#include "engine/exec/executor.h"
#include "engine/exec/plan-operators.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const ScopeOperatorTest *test;
  HybGpu                  *gpu;     /* of the current operator */
  const char              *current; /* its name */
  ScopeOperatorResults    *results;
  gint64                   end; /* 0: none */
} Test;

/* One comparison. */
typedef struct
{
  const ScopeOperatorSample *sample;
  ScopeOperatorGraph        *graph;
  HybDType                   dtype; /* that float32 became */
  gboolean                   replays;
} Comparison;

typedef struct
{
  double      size;  /* the largest */
  double      ratio; /* relative to the tolerance; above 1 it is wrong */
  const char *what;  /* else than by its size it differs; NULL: in nothing */
  double      drift; /* between runs whose bytes are not the same; 0: all are */
} Difference;

/* Random numbers that must equal the processor's to the bit; other generators pass through log or
 * cos. */
static const char *const exact_operators[] = {
  "Dropout", "_random_uniform", "_random_uniform_like", "_random_randint", NULL,
};

/* --- Comparing --- */

static double
tolerance_of (const Comparison *comparison, HybDType result)
{
  HybDType     sample = comparison->dtype;
  const HybOp *op = hyb_op_find (comparison->sample->op);

  if (sample == HYB_F16 || result == HYB_F16)
    return op && op->category == HYB_CATEGORY_RECURRENT ? SCOPE_TOLERANCE_F16_STEPS
                                                        : SCOPE_TOLERANCE_F16;
  return sample == HYB_F64 && result != HYB_F32 ? SCOPE_TOLERANCE_F64 : SCOPE_TOLERANCE_F32;
}

/* The largest difference, of numbers above 1 as a part of them. */
static double
find_difference (HybTensor *got, HybTensor *wanted)
{
  const HybType *a = hyb_tensor_get_type (got), *b = hyb_tensor_get_type (wanted);
  double         most = 0;

  if (a->dtype != b->dtype || !hyb_shape_equal (&a->shape, &b->shape))
    return INFINITY;
  for (gint64 k = 0; k < hyb_tensor_get_size (wanted); k++)
    {
      double x = hyb_tensor_get_value (got, k), y = hyb_tensor_get_value (wanted, k);

      if (x == y || (isnan (x) && isnan (y)))
        continue;
      if (!isfinite (x) || !isfinite (y))
        return INFINITY;
      most = MAX (most, fabs (x - y) / MAX (1, fabs (y)));
    }
  return most;
}

static gboolean
have_same_bytes (HybTensor *a, HybTensor *b)
{
  return hyb_tensor_get_bytes (a) == hyb_tensor_get_bytes (b) &&
         memcmp (hyb_tensor_get_data (a), hyb_tensor_get_data (b), hyb_tensor_get_bytes (a)) == 0;
}

static void
compare (const Comparison *comparison, HybTensor *got, HybTensor *wanted, Difference *difference)
{
  double size = find_difference (got, wanted);

  difference->size = MAX (difference->size, size);
  difference->ratio =
      MAX (difference->ratio, size / tolerance_of (comparison, hyb_tensor_get_dtype (wanted)));
  if (comparison->graph->is_random && !have_same_bytes (got, wanted) &&
      g_strv_contains (exact_operators, comparison->sample->op))
    {
      difference->ratio = INFINITY;
      difference->what = "other random bits than";
    }
}

/* --- Running --- */

static HybExecutor *
new_executor (HybGpu *gpu, const ScopeOperatorGraph *graph, GError **error)
{
  HybExecutorOptions options = {
    .mode = HYB_MODE_STATIC, .training = graph->training, .seed = SCOPE_SAMPLE_SEED, .gpu = gpu
  };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph->graph, &options);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph->graph, &n);

  for (guint i = 0; i < n; i++)
    if (!hyb_executor_bind (executor, hyb_graph_get_node (graph->graph, variables[i])->name,
                            graph->inputs->pdata[i], error))
      return NULL;
  return g_steal_pointer (&executor);
}

static gboolean
run (HybExecutor *executor, GError **error)
{
  hyb_executor_set_seed (executor, SCOPE_SAMPLE_SEED);
  return hyb_executor_run (executor, NULL, error) && hyb_executor_finish (executor, error);
}

/* Compares an output of a later run with that of the first.  Other bytes are worth a note, since every sum has its order;
 * they are wrong where the numbers are. */
static void
compare_runs (const Comparison *comparison,
              HybTensor        *later,
              HybTensor        *first,
              Difference       *difference)
{
  Difference drift = { 0 };

  if (have_same_bytes (later, first))
    return;
  compare (comparison, later, first, &drift);
  difference->drift = MAX (difference->drift, MAX (drift.size, G_MINDOUBLE));
  if (drift.ratio <= 1)
    return;
  difference->ratio = INFINITY;
  difference->what = "other numbers in a second run than in the first, beside";
}

/* The second run is recorded and the third replayed: both must give the results of the first. */
static gboolean
replay (HybExecutor *executor, const Comparison *comparison, Difference *difference, GError **error)
{
  guint n = hyb_executor_n_outputs (executor);
  g_autoptr (GPtrArray) first = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (first, hyb_tensor_copy (hyb_executor_get_output (executor, i)));
  for (guint round = 0; round < 2; round++)
    {
      if (!run (executor, error))
        return FALSE;
      for (guint i = 0; i < n; i++)
        compare_runs (comparison, hyb_executor_get_output (executor, i), first->pdata[i],
                      difference);
    }
  return TRUE;
}

/* FALSE and an error if the GPU fails.  names: gets the operators that it computed; (nullable) */
static gboolean
measure (HybGpu           *gpu,
         const Comparison *comparison,
         GHashTable       *names,
         Difference       *difference,
         GError          **error)
{
  const ScopeOperatorGraph *graph = comparison->graph;
  g_autoptr (HybExecutor) executor = new_executor (gpu, graph, error);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph->graph, &n);
  gboolean         is_done;

  *difference = (Difference){ 0 };
  if (!executor)
    return FALSE;
  is_done = run (executor, error);
  if (names)
    hyb_plan_add_device_operators (hyb_executor_get_plan (executor), names);
  for (guint i = 0; is_done && i < graph->outputs->len; i++)
    compare (comparison, hyb_executor_get_output (executor, i), graph->outputs->pdata[i],
             difference);
  for (guint i = 0; is_done && i < n; i++)
    compare (comparison,
             hyb_executor_get_bound (executor,
                                     hyb_graph_get_node (graph->graph, variables[i])->name),
             graph->written->pdata[i], difference);
  return is_done && (!comparison->replays || replay (executor, comparison, difference, error));
}

/* --- Blaming --- */

/* TRUE if all is right where the host computes these operators, except one of them; (nullable).  *is_lost: the
 * GPU fails even so. */
static gboolean
is_right_without (Test             *self,
                  const Comparison *comparison,
                  GHashTable       *operators,
                  gconstpointer     except,
                  gboolean         *is_lost)
{
  g_autoptr (HybGpu) gpu = hyb_gpu_open_with_math (self->test->device, self->test->math, NULL);
  GHashTableIter iter;
  gpointer       op;
  Difference     difference;

  *is_lost = !gpu;
  if (!gpu)
    return FALSE;
  g_hash_table_iter_init (&iter, operators);
  while (g_hash_table_iter_next (&iter, &op, NULL))
    if (op != except)
      hyb_gpu_exclude (gpu, op, "the self-test looks for the wrong operator");
  *is_lost = !measure (gpu, comparison, NULL, &difference, NULL);
  return !*is_lost && difference.ratio <= 1;
}

/* Those of the operators without which all is right: each goes back to the GPU if it may.  (transfer full) */
static GHashTable *
find_wrong (Test *self, const Comparison *comparison, GHashTable *operators, gboolean *is_lost)
{
  GHashTable          *wrong = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree gpointer *list = g_hash_table_get_keys_as_array (operators, NULL);
  gboolean             is_found;

  for (guint i = 0; list[i]; i++)
    g_hash_table_add (wrong, list[i]);
  is_found = is_right_without (self, comparison, wrong, NULL, is_lost);
  for (guint i = 0; is_found && list[i]; i++)
    {
      gboolean fails;

      if (is_right_without (self, comparison, wrong, list[i], &fails))
        g_hash_table_remove (wrong, list[i]);
    }
  return wrong;
}

/* The type of the elements, by which a GPU leaves calls to the host: samples of other types are not converted. */
static HybDType
find_type (const Comparison *comparison)
{
  const GPtrArray *inputs = comparison->graph->inputs;

  for (guint i = 0; i < inputs->len; i++)
    if (hyb_dtype_is_float (hyb_tensor_get_dtype (inputs->pdata[i])))
      return hyb_tensor_get_dtype (inputs->pdata[i]);
  return inputs->len > 0 ? hyb_tensor_get_dtype (inputs->pdata[0]) : comparison->dtype;
}

/* names: the operators that took part.  Where a difference does not come again all are blamed. */
static void
blame (Test *self, const Comparison *comparison, GHashTable *names, double size, const char *why)
{
  gboolean is_lost = FALSE;
  g_autoptr (GHashTable) wrong = find_wrong (self, comparison, names, &is_lost);
  GHashTableIter iter;
  gpointer       op;

  g_hash_table_iter_init (&iter, g_hash_table_size (wrong) > 0 ? wrong : names);
  while (g_hash_table_iter_next (&iter, &op, NULL))
    scope_operator_results_blame (self->results, op, find_type (comparison), size, why);
  if (is_lost)
    self->results->lost = g_strdup (why);
}

static void
count (Test *self, GHashTable *names, double size)
{
  GHashTableIter iter;
  gpointer       op;

  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &op, NULL))
    scope_operator_results_count (self->results, op, 1, size);
}

/* (transfer full) */
static char *
describe_difference (const Comparison *comparison, const Difference *difference)
{
  g_autofree char *size = g_strdup_printf ("a difference of %.3g from", difference->size);

  return g_strdup_printf ("the self-test found %s the processor's, in “%s” of %s in %s",
                          difference->what ? difference->what : size, comparison->sample->name,
                          comparison->sample->op, hyb_dtype_name (comparison->dtype));
}

/* Notes for all operators that took part that runs differed by less than is tolerated. */
static void
note_drift (Test *self, const Comparison *comparison, GHashTable *names, double drift)
{
  g_autofree char *note =
      g_strdup_printf ("runs differ by up to %.3g in “%s” of %s, which is tolerated", drift,
                       comparison->sample->name, comparison->sample->op);
  GHashTableIter iter;
  gpointer       op;

  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &op, NULL))
    scope_operator_results_note (self->results, op, note);
}

static void
test_graph (Test *self, const Comparison *comparison)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;
  Difference       difference;
  gboolean         is_done = measure (self->gpu, comparison, names, &difference, &error);

  if (g_hash_table_size (names) == 0 && is_done)
    return;
  if (g_hash_table_size (names) == 0)
    g_hash_table_add (names, (gpointer) comparison->sample->op);
  count (self, names, is_done ? difference.size : INFINITY);
  if (is_done && difference.drift > 0)
    note_drift (self, comparison, names, difference.drift);
  if (is_done && difference.ratio <= 1)
    return;
  why = is_done ? describe_difference (comparison, &difference)
                : g_strdup_printf ("it failed in the self-test: %s", error->message);
  blame (self, comparison, names, is_done ? difference.size : INFINITY, why);
}

/* --- Samples --- */

/* Forward, and backward where there are gradients. */
static gboolean
test_dtype (Test                      *self,
            const ScopeOperatorSample *sample,
            HybDType                   dtype,
            gboolean                   training,
            GError                   **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (ScopeOperatorGraph) graph = scope_operator_graph_new (sample, dtype, training, &local);
  g_autoptr (ScopeOperatorGraph) backward = NULL;
  Comparison comparison = { .sample = sample, .graph = graph, .dtype = dtype };

  if (local)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (!graph)
    return TRUE;
  comparison.replays = !self->test->quick && dtype == HYB_F32 && !graph->mutates;
  backward = scope_operator_graph_new_backward (sample, graph);
  if (!backward || !self->test->quick) /* whose outputs are among the backward ones */
    test_graph (self, &comparison);
  comparison.graph = backward;
  if (backward && !self->results->lost)
    test_graph (self, &comparison);
  return TRUE;
}

static gboolean
test_sample (Test *self, const ScopeOperatorSample *sample, GError **error)
{
  static const HybDType dtypes[] = { HYB_F32, HYB_F64, HYB_F16 };
  const HybOp          *op = hyb_op_find (sample->op);
  gboolean              trains =
      sample->training_only || op->flags & (HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM);

  for (guint i = 0; i < (self->test->quick ? 1 : G_N_ELEMENTS (dtypes)); i++)
    for (gboolean training = FALSE; training <= trains; training++)
      if (!self->results->lost && !test_dtype (self, sample, dtypes[i], training, error))
        return FALSE;
  self->results->n_samples++;
  return TRUE;
}

/* Opens the GPU for another operator, which frees the memory of the last one. */
static gboolean
begin_operator (Test *self, const char *op, GError **error)
{
  if (self->gpu && g_strcmp0 (self->current, op) == 0)
    return TRUE;
  self->current = op;
  g_clear_pointer (&self->gpu, hyb_gpu_unref);
  self->gpu = hyb_gpu_open_with_math (self->test->device, self->test->math, error);
  return self->gpu != NULL;
}

static gboolean
is_selected (const Test *self, const ScopeOperatorSample *sample, GHashTable *seen)
{
  if (self->test->only && !g_strv_contains ((const char *const *) self->test->only, sample->op))
    return FALSE;
  return hyb_gpu_computes (sample->op) &&
         !(self->test->quick && g_hash_table_contains (seen, sample->op));
}

/* samples: of one category, or of all if it is HYB_N_CATEGORIES. */
static gboolean
test_category (Test *self, GPtrArray *samples, guint category, GHashTable *seen, GError **error)
{
  for (guint i = 0; i < samples->len && !self->results->lost; i++)
    {
      const ScopeOperatorSample *sample = samples->pdata[i];
      const HybOp               *op = hyb_op_find (sample->op);

      if (!op || (category != HYB_N_CATEGORIES && op->category != category) ||
          !is_selected (self, sample, seen))
        continue;
      g_hash_table_add (seen, (gpointer) sample->op);
      if (self->end > 0 && g_get_monotonic_time () > self->end)
        self->results->n_left++;
      else if (!begin_operator (self, sample->op, error) || !test_sample (self, sample, error))
        return FALSE;
    }
  return TRUE;
}

/* The categories by how much of a model's time depends on them. */
static gboolean
test_in_order (Test *self, GPtrArray *samples, GHashTable *seen, GError **error)
{
  static const HybCategory order[] = {
    HYB_CATEGORY_LINEAR,        HYB_CATEGORY_RECURRENT, HYB_CATEGORY_CONVOLUTION,
    HYB_CATEGORY_NORMALISATION, HYB_CATEGORY_LOSS,      HYB_CATEGORY_REDUCTION,
    HYB_CATEGORY_MOVEMENT,      HYB_CATEGORY_DATA,      HYB_CATEGORY_ELEMENTWISE,
  };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (!test_category (self, samples, order[i], seen, error))
      return FALSE;
  return TRUE;
}

ScopeOperatorResults *
scope_test_operators (const ScopeOperatorTest *test, GError **error)
{
  g_autoptr (ScopeOperatorResults) results = scope_operator_results_new ();
  g_autoptr (GPtrArray) samples = scope_operator_samples ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  Test     self = { .test = test, .results = results };
  gboolean is_done;

  if (test->seconds > 0)
    self.end = g_get_monotonic_time () + (gint64) (test->seconds * G_USEC_PER_SEC);
  is_done = test->quick ? test_in_order (&self, samples, seen, error)
                        : test_category (&self, samples, HYB_N_CATEGORIES, seen, error);
  g_clear_pointer (&self.gpu, hyb_gpu_unref);
  return is_done ? g_steal_pointer (&results) : NULL;
}
