/* inputs-view.c — the form for the shapes of a model's inputs, and for values that it lacks.
 *
 * A row is built by add_input() and filled by update_row(); rows stay while the same inputs have the same
 * open dimensions, so that the focus stays, too.  on_changed() reads a row.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/inputs-view.h"

#include "app/widgets/label.h"

#include <glib/gi18n.h>

#define MAX_ROWS 100

/* One input. */
typedef struct
{
  char    *name;
  HybShape known;
  GPtrArray
      *fields; /* of GtkEntry, borrowed: open dimensions; the whole shape if known.rank is open */
  GtkLabel  *type;
  GtkLabel  *reason;
  GtkWidget *reset;
} Row;

struct _ScopeInputsView
{
  ScopeView   parent_instance;
  GtkListBox *list; /* borrowed: children */
  GtkLabel   *more;
  GtkWidget  *values; /* the row about parameters without values */
  GtkLabel   *values_text;
  GtkButton  *fill;
  GPtrArray  *rows;  /* of Row */
  gpointer    shown; /* the workspace whose inputs the rows show; never followed */
  gboolean    is_updating;
};

G_DEFINE_FINAL_TYPE (ScopeInputsView, scope_inputs_view, SCOPE_TYPE_VIEW)

static void
row_free (gpointer data)
{
  Row *row = data;

  g_ptr_array_unref (row->fields);
  g_free (row->name);
  g_free (row);
}

/* --- The user's values --- */

static gboolean
is_of (const char *shape, const char *name)
{
  g_autofree char *prefix = g_strconcat (name, "=", NULL);

  return g_str_has_prefix (shape, prefix) && !strchr (shape + strlen (prefix), '=');
}

/* Replaces the shape that the user gave for an input; shape: NULL to use the guess again. */
static void
give (ScopeInputsView *self, const char *name, const char *shape)
{
  ScopeWorkspace    *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  const char *const *given = scope_workspace_get_given_shapes (workspace);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) shapes = NULL;

  for (guint i = 0; given && given[i]; i++)
    if (!is_of (given[i], name))
      g_strv_builder_add (builder, given[i]);
  if (shape)
    {
      g_autofree char *text = g_strdup_printf ("%s=%s", name, shape);

      g_strv_builder_add (builder, text);
    }
  shapes = g_strv_builder_end (builder);
  scope_workspace_give_shapes (workspace, (const char *const *) shapes);
}

/* Appends a dimension; an empty text is one that is to be guessed.  FALSE: it is not a size. */
static gboolean
append_dim (GString *shape, const char *text)
{
  g_autofree char *word = g_strstrip (g_strdup (text));
  guint64          size;

  if (shape->len > 0)
    g_string_append_c (shape, ',');
  if (*word == '\0' || g_str_equal (word, "?"))
    {
      g_string_append_c (shape, '?');
      return TRUE;
    }
  if (!g_ascii_string_to_unsigned (word, 10, 0, G_MAXINT32, &size, NULL))
    return FALSE;
  g_string_append_printf (shape, "%" G_GUINT64_FORMAT, size);
  return TRUE;
}

static void
mark (GtkWidget *field, gboolean is_good)
{
  if (is_good)
    gtk_widget_remove_css_class (field, "error");
  else
    gtk_widget_add_css_class (field, "error");
}

/* Unknown, or known by a name alone as in files of ONNX. */
static gboolean
is_open (gint64 dim)
{
  return dim < 0;
}

/* "1,3,?" from the fields of a row; NULL: a text is not a size.  (transfer full) */
static char *
dup_shape (const Row *row)
{
  g_autoptr (GString) shape = g_string_new (NULL);
  gboolean is_good = TRUE;
  guint    field = 0;

  if (row->known.rank == HYB_UNKNOWN)
    {
      GtkWidget *entry = row->fields->pdata[0];
      g_auto (GStrv) dims =
          g_strsplit_set (gtk_editable_get_text (GTK_EDITABLE (entry)), ",x×", -1);

      for (guint i = 0; dims[i]; i++)
        is_good &= i < HYB_MAX_RANK && append_dim (shape, dims[i]);
      mark (entry, is_good);
    }
  for (int axis = 0; axis < row->known.rank; axis++)
    if (is_open (row->known.dim[axis]))
      {
        GtkWidget *entry = row->fields->pdata[field++];
        gboolean   is_size = append_dim (shape, gtk_editable_get_text (GTK_EDITABLE (entry)));

        mark (entry, is_size);
        is_good &= is_size;
      }
    else
      g_string_append_printf (shape, "%s%" G_GINT64_FORMAT, axis > 0 ? "," : "",
                              row->known.dim[axis]);
  return is_good ? g_strdup (shape->str) : NULL;
}

