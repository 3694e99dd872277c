/* gallery.c — gets the examples from hscope, and draws thumbnails of them one after the other.
 *
 * Commands are run by ask(); thumbnails wait in a queue, whose head is made by make_first().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/gallery.h"

#include "app/document/document.h"
#include "app/process/child.h"
#include "app/process/json-fields.h"
#include "app/process/worker.h"
#include "engine/block/plugin.h"

#include <math.h>
#include <string.h>

#define THUMBNAIL_WIDTH  400
#define THUMBNAIL_HEIGHT 240
#define THEME            "theme" /* key of a task */

static void
example_free (gpointer data)
{
  ScopeExample *example = data;

  g_free (example->name);
  g_free (example->summary);
  g_free (example);
}

/* --- Asking hscope --- */

/* How the output of a command is parsed. */
typedef struct
{
  gpointer (*parse) (const char *text);
  GDestroyNotify free;
} AnswerParser;

static void
answered_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  const AnswerParser *answer = g_task_get_task_data (task);
  GError             *error = NULL;
  g_autofree char    *text = scope_child_run_finish (result, &error);

  if (!text)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, answer->parse (text), answer->free);
}

static GTask *
new_answer (const AnswerParser *answer,
            GCancellable       *cancellable,
            GAsyncReadyCallback callback,
            gpointer            user_data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_task_data (task, (gpointer) answer, NULL);
  return task;
}

static void
run_hscope (const char *const  *arguments,
            const AnswerParser *answer,
            GCancellable       *cancellable,
            GAsyncReadyCallback callback,
            gpointer            user_data)
{
  scope_child_run_async (arguments, cancellable, answered_cb,
                         new_answer (answer, cancellable, callback, user_data));
}

/* --- The list --- */

static gpointer
parse_list (const char *text)
{
  GPtrArray   *examples = g_ptr_array_new_with_free_func (example_free);
  cJSON       *json = cJSON_Parse (text);
  const cJSON *list = cJSON_GetObjectItemCaseSensitive (json, "models");
  const cJSON *item;

  cJSON_ArrayForEach (item, list)
  {
    ScopeExample *example;

    if (*scope_json_get_text (item, "name") == '\0')
      continue;
    example = g_new0 (ScopeExample, 1);
    example->name = g_strdup (scope_json_get_text (item, "name"));
    example->summary = g_strdup (scope_json_get_text (item, "doc"));
    g_ptr_array_add (examples, example);
  }
  cJSON_Delete (json);
  return examples;
}

static const AnswerParser list_answer = { parse_list, (GDestroyNotify) g_ptr_array_unref };

void
scope_gallery_list_async (GCancellable       *cancellable,
                          GAsyncReadyCallback callback,
                          gpointer            user_data)
{
  run_hscope ((const char *const[]){ "new", "--list", "--json", NULL }, &list_answer, cancellable,
              callback, user_data);
}

GPtrArray *
scope_gallery_list_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- Tracing --- */

static char *
cache_prefix (const char *name)
{
  g_autofree char *folder =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", SCOPE_VERSION, "gallery", NULL);

  g_mkdir_with_parents (folder, 0700);
  return g_build_filename (folder, name, NULL);
}

static void
traced_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError          *error = NULL;
  g_autofree char *text = scope_child_run_finish (result, &error);

  if (!text)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_file_new_for_path (g_task_get_task_data (task)), g_object_unref);
}

void
scope_gallery_trace_async (const char         *name,
                           GCancellable       *cancellable,
                           GAsyncReadyCallback callback,
                           gpointer            user_data)
{
  GTask           *task = g_task_new (NULL, cancellable, callback, user_data);
  g_autofree char *base = g_path_get_basename (name);
  g_autofree char *prefix = cache_prefix (base);
  char            *symbol = g_strconcat (prefix, "-symbol.json", NULL);

  g_task_set_task_data (task, symbol, g_free);
  if (g_file_test (symbol, G_FILE_TEST_IS_REGULAR))
    {
      g_task_return_pointer (task, g_file_new_for_path (symbol), g_object_unref);
      g_object_unref (task);
      return;
    }
  scope_child_run_async ((const char *const[]){ "new", name, "--output", prefix, NULL },
                         cancellable, traced_cb, task);
}

