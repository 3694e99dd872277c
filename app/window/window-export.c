/* window-export.c — writes pictures of the graph and tables of costs to files, in a worker.
 *
 * The format follows from the ending of the file's name.  Start reading with scope_window_export().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/process/worker.h"
#include "engine/formats/file.h"
#include "profiler/exchange/report-text.h"
#include "profiler/exchange/write-trace.h"

#include <glib/gi18n.h>
#include <string.h>

#define KEEPS_THEME "keeps-theme" /* a choice of the file dialog */

typedef struct
{
  char             *path;
  VizPicture       *picture; /* NULL: costs are written */
  VizOverlay       *overlay;
  const VizTheme   *theme;
  VizRect           area;
  gboolean          has_area;
  ScopeMeasurement *measurement;
  double            scale; /* of the written picture, relative to the requested one */
} ExportJob;

static void
export_job_free (gpointer data)
{
  ExportJob *job = data;

  g_clear_pointer (&job->picture, viz_picture_unref);
  g_clear_pointer (&job->overlay, viz_overlay_unref);
  g_clear_pointer (&job->measurement, scope_measurement_unref);
  g_free (job->path);
  g_free (job);
}

static gboolean
write_costs (const ExportJob *job, GError **error)
{
  const ProfCapture *capture = scope_measurement_get_capture (job->measurement);
  const ProfSummary *summary = scope_measurement_get_summary (job->measurement);
  g_autofree char   *text = NULL;

  if (g_str_has_suffix (job->path, ".json"))
    return prof_write_chrome (capture, job->path, error);
  if (g_str_has_suffix (job->path, ".csv"))
    return prof_write_csv (capture, job->path, error);
  if (g_str_has_suffix (job->path, ".hscope"))
    {
      gsize         size;
      gconstpointer bytes = g_bytes_get_data (prof_capture_get_bytes (capture), &size);

      return hyb_file_replace_contents (job->path, bytes, size, error);
    }
  text = prof_report_text (capture, summary);
  return hyb_file_replace_contents (job->path, text, strlen (text), error);
}

static gboolean
write_picture (const ExportJob        *job,
               const VizExportOptions *options,
               VizExportResult        *result,
               GError                **error)
{
  g_autoptr (GBytes) bytes = viz_export_bytes (job->picture, job->path, options, result, error);

  return bytes && hyb_file_replace_contents (job->path, g_bytes_get_data (bytes, NULL),
                                             g_bytes_get_size (bytes), error);
}

static void
write_in_worker (GTask *task, gpointer data)
{
  ExportJob       *job = data;
  GError          *error = NULL;
  VizExportResult  result = { 0 };
  VizExportOptions options = {
    .theme = job->theme,
    .overlay = job->overlay,
    .area = job->has_area ? &job->area : NULL,
    .scale = g_str_has_suffix (job->path, ".png") ? 2 : 1,
  };
  gboolean done =
      job->picture ? write_picture (job, &options, &result, &error) : write_costs (job, &error);

  job->scale = options.scale > 0 && job->picture ? result.scale / options.scale : 1;
  if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
written_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  ScopeWindow     *self = data; /* kept alive by the task */
  const ExportJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_path_get_basename (job->path);
  g_autofree char *text = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      scope_window_show_unwritten (self, job->path,
                                   job->measurement ? "win.export::costs"
                                   : job->has_area  ? "win.export::view"
                                                    : "win.export::picture",
                                   error);
      return;
    }
  if (job->scale < 0.99)
    text =
        g_strdup_printf (_ ("%s was written at %.0f %% of its size, which is the largest possible"),
                         name, 100 * job->scale);
  else
    text = g_strdup_printf (_ ("%s was written"), name);
  scope_window_toast (self, text);
}

const VizTheme *
scope_window_get_light_theme (const VizTheme *theme)
{
  if (g_str_equal (theme->name, "dark"))
    return viz_theme_find ("light");
  return g_str_equal (theme->name, "contrast-dark") ? viz_theme_find ("contrast") : theme;
}

/* keeps_theme: the picture is dark if the window is. */
static void
export_as (ScopeWindow *self, const char *what, const char *path, gboolean keeps_theme)
{
  ScopePage        *page = scope_window_get_page (self);
  ScopeCanvas      *canvas;
  ScopeMeasurement *measurement;
  ExportJob        *job;
  g_autoptr (GTask) task = NULL;

  if (!page)
    return;
  canvas = scope_graph_view_get_canvas (scope_page_get_graph_view (page));
  measurement = scope_workspace_get_measurement (scope_page_get_workspace (page));
  if (g_str_equal (what, "costs") ? !measurement : !scope_canvas_get_picture (canvas))
    return;
  job = g_new0 (ExportJob, 1);
  job->path = g_strdup (path);
  if (g_str_equal (what, "costs"))
    job->measurement = scope_measurement_ref (measurement);
  else
    {
      VizOverlay *overlay = scope_canvas_get_overlay (canvas);

      job->picture = viz_picture_ref (scope_canvas_get_picture (canvas));
      job->overlay = overlay ? viz_overlay_ref (overlay) : NULL;
      job->theme = scope_canvas_get_theme (canvas);
      if (!keeps_theme)
        job->theme = scope_window_get_light_theme (job->theme);
      job->area = scope_canvas_get_view (canvas);
      job->has_area = g_str_equal (what, "view");
    }
  task = g_task_new (self, NULL, written_cb, self);
  g_task_set_task_data (task, job, export_job_free);
  scope_worker_run (task, write_in_worker);
}

void
scope_window_export (ScopeWindow *self, const char *what, const char *path)
{
  export_as (self, what, path, FALSE);
}

static void
on_file (ScopeWindow *self, GFile *file, const char *what)
{
  g_autofree char *path = g_file_get_path (file);
  const char *choice = gtk_file_chooser_get_choice (GTK_FILE_CHOOSER (self->chooser), KEEPS_THEME);

  if (path)
    export_as (self, what, path, g_strcmp0 (choice, "true") == 0);
}

/* Offers dark pictures where the window is dark. */
static void
add_theme_choice (GtkFileChooser *chooser)
{
  if (!adw_style_manager_get_dark (adw_style_manager_get_default ()))
    return;
  gtk_file_chooser_add_choice (chooser, KEEPS_THEME, _ ("Dark like the window"), NULL, NULL);
  gtk_file_chooser_set_choice (chooser, KEEPS_THEME, "false");
}

static void
act_export (ScopeWindow *self, GVariant *parameter)
{
  ScopePage       *page = scope_window_get_page (self);
  const char      *what = g_variant_get_string (parameter, NULL);
  gboolean         is_costs = g_str_equal (what, "costs");
  g_autofree char *proposal = NULL;
  GtkFileChooser  *chooser;
  ScopeFileDialog  dialog = { .title = is_costs ? _ ("Save Costs: .csv, .json, .txt, .hscope")
                                                : _ ("Save a Picture: .svg, .png, .pdf, .dot"),
                              .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                              .chosen = on_file,
                              .data = what };

  if (!page)
    return;
  proposal = g_strconcat (scope_workspace_get_title (scope_page_get_workspace (page)),
                          is_costs ? ".csv" : ".svg", NULL);
  dialog.name = proposal;
  chooser = scope_window_choose_file (self, &dialog);
  if (!is_costs)
    add_theme_choice (chooser);
}

/* Targets: "picture" (the whole graph), "view" (the visible part), "costs". */
const ScopeWindowAction scope_window_export_actions[] = {
  { "win.export", "s", act_export },
  { NULL },
};
