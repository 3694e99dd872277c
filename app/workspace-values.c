/* workspace-values.c — after a run: what every operator gave, and where numbers end.
 *
 * The run itself is not watched for it, so that its times stay what they are: the child runs the
 * model once more, operator by operator, on the same inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/workspace-private.h"

#include <glib/gi18n.h>

void
scope_workspace_forget_values (ScopeWorkspace *self)
{
  if (self->asking != NULL)
    g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
  g_clear_pointer (&self->values, scope_values_free);
}

static void
tell_first_nan (ScopeWorkspace *self)
{
  const char      *node = scope_values_get_first_nan (self->values);
  guint32          box = scope_document_find_name (self->document, node);
  g_autofree char *text = NULL;

  if (node == NULL)
    return;
  text = g_strdup_printf (_ ("%s is the first to give something that is not a number"), node);
  scope_workspace_log (self, SCOPE_LOG_ERROR, box, "%s", text);
  scope_workspace_complain (self, text);
  scope_workspace_show (self, box);
}

static void
asked_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeWorkspace) self = data;
  g_autoptr (GError) error = NULL;
  ScopeValues *values = scope_values_ask_finish (result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->asking || self->document == NULL)
    {
      g_clear_pointer (&values, scope_values_free);
      return;
    }
  g_clear_object (&self->asking);
  if (values == NULL)
    {
      scope_workspace_log (self,
                           SCOPE_LOG_WARNING,
                           VIZ_ROOT,
                           _ ("Values of the run cannot be shown: %s"),
                           error->message);
      return;
    }
  self->values = values;
  scope_workspace_emit (self, SCOPE_SIGNAL_VALUES);
  tell_first_nan (self);
}

void
scope_workspace_ask_values (ScopeWorkspace *self)
{
  scope_workspace_forget_values (self);
  if (self->values_command == NULL || self->document == NULL)
    return;
  self->asking = g_cancellable_new ();
  scope_values_ask_async ((const char *const *) self->values_command,
                          self->asking,
                          asked_cb,
                          g_object_ref (self));
}

const ScopeValues *
scope_workspace_get_values (ScopeWorkspace *self)
{
  return self->values;
}
