/* compare-pane.c — one form of a model in the compare page, as a compact graph view.
 *
 * Choosing another form replaces the view and its workspace (start_view()), so that nothing of the
 * old form remains.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-pane.h"

#include "app/widgets/spinner.h"
#include "app/widgets/tooltip.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

struct _ScopeComparePane
{
  AdwBin             parent_instance;
  ScopeWorkspace    *workspace;
  const char *const *forms;
  guint              n_programmed; /* camera moves in progress that are not the user's */
  gboolean           is_new;       /* the first picture was not fitted yet */

  GtkDropDown    *chooser; /* borrowed: children */
  GtkLabel       *facts, *counterparts_label;
  GtkButton      *close;
  GtkStack       *stack;
  AdwStatusPage  *refused;
  ScopeGraphView *view;
  char           *proof, *time;
};

G_DEFINE_FINAL_TYPE (ScopeComparePane, scope_compare_pane, ADW_TYPE_BIN)

enum
{
  FORM_CHOSEN,
  CLOSED,
  MOVED,
  SELECTED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

/* --- What is shown --- */

static void
update_facts (ScopeComparePane *self)
{
  ScopeDocument *document = scope_workspace_get_document (self->workspace);
  g_autoptr (GString) text = g_string_new (NULL);

  /* What is cut where there is little room is the number of nodes. */
  if (self->time)
    g_string_append (text, self->time);
  if (self->proof)
    g_string_append (text, text->len > 0 ? " ✓" : "✓");
  if (document)
    {
      guint n = scope_document_get_totals (document)->n_nodes;

      g_string_append_printf (text, g_dngettext (NULL, "%s%u node", "%s%u nodes", n),
                              text->len > 0 ? " · " : "", n);
    }
  gtk_label_set_text (self->facts, text->str);
  if (self->proof)
    g_string_append_printf (text, "\n%s", self->proof);
  scope_tooltip_set (GTK_WIDGET (self->facts), text->str);
}

void
scope_compare_pane_set_facts (ScopeComparePane *self, const char *proof, const char *time)
{
  g_free (self->proof);
  g_free (self->time);
  self->proof = g_strdup (proof);
  self->time = g_strdup (time);
  update_facts (self);
}

void
scope_compare_pane_show_refusal (ScopeComparePane *self, const char *reason)
{
  scope_compare_pane_set_facts (self, NULL, NULL);
  adw_status_page_set_description (self->refused, reason);
  gtk_stack_set_visible_child_name (self->stack, "refused");
}

gboolean
scope_compare_pane_is_refused (ScopeComparePane *self)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (self->stack), "refused") == 0;
}

static void
on_state (ScopeComparePane *self)
{
  ScopeState state = scope_workspace_get_state (self->workspace);

  if (state == SCOPE_STATE_READY)
    {
      gtk_stack_set_visible_child_name (self->stack, "graph");
      update_facts (self);
    }
  else if (state == SCOPE_STATE_FAILED)
    scope_compare_pane_show_refusal (self, scope_workspace_get_error (self->workspace));
}

static void
on_selected (ScopeComparePane *self)
{
  g_signal_emit (self, signals[SELECTED], 0);
}

static double fit_zoom (ScopeComparePane *self);

static gboolean
on_fit_idle (gpointer data)
{
  ScopeComparePane *self = data;

  scope_compare_pane_show_all (self);
  self->is_new = FALSE;
  return G_SOURCE_REMOVE;
}

/* Camera changes before the first picture was fitted, or while the canvas is resized, are not the user's. */
static void
on_camera (ScopeComparePane *self)
{
  if (scope_canvas_is_resizing (scope_compare_pane_get_canvas (self)))
    return;
  if (self->is_new && fit_zoom (self) > 0)
    g_idle_add_full (G_PRIORITY_DEFAULT, on_fit_idle, g_object_ref (self), g_object_unref);
  else if (!self->is_new && self->n_programmed == 0)
    g_signal_emit (self, signals[MOVED], 0);
}

static void
clear_view (ScopeComparePane *self)
{
  if (self->workspace)
    {
      g_signal_handlers_disconnect_by_data (self->workspace, self);
      scope_workspace_cancel (self->workspace);
      g_signal_handlers_disconnect_by_data (scope_compare_pane_get_canvas (self), self);
    }
  g_clear_object (&self->workspace);
}

