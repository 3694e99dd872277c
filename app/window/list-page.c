/* list-page.c — a table of models or of arrays, which a worker finds.
 *
 * ListKind describes the contents of a list.  Start reading with new_page() and read_cb().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/list-page.h"

#include "app/adapt/model-folder.h"
#include "app/process/worker.h"
#include "app/widgets/columns.h"
#include "app/widgets/label.h"
#include "app/widgets/spinner.h"
#include "engine/formats/format.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <string.h>

/* --- Rows --- */

#define SCOPE_TYPE_LIST_ROW (scope_list_row_get_type ())
G_DECLARE_FINAL_TYPE (ScopeListRow, scope_list_row, SCOPE, LIST_ROW, GObject)

struct _ScopeListRow
{
  GObject parent_instance;

  char   *name;
  char   *shape, *type; /* NULL in a list of models */
  guint64 bytes;
};

G_DEFINE_FINAL_TYPE (ScopeListRow, scope_list_row, G_TYPE_OBJECT)

static void
scope_list_row_finalize (GObject *object)
{
  ScopeListRow *self = SCOPE_LIST_ROW (object);

  g_free (self->name);
  g_free (self->shape);
  g_free (self->type);
  G_OBJECT_CLASS (scope_list_row_parent_class)->finalize (object);
}

static void
scope_list_row_class_init (ScopeListRowClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_list_row_finalize;
}

static void
scope_list_row_init (ScopeListRow *self G_GNUC_UNUSED)
{
}

static char *
text_name (gpointer item)
{
  return g_strdup (SCOPE_LIST_ROW (item)->name);
}

static char *
text_shape (gpointer item)
{
  return g_strdup (SCOPE_LIST_ROW (item)->shape);
}

static char *
text_type (gpointer item)
{
  return g_strdup (SCOPE_LIST_ROW (item)->type);
}

static char *
text_bytes (gpointer item)
{
  return prof_format_bytes ((double) SCOPE_LIST_ROW (item)->bytes);
}

static int
compare_names (gconstpointer a, gconstpointer b, gpointer unused G_GNUC_UNUSED)
{
  return strcmp (((const ScopeListRow *) a)->name, ((const ScopeListRow *) b)->name);
}

static int
compare_bytes (gconstpointer a, gconstpointer b, gpointer unused G_GNUC_UNUSED)
{
  guint64 x = ((const ScopeListRow *) a)->bytes, y = ((const ScopeListRow *) b)->bytes;

  return (x > y) - (x < y);
}

/* --- Kinds of lists --- */

typedef struct
{
  ScopeColumn columns[4];
  guint       n_columns;
  /* The rows, of ScopeListRow, read in a worker.  (transfer full) NULL and an error: there are none. */
  GPtrArray *(*read) (const char *path, GError **error);
  char *(*count) (guint n); /* how many there are.  (transfer full) */
  const char *failed;       /* the title if nothing could be read */
  const char *label,
      *action;    /* of the button above the list, with the path as its target; NULL: none */
  gboolean opens; /* activating a row opens the file of its name */
} ListKind;

static GPtrArray *
read_folder (const char *path, GError **error)
{
  g_autoptr (GPtrArray) models = scope_find_models (path, NULL, error);
  GPtrArray *rows = models ? g_ptr_array_new_with_free_func (g_object_unref) : NULL;

  for (guint i = 0; models && i < models->len; i++)
    {
      ScopeListRow *row = g_object_new (SCOPE_TYPE_LIST_ROW, NULL);
      g_autoptr (GFile) file = g_file_new_build_filename (path, models->pdata[i], NULL);
      g_autoptr (GFileInfo) info =
          g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_SIZE, 0, NULL, NULL);

      row->name = g_strdup (models->pdata[i]);
      row->bytes = info ? (guint64) g_file_info_get_size (info) : 0;
      g_ptr_array_add (rows, row);
    }
  return rows;
}

static GPtrArray *
read_arrays (const char *path, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_weights_read_file (path, NULL, error);
  GPtrArray *rows = list ? g_ptr_array_new_with_free_func (g_object_unref) : NULL;

  for (guint i = 0; list && i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      ScopeListRow         *row = g_object_new (SCOPE_TYPE_LIST_ROW, NULL);

      row->name = g_strdup (entry->name);
      if (entry->tensor)
        {
          row->shape = hyb_shape_join (hyb_tensor_get_shape (entry->tensor), "×");
          row->type = g_strdup (hyb_dtype_name (hyb_tensor_get_dtype (entry->tensor)));
          row->bytes = hyb_tensor_get_bytes (entry->tensor);
        }
      g_ptr_array_add (rows, row);
    }
  return rows;
}

