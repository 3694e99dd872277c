/* compare.c — the page that compares forms: panes, results, choosing a pair, curves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/compare/compare-file.h"
#include "app/compare/compare-matrix.h"
#include "app/compare/compare-result.h"
#include "app/compare/compare-said.h"
#include "app/compare/compare-say.h"
#include "app/session/settings.h"
#include "tests/app/adapt/said-facts.h"

#include <string.h>

/* Seconds in which forms are measured; hscope takes longer to start with a sanitizer. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SECONDS 40
#else
#define SECONDS 4
#endif

static const char *const shapes[] = { "data=2,6,4", NULL };

static gboolean
are_drawn (gpointer data)
{
  for (guint i = 0; i < scope_compare_page_n_panes (data); i++)
    if (!scope_compare_pane_is_settled (scope_compare_page_get_pane (data, i)))
      return FALSE;
  return scope_compare_page_n_panes (data) == 4;
}

static gboolean
is_measured (gpointer data)
{
  return scope_compare_page_is_measured (data);
}

static gboolean
is_coloured (gpointer data)
{
  return scope_canvas_get_overlay (scope_compare_pane_get_canvas (data)) != NULL;
}

static gboolean
is_different (gpointer data)
{
  VizOverlay *overlay = scope_canvas_get_overlay (scope_compare_pane_get_canvas (data));

  return overlay && viz_overlay_scale (overlay) == VIZ_SCALE_DIFFERENCE;
}

static gboolean
has_comparison (gpointer unused G_GNUC_UNUSED)
{
  return scope_window_get_comparison (window) != NULL;
}

static ScopeComparePage *
open_comparison (const char *model, const char *const *own_shapes)
{
  ScopeComparePage *compare;

  scope_settings_set_int ("compare-seconds", SECONDS);
  gui_open (window, model, own_shapes);
  gui_act (window, "win.compare", NULL);
  compare = scope_window_get_comparison (window);
  g_assert_nonnull (compare);
  return compare;
}

/* Selecting a node in the first pane highlights the matching nodes in the others, with their step. */
static void
check_partners (ScopeComparePage *compare)
{
  ScopeComparePane *first = scope_compare_page_get_pane (compare, 0);
  ScopeWorkspace   *workspace = scope_compare_pane_get_workspace (first);
  ScopeDocument    *document = scope_workspace_get_document (workspace);
  VizDiagram       *diagram = scope_document_get_diagram (document);
  guint32           chain = VIZ_ROOT, step = VIZ_ROOT;

  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram) && chain == VIZ_ROOT; box++)
    if (viz_diagram_box (diagram, box)->kind == VIZ_BOX_STEPS)
      chain = box;
  g_assert_cmpuint (chain, !=, VIZ_ROOT);
  for (guint32 i = 0; i < viz_diagram_box (diagram, chain)->n_children; i++)
    if (viz_diagram_box (diagram, viz_diagram_child (diagram, chain, i))->step == 1)
      step = viz_diagram_child (diagram, chain, i);
  g_assert_cmpuint (step, !=, VIZ_ROOT);
  scope_workspace_select (workspace, step);
  gui_spin (100);
  for (guint i = 1; i < scope_compare_page_n_panes (compare); i++)
    {
      GtkWidget *note =
          gui_find (GTK_WIDGET (scope_compare_page_get_pane (compare, i)), "pane-partner");

      g_assert_true (gtk_widget_get_visible (note));
      g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (note)), "step 1"));
    }
  scope_workspace_select (workspace, VIZ_ROOT);
  g_assert_false (gtk_widget_get_visible (
      gui_find (GTK_WIDGET (scope_compare_page_get_pane (compare, 1)), "pane-partner")));
  scope_workspace_select (workspace, step);
}

