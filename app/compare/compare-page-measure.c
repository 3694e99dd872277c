/* compare-page-measure.c — measures the forms with hscope compare, and colours the panes.
 *
 * The child process writes one capture per form, which the panes open.  Start reading with
 * scope_compare_page_measure() and measured_cb().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-page-private.h"

#include "app/compare/compare-cells.h"
#include "app/compare/difference-heat.h"
#include "app/compare/sized-shapes.h"
#include "app/process/child.h"
#include "app/process/json-fields.h"
#include "app/session/settings.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>

#define TICK_MS 200

/* --- Colours --- */

typedef struct
{
  ScopeComparePage *page;
  ScopeComparePane *pane;
  ScopeMeasurement *measurement; /* of the pane when request began */
  guint             number;      /* value of n_repaints then */
} PaintRequest;

static PaintRequest *
request_new (ScopeComparePage *page, ScopeComparePane *pane, ScopeMeasurement *measurement)
{
  PaintRequest *request = g_new (PaintRequest, 1);

  *request = (PaintRequest){ g_object_ref (page), g_object_ref (pane),
                             scope_measurement_ref (measurement), page->n_repaints };
  return request;
}

static void
set_overlay (ScopeComparePage *self, ScopeComparePane *pane, VizOverlay *overlay)
{
  ScopeCanvas *canvas = scope_compare_pane_get_canvas (pane);

  scope_canvas_set_overlay (canvas, overlay);
  if (overlay)
    scope_legend_set (self->legend, overlay, scope_canvas_get_theme (canvas));
}

/* overlay: (transfer full) (nullable) */
static void
finish_painting (PaintRequest *request, VizOverlay *overlay)
{
  ScopeComparePage *self = request->page;
  ScopeWorkspace   *workspace = scope_compare_pane_get_workspace (request->pane);

  /* Another form may have been chosen since, or the pane closed. */
  if (overlay && request->number == self->n_repaints &&
      scope_compare_page_find_pane (self, request->pane) < SCOPE_MAX_PANES &&
      scope_workspace_get_measurement (workspace) == request->measurement)
    set_overlay (self, request->pane, overlay);
  g_clear_pointer (&overlay, viz_overlay_unref);
  scope_measurement_unref (request->measurement);
  g_object_unref (request->page);
  g_object_unref (request->pane);
  g_free (request);
}

static void
difference_painted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  finish_painting (data, scope_difference_paint_finish (result, NULL));
}

static void
painted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  finish_painting (data, scope_measurement_paint_finish (result, NULL));
}

static void
paint_pane (ScopeComparePage *self, guint index)
{
  ScopeComparePane *pane = self->panes[index];
  ScopeMeasurement *base =
      scope_workspace_get_measurement (scope_compare_pane_get_workspace (self->panes[0]));
  ScopeMeasurement *measurement =
      scope_workspace_get_measurement (scope_compare_pane_get_workspace (pane));

  if (!measurement || g_str_equal (self->colours, "none"))
    set_overlay (self, pane, NULL);
  else if (index > 0 && base && self->maps[0] && self->maps[index] &&
           g_str_equal (self->colours, "difference"))
    scope_difference_paint_async (&(ScopeMeasuredForm){ self->maps[0], base },
                                  &(ScopeMeasuredForm){ self->maps[index], measurement },
                                  self->cancellable, difference_painted_cb,
                                  request_new (self, pane, measurement));
  else
    scope_measurement_paint_async (measurement, (ScopeHeatStyle){ SCOPE_HEAT_SELF, VIZ_SCALE_LOG },
                                   self->cancellable, painted_cb,
                                   request_new (self, pane, measurement));
}

void
scope_compare_page_update_colours (ScopeComparePage *self)
{
  self->n_repaints++;
  scope_legend_set (self->legend, NULL, NULL);
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      paint_pane (self, i);
}

/* --- Times --- */

