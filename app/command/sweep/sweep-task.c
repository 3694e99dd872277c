/* sweep-task.c — the tasks of a sweep: measuring cells and proving them.
 *
 * Start at the tables at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-task.h"

#include "app/command/children/find-json.h"
#include "app/command/frame/messages.h"

#include "engine/formats/json-text.h"

#include <string.h>

static void
add (GPtrArray *argv, const char *option, const char *value)
{
  if (*value == '\0')
    return;
  g_ptr_array_add (argv, g_strdup (option));
  g_ptr_array_add (argv, g_strdup (value));
}

/* Appends members of object with these keys, as numbers or true and false. */
static void
copy_members (const HybJson *document, HybJsonRef object, const char *const *keys, GString *line)
{
  for (guint i = 0; keys[i]; i++)
    {
      HybJsonRef value = hyb_json_find (document, object, keys[i]);
      double     number;

      if (value == HYB_JSON_NONE)
        continue;
      g_string_append_printf (line, ", \"%s\": ", keys[i]);
      if (hyb_json_get_double (document, value, &number))
        hyb_json_append_double (line, number);
      else
        g_string_append (line, hyb_json_get_kind (document, value) == HYB_JSON_TRUE    ? "true"
                               : hyb_json_get_kind (document, value) == HYB_JSON_FALSE ? "false"
                                                                                       : "null");
    }
}

/* --- Measuring --- */

static const char *
get_or (const ScopeSweepPlan *plan, guint cell, ScopeSweepAxis axis, const char *initial)
{
  const char *value = scope_sweep_plan_get (plan, cell, axis);

  return *value == '\0' ? initial : value;
}

static void
add_measuring (GPtrArray *argv, const ScopeSweepPlan *plan, guint cell, const char *prefix)
{
  g_autofree char *samples = g_strdup_printf ("%" G_GINT64_FORMAT, plan->samples);
  char             seconds[G_ASCII_DTOSTR_BUF_SIZE];
  const char      *pass = scope_sweep_plan_get (plan, cell, SCOPE_SWEEP_PASS);

  g_ptr_array_add (argv, g_strdup ("compare"));
  g_ptr_array_add (argv, g_strdup (scope_sweep_plan_get (plan, cell, SCOPE_SWEEP_MODEL)));
  g_ptr_array_add (argv, g_strdup ("--no-ladder"));
  g_ptr_array_add (argv, g_strdup ("--json"));
  add (argv, "--captures", prefix);
  add (argv, "--variants", get_or (plan, cell, SCOPE_SWEEP_VARIANT, "as-is"));
  add (argv, "--modes", get_or (plan, cell, SCOPE_SWEEP_MODE, "static"));
  add (argv, "--batch", scope_sweep_plan_get (plan, cell, SCOPE_SWEEP_BATCH));
  add (argv, "--length", scope_sweep_plan_get (plan, cell, SCOPE_SWEEP_LENGTH));
  add (argv, "--threads", scope_sweep_plan_get (plan, cell, SCOPE_SWEEP_THREADS));
  add (argv, "--device", scope_sweep_plan_get (plan, cell, SCOPE_SWEEP_DEVICE));
  if (strcmp (pass, "training") == 0)
    g_ptr_array_add (argv, g_strdup ("--backward"));
  if (plan->samples > 0)
    add (argv, "--repeat", samples);
  if (plan->time_limit > 0)
    add (argv, "--time-limit", g_ascii_dtostr (seconds, sizeof seconds, plan->time_limit));
}

static char *
dup_measured_capture (const ScopeSweepPlan *plan, guint cell, const char *prefix)
{
  return g_strdup_printf ("%s-0-%s-%s.hscope", prefix,
                          get_or (plan, cell, SCOPE_SWEEP_VARIANT, "as-is"),
                          get_or (plan, cell, SCOPE_SWEEP_MODE, "static"));
}

static gboolean
describe_measured (const HybJson *document, GString *line)
{
  static const char *const keys[] = { "median", "low", "high", "samples", "peak_bytes", NULL };
  HybJsonIter              iter = hyb_json_iter (document, hyb_json_find (document, 0, "cells"));
  HybJsonRef               cell;
  double                   median;

  if (!hyb_json_iter_next (&iter, NULL, &cell) ||
      !hyb_json_get_double (document, hyb_json_find (document, cell, "median"), &median))
    return FALSE;
  copy_members (document, cell, keys, line);
  return TRUE;
}

/* --- Proving --- */

static void
add_proving (GPtrArray *argv, const ScopeSweepPlan *plan, guint cell, const char *prefix)
{
  g_ptr_array_add (argv, g_strdup ("convert"));
  g_ptr_array_add (argv, g_strdup (scope_sweep_plan_get (plan, cell, SCOPE_SWEEP_MODEL)));
  g_ptr_array_add (argv, g_strdup ("--json"));
  add (argv, "--output", prefix);
  add (argv, "--to", get_or (plan, cell, SCOPE_SWEEP_VARIANT, "unrolled"));
  add (argv, "--length", scope_sweep_plan_get (plan, cell, SCOPE_SWEEP_LENGTH));
}

static gboolean
describe_proved (const HybJson *document, GString *line)
{
  static const char *const keys[] = { "inputs", "max_abs", "tolerance", "ok", NULL };
  HybJsonRef               proof = hyb_json_find (document, 0, "proof");

  if (proof == HYB_JSON_NONE)
    return FALSE;
  copy_members (document, proof, keys, line);
  return TRUE;
}

/* --- Tables --- */

static const char *const no_leavings[] = { NULL };
static const char *const pair[] = { "-symbol.json", "-0000.params", NULL };

#define AXIS(name)   (1u << SCOPE_SWEEP_##name)
#define ALL_AXES     (AXIS (N_AXES) - 1)
#define AXES_OF_FORM (AXIS (MODEL) | AXIS (LENGTH) | AXIS (VARIANT))

static const ScopeSweepTask tasks[] = {
  { "measure", ALL_AXES, TRUE, add_measuring, dup_measured_capture, describe_measured,
    no_leavings },
  { "prove", AXES_OF_FORM, FALSE, add_proving, NULL, describe_proved, pair },
};

const ScopeSweepTask *
scope_sweep_task_find (const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (tasks); i++)
    {
      if (strcmp (tasks[i].name, name) == 0)
        return &tasks[i];
      g_string_append_printf (names, "%s%s", i > 0 ? " and " : "", tasks[i].name);
    }
  scope_usage_error (error, "--task %s: there is no such task; there are %s", name, names->str);
  return NULL;
}

gboolean
scope_sweep_task_check (const ScopeSweepPlan *plan, GError **error)
{
  const ScopeSweepTask *task = scope_sweep_task_find (plan->task, error);

  for (guint axis = 0; task && axis < SCOPE_SWEEP_N_AXES; axis++)
    {
      gboolean has_values = plan->n_values[axis] > 1 ||
                            (axis != SCOPE_SWEEP_REPEAT && *plan->values[axis][0] != '\0');

      if (!has_values || task->axes & (1u << axis))
        continue;
      return scope_usage_error (error,
                                "--%s: the result of --task %s does not depend on it. Leave it out",
                                scope_sweep_axes[axis].name, task->name);
    }
  return task != NULL;
}
