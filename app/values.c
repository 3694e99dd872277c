/* values.c — values of a run, read in a worker: there is one for every node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/values.h"

#include "app/child.h"
#include "app/worker.h"

#include <cjson/cJSON.h>
#include <glib/gi18n.h>
#include <math.h>

struct _ScopeValues
{
  GHashTable *by_name; /* "node\noutput" → ScopeValue */
  char       *first_nan;
};

static void
value_free (gpointer data)
{
  ScopeValue *value = data;

  g_free (value->shape);
  g_free (value);
}

void
scope_values_free (ScopeValues *values)
{
  g_hash_table_unref (values->by_name);
  g_free (values->first_nan);
  g_free (values);
}

const ScopeValue *
scope_values_find (const ScopeValues *values, const char *node, guint output)
{
  g_autofree char *key = g_strdup_printf ("%s\n%u", node, output);

  return g_hash_table_lookup (values->by_name, key);
}

const char *
scope_values_get_first_nan (const ScopeValues *values)
{
  return values->first_nan;
}

/* ---- Reading ---- */

static double
get_number (const cJSON *json, const char *key)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive (json, key);

  return cJSON_IsNumber (item) ? item->valuedouble : NAN;
}

static gint64
get_count (const cJSON *json, const char *key)
{
  double number = get_number (json, key);

  return number > 0 && number < 9e15 ? (gint64) number : 0;
}

static char *
read_shape (const cJSON *list)
{
  GString     *text = g_string_new (NULL);
  const cJSON *dim;

  cJSON_ArrayForEach (dim, list)
  {
    g_string_append_printf (text, "%s%.0f", text->len > 0 ? "×" : "", dim->valuedouble);
  }
  return g_string_free (text, FALSE);
}

static void
read_value (ScopeValues *values, const cJSON *json)
{
  const char  *node = cJSON_GetStringValue (cJSON_GetObjectItemCaseSensitive (json, "node"));
  const cJSON *bin;
  ScopeValue  *value;

  if (node == NULL)
    return;
  value = g_new0 (ScopeValue, 1);
  value->shape = read_shape (cJSON_GetObjectItemCaseSensitive (json, "shape"));
  value->statistics = (HybStatistics){ .minimum = get_number (json, "minimum"),
                                       .maximum = get_number (json, "maximum"),
                                       .mean = get_number (json, "mean"),
                                       .deviation = get_number (json, "std"),
                                       .n_nan = get_count (json, "nan"),
                                       .n_infinite = get_count (json, "infinite") };
  cJSON_ArrayForEach (bin, cJSON_GetObjectItemCaseSensitive (json, "bins"))
  {
    if (value->n_bins < SCOPE_VALUE_BINS)
      value->bins[value->n_bins++] = bin->valuedouble;
  }
  g_hash_table_insert (values->by_name,
                       g_strdup_printf ("%s\n%.0f", node, get_number (json, "output")),
                       value);
}

static void
read_in_worker (GTask                    *task,
                gpointer source           G_GNUC_UNUSED,
                gpointer                  data,
                GCancellable *cancellable G_GNUC_UNUSED)
{
  cJSON       *json = cJSON_Parse (data);
  const cJSON *value;
  ScopeValues *values;

  if (json == NULL)
    {
      g_task_return_new_error (task,
                               G_IO_ERROR,
                               G_IO_ERROR_INVALID_DATA,
                               _ ("hscope said nothing that can be read"));
      return;
    }
  values = g_new0 (ScopeValues, 1);
  values->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, value_free);
  values->first_nan =
      g_strdup (cJSON_GetStringValue (cJSON_GetObjectItemCaseSensitive (json, "first_nan")));
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
  char   *text = scope_child_ask_finish (result, &error);

  if (text == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  g_task_set_task_data (task, text, g_free);
  scope_worker_run (task, read_in_worker);
}

void
scope_values_ask_async (const char *const  *arguments,
                        GCancellable       *cancellable,
                        GAsyncReadyCallback callback,
                        gpointer            user_data)
{
  scope_child_ask_async (arguments,
                         cancellable,
                         answered_cb,
                         g_task_new (NULL, cancellable, callback, user_data));
}

ScopeValues *
scope_values_ask_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