/* The cell of what a pane shows; NULL: it was not measured. */
static const cJSON *
find_cell (ScopeComparePage *self, const char *form)
{
  g_autofree char *base = NULL, *name = NULL;

  if (!self->files)
    return scope_compare_result_find (self->result, "variant", form);
  if (self->is_recordings)
    return scope_compare_result_find (self->result, "capture", form);
  base = g_path_get_basename (form);
  name = g_strconcat (base, " as-is", NULL);
  return scope_compare_result_find (self->result, "variant", name);
}

static void
update_time (ScopeComparePage *self, guint index)
{
  ScopeComparePane      *pane = self->panes[index];
  ScopeWorkspace        *workspace = scope_compare_pane_get_workspace (pane);
  const ScopeConversion *conversion =
      self->conversions[index] ? self->conversions[index] : self->unrolled;
  const cJSON     *cell = find_cell (self, scope_compare_pane_get_form (pane));
  const char      *capture = scope_json_get_text (cell, "capture");
  g_autofree char *proof = conversion ? scope_conversion_describe_proof (conversion) : NULL;
  g_autofree char *time =
      cell ? prof_format_seconds (scope_json_get_number (cell, "median")) : NULL;

  /* The panes show the model in its own size. */
  if (!scope_workspace_get_document (workspace) || (cell && scope_cell_has_size (cell)))
    return;
  scope_compare_pane_set_facts (pane, proof, time);
  if (!self->is_recordings && *capture != '\0' &&
      g_strcmp0 (scope_workspace_get_capture_path (workspace), capture) != 0)
    scope_workspace_open_capture (workspace, capture);
}

void
scope_compare_page_update_times (ScopeComparePage *self)
{
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      update_time (self, i);
}

/* --- Measuring --- */

static void
finish_measuring (ScopeComparePage *self)
{
  g_clear_handle_id (&self->progress_tick, g_source_remove);
  g_clear_object (&self->measuring);
  gtk_revealer_set_reveal_child (self->progress_revealer, FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.measure", TRUE);
  g_object_notify (G_OBJECT (self), "busy");
}

static void
measured_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeComparePage) self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = scope_child_run_finish (result, &error);
  cJSON           *json = text ? cJSON_Parse (text) : NULL;
  gboolean         was_stopped = self->measuring && g_cancellable_is_cancelled (self->measuring);

  if (g_cancellable_is_cancelled (self->cancellable))
    {
      cJSON_Delete (json);
      return;
    }
  finish_measuring (self);
  /* hscope prints what it has when it is stopped; that is not a comparison of all forms. */
  if (!was_stopped && scope_cells_are_result (json))
    {
      scope_compare_page_add_result (self, json, g_steal_pointer (&self->measured));
      scope_compare_page_update_times (self);
      return;
    }
  cJSON_Delete (json);
  if (was_stopped || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    scope_compare_page_show_cancelled (self);
  else
    scope_compare_page_show_failure (self,
                                     error ? error->message
                                           : _ ("hscope returned no valid JSON. The versions of "
                                                "hscope and hybridscope may differ."),
                                     error ? hyb_error_get_remedy (error) : HYB_REMEDY_NONE);
}

static gboolean
on_tick (gpointer data)
{
  ScopeComparePage *self = data;
  double            limit = gtk_spin_button_get_value (self->seconds);
  double            elapsed = (double) (g_get_monotonic_time () - self->began) * 1e-6;
  g_autofree char  *text = g_strdup_printf (_ ("Measuring the forms in turn, at most %.0f s left"),
                                            MAX (limit - elapsed, 1));

  gtk_progress_bar_set_fraction (self->progress, CLAMP (elapsed / limit, 0, 1));
  gtk_label_set_text (self->progress_label, text);
  return G_SOURCE_CONTINUE;
}

/* Names of the panes' forms for the command, without repetitions and without refused ones.
 * (transfer full) NULL: none is left. */
static char *
list_forms (ScopeComparePage *self)
{
  g_autoptr (GPtrArray) forms = g_ptr_array_new ();

  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i] && !scope_compare_pane_is_refused (self->panes[i]))
      {
        const char *form = scope_compare_pane_get_form (self->panes[i]);

        if (!g_ptr_array_find_with_equal_func (forms, form, g_str_equal, NULL))
          g_ptr_array_add (forms, (gpointer) form);
      }
  g_ptr_array_add (forms, NULL);
  return forms->len > 1 ? g_strjoinv (",", (char **) forms->pdata) : NULL;
}

