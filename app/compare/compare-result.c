/* compare-result.c — the result of hscope compare --json as widgets.
 *
 * Left: the table of times (forms × sizes), a sentence for each pair of the shown size, and the curves.  Right: where the
 * difference between the two chosen rows of the table comes from, or the profile of another program.  Start reading with
 * scope_compare_result_set().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-result.h"

#include "app/compare/compare-beside.h"
#include "app/compare/compare-cells.h"
#include "app/compare/compare-curves.h"
#include "app/compare/compare-explanation.h"
#include "app/compare/compare-matrix.h"
#include "app/compare/compare-numbers.h"
#include "app/process/json-fields.h"
#include "app/widgets/label.h"
#include "app/widgets/two-columns.h"

#include <glib/gi18n.h>
#include <math.h>

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

/* --- Verdicts --- */

/* The title of the cell that a pair names.  (transfer full) */
static char *
dup_title_of_name (ScopeCompareResult *self, const char *name)
{
  const cJSON *cell;

  cJSON_ArrayForEach (cell, get_member (self, "cells"))
  {
    g_autofree char *own = scope_cell_dup_name (cell, self->result);

    if (g_str_equal (own, name))
      return scope_cell_dup_title (cell, self->result);
  }
  return g_strdup (name);
}

static char *
describe_pair (ScopeCompareResult *self, const cJSON *pair)
{
  g_autofree char *a = dup_title_of_name (self, scope_json_get_text (pair, "a"));
  g_autofree char *b = dup_title_of_name (self, scope_json_get_text (pair, "b"));
  g_autofree char *sentence = NULL, *size = NULL;
  ProfPairing      pairing;

  scope_pairing_read (pair, &pairing);
  sentence = scope_say_pair (a, b, &pairing);
  /* Recordings have no sizes that were requested. */
  size = scope_cells_are_recordings (self->result) ? NULL : scope_cell_dup_size (pair);
  return size && *size != '\0' ? g_strdup_printf ("%s · %s", sentence, size)
                               : g_steal_pointer (&sentence);
}

static gboolean
has_one_cell (ScopeCompareResult *self)
{
  return cJSON_GetArraySize (get_member (self, "cells")) == 1;
}

/* The proof of equality; recordings and a single form have none. */
static void
add_proof (ScopeCompareResult *self)
{
  const cJSON     *equal = get_member (self, "equal");
  const cJSON     *is_equal = cJSON_GetObjectItemCaseSensitive (equal, "ok");
  double           worst = scope_json_get_number (equal, "max_abs");
  g_autofree char *proof = worst > 0 ? g_strdup_printf (_ ("✓ The outputs agree to %.2g"), worst)
                                     : g_strdup (_ ("✓ The outputs are equal"));

  if (has_one_cell (self))
    return;
  if (cJSON_IsTrue (is_equal))
    gtk_box_append (self->left, scope_label_new_wrapping (proof, "dim-label"));
  else if (cJSON_IsFalse (is_equal))
    gtk_box_append (self->left, scope_label_new_wrapping (_ ("The outputs differ, so the times "
                                                             "cannot be compared"),
                                                          "error"));
}

static gboolean
has_too_few_runs (const cJSON *pair)
{
  ProfPairing pairing;

  scope_pairing_read (pair, &pairing);
  return !prof_interval_is_known (&pairing.strict);
}

/* A sentence for every pair of this size, and for a machine that changed its speed; recordings have no
 * sizes. */
static void
add_verdicts (ScopeCompareResult *self, const cJSON *like)
{
  const cJSON *pair;
  gboolean     has_too_few = FALSE;

  cJSON_ArrayForEach (pair, get_member (self, "pairs"))
  {
    g_autofree char *sentence = describe_pair (self, pair);

    if (self->sizes->len == 1 || scope_cells_have_same_size (pair, like))
      {
        gtk_box_append (self->verdicts, scope_label_new_wrapping (sentence, "numeric"));
        has_too_few |= has_too_few_runs (pair);
      }
  }
  if (has_too_few && !scope_cells_are_recordings (self->result))
    {
      GtkWidget *longer = gtk_button_new_with_label (_ ("Measure Longer"));

      gtk_widget_set_name (longer, "measure-longer");
      gtk_widget_set_halign (longer, GTK_ALIGN_START);
      gtk_widget_set_tooltip_text (longer, _ ("Measure again in twice the time"));
      gtk_actionable_set_action_name (GTK_ACTIONABLE (longer), "compare.allow-time");
      gtk_box_append (self->verdicts, longer);
    }
  cJSON_ArrayForEach (pair, get_member (self, "speeds"))
  {
    g_autofree char *sentence = scope_say_speed (scope_json_get_number (pair, "fastest"),
                                                 scope_json_get_number (pair, "slowest"));

    if (scope_cells_have_same_size (pair, like))
      gtk_box_append (self->verdicts, scope_label_new_wrapping (sentence, "warning"));
  }
}

/* --- Explanation --- */

static const cJSON *
get_size (ScopeCompareResult *self)
{
  guint index = self->size ? gtk_drop_down_get_selected (self->size) : 0;

  return self->sizes && index < self->sizes->len ? self->sizes->pdata[index] : NULL;
}

static void
explain (ScopeCompareResult *self)
{
  const cJSON      *like = get_size (self);
  ScopeComparedPair pair = { .result = self->result };

  remove_children (self->why);
  remove_children (self->verdicts);
  if (like)
    add_verdicts (self, like);
  if (like && scope_compare_matrix_get_pair (self->matrix, like, &pair.a, &pair.b))
    scope_compare_explanation_append (self->why, &pair);
  else
    gtk_box_append (self->why, scope_label_new_wrapping (_ ("Choose two rows of the table that "
                                                            "were measured at this size."),
                                                         "dim-label"));
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
  gtk_box_append (self->right,
                  scope_label_new_wrapping (_ ("Where the Difference Comes From"), "heading"));
  gtk_box_append (self->right, scope_label_new_wrapping (_ ("Between the two chosen rows; click "
                                                            "other rows to choose another pair."),
                                                         "dim-label"));
  add_sizes (self);
  gtk_box_append (self->right, GTK_WIDGET (self->why));
}

static void
fill (ScopeCompareResult *self)
{
  const cJSON *with = get_member (self, "with");

  gtk_box_append (self->left, scope_label_new_wrapping (_ ("Time of a Run"), "heading"));
  self->matrix = SCOPE_COMPARE_MATRIX (scope_compare_matrix_new (self->result));
  g_signal_connect_swapped (self->matrix, "chosen", G_CALLBACK (explain), self);
  gtk_box_append (self->left, GTK_WIDGET (self->matrix));
  gtk_box_append (self->left, GTK_WIDGET (self->verdicts));
  add_proof (self);
  scope_compare_curves_append (self->left, get_member (self, "cells"));

  if (with)
    scope_compare_beside_append (self->right, with);
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
