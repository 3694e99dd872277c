/* test-runtime.c — tests of nodes whose form only a whole file shows: numbers that ONNX Runtime computed, in every mode.
 *
 * tests/data/onnx/runtime has a model and its arrays for each case; make-runtime.py beside it writes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/onnx/files.h"
#include "tests/program.h"

static void
test_numbers (gconstpointer name)
{
  files_run ("runtime", name);
}

TEST_PROGRAM (test_runtime)
{
  g_autofree char *folder = g_build_filename (SOURCE_ROOT, "tests/data/onnx/runtime", NULL);
  g_autoptr (GDir) directory = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *file;

  g_test_init (&argc, &argv, NULL);

  directory = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (directory);
  while ((file = g_dir_read_name (directory)))
    if (g_str_has_suffix (file, ".onnx"))
      {
        char            *name = g_strndup (file, strlen (file) - strlen (".onnx"));
        g_autofree char *path = g_strconcat ("/engine/onnx/runtime/", name, NULL);

        g_ptr_array_add (names, name);
        g_test_add_data_func (path, name, test_numbers);
      }
  g_assert_cmpuint (names->len, >, 10);
  return g_test_run ();
}