static void
check_links (ScopeComparePage *compare)
{
  ScopeComparePane *first = scope_compare_page_get_pane (compare, 0);
  ScopeComparePane *second = scope_compare_page_get_pane (compare, 1);
  ScopeRelativeView look, before;

  gui_act (compare, "compare.fit", NULL);
  gui_spin (50);
  scope_canvas_zoom_by (scope_compare_pane_get_canvas (first), 1.5, 10, 10);
  g_assert_true (scope_compare_pane_get_relative_view (first, &look));
  g_assert_true (scope_compare_pane_get_relative_view (second, &before));
  g_assert_cmpfloat_with_epsilon (look.zoom, before.zoom, 1e-3);
  gui_act (compare, "compare.linked", NULL);
  scope_canvas_zoom_by (scope_compare_pane_get_canvas (first), 1.5, 10, 10);
  g_assert_true (scope_compare_pane_get_relative_view (second, &look));
  g_assert_cmpfloat_with_epsilon (look.zoom, before.zoom, 1e-6);
  gui_act (compare, "compare.linked", NULL);
  gui_act (compare, "compare.fit", NULL);
}

static void
test_compare (void)
{
  ScopeComparePage *compare = open_comparison ("cell-lstm-t6-ntc-none", shapes);
  ScopeComparePane *second;
  int               minimum;

  g_assert_true (gui_wait (are_drawn, compare, 60000));
  g_assert_cmpuint (scope_compare_page_n_panes (compare), ==, 4);
  gtk_widget_measure (GTK_WIDGET (compare), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL,
                      NULL);
  g_assert_cmpint (minimum, <=, 683);
  take_picture (window, "compare-drawn");
  check_links (compare);
  check_partners (compare);
  take_picture (window, "compare-partners");
  g_assert_true (gui_wait (is_measured, compare, 60000));
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL,
                      NULL);
  g_assert_cmpint (minimum, <=, 683);
  second = scope_compare_page_get_pane (compare, 1);
  g_assert_true (gui_wait (is_coloured, second, 10000));
  take_picture (window, "compare-measured");
  g_assert_nonnull (gui_find (GTK_WIDGET (compare), "compare-matrix"));
  gui_act (compare, "compare.colours", "difference");
  g_assert_true (gui_wait (is_different, second, 10000));
  take_picture (window, "compare-difference");
  gui_act (compare, "compare.colours", "self");

  g_signal_emit_by_name (scope_compare_page_get_pane (compare, 2), "closed");
  g_assert_cmpuint (scope_compare_page_n_panes (compare), ==, 3);
  gui_act (compare, "compare.add", NULL);
  g_assert_cmpuint (scope_compare_page_n_panes (compare), ==, 4);
  g_assert_true (gui_wait (are_drawn, compare, 60000));
  gui_act (compare, "compare.measure", NULL);
  gui_spin (50);
  gui_act (compare, "compare.stop", NULL);
  g_assert_true (gui_wait (is_measured, compare, 10000));
}

/* Without recurrent cells every pane shows a reason, and nothing is measured. */
static void
test_compare_refused (void)
{
  ScopeComparePage *compare = open_comparison ("mlp-dropout", shapes);

  g_assert_true (gui_wait (are_drawn, compare, 60000));
  for (guint i = 0; i < scope_compare_page_n_panes (compare); i++)
    g_assert_true (scope_compare_pane_is_refused (scope_compare_page_get_pane (compare, i)));
  take_picture (window, "compare-refused");
}

/* --- Results --- */

static GtkWidget *
find (ScopeComparePage *compare, const char *name)
{
  GtkWidget *widget = gui_find (GTK_WIDGET (compare), name);

  g_assert_nonnull (widget);
  return widget;
}

static const char *
state_of (ScopeComparePage *compare)
{
  return gtk_stack_get_visible_child_name (GTK_STACK (find (compare, "compare-states")));
}