static const ScopeInput *
find_input (ScopeInputsView *self, const char *name)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  const GArray  *inputs = document ? scope_document_get_inputs (document) : NULL;

  for (guint i = 0; inputs && i < inputs->len; i++)
    {
      const ScopeInput *input = &g_array_index (inputs, ScopeInput, i);

      if (g_str_equal (input->name, name))
        return input;
    }
  return NULL;
}

/* The user has left a field or pressed Enter. */
static void
on_changed (ScopeInputsView *self, GtkWidget *field)
{
  const Row *row = g_object_get_data (G_OBJECT (field), "row");
  /* A field can lose the focus after another workspace has come. */
  gboolean is_stale =
      self->is_updating || self->shown != scope_view_get_workspace (SCOPE_VIEW (self));
  const ScopeInput *input = is_stale ? NULL : find_input (self, row->name);
  g_autofree char  *shape = input ? dup_shape (row) : NULL;
  g_autofree char  *used = input ? hyb_shape_join (&input->type.shape, ",") : NULL;

  if (!shape || g_str_equal (shape, used))
    return;
  /* Only open dimensions: the guess. */
  give (self, row->name, strspn (shape, "?,") == strlen (shape) ? NULL : shape);
}

static void
on_leave (GtkEventControllerFocus *focus, gpointer data)
{
  on_changed (data, gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (focus)));
}

static void
on_reset (ScopeInputsView *self, GtkWidget *button)
{
  give (self, g_object_get_data (G_OBJECT (button), "name"), NULL);
}

/* --- Rows --- */

/* axis: -1 for a field with the whole shape. */
static GtkWidget *
new_field (ScopeInputsView *self, Row *row, int axis)
{
  GtkWidget          *entry = gtk_entry_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();
  g_autofree char    *name = axis < 0 ? g_strdup_printf ("shape-%s", row->name)
                                      : g_strdup_printf ("shape-%s-%d", row->name, axis);
  g_autofree char    *label =
      axis < 0 ? g_strdup_printf (_ ("Dimensions of %s, separated by commas"), row->name)
                  : g_strdup_printf (_ ("Dimension %d of %s"), axis, row->name);

  gtk_widget_set_name (entry, name);
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), axis < 0 ? 18 : 5);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), axis < 0 ? 18 : 5);
  gtk_entry_set_input_purpose (GTK_ENTRY (entry),
                               axis < 0 ? GTK_INPUT_PURPOSE_FREE_FORM : GTK_INPUT_PURPOSE_DIGITS);
  gtk_widget_set_tooltip_text (entry, label);
  if (axis >= 0)
    gtk_entry_set_placeholder_text (GTK_ENTRY (entry), hyb_dim_get_name (row->known.dim[axis]));
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_add_css_class (entry, "numeric");
  g_object_set_data (G_OBJECT (entry), "row", row);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_changed), self);
  g_signal_connect (focus, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (entry, focus);
  g_ptr_array_add (row->fields, entry);
  return entry;
}

static void
add_dims (ScopeInputsView *self, GtkBox *box, Row *row)
{
  if (row->known.rank == HYB_UNKNOWN)
    gtk_box_append (box, new_field (self, row, -1));
  for (int axis = 0; axis < row->known.rank; axis++)
    {
      g_autofree char *size = g_strdup_printf ("%" G_GINT64_FORMAT, row->known.dim[axis]);

      if (axis > 0)
        gtk_box_append (box, scope_label_new ("×", "dim-label"));
      gtk_box_append (box, is_open (row->known.dim[axis]) ? new_field (self, row, axis)
                                                          : scope_label_new (size, "numeric"));
    }
}

static GtkWidget *
new_reset (ScopeInputsView *self, const Row *row)
{
  GtkWidget       *button = gtk_button_new_from_icon_name ("edit-undo-symbolic");
  g_autofree char *label = g_strdup_printf (_ ("Guess the shape of %s again"), row->name);
  g_autofree char *name = g_strdup_printf ("guess-%s", row->name);

  gtk_widget_set_name (button, name);
  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_widget_add_css_class (button, "flat");
  g_object_set_data_full (G_OBJECT (button), "name", g_strdup (row->name), g_free);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_reset), self);
  return button;
}

