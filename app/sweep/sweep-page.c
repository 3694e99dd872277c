/* sweep-page.c — the page of a sweep: progress, overview and table, reading and watching.
 *
 * The folder is read by a child process, at most one at a time; after a read that took long, the next one waits longer.
 * Start reading with scope_sweep_page_new() and read_cb().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-page.h"

#include "app/sweep/sweep-overview.h"
#include "app/sweep/sweep-table.h"
#include "app/sweep/sweep-watch.h"
#include "app/widgets/label.h"
#include "app/widgets/spinner.h"
#include "app/widgets/tooltip.h"

#include <glib/gi18n.h>

#define MIN_PAUSE_US (G_USEC_PER_SEC / 2)
#define MAX_PAUSE_US (10 * G_USEC_PER_SEC)
#define PAUSE        4 /* times as long as the read before */

struct _ScopeSweepPage
{
  AdwBin parent_instance;

  /* Borrowed: children */
  GtkStack       *states; /* "loading", "failed", "shown" */
  AdwStatusPage  *failed;
  GtkProgressBar *progress;
  GtkLabel       *progress_label, *failure;
  GtkRevealer    *failure_revealer;
  GtkWidget      *show_failed;
  GtkStack       *stack; /* "overview", "cells" */
  GtkDropDown    *filter;
  GtkWidget      *overview, *table; /* NULL: nothing was read */

  char            *folder, *title;
  ScopeSweepData  *data; /* NULL: nothing was read */
  ScopeSweepWatch *watch;
  GCancellable    *cancellable;
  gint64           began, may_begin; /* µs: the last read, the next one */
  guint            source;           /* begins the next read */
  gboolean         is_reading, is_stale;
};

G_DEFINE_FINAL_TYPE (ScopeSweepPage, scope_sweep_page, ADW_TYPE_BIN)

enum
{
  PROP_TITLE = 1,
  PROP_BUSY,
  N_PROPS,
};

static GParamSpec *props[N_PROPS];
static guint       open_signal, said_signal;

/* --- Contents --- */

/* How many cells are in which state.  (transfer full) */
static char *
describe_states (const ScopeSweepData *data)
{
  const guint *n = data->n_in_state;

  if (n[SCOPE_CELL_RUNNING] == 0)
    return g_strdup_printf (_ ("%u of %u cells done, %u failed, %u waiting"), n[SCOPE_CELL_DONE],
                            data->n_cells, n[SCOPE_CELL_FAILED], n[SCOPE_CELL_WAITING]);
  return g_strdup_printf (_ ("%u of %u cells done, %u failed, %u running, %u waiting"),
                          n[SCOPE_CELL_DONE], data->n_cells, n[SCOPE_CELL_FAILED],
                          n[SCOPE_CELL_RUNNING], n[SCOPE_CELL_WAITING]);
}

static void
show_progress (ScopeSweepPage *self)
{
  const guint     *n = self->data->n_in_state;
  g_autofree char *text = describe_states (self->data);
  guint            n_over = n[SCOPE_CELL_DONE] + n[SCOPE_CELL_FAILED];

  gtk_label_set_text (self->progress_label, text);
  gtk_progress_bar_set_fraction (self->progress, (double) n_over / self->data->n_cells);
  /* A full bar would look like a border. */
  gtk_widget_set_opacity (GTK_WIDGET (self->progress), n_over < self->data->n_cells);
}

static void
show_message (ScopeSweepPage *self, const char *text, gboolean is_of_cells)
{
  gtk_label_set_text (self->failure, text ? text : "");
  gtk_widget_set_visible (self->show_failed, is_of_cells);
  gtk_revealer_set_reveal_child (self->failure_revealer, text != NULL);
}

/* The most frequent reason stands above the table. */
static void
show_failures (ScopeSweepPage *self)
{
  guint            n, n_failed = self->data->n_in_state[SCOPE_CELL_FAILED];
  const char      *reason = scope_sweep_data_find_reason (self->data, &n);
  g_autofree char *text = NULL;

  if (!reason)
    {
      show_message (self, NULL, FALSE);
      return;
    }
  text = n == n_failed
             ? g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u cell failed: %s",
                                             "%u cells failed, all for one reason: %s", n_failed),
                                n_failed, reason)
             : g_strdup_printf (_ ("%u cells failed, %u of them because: %s"), n_failed, n, reason);
  show_message (self, text, TRUE);
}

