/* compare-result.c — the result of hscope compare --json as widgets.
 *
 * Left: the table of times (forms × sizes), a sentence for each pair of the shown size, and the curves.  Right: where the
 * difference between the two chosen rows of the table comes from, or the profile of another program.  Start reading with
 * scope_compare_result_set().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-result.h"

#include "app/compare/compare-beside.h"
#include "app/compare/compare-cells.h"
#include "app/compare/compare-matrix.h"
#include "app/compare/compare-said.h"
#include "app/compare/compare-say.h"
#include "app/process/json-fields.h"
#include "app/widgets/two-columns.h"

#include <glib/gi18n.h>

struct _ScopeCompareResult
{
  AdwBin              parent_instance;
  const cJSON        *result;       /* borrowed */
  GPtrArray          *sizes;        /* the first cell of each size; NULL: no result */
  GtkBox             *left, *right; /* borrowed: children */
  GtkBox             *verdicts;     /* in left: of the pairs of the shown size */
  GtkBox             *why;          /* in right: the explanation */
  ScopeCompareMatrix *matrix;       /* in left; NULL: no result */
  GtkDropDown        *size;         /* in right; NULL: there is one size */
};

G_DEFINE_FINAL_TYPE (ScopeCompareResult, scope_compare_result, ADW_TYPE_BIN)

static const cJSON *
get_member (ScopeCompareResult *self, const char *key)
{
  return cJSON_GetObjectItemCaseSensitive (self->result, key);
}

const cJSON *
scope_compare_result_find (ScopeCompareResult *self, const char *key, const char *value)
{
  const cJSON *cell;

  cJSON_ArrayForEach (cell, get_member (self, "cells"))
  {
    if (g_str_equal (scope_json_get_text (cell, key), value))
      return cell;
  }
  return NULL;
}

static void
remove_children (GtkBox *box)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_box_remove (box, child);
}

/* --- What is said --- */

/* said: (transfer full) */
static void
append_said (GtkBox *box, ScopeSaid *said)
{
  scope_compare_said_append (box, said);
  scope_said_free (said);
}

static void
append_heading (GtkBox *box, const char *title, const char *text /* (nullable) */)
{
  ScopeSaid *said = scope_said_new ();

  scope_said_heading (said, title, NULL);
  scope_said_sentence (said, SCOPE_SAID_FAINT, g_strdup (text));
  append_said (box, said);
}

static gboolean
has_one_cell (ScopeCompareResult *self)
{
  return cJSON_GetArraySize (get_member (self, "cells")) == 1;
}

/* --- Explanation --- */

static const cJSON *
get_size (ScopeCompareResult *self)
{
  guint index = self->size ? gtk_drop_down_get_selected (self->size) : 0;

  return self->sizes && index < self->sizes->len ? self->sizes->pdata[index] : NULL;
}

/* The two chosen rows at the shown size; FALSE: there are none that were measured at it. */
static gboolean
get_pair (ScopeCompareResult *self, const cJSON *like, const cJSON *pair[2])
{
  const char *names[2];

  if (!like || !scope_compare_matrix_get_chosen (self->matrix, names))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    pair[i] = scope_cells_find (self->result, names[i], like);
  return pair[0] && pair[1];
}

static void
explain (ScopeCompareResult *self)
{
  const cJSON *like = get_size (self), *pair[2];
  ScopeSaid   *verdicts = scope_said_new (), *why = scope_said_new ();

  remove_children (self->why);
  remove_children (self->verdicts);
  if (like)
    scope_result_say_verdicts (verdicts, self->result, like);
  if (get_pair (self, like, pair))
    scope_result_say_why (why, self->result, pair[0], pair[1]);
  else
    scope_said_sentence (why, SCOPE_SAID_FAINT,
                         g_strdup (_ ("Choose two rows of the table that were measured at this "
                                      "size.")));
  append_said (self->verdicts, verdicts);
  append_said (self->why, why);
}

