/* trial-ways.c — the ways to run a graph that must agree: modes, passes, threads, processors, and files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/base/parallel.h"
#include "engine/exec/executor.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/kernels/simd/simd.h"
#include "tests/fuzz/graphs/trial-private.h"

typedef struct
{
  const char  *name;
  HybMode      mode;
  gboolean     no_passes, constant; /* constant: the arguments are promised not to change */
  guint        threads;             /* 0: one */
  HybSimdLevel less;                /* by how many levels less than the processor has */
  gboolean     is_read;             /* written to a file and read again */
  gboolean     on_tape;             /* gradients only */
} Way;

static const Way ways[] = {
  { "operator by operator", HYB_MODE_IMPERATIVE, 0 },
  { "hybrid", HYB_MODE_HYBRID, 0 },
  { "static", HYB_MODE_STATIC, 0 },
  { "hybrid without passes", HYB_MODE_HYBRID, .no_passes = TRUE },
  { "static without passes", HYB_MODE_STATIC, .no_passes = TRUE },
  { "static with constant arguments", HYB_MODE_STATIC, .constant = TRUE },
  { "static with two threads", HYB_MODE_STATIC, .threads = 2 },
  { "operator by operator with three threads", HYB_MODE_IMPERATIVE, .threads = 3 },
  { "static with fewer vector instructions", HYB_MODE_STATIC, .less = 1 },
  { "static with plain instructions", HYB_MODE_STATIC, .less = 2 },
  { "operator by operator with plain instructions", HYB_MODE_IMPERATIVE, .less = 2 },
  { "static from a file", HYB_MODE_STATIC, .is_read = TRUE },
  { "on a tape, gradients added up", HYB_MODE_IMPERATIVE, .on_tape = TRUE },
};

/* The optimising pass that a way leaves out; NULL for the ways of the table. */
static const HybPass *
pass_of_way (guint way)
{
  guint n = G_N_ELEMENTS (ways);

  for (guint i = 0; hyb_passes ()[i]; i++)
    if (hyb_passes ()[i]->optimising && n++ == way)
      return hyb_passes ()[i];
  return NULL;
}

guint
trial_n_ways (void)
{
  guint n = G_N_ELEMENTS (ways);

  while (pass_of_way (n))
    n++;
  return n;
}

const char *
trial_way_name (guint way)
{
  return way < G_N_ELEMENTS (ways) ? ways[way].name : pass_of_way (way)->name;
}

/* The graph as a file gives it back. */
static HybGraph *
read_again (HybGraph *graph, GError **error)
{
  gsize length;
  char *text = hyb_symbol_print (graph, &length);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, length);
  g_autoptr (HybModel) model = hyb_model_new ();

  return hyb_symbol_read (model, bytes, "random graph", error)
             ? hyb_graph_ref (hyb_model_get_graph (model))
             : NULL;
}

static gboolean
bind_all (HybExecutor *executor, const Trial *trial, const Way *way, GError **error)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (trial->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (trial->graph, variables[i])->name;
      g_autoptr (HybTensor) copy = hyb_tensor_copy (trial->values->pdata[i]);
      g_autoptr (GError) unused = NULL;

      /* A file does not have variables that no head needs. */
      if (!hyb_executor_bind (executor, name, copy, way->is_read ? &unused : error) &&
          !way->is_read)
        return FALSE;
      if (way->constant && i % 2 == 0 && !hyb_graph_is_auxiliary (trial->graph, variables[i]))
        hyb_executor_set_constant (executor, name, TRUE);
    }
  return TRUE;
}

/* The same as trial_collect(), in the order of the trial's graph. */
static GPtrArray *
collect (HybExecutor *executor, const Trial *trial)
{
  GPtrArray       *results = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  guint            n;
  const HybNodeId *written = hyb_graph_get_auxiliary (trial->graph, &n);

  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (results, hyb_tensor_copy (hyb_executor_get_output (executor, i)));
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (trial->graph, written[i])->name;
      HybTensor  *state = hyb_executor_get_bound (executor, name);

      /* A file does not have a state that no head needs. */
      g_ptr_array_add (results,
                       hyb_tensor_ref (state ? state : trial->results->pdata[results->len]));
    }
  return results;
}

static char *
run_way (Trial *trial, const Way *way, const char *const *without)
{
  HybExecutorOptions options = { .mode = way->mode,
                                 .training = trial->training,
                                 .no_passes = way->no_passes,
                                 .without = without,
                                 .seed = TRIAL_SEED };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph =
      way->is_read ? read_again (trial->graph, &error) : hyb_graph_ref (trial->graph);
  g_autoptr (HybExecutor) executor = graph ? hyb_executor_new (graph, &options) : NULL;
  g_autoptr (GPtrArray) results = NULL;

  if (!executor || !bind_all (executor, trial, way, &error) ||
      !hyb_executor_run (executor, NULL, &error))
    return g_strdup (error->message);
  results = collect (executor, trial);
  return trial_compare (trial, results);
}

char *
trial_run (Trial *trial, guint number)
{
  static const Way planned = { "", HYB_MODE_STATIC, 0 };
  const Way       *way = number < G_N_ELEMENTS (ways) ? &ways[number] : &planned;
  const HybPass   *pass = pass_of_way (number);
  const char      *without[] = { pass ? pass->name : NULL, NULL };
  HybSimdLevel     level = hyb_simd_processor_level ();
  char            *wrong;

  if ((way->is_read && !trial->can_be_written) || (way->on_tape && !trial->forward))
    return NULL;
  hyb_parallel_set_threads (MAX (way->threads, 1));
  if (way->less)
    hyb_simd_cap (level > way->less ? level - way->less : HYB_SIMD_PLAIN);
  wrong = way->on_tape ? trial_run_tape (trial) : run_way (trial, way, without);
  hyb_simd_cap (HYB_SIMD_AVX512);
  hyb_parallel_set_threads (1);
  return wrong;
}
