/* form-menu.c — the menu of forms; on_shown() gets the possible conversions from the engine.
 *
 * A conversion itself is the action "win.convert" of the window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/form-menu.h"

#include "app/process/conversion.h"
#include "app/process/worker.h"
#include "app/widgets/spinner.h"
#include "app/widgets/tooltip.h"
#include "engine/graph/roles.h"
#include "engine/variants/variant.h"

#include <glib/gi18n.h>

#define MIN_CHARS   8   /* of the title */
#define MAX_CHARS   14  /* as many as the longest form has */
#define WIDE_WINDOW 800 /* pixels; a narrower one needs all that the title can spare */

struct _ScopeFormMenu
{
  AdwBin parent_instance;

  GtkMenuButton *button; /* borrowed: children */
  GtkPopover    *popover;
  GtkListBox    *list;
  GtkWidget     *spinner;
  GtkLabel      *title, *proof;

  ScopePage     *page;            /* (nullable) weak */
  ScopeDocument *listed_document; /* whose forms are, or are being, listed */
  gboolean       is_filled;
};

G_DEFINE_FINAL_TYPE (ScopeFormMenu, scope_form_menu, ADW_TYPE_BIN)

/* --- Possible forms --- */

/* The model with zeros for parameters without values, because forms are a matter of the graph.
 * (transfer full) */
static HybModel *
new_whole_model (ScopeDocument *document)
{
  HybModel        *model = scope_document_get_model (document), *whole = hyb_model_new ();
  HybGraph        *graph = scope_document_get_graph (document);
  const HybType   *types = scope_document_get_types (document, graph);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  hyb_model_set_graph (whole, graph);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *values = hyb_model_get_parameter (model, node->name);
      const HybType *type = &types[node->first_output];
      g_autoptr (HybTensor) tensor = values ? hyb_tensor_ref (values) : NULL;

      if (!tensor && hyb_type_is_known (type) &&
          hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER)
        tensor = hyb_tensor_new_zeros (type, NULL);
      if (tensor)
        hyb_model_set_parameter (whole, node->name, tensor);
    }
  return whole;
}

/* Arrays of zeros for inputs with known shapes: the engine takes the shapes of a conversion from arrays. */
static HybTensorList *
list_inputs (HybModel *model, ScopeDocument *document)
{
  HybTensorList   *list = hyb_tensor_list_new ();
  HybGraph        *graph = scope_document_get_graph (document);
  const HybType   *types = scope_document_get_types (document, graph);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      g_autoptr (HybTensor) zeros = NULL;

      if (!hyb_model_get_parameter (model, node->name) &&
          hyb_type_is_known (&types[node->first_output]))
        zeros = hyb_tensor_new_zeros (&types[node->first_output], NULL);
      if (zeros)
        hyb_tensor_list_set (list, node->name, zeros);
    }
  return list;
}

static void
free_possibilities (gpointer data)
{
  GArray *list = data;

  for (guint i = 0; i < list->len; i++)
    g_free (g_array_index (list, HybPossibility, i).reason);
  g_array_unref (list);
}

static void
list_in_worker (GTask *task, gpointer data)
{
  g_autoptr (HybModel) model = new_whole_model (data);
  g_autoptr (HybTensorList) input = list_inputs (model, data);
  HybConvertOptions options = { .input = input };

  g_task_return_pointer (task, hyb_variant_list (model, &options), free_possibilities);
}

