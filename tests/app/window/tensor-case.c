/* tensor-case.c — models with one parameter for tests of the view of values, and what such a test reads and presses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/tensor-case.h"

#include "engine/formats/format.h"

#include <glib/gstdio.h>
#include <string.h>

const char tensor_symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"w\", \"inputs\": []},"
    "{\"op\": \"elemwise_add\", \"name\": \"sum\", \"inputs\": [[0,0,0],[1,0,0]]}], "
    "\"arg_nodes\": [0,1], \"heads\": [[2,0,0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

static char *folder; /* of the files of a test, from the first one on */

char *
tensor_in_folder (const char *name)
{
  if (!folder)
    folder = g_dir_make_tmp ("hybridscope-values-XXXXXX", NULL);
  return g_build_filename (folder, name, NULL);
}

/* Removes the folder with its files. */
void
tensor_remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = tensor_in_folder (name);

      g_remove (path);
    }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

/* A tensor whose elements are their indices. */
HybTensor *
new_counting (int rank, const gint64 *dims)
{
  HybTensor *tensor = hyb_tensor_new_float (rank, dims, NULL);
  float     *data = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    data[i] = (float) i;
  return tensor;
}

/* Writes a model with this parameter, which may be NULL, and opens it. */
ScopePage *
open_model (const char *name, HybTensor *w, const char *const *shapes)
{
  g_autofree char *json = g_strconcat (name, "-symbol.json", NULL);
  g_autofree char *params = g_strconcat (name, "-0000.params", NULL);
  g_autofree char *path = tensor_in_folder (json), *params_path = tensor_in_folder (params);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  ScopePage *own;

  g_assert_true (g_file_set_contents (path, tensor_symbol, -1, NULL));
  hyb_tensor_list_set (list, "arg:w", w);
  g_assert_true (!w || hyb_weights_write_file (list, params_path, NULL));
  scope_window_open_as (window, file, NULL, shapes);
  own = scope_window_get_page (window);
  gui_settle (own);
  return own;
}

void
select_node (ScopePage *own, const char *name)
{
  ScopeWorkspace *its = scope_page_get_workspace (own);

  scope_workspace_show (its, scope_document_find_name (scope_workspace_get_document (its), name));
}

ScopeValuesView *
view_of (ScopePage *own)
{
  return SCOPE_VALUES_VIEW (scope_page_get_view (own, "values"));
}

gboolean
has_tensor (gpointer of)
{
  return scope_values_view_get_tensor (view_of (of)) != NULL;
}

static gboolean
has_picture (gpointer of)
{
  return gui_find (of, "values-picture") != NULL;
}

/* "own" shows this text in a label of the view. */
typedef struct
{
  ScopePage  *own;
  const char *text;
} Saying;

static gboolean
is_said (gpointer data)
{
  const Saying *saying = data;

  return says (GTK_WIDGET (view_of (saying->own)), saying->text);
}

void
wait_for_text (ScopePage *own, const char *text)
{
  Saying saying = { own, text };

  if (!gui_wait (is_said, &saying, 20000))
    g_error ("the view of values does not say “%s”", text);
}

void
show_values (ScopePage *own)
{
  gui_act (window, "win.show-view", "values");
  wait_until (has_tensor, own);
  wait_until (has_picture, own);
}

const char *
text_of (ScopePage *own, const char *name)
{
  GtkWidget *widget = gui_find (GTK_WIDGET (view_of (own)), name);

  return GTK_IS_LABEL (widget) ? gtk_label_get_text (GTK_LABEL (widget))
                               : gtk_editable_get_text (GTK_EDITABLE (widget));
}

GtkWidget *
grid_of (ScopePage *own)
{
  return gui_find (GTK_WIDGET (view_of (own)), "values-grid");
}

/* Activates what a key is bound to, in a widget or the nearest one around it. */
void
press (GtkWidget *widget, const char *key)
{
  g_autoptr (GtkShortcutTrigger) wanted = gtk_shortcut_trigger_parse_string (key);

  for (; widget; widget = gtk_widget_get_parent (widget))
    {
      g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

      for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
        {
          g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

          for (guint k = 0; GTK_IS_SHORTCUT_CONTROLLER (controller) &&
                            k < g_list_model_get_n_items (G_LIST_MODEL (controller));
               k++)
            {
              g_autoptr (GtkShortcut) shortcut =
                  g_list_model_get_item (G_LIST_MODEL (controller), k);

              if (gtk_shortcut_trigger_equal (gtk_shortcut_get_trigger (shortcut), wanted) &&
                  gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                                gtk_shortcut_get_arguments (shortcut)))
                return;
            }
        }
    }
  g_error ("no widget takes the key %s", key);
}

void
close_dialog (void)
{
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
}

void
assert_narrow (ScopePage *own)
{
  int minimum;

  gtk_widget_measure (GTK_WIDGET (view_of (own)), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL,
                      NULL, NULL);
  g_assert_cmpint (minimum, <=, 670);
}
