/* values-view.c — chooses and loads the tensor that the view shows, and its actions.
 *
 * The table is in values-view-table.c, statistics in -facts.c, the other model in -compare.c.  update_list() follows the
 * selection; choose() begins to load a tensor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/values-view-private.h"

#include "app/widgets/combo-label.h"
#include "app/widgets/spinner.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE (ScopeValuesView, scope_values_view, SCOPE_TYPE_VIEW)

/* --- Loading --- */

/* The step of a loop that a value is of; "" for other tensors.  (transfer full) */
static char *
describe_step (ScopeValuesView *self)
{
  ScopeWorkspace         *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  const ScopeValues      *values = scope_workspace_get_values (workspace);
  const ScopeStepPath    *chosen = scope_workspace_get_step (workspace);
  const ScopeTensorName  *name = self->name;
  const ScopeValueSeries *series =
      values && name && !name->is_parameter
          ? scope_values_find (values, name->body, name->node, name->output)
          : NULL;
  g_autofree char *step = NULL;

  if (!series || !series->steps)
    return g_strdup ("");
  step = scope_step_path_to_string (chosen->n > 0 && scope_value_series_find (series, chosen, NULL)
                                        ? chosen
                                        : &series->latest.last);
  return *step != '\0' ? g_strdup_printf (_ (" · step %s"), step) : g_strdup ("");
}

/* "float32 · 64×3×7×7 · 37.6 kB · step 3".  (transfer full) */
static char *
describe_tensor (ScopeValuesView *self, HybTensor *tensor)
{
  g_autofree char *shape = hyb_shape_join (hyb_tensor_get_shape (tensor), "×");
  g_autofree char *bytes = prof_format_bytes ((double) hyb_tensor_get_bytes (tensor));
  g_autofree char *step = describe_step (self);
  const char      *dtype = hyb_dtype_name (hyb_tensor_get_dtype (tensor));

  return g_strdup_printf ("%s%s%s · %s%s", dtype, *shape != '\0' ? " · " : "", shape, bytes, step);
}

/* The pairs of axes that a table can show. */
static void
list_axes (ScopeValuesView *self)
{
  g_autoptr (GtkStringList) pairs = gtk_string_list_new (NULL);
  int rank = self->slice.shape.rank;

  for (int row = 0; row < rank; row++)
    for (int column = row + 1; column < rank; column++)
      gtk_string_list_take (pairs, g_strdup_printf (_ ("axes %d × %d"), row, column));
  self->is_updating = TRUE;
  gtk_drop_down_set_model (self->axes, G_LIST_MODEL (pairs));
  self->is_updating = FALSE;
  gtk_widget_set_visible (self->slice_tools, rank > 2);
}

/* Selects the pair of the slice; the position of "row × column" in list_axes(). */
static void
show_axes (ScopeValuesView *self)
{
  int   rank = self->slice.shape.rank, row = self->slice.row_axis, column = self->slice.column_axis;
  guint position = row >= 0 && column >= 0
                       ? (guint) (row * rank - row * (row + 1) / 2 + column - row - 1)
                       : GTK_INVALID_LIST_POSITION;

  self->is_updating = TRUE;
  gtk_drop_down_set_selected (self->axes, position);
  self->is_updating = FALSE;
}

/* Everything that depends on the slice. */
static void
show_slice (ScopeValuesView *self)
{
  show_axes (self);
  scope_values_view_show_slice (self);
  scope_values_view_draw_picture (self);
}

/* tensor: (transfer full) (nullable).  The slice stays if the shape does. */
static void
take_tensor (ScopeValuesView *self, HybTensor *tensor)
{
  g_autofree char *type = tensor ? describe_tensor (self, tensor) : NULL;

  g_clear_pointer (&self->tensor, hyb_tensor_unref);
  self->tensor = tensor;
  gtk_label_set_text (self->type, type ? type : "");
  if (tensor && !hyb_shape_equal (hyb_tensor_get_shape (tensor), &self->slice.shape))
    {
      scope_slice_init (&self->slice, hyb_tensor_get_shape (tensor));
      list_axes (self);
    }
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "values.copy", tensor != NULL);
  scope_values_view_sum_up (self);
  show_slice (self);
  scope_values_view_compare_again (self);
  scope_values_view_update_facts (self);
}

static void
show_missing (ScopeValuesView *self, const char *title, const char *text)
{
  adw_status_page_set_title (self->missing, title);
  adw_status_page_set_description (self->missing, text);
  gtk_stack_set_visible_child_name (self->contents, "missing");
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeValuesView) self = data;
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = scope_workspace_read_tensor_finish (SCOPE_WORKSPACE (source), result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->loading)
    {
      hyb_tensor_unref (tensor);
      return;
    }
  g_clear_object (&self->loading);
  take_tensor (self, tensor);
  if (tensor)
    gtk_stack_set_visible_child_name (self->contents, "table");
  else
    show_missing (self, _ ("The Value Could Not Be Read"), error->message);
}