static GtkWidget *
new_row (const char *form, gboolean is_shown, const char *reason)
{
  GtkWidget *row = gtk_list_box_row_new (), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *title = gtk_label_new (scope_conversion_title (form)), *note = gtk_label_new (reason);
  GtkWidget *mark = gtk_image_new_from_icon_name ("object-select-symbolic");

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_xalign (GTK_LABEL (note), 0);
  gtk_label_set_wrap (GTK_LABEL (note), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (note), 36);
  gtk_widget_add_css_class (note, "caption");
  gtk_widget_add_css_class (note, "dim-label");
  gtk_widget_set_visible (note, reason != NULL);
  gtk_widget_set_opacity (mark, is_shown ? 1 : 0);
  gtk_widget_set_hexpand (words, TRUE);
  gtk_box_append (GTK_BOX (words), title);
  gtk_box_append (GTK_BOX (words), note);
  gtk_box_append (GTK_BOX (line), words);
  gtk_box_append (GTK_BOX (line), mark);
  gtk_widget_add_css_class (line, "form-row");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), line);
  /* Not insensitive, because the reason must stay readable. */
  if (reason)
    gtk_widget_add_css_class (title, "dim-label");
  gtk_widget_set_tooltip_text (row, reason);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), !reason);
  gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_DISABLED, reason != NULL,
                               -1);
  gtk_widget_set_name (row, form);
  return row;
}

static void
empty_list (ScopeFormMenu *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->list))) != NULL)
    gtk_list_box_remove (self->list, child);
  self->is_filled = FALSE;
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ScopeFormMenu *self = SCOPE_FORM_MENU (source);
  GArray        *list = g_task_propagate_pointer (G_TASK (result), NULL);

  if (!self->page || data != self->listed_document) /* of a closed page, or of another one */
    {
      free_possibilities (list);
      return;
    }
  empty_list (self);
  for (guint i = 0; i < list->len; i++)
    {
      const HybPossibility *possibility = &g_array_index (list, HybPossibility, i);
      const char           *form = hyb_form_name (possibility->form);
      gboolean              is_shown = g_strcmp0 (form, scope_page_get_form (self->page)) == 0;

      gtk_list_box_append (self->list,
                           new_row (form, is_shown, is_shown ? NULL : possibility->reason));
    }
  free_possibilities (list);
  gtk_widget_set_visible (self->spinner, FALSE);
  self->is_filled = TRUE;
}

static void
on_shown (ScopeFormMenu *self)
{
  ScopeWorkspace *workspace = self->page ? scope_page_get_workspace (self->page) : NULL;
  ScopeDocument  *document = workspace ? scope_workspace_get_document (workspace) : NULL;
  g_autoptr (GTask) task = NULL;
  const char *proof;

  if (!document)
    return;
  proof = scope_page_get_proof (self->page);
  gtk_label_set_text (self->proof, proof ? proof : "");
  gtk_widget_set_visible (GTK_WIDGET (self->proof), proof != NULL);
  if (document == self->listed_document)
    return;
  g_clear_pointer (&self->listed_document, scope_document_unref);
  self->listed_document = scope_document_ref (document);
  empty_list (self);
  gtk_widget_set_visible (self->spinner, TRUE);
  task = g_task_new (self, NULL, listed_cb, document);
  g_task_set_task_data (task, scope_document_ref (document), (GDestroyNotify) scope_document_unref);
  scope_worker_run (task, list_in_worker);
}

static void
on_row (GtkListBox *list G_GNUC_UNUSED, GtkListBoxRow *row, gpointer data)
{
  ScopeFormMenu *self = data;
  const char    *form = gtk_widget_get_name (GTK_WIDGET (row));

  gtk_popover_popdown (self->popover);
  if (self->page && g_strcmp0 (form, scope_page_get_form (self->page)) != 0)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.convert", "s", form);
}

/* --- Object --- */

/* The header gives the rest of its room to the search, so that the title would be cut to its least width. */
static void
update_width (ScopeFormMenu *self)
{
  glong n = g_utf8_strlen (gtk_label_get_text (self->title), -1);
  int   width = 0;

  if (GTK_IS_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))))
    g_object_get (gtk_widget_get_root (GTK_WIDGET (self)), "default-width", &width, NULL);
  gtk_label_set_width_chars (self->title, width < WIDE_WINDOW
                                              ? MIN_CHARS
                                              : (int) CLAMP (n, MIN_CHARS, MAX_CHARS));
}