void
scope_gallery_trace_plugin_async (const char         *model,
                                  const char         *hash,
                                  GCancellable       *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer            user_data)
{
  GTask           *task = g_task_new (NULL, cancellable, callback, user_data);
  g_autofree char *module = hyb_plugin_dup_module (model);
  g_autofree char *base = g_path_get_basename (module ? module : model);
  g_autofree char *folder = cache_prefix (hash);
  g_autofree char *prefix = NULL;

  if (g_str_has_suffix (base, ".so"))
    base[strlen (base) - strlen (".so")] = '\0';
  g_mkdir_with_parents (folder, 0700);
  prefix = g_build_filename (folder, base, NULL);
  g_task_set_task_data (task, g_strconcat (prefix, "-symbol.json", NULL), g_free);
  scope_child_run_plugin_async ((const char *const[]){ "trace", model, "--output", prefix, NULL },
                                cancellable, traced_cb, task);
}

GFile *
scope_gallery_trace_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- Shapes --- */

/* "NAME=1,3"; NULL: the shape is unknown or has unknown dimensions.  (transfer full) */
static char *
dup_shape (const cJSON *argument)
{
  const cJSON *dims = cJSON_GetObjectItemCaseSensitive (argument, "shape"), *dim;
  GString     *text = g_string_new (scope_json_get_text (argument, "name"));
  const char  *separator = "=";

  cJSON_ArrayForEach (dim, dims)
  {
    g_string_append_printf (text, "%s%.0f", separator,
                            cJSON_IsNumber (dim) ? dim->valuedouble : -1);
    separator = ",";
  }
  return g_string_free (text, !strchr (text->str, '=') || strchr (text->str, '-'));
}

static gpointer
parse_shapes (const char *text)
{
  GPtrArray   *shapes = g_ptr_array_new ();
  cJSON       *json = cJSON_Parse (text);
  const cJSON *list = cJSON_GetObjectItemCaseSensitive (json, "arguments"), *item;

  cJSON_ArrayForEach (item, list)
  {
    char *shape;

    if (g_str_equal (scope_json_get_text (item, "role"), "parameter") ||
        *scope_json_get_text (item, "name") == '\0')
      continue;
    shape = dup_shape (item);
    if (shape)
      g_ptr_array_add (shapes, shape);
  }
  cJSON_Delete (json);
  g_ptr_array_add (shapes, NULL);
  return g_ptr_array_free (shapes, FALSE);
}

static const AnswerParser shapes_answer = { parse_shapes, (GDestroyNotify) g_strfreev };

void
scope_gallery_shapes_async (const char         *name,
                            GCancellable       *cancellable,
                            GAsyncReadyCallback callback,
                            gpointer            user_data)
{
  g_autofree char *model = g_strconcat ("gallery:", name, NULL);

  run_hscope ((const char *const[]){ "info", model, "--json", NULL }, &shapes_answer, cancellable,
              callback, user_data);
}

void
scope_gallery_shapes_of_plugin_async (const char         *model,
                                      GCancellable       *cancellable,
                                      GAsyncReadyCallback callback,
                                      gpointer            user_data)
{
  scope_child_run_plugin_async ((const char *const[]){ "info", model, "--json", NULL }, cancellable,
                                answered_cb,
                                new_answer (&shapes_answer, cancellable, callback, user_data));
}

char **
scope_gallery_shapes_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- Thumbnails --- */

