/* compare-page-panes.c — converts the model for each pane, and links the panes.
 *
 * The model is first written unrolled; every other form is converted from that, so that all forms
 * match the same reference nodes.  Start reading with scope_compare_page_start() and fill_pane().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-page-private.h"

#include "app/document/gallery.h"
#include "app/widgets/text-scale.h"

#include <string.h>

/* --- Converting --- */

/* Measures for the first time once every pane is read or refused. */
static void
measure_when_ready (ScopeComparePage *self)
{
  if (!self->was_measured && scope_compare_page_is_settled (self))
    {
      /* Models side by side need not be alike. */
      if (self->files && !self->is_recordings)
        scope_compare_page_show_state (self, "empty");
      else
        scope_compare_page_measure (self);
    }
  g_object_notify (G_OBJECT (self), "busy");
}

/* Maps the nodes of a pane: of a file by its matches with the first one, if there are any, else by names. */
static void
map_nodes (ScopeComparePage *self, guint index, ScopeDocument *document)
{
  const ScopeConversion *conversion = self->conversions[index];

  g_clear_pointer (&self->maps[index], scope_node_map_unref);
  self->maps[index] =
      scope_node_map_new (document, conversion ? conversion->matches : NULL,
                          conversion ? SCOPE_MATCH_FROM_REFERENCE : SCOPE_MATCH_IDENTITY,
                          self->names);
}

static void
on_document (ScopeWorkspace *workspace, gpointer data)
{
  ScopeComparePage *self = data;
  ScopeDocument    *document = scope_workspace_get_document (workspace);

  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i] && scope_compare_pane_get_workspace (self->panes[i]) == workspace)
      map_nodes (self, i, document);
  scope_compare_page_update_times (self);
}

static void
show_file (ScopeComparePage *self, guint index, const char *path)
{
  ScopeComparePane *pane = self->panes[index];
  ScopeWorkspace   *workspace;

  scope_compare_pane_open (pane, path, (const char *const *) self->shapes);
  workspace = scope_compare_pane_get_workspace (pane);
  g_signal_connect_object (workspace, "document-changed", G_CALLBACK (on_document), self, 0);
  g_signal_connect_object (workspace, "notify::state", G_CALLBACK (measure_when_ready), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (workspace, "capture-changed",
                           G_CALLBACK (scope_compare_page_update_colours), self, G_CONNECT_SWAPPED);
}

/* The bar of steps fits into it, and four panes into 1280 pixels. */
#define MIN_PANE_WIDTH 314

typedef struct
{
  ScopeComparePage *page;
  ScopeComparePane *pane;
  char             *form; /* that was requested; NULL: none yet */
} PaneRequest;

static PaneRequest *
request_new (ScopeComparePage *page, ScopeComparePane *pane, const char *form)
{
  PaneRequest *request = g_new (PaneRequest, 1);

  *request = (PaneRequest){ g_object_ref (page), g_object_ref (pane), g_strdup (form) };
  return request;
}

static void
request_free (gpointer data)
{
  PaneRequest *request = data;

  g_object_unref (request->page);
  g_object_unref (request->pane);
  g_free (request->form);
  g_free (request);
}

static void
converted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  PaneRequest      *request = data;
  ScopeComparePage *self = request->page;
  guint             index = scope_compare_page_find_pane (self, request->pane);
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeConversion) conversion = scope_conversion_run_finish (result, &error);

  /* Another form may have been chosen since, or the pane closed. */
  if (!g_cancellable_is_cancelled (self->cancellable) && index < SCOPE_MAX_PANES &&
      g_str_equal (scope_compare_pane_get_form (request->pane), request->form))
    {
      if (conversion)
        {
          self->conversions[index] = g_steal_pointer (&conversion);
          show_file (self, index, self->conversions[index]->path);
        }
      else
        {
          scope_compare_pane_show_refusal (request->pane, error->message);
          measure_when_ready (self);
        }
    }
  request_free (request);
}

