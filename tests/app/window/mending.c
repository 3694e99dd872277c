/* mending.c — remedies of findings: repairing, choosing parameters, entering shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/process/limits.h"
#include "engine/base/limits.h"
#include "engine/open/open.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *folder;

/* An export with an additional array that no node reads. */
static char *
write_damaged (void)
{
  g_autofree char *prefix = g_build_filename (folder, "damaged", NULL);
  g_autofree char *whole = g_build_filename (SOURCE_ROOT, "tests/data/goldens/models/mlp-dropout",
                                             "mlp-dropout-symbol.json", NULL);
  g_autoptr (HybTensor) spare =
      hyb_tensor_new_float (1, (const gint64[]){ 3 }, (const float[]){ 1, 2, 3 });
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (whole, NULL, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  hyb_model_set_parameter (model, "spare", spare);
  g_assert_true (hyb_model_save (model, prefix, 0, NULL, &error));
  g_assert_no_error (error);
  return g_strconcat (prefix, "-symbol.json", NULL);
}

/* A copy of an export of the goldens in which one operator is misspelt at each of its nodes. */
static char *
write_misspelt (const char *model, const char *op, const char *misspelt)
{
  g_autofree char *file = g_strconcat (model, "-symbol.json", NULL);
  g_autofree char *whole =
      g_build_filename (SOURCE_ROOT, "tests/data/goldens/models", model, file, NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) parts = NULL;
  g_autofree char *changed = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (whole, &text, NULL, &error);
  g_assert_no_error (error);
  parts = g_strsplit (text, op, 0);
  g_assert_cmpuint (g_strv_length (parts), >, 1);
  changed = g_strjoinv (misspelt, parts);
  g_file_set_contents (path, changed, -1, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&path);
}

static gboolean
is_ready (gpointer before)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown != before && shown &&
         scope_workspace_get_state (scope_page_get_workspace (shown)) == SCOPE_STATE_READY;
}

static const HybFinding *
find_finding (const char *code)
{
  GPtrArray *findings = scope_document_get_findings (
      scope_workspace_get_document (scope_page_get_workspace (scope_window_get_page (window))));

  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((const HybFinding *) findings->pdata[i])->code, code) == 0)
      return findings->pdata[i];
  return NULL;
}

/* The button of a finding in the list. */
static gboolean
has_button (GtkWidget *root, const char *action)
{
  if (GTK_IS_BUTTON (root) &&
      g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (root)), action) == 0)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_button (child, action))
      return TRUE;
  return FALSE;
}

static gboolean
has_dialog (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);

  return dialog && gtk_widget_get_mapped (dialog);
}

static gboolean
has_no_dialog (gpointer unused G_GNUC_UNUSED)
{
  return !has_dialog (NULL);
}

static void
close_dialog (void)
{
  wait_until (has_dialog, NULL);
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
  wait_until (has_no_dialog, NULL);
}

/* The message dialog of that name, or NULL. */
static GtkWidget *
find_message (gpointer name)
{
  GtkWidget *dialog = gui_find_window (ADW_TYPE_MESSAGE_DIALOG);

  return dialog && gtk_widget_get_mapped (dialog) &&
                 g_strcmp0 (gtk_widget_get_name (dialog), name) == 0
             ? dialog
             : NULL;
}

static gboolean
has_message (gpointer name)
{
  return find_message (name) != NULL;
}

static gboolean
has_no_message (gpointer name)
{
  return !find_message (name);
}

/* Waits for a message dialog that says the text, takes its picture, and answers it. */
static void
answer_message (const char *name, const char *text, const char *response)
{
  GtkWidget *dialog;

  wait_until (has_message, (gpointer) name);
  dialog = find_message ((gpointer) name);
  g_assert_true (says (dialog, text));
  gui_spin (300);
  take_picture (dialog, name);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), response);
  gtk_window_close (GTK_WINDOW (dialog));
  wait_until (has_no_message, (gpointer) name);
}

static void
open_path (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gpointer before = scope_window_get_page (window);

  scope_window_open (window, file);
  g_assert_true (gui_wait (is_ready, before, 20000));
}

static ScopeCanvas *
shown_canvas (void)
{
  ScopePage *shown = scope_window_get_page (window);

  gui_settle (shown);
  return SCOPE_CANVAS (gui_find (GTK_WIDGET (shown), "graph-canvas"));
}