/* Shows the tensor with this name again, or for the first time. */
static void
load (ScopeValuesView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));

  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  self->is_stale = FALSE;
  if (!scope_workspace_has_tensor (workspace, self->name))
    {
      take_tensor (self, NULL);
      show_missing (self, _ ("Not Computed Yet"),
                    _ ("Run the model on the processor of this computer to see this value."));
      return;
    }
  self->loading = g_cancellable_new ();
  /* Parameters are there at once; a page in between would flicker. */
  if (!self->name->is_parameter)
    gtk_stack_set_visible_child_name (self->contents, "loading");
  scope_workspace_read_tensor_async (workspace, self->name, self->loading, loaded_cb,
                                     g_object_ref (self));
}

/* --- The list of tensors --- */

static void
choose (ScopeValuesView *self, guint index)
{
  g_clear_pointer (&self->name, scope_tensor_name_free);
  if (index >= self->list->len)
    return;
  self->name = scope_tensor_name_copy (self->list->pdata[index]);
  load (self);
}

static void
on_name (ScopeValuesView *self)
{
  if (!self->is_updating && self->list)
    choose (self, gtk_drop_down_get_selected (self->names));
}

/* The position of the chosen tensor in the list, otherwise 0. */
static guint
find_chosen (ScopeValuesView *self)
{
  for (guint i = 0; self->name && i < self->list->len; i++)
    if (scope_tensor_name_equal (self->name, self->list->pdata[i]))
      return i;
  return 0;
}

static void
update_list (ScopeView *view)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (view);
  ScopeWorkspace  *workspace = scope_view_get_workspace (view);
  ScopeDocument   *document = scope_view_get_document (view);
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  guint    position;
  gboolean is_same;

  g_clear_pointer (&self->list, g_ptr_array_unref);
  self->list = document ? scope_tensor_names (document, scope_workspace_get_selected (workspace))
                        : g_ptr_array_new ();
  for (guint i = 0; i < self->list->len; i++)
    gtk_string_list_append (titles, ((ScopeTensorName *) self->list->pdata[i])->title);
  position = find_chosen (self);
  is_same = self->tensor && self->name && position < self->list->len &&
            scope_tensor_name_equal (self->name, self->list->pdata[position]);
  self->is_updating = TRUE;
  gtk_drop_down_set_model (self->names, G_LIST_MODEL (titles));
  gtk_drop_down_set_selected (self->names, position);
  self->is_updating = FALSE;
  gtk_stack_set_visible_child_name (self->stack, self->list->len > 0 ? "tensor" : "empty");
  if (!is_same || self->is_stale)
    choose (self, position);
}

/* Another document: a tensor of the same name is another one. */
static void
on_document (ScopeView *view)
{
  SCOPE_VALUES_VIEW (view)->is_stale = TRUE;
  update_list (view);
}

/* The values of the run, or the step that is shown, have changed. */
static void
on_values (ScopeValuesView *self)
{
  if (self->name && self->name->is_parameter)
    return;
  self->is_stale = TRUE;
  if (self->name && gtk_widget_get_mapped (GTK_WIDGET (self)))
    load (self);
}

static void
scope_values_view_workspace_changed (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (view);

  if (!workspace)
    return;
  g_signal_connect_swapped (workspace, "values-changed", G_CALLBACK (on_values), view);
  g_signal_connect_swapped (workspace, "step-changed", G_CALLBACK (on_values), view);
}

static void
scope_values_view_map (GtkWidget *widget)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (widget);

  GTK_WIDGET_CLASS (scope_values_view_parent_class)->map (widget);
  if (self->is_stale && self->name && scope_view_get_document (SCOPE_VIEW (self)))
    load (self);
}

/* --- Slices --- */

static void
on_slice_entered (ScopeValuesView *self)
{
  g_autoptr (GError) error = NULL;

  if (!self->tensor)
    return;
  if (scope_slice_parse (&self->slice, gtk_editable_get_text (GTK_EDITABLE (self->slice_entry)),
                         &error))
    {
      show_slice (self);
      return;
    }
  gtk_widget_add_css_class (GTK_WIDGET (self->slice_entry), "error");
  gtk_label_set_text (self->place, error->message);
}

static void
on_axes (ScopeValuesView *self)
{
  guint left = gtk_drop_down_get_selected (self->axes);

  if (self->is_updating || !self->tensor)
    return;
  for (int row = 0; row < self->slice.shape.rank; row++)
    for (int column = row + 1; column < self->slice.shape.rank; column++)
      if (left-- == 0)
        {
          scope_slice_set_axes (&self->slice, row, column);
          show_slice (self);
          return;
        }
}

static void
act_step (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (widget);

  if (self->tensor &&
      scope_slice_step (&self->slice, g_str_equal (name, "values.next-slice") ? 1 : -1))
    show_slice (self);
}

/* --- Other actions --- */

