/* subject.c — an executor with all values bound, ready to run.
 *
 * With gradients, the executed graph is the model's with a backward pass behind it.  Start reading
 * at prof_subject_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/subject.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/device/gpu.h"
#include "engine/exec/executor-keep.h"
#include "engine/gradient/backward.h"
#include "engine/graph/reach.h"
#include "engine/graph/roles.h"

#include <math.h>
#include <string.h>

struct _ProfSubject
{
  ProfSubjectOptions options;
  char              *name, *variant;
  char             **without;
  HybGraph          *graph, *executed;
  GPtrArray         *values; /* of HybTensor or NULL, by variable of executed */
  HybType           *types;  /* by value of executed */
  GArray            *wrt;    /* of HybNodeId: variables whose gradients are computed */
  guint              n_heads;
  HybExecutor       *executor;
  double             device_seconds; /* since prof_subject_take_device_seconds() */
};

static void
unref_value (gpointer value)
{
  if (value)
    hyb_tensor_unref (value);
}

/* Types by value of graph, from the types of values.  NULL with an error if they contradict each
 * other. */
static HybType *
infer (HybGraph *graph, GPtrArray *values, gboolean training, GError **error)
{
  HybType         *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < MIN (n, values->len); i++)
    if (values->pdata[i])
      types[hyb_graph_get_node (graph, variables[i])->first_output] =
          *hyb_tensor_get_type (values->pdata[i]);
  if (hyb_infer_types (graph, types, NULL, training, error))
    return types;
  g_free (types);
  return NULL;
}

/* The variables that need a gradient. */
static GArray *
find_parameters (HybGraph *graph, GPtrArray *values)
{
  GArray            *wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autofree guint8 *needed = hyb_graph_find_needed (graph, NULL);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    if (values->pdata[i] && needed[variables[i]] && !hyb_graph_is_auxiliary (graph, variables[i]) &&
        hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER)
      g_array_append_val (wrt, variables[i]);
  return wrt;
}

HybTensor *
prof_new_ones (const HybType *type, GError **error)
{
  HybTensor *ones = hyb_tensor_new (type, error);

  for (gint64 i = 0; ones && i < hyb_tensor_get_size (ones); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (ones), type->dtype, (gsize) i, 1);
  return ones;
}

/* Makes the executed graph: the model with gradients of its parameters.  The gradients of its heads
 * are ones. */
static gboolean
add_gradients (ProfSubject *subject, GError **error)
{
  g_autofree HybType *types = infer (subject->graph, subject->values, TRUE, error);
  const HybValueId   *heads = hyb_graph_get_heads (subject->graph, &subject->n_heads);

  if (!types)
    return FALSE;
  subject->wrt = find_parameters (subject->graph, subject->values);
  subject->executed = hyb_graph_with_gradients (subject->graph, subject->wrt->len,
                                                (gconstpointer) subject->wrt->data, error);
  if (!subject->executed)
    return FALSE;

  for (guint i = 0; i < subject->n_heads; i++)
    {
      HybTensor *ones;

      if (!hyb_type_is_known (&types[heads[i]]))
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, NULL,
                             "Profile it without gradients",
                             "the shape of output %u is known only at run time", i);
      ones = prof_new_ones (&types[heads[i]], error);
      if (!ones)
        return FALSE;
      g_ptr_array_add (subject->values, ones);
    }
  return TRUE;
}

/* TRUE if no run changes a variable of the executed graph: a GPU keeps it, and sends no copy of it in later runs. */
static gboolean
stays_the_same (const ProfSubject *subject, guint variable)
{
  guint n;

  hyb_graph_get_variables (subject->graph, &n);
  return variable < n ? prof_subject_is_parameter (subject, variable)
                      : !subject->options.fold_parameters; /* ones, which begin the gradients */
}

/* Creates the executor, binds all values and plans. */
static gboolean
bind (ProfSubject *subject, GError **error)
{
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (subject->executed, &n);
  HybExecutorOptions options = {
    .mode = subject->options.mode,
    .training = subject->options.training,
    .fold_parameters = subject->options.fold_parameters || subject->options.constants,
    .same_bytes = !subject->options.constants,
    .no_passes = subject->options.no_passes,
    .without = (const char *const *) subject->without,
    .dump_after = subject->options.dump_after,
    .seed = subject->options.seed,
    .gpu = subject->options.gpu,
    .times_device = TRUE,
  };

  subject->executor = hyb_executor_new (subject->executed, &options);
  for (guint i = 0; i < MIN (n, subject->values->len); i++)
    {
      const char *name = hyb_graph_get_node (subject->executed, variables[i])->name;

      if (!subject->values->pdata[i])
        continue;
      if (!hyb_executor_bind (subject->executor, name, subject->values->pdata[i], error))
        return FALSE;
      hyb_executor_set_constant (subject->executor, name, stays_the_same (subject, i));
    }
  return hyb_executor_prepare (subject->executor, error);
}