static char *
count_models (guint n)
{
  return g_strdup_printf (g_dngettext (NULL, "%u model", "%u models", n), n);
}

static char *
count_arrays (guint n)
{
  return g_strdup_printf (g_dngettext (NULL, "%u array, without a graph",
                                       "%u arrays, without a graph", n),
                          n);
}

static const ListKind folder_kind = {
  .columns = { { N_ ("Model"), text_name, compare_names, FALSE, TRUE },
               { N_ ("Size"), text_bytes, compare_bytes, TRUE, FALSE } },
  .n_columns = 2,
  .read = read_folder,
  .count = count_models,
  .failed = N_ ("No Models"),
  .opens = TRUE,
};

static const ListKind array_kind = {
  .columns = { { N_ ("Array"), text_name, compare_names, FALSE, TRUE },
               { N_ ("Shape"), text_shape, NULL, FALSE, FALSE },
               { N_ ("Type"), text_type, NULL, FALSE, FALSE },
               { N_ ("Size"), text_bytes, compare_bytes, TRUE, FALSE } },
  .n_columns = 4,
  .read = read_arrays,
  .count = count_arrays,
  .failed = N_ ("The Arrays Cannot Be Read"),
  .label = N_ ("Choose the Graph…"),
  .action = "win.choose-graph",
};

/* --- The page --- */

struct _ScopeListPage
{
  AdwBin parent_instance;

  const ListKind *kind;
  ScopeColumn     columns[4]; /* with translated titles */
  char           *path, *title;
  GtkStack       *states; /* borrowed: "loading", "failed", "shown" */
  AdwStatusPage  *failed;
  GCancellable   *reading;
  gboolean        is_busy;
};

G_DEFINE_FINAL_TYPE (ScopeListPage, scope_list_page, ADW_TYPE_BIN)

enum
{
  PROP_TITLE = 1,
  PROP_BUSY,
};

static void
on_activate (GtkColumnView *view, guint position, gpointer data)
{
  ScopeListPage *self = data;
  g_autoptr (ScopeListRow) row =
      g_list_model_get_item (G_LIST_MODEL (gtk_column_view_get_model (view)), position);
  g_autoptr (GFile) file = row ? g_file_new_build_filename (self->path, row->name, NULL) : NULL;
  g_autofree char *uri = file ? g_file_get_uri (file) : NULL;

  if (uri)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.open-uri", "s", uri);
}

static GtkWidget *
new_head (ScopeListPage *self, const GPtrArray *rows)
{
  GtkWidget       *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *label, *button;
  guint64          bytes = 0;
  g_autofree char *number = self->kind->count (rows->len);
  g_autofree char *size = NULL, *text = NULL;

  for (guint i = 0; i < rows->len; i++)
    bytes += SCOPE_LIST_ROW (rows->pdata[i])->bytes;
  size = prof_format_bytes ((double) bytes);
  text = g_strdup_printf ("%s · %s", number, size);
  label = scope_label_new (text, "numeric");
  gtk_widget_set_name (label, "list-summary");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (line, "pass-bar");
  gtk_box_append (GTK_BOX (line), label);
  if (self->kind->action)
    {
      button = gtk_button_new_with_label (_ (self->kind->label));
      gtk_widget_set_name (button, "list-button");
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), self->kind->action);
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", self->path);
      gtk_box_append (GTK_BOX (line), button);
    }
  return line;
}