/* The nodes of two files match by their role, which takes a while to find out. */
static void
matched_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  PaneRequest      *request = data;
  ScopeComparePage *self = request->page;
  guint             index = scope_compare_page_find_pane (self, request->pane);
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeConversion) matches = scope_conversion_run_finish (result, &error);

  if (matches && matches->matches->len > 0 && !g_cancellable_is_cancelled (self->cancellable) &&
      index > 0 && index < SCOPE_MAX_PANES &&
      g_str_equal (scope_compare_pane_get_form (request->pane), request->form))
    {
      ScopeDocument *document =
          scope_workspace_get_document (scope_compare_pane_get_workspace (request->pane));

      self->conversions[index] = g_steal_pointer (&matches);
      if (document)
        map_nodes (self, index, document);
      scope_compare_page_update_colours (self);
    }
  request_free (request);
}

static void
match_with_first (ScopeComparePage *self, guint index, const char *path)
{
  const char *first = self->panes[0] ? scope_compare_pane_get_form (self->panes[0]) : NULL;

  if (index == 0 || self->is_recordings || !first)
    return;
  scope_conversion_match_async ((const char *const[2]){ first, path },
                                (const char *const *) self->shapes, self->cancellable, matched_cb,
                                request_new (self, self->panes[index], path));
}

/* Shows the form chosen in a pane; waits for the unrolled form if there is none yet. */
static void
fill_pane (ScopeComparePage *self, guint index)
{
  ScopeComparePane *pane = self->panes[index];
  const char       *form = scope_compare_pane_get_form (pane);

  g_clear_pointer (&self->maps[index], scope_node_map_unref);
  g_clear_pointer (&self->conversions[index], scope_conversion_free);
  scope_compare_pane_show_waiting (pane);
  if (self->files)
    {
      show_file (self, index, form);
      match_with_first (self, index, form);
      return;
    }
  if (self->refusal)
    {
      scope_compare_pane_show_refusal (pane, self->refusal);
      return;
    }
  if (!self->unrolled)
    return;
  if (g_str_equal (form, "unrolled"))
    {
      show_file (self, index, self->unrolled->path);
      return;
    }
  scope_conversion_run_async (&(ScopeConversionOptions){ .model = self->unrolled->path,
                                                         .shapes =
                                                             (const char *const *) self->shapes,
                                                         .form = form,
                                                         .title = self->title },
                              self->cancellable, converted_cb, request_new (self, pane, form));
}

static void
unrolled_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeComparePage) self = data;
  g_autoptr (GError) error = NULL;

  self->unrolled = scope_conversion_run_finish (result, &error);
  if (g_cancellable_is_cancelled (self->cancellable))
    return;
  if (!self->unrolled)
    {
      self->refusal = g_strdup (error->message);
      self->refusal_remedy = hyb_error_get_remedy (error);
      scope_compare_page_show_failure (self, error->message, self->refusal_remedy);
    }
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      fill_pane (self, i);
}

static void
write_unrolled (ScopeComparePage *self)
{
  scope_conversion_run_async (&(ScopeConversionOptions){ .model = self->model,
                                                         .params = self->params,
                                                         .shapes =
                                                             (const char *const *) self->shapes,
                                                         .form = "unrolled",
                                                         .title = self->title },
                              self->cancellable, unrolled_cb, g_object_ref (self));
}

static void
shapes_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeComparePage) self = data;

  g_strfreev (self->shapes);
  self->shapes = scope_gallery_shapes_finish (result, NULL);
  if (!g_cancellable_is_cancelled (self->cancellable))
    write_unrolled (self);
}

void
scope_compare_page_start (ScopeComparePage *self)
{
  if (self->files)
    return;
  /* The proof needs shapes of all inputs, which the files of gallery models do not give. */
  if ((!self->shapes || !self->shapes[0]) && g_str_has_prefix (self->model, "gallery:"))
    scope_gallery_shapes_async (self->model + strlen ("gallery:"), self->cancellable, shapes_cb,
                                g_object_ref (self));
  else
    write_unrolled (self);
}

/* --- Links --- */

static void
on_moved (ScopeComparePane *pane, gpointer data)
{
  ScopeComparePage *self = data;
  ScopeRelativeView look;

  if (!self->is_linked || !scope_compare_pane_get_relative_view (pane, &look))
    return;
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i] && self->panes[i] != pane)
      scope_compare_pane_set_relative_view (self->panes[i], &look);
}

