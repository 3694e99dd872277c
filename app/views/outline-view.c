/* outline-view.c — the tree of groups and nodes with their costs, and the search, whose hits are a flat list.
 *
 * Keyboards and screen readers reach nodes through this list, because the canvas is one picture.  A
 * search runs in a worker; a newer query cancels the older one.  Start with
 * scope_outline_view_search().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/outline-view-private.h"

#include "app/adapt/find.h"
#include "app/models/gradual-list.h"
#include "app/models/node-list.h"
#include "app/models/node-tree.h"
#include "app/process/worker.h"
#include "viz/diagram/short-names.h"

#include <glib/gi18n.h>
#include <math.h>

G_DEFINE_FINAL_TYPE (ScopeOutlineView, scope_outline_view, SCOPE_TYPE_VIEW)

static guint found_signal;

/* --- Searching --- */

typedef struct
{
  ScopeDocument    *document;
  ScopeMeasurement *measurement; /* NULL: nothing measured */
  char             *query;
  char             *meant; /* result: another query, or NULL */
} FindJob;

static void
find_job_free (gpointer data)
{
  FindJob *job = data;

  g_clear_pointer (&job->measurement, scope_measurement_unref);
  scope_document_unref (job->document);
  g_free (job->query);
  g_free (job->meant);
  g_free (job);
}

static gboolean
is_shown_without_query (const ScopeDocument *document, const ScopePlace *place)
{
  return !(viz_diagram_box (scope_document_get_diagram (document), place->box)->flags &
           VIZ_BOX_FOLDED);
}

/* Adds the nodes that match. */
static void
find_nodes (const FindJob *job, const ScopeFind *find, GArray *boxes, GCancellable *cancellable)
{
  VizDiagram *diagram = scope_document_get_diagram (job->document);

  for (guint i = 0; i < scope_document_n_places (job->document); i++)
    {
      const ScopePlace  *place = scope_document_nth_place (job->document, i);
      g_autofree char   *title = viz_short_title (diagram, place->box, NULL);
      ScopeFindNode      node = { .graph = place->graph,
                                  .node = place->node,
                                  .types = scope_document_get_types (job->document, place->graph),
                                  .path = viz_diagram_box (diagram, place->box)->id,
                                  .title = title,
                                  .seconds = NAN };
      const ProfNodeSum *sum =
          job->measurement ? scope_measurement_get_node (job->measurement, place->box, NULL) : NULL;

      if ((i & 1023) == 0 && g_cancellable_is_cancelled (cancellable))
        break;
      if (sum)
        node.seconds = sum->self;
      if (scope_find_is_empty (find) ? is_shown_without_query (job->document, place)
                                     : scope_find_matches (find, &node))
        g_array_append_val (boxes, place->box);
    }
}

/* Adds the groups whose titles match, such as "split × 36". */
static void
find_groups (const FindJob *job, const ScopeFind *find, GArray *boxes)
{
  VizDiagram *diagram = scope_document_get_diagram (job->document);

  for (guint32 box = 1; !scope_find_is_empty (find) && box < viz_diagram_n_boxes (diagram); box++)
    {
      const char *title = viz_diagram_box (diagram, box)->title;

      if (title && !scope_document_get_place (job->document, box) &&
          scope_find_matches_title (find, title))
        g_array_append_val (boxes, box);
    }
}

static void
find_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  FindJob      *job = data;
  GError       *error = NULL;
  g_autoptr (ScopeFind) find = scope_find_new (job->query, &error);
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (!find)
    {
      g_task_return_error (task, error);
      return;
    }
  find_nodes (job, find, boxes, cancellable);
  find_groups (job, find, boxes);
  if (boxes->len == 0)
    job->meant = scope_find_suggest (find, scope_document_get_graph (job->document));
  g_task_return_pointer (task, g_steal_pointer (&boxes), (GDestroyNotify) g_array_unref);
}

static gboolean
shows_bookmarks (ScopeOutlineView *self)
{
  return gtk_toggle_button_get_active (self->bookmarks);
}