static void
show_rows (ScopeListPage *self, const GPtrArray *rows)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *table;
  GtkWidget *scroller = gtk_scrolled_window_new ();
  g_autoptr (GListStore) store = g_list_store_new (SCOPE_TYPE_LIST_ROW);

  g_list_store_splice (store, 0, 0, rows->pdata, rows->len);
  table = scope_columns_new (G_LIST_MODEL (store), self->columns, self->kind->n_columns, NULL);
  gtk_widget_set_name (table, "list-table");
  if (self->kind->opens)
    g_signal_connect_object (table, "activate", G_CALLBACK (on_activate), self, 0);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), table);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_box_append (GTK_BOX (box), new_head (self, rows));
  gtk_box_append (GTK_BOX (box), scroller);
  gtk_stack_add_named (self->states, box, "shown");
  gtk_stack_set_visible_child_name (self->states, "shown");
  gtk_widget_grab_focus (table);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeListPage *self = SCOPE_LIST_PAGE (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = g_task_propagate_pointer (G_TASK (result), &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  self->is_busy = FALSE;
  if (rows)
    show_rows (self, rows);
  else
    {
      adw_status_page_set_description (self->failed, error->message);
      gtk_stack_set_visible_child_name (self->states, "failed");
    }
  g_object_notify (G_OBJECT (self), "busy");
}

static void
read_in_worker (GTask *task, gpointer unused G_GNUC_UNUSED)
{
  const ScopeListPage *self =
      g_task_get_source_object (task); /* kept alive by the task; kind and path never change */
  GError    *error = NULL;
  GPtrArray *rows = self->kind->read (self->path, &error);

  scope_task_return (task, rows, (GDestroyNotify) g_ptr_array_unref, error);
}

static GtkWidget *
new_failed (ScopeListPage *self)
{
  GtkWidget *page = adw_status_page_new ();
  GtkWidget *button = gtk_button_new_with_label (_ ("Open Another…"));

  self->failed = ADW_STATUS_PAGE (page);
  adw_status_page_set_icon_name (self->failed, "dialog-warning-symbolic");
  adw_status_page_set_title (self->failed, _ (self->kind->failed));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.open");
  gtk_widget_set_halign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "pill");
  gtk_widget_add_css_class (button, "suggested-action");
  adw_status_page_set_child (self->failed, button);
  return page;
}

static GtkWidget *
new_loading (void)
{
  GtkWidget *page = adw_status_page_new ();
  GtkWidget *spinner = g_object_new (SCOPE_TYPE_SPINNER, NULL);

  gtk_widget_set_size_request (spinner, 32, 32);
  adw_status_page_set_title (ADW_STATUS_PAGE (page), _ ("Opening…"));
  adw_status_page_set_child (ADW_STATUS_PAGE (page), spinner);
  return page;
}

static GtkWidget *
new_page (const ListKind *kind, const char *path)
{
  ScopeListPage *self = g_object_new (SCOPE_TYPE_LIST_PAGE, NULL);
  g_autoptr (GTask) task = NULL;

  self->kind = kind;
  self->path = g_strdup (path);
  self->title = g_path_get_basename (path);
  memcpy (self->columns, kind->columns, sizeof self->columns);
  for (guint i = 0; i < kind->n_columns; i++)
    self->columns[i].title = _ (kind->columns[i].title);
  gtk_stack_add_named (self->states, new_loading (), "loading");
  gtk_stack_add_named (self->states, new_failed (self), "failed");
  self->is_busy = TRUE;
  self->reading = g_cancellable_new ();
  task = g_task_new (self, self->reading, read_cb, NULL);
  scope_worker_run (task, read_in_worker);
  return GTK_WIDGET (self);
}

static void
scope_list_page_get_property (GObject         *object,
                              guint            id,
                              GValue          *value,
                              GParamSpec *spec G_GNUC_UNUSED)
{
  ScopeListPage *self = SCOPE_LIST_PAGE (object);

  if (id == PROP_TITLE)
    g_value_set_string (value, self->title);
  else
    g_value_set_boolean (value, self->is_busy);
}

static void
scope_list_page_dispose (GObject *object)
{
  ScopeListPage *self = SCOPE_LIST_PAGE (object);

  if (self->reading)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  G_OBJECT_CLASS (scope_list_page_parent_class)->dispose (object);
}

static void
scope_list_page_finalize (GObject *object)
{
  ScopeListPage *self = SCOPE_LIST_PAGE (object);

  g_free (self->path);
  g_free (self->title);
  G_OBJECT_CLASS (scope_list_page_parent_class)->finalize (object);
}

static void
scope_list_page_class_init (ScopeListPageClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);

  object_class->get_property = scope_list_page_get_property;
  object_class->dispose = scope_list_page_dispose;
  object_class->finalize = scope_list_page_finalize;
  g_object_class_install_property (object_class, PROP_TITLE,
                                   g_param_spec_string ("title", NULL, NULL, NULL,
                                                        G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_BUSY,
                                   g_param_spec_boolean ("busy", NULL, NULL, FALSE,
                                                         G_PARAM_READABLE |
                                                             G_PARAM_STATIC_STRINGS));
}

static void
scope_list_page_init (ScopeListPage *self)
{
  GtkWidget *states = gtk_stack_new ();

  self->states = GTK_STACK (states);
  gtk_widget_set_name (states, "list-states");
  adw_bin_set_child (ADW_BIN (self), states);
}

GtkWidget *
scope_list_page_new_of_folder (const char *path)
{
  return new_page (&folder_kind, path);
}

GtkWidget *
scope_list_page_new_of_arrays (const char *path)
{
  return new_page (&array_kind, path);
}

const char *
scope_list_page_get_path (ScopeListPage *self)
{
  return self->path;
}