/* Unless a node of another pane is selected, whose counterparts are shown. */
static void
clear_counterparts (ScopeComparePage *self)
{
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i] && scope_workspace_get_selected (
                              scope_compare_pane_get_workspace (self->panes[i])) != VIZ_ROOT)
      return;
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      scope_compare_pane_set_counterparts (self->panes[i], NULL);
}

static void
on_selected (ScopeComparePane *pane, gpointer data)
{
  ScopeComparePage *self = data;
  guint             from = scope_compare_page_find_pane (self, pane);
  guint32           box = scope_workspace_get_selected (scope_compare_pane_get_workspace (pane));

  if (box == VIZ_ROOT || from >= SCOPE_MAX_PANES)
    {
      clear_counterparts (self);
      return;
    }
  scope_compare_pane_set_counterparts (pane, NULL);
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    {
      g_autoptr (GArray) counterparts = NULL;

      if (!self->panes[i] || i == from)
        continue;
      if (self->maps[i] && self->maps[from])
        counterparts = scope_node_map_find (self->maps[from], box, self->maps[i]);
      scope_workspace_select (scope_compare_pane_get_workspace (self->panes[i]), VIZ_ROOT);
      scope_compare_pane_set_counterparts (self->panes[i], counterparts);
    }
}

/* --- Panes --- */

static gboolean
on_form_idle (gpointer data)
{
  PaneRequest *request = data;
  guint        index = scope_compare_page_find_pane (request->page, request->pane);

  if (index < SCOPE_MAX_PANES)
    fill_pane (request->page, index);
  return G_SOURCE_REMOVE;
}

/* From the main loop, after the drop-down list has closed. */
static void
on_form (ScopeComparePane *pane, gpointer data)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, on_form_idle, request_new (data, pane, NULL), request_free);
}

static void
update_closable (ScopeComparePage *self)
{
  guint n = scope_compare_page_n_panes (self);

  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      scope_compare_pane_set_closable (self->panes[i], n > 2);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.add",
                                 n < SCOPE_MAX_PANES &&
                                     !(self->files && n == g_strv_length (self->files)));
}

/* Later panes move up; the first one is the base of difference colours. */
static void
on_closed (ScopeComparePane *pane, gpointer data)
{
  ScopeComparePage *self = data;
  guint             index = scope_compare_page_find_pane (self, pane);

  if (index >= SCOPE_MAX_PANES || scope_compare_page_n_panes (self) <= 2)
    return;
  g_clear_pointer (&self->maps[index], scope_node_map_unref);
  g_clear_pointer (&self->conversions[index], scope_conversion_free);
  for (guint i = index; i + 1 < SCOPE_MAX_PANES; i++)
    {
      self->panes[i] = self->panes[i + 1];
      self->maps[i] = self->maps[i + 1];
      self->conversions[i] = self->conversions[i + 1];
    }
  self->panes[SCOPE_MAX_PANES - 1] = NULL;
  self->maps[SCOPE_MAX_PANES - 1] = NULL;
  self->conversions[SCOPE_MAX_PANES - 1] = NULL;
  gtk_box_remove (self->row, GTK_WIDGET (pane));
  update_closable (self);
  scope_compare_page_update_colours (self);
}

void
scope_compare_page_add_pane (ScopeComparePage *self, const char *form)
{
  guint      index = scope_compare_page_n_panes (self);
  GtkWidget *pane;

  if (index >= SCOPE_MAX_PANES)
    return;
  pane = scope_compare_pane_new (scope_compare_page_get_forms (self), form);
  self->panes[index] = SCOPE_COMPARE_PANE (pane);
  g_signal_connect_object (pane, "form-chosen", G_CALLBACK (on_form), self, 0);
  g_signal_connect_object (pane, "closed", G_CALLBACK (on_closed), self, 0);
  g_signal_connect_object (pane, "moved", G_CALLBACK (on_moved), self, 0);
  g_signal_connect_object (pane, "selected", G_CALLBACK (on_selected), self, 0);
  gtk_widget_set_size_request (pane, (int) (MIN_PANE_WIDTH * scope_text_scale (pane)), -1);
  gtk_box_append (self->row, pane);
  fill_pane (self, index);
  update_closable (self);
}