static void
act_next_bad (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_values_view_find_bad (SCOPE_VALUES_VIEW (widget));
}

static void
act_copy (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_values_view_copy (SCOPE_VALUES_VIEW (widget));
}

static void
act_compare_with (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  scope_values_view_compare_peer (SCOPE_VALUES_VIEW (widget),
                                  g_variant_get_string (parameter, NULL));
}

static void
act_stop_comparing (GtkWidget          *widget,
                    const char *name    G_GNUC_UNUSED,
                    GVariant *parameter G_GNUC_UNUSED)
{
  scope_values_view_stop_comparing (SCOPE_VALUES_VIEW (widget));
}

static void
on_shown (ScopeValuesView *self)
{
  scope_values_view_reread (self);
}

/* --- Access --- */

HybTensor *
scope_values_view_get_tensor (ScopeValuesView *self)
{
  return self->tensor;
}

ScopePlane
scope_values_view_get_plane (ScopeValuesView *self)
{
  return scope_slice_get_plane (&self->slice);
}

const char *
scope_values_view_get_name (ScopeValuesView *self)
{
  return self->name ? self->name->node : NULL;
}

/* --- Object --- */

static void
scope_values_view_dispose (GObject *object)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (object);
  GCancellable   **running[] = { &self->loading, &self->reading,   &self->summing,
                                 &self->drawing, &self->searching, &self->comparing };

  for (guint i = 0; i < G_N_ELEMENTS (running); i++)
    {
      g_cancellable_cancel (*running[i]);
      g_clear_object (running[i]);
    }
  G_OBJECT_CLASS (scope_values_view_parent_class)->dispose (object);
}

static void
scope_values_view_finalize (GObject *object)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (object);

  g_clear_pointer (&self->list, g_ptr_array_unref);
  scope_tensor_name_free (self->name);
  hyb_tensor_unref (self->tensor);
  hyb_tensor_unref (self->block);
  hyb_tensor_unref (self->other_block);
  hyb_tensor_unref (self->other);
  g_weak_ref_clear (&self->other_workspace);
  g_free (self->other_path);
  g_free (self->other_title);
  g_free (self->other_error);
  G_OBJECT_CLASS (scope_values_view_parent_class)->finalize (object);
}

static void
bind_template (GtkWidgetClass *class)
{
  gtk_widget_class_set_template_from_resource (class,
                                               "/org/hybridscope/Hybridscope/ui/values-view.ui");
  gtk_widget_class_bind_template_child (class, ScopeValuesView, stack);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, contents);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, missing);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, names);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, axes);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, shown);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, type);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, place);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, slice_tools);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, slice_entry);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, bad_button);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, compare_button);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, grid);
  gtk_widget_class_bind_template_child (class, ScopeValuesView, sheet);
  gtk_widget_class_bind_template_callback (class, on_slice_entered);
  gtk_widget_class_bind_template_callback (class, on_shown);
}

static void
scope_values_view_class_init (ScopeValuesViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_values_view_dispose;
  G_OBJECT_CLASS (class)->finalize = scope_values_view_finalize;
  widget_class->map = scope_values_view_map;
  SCOPE_VIEW_CLASS (class)->defers_until_mapped = TRUE;
  SCOPE_VIEW_CLASS (class)->workspace_changed = scope_values_view_workspace_changed;
  SCOPE_VIEW_CLASS (class)->document_changed = on_document;
  SCOPE_VIEW_CLASS (class)->selection_changed = update_list;
  bind_template (widget_class);
  gtk_widget_class_install_action (widget_class, "values.previous-slice", NULL, act_step);
  gtk_widget_class_install_action (widget_class, "values.next-slice", NULL, act_step);
  gtk_widget_class_install_action (widget_class, "values.next-bad", NULL, act_next_bad);
  gtk_widget_class_install_action (widget_class, "values.copy", NULL, act_copy);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK, "values.copy",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_n, 0, "values.next-bad", NULL);
  gtk_widget_class_install_action (widget_class, "values.compare-with", "s", act_compare_with);
  gtk_widget_class_install_action (widget_class, "values.stop-comparing", NULL, act_stop_comparing);
}

static void
scope_values_view_init (ScopeValuesView *self)
{
  g_type_ensure (SCOPE_TYPE_GRID);
  g_type_ensure (SCOPE_TYPE_SHEET);
  g_type_ensure (SCOPE_TYPE_SPINNER);
  g_weak_ref_init (&self->other_workspace, NULL);
  self->slice.shape.rank = HYB_UNKNOWN;
  gtk_widget_init_template (GTK_WIDGET (self));
  scope_drop_down_show_whole (self->names, 8);
  scope_values_view_init_table (self);
  scope_values_view_init_facts (self);
  scope_values_view_init_compare (self);
  g_signal_connect_swapped (self->names, "notify::selected", G_CALLBACK (on_name), self);
  g_signal_connect_swapped (self->axes, "notify::selected", G_CALLBACK (on_axes), self);
}
