/* window-print.c — copies the picture of the graph, and prints it on one page.
 *
 * Both show the picture as it is drawn, with its colours, on light paper.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/process/worker.h"
#include "app/widgets/clipboard.h"

#include <glib/gi18n.h>

/* Pixels for each point of a copied picture. */
#define COPY_SCALE 2

typedef struct
{
  VizPicture     *picture;
  VizOverlay     *overlay; /* (nullable) */
  const VizTheme *theme;
} Sheet;

static void
sheet_free (gpointer data)
{
  Sheet *sheet = data;

  g_clear_pointer (&sheet->picture, viz_picture_unref);
  g_clear_pointer (&sheet->overlay, viz_overlay_unref);
  g_free (sheet);
}

/* The contents of the selected page.  (transfer full) NULL: no graph is drawn. */
static Sheet *
new_sheet (ScopeWindow *self)
{
  ScopePage   *page = scope_window_get_page (self);
  ScopeCanvas *canvas =
      page ? scope_graph_view_get_canvas (scope_page_get_shown_view (page)) : NULL;
  VizOverlay *overlay;
  Sheet      *sheet;

  if (!canvas || !scope_canvas_get_picture (canvas))
    return NULL;
  overlay = scope_canvas_get_overlay (canvas);
  sheet = g_new0 (Sheet, 1);
  sheet->picture = viz_picture_ref (scope_canvas_get_picture (canvas));
  sheet->overlay = overlay ? viz_overlay_ref (overlay) : NULL;
  sheet->theme = scope_window_get_light_theme (scope_canvas_get_theme (canvas));
  return sheet;
}

/* --- Copying --- */

static void
render_in_worker (GTask *task, gpointer data)
{
  const Sheet     *sheet = data;
  GError          *error = NULL;
  VizExportResult  result = { 0 };
  VizExportOptions options = { .theme = sheet->theme,
                               .overlay = sheet->overlay,
                               .scale = COPY_SCALE };
  GBytes          *bytes = viz_export_bytes (sheet->picture, "copy.png", &options, &result, &error);

  scope_task_return (task, bytes, (GDestroyNotify) g_bytes_unref, error);
}

static void
rendered_cb (GObject *source, GAsyncResult *result, gpointer data G_GNUC_UNUSED)
{
  ScopeWindow *self = SCOPE_WINDOW (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_task_propagate_pointer (G_TASK (result), &error);
  g_autoptr (GdkTexture) texture = bytes ? gdk_texture_new_from_bytes (bytes, &error) : NULL;

  if (!texture)
    {
      scope_window_toast (self, g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
                                    ? _ ("The picture was not copied: something else was copied "
                                         "meanwhile")
                                    : error->message);
      return;
    }
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (GTK_WIDGET (self)), texture);
  scope_window_toast (self, _ ("The picture was copied"));
}

static void
act_copy (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  Sheet *sheet = new_sheet (self);
  g_autoptr (GTask) task = NULL;

  if (!sheet)
    return;
  task = g_task_new (self, scope_clipboard_claim (GTK_WIDGET (self)), rendered_cb, NULL);
  g_task_set_task_data (task, sheet, sheet_free);
  scope_worker_run (task, render_in_worker);
}

/* --- Printing --- */

static void
on_begin_print (GtkPrintOperation       *operation,
                GtkPrintContext *context G_GNUC_UNUSED,
                gpointer data            G_GNUC_UNUSED)
{
  gtk_print_operation_set_n_pages (operation, 1);
}

/* The whole picture in the middle of the page, never enlarged. */
static void
on_draw_page (GtkPrintOperation *operation G_GNUC_UNUSED,
              GtkPrintContext             *context,
              int page                     G_GNUC_UNUSED,
              gpointer                     data)
{
  const Sheet *sheet = data;
  cairo_t     *cr = gtk_print_context_get_cairo_context (context);
  double       width = viz_picture_width (sheet->picture);
  double       height = viz_picture_height (sheet->picture);
  double       scale = MIN (1, MIN (gtk_print_context_get_width (context) / width,
                                    gtk_print_context_get_height (context) / height));

  cairo_translate (cr, (gtk_print_context_get_width (context) - width * scale) / 2, 0);
  cairo_scale (cr, scale, scale);
  viz_paint (sheet->picture, cr,
             &(VizPaintOptions){
                 .theme = sheet->theme, .overlay = sheet->overlay, .transparent = TRUE });
}

/* Wide pictures lie on their side. */
static GtkPageSetup *
new_setup (const Sheet *sheet)
{
  GtkPageSetup *setup = gtk_page_setup_new ();

  if (viz_picture_width (sheet->picture) > viz_picture_height (sheet->picture))
    gtk_page_setup_set_orientation (setup, GTK_PAGE_ORIENTATION_LANDSCAPE);
  return setup;
}

void
scope_window_print (ScopeWindow *self, const char *path)
{
  Sheet *sheet = new_sheet (self);
  g_autoptr (GtkPrintOperation) operation = NULL;
  g_autoptr (GtkPageSetup) setup = NULL;
  g_autoptr (GError) error = NULL;

  if (!sheet)
    return;
  operation = gtk_print_operation_new ();
  setup = new_setup (sheet);
  gtk_print_operation_set_default_page_setup (operation, setup);
  gtk_print_operation_set_allow_async (operation, TRUE);
  gtk_print_operation_set_unit (operation, GTK_UNIT_POINTS);
  gtk_print_operation_set_job_name (operation, gtk_window_get_title (GTK_WINDOW (self)));
  if (path)
    gtk_print_operation_set_export_filename (operation, path);
  g_object_set_data_full (G_OBJECT (operation), "sheet", sheet, sheet_free);
  g_signal_connect (operation, "begin-print", G_CALLBACK (on_begin_print), sheet);
  g_signal_connect (operation, "draw-page", G_CALLBACK (on_draw_page), sheet);
  if (gtk_print_operation_run (operation,
                               path ? GTK_PRINT_OPERATION_ACTION_EXPORT
                                    : GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG,
                               GTK_WINDOW (self), &error) == GTK_PRINT_OPERATION_RESULT_ERROR)
    scope_window_toast (self, error->message);
}

static void
act_print (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  scope_window_print (self, NULL);
}

const ScopeWindowAction scope_window_print_actions[] = {
  { "win.copy-picture", NULL, act_copy },
  { "win.print", NULL, act_print },
  { NULL },
};
