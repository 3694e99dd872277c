/* sweep-plan.c — checks, reads and writes the plan of a sweep.
 *
 * A plan file comes from strangers like any other file: numbers of values and cells are limited.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-plan.h"

#include "app/command/children/find-json.h"
#include "app/command/frame/messages.h"
#include "app/command/sweep/sweep-folder.h"

#include "engine/base/error.h"
#include "engine/block/plugin.h"
#include "engine/formats/file.h"
#include "engine/formats/json-reader.h"
#include "engine/formats/json-text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define MAX_VALUES 10000   /* of an axis */
#define MAX_CELLS  1000000 /* of a plan */
#define MAX_NUMBER 16777216
#define MAX_PLAN   ((gsize) 16 << 20) /* bytes */
#define GROUP      "sweep"

const ScopeSweepAxisInfo scope_sweep_axes[SCOPE_SWEEP_N_AXES] = {
  [SCOPE_SWEEP_REPEAT] = { "repeat", "repeat", NULL, TRUE },
  [SCOPE_SWEEP_MODEL] = { "models", "model", NULL, FALSE },
  [SCOPE_SWEEP_BATCH] = { "batch", "batch", NULL, TRUE },
  [SCOPE_SWEEP_LENGTH] = { "length", "length", NULL, TRUE },
  [SCOPE_SWEEP_PASS] = { "passes", "pass", "inference training", FALSE },
  [SCOPE_SWEEP_DEVICE] = { "devices", "device", NULL, FALSE },
  [SCOPE_SWEEP_THREADS] = { "threads", "threads", NULL, TRUE },
  [SCOPE_SWEEP_MODE] = { "modes", "mode", "imperative hybrid static", FALSE },
  [SCOPE_SWEEP_VARIANT] = { "variants", "variant", "as-is unrolled foreach while fused", FALSE },
};

static gboolean
refuse (GError **error, ScopeSweepAxis axis, const char *value, const char *reason)
{
  return scope_usage_error (error, "--%s: “%s” %s", scope_sweep_axes[axis].name, value, reason);
}

static gboolean
check_value (ScopeSweepAxis axis, const char *value, GError **error)
{
  const ScopeSweepAxisInfo *info = &scope_sweep_axes[axis];
  gint64                    number;

  if (info->is_number && !g_ascii_string_to_signed (value, 10, 1, MAX_NUMBER, &number, NULL))
    return refuse (error, axis, value, "is not a number from 1 to 16777216");
  if (info->choices)
    {
      g_auto (GStrv) words = g_strsplit (info->choices, " ", -1);

      if (!g_strv_contains ((const char *const *) words, value))
        {
          g_autofree char *reason = g_strdup_printf ("is unknown; there are %s", info->choices);

          return refuse (error, axis, value, reason);
        }
    }
  if (*value == '\0')
    return refuse (error, axis, value, "is empty");
  if (axis == SCOPE_SWEEP_MODEL && *value == '-')
    return refuse (error, axis, value, "begins as an option does: write ./ before it");
  if (axis == SCOPE_SWEEP_MODEL && hyb_is_plugin_name (value) &&
      !g_str_has_prefix (value, "gallery:"))
    return refuse (error, axis, value, "is a plug-in: a plan cannot name code that is run");
  return TRUE;
}

/* Workers have other working directories.  (transfer full) */
static char *
dup_value (ScopeSweepAxis axis, const char *value)
{
  if (axis == SCOPE_SWEEP_MODEL && !hyb_is_plugin_name (value))
    return g_canonicalize_filename (value, NULL);
  return g_strdup (value);
}

/* The values of an axis; text: NULL for its default. */
static gboolean
set_axis (ScopeSweepPlan *plan, ScopeSweepAxis axis, const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text ? text : "", ",", -1);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (g_strv_length (words) > MAX_VALUES)
    return refuse (error, axis, "…", "has more than 10000 values");
  if (!text)
    g_strv_builder_add (builder, "");
  for (guint i = 0; text && words[i]; i++)
    {
      g_autofree char *value = NULL;

      if (!check_value (axis, g_strstrip (words[i]), error))
        return FALSE;
      value = dup_value (axis, words[i]);
      g_strv_builder_add (builder, value);
    }
  plan->values[axis] = g_strv_builder_end (builder);
  plan->n_values[axis] = g_strv_length (plan->values[axis]);
  return TRUE;
}

