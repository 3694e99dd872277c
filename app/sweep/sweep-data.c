/* sweep-data.c — reads the output of hscope report about the folder of a sweep.
 *
 * The child process opens the folder, which may come from a stranger; its document is checked again here.  Start reading
 * with scope_sweep_data_parse().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-data.h"

#include "app/process/child.h"
#include "app/process/conversion.h"
#include "app/process/worker.h"
#include "engine/formats/json-reader.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MAX_CELLS 1000000

/* Members of the list of a cell, in the order in which hscope prints them. */
enum
{
  MEMBER_STATE,
  MEMBER_VALUE,
  MEMBER_LOW,
  MEMBER_HIGH,
  MEMBER_HOST,
  MEMBER_CROWDED,
  MEMBER_REASON,
  N_MEMBERS,
};

static const struct
{
  const char    *name;
  ScopeCellState state;
} states[] = {
  { "left", SCOPE_CELL_WAITING },
  { "done", SCOPE_CELL_DONE },
  { "failed", SCOPE_CELL_FAILED },
  { "running", SCOPE_CELL_RUNNING },
};

static const char *const passes[] = { N_ ("inference"), N_ ("training") };

static const struct
{
  const char *name, *title;
} axis_titles[] = {
  { "repeat", N_ ("Round") },    { "models", N_ ("Model") }, { "batch", N_ ("Batch") },
  { "length", N_ ("Length") },   { "passes", N_ ("Pass") },  { "devices", N_ ("Device") },
  { "threads", N_ ("Threads") }, { "modes", N_ ("Mode") },   { "variants", N_ ("Form") },
};

/* --- Memory --- */

static void
clear (gpointer pointer)
{
  ScopeSweepData *data = pointer;

  for (guint i = 0; i < data->n_axes; i++)
    g_free (data->axes[i].values);
  g_string_chunk_free (data->texts);
  g_free (data->cells);
  g_free (data->pairs);
  g_free (data->folder);
}

ScopeSweepData *
scope_sweep_data_ref (ScopeSweepData *data)
{
  return g_atomic_rc_box_acquire (data);
}

void
scope_sweep_data_unref (ScopeSweepData *data)
{
  g_atomic_rc_box_release_full (data, clear);
}

/* --- Members --- */

/* The string at key; "" if there is none. */
static const char *
find_text (const HybJson *json, HybJsonRef object, const char *key)
{
  HybJsonRef  ref = hyb_json_find (json, object, key);
  const char *text = ref == HYB_JSON_NONE ? NULL : hyb_json_get_string (json, ref);

  return text ? text : "";
}

/* The whole number at key; 0 if there is none. */
static guint
find_count (const HybJson *json, HybJsonRef object, const char *key)
{
  HybJsonRef ref = hyb_json_find (json, object, key);
  gint64     value = 0;

  if (ref != HYB_JSON_NONE && hyb_json_get_int (json, ref, &value))
    value = CLAMP (value, 0, MAX_CELLS);
  return (guint) value;
}

static gboolean
find_flag (const HybJson *json, HybJsonRef object, const char *key)
{
  HybJsonRef ref = hyb_json_find (json, object, key);

  return ref != HYB_JSON_NONE && hyb_json_get_kind (json, ref) == HYB_JSON_TRUE;
}

/* Texts repeat: hosts, reasons and values. */
static const char *
keep (ScopeSweepData *data, const char *text)
{
  return g_string_chunk_insert_const (data->texts, text ? text : "");
}

/* --- The plan --- */

static gboolean
read_axis (ScopeSweepData *data, const HybJson *json, HybJsonRef object)
{
  HybJsonRef  list = hyb_json_find (json, object, "values");
  guint       n = list == HYB_JSON_NONE ? 0 : hyb_json_get_length (json, list);
  ScopeAxis  *axis = &data->axes[data->n_axes];
  HybJsonIter iter;
  HybJsonRef  value;

  if (n == 0 || n > MAX_CELLS || data->n_axes == SCOPE_SWEEP_MAX_AXES)
    return FALSE;
  data->n_axes++;
  axis->name = keep (data, find_text (json, object, "name"));
  axis->is_number = find_flag (json, object, "is_number");
  axis->values = g_new (const char *, n);
  iter = hyb_json_iter (json, list);
  while (hyb_json_iter_next (&iter, NULL, &value))
    axis->values[axis->n_values++] = keep (data, hyb_json_get_string (json, value));
  return TRUE;
}