/* Replaces view and workspace: selection, folds and camera belong to the old form. */
static void
start_view (ScopeComparePane *self)
{
  if (self->view)
    {
      clear_view (self);
      gtk_stack_remove (self->stack, GTK_WIDGET (self->view));
    }
  self->view = g_object_new (SCOPE_TYPE_GRAPH_VIEW, NULL);
  scope_graph_view_set_compact (self->view, TRUE);
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->view), "graph");
  self->workspace = scope_workspace_new ();
  self->is_new = TRUE;
  scope_view_set_workspace (SCOPE_VIEW (self->view), self->workspace);
  g_signal_connect_swapped (self->workspace, "notify::state", G_CALLBACK (on_state), self);
  g_signal_connect_swapped (self->workspace, "notify::selected", G_CALLBACK (on_selected), self);
  g_signal_connect_swapped (scope_compare_pane_get_canvas (self), "camera-changed",
                            G_CALLBACK (on_camera), self);
}

void
scope_compare_pane_show_waiting (ScopeComparePane *self)
{
  if (scope_workspace_get_state (self->workspace) != SCOPE_STATE_EMPTY)
    start_view (self);
  scope_compare_pane_set_counterparts (self, NULL);
  scope_compare_pane_set_facts (self, NULL, NULL);
  gtk_stack_set_visible_child_name (self->stack, "wait");
}

void
scope_compare_pane_open (ScopeComparePane *self, const char *path, const char *const *shapes)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_workspace_set_source (self->workspace, NULL, shapes);
  scope_workspace_open (self->workspace, file, NULL);
}

static char *
describe_counterpart (ScopeDocument *document, const ScopeCounterpart *only)
{
  const VizBox *box = viz_diagram_box (scope_document_get_diagram (document), only->box);
  const char   *name = box->subtitle ? box->subtitle : box->title;

  if (only->first_step < 0)
    return g_strdup_printf (_ ("Matches: %s"), name);
  if (only->first_step == only->last_step)
    return g_strdup_printf (_ ("Matches: %s, step %d"), name, only->first_step);
  return g_strdup_printf (_ ("Matches: %s, steps %d – %d"), name, only->first_step,
                          only->last_step);
}

/* Several of them, with their steps if all have one. */
static char *
describe_counterparts (const GArray *counterparts)
{
  ScopeCounterpart all = g_array_index (counterparts, ScopeCounterpart, 0);

  for (guint i = 1; i < counterparts->len; i++)
    {
      const ScopeCounterpart *one = &g_array_index (counterparts, ScopeCounterpart, i);

      all.first_step = MIN (all.first_step, one->first_step);
      all.last_step = MAX (all.last_step, one->last_step);
    }
  if (all.first_step < 0)
    return g_strdup_printf (g_dngettext (NULL, "%u node matches", "%u nodes match",
                                         counterparts->len),
                            counterparts->len);
  if (all.first_step == all.last_step)
    return g_strdup_printf (_ ("%u nodes match, step %d"), counterparts->len, all.first_step);
  return g_strdup_printf (_ ("%u nodes match, steps %d – %d"), counterparts->len, all.first_step,
                          all.last_step);
}

void
scope_compare_pane_set_counterparts (ScopeComparePane *self, const GArray *counterparts)
{
  ScopeDocument *document = scope_workspace_get_document (self->workspace);
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree char *text = NULL;

  for (guint i = 0; counterparts && i < counterparts->len; i++)
    g_array_append_val (boxes, g_array_index (counterparts, ScopeCounterpart, i).box);
  scope_graph_view_set_hits (self->view, (const guint32 *) (gpointer) boxes->data, boxes->len);
  if (boxes->len == 1 && document)
    text = describe_counterpart (document, &g_array_index (counterparts, ScopeCounterpart, 0));
  else if (boxes->len > 0)
    text = describe_counterparts (counterparts);
  gtk_label_set_text (self->counterparts_label, text ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->counterparts_label), text != NULL);
  scope_tooltip_set (GTK_WIDGET (self->counterparts_label), text);
}

/* --- Camera --- */