static void
show_count (ScopeOutlineView *self)
{
  guint            n = scope_node_list_get_n (self->nodes);
  g_autofree char *text =
      shows_bookmarks (self)
          ? g_strdup_printf (g_dngettext (NULL, "%u bookmark", "%u bookmarks", n), n)
      : self->is_filtered ? g_strdup_printf (g_dngettext (NULL, "%u hit", "%u hits", n), n)
                          : g_strdup_printf (g_dngettext (NULL, "%u node", "%u nodes", n), n);

  gtk_label_set_text (self->status, text);
}

/* meant: a query that the user can choose instead. */
static void
show_meant (ScopeOutlineView *self, const char *meant)
{
  g_autofree char *link = g_markup_printf_escaped ("<a href=\"%s\">%s</a>", meant, meant);
  g_autofree char *text = g_strdup_printf (_ ("Nothing was found. Did you mean %s?"), link);

  gtk_label_set_markup (self->status, text);
}

static gboolean
on_meant (GtkLabel *label, const char *meant, gpointer unused G_GNUC_UNUSED)
{
  gtk_widget_activate_action (GTK_WIDGET (label), "win.search-for", "s", meant);
  return TRUE;
}

static void scope_outline_view_selection_changed (ScopeView *view);

static void
follow_selection (ScopeOutlineView *self)
{
  if (scope_view_get_workspace (SCOPE_VIEW (self)))
    scope_outline_view_selection_changed (SCOPE_VIEW (self));
}

/* boxes: (transfer full) (nullable) */
static void
show_boxes (ScopeOutlineView *self, ScopeDocument *document, GArray *boxes)
{
  self->is_following = TRUE;
  scope_node_list_set (self->nodes, document, boxes);
  if (!document)
    scope_node_list_set (self->roots, NULL, NULL);
  else if (self->is_filtered)
    scope_node_list_set (self->roots, document, g_array_ref (boxes));
  else
    scope_node_list_set (self->roots, document, scope_node_tree_list_children (document, VIZ_ROOT));
  if (!self->is_filtered)
    scope_node_tree_expand_open (self->tree);
  self->is_following = FALSE;
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeOutlineView *self = SCOPE_OUTLINE_VIEW (source);
  const FindJob    *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) boxes = g_task_propagate_pointer (G_TASK (result), &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->searching)
    return;
  g_clear_object (&self->searching);
  if (!boxes)
    {
      if (error && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        gtk_label_set_text (self->status, error->message);
      return;
    }
  self->is_filtered = job->query[0] != '\0';
  show_boxes (self, job->document, g_steal_pointer (&boxes));
  if (job->meant)
    show_meant (self, job->meant);
  else
    show_count (self);
  follow_selection (self);
  g_signal_emit (self, found_signal, 0);
}

static void
search (ScopeOutlineView *self, ScopeDocument *document)
{
  ScopeWorkspace   *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeMeasurement *measurement;
  g_autoptr (GTask) task = NULL;
  FindJob *job;

  measurement = scope_workspace_get_measurement (workspace);
  job = g_new0 (FindJob, 1);
  job->document = scope_document_ref (document);
  job->measurement = measurement ? scope_measurement_ref (measurement) : NULL;
  job->query = g_strdup (self->query);
  self->searching = g_cancellable_new ();
  task = g_task_new (self, self->searching, found_cb, NULL);
  g_task_set_task_data (task, job, find_job_free);
  scope_worker_run (task, find_in_worker);
}

/* --- Bookmarks --- */

static void
show_bookmarks (ScopeOutlineView *self, ScopeDocument *document)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));

  self->is_filtered = TRUE;
  show_boxes (self, document, scope_workspace_find_bookmarks (workspace));
  show_count (self);
  follow_selection (self);
  g_signal_emit (self, found_signal, 0);
}

/* Fills the list with the bookmarks or the hits of the query. */
static void
refresh (ScopeOutlineView *self)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));

  if (self->searching)
    g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
  if (!document)
    show_boxes (self, NULL, NULL);
  else if (shows_bookmarks (self))
    show_bookmarks (self, document);
  else
    search (self, document);
}