/* FALSE if the axes do not make as many cells as there are.  The rounds are the first axis, and at least two others follow. */
static gboolean
read_axes (ScopeSweepData *data, const HybJson *json)
{
  HybJsonRef  list = hyb_json_find (json, 0, "axes");
  HybJsonIter iter;
  HybJsonRef  object;
  guint64     n = 1;

  if (list == HYB_JSON_NONE)
    return FALSE;
  iter = hyb_json_iter (json, list);
  while (hyb_json_iter_next (&iter, NULL, &object))
    if (!read_axis (data, json, object))
      return FALSE;
  for (guint i = data->n_axes; i-- > 0;)
    {
      data->axes[i].stride = (guint) n;
      n *= data->axes[i].n_values;
      if (n > MAX_CELLS || scope_axis_is_rounds (&data->axes[i]) != (i == 0))
        return FALSE;
    }
  return data->n_axes > 2 && n == data->n_cells;
}

/* --- Cells --- */

static double
get_number (const HybJson *json, HybJsonRef ref)
{
  double value;

  return hyb_json_get_double (json, ref, &value) && isfinite (value) ? value : NAN;
}

static gboolean
read_state (const HybJson *json, HybJsonRef ref, ScopeCellState *state)
{
  const char *name = hyb_json_get_string (json, ref);

  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    if (g_strcmp0 (name, states[i].name) == 0)
      {
        *state = states[i].state;
        return TRUE;
      }
  return FALSE;
}

static gboolean
read_cell (ScopeSweepData *data, const HybJson *json, HybJsonRef list, ScopeCellResult *cell)
{
  HybJsonIter iter = hyb_json_iter (json, list);
  HybJsonRef  members[N_MEMBERS];

  for (guint i = 0; i < N_MEMBERS; i++)
    if (!hyb_json_iter_next (&iter, NULL, &members[i]))
      return FALSE;
  if (!read_state (json, members[MEMBER_STATE], &cell->state))
    return FALSE;
  cell->value = get_number (json, members[MEMBER_VALUE]);
  cell->low = get_number (json, members[MEMBER_LOW]);
  cell->high = get_number (json, members[MEMBER_HIGH]);
  cell->is_crowded = hyb_json_get_kind (json, members[MEMBER_CROWDED]) == HYB_JSON_TRUE;
  cell->host = keep (data, hyb_json_get_string (json, members[MEMBER_HOST]));
  cell->reason = keep (data, hyb_json_get_string (json, members[MEMBER_REASON]));
  data->n_in_state[cell->state]++;
  return TRUE;
}

static gboolean
read_cells (ScopeSweepData *data, const HybJson *json)
{
  HybJsonRef  list = hyb_json_find (json, 0, "cells_in_order");
  HybJsonIter iter;
  HybJsonRef  cell;
  guint       n = 0;

  if (list == HYB_JSON_NONE || hyb_json_get_length (json, list) != data->n_cells)
    return FALSE;
  data->cells = g_new0 (ScopeCellResult, data->n_cells);
  iter = hyb_json_iter (json, list);
  while (hyb_json_iter_next (&iter, NULL, &cell))
    if (!read_cell (data, json, cell, &data->cells[n++]))
      return FALSE;
  return TRUE;
}

static void
read_pairs (ScopeSweepData *data, const HybJson *json)
{
  HybJsonRef  list = hyb_json_find (json, 0, "pairs");
  HybJsonIter iter;
  HybJsonRef  pair;

  if (list == HYB_JSON_NONE)
    return;
  data->pairs = g_new0 (ScopeFormPair, hyb_json_get_length (json, list));
  iter = hyb_json_iter (json, list);
  while (hyb_json_iter_next (&iter, NULL, &pair))
    data->pairs[data->n_pairs++] =
        (ScopeFormPair){ .a = keep (data, find_text (json, pair, "a")),
                         .b = keep (data, find_text (json, pair, "b")),
                         .n_faster = find_count (json, pair, "faster"),
                         .n_slower = find_count (json, pair, "slower"),
                         .n_undecided = find_count (json, pair, "undecided"),
                         .n_other_machines = find_count (json, pair, "other_machines"),
                         .n_crowded = find_count (json, pair, "crowded") };
}

ScopeSweepData *
scope_sweep_data_parse (const char *text, const char *folder, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (HybJson) json = hyb_json_parse (bytes, NULL, "hscope report", NULL, error);
  g_autoptr (ScopeSweepData) data = NULL;

  if (!json)
    return NULL;
  data = g_atomic_rc_box_new0 (ScopeSweepData);
  data->folder = g_strdup (folder);
  data->texts = g_string_chunk_new (4096);
  data->n_cells = find_count (json, 0, "cells");
  data->n_crowded = find_count (json, 0, "crowded");
  data->is_timing = find_flag (json, 0, "is_timing");
  if (!read_axes (data, json) || !read_cells (data, json))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                           _ ("hscope returned no results of a sweep. The versions of hscope and "
                              "hybridscope may differ."));
      return NULL;
    }
  read_pairs (data, json);
  return g_steal_pointer (&data);
}