/* The part of the canvas that no control covers, in pixels. */
static graphene_rect_t
free_part (ScopeCanvas *canvas)
{
  GtkBorder room = scope_canvas_find_room (canvas);

  return GRAPHENE_RECT_INIT (room.left, room.top,
                             (float) (gtk_widget_get_width (GTK_WIDGET (canvas)) - room.left -
                                      room.right),
                             (float) (gtk_widget_get_height (GTK_WIDGET (canvas)) - room.top -
                                      room.bottom));
}

/* The zoom at which the whole picture is visible, at most 1; 0: there is no picture. */
static double
fit_zoom (ScopeComparePane *self)
{
  ScopeCanvas    *canvas = scope_compare_pane_get_canvas (self);
  VizPicture     *picture = scope_canvas_get_picture (canvas);
  graphene_rect_t part = free_part (canvas);

  if (!picture || part.size.width < 1 || part.size.height < 1 || viz_picture_width (picture) <= 0 ||
      viz_picture_height (picture) <= 0)
    return 0;
  return MIN (MIN (part.size.width / viz_picture_width (picture),
                   part.size.height / viz_picture_height (picture)),
              1);
}

gboolean
scope_compare_pane_get_relative_view (ScopeComparePane *self, ScopeRelativeView *relative)
{
  ScopeCanvas     *canvas = scope_compare_pane_get_canvas (self);
  VizPicture      *picture = scope_canvas_get_picture (canvas);
  graphene_rect_t  part = free_part (canvas);
  graphene_point_t centre;
  double           all = fit_zoom (self), x, y, zoom;

  if (all <= 0)
    return FALSE;
  graphene_rect_get_center (&part, &centre);
  scope_canvas_get_camera (canvas, &x, &y, &zoom);
  relative->x = (x + centre.x / zoom) / viz_picture_width (picture);
  relative->y = (y + centre.y / zoom) / viz_picture_height (picture);
  relative->zoom = zoom / all;
  return TRUE;
}

void
scope_compare_pane_set_relative_view (ScopeComparePane *self, const ScopeRelativeView *relative)
{
  ScopeCanvas     *canvas = scope_compare_pane_get_canvas (self);
  VizPicture      *picture = scope_canvas_get_picture (canvas);
  graphene_rect_t  part = free_part (canvas);
  graphene_point_t centre;
  double           zoom = relative->zoom * fit_zoom (self);

  if (zoom <= 0)
    return;
  graphene_rect_get_center (&part, &centre);
  self->n_programmed++;
  scope_canvas_set_camera (canvas, relative->x * viz_picture_width (picture) - centre.x / zoom,
                           relative->y * viz_picture_height (picture) - centre.y / zoom, zoom);
  self->n_programmed--;
}

/* --- Object --- */

void
scope_compare_pane_show_all (ScopeComparePane *self)
{
  if (!self->workspace)
    return;
  self->n_programmed++;
  scope_canvas_show_all (scope_compare_pane_get_canvas (self));
  self->n_programmed--;
}

static void
on_form (ScopeComparePane *self)
{
  g_signal_emit (self, signals[FORM_CHOSEN], 0);
}

static void
on_close (ScopeComparePane *self)
{
  g_signal_emit (self, signals[CLOSED], 0);
}

const char *
scope_compare_pane_get_form (ScopeComparePane *self)
{
  return self->forms[gtk_drop_down_get_selected (self->chooser)];
}

ScopeWorkspace *
scope_compare_pane_get_workspace (ScopeComparePane *self)
{
  return self->workspace;
}

ScopeCanvas *
scope_compare_pane_get_canvas (ScopeComparePane *self)
{
  return scope_graph_view_get_canvas (self->view);
}

gboolean
scope_compare_pane_is_ready (ScopeComparePane *self)
{
  return scope_compare_pane_is_refused (self) || scope_workspace_get_document (self->workspace);
}

gboolean
scope_compare_pane_is_settled (ScopeComparePane *self)
{
  return scope_compare_pane_is_refused (self) ||
         (scope_workspace_get_document (self->workspace) &&
          scope_canvas_get_picture (scope_compare_pane_get_canvas (self)) &&
          scope_graph_view_is_settled (self->view));
}

void
scope_compare_pane_set_closable (ScopeComparePane *self, gboolean is_closable)
{
  gtk_widget_set_visible (GTK_WIDGET (self->close), is_closable);
}