static void
update_bookmarks (ScopeOutlineView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  g_autoptr (GArray) boxes = workspace ? scope_workspace_find_bookmarks (workspace) : NULL;
  gboolean has_some = boxes && boxes->len > 0;

  gtk_widget_set_visible (GTK_WIDGET (self->bookmarks), has_some);
  if (!has_some && shows_bookmarks (self))
    gtk_toggle_button_set_active (self->bookmarks, FALSE); /* which fills the list again */
  else if (shows_bookmarks (self))
    refresh (self);
}

void
scope_outline_view_search (ScopeOutlineView *self, const char *query)
{
  if (query != self->query)
    {
      g_free (self->query);
      self->query = g_strdup (query ? query : "");
    }
  if (self->query[0] != '\0' && shows_bookmarks (self))
    gtk_toggle_button_set_active (self->bookmarks, FALSE);
  else
    refresh (self);
}

const guint32 *
scope_outline_view_get_hits (ScopeOutlineView *self, guint *n)
{
  *n = self->is_filtered ? scope_node_list_get_n (self->nodes) : 0;
  return scope_node_list_get_boxes (self->nodes);
}

guint
scope_outline_view_n_shown (ScopeOutlineView *self)
{
  return scope_node_list_get_n (self->nodes);
}

void
scope_outline_view_step (ScopeOutlineView *self, int direction)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  guint           n = scope_node_list_get_n (self->nodes), now;

  if (!workspace || n == 0)
    return;
  now = scope_node_list_find (self->nodes, scope_workspace_get_selected (workspace));
  if (now == G_MAXUINT)
    now = direction > 0 ? 0 : n - 1;
  else
    now = (now + n + (guint) (direction > 0 ? 1 : n - 1)) % n;
  scope_workspace_show (workspace, scope_node_list_get_box (self->nodes, now));
}

/* --- Selection --- */

static void
on_row (GtkSingleSelection *selection, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  ScopeOutlineView *self = data;
  GtkTreeListRow   *row = gtk_single_selection_get_selected_item (selection);
  ScopeWorkspace   *workspace = scope_view_get_workspace (data);
  g_autoptr (ScopeNodeItem) item = row ? gtk_tree_list_row_get_item (row) : NULL;

  if (item && workspace && !self->is_following)
    scope_workspace_show (workspace, scope_node_item_get_box (item));
}

/* The position of the row of a box, which the tree is expanded for. */
static guint
reveal (ScopeOutlineView *self, guint32 box)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  guint          index;

  if (!self->is_filtered)
    return document && scope_node_list_get_n (self->roots) > 0
               ? scope_node_tree_reveal (self->tree, document, box)
               : GTK_INVALID_LIST_POSITION;
  index = scope_node_list_find (self->roots, box);
  return index != G_MAXUINT ? index : GTK_INVALID_LIST_POSITION;
}

static void
scope_outline_view_selection_changed (ScopeView *view)
{
  ScopeOutlineView *self = SCOPE_OUTLINE_VIEW (view);
  guint32           box = scope_workspace_get_selected (scope_view_get_workspace (view));
  guint             index;

  self->is_following = TRUE;
  index = reveal (self, box);
  if (gtk_single_selection_get_selected (self->selection) != index)
    {
      gtk_single_selection_set_selected (self->selection, index);
      if (index != GTK_INVALID_LIST_POSITION && gtk_widget_get_mapped (GTK_WIDGET (self->list)))
        gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", index);
    }
  self->is_following = FALSE;
}

static void
scope_outline_view_capture_changed (ScopeView *view)
{
  scope_outline_view_update_costs (SCOPE_OUTLINE_VIEW (view));
}

static void
on_bookmarks (ScopeOutlineView *self)
{
  update_bookmarks (self);
  scope_outline_view_update_rows (self);
}

static void
scope_outline_view_workspace_changed (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (view);

  if (workspace)
    g_signal_connect_swapped (workspace, "bookmarks-changed", G_CALLBACK (on_bookmarks), view);
}

static void
scope_outline_view_document_changed (ScopeView *view)
{
  ScopeOutlineView *self = SCOPE_OUTLINE_VIEW (view);

  g_clear_pointer (&self->costs, g_free);
  update_bookmarks (self);
  if (!shows_bookmarks (self))
    refresh (self);
}