/* --- Reading --- */

typedef struct
{
  char *folder, *text;
} Request;

static void
request_free (gpointer pointer)
{
  Request *request = pointer;

  g_free (request->folder);
  g_free (request->text);
  g_free (request);
}

static void
unref_data (gpointer data)
{
  scope_sweep_data_unref (data);
}

static void
parse_in_worker (GTask *task, gpointer pointer)
{
  const Request  *request = pointer;
  GError         *error = NULL;
  ScopeSweepData *data = scope_sweep_data_parse (request->text, request->folder, &error);

  scope_task_return (task, data, unref_data, error);
}

static void
reported_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer pointer)
{
  g_autoptr (GTask) task = pointer;
  Request *request = g_task_get_task_data (task);
  GError  *error = NULL;

  request->text = scope_child_run_finish (result, &error);
  if (request->text)
    scope_worker_run (task, parse_in_worker);
  else
    g_task_return_error (task, error);
}

void
scope_sweep_data_read_async (const char         *folder,
                             GCancellable       *cancellable,
                             GAsyncReadyCallback callback,
                             gpointer            user_data)
{
  const char *const arguments[] = { "report", folder, "--json", NULL };
  GTask            *task = g_task_new (NULL, cancellable, callback, user_data);
  Request          *request = g_new0 (Request, 1);

  request->folder = g_strdup (folder);
  g_task_set_task_data (task, request, request_free);
  scope_child_run_async (arguments, cancellable, reported_cb, task);
}

ScopeSweepData *
scope_sweep_data_read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- Questions --- */

gboolean
scope_sweep_data_has_same_plan (const ScopeSweepData *a, const ScopeSweepData *b)
{
  if (a->n_axes != b->n_axes || a->n_cells != b->n_cells || a->is_timing != b->is_timing)
    return FALSE;
  for (guint i = 0; i < a->n_axes; i++)
    {
      if (strcmp (a->axes[i].name, b->axes[i].name) != 0 ||
          a->axes[i].n_values != b->axes[i].n_values)
        return FALSE;
      for (guint k = 0; k < a->axes[i].n_values; k++)
        if (strcmp (a->axes[i].values[k], b->axes[i].values[k]) != 0)
          return FALSE;
    }
  return TRUE;
}

guint
scope_sweep_data_get_position (const ScopeSweepData *data, guint cell, guint axis)
{
  return cell / data->axes[axis].stride % data->axes[axis].n_values;
}

const char *
scope_sweep_data_find_reason (const ScopeSweepData *data, guint *n)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL); /* equal texts are one pointer */
  const char *most = NULL;

  *n = 0;
  for (guint i = 0; i < data->n_cells; i++)
    if (data->cells[i].state == SCOPE_CELL_FAILED)
      {
        gpointer key = (gpointer) data->cells[i].reason;
        guint    count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, key)) + 1;

        g_hash_table_insert (counts, key, GUINT_TO_POINTER (count));
        if (count > *n)
          {
            *n = count;
            most = key;
          }
      }
  return most;
}

char *
scope_sweep_data_dup_capture (const ScopeSweepData *data, guint cell)
{
  g_autofree char *name = g_strdup_printf ("%06u.hscope", cell);

  return g_build_filename (data->folder, "captures", name, NULL);
}

gboolean
scope_axis_is_rounds (const ScopeAxis *axis)
{
  return strcmp (axis->name, "repeat") == 0;
}

/* --- Texts --- */

const char *
scope_axis_title (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (axis_titles); i++)
    if (strcmp (name, axis_titles[i].name) == 0)
      return _ (axis_titles[i].title);
  return name;
}

/* Forms have the titles that the window gives them; models of files are known by the last part of their paths. */
char *
scope_axis_dup_value (const ScopeAxis *axis, guint position)
{
  const char *value = axis->values[position];

  if (strcmp (axis->name, "variants") == 0)
    return g_strdup (scope_conversion_title (value));
  for (guint i = 0; i < G_N_ELEMENTS (passes) && strcmp (axis->name, "passes") == 0; i++)
    if (strcmp (value, passes[i]) == 0)
      return g_strdup (_ (passes[i]));
  if (*value == '\0')
    return g_strdup (_ ("as it is"));
  if (*value == '/')
    return g_path_get_basename (value);
  return g_strdup (value);
}

char *
scope_sweep_data_format (const ScopeSweepData *data, double value)
{
  if (isnan (value))
    return g_strdup ("–");
  return data->is_timing ? prof_format_seconds (value) : g_strdup_printf ("%.3g", value);
}