static void
scope_compare_pane_dispose (GObject *object)
{
  ScopeComparePane *self = SCOPE_COMPARE_PANE (object);

  clear_view (self);
  g_clear_pointer (&self->proof, g_free);
  g_clear_pointer (&self->time, g_free);
  G_OBJECT_CLASS (scope_compare_pane_parent_class)->dispose (object);
}

static void
scope_compare_pane_class_init (ScopeComparePaneClass *class)
{
  static const char *const names[N_SIGNALS] = { "form-chosen", "closed", "moved", "selected" };

  G_OBJECT_CLASS (class)->dispose = scope_compare_pane_dispose;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i], G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                               NULL, NULL, G_TYPE_NONE, 0);
}

static GtkLabel *
new_label (const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, css_class);
  return GTK_LABEL (label);
}

static GtkWidget *
new_head (ScopeComparePane *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->chooser = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  self->facts = new_label ("numeric");
  self->close = GTK_BUTTON (gtk_button_new_from_icon_name ("window-close-symbolic"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->chooser), _ ("Form of the model in this pane"));
  gtk_widget_set_hexpand (GTK_WIDGET (self->facts), TRUE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->close), _ ("Remove this form"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->close), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Remove this form"), -1);
  gtk_widget_add_css_class (GTK_WIDGET (self->close), "flat");
  gtk_widget_add_css_class (head, "pane-head");
  g_signal_connect_swapped (self->close, "clicked", G_CALLBACK (on_close), self);
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->chooser));
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->facts));
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->close));
  return head;
}

static GtkWidget *
new_stack (ScopeComparePane *self)
{
  GtkWidget *stack = gtk_stack_new (), *wait = adw_status_page_new ();
  GtkWidget *refused = adw_status_page_new (), *spinner = scope_spinner_new ();

  self->stack = GTK_STACK (stack);
  self->refused = ADW_STATUS_PAGE (refused);
  adw_status_page_set_title (ADW_STATUS_PAGE (wait), _ ("Converting and Proving…"));
  adw_status_page_set_child (ADW_STATUS_PAGE (wait), spinner);
  adw_status_page_set_title (self->refused, _ ("No Conversion to This Form"));
  adw_status_page_set_icon_name (self->refused, "dialog-information-symbolic");
  gtk_widget_add_css_class (wait, "compact");
  gtk_widget_add_css_class (refused, "compact");
  gtk_stack_add_named (self->stack, wait, "wait");
  gtk_stack_add_named (self->stack, refused, "refused");
  gtk_widget_set_vexpand (stack, TRUE);
  return stack;
}

static void
scope_compare_pane_init (ScopeComparePane *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->counterparts_label = new_label ("dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->counterparts_label), "pane-note");
  gtk_widget_set_name (GTK_WIDGET (self->counterparts_label), "pane-partner");
  gtk_label_set_ellipsize (self->counterparts_label, PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_visible (GTK_WIDGET (self->counterparts_label), FALSE);
  gtk_box_append (GTK_BOX (box), new_head (self));
  gtk_box_append (GTK_BOX (box), new_stack (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->counterparts_label));
  adw_bin_set_child (ADW_BIN (self), box);
  start_view (self);
}

/* The title of a form, or the name of a file.  (transfer full) */
static char *
dup_form_title (const char *form)
{
  return strchr (form, '/') ? g_path_get_basename (form) : g_strdup (scope_conversion_title (form));
}

GtkWidget *
scope_compare_pane_new (const char *const *forms, const char *form)
{
  ScopeComparePane *self = g_object_new (SCOPE_TYPE_COMPARE_PANE, NULL);
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  guint chosen = 0;

  self->forms = forms;
  for (guint i = 0; forms[i] != NULL; i++)
    {
      g_autofree char *title = dup_form_title (forms[i]);

      gtk_string_list_append (titles, title);
      if (g_str_equal (forms[i], form))
        chosen = i;
    }
  gtk_drop_down_set_model (self->chooser, G_LIST_MODEL (titles));
  gtk_drop_down_set_selected (self->chooser, chosen);
  g_signal_connect_swapped (self->chooser, "notify::selected", G_CALLBACK (on_form), self);
  return GTK_WIDGET (self);
}