/* In a folder of this page, because several pages may measure at once.  (transfer full) */
static char *
new_prefix (ScopeComparePage *self)
{
  if (!self->folder)
    self->folder = g_dir_make_tmp ("hybridscope-compare-XXXXXX", NULL);
  return self->folder
             ? g_strdup_printf ("%s/%" G_GINT64_FORMAT, self->folder, g_get_monotonic_time ())
             : NULL;
}

static void
add_words (GPtrArray *argv, const char *option, const char *value)
{
  if (!value || *value == '\0')
    return;
  g_ptr_array_add (argv, g_strdup (option));
  g_ptr_array_add (argv, g_strdup (value));
}

/* The numbers of an entry: "1,32" for " 1, 32 ".  (transfer full) */
static char *
dup_sizes (ScopeComparePage *self, guint index)
{
  g_auto (GStrv) words = g_strsplit_set (gtk_editable_get_text (self->sizes[index]), ", ;\t", -1);
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; words[i]; i++)
    if (*words[i] != '\0')
      g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", words[i]);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static gboolean
has_size (ScopeComparePage *self, guint index)
{
  g_autofree char *list = dup_sizes (self, index);

  return *list != '\0';
}

static gboolean
has_sizes (ScopeComparePage *self)
{
  return has_size (self, 0) || has_size (self, 1) || has_size (self, 2);
}

/* What distinguishes this measurement from others of the page.  (transfer full) */
static char *
describe_options (ScopeComparePage *self)
{
  static const char *const names[] = { N_ ("batch"), N_ ("length"), N_ ("units") };
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (self->sizes); i++)
    {
      g_autofree char *list = dup_sizes (self, i);

      if (*list != '\0')
        g_string_append_printf (text, "%s %s, ", _ (names[i]), list);
    }
  g_string_append (text, gtk_switch_get_active (self->training) ? _ ("training") : _ ("inference"));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* The files of the panes, without repetitions and without those that cannot be read. */
static void
add_files (ScopeComparePage *self, GPtrArray *argv)
{
  for (guint i = 0; self->files[i]; i++)
    {
      gboolean is_shown = self->is_recordings;

      for (guint k = 0; k < SCOPE_MAX_PANES; k++)
        if (self->panes[k] && !scope_compare_pane_is_refused (self->panes[k]) &&
            g_str_equal (scope_compare_pane_get_form (self->panes[k]), self->files[i]))
          is_shown = TRUE;
      if (is_shown)
        g_ptr_array_add (argv, g_strdup (self->files[i]));
    }
}

/* shapes: of the inputs; with B and T if sizes are given. */
static GPtrArray *
command_of (ScopeComparePage *self, char **shapes)
{
  static const char *const options[] = { "--batch", "--length", "--hidden" };
  GPtrArray               *argv = g_ptr_array_new_with_free_func (g_free);
  g_autofree char         *prefix = new_prefix (self);
  g_autofree char         *target = scope_settings_get_text ("run-target", "");
  g_autofree char         *forms = self->files ? NULL : list_forms (self);
  g_autofree char         *seconds =
      g_strdup_printf ("%d", gtk_spin_button_get_value_as_int (self->seconds));
  /* Starting from the unrolled form keeps the node names that the panes show; other sizes need the
   * original. */
  const char *model = self->files ? "" : has_sizes (self) ? self->model : self->unrolled->path;

  g_ptr_array_add (argv, g_strdup ("compare"));
  g_ptr_array_add (argv, g_strdup ("--json"));
  if (self->files)
    add_files (self, argv);
  else
    g_ptr_array_add (argv, g_strdup (model));
  if (self->is_recordings)
    {
      g_ptr_array_add (argv, NULL);
      return argv;
    }
  add_words (argv, "--variants", forms);
  add_words (argv, "--time-limit", seconds);
  add_words (argv, "--captures", prefix);
  add_words (argv, "--target", target);
  for (guint i = 0; i < G_N_ELEMENTS (self->sizes); i++)
    {
      g_autofree char *list = dup_sizes (self, i);

      add_words (argv, options[i], list);
    }
  if (!self->files && model == self->model)
    add_words (argv, "--params", self->params);
  /* For the original, hscope finds the missing values itself. */
  if (self->fills && !self->files && model != self->model)
    g_ptr_array_add (argv, g_strdup ("--random-values"));
  if (gtk_switch_get_active (self->training))
    g_ptr_array_add (argv, g_strdup ("--backward"));
  /* Gallery models have their own shapes, which depend on the batch. */
  for (guint i = 0; shapes && shapes[i] && !g_str_has_prefix (model, "gallery:"); i++)
    add_words (argv, "--shape", shapes[i]);
  g_ptr_array_add (argv, NULL);
  return argv;
}