/* The whole picture, or the beginning of one that would be too small to recognise. */
static GdkTexture *
draw_thumbnail (VizPicture *picture, const VizTheme *theme)
{
  double           scale = MIN (THUMBNAIL_WIDTH / viz_picture_width (picture),
                                THUMBNAIL_HEIGHT / viz_picture_height (picture));
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT);
  cairo_t        *cr = cairo_create (surface);
  VizPaintOptions options = { .transparent = TRUE, .theme = theme };
  g_autoptr (GBytes) bytes = NULL;
  GdkTexture *texture;

  scale = CLAMP (scale, 0.3, 1.2);
  options.scale = scale;
  cairo_translate (cr, floor ((THUMBNAIL_WIDTH - viz_picture_width (picture) * scale) / 2),
                   MAX (floor ((THUMBNAIL_HEIGHT - viz_picture_height (picture) * scale) / 2), 0));
  cairo_scale (cr, scale, scale);
  viz_paint (picture, cr, &options);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  bytes = g_bytes_new (cairo_image_surface_get_data (surface),
                       (gsize) cairo_image_surface_get_stride (surface) * THUMBNAIL_HEIGHT);
  texture = gdk_memory_texture_new (THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, GDK_MEMORY_DEFAULT, bytes,
                                    (gsize) cairo_image_surface_get_stride (surface));
  cairo_surface_destroy (surface);
  return texture;
}

static void
draw_in_worker (GTask *task, gpointer data)
{
  GCancellable   *cancellable = g_task_get_cancellable (task);
  GError         *error = NULL;
  const VizTheme *theme = g_object_get_data (G_OBJECT (task), THEME);
  g_autoptr (ScopeDocument) document = scope_document_open (data, NULL, NULL, cancellable, &error);
  g_autoptr (VizPicture) picture = NULL;

  if (document)
    picture =
        viz_layout_diagram (scope_document_get_diagram (document), NULL,
                            &(VizLayoutOptions){ .detail = VIZ_DETAIL_AUTO,
                                                 .page = { VIZ_PAGE_WIDTH, VIZ_PAGE_HEIGHT } },
                            cancellable, &error);
  if (picture)
    g_task_return_pointer (task, draw_thumbnail (picture, theme), g_object_unref);
  else if (error)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, NULL, NULL);
}

/* --- Queue of thumbnails ---
 * One process at a time, so that the main loop keeps a processor. */

typedef struct
{
  char           *name;
  GtkPicture     *picture;
  const VizTheme *theme;
  GCancellable   *cancellable;
} Thumbnail;

/* Main thread only.  The head is in progress. */
static GQueue thumbnails = G_QUEUE_INIT;

static void make_first (void);

static void
finish_first (void)
{
  Thumbnail *done = g_queue_pop_head (&thumbnails);

  g_free (done->name);
  g_object_unref (done->picture);
  g_clear_object (&done->cancellable);
  g_free (done);
  if (!g_queue_is_empty (&thumbnails))
    make_first ();
}

static void
drawn_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GdkTexture) texture = g_task_propagate_pointer (G_TASK (result), NULL);

  if (texture)
    gtk_picture_set_paintable (GTK_PICTURE (source), GDK_PAINTABLE (texture));
  finish_first ();
}

static void
thumbnail_traced_cb (GObject *source G_GNUC_UNUSED,
                     GAsyncResult   *result,
                     gpointer unused G_GNUC_UNUSED)
{
  const Thumbnail *first = g_queue_peek_head (&thumbnails);
  g_autoptr (GFile) file = scope_gallery_trace_finish (result, NULL);
  g_autoptr (GTask) task = NULL;

  if (!file)
    {
      finish_first ();
      return;
    }
  task = g_task_new (first->picture, first->cancellable, drawn_cb, NULL);
  g_task_set_task_data (task, g_file_get_path (file), g_free);
  g_object_set_data (G_OBJECT (task), THEME, (gpointer) first->theme);
  scope_worker_run (task, draw_in_worker);
}

static void
make_first (void)
{
  const Thumbnail *first = g_queue_peek_head (&thumbnails);

  scope_gallery_trace_async (first->name, first->cancellable, thumbnail_traced_cb, NULL);
}

void
scope_gallery_load_thumbnail (const char     *name,
                              GtkPicture     *picture,
                              const VizTheme *theme,
                              GCancellable   *cancellable)
{
  Thumbnail *thumbnail = g_new0 (Thumbnail, 1);

  thumbnail->name = g_strdup (name);
  thumbnail->picture = g_object_ref (picture);
  thumbnail->theme = theme;
  thumbnail->cancellable = cancellable ? g_object_ref (cancellable) : NULL;
  g_queue_push_tail (&thumbnails, thumbnail);
  if (g_queue_get_length (&thumbnails) == 1)
    make_first ();
}