ProfSubject *
prof_subject_new (HybGraph                 *graph,
                  HybTensor *const         *values,
                  const ProfSubjectOptions *options,
                  GError                  **error)
{
  g_autoptr (ProfSubject) subject = g_new0 (ProfSubject, 1);
  guint n;

  hyb_graph_get_variables (graph, &n);
  subject->options = *options;
  subject->options.name = subject->name = g_strdup (options->name ? options->name : "model");
  subject->options.variant = subject->variant =
      g_strdup (options->variant ? options->variant : "as is");
  subject->without = g_strdupv ((char **) options->without);
  subject->options.without = (const char *const *) subject->without;
  if (options->gpu)
    subject->options.gpu = hyb_gpu_ref (options->gpu);
  if (options->constants)
    subject->options.constants = g_hash_table_ref (options->constants);
  subject->graph = hyb_graph_ref (graph);
  subject->values = g_ptr_array_new_with_free_func (unref_value);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (subject->values, values[i] ? hyb_tensor_ref (values[i]) : NULL);

  if (options->backward)
    {
      if (!add_gradients (subject, error))
        return NULL;
    }
  else
    {
      subject->executed = hyb_graph_ref (graph);
      hyb_graph_get_heads (graph, &subject->n_heads);
    }
  subject->types = infer (subject->executed, subject->values, options->training, error);
  if (!subject->types || !bind (subject, error))
    return NULL;
  return g_steal_pointer (&subject);
}

void
prof_subject_free (ProfSubject *subject)
{
  if (!subject)
    return;
  g_clear_pointer (&subject->executor, hyb_executor_free);
  g_clear_pointer (&subject->options.gpu, hyb_gpu_unref);
  g_clear_pointer (&subject->options.constants, g_hash_table_unref);
  g_clear_pointer (&subject->graph, hyb_graph_unref);
  g_clear_pointer (&subject->executed, hyb_graph_unref);
  g_clear_pointer (&subject->values, g_ptr_array_unref);
  g_clear_pointer (&subject->wrt, g_array_unref);
  g_free (subject->types);
  g_strfreev (subject->without);
  g_free (subject->name);
  g_free (subject->variant);
  g_free (subject);
}

const ProfSubjectOptions *
prof_subject_get_options (const ProfSubject *subject)
{
  return &subject->options;
}

HybGraph *
prof_subject_get_graph (const ProfSubject *subject)
{
  return subject->graph;
}

HybTensor *const *
prof_subject_get_values (const ProfSubject *subject)
{
  return (HybTensor *const *) subject->values->pdata;
}

gboolean
prof_subject_is_parameter (const ProfSubject *subject, guint variable)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (subject->graph, &n);

  if (variable >= n)
    return FALSE;
  if (subject->options.constants)
    return g_hash_table_contains (subject->options.constants,
                                  hyb_graph_get_node (subject->graph, variables[variable])->name);
  return hyb_graph_get_role (subject->graph, variables[variable], FALSE) == HYB_ROLE_PARAMETER;
}

gboolean
prof_subject_may_fold (const ProfSubject *subject)
{
  const ProfSubjectOptions *options = &subject->options;
  const char               *pass = options->gpu ? "fold-constants" : "keep-panels";
  const HybPlan            *plan = hyb_executor_get_plan (subject->executor);

  return plan && !hyb_plan_is_dynamic (plan) && options->mode != HYB_MODE_IMPERATIVE &&
         !options->training && !options->no_passes &&
         !(subject->without && g_strv_contains ((const char *const *) subject->without, pass));
}

void
prof_subject_use_threads (const ProfSubject *subject, guint fallback)
{
  guint n_threads = subject->options.threads > 0 ? subject->options.threads : fallback;

  if (hyb_parallel_get_threads () != n_threads)
    hyb_parallel_set_threads (n_threads);
}

HybGraph *
prof_subject_get_executed (const ProfSubject *subject)
{
  return subject->executed;
}

const HybType *
prof_subject_get_types (const ProfSubject *subject)
{
  return subject->types;
}

HybExecutor *
prof_subject_get_executor (const ProfSubject *subject)
{
  return subject->executor;
}

gboolean
prof_subject_run (ProfSubject *subject, GCancellable *cancellable, GError **error)
{
  /* Gradients stay on a GPU until they are read, as they do where a trainer uses them. */
  if (!hyb_executor_run (subject->executor, cancellable, error) ||
      !hyb_executor_read_outputs (subject->executor, 0, subject->n_heads, error))
    return FALSE;
  if (subject->options.gpu)
    subject->device_seconds += hyb_executor_get_device_seconds (subject->executor);
  return TRUE;
}

double
prof_subject_take_device_seconds (ProfSubject *subject)
{
  double seconds = subject->options.gpu ? subject->device_seconds : NAN;

  subject->device_seconds = 0;
  return seconds;
}

guint
prof_subject_n_outputs (const ProfSubject *subject)
{
  return hyb_executor_n_outputs (subject->executor);
}

HybTensor *
prof_subject_get_output (ProfSubject *subject, guint index)
{
  return hyb_executor_get_output (subject->executor, index);
}

guint
prof_subject_n_heads (const ProfSubject *subject)
{
  return subject->n_heads;
}

const char *
prof_subject_get_gradient_name (const ProfSubject *subject, guint index)
{
  if (index < subject->n_heads || !subject->wrt || index - subject->n_heads >= subject->wrt->len)
    return NULL;
  return hyb_graph_get_node (subject->graph,
                             g_array_index (subject->wrt, HybNodeId, index - subject->n_heads))
      ->name;
}