/* A list of sizes, if there are several. */
static void
add_sizes (ScopeCompareResult *self)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);

  if (self->sizes->len < 2)
    return;
  for (guint i = 0; i < self->sizes->len; i++)
    {
      g_autofree char *title = scope_cell_dup_varying_size (self->sizes->pdata[i], self->result);

      gtk_string_list_append (titles, title);
    }
  self->size = GTK_DROP_DOWN (gtk_drop_down_new (G_LIST_MODEL (g_object_ref (titles)), NULL));
  gtk_widget_set_name (GTK_WIDGET (self->size), "compare-size");
  gtk_widget_set_halign (GTK_WIDGET (self->size), GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->size), _ ("Size of the explained pair"));
  g_signal_connect_swapped (self->size, "notify::selected", G_CALLBACK (explain), self);
  gtk_box_append (self->right, GTK_WIDGET (self->size));
}

/* --- Object --- */

/* Where the difference between two rows of the table comes from. */
static void
add_explanation (ScopeCompareResult *self)
{
  append_heading (self->right, _ ("Where the Difference Comes From"),
                  _ ("Between the two chosen rows; click other rows to choose another pair."));
  add_sizes (self);
  gtk_box_append (self->right, GTK_WIDGET (self->why));
}

/* The slowest and the fastest form of the first size are chosen. */
static void
add_times (ScopeCompareResult *self)
{
  ScopeTable  *times = scope_result_dup_times (self->result);
  const cJSON *slow, *fast;

  self->matrix = SCOPE_COMPARE_MATRIX (scope_compare_matrix_new (times));
  scope_table_free (times);
  scope_cells_find_extremes (self->result, self->sizes->pdata[0], &slow, &fast);
  if (slow && slow != fast)
    {
      g_autofree char *a = scope_cell_dup_name (slow, self->result);
      g_autofree char *b = scope_cell_dup_name (fast, self->result);

      scope_compare_matrix_choose (self->matrix, a, b);
    }
  g_signal_connect_swapped (self->matrix, "chosen", G_CALLBACK (explain), self);
  gtk_box_append (self->left, GTK_WIDGET (self->matrix));
}

static void
fill (ScopeCompareResult *self)
{
  const cJSON *with = get_member (self, "with");
  ScopeSaid   *below = scope_said_new ();

  append_heading (self->left, _ ("Time of a Run"), NULL);
  add_times (self);
  gtk_box_append (self->left, GTK_WIDGET (self->verdicts));
  scope_result_say_proof (below, self->result);
  scope_result_say_curves (below, self->result);
  append_said (self->left, below);

  if (with)
    append_said (self->right, scope_compare_beside_say (with));
  if (!with || !has_one_cell (self))
    add_explanation (self);
  explain (self);
}

void
scope_compare_result_set (ScopeCompareResult *self, const cJSON *result)
{
  self->matrix = NULL;
  self->size = NULL;
  remove_children (self->left);
  remove_children (self->right);
  g_clear_pointer (&self->sizes, g_ptr_array_unref);
  self->result = result;
  if (!result)
    return;
  self->sizes = scope_cells_list_sizes (result);
  fill (self);
}

static void
scope_compare_result_finalize (GObject *object)
{
  ScopeCompareResult *self = SCOPE_COMPARE_RESULT (object);

  g_clear_pointer (&self->sizes, g_ptr_array_unref);
  g_clear_object (&self->why);
  g_clear_object (&self->verdicts);
  G_OBJECT_CLASS (scope_compare_result_parent_class)->finalize (object);
}

static void
scope_compare_result_class_init (ScopeCompareResultClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_compare_result_finalize;
}

static GtkBox *
new_column (void)
{
  return GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
}

static void
scope_compare_result_init (ScopeCompareResult *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *columns;

  self->left = new_column ();
  self->right = new_column ();
  self->why = g_object_ref_sink (new_column ());
  self->verdicts = g_object_ref_sink (new_column ());
  gtk_widget_set_name (GTK_WIDGET (self->why), "compare-why");
  columns = scope_two_columns_new (GTK_WIDGET (self->left), GTK_WIDGET (self->right));
  gtk_widget_add_css_class (columns, "sheet");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), columns);
  adw_bin_set_child (ADW_BIN (self), scroller);
}

GtkWidget *
scope_compare_result_new (void)
{
  return g_object_new (SCOPE_TYPE_COMPARE_RESULT, NULL);
}