/* The button of the failure leads to the model's tab, where the shapes are given. */
static void
test_way_out (void)
{
  static const char *const wrong[] = { "data=2,6,7", NULL }; /* the weights take 4 features */
  ScopeComparePage        *compare;
  GtkWidget               *failed, *button;

  compare = open_comparison ("cell-lstm-t6-ntc-none", wrong);
  g_assert_true (gui_wait (are_drawn, compare, 60000));
  failed = gtk_stack_get_visible_child (GTK_STACK (find (compare, "compare-states")));
  g_assert_cmpstr (state_of (compare), ==, "failed");
  take_picture (window, "compare-way-out");
  button = adw_status_page_get_child (ADW_STATUS_PAGE (failed));
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "Give Shapes");
  g_assert_cmpstr (gtk_actionable_get_action_name (GTK_ACTIONABLE (button)), ==, "compare.remedy");
  gui_act (compare, "compare.remedy", "win.give-shapes");
  gui_spin (300);
  g_assert_nonnull (scope_window_get_page (window)); /* not the comparison */
  g_assert_true (GTK_IS_TEXT (gtk_window_get_focus (GTK_WINDOW (window))));
}

/* The first label in root that has both texts; NULL: there is none. */
static GtkWidget *
find_texts (GtkWidget *root, const char *a, const char *b)
{
  const char *text = GTK_IS_LABEL (root) ? gtk_label_get_text (GTK_LABEL (root)) : "";

  if (strstr (text, a) && strstr (text, b))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_texts (child, a, b);

      if (found)
        return found;
    }
  return NULL;
}

static void
choose_row (ScopeComparePage *compare, const char *name)
{
  GtkWidget *row = find (compare, name);

  g_signal_emit_by_name (gtk_widget_get_parent (row), "row-activated", row);
}

static gboolean
is_explained (ScopeComparePage *compare, const char *slow, const char *fast)
{
  g_autofree char *a = g_strdup_printf ("“%s”", slow);
  g_autofree char *b = g_strdup_printf ("“%s”", fast);

  return find_texts (find (compare, "compare-why"), a, b) != NULL;
}

/* Two clicks choose the pair that is explained; the tab keeps its result, and is selected when the same
 * comparison is asked for again. */
static void
test_pair (void)
{
  ScopeComparePage *compare = open_comparison ("cell-lstm-t6-ntc-none", shapes);
  ScopePage        *model;

  g_assert_true (gui_wait (is_measured, compare, 120000));
  g_assert_cmpstr (state_of (compare), ==, "result");
  choose_row (compare, "unrolled, static");
  choose_row (compare, "foreach, static");
  g_assert_true (is_explained (compare, "Unrolled", "Foreach Loop"));
  choose_row (compare, "fused, static");
  g_assert_true (is_explained (compare, "Foreach Loop", "Fused Operator"));
  take_picture (window, "compare-pair");

  gui_act (window, "win.close-tab", NULL);
  gui_spin (100);
  g_assert_null (scope_window_get_comparison (window));
  model = scope_window_get_page (window);
  g_assert_nonnull (model);
  gui_act (window, "win.compare", NULL);
  compare = scope_window_get_comparison (window);
  g_assert_true (gui_wait (is_measured, compare, 120000));
  adw_tab_view_set_selected_page (
      ADW_TAB_VIEW (gtk_widget_get_ancestor (GTK_WIDGET (compare), ADW_TYPE_TAB_VIEW)),
      adw_tab_view_get_page (ADW_TAB_VIEW (
                                 gtk_widget_get_ancestor (GTK_WIDGET (compare), ADW_TYPE_TAB_VIEW)),
                             GTK_WIDGET (model)));
  g_assert_true (scope_window_get_page (window) == model);
  gui_act (window, "win.compare", NULL);
  g_assert_true (scope_window_get_comparison (window) == compare);
  g_assert_cmpstr (state_of (compare), ==, "result");
}