/* "1", "2" … up to the number in text. */
static gboolean
set_repeats (ScopeSweepPlan *plan, const char *text, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  gint64 number = 1;

  if (text && !g_ascii_string_to_signed (text, 10, 1, MAX_VALUES, &number, NULL))
    return refuse (error, SCOPE_SWEEP_REPEAT, text, "is not a number from 1 to 10000");
  for (gint64 i = 1; i <= number; i++)
    {
      g_autofree char *value = g_strdup_printf ("%" G_GINT64_FORMAT, i);

      g_strv_builder_add (builder, value);
    }
  plan->values[SCOPE_SWEEP_REPEAT] = g_strv_builder_end (builder);
  plan->n_values[SCOPE_SWEEP_REPEAT] = (guint) number;
  return TRUE;
}

static gboolean
count_cells (ScopeSweepPlan *plan, GError **error)
{
  guint64 n = 1;

  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    if (n <= MAX_CELLS)
      n *= plan->n_values[axis]; /* at most the product of both limits */
  plan->n_cells = (guint) MIN (n, MAX_CELLS);
  if (n > 0 && n <= MAX_CELLS)
    return TRUE;
  return scope_usage_error (error, "the plan has more than %d cells. Make several plans of it",
                            MAX_CELLS);
}

ScopeSweepPlan *
scope_sweep_plan_new (const ScopeSweepWish *wish, GError **error)
{
  g_autoptr (ScopeSweepPlan) plan = g_new0 (ScopeSweepPlan, 1);

  if (!wish->axes[SCOPE_SWEEP_MODEL])
    {
      scope_usage_error (error, "a sweep needs models: hscope sweep --models LIST, or a plan file");
      return NULL;
    }
  plan->task = g_strdup (wish->task ? wish->task : "measure");
  plan->samples = wish->samples;
  plan->time_limit = wish->time_limit;
  if (!set_repeats (plan, wish->axes[SCOPE_SWEEP_REPEAT], error))
    return NULL;
  for (guint axis = SCOPE_SWEEP_REPEAT + 1; axis < SCOPE_SWEEP_N_AXES; axis++)
    if (!set_axis (plan, axis, wish->axes[axis], error))
      return NULL;
  return count_cells (plan, error) ? g_steal_pointer (&plan) : NULL;
}

void
scope_sweep_plan_free (ScopeSweepPlan *plan)
{
  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    g_strfreev (plan->values[axis]);
  g_free (plan->task);
  g_free (plan);
}

/* --- Cells --- */

const char *
scope_sweep_plan_get (const ScopeSweepPlan *plan, guint cell, ScopeSweepAxis axis)
{
  for (guint faster = SCOPE_SWEEP_N_AXES - 1; faster > axis; faster--)
    cell /= plan->n_values[faster];
  return plan->values[axis][cell % plan->n_values[axis]];
}

void
scope_sweep_plan_describe_cell (const ScopeSweepPlan *plan, guint cell, GString *line)
{
  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    {
      const char *value = scope_sweep_plan_get (plan, cell, axis);

      g_string_append_printf (line, ", \"%s\": ", scope_sweep_axes[axis].key);
      if (*value == '\0')
        g_string_append (line, "null");
      else if (scope_sweep_axes[axis].is_number)
        g_string_append (line, value);
      else
        hyb_json_append_string (line, value);
    }
}

/* --- Files --- */

/* FALSE if the file has a key that no plan has. */
static gboolean
check_keys (GKeyFile *file, const char *path, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, GROUP, NULL, NULL);

  for (guint i = 0; keys && keys[i]; i++)
    {
      gboolean is_known = strcmp (keys[i], "task") == 0 || strcmp (keys[i], "samples") == 0 ||
                          strcmp (keys[i], "time-limit") == 0;

      for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
        is_known |= strcmp (keys[i], scope_sweep_axes[axis].name) == 0;
      if (is_known)
        continue;
      return scope_usage_error (error, "%s: a plan has no key “%s”", path, keys[i]);
    }
  return TRUE;
}

