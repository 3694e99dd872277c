/* workspace-inputs.c — shapes that the user gives for a model's inputs, and filling with random values.
 *
 * Both belong to the document: a new shape reads the model again, so that everything that follows from it
 * is computed anew.  Start reading with scope_workspace_give_shapes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

/* NULL and an empty list are equal. */
static gboolean
are_equal (const char *const *a, const char *const *b)
{
  static const char *const none[] = { NULL };

  return g_strv_equal (a ? a : none, b ? b : none);
}

void
scope_workspace_give_shapes (ScopeWorkspace *self, const char *const *shapes)
{
  char **before = self->given_shapes;

  if (are_equal ((const char *const *) before, shapes))
    return;
  self->given_shapes = g_strdupv ((char **) shapes);
  g_strfreev (before);
  if (self->document || self->opening)
    scope_workspace_reload (self);
}

const char *
scope_workspace_get_open_input (ScopeWorkspace *self)
{
  const GArray *inputs = self->document ? scope_document_get_inputs (self->document) : NULL;

  for (guint i = 0; inputs && i < inputs->len; i++)
    {
      const ScopeInput *input = &g_array_index (inputs, ScopeInput, i);

      /* Nothing that a run computes depends on labels. */
      if (!hyb_shape_is_known (&input->type.shape) && input->role != HYB_ROLE_LABEL)
        return input->name;
    }
  return NULL;
}

const char *const *
scope_workspace_get_labels (ScopeWorkspace *self)
{
  return (const char *const *) self->labels;
}

void
scope_workspace_set_labels (ScopeWorkspace *self, const char *const *labels)
{
  g_strfreev (self->labels);
  self->labels = g_strdupv ((char **) labels);
}

gboolean
scope_workspace_get_fills (ScopeWorkspace *self)
{
  return self->fills;
}

void
scope_workspace_set_fills (ScopeWorkspace *self, gboolean fills)
{
  if (self->fills == fills)
    return;
  self->fills = fills;
  scope_workspace_notify_fills (self);
}

gboolean
scope_workspace_lacks_values (ScopeWorkspace *self)
{
  /* The child process makes the values of a source such as an example. */
  return !self->fills && !self->source && self->document &&
         scope_document_get_totals (self->document)->n_missing > 0;
}