static void
add_input (ScopeInputsView *self, const ScopeInput *input)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *dims = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *name = scope_label_new (input->name, "heading");
  GtkWidget *type = scope_label_new (NULL, "dim-label"),
            *reason = scope_label_new (NULL, "dim-label");
  Row             *row = g_new0 (Row, 1);
  g_autofree char *reason_name = g_strdup_printf ("reason-%s", input->name);

  row->name = g_strdup (input->name);
  row->known = input->known;
  row->fields = g_ptr_array_new ();
  row->type = GTK_LABEL (type);
  row->reason = GTK_LABEL (reason);
  row->reset = new_reset (self, row);
  g_ptr_array_add (self->rows, row);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_widget_set_name (reason, reason_name);
  gtk_widget_add_css_class (reason, "caption");
  gtk_label_set_wrap (row->reason, TRUE);
  gtk_label_set_max_width_chars (row->reason, 40);
  gtk_box_append (GTK_BOX (head), name);
  gtk_box_append (GTK_BOX (head), type);
  gtk_box_append (GTK_BOX (head), row->reset);
  add_dims (self, GTK_BOX (dims), row);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), dims);
  gtk_box_append (GTK_BOX (box), reason);
  gtk_widget_add_css_class (box, "input-row");
  gtk_list_box_append (self->list, box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (gtk_widget_get_parent (box)), FALSE);
  gtk_widget_set_focusable (gtk_widget_get_parent (box), FALSE);
}

/* --- Filling them --- */

static void
set_field (GtkWidget *field, const char *text)
{
  /* Text that is being typed stays. */
  if (gtk_widget_get_state_flags (field) & GTK_STATE_FLAG_FOCUS_WITHIN)
    return;
  mark (field, TRUE);
  if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (field)), text))
    gtk_editable_set_text (GTK_EDITABLE (field), text);
}

static void
update_fields (const Row *row, const HybShape *shape)
{
  guint field = 0;

  if (row->known.rank == HYB_UNKNOWN)
    {
      g_autofree char *text =
          shape->rank == HYB_UNKNOWN ? g_strdup ("") : hyb_shape_join (shape, ", ");

      set_field (row->fields->pdata[0], text);
    }
  for (int axis = 0; axis < row->known.rank; axis++)
    if (is_open (row->known.dim[axis]))
      {
        gboolean         is_set = axis < shape->rank && !is_open (shape->dim[axis]);
        g_autofree char *text =
            is_set ? g_strdup_printf ("%" G_GINT64_FORMAT, shape->dim[axis]) : g_strdup ("");

        set_field (row->fields->pdata[field++], text);
      }
}

static void
update_row (ScopeInputsView *self, const Row *row, const ScopeInput *input)
{
  const char *const *given =
      scope_workspace_get_given_shapes (scope_view_get_workspace (SCOPE_VIEW (self)));
  gboolean         is_given = FALSE;
  g_autofree char *reason = NULL;

  for (guint i = 0; given && given[i]; i++)
    is_given |= is_of (given[i], input->name);
  if (input->reason)
    reason = g_strdup_printf (_ ("Guessed: %s"), input->reason);
  else if (!hyb_shape_is_known (&input->type.shape))
    reason = g_strdup (_ ("Nothing suggests a size. Enter it to run the model."));
  else if (row->fields->len > 0 && !input->is_given)
    reason = g_strdup (_ ("Follows from the other shapes"));
  update_fields (row, &input->type.shape);
  gtk_label_set_text (row->type,
                      hyb_dtype_name (input->type.dtype == HYB_DTYPE_UNKNOWN ? HYB_F32
                                                                             : input->type.dtype));
  gtk_label_set_text (row->reason, reason ? reason : "");
  gtk_widget_set_visible (GTK_WIDGET (row->reason), reason != NULL);
  gtk_widget_set_visible (row->reset, is_given);
}

static gboolean
has_rows_for (ScopeInputsView *self, const GArray *inputs, guint n)
{
  gboolean fits = self->rows->len == n;

  for (guint i = 0; fits && i < n; i++)
    {
      const Row        *row = self->rows->pdata[i];
      const ScopeInput *input = &g_array_index (inputs, ScopeInput, i);

      fits = g_str_equal (row->name, input->name) && hyb_shape_equal (&row->known, &input->known);
    }
  return fits;
}

static void
update_values (ScopeInputsView *self)
{
  ScopeWorkspace  *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeDocument   *document = scope_view_get_document (SCOPE_VIEW (self));
  guint            n = document ? scope_document_get_totals (document)->n_missing : 0;
  gboolean         fills = workspace && scope_workspace_get_fills (workspace);
  g_autofree char *text = NULL;

  gtk_widget_set_visible (self->values,
                          n > 0 && (fills || scope_workspace_lacks_values (workspace)));
  text = fills ? g_strdup_printf (g_dngettext (NULL,
                                               "%u parameter gets random values. Times are real, "
                                               "but results are meaningless.",
                                               "%u parameters get random values. Times are real, "
                                               "but results are meaningless.",
                                               n),
                                  n)
               : g_strdup_printf (g_dngettext (NULL, "%u parameter has no values.",
                                               "%u parameters have no values.", n),
                                  n);
  gtk_label_set_text (self->values_text, text);
  gtk_button_set_label (self->fill, fills ? _ ("Leave Empty") : _ ("Fill with Random Values"));
}

