/* tensor-runs.c — the view of values with those of a run, of files and of two models.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/tensor-case.h"

#include "engine/formats/format.h"

#include <string.h>

static gboolean
has_difference (gpointer of)
{
  return says (GTK_WIDGET (view_of (of)), "Largest difference");
}

/* --- Values of a run --- */

static gboolean
has_values (gpointer of)
{
  return scope_workspace_get_values (of) != NULL;
}

static void
run_shortly (ScopePage *own)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();

  options->seconds = 1;
  g_assert_true (scope_page_run (own, options));
  wait_until (has_values, scope_page_get_workspace (own));
}

typedef struct
{
  ScopePage *own;
  HybTensor *before;
} Change;

static gboolean
has_changed (gpointer data)
{
  const Change *change = data;
  HybTensor    *now = scope_values_view_get_tensor (view_of (change->own));

  return now && now != change->before;
}

/* Chooses a tensor of the list that is not shown, and waits for it. */
static void
choose_tensor (ScopePage *own, guint index)
{
  g_autoptr (HybTensor) before = hyb_tensor_ref (scope_values_view_get_tensor (view_of (own)));
  Change change = { own, before };

  gtk_drop_down_set_selected (GTK_DROP_DOWN (gui_find (GTK_WIDGET (own), "values-names")), index);
  wait_until (has_changed, &change);
}

static void
test_run (void)
{
  static const char *const shapes[] = { "data=4,3,5,6", NULL };
  g_autoptr (HybTensor) w = new_counting (4, (gint64[]){ 4, 3, 5, 6 });
  ScopePage *own = open_model ("net", w, shapes);
  double     sum;

  select_node (own, "sum");
  gui_act (window, "win.show-view", "values");
  gui_spin (50);
  g_assert_true (says (GTK_WIDGET (own), "Not Computed Yet"));
  take_picture (window, "values-not-computed");
  run_shortly (own);
  wait_until (has_tensor, own);
  sum = hyb_tensor_get_value (scope_values_view_get_tensor (view_of (own)), 359);
  take_picture (window, "values-of-a-run");
  /* The inputs of the node can be chosen as well. */
  choose_tensor (own, 1);
  g_assert_cmpfloat_with_epsilon (sum,
                                  359 + hyb_tensor_get_value (scope_values_view_get_tensor (
                                                                  view_of (own)),
                                                              359),
                                  1e-4);
  choose_tensor (own, 2);
  g_assert_cmpfloat (hyb_tensor_get_value (scope_values_view_get_tensor (view_of (own)), 359), ==,
                     359);
  tensor_remove_folder ();
}

/* The box of the model's only output shows the value that it gets. */
static guint32
find_output (ScopePage *own)
{
  VizDiagram *diagram =
      scope_document_get_diagram (scope_workspace_get_document (scope_page_get_workspace (own)));

  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    if (viz_diagram_box (diagram, box)->kind == VIZ_BOX_OUTPUT)
      return box;
  return VIZ_ROOT;
}

static void
test_output (void)
{
  static const char *const shapes[] = { "data=2,3", NULL };
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 2, 3 });
  ScopePage *own = open_model ("net", w, shapes);

  scope_workspace_show (scope_page_get_workspace (own), find_output (own));
  gui_act (window, "win.show-view", "values");
  run_shortly (own);
  wait_until (has_tensor, own);
  g_assert_cmpstr (scope_values_view_get_name (view_of (own)), ==, "sum");
  tensor_remove_folder ();
}

/* The step that is shown is read, and named. */
static void
test_steps (void)
{
  static const char *const shapes[] = { "data0=5,2,3", "data1=2,4", "data2=2,4", NULL };
  ScopePage               *own = gui_open (window, "foreachrnn-lstm", shapes);
  ScopeWorkspace          *its = scope_page_get_workspace (own);
  ScopeDocument           *document = scope_workspace_get_document (its);
  double                   last = 0;

  run_shortly (own);
  for (guint i = 0; i < scope_document_n_places (document); i++)
    {
      const ScopePlace *place = scope_document_nth_place (document, i);

      if (scope_document_get_body (document, place->graph) &&
          strcmp (hyb_graph_get_node (place->graph, place->node)->type, "sigmoid") == 0)
        scope_workspace_select (its, place->box);
    }
  gui_act (window, "win.show-view", "values");
  wait_for_text (own, "· step 4");
  last = hyb_tensor_get_value (scope_values_view_get_tensor (view_of (own)), 0);
  scope_workspace_set_step (its, &(ScopeStepPath){ 1, { 1 } });
  wait_for_text (own, "· step 1");
  g_assert_cmpfloat (hyb_tensor_get_value (scope_values_view_get_tensor (view_of (own)), 0), !=,
                     last);
}