static void
test_outlines (void)
{
  g_autofree char *misspelt = write_misspelt ("mlp-dropout", "\"Activation\"", "\"Activatoin\"");
  g_autofree char *mended = g_build_filename (folder, "spelt-symbol.json", NULL);
  ScopeCanvas     *shown;
  const GArray    *marks;
  gpointer         before;

  open_path (misspelt);
  shown = shown_canvas ();
  marks = scope_canvas_get_fault_marks (shown);
  g_assert_cmpuint (marks->len, >, 0);
  for (guint i = 0; i < marks->len; i++)
    {
      const ScopeFaultMark *mark = &g_array_index (marks, ScopeFaultMark, i);
      const VizItem        *item = viz_picture_item (scope_canvas_get_picture (shown), mark->item);

      g_assert_true (mark->is_error);
      g_assert_nonnull (
          strstr (viz_diagram_box (viz_picture_diagram (scope_canvas_get_picture (shown)),
                                   item->box)
                      ->title,
                  "Activatoin"));
    }
  take_picture (window, "outlined-nodes");

  before = scope_window_get_page (window);
  scope_window_mend (window, mended);
  g_assert_true (gui_wait (is_ready, before, 20000));
  g_assert_cmpuint (scope_canvas_get_fault_marks (shown_canvas ())->len, ==, 0);
}

static void
test_outlined_groups (void)
{
  g_autofree char *misspelt =
      write_misspelt ("cell-lstm-t6-ntc-none", "\"FullyConnected\"", "\"FullyConected\"");
  ScopeCanvas  *shown;
  const GArray *marks;
  guint         n_faults = 0;
  gboolean      any_group = FALSE;

  open_path (misspelt);
  shown = shown_canvas ();
  marks = scope_canvas_get_fault_marks (shown);
  for (guint i = 0; i < marks->len; i++)
    {
      const ScopeFaultMark *mark = &g_array_index (marks, ScopeFaultMark, i);

      n_faults += mark->n_faults;
      any_group |=
          viz_picture_item (scope_canvas_get_picture (shown), mark->item)->state != VIZ_ITEM_LEAF;
    }
  g_assert_cmpuint (n_faults, ==, 12); /* two products in each of six steps */
  g_assert_true (any_group);
  take_picture (window, "outlined-groups");
}

static void
test_mending (void)
{
  g_autofree char *damaged = write_damaged ();
  g_autofree char *mended = g_build_filename (folder, "mended-symbol.json", NULL);
  gpointer         before;
  const char      *told;

  open_path (damaged);
  before = scope_window_get_page (window);
  g_assert_cmpint (find_finding ("unused-parameter")->remedy, ==, HYB_REMEDY_REPAIR);
  gui_act (window, "win.show-view", "findings");
  gui_spin (300);
  g_assert_true (has_button (gui_find (GTK_WIDGET (before), "findings-list"), "win.mend"));
  gui_act (window, "win.mend", NULL);
  answer_message ("mend-preview", "left out “spare”", "cancel");
  g_assert_false (has_dialog (NULL));
  gui_act (window, "win.mend", NULL);
  answer_message ("mend-preview", "left out “spare”", "save");
  close_dialog ();

  scope_window_mend (window, mended);
  g_assert_true (gui_wait (is_ready, before, 20000));
  g_assert_null (find_finding ("unused-parameter"));
  told = gtk_label_get_text (
      GTK_LABEL (gui_find (GTK_WIDGET (scope_window_get_page (window)), "banner-label")));
  g_assert_nonnull (strstr (told, "left out “spare”"));
  gui_spin (500);
  g_assert_true (gtk_widget_get_mapped (
      gui_find (GTK_WIDGET (scope_window_get_page (window)), "banner-close")));
  g_assert_true (
      gtk_widget_has_css_class (gtk_widget_get_parent (
                                    gui_find (GTK_WIDGET (scope_window_get_page (window)),
                                              "banner-label")),
                                "done"));
  take_picture (window, "mended");
}

/* A model without problems: there is nothing to preview. */
static void
test_nothing_to_mend (void)
{
  ScopePage *shown = gui_open (window, "cell-lstm-t6-ntc-none", NULL);

  gui_act (window, "win.mend", NULL);
  wait_until (is_mapped, gui_find (GTK_WIDGET (shown), "banner-label"));
  gui_spin (500);
  g_assert_true (says (GTK_WIDGET (shown), "No rule changes anything"));
  g_assert_false (has_message ((gpointer) "mend-preview"));
}