static void
scope_inputs_view_document_changed (ScopeView *view)
{
  ScopeInputsView *self = SCOPE_INPUTS_VIEW (view);
  ScopeDocument   *document = scope_view_get_document (view);
  const GArray    *inputs = document ? scope_document_get_inputs (document) : NULL;
  guint            n = inputs ? MIN (inputs->len, MAX_ROWS) : 0;
  g_autofree char *more = inputs ? g_strdup_printf (_ ("and %u more"), inputs->len - n) : NULL;
  GtkWidget       *child;

  self->shown = scope_view_get_workspace (view);
  self->is_updating = TRUE; /* a field that is removed loses the focus */
  if (!has_rows_for (self, inputs, n))
    {
      while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->list))))
        gtk_list_box_remove (self->list, child);
      g_ptr_array_set_size (self->rows, 0);
      for (guint i = 0; i < n; i++)
        add_input (self, &g_array_index (inputs, ScopeInput, i));
    }
  for (guint i = 0; i < n; i++)
    update_row (self, self->rows->pdata[i], &g_array_index (inputs, ScopeInput, i));
  self->is_updating = FALSE;
  gtk_label_set_text (self->more, more ? more : "");
  gtk_widget_set_visible (GTK_WIDGET (self->more), inputs && inputs->len > n);
  gtk_widget_set_visible (GTK_WIDGET (self->list), n > 0);
  update_values (self);
}

void
scope_inputs_view_focus_open (ScopeInputsView *self)
{
  GtkWidget *first = NULL;

  for (guint i = 0; i < self->rows->len; i++)
    {
      const Row *row = self->rows->pdata[i];

      for (guint k = 0; k < row->fields->len; k++)
        {
          GtkEditable *field = row->fields->pdata[k];

          if (!first)
            first = GTK_WIDGET (field);
          if (*gtk_editable_get_text (field) != '\0')
            continue;
          gtk_widget_grab_focus (GTK_WIDGET (field));
          return;
        }
    }
  if (first)
    gtk_widget_grab_focus (first);
}

/* --- Object --- */

static void
on_fill (ScopeInputsView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));

  if (workspace)
    scope_workspace_set_fills (workspace, !scope_workspace_get_fills (workspace));
}

static void
scope_inputs_view_workspace_changed (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (view);

  if (workspace)
    g_signal_connect_swapped (workspace, "notify::fills", G_CALLBACK (update_values), view);
}

static void
scope_inputs_view_finalize (GObject *object)
{
  g_ptr_array_unref (SCOPE_INPUTS_VIEW (object)->rows);
  G_OBJECT_CLASS (scope_inputs_view_parent_class)->finalize (object);
}

static void
scope_inputs_view_class_init (ScopeInputsViewClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_inputs_view_finalize;
  SCOPE_VIEW_CLASS (class)->defers_until_mapped = TRUE;
  SCOPE_VIEW_CLASS (class)->workspace_changed = scope_inputs_view_workspace_changed;
  SCOPE_VIEW_CLASS (class)->document_changed = scope_inputs_view_document_changed;
}

static GtkWidget *
new_values (ScopeInputsView *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *text = scope_label_new (NULL, NULL), *fill = gtk_button_new ();

  self->values_text = GTK_LABEL (text);
  self->fill = GTK_BUTTON (fill);
  gtk_label_set_wrap (self->values_text, TRUE);
  gtk_label_set_max_width_chars (self->values_text, 40);
  gtk_widget_set_name (text, "missing-values");
  gtk_widget_set_name (fill, "fill-button");
  gtk_widget_set_halign (fill, GTK_ALIGN_START);
  g_signal_connect_swapped (fill, "clicked", G_CALLBACK (on_fill), self);
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), fill);
  return box;
}

static void
scope_inputs_view_init (ScopeInputsView *self)
{
  GtkWidget *group = adw_preferences_group_new (), *list = gtk_list_box_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12),
            *more = scope_label_new (NULL, "dim-label");

  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->list = GTK_LIST_BOX (list);
  self->more = GTK_LABEL (more);
  self->values = new_values (self);
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  gtk_widget_set_name (list, "inputs-list");
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), _ ("Inputs"));
  gtk_box_append (GTK_BOX (box), list);
  gtk_box_append (GTK_BOX (box), more);
  gtk_box_append (GTK_BOX (box), self->values);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), box);
  adw_bin_set_child (ADW_BIN (self), group);
}