static void
run (ScopeComparePage *self, char **shapes)
{
  g_autoptr (GPtrArray) argv = command_of (self, shapes);

  scope_child_run_async ((const char *const *) argv->pdata, self->measuring, measured_cb,
                         g_object_ref (self));
}

static void
sized_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeComparePage) self = data;
  g_auto (GStrv) shapes = scope_sized_shapes_finish (result);

  if (self->measuring)
    run (self, shapes);
}

/* The number of steps according to the matches of conversions; 0: unknown. */
static gint64
count_steps (ScopeComparePage *self)
{
  gint64 n = 0;

  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    for (guint k = 0; self->conversions[i] && k < self->conversions[i]->matches->len; k++)
      n = MAX (n, g_array_index (self->conversions[i]->matches, ScopeNameMatch, k).step + 1);
  return n;
}

/* A document of the model in any form, all of which have the same inputs; NULL: none is open. */
static ScopeDocument *
find_document (ScopeComparePage *self)
{
  ScopeDocument *document = NULL;

  for (guint i = 0; !document && i < SCOPE_MAX_PANES; i++)
    if (self->panes[i] && !self->conversions[i])
      document = scope_workspace_get_document (scope_compare_pane_get_workspace (self->panes[i]));
  for (guint i = 0; !document && i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      document = scope_workspace_get_document (scope_compare_pane_get_workspace (self->panes[i]));
  return document;
}

static void
show_measuring (ScopeComparePage *self)
{
  self->began = g_get_monotonic_time ();
  self->progress_tick = g_timeout_add (TICK_MS, on_tick, self);
  on_tick (self);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.measure", FALSE);
  g_object_notify (G_OBJECT (self), "busy");
  gtk_revealer_set_reveal_child (self->progress_revealer, TRUE);
  adw_status_page_set_title (self->waiting, _ ("Measuring…"));
  adw_status_page_set_description (self->waiting, _ ("All forms run in turn, so that a change of "
                                                     "the machine's speed affects all alike."));
  scope_compare_page_show_state (self, "waiting");
}

void
scope_compare_page_measure (ScopeComparePage *self)
{
  g_autofree char *forms = self->files ? NULL : list_forms (self);
  ScopeDocument   *document = find_document (self);

  if (self->measuring)
    return;
  self->was_measured = TRUE;
  if (!self->files && (!forms || !self->unrolled))
    {
      scope_compare_page_show_failure (self,
                                       self->refusal ? self->refusal
                                                     : _ ("The model cannot be converted to any of "
                                                          "the chosen forms"),
                                       self->refusal_remedy);
      return;
    }
  g_free (self->measured);
  self->measured = self->is_recordings ? g_strdup (_ ("recordings")) : describe_options (self);
  self->measuring = g_cancellable_new ();
  show_measuring (self);
  if (has_sizes (self) && self->shapes && document)
    scope_sized_shapes_async (document, (const char *const *) self->shapes,
                              &(ScopeSizedOptions){ count_steps (self), has_size (self, 0),
                                                    has_size (self, 1) },
                              sized_cb, g_object_ref (self));
  else
    run (self, self->shapes);
}

void
scope_compare_page_stop (ScopeComparePage *self)
{
  if (self->measuring)
    g_cancellable_cancel (self->measuring);
}
