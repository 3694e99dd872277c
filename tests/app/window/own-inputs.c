/* own-inputs.c — a picture, arrays, a table of numbers and names of classes that are dropped on the window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "engine/formats/array-file.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>
#include <string.h>

static char *folder;

static char *
path_of (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
drop (const char *path)
{
  gpointer target = gui_controller (GTK_WIDGET (window), GTK_TYPE_DROP_TARGET);
  GValue   value = G_VALUE_INIT;
  gboolean handled = FALSE;

  g_value_init (&value, G_TYPE_FILE);
  g_value_take_object (&value, g_file_new_for_path (path));
  g_signal_emit_by_name (target, "drop", &value, 10.0, 10.0, &handled);
  g_value_unset (&value);
  g_assert_true (handled);
}

static ScopePage *
shown (void)
{
  return scope_window_get_page (window);
}

static gboolean
is_told (gpointer text)
{
  return says (GTK_WIDGET (shown ()), text);
}

static void
end (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = path_of (name);

      g_remove (path);
    }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

/* The array that runs take, as the field of the run panel names it. */
static HybTensorList *
read_input (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  GtkWidget *row = gui_find (GTK_WIDGET (window), "run-input");
  g_autoptr (GError) error = NULL;
  HybTensorList *list = hyb_arrays_read (gtk_editable_get_text (GTK_EDITABLE (row)), &error);

  g_assert_no_error (error);
  return list;
}

static gboolean
has_values (gpointer of)
{
  return scope_workspace_get_values (of) != NULL;
}

static guint32
find_output (void)
{
  VizDiagram *diagram = scope_document_get_diagram (
      scope_workspace_get_document (scope_page_get_workspace (shown ())));

  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    if (viz_diagram_box (diagram, box)->kind == VIZ_BOX_OUTPUT)
      return box;
  return VIZ_ROOT;
}

/* White becomes ones in the shape of the input, and the run's classes have the names of the file. */
static void
test_picture (void)
{
  static const char *const shapes[] = { "data=2,1,20,20", NULL };
  g_autofree char         *picture = NULL, *labels = NULL;
  g_autoptr (GdkPixbuf) white = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 40, 20);
  g_autoptr (HybTensorList) list = NULL;
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  HybTensor *tensor;

  folder = g_dir_make_tmp ("hybridscope-own-XXXXXX", NULL);
  picture = path_of ("white.png");
  labels = path_of ("digits.txt");
  gui_open (window, "lenet-static", shapes);
  gdk_pixbuf_fill (white, 0xffffffff);
  g_assert_true (gdk_pixbuf_save (white, picture, "png", NULL, NULL));
  drop (picture);
  wait_until (is_told, (gpointer) "white.png as “data”: (2, 1, 20, 20), with values from 0 to 1");
  take_picture (window, "own-picture");
  list = read_input ();
  tensor = hyb_tensor_list_find (list, "data");
  g_assert_nonnull (tensor);
  g_assert_cmpint (hyb_shape_size (hyb_tensor_get_shape (tensor)), ==, 2 * 20 * 20);
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (tensor, 2 * 20 * 20 - 1), 1, 1e-6);

  g_assert_true (g_file_set_contents (labels,
                                      "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\n"
                                      "eight\nnine\n",
                                      -1, NULL));
  drop (labels);
  wait_until (is_told, (gpointer) "names 10 classes");
  g_free (options->input);
  options->input =
      g_strdup (gtk_editable_get_text (GTK_EDITABLE (gui_find (GTK_WIDGET (window), "run-input"))));
  options->seconds = 1;
  g_assert_true (scope_page_run (shown (), options));
  wait_until (has_values, scope_page_get_workspace (shown ()));
  scope_workspace_select (scope_page_get_workspace (shown ()), find_output ());
  gui_spin (300);
  g_signal_emit_by_name (gui_find (GTK_WIDGET (shown ()), "show-classes"), "clicked");
  wait_until (is_told, (gpointer) "Sample 1");
  g_assert_true (is_told ((gpointer) "seven") || is_told ((gpointer) "three") ||
                 is_told ((gpointer) "one"));
  take_picture (window, "own-classes");
  end ();
}

static void
test_tables_and_arrays (void)
{
  static const char *const shapes[] = { "data=1,4", NULL };
  g_autofree char         *table = NULL, *wrong = NULL, *word = NULL, *array = NULL;
  g_autoptr (HybTensorList) list = NULL, made = hyb_tensor_list_new ();
  g_autoptr (HybTensor) four =
      hyb_tensor_new_float (2, (const gint64[]){ 1, 4 }, (const float[]){ 5, 6, 7, 8 });
  HybTensor *tensor;

  folder = g_dir_make_tmp ("hybridscope-own-XXXXXX", NULL);
  table = path_of ("four.csv");
  wrong = path_of ("three.csv");
  word = path_of ("word.csv");
  array = path_of ("own.npz");
  gui_open (window, "mlp-dropout", shapes);
  g_assert_true (g_file_set_contents (table, "1, 2.5\n-3e1;4\n", -1, NULL));
  g_assert_true (g_file_set_contents (wrong, "1 2 3", -1, NULL));
  g_assert_true (g_file_set_contents (word, "1 two", -1, NULL));
  drop (table);
  wait_until (is_told, (gpointer) "four.csv as “data”");
  list = read_input ();
  tensor = hyb_tensor_list_find (list, "data");
  g_assert_cmpfloat (hyb_tensor_get_value (tensor, 2), ==, -30);
  drop (wrong);
  wait_until (is_told, (gpointer) "it has 3 numbers, and the input “data” takes 4");
  drop (word);
  wait_until (is_told, (gpointer) "is not a number");
  /* An array with the name of an input is no parameter. */
  hyb_tensor_list_set (made, "data", four);
  g_assert_true (hyb_arrays_write (made, array, NULL));
  drop (array);
  wait_until (is_told, (gpointer) "Runs take the arrays of own.npz");
  end ();
}

static gboolean
has_dialog (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);

  return dialog && gtk_widget_get_mapped (dialog);
}

static void
test_choosing (void)
{
  gui_act (window, "win.choose-input", NULL);
  wait_until (has_dialog, NULL);
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
  gui_spin (200);
}

void
add_own_input_tests (void)
{
  add_test ("/app/window/takes-a-picture-as-input-and-names-of-classes", CASE_EMPTY, test_picture);
  add_test ("/app/window/takes-tables-and-arrays-as-input", CASE_EMPTY, test_tables_and_arrays);
  add_test ("/app/window/input-has-a-file-dialog", CASE_MODEL, test_choosing);
}
