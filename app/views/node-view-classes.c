/* node-view-classes.c — the five largest values of an output that looks like classes, with their names.
 *
 * Names come from a text file with a line for each class.  Start reading with scope_node_view_show_classes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include <glib/gi18n.h>
#include <math.h>

#define N_SHOWN     5
#define MIN_CLASSES 2
#define MAX_CLASSES 200000
#define MAX_SAMPLES 8 /* of a batch */

/* Whether the last axis may count classes, and the others samples. */
static gboolean
looks_like_classes (const HybShape *shape)
{
  return hyb_shape_is_known (shape) && (shape->rank == 1 || shape->rank == 2) &&
         shape->dim[shape->rank - 1] >= MIN_CLASSES && shape->dim[shape->rank - 1] <= MAX_CLASSES;
}

/* The index of the largest of n values below the last one that was found; NaN is none.  -1: there is none. */
static gint64
find_next (const HybTensor *tensor, gint64 first, gint64 n, gint64 last)
{
  double bound = last < 0 ? INFINITY : hyb_tensor_get_value (tensor, first + last);
  double best = -INFINITY;
  gint64 found = -1;

  for (gint64 i = 0; i < n; i++)
    {
      double   value = hyb_tensor_get_value (tensor, first + i);
      gboolean is_left = value < bound || (value == bound && i > last);

      if (last < 0)
        is_left = !isnan (value);
      if (is_left && (value > best || found < 0))
        {
          best = value;
          found = i;
        }
    }
  return found;
}

static void
add_sample (ScopeSheet *sheet, const HybTensor *tensor, gint64 sample, const char *const *labels)
{
  const HybShape *shape = hyb_tensor_get_shape (tensor);
  gint64          n = shape->dim[shape->rank - 1], last = -1;
  guint           n_labels = labels ? g_strv_length ((char **) labels) : 0;

  for (guint i = 0; i < N_SHOWN; i++)
    {
      gint64           index = find_next (tensor, sample * n, n, last);
      g_autofree char *name = NULL, *value = NULL;

      if (index < 0)
        return;
      last = index;
      name = index < n_labels ? g_strdup (labels[index])
                              : g_strdup_printf (_ ("class %u"), (guint) index);
      value = g_strdup_printf ("%.5g", hyb_tensor_get_value (tensor, sample * n + index));
      scope_sheet_add_row (sheet, name, value, NULL, 0);
    }
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ScopeWorkspace *workspace = SCOPE_WORKSPACE (source);
  g_autoptr (ScopeSheet) sheet = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensor) tensor = scope_workspace_read_tensor_finish (workspace, result, &error);
  gint64 n;

  scope_sheet_clear (sheet);
  if (!tensor)
    {
      scope_sheet_add_text (sheet, error->message, "error");
      return;
    }
  n = hyb_tensor_get_shape (tensor)->rank == 2 ? hyb_tensor_get_shape (tensor)->dim[0] : 1;
  for (gint64 i = 0; i < MIN (n, MAX_SAMPLES); i++)
    {
      if (n > 1)
        {
          g_autofree char *title = g_strdup_printf (_ ("Sample %u"), (guint) i);

          scope_sheet_add_text (sheet, title, "dim-label");
        }
      add_sample (sheet, tensor, i, scope_workspace_get_labels (workspace));
    }
}

static void
on_show (GtkButton *button, gpointer data)
{
  ScopeWorkspace        *workspace = scope_view_get_workspace (data);
  const ScopeTensorName *name = g_object_get_data (G_OBJECT (button), "tensor");
  ScopeSheet            *sheet = g_object_get_data (G_OBJECT (button), "sheet");

  scope_sheet_clear (sheet);
  scope_sheet_add_text (sheet, _ ("Computing…"), "dim-label");
  scope_workspace_read_tensor_async (workspace, name, NULL, read_cb, g_object_ref (sheet));
}

static void
free_name (gpointer name)
{
  scope_tensor_name_free (name);
}

void
scope_node_view_show_classes (ScopeNodeView *self, ScopeDocument *document, guint32 box)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  g_autoptr (GPtrArray) names = scope_tensor_names (document, box);
  const ScopeTensorName *name = names->len == 1 ? names->pdata[0] : NULL;
  guint32                maker = name ? scope_document_find_inside (document, NULL, name->node) : 0;
  const ScopePlace      *place = maker ? scope_document_get_place (document, maker) : NULL;
  const HybType         *types = place ? scope_document_get_types (document, place->graph) : NULL;
  GtkWidget             *button, *sheet;

  if (!types || !scope_workspace_has_tensor (workspace, name) ||
      !looks_like_classes (
          &types[hyb_graph_get_node (place->graph, place->node)->first_output + name->output]
               .shape))
    return;
  scope_sheet_add_heading (self->sheet, _ ("Classes"));
  sheet = scope_sheet_new ();
  gtk_widget_remove_css_class (sheet, "sheet");
  gtk_widget_set_name (sheet, "top-classes");
  button = gtk_button_new_with_label (_ ("Show Top 5"));
  gtk_widget_set_name (button, "show-classes");
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  g_object_set_data_full (G_OBJECT (button), "tensor", scope_tensor_name_copy (name), free_name);
  g_object_set_data (G_OBJECT (button), "sheet", sheet);
  g_signal_connect (button, "clicked", G_CALLBACK (on_show), self);
  scope_sheet_add (self->sheet, button);
  scope_sheet_add (self->sheet, sheet);
  if (!scope_workspace_get_labels (workspace))
    scope_sheet_add_text (self->sheet,
                          _ ("Drop a text file with a line for each class to see their names."),
                          "dim-label");
}