/* A cancelled measurement says so, and does not take the place of an earlier result. */
static void
test_cancelled (void)
{
  ScopeComparePage *compare = open_comparison ("cell-lstm-t6-ntc-none", shapes);
  GtkSpinButton    *seconds = GTK_SPIN_BUTTON (find (compare, "compare-seconds"));

  gtk_spin_button_set_value (seconds, 300); /* more than the test takes */
  g_assert_true (gui_wait (are_drawn, compare, 60000));
  g_assert_cmpstr (state_of (compare), ==, "waiting");
  take_picture (window, "compare-measuring");
  gui_act (compare, "compare.stop", NULL);
  g_assert_true (gui_wait (is_measured, compare, 10000));
  g_assert_cmpstr (state_of (compare), ==, "cancelled");
  take_picture (window, "compare-cancelled");
  gtk_spin_button_set_value (seconds, 4);
  gui_act (compare, "compare.measure", NULL);
  g_assert_true (gui_wait (is_measured, compare, 120000));
  g_assert_cmpstr (state_of (compare), ==, "result");
  gtk_spin_button_set_value (seconds, 300);
  gui_act (compare, "compare.measure", NULL);
  gui_spin (50);
  g_assert_cmpstr (state_of (compare), ==, "result");
  gtk_spin_button_set_value (seconds, 150);
  gui_act (compare, "compare.allow-time", NULL); /* does not begin a second measurement */
  g_assert_cmpfloat (gtk_spin_button_get_value (seconds), ==, 300);
  gui_act (compare, "compare.stop", NULL);
  g_assert_true (gui_wait (is_measured, compare, 10000));
  g_assert_cmpstr (state_of (compare), ==, "result");
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (find (compare, "compare-message"))),
                            "the earlier result is shown"));
  gui_act (compare, "compare.dismiss", NULL);
  scope_settings_set_int ("compare-seconds", 4);
}

/* Several sizes become columns of the table and curves; the earlier result stays in the list.  On a busy machine eight
 * sizes take longer than a minute. */
static void
test_curves (void)
{
  ScopeComparePage *compare;
  GtkWidget        *results;

  scope_settings_set_int ("compare-seconds", 100);
  gui_act (window, "win.compare-example", "lstm-unrolled");
  g_assert_true (gui_wait (has_comparison, NULL, 30000));
  compare = scope_window_get_comparison (window);
  g_assert_true (gui_wait (is_measured, compare, 120000));
  results = find (compare, "compare-results");
  g_assert_false (gtk_widget_get_visible (results));
  g_assert_null (gui_find (GTK_WIDGET (compare), "compare-curves-batch"));
  gtk_editable_set_text (GTK_EDITABLE (find (compare, "compare-batches")), " 1, 2 ");
  gtk_editable_set_text (GTK_EDITABLE (find (compare, "compare-lengths")), "3 4");
  gtk_editable_set_text (GTK_EDITABLE (find (compare, "compare-units")), "8,16");
  gui_act (compare, "compare.measure", NULL);
  g_assert_true (gui_wait (is_measured, compare, 120000));
  find (compare, "compare-curves-batch");
  find (compare, "compare-curves-length");
  find (compare, "compare-curves-hidden");
  g_assert_cmpuint (g_list_model_get_n_items (
                        gtk_drop_down_get_model (GTK_DROP_DOWN (find (compare, "compare-size")))),
                    ==, 8);
  take_picture (window, "compare-curves");
  g_assert_true (gtk_widget_get_visible (results));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (results), 0);
  g_assert_null (gui_find (GTK_WIDGET (compare), "compare-curves-batch"));
}

/* A file is measured at other batches, too: the batch is found among the dimensions of its input. */
static void
test_sizes_of_a_file (void)
{
  ScopeComparePage *compare = open_comparison ("cell-lstm-t6-ntc-none", shapes);
  GtkWidget        *size;

  g_assert_true (gui_wait (is_measured, compare, 120000));
  gtk_editable_set_text (GTK_EDITABLE (find (compare, "compare-batches")), "1, 3");
  gui_act (compare, "compare.measure", NULL);
  g_assert_true (gui_wait (is_measured, compare, 120000));
  g_assert_cmpstr (state_of (compare), ==, "result");
  find (compare, "compare-curves-batch");
  size = find (compare, "compare-size");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (GTK_DROP_DOWN (size))), ==,
                    2);
}