static void
test_replacing (void)
{
  g_autofree char *odd = write_misspelt ("mlp-dropout", "\"Activation\"", "\"Mish\"");
  g_autofree char *mended = g_build_filename (folder, "replaced-symbol.json", NULL);
  GtkDropDown     *choice;
  gpointer         before;

  open_path (odd);
  before = scope_window_get_page (window);
  g_assert_cmpint (find_finding ("unknown-operator")->remedy, ==, HYB_REMEDY_OPERATOR);
  gui_settle (before);
  gui_spin (300);
  g_assert_true (has_button (GTK_WIDGET (before), "win.replace-operator"));
  gui_act (window, "win.replace-operator", "hybridsequential0_dense1_relu_fwd");
  wait_until (has_message, (gpointer) "replace-dialog");
  choice = GTK_DROP_DOWN (gui_find (find_message ((gpointer) "replace-dialog"), "replacement"));
  g_assert_cmpstr (gtk_string_object_get_string (gtk_drop_down_get_selected_item (choice)), ==,
                   "Activation");
  for (guint i = 0; i < g_list_model_get_n_items (gtk_drop_down_get_model (choice)); i++)
    if (strcmp (gtk_string_list_get_string (GTK_STRING_LIST (gtk_drop_down_get_model (choice)), i),
                "relu") == 0)
      gtk_drop_down_set_selected (choice, i);
  answer_message ("replace-dialog", "Replace the Operator of 2 Nodes", "preview");
  answer_message ("mend-preview", "by relu", "save");
  close_dialog ();
  scope_window_mend (window, mended);
  g_assert_true (gui_wait (is_ready, before, 20000));
  g_assert_null (find_finding ("unknown-operator"));
}

/* The text of an entry of the editor of attributes. */
static GtkEditable *
attribute (const char *name)
{
  return GTK_EDITABLE (gui_find (find_message ((gpointer) "attributes-dialog"), name));
}

static gboolean
may_preview (void)
{
  return adw_message_dialog_get_response_enabled (ADW_MESSAGE_DIALOG (find_message (
                                                      (gpointer) "attributes-dialog")),
                                                  "preview");
}

/* A wrong word has a finding with a button; the editor says what may be meant, and takes that by one click. */
static void
test_wrong_attribute (void)
{
  g_autofree char *odd = write_misspelt ("mlp-dropout", "\"relu\"", "\"rectifier\"");
  g_autofree char *mended = g_build_filename (folder, "edited-symbol.json", NULL);
  gpointer         before;

  open_path (odd);
  before = scope_window_get_page (window);
  gui_settle (before);
  gui_act (window, "win.show-view", "findings");
  gui_spin (300);
  g_assert_cmpint (find_finding ("bad-attribute")->remedy, ==, HYB_REMEDY_ATTRIBUTES);
  g_assert_true (
      has_button (gui_find (GTK_WIDGET (before), "findings-list"), "win.edit-attributes"));
  gui_act (window, "win.edit-attributes", find_finding ("bad-attribute")->node);
  wait_until (has_message, (gpointer) "attributes-dialog");
  g_assert_true (says (find_message ((gpointer) "attributes-dialog"), "which is not one of"));
  g_assert_false (may_preview ());
  gtk_editable_set_text (attribute ("attribute-act_type"), "rellu");
  g_assert_true (says (find_message ((gpointer) "attributes-dialog"), "Did you mean “relu”?"));
  gui_spin (300);
  take_picture (find_message ((gpointer) "attributes-dialog"), "attributes-wrong");
  g_signal_emit_by_name (gui_find (find_message ((gpointer) "attributes-dialog"), "meant-act_type"),
                         "clicked");
  g_assert_cmpstr (gtk_editable_get_text (attribute ("attribute-act_type")), ==, "relu");
  g_assert_true (may_preview ());
  answer_message ("attributes-dialog", "Attributes of", "preview");
  answer_message ("mend-preview", "from “rectifier” to “relu”", "save");
  close_dialog ();
  scope_window_mend (window, mended);
  g_assert_true (gui_wait (is_ready, before, 20000));
}

