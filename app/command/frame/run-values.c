/* run-values.c — statistics of every value of a run, and the first NaN (hscope run --values).
 *
 * Runs the graph in imperative mode with a probe, which is called with every value, also inside
 * bodies, while the value exists.  Start at scope_run_values_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/run-values.h"

#include "app/adapt/value-series.h"
#include "app/command/frame/messages.h"

#include "engine/base/one-line.h"
#include "engine/graph/reach.h"
#include "engine/imperative/imperative.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Memory for the steps of all values, within these limits for each value. */
#define STEPS_BUDGET (64u << 20) /* bytes */
#define MIN_STEPS    64
#define MAX_STEPS    512

/* One output of one operator. */
typedef struct
{
  const HybNode    *node;
  const ScopeBody  *body; /* NULL: the model's graph */
  guint             output;
  char             *name; /* for output */
  ScopeValueSeries *series;
} Value;

struct _ScopeRunValues
{
  HybGraph   *graph;
  GHashTable *bodies;    /* HybGraph → ScopeBody */
  GHashTable *by_graph;  /* HybGraph → guint *: by value id, index into values plus 1 */
  GArray     *values;    /* of Value, in the order of their first run */
  GArray     *steps;     /* of guint32: the current step of every body being run, outermost first */
  guint       max_steps; /* kept for each value inside a body */

  const char *const *wanted; /* (nullable) names of values to be copied */
  HybTensorList     *copies;

  const Value  *first_nan; /* a copy; NULL: no value has a NaN */
  ScopeStepPath first_nan_step;
};

static void
value_clear (gpointer data)
{
  g_free (((Value *) data)->name);
  scope_value_series_free (((Value *) data)->series);
}

void
scope_run_values_free (ScopeRunValues *values)
{
  g_array_unref (values->values);
  g_array_unref (values->steps);
  g_hash_table_unref (values->by_graph);
  g_hash_table_unref (values->bodies);
  g_free ((gpointer) values->first_nan);
  hyb_tensor_list_unref (values->copies);
  hyb_graph_unref (values->graph);
  g_free (values);
}

/* --- Collecting: callbacks of the probe --- */

/* The current steps of the loops around a value of this body, outermost first. */
static ScopeStepPath
find_step (const ScopeRunValues *values, const ScopeBody *body)
{
  ScopeStepPath path = { 0 };
  guint32       found[SCOPE_MAX_LOOP_DEPTH];

  for (guint depth = values->steps->len; body && depth > 0; depth--)
    {
      if (body->is_loop && path.n < SCOPE_MAX_LOOP_DEPTH)
        found[path.n++] = g_array_index (values->steps, guint32, depth - 1);
      body = g_hash_table_lookup (values->bodies, body->outer);
    }
  for (guint i = 0; i < path.n; i++)
    path.step[i] = found[path.n - 1 - i];
  return path;
}

/* "body/node#1".  (transfer full) */
static char *
make_name (const ScopeBody *body, const HybNode *node, guint output)
{
  g_autofree char *number = output > 0 ? g_strdup_printf ("#%u", output) : NULL;

  return g_strconcat (body ? body->name : "", body ? "/" : "", node->name, number ? number : "",
                      NULL);
}

/* The entry of a value, added at its first run. */
static Value *
find_or_add_value (ScopeRunValues *values, HybGraph *graph, HybNodeId id, guint output)
{
  const HybNode   *node = hyb_graph_get_node (graph, id);
  const ScopeBody *body = g_hash_table_lookup (values->bodies, graph);
  guint           *indices = g_hash_table_lookup (values->by_graph, graph);
  guint           *index;

  if (!indices)
    {
      indices = g_new0 (guint, MAX (hyb_graph_n_values (graph), 1));
      g_hash_table_insert (values->by_graph, graph, indices);
    }
  index = &indices[node->first_output + output];
  if (*index == 0)
    {
      Value value = { .node = node,
                      .body = body,
                      .output = output,
                      .name = make_name (body, node, output),
                      .series = scope_value_series_new (body ? values->max_steps : 0) };

      g_array_append_val (values->values, value);
      *index = values->values->len;
    }
  return &g_array_index (values->values, Value, *index - 1);
}