/* Time ran out before the second form was measured. */
static void
test_unmeasured (void)
{
  cJSON      *result = cJSON_Parse ("{\"cells\": [{\"variant\": \"foreach\", \"mode\": \"static\", "
                                         "\"device\": \"cpu\", \"median\": "
                                         "0.001}, {\"variant\": \"fused\", \"mode\": \"static\", \"device\": "
                                         "\"cpu\", \"median\": null}]}");
  ScopeTable *times = scope_result_dup_times (result);
  GtkWidget  *parent = gtk_window_new ();
  GtkWidget  *matrix = scope_compare_matrix_new (times);

  gtk_window_set_child (GTK_WINDOW (parent), matrix);
  gtk_window_present (GTK_WINDOW (parent));
  gui_spin (100);
  g_assert_true (says (matrix, "1.00 ms"));
  g_assert_true (says (matrix, "–"));
  g_assert_false (says (matrix, "nan"));
  gtk_window_destroy (GTK_WINDOW (parent));
  scope_table_free (times);
  cJSON_Delete (result);
}

/* --- What is said --- */

/* The terminal and reports say them, too: tests/app/command/test-said.c. */
static void
test_facts (void)
{
  g_autoptr (ScopeSaid) said = said_facts_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *parent = gtk_window_new ();

  scope_compare_said_append (GTK_BOX (box), said);
  gtk_window_set_child (GTK_WINDOW (parent), box);
  gtk_window_present (GTK_WINDOW (parent));
  gui_spin (100);
  for (GtkWidget *child = gtk_widget_get_first_child (box); child;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_EXPANDER (child))
      gtk_expander_set_expanded (GTK_EXPANDER (child), TRUE);
  gui_spin (100);
  for (guint i = 0; said_facts[i]; i++)
    {
      GtkWidget  *button = gui_find (box, "measure-longer");
      const char *tooltip = gtk_widget_get_tooltip_text (button);

      if (!says (box, said_facts[i]) && !g_str_equal (tooltip, said_facts[i]) &&
          !find_texts (box, said_facts[i], ""))
        g_error ("the window does not say “%s”", said_facts[i]);
    }
  g_assert_nonnull (gui_find (box, "compare-waterfall"));
  g_assert_nonnull (gui_find (box, "curves"));
  g_assert_cmpstr (gtk_actionable_get_action_name (
                       GTK_ACTIONABLE (gui_find (box, "measure-longer"))),
                   ==, "compare.allow-time");
  gtk_window_destroy (GTK_WINDOW (parent));
}

static guint
count_widgets (GtkWidget *root)
{
  guint n = 1;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child;
       child = gtk_widget_get_next_sibling (child))
    n += count_widgets (child);
  return n;
}

/* A file with these cells and the rest, shown.  (transfer full) */
static ScopeSavedComparison *
show_file (GtkWidget *parent, const char *cells, const char *rest)
{
  g_autofree char      *text = g_strdup_printf ("{\"cells\":[%s],%s}", cells, rest);
  GtkWidget            *widget = scope_compare_result_new ();
  ScopeSavedComparison *file = scope_saved_comparison_parse (text, "strange.json", NULL);

  g_assert_nonnull (file);
  gtk_window_set_child (GTK_WINDOW (parent), widget);
  scope_compare_result_set (SCOPE_COMPARE_RESULT (widget), file->results->pdata[0]);
  gui_spin (100);
  return file;
}

