/* plugin-find.c — finds model classes in shared modules: those of the gallery, and files.
 *
 * A module is never unloaded, because blocks and options point into it.  Start at
 * hyb_plugin_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/plugin-find.h"

#include "engine/base/beside.h"
#include "engine/base/error.h"
#include "engine/block/plugin-open.h"
#include "engine/op/suggest.h"

#include <gmodule.h>
#include <string.h>

#define GALLERY "gallery:"

/* --- The gallery's folder --- */

/* The folder of the gallery, relative to the library when installed, to a program when installed,
 * or to either in a build tree.  (transfer full); NULL if there is none */
static char *
gallery_folder (void)
{
  static const char *const relative[] = {
    "hybridscope/gallery",
    "../" HYB_LIBDIR "/hybridscope/gallery",
    "../resources/gallery",
    NULL,
  };
  const char *given = g_getenv ("HYBRIDSCOPE_GALLERY");

  return given && given[0] != '\0' ? g_strdup (given) : hyb_find_beside (relative);
}

char *
hyb_gallery_file (const char *name)
{
  g_autofree char *folder = gallery_folder ();

  return folder ? g_build_filename (folder, name, NULL) : NULL;
}

/* --- Modules --- */

/* Whether a module that is open exports a table. */
static gboolean
has_table (const char *path, const char *table)
{
  GModule *module = g_module_open (path, G_MODULE_BIND_LOCAL);
  gpointer symbol = NULL;

  return module && g_module_symbol (module, table, &symbol) && symbol;
}

/* A module with models may have the operators that they call. */
static const HybPlugin *
open_module (const char *path, GError **error)
{
  const HybPlugin *plugin =
      hyb_plugin_open_table (path, "hyb_plugin", "Export models with HYB_MODEL or HYB_PLUGIN",
                             error);

  if (plugin && has_table (path, "hyb_operators") && !hyb_operators_load (path, error))
    return NULL;
  return plugin;
}

static const HybModelClass *
find_model (const HybPlugin *plugin, const char *path, const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n = 0;

  for (; plugin->models[n]; n++)
    {
      if (name && strcmp (plugin->models[n]->name, name) == 0)
        return plugin->models[n];
      g_string_append_printf (names, "%s%s", n > 0 ? ", " : "", plugin->models[n]->name);
    }
  if (!name && n == 1)
    return plugin->models[0];

  hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, path, NULL,
                name ? "there is no model “%s” in it; there are %s"
                     : "%sit holds several models; name one as FILE.so:NAME: %s",
                name ? name : "", names->str);
  return NULL;
}

static gint
compare_models (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const HybModelClass *const *) a)->name,
                 (*(const HybModelClass *const *) b)->name);
}

GPtrArray *
hyb_gallery_list (void)
{
  GPtrArray       *models = g_ptr_array_new ();
  g_autofree char *folder = gallery_folder ();
  g_autoptr (GDir) dir = folder ? g_dir_open (folder, 0, NULL) : NULL;
  const char *entry;

  while (dir && (entry = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, entry, NULL);
      const HybPlugin *plugin;

      if (!g_str_has_suffix (entry, ".so"))
        continue;
      plugin = open_module (path, NULL);
      for (guint i = 0; plugin && plugin->models[i]; i++)
        g_ptr_array_add (models, (gpointer) plugin->models[i]);
    }
  g_ptr_array_sort (models, compare_models);
  return models;
}

static void
refuse_model (const GPtrArray *models, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *list = NULL;
  const char      *meant;

  for (guint i = 0; i < models->len; i++)
    g_ptr_array_add (names, (gpointer) ((const HybModelClass *) models->pdata[i])->name);
  meant = hyb_suggest_name ((const char *const *) names->pdata, names->len, name);
  g_ptr_array_add (names, NULL);
  list = g_strjoinv (", ", (char **) names->pdata);
  if (models->len == 0)
    hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, NULL,
                  "Install it, or set HYBRIDSCOPE_GALLERY to its folder",
                  "the gallery, where “%s” should be, was not found", name);
  else
    hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, NULL, NULL,
                  meant ? "the gallery has no model “%s”; did you mean “%s”?"
                        : "the gallery has no model “%s”; it has %s",
                  name, meant ? meant : list);
}