static void
scope_outline_view_dispose (GObject *object)
{
  ScopeOutlineView *self = SCOPE_OUTLINE_VIEW (object);

  if (self->searching)
    g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
  g_clear_object (&self->nodes);
  g_clear_object (&self->roots);
  g_clear_pointer (&self->bound, g_hash_table_unref);
  g_clear_pointer (&self->costs, g_free);
  g_clear_pointer (&self->query, g_free);
  G_OBJECT_CLASS (scope_outline_view_parent_class)->dispose (object);
}

static void
scope_outline_view_class_init (ScopeOutlineViewClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_outline_view_dispose;
  SCOPE_VIEW_CLASS (class)->workspace_changed = scope_outline_view_workspace_changed;
  SCOPE_VIEW_CLASS (class)->document_changed = scope_outline_view_document_changed;
  SCOPE_VIEW_CLASS (class)->selection_changed = scope_outline_view_selection_changed;
  SCOPE_VIEW_CLASS (class)->capture_changed = scope_outline_view_capture_changed;
  found_signal = g_signal_new ("found", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 0);
}

static GListModel *
create_children (gpointer item, gpointer data)
{
  return SCOPE_OUTLINE_VIEW (data)->is_filtered ? NULL : scope_node_tree_create_children (item);
}

static GtkWidget *
new_bookmarks_button (ScopeOutlineView *self)
{
  GtkWidget *button = gtk_toggle_button_new ();

  gtk_button_set_icon_name (GTK_BUTTON (button), "starred-symbolic");
  gtk_widget_set_tooltip_text (button, _ ("Bookmarks"));
  gtk_widget_set_valign (button, GTK_ALIGN_START);
  gtk_widget_set_margin_top (button, 3);
  gtk_widget_set_margin_end (button, 6);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_name (button, "bookmarks-button");
  gtk_widget_set_visible (button, FALSE);
  g_signal_connect_swapped (button, "toggled", G_CALLBACK (refresh), self);
  return button;
}

static void
scope_outline_view_init (ScopeOutlineView *self)
{
  GtkListItemFactory *factory = scope_outline_view_new_factory (self);
  GtkWidget          *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget          *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget          *scroller = gtk_scrolled_window_new (), *list, *status = gtk_label_new (NULL);
  ScopeGradualList   *rows;

  self->query = g_strdup ("");
  self->nodes = scope_node_list_new ();
  self->roots = scope_node_list_new ();
  self->bound = g_hash_table_new (NULL, NULL);
  self->tree = gtk_tree_list_model_new (G_LIST_MODEL (g_object_ref (self->roots)), FALSE, FALSE,
                                        create_children, self, NULL);
  rows = scope_gradual_list_new (G_LIST_MODEL (self->tree));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (rows));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  list = gtk_list_view_new (GTK_SELECTION_MODEL (self->selection), factory);
  self->list = GTK_LIST_VIEW (list);
  scope_gradual_list_follow (rows, list);
  /* The selected node may be beyond the first rows. */
  g_signal_connect_object (rows, "completed", G_CALLBACK (follow_selection), self,
                           G_CONNECT_SWAPPED);
  self->status = GTK_LABEL (status);
  self->bookmarks = GTK_TOGGLE_BUTTON (new_bookmarks_button (self));
  gtk_widget_set_name (list, "node-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Nodes"),
                                  -1);
  gtk_widget_add_css_class (list, "navigation-sidebar");
  g_signal_connect (status, "activate-link", G_CALLBACK (on_meant), NULL);
  gtk_label_set_wrap (self->status, TRUE);
  gtk_label_set_xalign (self->status, 0);
  gtk_widget_add_css_class (status, "dim-label");
  gtk_widget_add_css_class (status, "outline-status");
  gtk_widget_set_name (status, "outline-status");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_widget_set_hexpand (status, TRUE);
  gtk_box_append (GTK_BOX (head), status);
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->bookmarks));
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), scroller);
  adw_bin_set_child (ADW_BIN (self), box);
  g_signal_connect (self->selection, "notify::selected-item", G_CALLBACK (on_row), self);
}
