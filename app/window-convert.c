/* window-convert.c — the same model in another form: hscope convert in the child, then a tab.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window-private.h"

#include "app/child.h"
#include "app/compare-window.h"

#include <cjson/cJSON.h>
#include <glib/gi18n.h>

typedef struct
{
  ScopeWindow *window;
  char        *prefix, *form;
  char       **shapes;
} Conversion;

static void
conversion_free (Conversion *conversion)
{
  g_object_unref (conversion->window);
  g_strfreev (conversion->shapes);
  g_free (conversion->prefix);
  g_free (conversion->form);
  g_free (conversion);
}

/* “equal to 2e-7”: what the child proved. */
static char *
tell_proof (const char *text, const char *form)
{
  cJSON       *json = cJSON_Parse (text);
  const cJSON *proof = cJSON_GetObjectItemCaseSensitive (json, "proof");
  const cJSON *ok = cJSON_GetObjectItemCaseSensitive (proof, "ok");
  const cJSON *worst = cJSON_GetObjectItemCaseSensitive (proof, "max_abs");
  char        *line;

  if (cJSON_IsTrue (ok) && cJSON_IsNumber (worst))
    line = g_strdup_printf (_ ("Written as %s; proved equal to %.2g"), form, worst->valuedouble);
  else
    line = g_strdup_printf (_ ("Written as %s"), form);
  cJSON_Delete (json);
  return line;
}

static void
converted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  Conversion *conversion = data;
  ScopePage  *page = scope_window_get_page (conversion->window);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = scope_child_ask_finish (result, &error);

  if (text == NULL && page != NULL)
    scope_page_say (page, error->message, NULL, NULL);
  else if (text != NULL)
    {
      g_autofree char *path = g_strconcat (conversion->prefix, "-symbol.json", NULL);
      g_autofree char *told = tell_proof (text, conversion->form);
      g_autoptr (GFile) file = g_file_new_for_path (path);

      scope_window_open_as (conversion->window,
                            file,
                            NULL,
                            (const char *const *) conversion->shapes);
      scope_window_toast (conversion->window, told);
    }
  conversion_free (conversion);
}

static char *
new_prefix (ScopeWorkspace *workspace, const char *form)
{
  g_autofree char *folder =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "converted", NULL);
  g_autofree char *name = g_strdup_printf ("%s-%s", scope_workspace_get_title (workspace), form);

  g_mkdir_with_parents (folder, 0700);
  return g_build_filename (folder, name, NULL);
}

static void
act_convert (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  ScopeWindow       *self = SCOPE_WINDOW (widget);
  ScopePage         *page = scope_window_get_page (self);
  const char        *form = g_variant_get_string (parameter, NULL);
  ScopeWorkspace    *workspace = page != NULL ? scope_page_get_workspace (page) : NULL;
  const char        *model = workspace != NULL ? scope_workspace_get_model_name (workspace) : NULL;
  const char *const *shapes;
  Conversion        *conversion;
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();

  if (model == NULL)
    return;
  shapes = scope_workspace_get_shapes (workspace);
  conversion = g_new0 (Conversion, 1);
  conversion->window = g_object_ref (self);
  conversion->form = g_strdup (form);
  conversion->prefix = new_prefix (workspace, form);
  conversion->shapes = g_strdupv ((char **) shapes);
  g_ptr_array_add (argv, (gpointer) "convert");
  g_ptr_array_add (argv, (gpointer) model);
  g_ptr_array_add (argv, (gpointer) "--to");
  g_ptr_array_add (argv, conversion->form);
  g_ptr_array_add (argv, (gpointer) "--output");
  g_ptr_array_add (argv, conversion->prefix);
  g_ptr_array_add (argv, (gpointer) "--json");
  for (guint i = 0; shapes != NULL && shapes[i] != NULL; i++)
    {
      g_ptr_array_add (argv, (gpointer) "--shape");
      g_ptr_array_add (argv, (gpointer) shapes[i]);
    }
  g_ptr_array_add (argv, NULL);
  scope_window_toast (self, _ ("Converting, and proving that it computes the same…"));
  scope_child_ask_async ((const char *const *) argv->pdata, NULL, converted_cb, conversion);
}

static void
act_compare (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage      *page = scope_window_get_page (SCOPE_WINDOW (widget));
  ScopeWorkspace *workspace = page != NULL ? scope_page_get_workspace (page) : NULL;
  const char     *model = workspace != NULL ? scope_workspace_get_model_name (workspace) : NULL;

  if (model != NULL)
    scope_compare_window_show (GTK_WINDOW (widget), model, scope_workspace_get_shapes (workspace));
}

void
scope_window_class_add_convert_actions (GtkWidgetClass *class)
{
  gtk_widget_class_install_action (class, "win.compare", NULL, act_compare);
  gtk_widget_class_install_action (class, "win.convert", "s", act_convert);
}