/* The file of a stranger: values of wrong types, invalid text, and more blocks, rows and columns than the limits allow. */
static void
test_hostile (void)
{
  static const char *const strange =
      "\"pairs\":[1,null,{},{\"a\":7,\"b\":[]},{\"a\":\"\\u0001 x, static\",\"b\":\"<b>, static\","
      "\"ratio\":-1,\"low\":1e308,\"high\":-1e308,\"verdict\":\"best\",\"explanation\":{"
      "\"has_cause\":true,\"saved\":1e300,\"low\":1,\"high\":1e301,\"certain\":true,"
      "\"unexplained\":-1e308,\"buckets\":[{\"seconds\":1e308,\"low\":-1e308,\"high\":1e308,"
      "\"rung\":5},3,null,[],{},{},{},{}]}}],\"ladder\":[{},1,{\"name\":[],\"seconds\":-1e308},"
      "{\"name\":\"x\",\"seconds\":1e308,\"verdict\":\"faster\",\"saved\":1}],\"equal\":3,"
      "\"speeds\":[{\"fastest\":\"\"},7],\"with\":{\"file\":3,\"iterations\":-1e99,\"groups\":[{"
      "\"nodes\":[\"a\",[],3]},5]}";
  g_autoptr (GString) many = g_string_new (NULL);
  g_autoptr (GString) pairs = g_string_new ("\"pairs\":[{}");
  GtkWidget            *parent = gtk_window_new ();
  ScopeSavedComparison *first, *second, *third;

  gtk_window_present (GTK_WINDOW (parent));
  first = show_file (parent,
                     "{\"variant\":\"<b>\",\"mode\":\"static\",\"median\":-1},"
                     "{\"variant\":\"\xff\xfe x\",\"mode\":\"static\",\"median\":1.7e308},"
                     "{\"variant\":[],\"median\":0},{\"median\":\"1\"},{}",
                     strange);
  for (guint i = 0; i < 4000; i++)
    g_string_append_printf (many,
                            "%s{\"variant\":\"form "
                            "%u\",\"mode\":\"%0*u\",\"batch\":%u,\"median\":%u}",
                            i > 0 ? "," : "", i, i % 7 == 0 ? 5000 : 1, i, i % 400, i);
  for (guint i = 0; i < 4000; i++)
    g_string_append_printf (pairs, ",{\"a\":\"form %u, 1\",\"b\":\"x\",\"batch\":0}", i);
  g_string_append_c (pairs, ']');
  third =
      show_file (parent,
                 "{\"variant\":\"a\",\"batch\":1,\"median\":1e999},{\"variant\":\"a\",\"batch\":2,"
                 "\"median\":1},{\"variant\":\"a\",\"batch\":1e999,\"median\":1},"
                 "{\"variant\":\"b\",\"batch\":1,\"median\":1.7e308}",
                 "\"pairs\":[]");
  g_assert_nonnull (gui_find (parent, "compare-curves-batch"));
  second = show_file (parent, many->str, pairs->str);
  g_assert_cmpuint (count_widgets (parent), <, 40000);
  gtk_window_destroy (GTK_WINDOW (parent));
  scope_saved_comparison_free (first);
  scope_saved_comparison_free (second);
  scope_saved_comparison_free (third);
}

void
add_compare_tests (void)
{
  add_test ("/app/window/compares-forms-in-linked-panes", CASE_EMPTY, test_compare);
  add_test ("/app/window/says-why-forms-cannot-be-compared", CASE_EMPTY, test_compare_refused);
  add_test ("/app/window/leads-from-a-failed-comparison-to-the-shapes", CASE_EMPTY, test_way_out);
  add_long_test ("/app/window/explains-the-chosen-pair-of-forms", CASE_EMPTY, test_pair);
  add_long_test ("/app/window/keeps-a-result-when-measuring-is-cancelled", CASE_EMPTY,
                 test_cancelled);
  add_long_test ("/app/window/measures-a-file-at-several-batches", CASE_EMPTY,
                 test_sizes_of_a_file);
  add_test ("/app/window/a-form-without-a-time-has-no-bar", CASE_EMPTY, test_unmeasured);
  add_test ("/app/window/says-the-same-facts-as-the-command", CASE_EMPTY, test_facts);
  add_test ("/app/window/shows-what-it-can-of-a-strange-result", CASE_EMPTY, test_hostile);
  add_long_test ("/app/window/draws-curves-over-every-size", CASE_EMPTY, test_curves);
}