/* TRUE if a name denotes the value in this step, or in any step. */
static gboolean
is_called (const Value *value, const ScopeStepPath *step, const char *name)
{
  g_autofree char *number = NULL;

  if (!g_str_has_prefix (name, value->name))
    return FALSE;
  name += strlen (value->name);
  if (*name != '@')
    return *name == '\0';
  number = scope_step_path_to_string (step);
  return strcmp (name + 1, number) == 0;
}

/* Copies a requested value.  Of several steps that fit, the last one stays. */
static void
copy_wanted (ScopeRunValues      *values,
             const Value         *value,
             const ScopeStepPath *step,
             const HybTensor     *tensor)
{
  for (guint i = 0; values->wanted && values->wanted[i]; i++)
    if (is_called (value, step, values->wanted[i]))
      {
        g_autoptr (HybTensor) copy = hyb_tensor_copy ((HybTensor *) tensor);

        hyb_tensor_list_set (values->copies, values->wanted[i], copy);
      }
}

static void
add_value (ScopeRunValues  *values,
           HybGraph        *graph,
           HybNodeId        id,
           guint            output,
           const HybTensor *tensor)
{
  Value        *value = find_or_add_value (values, graph, id, output);
  ScopeStepPath step = find_step (values, value->body);

  scope_value_series_add (value->series, &step, tensor);
  copy_wanted (values, value, &step, tensor);
  if (values->first_nan || value->series->latest.statistics.n_nan == 0)
    return;
  values->first_nan = g_memdup2 (value, sizeof (Value));
  values->first_nan_step = step;
}

static void
on_begin (gpointer data, const HybSpan *span)
{
  ScopeRunValues *values = data;

  if (span->kind == HYB_SPAN_BRANCH)
    g_array_append_val (values->steps, span->step);
}

static void
on_end (gpointer data, const HybSpan *span)
{
  ScopeRunValues *values = data;

  if (span->kind == HYB_SPAN_BRANCH)
    g_array_set_size (values->steps, values->steps->len - 1);
}

static void
on_value (gpointer data, const HybSpan *span, guint output, const HybTensor *tensor)
{
  add_value (data, span->in, span->id, output, tensor);
}

/* --- Running --- */

/* Number of values in all bodies. */
static guint
count_body_values (GHashTable *bodies)
{
  GHashTableIter iter;
  gpointer       body;
  guint          n = 0;

  g_hash_table_iter_init (&iter, bodies);
  while (g_hash_table_iter_next (&iter, &body, NULL))
    n += hyb_graph_n_values (body);
  return n;
}

static ScopeRunValues *
values_new (HybGraph *graph)
{
  ScopeRunValues *values = g_new0 (ScopeRunValues, 1);
  guint           n;

  values->graph = hyb_graph_ref (graph);
  values->bodies = scope_bodies_of_graph (graph);
  values->by_graph = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  values->values = g_array_new (FALSE, FALSE, sizeof (Value));
  g_array_set_clear_func (values->values, value_clear);
  values->steps = g_array_new (FALSE, FALSE, sizeof (guint32));
  values->copies = hyb_tensor_list_new ();
  n = MAX (count_body_values (values->bodies), 1);
  values->max_steps =
      CLAMP (STEPS_BUDGET / n / (guint) sizeof (ScopeValueStep), MIN_STEPS, MAX_STEPS) & ~1u;
  return values;
}

/* The values of all variables, which are also recorded.  Auxiliary states that the run changes are
 * copied, since the caller still needs them. */