static void
open_cell (ScopeSweepPage *self, guint cell)
{
  const ScopeCellResult *result = &self->data->cells[cell];
  g_autofree char       *path = scope_sweep_data_dup_capture (self->data, cell);
  g_autofree char       *text = NULL;

  if (result->state == SCOPE_CELL_DONE && self->data->is_timing)
    {
      g_signal_emit (self, open_signal, 0, path);
      return;
    }
  text = result->state == SCOPE_CELL_DONE ? g_strdup (_ ("Proofs make no recordings"))
         : result->state == SCOPE_CELL_FAILED
             ? g_strdup_printf (_ ("Cell %u failed: %s"), cell, result->reason)
             : g_strdup_printf (_ ("Cell %u is not done yet"), cell);
  g_signal_emit (self, said_signal, 0, text);
}

static void
on_filter (ScopeSweepPage *self)
{
  static const ScopeCellState states[] = { SCOPE_CELL_N_STATES, SCOPE_CELL_DONE, SCOPE_CELL_FAILED,
                                           SCOPE_CELL_WAITING, SCOPE_CELL_RUNNING };
  guint                       choice = gtk_drop_down_get_selected (self->filter);

  if (self->table && choice < G_N_ELEMENTS (states))
    scope_sweep_table_filter (SCOPE_SWEEP_TABLE (self->table), states[choice]);
}

/* Makes the children that depend on the axes. */
static void
add_results (ScopeSweepPage *self)
{
  g_autofree char *shown = g_strdup (gtk_stack_get_visible_child_name (self->stack));

  if (self->overview)
    gtk_stack_remove (self->stack, self->overview);
  if (self->table)
    gtk_stack_remove (self->stack, self->table);
  self->overview = scope_sweep_overview_new (self->data);
  self->table = scope_sweep_table_new (self->data);
  g_signal_connect_swapped (self->overview, "opened", G_CALLBACK (open_cell), self);
  g_signal_connect_swapped (self->table, "opened", G_CALLBACK (open_cell), self);
  gtk_stack_add_titled (self->stack, self->overview, "overview", _ ("Overview"));
  gtk_stack_add_titled (self->stack, self->table, "cells", _ ("Cells"));
  if (shown)
    gtk_stack_set_visible_child_name (self->stack, shown);
  on_filter (self);
}

static void
show_data (ScopeSweepPage *self, ScopeSweepData *data)
{
  gboolean is_same = self->data && scope_sweep_data_has_same_plan (self->data, data);

  g_clear_pointer (&self->data, scope_sweep_data_unref);
  self->data = data;
  if (is_same)
    {
      scope_sweep_overview_update (SCOPE_SWEEP_OVERVIEW (self->overview), data);
      scope_sweep_table_update (SCOPE_SWEEP_TABLE (self->table), data);
    }
  else
    add_results (self);
  show_progress (self);
  show_failures (self);
  gtk_stack_set_visible_child_name (self->states, "shown");
}

/* Results that were read stay. */
static void
show_error (ScopeSweepPage *self, const char *message)
{
  g_autofree char *text = NULL;

  if (!self->data)
    {
      adw_status_page_set_description (self->failed, message);
      gtk_stack_set_visible_child_name (self->states, "failed");
      return;
    }
  text = g_strdup_printf (_ ("The folder could not be read again: %s"), message);
  show_message (self, text, FALSE);
}

/* --- Reading --- */

static void read_soon (ScopeSweepPage *self);

static void
read_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer pointer)
{
  g_autoptr (ScopeSweepPage) self = pointer;
  g_autoptr (GError) error = NULL;
  ScopeSweepData *data = scope_sweep_data_read_finish (result, &error);
  gint64          now = g_get_monotonic_time ();

  self->is_reading = FALSE;
  if (g_cancellable_is_cancelled (self->cancellable))
    {
      g_clear_pointer (&data, scope_sweep_data_unref);
      return;
    }
  self->may_begin = now + CLAMP (PAUSE * (now - self->began), MIN_PAUSE_US, MAX_PAUSE_US);
  if (data)
    show_data (self, data);
  else
    show_error (self, error->message);
  g_object_notify (G_OBJECT (self), "busy");
  if (self->is_stale)
    read_soon (self);
}

static gboolean
read_now (gpointer data)
{
  ScopeSweepPage *self = data;

  g_clear_handle_id (&self->source, g_source_remove);
  self->is_stale = self->is_reading;
  if (self->is_reading)
    return G_SOURCE_REMOVE;
  self->is_reading = TRUE;
  self->began = g_get_monotonic_time ();
  scope_sweep_data_read_async (self->folder, self->cancellable, read_cb, g_object_ref (self));
  return G_SOURCE_REMOVE;
}

static gboolean
on_pause_ended (gpointer data)
{
  SCOPE_SWEEP_PAGE (data)->source = 0;
  return read_now (data);
}