/* A size against the weights is told before anything is written, with the size that fits. */
static void
test_wrong_size (void)
{
  ScopePage *shown = gui_open (window, "mlp-dropout", NULL);

  scope_workspace_select (scope_page_get_workspace (shown),
                          scope_document_find_name (scope_workspace_get_document (
                                                        scope_page_get_workspace (shown)),
                                                    "hybridsequential0_dense1_fwd"));
  gui_spin (300);
  g_assert_nonnull (gui_find (GTK_WIDGET (shown), "edit-attributes"));
  gui_act (window, "win.edit-attributes", "");
  wait_until (has_message, (gpointer) "attributes-dialog");
  g_assert_false (may_preview ()); /* nothing was changed yet */
  gtk_editable_set_text (attribute ("attribute-num_hidden"), "many");
  g_assert_false (may_preview ());
  gtk_editable_set_text (attribute ("attribute-num_hidden"), "");
  g_assert_true (says (find_message ((gpointer) "attributes-dialog"), "must be given"));
  gtk_editable_set_text (attribute ("attribute-num_hidden"), "7");
  g_assert_true (may_preview ());
  answer_message ("attributes-dialog", "Attributes of", "preview");
  answer_message ("mend-preview", "Did you mean num_hidden=", "cancel");
}

/* Without its file the model asks for one, and takes it. */
static void
test_choosing_parameters (void)
{
  g_autofree char *damaged = write_damaged ();
  g_autofree char *alone = g_build_filename (folder, "alone.json", NULL);
  g_autofree char *params = g_build_filename (folder, "damaged-0000.params", NULL);
  gpointer         shown;

  g_assert_cmpint (g_rename (damaged, alone), ==, 0);
  open_path (alone);
  shown = scope_window_get_page (window);
  g_assert_cmpint (find_finding ("no-parameters")->remedy, ==, HYB_REMEDY_PARAMETERS);
  gui_act (window, "win.choose-parameters", NULL);
  close_dialog ();
  scope_window_set_parameters (window, params);
  g_assert_cmpint (scope_workspace_get_state (scope_page_get_workspace (shown)), ==,
                   SCOPE_STATE_LOADING);
  g_assert_true (gui_wait (is_ready, NULL, 20000));
  g_assert_null (find_finding ("no-parameters"));
}

/* Two files that fit are offered, and the one with damaged values is marked. */
static void
test_choosing_among_files (void)
{
  static const struct
  {
    const char *model, *params, *name;
  } files[] = {
    { "mlp-dropout", "mlp-dropout-symbol.json", "net-symbol.json" },
    { "mlp-dropout", "mlp-dropout-0000.params", "net-0001.params" },
    { "lenet-static", "lenet-static-0000.params", "net-0009.params" },
  };
  static const float not_a_number = NAN;
  g_autofree char   *own = g_dir_make_tmp ("hybridscope-fitting-XXXXXX", NULL);
  g_autofree char   *graph = g_build_filename (own, "net-symbol.json", NULL);
  g_autofree char   *good = g_build_filename (own, "net-0001.params", NULL);
  g_autofree char   *damaged = g_build_filename (own, "net-0002.params", NULL);
  g_autofree char   *text = NULL;
  gsize              length;
  GtkDropDown       *choice;

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GFile) from = g_file_new_build_filename (SOURCE_ROOT, "tests/data/goldens/models",
                                                          files[i].model, files[i].params, NULL);
      g_autoptr (GFile) to = g_file_new_build_filename (own, files[i].name, NULL);

      g_assert_true (g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL));
    }
  /* Where the head of the first array ends. */
  g_assert_true (g_file_get_contents (good, &text, &length, NULL));
  memcpy (text + 64, &not_a_number, sizeof not_a_number);
  g_assert_true (g_file_set_contents (damaged, text, (gssize) length, NULL));
  open_path (graph);
  g_assert_cmpint (find_finding ("wrong-pair")->remedy, ==, HYB_REMEDY_PARAMETERS);
  gui_act (window, "win.choose-parameters", NULL);
  wait_until (has_message, (gpointer) "parameters-dialog");
  choice =
      GTK_DROP_DOWN (gui_find (find_message ((gpointer) "parameters-dialog"), "parameter-files"));
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (choice)), ==, 2);
  g_assert_cmpstr (gtk_string_list_get_string (GTK_STRING_LIST (gtk_drop_down_get_model (choice)),
                                               1),
                   ==, "net-0002.params, with values that are not finite");
  answer_message ("parameters-dialog", "Choose the Parameters", "open");
  g_assert_true (gui_wait (is_ready, NULL, 20000));
  g_assert_null (find_finding ("wrong-pair"));
  g_remove (damaged);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (own, files[i].name, NULL);

      g_remove (path);
    }
  g_rmdir (own);
}