static GPtrArray *
record_variables (ScopeRunValues *values, const ScopeInputs *inputs, gboolean training)
{
  g_autofree guint8 *needed = hyb_graph_find_needed (inputs->graph, NULL);
  g_autofree guint8 *written = hyb_graph_find_written (inputs->graph, training);
  GPtrArray         *variables = g_ptr_array_new ();

  for (guint i = 0; i < inputs->n_variables; i++)
    {
      HybNodeId  id = inputs->variables[i];
      HybTensor *tensor = inputs->values[i];

      if (tensor && needed[id])
        add_value (values, inputs->graph, id, 0, tensor);
      if (tensor)
        tensor = written[id] ? hyb_tensor_copy (tensor) : hyb_tensor_ref (tensor);
      g_ptr_array_add (variables, tensor);
    }
  return variables;
}

static void
unref_all (HybTensor **tensors, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&tensors[i], hyb_tensor_unref);
}

/* "node “root” of body “loop”, step 2".  (transfer full) */
static char *
describe_first_nan (const ScopeRunValues *values)
{
  const Value     *value = values->first_nan;
  g_autofree char *step = scope_step_path_to_string (&values->first_nan_step);

  if (!value->body)
    return g_strdup_printf ("node “%s”", value->node->name);
  if (*step == '\0')
    return g_strdup_printf ("node “%s” of body “%s”", value->node->name, value->body->name);
  return g_strdup_printf ("node “%s” of body “%s”, step %s", value->node->name, value->body->name,
                          step);
}

/* TRUE if all requested values were found and copied. */
static gboolean
check_copies (const ScopeRunValues *values, GError **error)
{
  for (guint i = 0; values->wanted && values->wanted[i]; i++)
    {
      const char *name = values->wanted[i];

      if (hyb_tensor_list_find (values->copies, name))
        continue;
      if (hyb_tensor_list_has (values->copies, name))
        scope_usage_error (error, "--value %s: memory is short", name);
      else
        scope_usage_error (error,
                           "--value %s: the run has no value of this name. --values lists the "
                           "names; NAME@STEP is a step of a loop",
                           name);
      return FALSE;
    }
  return TRUE;
}

ScopeRunValues *
scope_run_values_new (const ScopeInputs        *inputs,
                      const ScopeCommonOptions *common,
                      const char *const        *wanted,
                      GError                  **error)
{
  g_autoptr (ScopeRunValues) values = values_new (inputs->graph);
  g_autoptr (GPtrArray) variables = NULL;
  HybProbe probe = { .data = values, .begin = on_begin, .end = on_end, .value = on_value };
  HybRun   context = { .training = common->train, .seed = (guint64) common->seed, .probe = &probe };
  guint    n_heads;
  g_autofree HybTensor **heads = NULL;
  gboolean               is_done;

  values->wanted = wanted;
  variables = record_variables (values, inputs, common->train);
  hyb_graph_get_heads (inputs->graph, &n_heads);
  heads = g_new0 (HybTensor *, MAX (n_heads, 1));
  is_done = hyb_imperative_run (inputs->graph, (HybTensor *const *) variables->pdata, heads,
                                &context, error);
  unref_all (heads, n_heads);
  unref_all ((HybTensor **) variables->pdata, variables->len);
  if (!is_done || !check_copies (values, error))
    return NULL;
  if (values->first_nan)
    {
      g_autofree char *place = describe_first_nan (values);

      scope_print_message (HYB_SEVERITY_WARNING, "%s: the first value that contains NaN", place);
    }
  return g_steal_pointer (&values);
}

HybTensorList *
scope_run_values_get_copies (const ScopeRunValues *values)
{
  return values->copies;
}

/* --- Printing --- */

static void
write_statistics (ScopeJson *json, const HybStatistics *statistics)
{
  scope_json_double (json, "minimum", statistics->minimum);
  scope_json_double (json, "maximum", statistics->maximum);
  scope_json_double (json, "mean", statistics->mean);
  scope_json_double (json, "std", statistics->deviation);
  scope_json_int (json, "nan", statistics->n_nan);
  scope_json_int (json, "infinite", statistics->n_infinite);
}

