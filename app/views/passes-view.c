/* passes-view.c — the passes of the engine over the model, with the change each made.
 *
 * The pipeline runs in a worker when the view is mapped for the first time.  Selecting a pass builds
 * the graph after it in a worker and emits "chosen".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/passes-view.h"

#include "app/document/passes.h"
#include "app/process/worker.h"
#include "app/widgets/label.h"
#include "app/widgets/spinner.h"
#include "app/widgets/tooltip.h"

#include <glib/gi18n.h>

struct _ScopePassesView
{
  ScopeView parent_instance;

  GtkStack      *stack; /* borrowed: children */
  GtkListBox    *list;
  AdwStatusPage *failed;
  GtkSizeGroup  *names, *numbers;

  GCancellable *running, *showing;
  GPtrArray    *steps; /* of ScopePassStep */
};

G_DEFINE_FINAL_TYPE (ScopePassesView, scope_passes_view, SCOPE_TYPE_VIEW)

static guint chosen_signal;

/* --- Rows --- */

static char *
title_of (const ScopePassStep *step)
{
  if (!step->body_of)
    return g_strdup (step->pass->name);
  return g_strdup_printf (_ ("%s, inside %s"), step->pass->name, step->body_of);
}

static char *
describe_step (const ScopePassStep *step)
{
  g_autofree char *folded = NULL;

  if (step->folded > 0)
    folded =
        g_strdup_printf (g_dngettext (NULL, "%u value folded", "%u values folded", step->folded),
                         step->folded);
  if (*step->changes == '\0')
    return g_strdup (folded ? folded : _ ("no change"));
  return folded ? g_strdup_printf ("%s · %s", step->changes, folded) : g_strdup (step->changes);
}

static void
add_row (ScopePassesView *self,
         const char      *title,
         const char      *doc,
         const char      *n,
         const char      *change)
{
  GtkWidget *row = gtk_list_box_row_new (), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 24);
  GtkWidget *name = scope_label_new (title, NULL), *number = scope_label_new (n, "numeric");
  GtkWidget *text = scope_label_new (change, "numeric");

  gtk_label_set_xalign (GTK_LABEL (number), 1);
  gtk_label_set_ellipsize (GTK_LABEL (text), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (text, TRUE);
  scope_tooltip_set (text, change);
  scope_tooltip_set (name, doc);
  gtk_size_group_add_widget (self->names, name);
  gtk_size_group_add_widget (self->numbers, number);
  gtk_box_append (GTK_BOX (line), name);
  gtk_box_append (GTK_BOX (line), number);
  gtk_box_append (GTK_BOX (line), text);
  if (g_str_equal (change, _ ("no change")))
    gtk_widget_add_css_class (line, "dim-label");
  gtk_widget_add_css_class (line, "pass-row");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), line);
  gtk_list_box_append (self->list, row);
}

static void
add_step (ScopePassesView *self, const ScopePassStep *step)
{
  g_autofree char *title = title_of (step);
  g_autofree char *change = describe_step (step);
  g_autofree char *n = step->nodes_before == step->nodes_after
                           ? g_strdup_printf ("%u", step->nodes_after)
                           : g_strdup_printf ("%u → %u", step->nodes_before, step->nodes_after);

  add_row (self, title, gettext (step->pass->doc), n, change);
}

static void
empty_list (ScopePassesView *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->list))) != NULL)
    gtk_list_box_remove (self->list, child);
}

static void
fill_list (ScopePassesView *self)
{
  HybGraph        *graph = scope_document_get_graph (scope_view_get_document (SCOPE_VIEW (self)));
  g_autofree char *n = g_strdup_printf ("%u", hyb_graph_n_nodes (graph));

  empty_list (self);
  add_row (self, _ ("As Written"), NULL, n,
           _ ("Select a pass to see the graph after it, with its new nodes highlighted"));
  for (guint i = 0; i < self->steps->len; i++)
    add_step (self, self->steps->pdata[i]);
  gtk_list_box_select_row (self->list, gtk_list_box_get_row_at_index (self->list, 0));
}

/* --- Running --- */

static void
ran_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopePassesView) self = data;
  g_autoptr (GError) error = NULL;
  GPtrArray *steps = scope_passes_run_finish (result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->running)
    {
      g_clear_pointer (&steps, g_ptr_array_unref);
      return;
    }
  g_clear_object (&self->running);
  if (!steps)
    {
      adw_status_page_set_description (self->failed, error->message);
      gtk_stack_set_visible_child_name (self->stack, "failed");
      return;
    }
  self->steps = steps;
  fill_list (self);
  gtk_stack_set_visible_child_name (self->stack, "list");
}

static void
run_if_mapped (ScopePassesView *self)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));

  if (!document || self->steps || self->running || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->running = g_cancellable_new ();
  gtk_stack_set_visible_child_name (self->stack, "wait");
  scope_passes_run_async (document, self->running, ran_cb, g_object_ref (self));
}