static void
scope_form_menu_root (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (scope_form_menu_parent_class)->root (widget);
  g_signal_connect_object (gtk_widget_get_root (widget), "notify::default-width",
                           G_CALLBACK (update_width), widget, G_CONNECT_SWAPPED);
}

static void
set_title (ScopeFormMenu *self, const char *title)
{
  gtk_label_set_text (self->title, title);
  update_width (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
}

void
scope_form_menu_set_page (ScopeFormMenu *self, ScopePage *page)
{
  const char *form = page ? scope_page_get_form (page) : NULL;

  g_set_weak_pointer (&self->page, page);
  gtk_widget_set_visible (GTK_WIDGET (self), form != NULL);
  if (form)
    set_title (self, scope_conversion_title (form));
}

void
scope_form_menu_set_busy (ScopeFormMenu *self, gboolean is_busy)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->button), !is_busy);
  if (is_busy)
    set_title (self, _ ("Converting…"));
  else
    scope_form_menu_set_page (self, self->page);
}

gboolean
scope_form_menu_is_filled (ScopeFormMenu *self)
{
  return self->is_filled;
}

static void
scope_form_menu_dispose (GObject *object)
{
  ScopeFormMenu *self = SCOPE_FORM_MENU (object);

  g_clear_pointer (&self->listed_document, scope_document_unref);
  g_clear_weak_pointer (&self->page);
  G_OBJECT_CLASS (scope_form_menu_parent_class)->dispose (object);
}

static void
scope_form_menu_class_init (ScopeFormMenuClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_form_menu_dispose;
  GTK_WIDGET_CLASS (class)->root = scope_form_menu_root;
}

static GtkWidget *
new_popover_child (ScopeFormMenu *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *compare = gtk_button_new_with_label (_ ("Compare Forms…"));

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  self->spinner = scope_spinner_new ();
  self->proof = GTK_LABEL (gtk_label_new (NULL));
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_widget_set_name (GTK_WIDGET (self->list), "form-list");
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "form-list");
  gtk_widget_add_css_class (GTK_WIDGET (self->proof), "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self->proof), "dim-label");
  gtk_label_set_xalign (self->proof, 0);
  gtk_label_set_wrap (self->proof, TRUE);
  gtk_label_set_max_width_chars (self->proof, 36);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (compare), "win.compare");
  gtk_widget_add_css_class (compare, "flat");
  gtk_widget_set_size_request (box, 220, -1);
  gtk_box_append (GTK_BOX (box), self->spinner);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->list));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->proof));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), compare);
  g_signal_connect_swapped (compare, "clicked", G_CALLBACK (gtk_popover_popdown), self->popover);
  g_signal_connect (self->list, "row-activated", G_CALLBACK (on_row), self);
  return box;
}

static void
scope_form_menu_init (ScopeFormMenu *self)
{
  self->button = GTK_MENU_BUTTON (gtk_menu_button_new ());
  /* A label of the button's own could not become narrower. */
  self->title = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->title, PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (self->title, 8);
  gtk_menu_button_set_child (self->button, GTK_WIDGET (self->title));
  gtk_menu_button_set_always_show_arrow (self->button, TRUE);
  self->popover = GTK_POPOVER (gtk_popover_new ());
  gtk_popover_set_child (self->popover, new_popover_child (self));
  gtk_menu_button_set_popover (self->button, GTK_WIDGET (self->popover));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button),
                               _ ("Form of the model, and conversion to other forms"));
  scope_tooltip_yield (self->button);
  gtk_widget_set_name (GTK_WIDGET (self->button), "form-button");
  g_signal_connect_swapped (self->popover, "map", G_CALLBACK (on_shown), self);
  adw_bin_set_child (ADW_BIN (self), GTK_WIDGET (self->button));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