/* --- Files --- */

static gboolean
exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static HybTensor *
save_and_read (const char *name)
{
  g_autofree char *path = tensor_in_folder (name);
  g_autoptr (HybTensorList) list = NULL;

  scope_window_save_values (window, path);
  wait_until (exists, path);
  list = hyb_weights_read_file (path, NULL, NULL);
  return hyb_tensor_ref (hyb_tensor_list_get (list, 0)->tensor);
}

static void
test_saving (void)
{
  g_autoptr (HybTensor) w = new_counting (3, (gint64[]){ 2, 2, 3 });
  ScopePage *own = open_model ("net", w, NULL);
  g_autoptr (HybTensor) npy = NULL;
  g_autoptr (HybTensor) npz = NULL;
  g_autofree char *csv = tensor_in_folder ("w.csv"), *text = NULL;

  select_node (own, "w");
  show_values (own);
  npy = save_and_read ("w.npy");
  npz = save_and_read ("w.npz");
  g_assert_cmpint (hyb_tensor_get_shape (npy)->rank, ==, 3);
  g_assert_cmpfloat (hyb_tensor_get_value (npz, 11), ==, 11);
  gui_act (view_of (own), "values.next-slice", NULL);
  scope_window_save_values (window, csv);
  wait_until (exists, csv);
  g_assert_true (g_file_get_contents (csv, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "6,7,8\n9,10,11\n");
  gui_act (window, "win.save-values", NULL);
  close_dialog ();
  tensor_remove_folder ();
}

/* --- Two models --- */

static void
test_comparing (void)
{
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 5, 6 });
  g_autofree char *file = NULL;
  ScopePage       *first, *second;

  first = open_model ("first", w, NULL);
  ((float *) hyb_tensor_get_data (w))[17] = 20;
  second = open_model ("second", w, NULL);
  select_node (second, "w");
  show_values (second);
  gtk_menu_button_popup (
      GTK_MENU_BUTTON (gui_find (GTK_WIDGET (view_of (second)), "values-compare")));
  gui_spin (200);
  take_picture (window, "values-compare-menu");
  gui_act (view_of (second), "values.compare-with",
           scope_workspace_get_model_name (scope_page_get_workspace (first)));
  wait_until (has_difference, second);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (
                                  gui_find (GTK_WIDGET (view_of (second)), "values-shown")),
                              2);
  g_assert_true (says (GTK_WIDGET (view_of (second)), "Compared with first"));
  scope_grid_set_cursor (SCOPE_GRID (grid_of (second)), 2, 5);
  g_assert_cmpstr (text_of (second, "values-place"), ==, "[2, 5]: 20 · other: 17 · difference: 3");
  take_picture (window, "values-compared");
  assert_narrow (second);
  gui_act (view_of (second), "values.stop-comparing", NULL);
  g_assert_cmpstr (text_of (second, "values-place"), ==, "[2, 5]: 20");
  file = tensor_in_folder ("first-0000.params");
  scope_values_view_compare_file (view_of (second), file);
  wait_until (has_difference, second);
  gui_act (window, "win.compare-values", NULL);
  close_dialog ();
  tensor_remove_folder ();
}

void
add_tensor_run_tests (void)
{
  add_test ("/app/window/shows-values-of-a-run", CASE_EMPTY, test_run);
  add_test ("/app/window/shows-the-value-of-an-output", CASE_EMPTY, test_output);
  add_test ("/app/window/shows-values-of-a-step", CASE_EMPTY, test_steps);
  add_test ("/app/window/saves-values", CASE_EMPTY, test_saving);
  add_test ("/app/window/compares-values-of-two-models", CASE_EMPTY, test_comparing);
}