static void
clear_results (ScopePassesView *self)
{
  if (self->running)
    g_cancellable_cancel (self->running);
  if (self->showing)
    g_cancellable_cancel (self->showing);
  g_clear_object (&self->running);
  g_clear_object (&self->showing);
  scope_worker_free (g_steal_pointer (&self->steps), (GDestroyNotify) g_ptr_array_unref);
}

static void
scope_passes_view_document_changed (ScopeView *view)
{
  ScopePassesView *self = SCOPE_PASSES_VIEW (view);

  clear_results (self);
  if (!self->list)
    return;
  empty_list (self);
  g_signal_emit (self, chosen_signal, 0, NULL, NULL);
  run_if_mapped (self);
}

static void
scope_passes_view_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (scope_passes_view_parent_class)->map (widget);
  run_if_mapped (SCOPE_PASSES_VIEW (widget));
}

/* --- Choosing --- */

/* The index of the chosen pass; -1: none. */
static int
get_chosen (ScopePassesView *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);

  return row && self->steps ? gtk_list_box_row_get_index (row) - 1 : -1;
}

static void
shown_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopePassesView) self = data;
  g_autoptr (ScopeDocument) document = scope_passes_show_finish (result, NULL);
  g_autoptr (GArray) hits = g_array_new (FALSE, FALSE, sizeof (guint32));
  const ScopePassStep *step;

  if (!document || g_task_get_cancellable (G_TASK (result)) != self->showing ||
      get_chosen (self) < 0)
    return;
  g_clear_object (&self->showing);
  step = self->steps->pdata[get_chosen (self)];
  for (guint i = 0; i < step->new_nodes->len; i++)
    {
      guint32 box = scope_document_find_name (document, step->new_nodes->pdata[i]);

      if (box != VIZ_ROOT)
        g_array_append_val (hits, box);
    }
  g_signal_emit (self, chosen_signal, 0, document, hits);
}

static void
on_row (ScopePassesView *self)
{
  int index = get_chosen (self);

  if (self->showing)
    g_cancellable_cancel (self->showing);
  g_clear_object (&self->showing);
  if (index < 0)
    {
      g_signal_emit (self, chosen_signal, 0, NULL, NULL);
      return;
    }
  self->showing = g_cancellable_new ();
  scope_passes_show_async (&(ScopePassChoice){ .document =
                                                   scope_view_get_document (SCOPE_VIEW (self)),
                                               .steps = self->steps,
                                               .index = (guint) index },
                           self->showing, shown_cb, g_object_ref (self));
}

void
scope_passes_view_unselect (ScopePassesView *self)
{
  gtk_list_box_select_row (self->list, gtk_list_box_get_row_at_index (self->list, 0));
}

char *
scope_passes_view_dup_title (ScopePassesView *self)
{
  int index = get_chosen (self);

  return index >= 0 ? title_of (self->steps->pdata[index]) : NULL;
}

/* --- Object --- */

static void
scope_passes_view_dispose (GObject *object)
{
  ScopePassesView *self = SCOPE_PASSES_VIEW (object);

  /* Removing rows must not emit "chosen". */
  if (self->list)
    g_signal_handlers_disconnect_by_data (self->list, self);
  self->list = NULL;
  clear_results (self);
  g_clear_object (&self->names);
  g_clear_object (&self->numbers);
  G_OBJECT_CLASS (scope_passes_view_parent_class)->dispose (object);
}

static void
scope_passes_view_class_init (ScopePassesViewClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_passes_view_dispose;
  GTK_WIDGET_CLASS (class)->map = scope_passes_view_map;
  SCOPE_VIEW_CLASS (class)->document_changed = scope_passes_view_document_changed;
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_POINTER);
}

static void
scope_passes_view_init (ScopePassesView *self)
{
  GtkWidget *stack = gtk_stack_new (), *scroller = gtk_scrolled_window_new ();
  GtkWidget *wait = adw_status_page_new (), *spinner = scope_spinner_new ();

  self->stack = GTK_STACK (stack);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  self->failed = ADW_STATUS_PAGE (adw_status_page_new ());
  self->names = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  self->numbers = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  gtk_widget_set_name (GTK_WIDGET (self->list), "passes-list");
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_BROWSE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  adw_status_page_set_title (ADW_STATUS_PAGE (wait), _ ("Running the Passes…"));
  adw_status_page_set_child (ADW_STATUS_PAGE (wait), spinner);
  adw_status_page_set_title (self->failed, _ ("The Passes Cannot Be Run"));
  gtk_widget_add_css_class (wait, "compact");
  gtk_widget_add_css_class (GTK_WIDGET (self->failed), "compact");
  gtk_stack_add_named (self->stack, wait, "wait");
  gtk_stack_add_named (self->stack, scroller, "list");
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->failed), "failed");
  adw_bin_set_child (ADW_BIN (self), stack);
  g_signal_connect_swapped (self->list, "row-selected", G_CALLBACK (on_row), self);
}