static void
read_soon (ScopeSweepPage *self)
{
  gint64 pause = self->may_begin - g_get_monotonic_time ();

  self->is_stale = TRUE;
  if (!self->is_reading && self->source == 0)
    self->source = g_timeout_add ((guint) (MAX (pause, 0) / 1000), on_pause_ended, self);
}

/* --- Actions --- */

static void
act_reload (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  read_now (SCOPE_SWEEP_PAGE (widget));
}

static void
act_show_failed (GtkWidget          *widget,
                 const char *name    G_GNUC_UNUSED,
                 GVariant *parameter G_GNUC_UNUSED)
{
  ScopeSweepPage *self = SCOPE_SWEEP_PAGE (widget);

  gtk_stack_set_visible_child_name (self->stack, "cells");
  gtk_drop_down_set_selected (self->filter, 2);
}

/* --- Children --- */

static GtkWidget *
new_head (ScopeSweepPage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *bar = gtk_progress_bar_new ();
  GtkWidget *label = scope_label_new (NULL, "numeric");
  GtkWidget *reload = gtk_button_new_from_icon_name ("view-refresh-symbolic");

  self->progress = GTK_PROGRESS_BAR (bar);
  self->progress_label = GTK_LABEL (label);
  gtk_widget_set_name (label, "sweep-progress");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_ellipsize (self->progress_label, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (bar, "osd");
  gtk_widget_add_css_class (line, "pass-bar");
  gtk_widget_add_css_class (reload, "flat");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (reload), "sweep.reload");
  scope_tooltip_set (reload, _ ("Read the folder again (F5)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (reload), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Read the folder again"), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Progress of the sweep"), -1);
  gtk_box_append (GTK_BOX (line), label);
  gtk_box_append (GTK_BOX (line), reload);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), line);
  return box;
}

static GtkWidget *
new_message (ScopeSweepPage *self)
{
  GtkWidget *revealer = gtk_revealer_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = scope_label_new_wrapping (NULL, NULL);

  self->failure_revealer = GTK_REVEALER (revealer);
  self->failure = GTK_LABEL (label);
  self->show_failed = gtk_button_new_with_label (_ ("Show Failed Cells"));
  gtk_widget_set_name (label, "sweep-message");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_wrap_mode (self->failure, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (self->failure, 3);
  gtk_label_set_ellipsize (self->failure, PANGO_ELLIPSIZE_END);
  gtk_label_set_selectable (self->failure, TRUE);
  gtk_widget_set_valign (self->show_failed, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->show_failed), "sweep.show-failed");
  gtk_widget_add_css_class (box, "banner");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), self->show_failed);
  gtk_revealer_set_child (self->failure_revealer, box);
  return revealer;
}

static void
on_view (ScopeSweepPage *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->filter),
                          g_strcmp0 (gtk_stack_get_visible_child_name (self->stack), "cells") == 0);
}

static GtkWidget *
new_bar (ScopeSweepPage *self)
{
  const char *const names[] = { _ ("All"),     _ ("Done"),    _ ("Failed"),
                                _ ("Waiting"), _ ("Running"), NULL };
  GtkWidget        *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget        *space = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget        *switcher = gtk_stack_switcher_new ();
  GtkWidget        *filter = gtk_drop_down_new_from_strings (names);

  self->filter = GTK_DROP_DOWN (filter);
  gtk_widget_set_name (filter, "sweep-filter");
  gtk_widget_set_visible (filter, FALSE);
  gtk_widget_set_tooltip_text (filter, _ ("Cells that are shown"));
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (switcher), self->stack);
  gtk_widget_set_hexpand (space, TRUE);
  gtk_widget_add_css_class (bar, "panel-bar");
  g_signal_connect_swapped (filter, "notify::selected", G_CALLBACK (on_filter), self);
  g_signal_connect_swapped (self->stack, "notify::visible-child", G_CALLBACK (on_view), self);
  gtk_box_append (GTK_BOX (bar), switcher);
  gtk_box_append (GTK_BOX (bar), space);
  gtk_box_append (GTK_BOX (bar), filter);
  return bar;
}

static GtkWidget *
new_results (ScopeSweepPage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_widget_set_name (GTK_WIDGET (self->stack), "sweep-stack");
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_box_append (GTK_BOX (box), new_head (self));
  gtk_box_append (GTK_BOX (box), new_message (self));
  gtk_box_append (GTK_BOX (box), new_bar (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->stack));
  return box;
}

static GtkWidget *
new_failed (ScopeSweepPage *self)
{
  GtkWidget *button = gtk_button_new_with_label (_ ("Try Again"));

  self->failed = ADW_STATUS_PAGE (adw_status_page_new ());
  adw_status_page_set_icon_name (self->failed, "dialog-information-symbolic");
  adw_status_page_set_title (self->failed, _ ("Not a Sweep That Can Be Shown"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "sweep.reload");
  gtk_widget_set_halign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "pill");
  adw_status_page_set_child (self->failed, button);
  return GTK_WIDGET (self->failed);
}