ScopeSweepPlan *
scope_sweep_plan_read_ini (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (path, 1 << 20, error);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *task = NULL;
  ScopeSweepWish   wish = { 0 };
  g_autoptr (GError) local = NULL;

  if (!bytes)
    return NULL;
  if (!g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, &local) ||
      !g_key_file_has_group (file, GROUP))
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, 0, path, NULL, "the file is not a plan: %s",
                    local ? local->message : "it has no group [sweep]");
      return NULL;
    }
  if (!check_keys (file, path, error))
    return NULL;
  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    {
      wish.axes[axis] = g_key_file_get_string (file, GROUP, scope_sweep_axes[axis].name, NULL);
      g_ptr_array_add (texts, (gpointer) wish.axes[axis]);
    }
  wish.task = task = g_key_file_get_string (file, GROUP, "task", NULL);
  wish.samples = CLAMP (g_key_file_get_int64 (file, GROUP, "samples", NULL), 0, 100000);
  wish.time_limit = CLAMP (g_key_file_get_double (file, GROUP, "time-limit", NULL), 0, 1e6);
  return scope_sweep_plan_new (&wish, error);
}

gboolean
scope_sweep_plan_write (const ScopeSweepPlan *plan, const char *path, GError **error)
{
  g_autoptr (GString) text = g_string_new ("{\n  \"version\": 1,\n  \"task\": ");

  hyb_json_append_string (text, plan->task);
  g_string_append_printf (text,
                          ",\n  \"cells\": %u,\n  \"samples\": %" G_GINT64_FORMAT
                          ",\n  \"time_limit\": ",
                          plan->n_cells, plan->samples);
  hyb_json_append_double (text, plan->time_limit);
  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    {
      g_string_append_printf (text, ",\n  \"%s\": [", scope_sweep_axes[axis].name);
      for (guint i = 0; i < plan->n_values[axis]; i++)
        {
          g_string_append (text, i > 0 ? ", " : "");
          hyb_json_append_string (text, plan->values[axis][i]);
        }
      g_string_append_c (text, ']');
    }
  g_string_append (text, "\n}\n");
  return hyb_file_replace_contents (path, text->str, text->len, error);
}

/* FALSE if the list is missing, too long, or has a value that the axis does not take. */
static gboolean
read_axis (ScopeSweepPlan *plan, ScopeSweepAxis axis, const HybJson *json)
{
  HybJsonRef  list = hyb_json_find (json, 0, scope_sweep_axes[axis].name);
  HybJsonIter iter;
  HybJsonRef  value;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (list == HYB_JSON_NONE || hyb_json_get_length (json, list) == 0 ||
      hyb_json_get_length (json, list) > MAX_VALUES)
    return FALSE;
  iter = hyb_json_iter (json, list);
  while (hyb_json_iter_next (&iter, NULL, &value))
    {
      const char *text = hyb_json_get_string (json, value);

      if (!text || (*text != '\0' && !check_value (axis, text, NULL)))
        return FALSE;
      g_strv_builder_add (builder, text);
    }
  plan->values[axis] = g_strv_builder_end (builder);
  plan->n_values[axis] = g_strv_length (plan->values[axis]);
  return TRUE;
}

ScopeSweepPlan *
scope_sweep_plan_read (const char *path, GError **error)
{
  g_autofree char *text = scope_sweep_read_at (AT_FDCWD, path, MAX_PLAN);
  int              code = errno;
  g_autoptr (GBytes) bytes = text ? g_bytes_new (text, strlen (text)) : NULL;
  g_autoptr (HybJson) json = bytes ? hyb_json_parse (bytes, NULL, path, NULL, error) : NULL;
  g_autoptr (ScopeSweepPlan) plan = g_new0 (ScopeSweepPlan, 1);
  gint64   version = 0;
  gboolean is_plan;

  if (!text)
    hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (code), path, NULL,
                  "the plan of a sweep has to be a regular file of at most 16 MiB: %s",
                  g_strerror (code));
  if (!json)
    return NULL;
  plan->task = g_strdup (scope_find_string (json, 0, "task"));
  is_plan = scope_find_int (json, 0, "version", &version) && version == 1 && plan->task &&
            scope_find_int (json, 0, "samples", &plan->samples) &&
            scope_find_double (json, 0, "time_limit", &plan->time_limit);
  for (guint axis = 0; is_plan && axis < SCOPE_SWEEP_N_AXES; axis++)
    is_plan = read_axis (plan, axis, json);
  if (is_plan && count_cells (plan, NULL))
    return g_steal_pointer (&plan);
  hyb_error_at (error, HYB_FORMAT_ERROR, 0, path, NULL,
                "the file is not a plan of a sweep, or is one of another version");
  return NULL;
}