static const HybModelClass *
find_in_gallery (const char *name, GError **error)
{
  g_autofree char *entry = g_strconcat (name, ".so", NULL);
  g_autofree char *path = hyb_gallery_file (entry);
  g_autoptr (GPtrArray) models = NULL;

  if (path && strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen (name) &&
      g_file_test (path, G_FILE_TEST_EXISTS))
    {
      const HybPlugin *plugin = open_module (path, error);

      return plugin ? find_model (plugin, path, name, error) : NULL;
    }

  models = hyb_gallery_list ();
  for (guint i = 0; i < models->len; i++)
    {
      const HybModelClass *model = g_ptr_array_index (models, i);

      if (strcmp (model->name, name) == 0)
        return model;
    }
  refuse_model (models, name, error);
  return NULL;
}

/* --- “file.so:name?option=value” --- */

/* The parts of a name that users write. */
typedef struct
{
  char       *file;    /* NULL: the gallery's */
  char       *model;   /* NULL: none was named */
  const char *options; /* points into the text */
} PluginName;

static void
plugin_name_clear (PluginName *name)
{
  g_free (name->file);
  g_free (name->model);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PluginName, plugin_name_clear)

static gboolean
is_module_file (const char *path)
{
  return g_str_has_suffix (path, ".so") && g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static gboolean
is_model_name (const char *text)
{
  return *text != '\0' && text[strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

/* Takes the options and the model's name off the last part of a path, so that a colon or a question
 * mark in the name of a folder never ends the path.  FALSE if text names no module. */
static gboolean
parse_module (const char *text, PluginName *name)
{
  const char *slash = strrchr (text, '/');
  const char *last = slash ? slash + 1 : text;
  gsize       length = (gsize) (last - text) + strcspn (last, "?");
  char       *colon;

  name->file = g_strndup (text, length);
  name->options = text[length] == '?' ? text + length + 1 : text + length;
  if (is_module_file (name->file))
    return TRUE;

  colon = strrchr (name->file + (last - text), ':');
  if (!colon || !is_model_name (colon + 1))
    return FALSE;
  *colon = '\0';
  name->model = g_strdup (colon + 1);
  return is_module_file (name->file);
}

/* FALSE if text names no plug-in. */
static gboolean
parse_name (const char *text, PluginName *name)
{
  /* A file with the very name that was given is that file, whatever the name looks like. */
  if (g_file_test (text, G_FILE_TEST_EXISTS))
    {
      name->file = g_strdup (text);
      name->options = "";
      return is_module_file (text);
    }
  if (g_str_has_prefix (text, GALLERY))
    {
      text += strlen (GALLERY);
      name->model = g_strndup (text, strcspn (text, "?"));
      text += strlen (name->model);
      name->options = *text == '?' ? text + 1 : text;
      return TRUE;
    }
  return parse_module (text, name);
}

gboolean
hyb_is_plugin_name (const char *text)
{
  g_auto (PluginName) name = { 0 };

  g_return_val_if_fail (text, FALSE);
  return parse_name (text, &name);
}

char *
hyb_plugin_dup_module (const char *text)
{
  g_auto (PluginName) name = { 0 };

  g_return_val_if_fail (text, NULL);
  return parse_name (text, &name) ? g_steal_pointer (&name.file) : NULL;
}

const HybModelClass *
hyb_plugin_find (const char *text, const char **options, GError **error)
{
  g_auto (PluginName) name = { 0 };
  g_autofree char *path = NULL;
  const HybPlugin *plugin;

  if (!parse_name (text, &name))
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, NULL,
                    "Write gallery:NAME, or FILE.so or FILE.so:NAME of a file that exists",
                    "“%s” names no plug-in", text);
      return NULL;
    }
  /* The options outlive the copy of the name, because they point into the caller's text. */
  *options = name.options;
  if (!name.file)
    return find_in_gallery (name.model, error);

  if (g_strcmp0 (g_getenv (HYB_PLUGINS_VARIABLE), HYB_PLUGINS_GALLERY) == 0)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, name.file, NULL,
                    "a plug-in is a program, and this process loads only those of the gallery "
                    "(" HYB_PLUGINS_VARIABLE "=" HYB_PLUGINS_GALLERY ")");
      return NULL;
    }
  /* The loader would search the system's folders for a name without a slash. */
  path = strchr (name.file, '/') ? g_strdup (name.file) : g_build_filename (".", name.file, NULL);
  plugin = open_module (path, error);
  return plugin ? find_model (plugin, path, name.model, error) : NULL;
}
