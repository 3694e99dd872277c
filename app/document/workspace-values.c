/* workspace-values.c — statistics of every operator's output, recorded after a run.
 *
 * Recording during the measured run would change its times.  The child therefore runs the model a
 * second time, operator by operator, on the same inputs (hscope run --values).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include <glib/gi18n.h>

void
scope_workspace_clear_values (ScopeWorkspace *self)
{
  if (self->loading_values)
    g_cancellable_cancel (self->loading_values);
  g_clear_object (&self->loading_values);
  g_clear_pointer (&self->values, scope_values_free);
}

static char *
describe_first_nan (const ScopeFirstNan *first)
{
  g_autofree char *step = scope_step_path_to_string (&first->step);

  if (!first->body)
    return g_strdup_printf (_ ("%s is the first operator whose output is not a number"),
                            first->node);
  if (*step == '\0')
    return g_strdup_printf (_ ("%s in %s is the first operator whose output is not a number"),
                            first->node, first->body);
  return g_strdup_printf (_ ("%s in %s, step %s, is the first operator whose output is not a "
                             "number"),
                          first->node, first->body, step);
}

static void
report_first_nan (ScopeWorkspace *self)
{
  const ScopeFirstNan *first = scope_values_get_first_nan (self->values);
  g_autofree char     *text = NULL;
  guint32              box;

  if (!first)
    return;
  box = scope_document_find_inside (self->document, first->body, first->node);
  text = describe_first_nan (first);
  scope_workspace_log (self, SCOPE_LOG_ERROR, box, "%s", text);
  scope_workspace_report_problem (self, text);
  scope_workspace_set_step (self, &first->step);
  scope_workspace_show (self, box);
}

static void
loaded_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeWorkspace) self = data;
  g_autoptr (GError) error = NULL;
  ScopeValues *values = scope_values_load_finish (result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->loading_values || !self->document)
    {
      g_clear_pointer (&values, scope_values_free);
      return;
    }
  g_clear_object (&self->loading_values);
  if (!values)
    {
      scope_workspace_log (self, SCOPE_LOG_WARNING, VIZ_ROOT,
                           _ ("The values of the run were not recorded: %s"), error->message);
      return;
    }
  self->values = values;
  scope_workspace_emit (self, SCOPE_SIGNAL_VALUES);
  report_first_nan (self);
}

void
scope_workspace_load_values (ScopeWorkspace *self)
{
  scope_workspace_clear_values (self);
  if (!self->values_command || !self->document)
    return;
  self->loading_values = g_cancellable_new ();
  scope_values_load_async ((const char *const *) self->values_command, self->loading_values,
                           loaded_cb, g_object_ref (self));
}