static GtkWidget *
new_loading (void)
{
  GtkWidget *status = adw_status_page_new (), *spinner = scope_spinner_new ();

  adw_status_page_set_title (ADW_STATUS_PAGE (status), _ ("Reading the Sweep"));
  gtk_widget_set_size_request (spinner, 32, 32);
  gtk_widget_set_halign (spinner, GTK_ALIGN_CENTER);
  adw_status_page_set_child (ADW_STATUS_PAGE (status), spinner);
  return status;
}

/* --- Object --- */

static void
scope_sweep_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ScopeSweepPage *self = SCOPE_SWEEP_PAGE (object);

  if (id == PROP_TITLE)
    g_value_take_string (value, g_strdup_printf (_ ("Sweep: %s"), self->title));
  else if (id == PROP_BUSY)
    g_value_set_boolean (value, self->is_reading && !self->data);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
stop (ScopeSweepPage *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->source, g_source_remove);
  if (self->watch)
    scope_sweep_watch_stop (self->watch);
}

/* A tab that is moved to another window has a new root by now. */
static gboolean
on_unrooted (gpointer data)
{
  if (!gtk_widget_get_root (data))
    stop (data);
  return G_SOURCE_REMOVE;
}

static void
scope_sweep_page_unroot (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (scope_sweep_page_parent_class)->unroot (widget);
  g_idle_add_full (G_PRIORITY_DEFAULT, on_unrooted, g_object_ref (widget), g_object_unref);
}

static void
scope_sweep_page_dispose (GObject *object)
{
  stop (SCOPE_SWEEP_PAGE (object));
  G_OBJECT_CLASS (scope_sweep_page_parent_class)->dispose (object);
}

static void
scope_sweep_page_finalize (GObject *object)
{
  ScopeSweepPage *self = SCOPE_SWEEP_PAGE (object);

  g_clear_object (&self->watch);
  g_clear_pointer (&self->data, scope_sweep_data_unref);
  g_object_unref (self->cancellable);
  g_free (self->folder);
  g_free (self->title);
  G_OBJECT_CLASS (scope_sweep_page_parent_class)->finalize (object);
}

static guint
new_text_signal (GType type, const char *name)
{
  return g_signal_new (name, type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                       G_TYPE_STRING);
}

static void
scope_sweep_page_class_init (ScopeSweepPageClass *class)
{
  GObjectClass   *object_class = G_OBJECT_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  object_class->get_property = scope_sweep_page_get_property;
  object_class->dispose = scope_sweep_page_dispose;
  object_class->finalize = scope_sweep_page_finalize;
  widget_class->unroot = scope_sweep_page_unroot;
  props[PROP_TITLE] =
      g_param_spec_string ("title", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_BUSY] =
      g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
  open_signal = new_text_signal (G_TYPE_FROM_CLASS (class), "open-capture");
  said_signal = new_text_signal (G_TYPE_FROM_CLASS (class), "said");
  gtk_widget_class_install_action (widget_class, "sweep.reload", NULL, act_reload);
  gtk_widget_class_install_action (widget_class, "sweep.show-failed", NULL, act_show_failed);
}

static void
scope_sweep_page_init (ScopeSweepPage *self)
{
  self->cancellable = g_cancellable_new ();
  self->states = GTK_STACK (gtk_stack_new ());
  gtk_widget_set_name (GTK_WIDGET (self->states), "sweep-states");
  gtk_stack_add_named (self->states, new_loading (), "loading");
  gtk_stack_add_named (self->states, new_failed (self), "failed");
  gtk_stack_add_named (self->states, new_results (self), "shown");
  adw_bin_set_child (ADW_BIN (self), GTK_WIDGET (self->states));
}

GtkWidget *
scope_sweep_page_new (const char *folder)
{
  ScopeSweepPage *self = g_object_new (SCOPE_TYPE_SWEEP_PAGE, NULL);

  self->folder = g_strdup (folder);
  self->title = g_path_get_basename (folder);
  self->watch = scope_sweep_watch_new (folder);
  g_signal_connect_object (self->watch, "changed", G_CALLBACK (read_soon), self, G_CONNECT_SWAPPED);
  read_now (self);
  return GTK_WIDGET (self);
}

const char *
scope_sweep_page_get_folder (ScopeSweepPage *self)
{
  return self->folder;
}

const ScopeSweepData *
scope_sweep_page_get_data (ScopeSweepPage *self)
{
  return self->data;
}