static gboolean
has_failed (gpointer before)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown != before && shown &&
         scope_workspace_get_state (scope_page_get_workspace (shown)) == SCOPE_STATE_FAILED;
}

/* The text ends in the middle of a node. */
static void
test_cut_file (void)
{
  g_autofree char *whole = g_build_filename (SOURCE_ROOT, "tests/data/goldens/models/mlp-dropout",
                                             "mlp-dropout-symbol.json", NULL);
  g_autofree char *path = g_build_filename (folder, "cut-symbol.json", NULL);
  g_autofree char *text = NULL;
  g_autofree char *place = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gpointer before = scope_window_get_page (window);
  guint    line = 1;

  g_assert_true (g_file_get_contents (whole, &text, NULL, NULL));
  text[1000] = '\0';
  for (const char *c = text; *c; c++)
    line += *c == '\n';
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  scope_window_open (window, file);
  g_assert_true (gui_wait (has_failed, before, 20000));
  gui_spin (300);
  place = g_strdup_printf ("cut-symbol.json, line %u", line);
  g_assert_true (says (GTK_WIDGET (scope_window_get_page (window)), place));
  take_picture (window, "cut-file");
}

static void
test_raised_limits (void)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests/data/goldens/models/mlp-dropout",
                                            "mlp-dropout-symbol.json", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gpointer   before = scope_window_get_page (window);
  ScopePage *shown;

  hyb_limits_set (16 << 10, 0);
  scope_window_open (window, file);
  g_assert_true (gui_wait (has_failed, before, 20000));
  shown = scope_window_get_page (window);
  g_assert_true (says (GTK_WIDGET (shown), "more than 256 values"));
  g_assert_true (gtk_widget_get_visible (gui_find (GTK_WIDGET (shown), "raise-limits")));
  gui_spin (200);
  take_picture (window, "limit");
  gui_act (shown, "page.raise-limits", NULL);
  g_assert_true (gui_wait (is_ready, before, 20000));
  g_assert_cmpuint (hyb_limits_get_memory (0), ==, 64 << 10);
  /* Other tests of this process start children with the limits: high ones. */
  hyb_limits_set (0, 0);
  scope_limits_raise (0);
  g_assert_cmpuint (hyb_limits_get_memory (0), ==, (guint64) 1 << 30);
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
  g_free (folder);
}

void
add_mending_tests (void)
{
  folder = g_dir_make_tmp ("hybridscope-XXXXXX", NULL);
  at_quick_exit (remove_folder);
  add_long_test ("/app/window/mends-what-a-finding-says-it-can", CASE_EMPTY, test_mending);
  add_test ("/app/window/outlines-faulty-nodes-until-they-are-mended", CASE_EMPTY, test_outlines);
  add_test ("/app/window/outlines-closed-groups-with-faulty-nodes", CASE_EMPTY,
            test_outlined_groups);
  add_test ("/app/window/says-when-nothing-is-to-be-mended", CASE_EMPTY, test_nothing_to_mend);
  add_test ("/app/window/edits-a-wrong-attribute", CASE_EMPTY, test_wrong_attribute);
  add_test ("/app/window/tells-what-a-size-contradicts", CASE_EMPTY, test_wrong_size);
  add_long_test ("/app/window/replaces-an-operator-that-the-engine-lacks", CASE_EMPTY,
                 test_replacing);
  add_test ("/app/window/names-the-line-where-a-cut-file-ends", CASE_EMPTY, test_cut_file);
  add_test ("/app/window/a-limit-that-is-too-low-can-be-raised", CASE_EMPTY, test_raised_limits);
  add_test ("/app/window/takes-parameters-that-are-chosen", CASE_EMPTY, test_choosing_parameters);
  add_test ("/app/window/offers-parameters-that-fit", CASE_EMPTY, test_choosing_among_files);
}