/* The list is empty if all elements are equal. */
static void
write_bins (ScopeJson *json, const ScopeValueStep *step)
{
  gboolean has_bins = step->statistics.maximum > step->statistics.minimum;

  scope_json_begin_list (json, "bins");
  for (guint i = 0; has_bins && i < SCOPE_VALUE_BINS; i++)
    scope_json_int (json, NULL, (gint64) step->bins[i]);
  scope_json_end (json);
}

static void
write_path (ScopeJson *json, const char *key, const ScopeStepPath *path)
{
  scope_json_begin_list (json, key);
  for (guint i = 0; i < path->n; i++)
    scope_json_int (json, NULL, path->step[i]);
  scope_json_end (json);
}

static void
write_steps (ScopeJson *json, const GArray *steps)
{
  scope_json_begin_list (json, "steps");
  for (guint i = 0; i < steps->len; i++)
    {
      const ScopeValueStep *step = &g_array_index (steps, ScopeValueStep, i);

      scope_json_begin_object (json, NULL);
      write_path (json, "step", &step->first);
      if (scope_step_path_compare (&step->first, &step->last) != 0)
        write_path (json, "to", &step->last);
      write_statistics (json, &step->statistics);
      write_bins (json, step);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
write_value (ScopeJson *json, const Value *value)
{
  const ScopeValueSeries *series = value->series;

  scope_json_begin_object (json, NULL);
  scope_json_string (json, "node", value->node->name);
  if (value->body)
    scope_json_string (json, "body", value->body->name);
  scope_json_int (json, "output", value->output);
  scope_json_shape (json, "shape", &series->shape);
  write_statistics (json, &series->latest.statistics);
  write_bins (json, &series->latest);
  if (value->body)
    {
      scope_json_int (json, "runs", (gint64) series->n_runs);
      write_path (json, "step", &series->latest.last);
      write_steps (json, series->steps);
    }
  scope_json_end (json);
}

void
scope_run_values_write (const ScopeRunValues *values, ScopeJson *json)
{
  const Value *first = values->first_nan;

  scope_json_begin_list (json, "values");
  for (guint i = 0; i < values->values->len; i++)
    write_value (json, &g_array_index (values->values, Value, i));
  scope_json_end (json);
  scope_json_string (json, "first_nan", first ? first->node->name : NULL);
  if (!first || !first->body)
    return;
  scope_json_string (json, "first_nan_body", first->body->name);
  write_path (json, "first_nan_step", &values->first_nan_step);
}

/* Minimum, maximum and number of NaN over all runs. */
static HybStatistics
combine_runs (const ScopeValueSeries *series)
{
  HybStatistics sum = series->latest.statistics;

  for (guint i = 0; series->steps && i < series->steps->len; i++)
    {
      const HybStatistics *step = &g_array_index (series->steps, ScopeValueStep, i).statistics;

      sum.minimum = fmin (sum.minimum, step->minimum);
      sum.maximum = fmax (sum.maximum, step->maximum);
      sum.n_nan = i > 0 ? sum.n_nan + step->n_nan : step->n_nan;
    }
  return sum;
}

void
scope_run_values_print (const ScopeRunValues *values)
{
  for (guint i = 0; i < values->values->len; i++)
    {
      const Value     *value = &g_array_index (values->values, Value, i);
      HybStatistics    sum = combine_runs (value->series);
      g_autofree char *shape = hyb_shape_to_string (&value->series->shape);

      printf ("%-40s %-16s %.6g … %.6g", hyb_one_line (value->name), shape, sum.minimum,
              sum.maximum);
      if (value->series->n_runs > 1)
        printf (", %" G_GUINT64_FORMAT " times", value->series->n_runs);
      if (sum.n_nan > 0)
        printf (", %" G_GINT64_FORMAT " NaN", sum.n_nan);
      printf ("\n");
    }
}
