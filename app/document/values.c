/* values.c — parses the output of hscope run --values, in a worker because it has every node.
 *
 * Values are found again by body, node and output; read_value() fills the table.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/values.h"

#include "app/process/child.h"
#include "app/process/json-fields.h"
#include "app/process/worker.h"

#include <glib/gi18n.h>
#include <math.h>

struct _ScopeValues
{
  GHashTable   *by_name; /* "body\nnode\noutput" → ScopeValueSeries */
  GHashTable   *longest; /* body → the series with the most runs */
  ScopeFirstNan first_nan;
};

static void
values_free (gpointer data)
{
  ScopeValues *values = data;

  g_hash_table_unref (values->longest);
  g_hash_table_unref (values->by_name);
  g_free (values->first_nan.node);
  g_free (values->first_nan.body);
  g_free (values);
}

void
scope_values_free (ScopeValues *values)
{
  scope_worker_free (values, values_free);
}

static char *
key_of (const char *body, const char *node, guint output)
{
  return g_strdup_printf ("%s\n%s\n%u", body ? body : "", node ? node : "", output);
}

const ScopeValueSeries *
scope_values_find (const ScopeValues *values, const char *body, const char *node, guint output)
{
  g_autofree char *key = key_of (body, node, output);

  return g_hash_table_lookup (values->by_name, key);
}

const ScopeValueSeries *
scope_values_find_longest (const ScopeValues *values, const char *body)
{
  return g_hash_table_lookup (values->longest, body);
}

const ScopeFirstNan *
scope_values_get_first_nan (const ScopeValues *values)
{
  return values->first_nan.node ? &values->first_nan : NULL;
}

/* --- Reading --- */

static gint64
get_count (const cJSON *json, const char *key)
{
  double number = scope_json_get_number (json, key);

  return number > 0 && number < 9e15 ? (gint64) number : 0;
}

/* NULL if it is missing. */
static const char *
get_text (const cJSON *json, const char *key)
{
  return cJSON_GetStringValue (cJSON_GetObjectItemCaseSensitive (json, key));
}

static HybShape
read_shape (const cJSON *list)
{
  HybShape     shape = { 0 };
  const cJSON *dim;

  cJSON_ArrayForEach (dim, list)
  {
    if (shape.rank < HYB_MAX_RANK)
      shape.dim[shape.rank++] = dim->valuedouble >= 0 && dim->valuedouble < 9e15
                                    ? (gint64) dim->valuedouble
                                    : HYB_UNKNOWN;
  }
  return shape;
}

static ScopeStepPath
read_path (const cJSON *list)
{
  ScopeStepPath path = { 0 };
  const cJSON  *step;

  cJSON_ArrayForEach (step, list)
  {
    if (path.n < SCOPE_MAX_LOOP_DEPTH && step->valuedouble >= 0 && step->valuedouble <= G_MAXUINT32)
      path.step[path.n++] = (guint32) step->valuedouble;
  }
  return path;
}

static void
read_step (const cJSON *json, ScopeValueStep *step)
{
  const cJSON *last = cJSON_GetObjectItemCaseSensitive (json, "to"), *bin;
  guint        n = 0;

  *step = (ScopeValueStep){ .first = read_path (cJSON_GetObjectItemCaseSensitive (json, "step")) };
  step->last = last ? read_path (last) : step->first;
  step->statistics = (HybStatistics){ .minimum = scope_json_get_number (json, "minimum"),
                                      .maximum = scope_json_get_number (json, "maximum"),
                                      .mean = scope_json_get_number (json, "mean"),
                                      .deviation = scope_json_get_number (json, "std"),
                                      .n_nan = get_count (json, "nan"),
                                      .n_infinite = get_count (json, "infinite") };
  cJSON_ArrayForEach (bin, cJSON_GetObjectItemCaseSensitive (json, "bins"))
  {
    if (n < SCOPE_VALUE_BINS)
      step->bins[n++] = (float) bin->valuedouble;
  }
}

static ScopeValueSeries *
read_series (const cJSON *json)
{
  const cJSON      *steps = cJSON_GetObjectItemCaseSensitive (json, "steps"), *step;
  ScopeValueSeries *series =
      scope_value_series_new (steps ? (guint) cJSON_GetArraySize (steps) : 0);

  series->shape = read_shape (cJSON_GetObjectItemCaseSensitive (json, "shape"));
  series->n_runs = (guint64) get_count (json, "runs");
  read_step (json, &series->latest);
  cJSON_ArrayForEach (step, steps)
  {
    ScopeValueStep one;

    read_step (step, &one);
    if (series->steps)
      g_array_append_val (series->steps, one);
  }
  return series;
}

/* The first of several values with the same name is kept. */
static void
read_value (ScopeValues *values, const cJSON *json)
{
  const char       *node = get_text (json, "node"), *body = get_text (json, "body");
  g_autofree char  *key = key_of (body, node, (guint) get_count (json, "output"));
  ScopeValueSeries *series, *longest;

  if (!node || g_hash_table_contains (values->by_name, key))
    return;
  series = read_series (json);
  g_hash_table_insert (values->by_name, g_steal_pointer (&key), series);
  longest = body ? g_hash_table_lookup (values->longest, body) : NULL;
  if (body && (!longest || longest->n_runs < series->n_runs))
    g_hash_table_replace (values->longest, g_strdup (body), series);
}

static void
read_in_worker (GTask *task, gpointer data)
{
  cJSON       *json = cJSON_Parse (data);
  const cJSON *value;
  ScopeValues *values;

  if (!json)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                               _ ("hscope returned no valid JSON. The versions of hscope and "
                                  "hybridscope may differ."));
      return;
    }
  values = g_new0 (ScopeValues, 1);
  values->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify) scope_value_series_free);
  values->longest = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  values->first_nan.node = g_strdup (get_text (json, "first_nan"));
  values->first_nan.body = g_strdup (get_text (json, "first_nan_body"));
  values->first_nan.step = read_path (cJSON_GetObjectItemCaseSensitive (json, "first_nan_step"));
  cJSON_ArrayForEach (value, cJSON_GetObjectItemCaseSensitive (json, "values"))
  {
    read_value (values, value);
  }
  cJSON_Delete (json);
  g_task_return_pointer (task, values, (GDestroyNotify) scope_values_free);
}

static void
answered_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;
  char   *text = scope_child_run_finish (result, &error);

  if (!text)
    {
      g_task_return_error (task, error);
      return;
    }
  g_task_set_task_data (task, text, g_free);
  scope_worker_run (task, read_in_worker);
}

void
scope_values_load_async (const char *const  *arguments,
                         GCancellable       *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer            user_data)
{
  scope_child_run_async (arguments, cancellable, answered_cb,
                         g_task_new (NULL, cancellable, callback, user_data));
}

ScopeValues *
scope_values_load_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
