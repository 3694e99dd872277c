/* test-folders.c — where NVIDIA's libraries are looked for.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/gpu.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Folders that a test needs, below one that is made for it. */
typedef struct
{
  char *root;
} Place;

static char *
in_place (const Place *place, const char *name)
{
  return g_build_filename (place->root, name, NULL);
}

static void
make (const Place *place, const char *name)
{
  g_autofree char *path = in_place (place, name);

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
}

/* The number of a folder in the list; −1 if it is not listed. */
static int
find (const Place *place, char **folders, const char *name)
{
  g_autofree char *path = in_place (place, name);

  for (int i = 0; folders[i]; i++)
    if (strcmp (folders[i], path) == 0)
      return i;
  return -1;
}

static void
set (const Place *place, const char *variable, const char *name)
{
  g_autofree char *path = in_place (place, name);

  g_setenv (variable, path, TRUE);
}

static void
test_given_first (void)
{
  g_auto (GStrv) folders = NULL;

  g_setenv ("HYB_GPU_PATH", "/absent/one:/absent/two", TRUE);
  folders = hyb_gpu_list_folders (13);
  g_assert_cmpstr (folders[0], ==, "/absent/one");
  g_assert_cmpstr (folders[1], ==, "/absent/two");
  g_assert_cmpstr (folders[2], ==, ""); /* ld.so */
  g_clear_pointer (&folders, g_strfreev);
  g_unsetenv ("HYB_GPU_PATH");
  folders = hyb_gpu_list_folders (13);
  g_assert_cmpstr (folders[0], ==, "");
  for (guint i = 1; folders[i]; i++)
    g_assert_true (g_file_test (folders[i], G_FILE_TEST_IS_DIR));
}

/* Wheels of CUDA 12 have a folder each; those of CUDA 13 share one, but for cuDNN. */
static void
test_wheels (void)
{
  Place place = { g_dir_make_tmp ("hybridscope-XXXXXX", NULL) };

  make (&place, "venv/lib/python3.12/site-packages/nvidia/cublas/lib");
  make (&place, "venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib");
  make (&place, "venv/lib/python3.12/site-packages/nvidia/cudnn/lib");
  make (&place, "venv/lib/python3.12/site-packages/nvidia/cu13/lib");
  make (&place, "venv/lib64/python3.9/site-packages/nvidia/cublas/lib");
  make (&place, "conda/lib/python3.11/site-packages/nvidia/cuda_cupti/lib");
  make (&place, "packages/nvidia/cublas/lib");
  set (&place, "VIRTUAL_ENV", "venv");
  set (&place, "CONDA_PREFIX", "conda");
  set (&place, "PYTHONPATH", "packages");
  for (int major = 12; major <= 13; major++)
    {
      g_auto (GStrv) folders = hyb_gpu_list_folders (major);
      int shared = find (&place, folders, "venv/lib/python3.12/site-packages/nvidia/cu13/lib");
      int cublas = find (&place, folders, "venv/lib/python3.12/site-packages/nvidia/cublas/lib");

      g_assert_cmpint (cublas, >, 0);
      g_assert_true ((shared > 0) == (major == 13));
      g_assert_cmpint (shared, <, cublas);
      g_assert_cmpint (find (&place, folders, "venv/lib/python3.12/site-packages/nvidia/cudnn/lib"),
                       >, 0);
      g_assert_cmpint (find (&place, folders,
                             "venv/lib64/python3.9/site-packages/nvidia/cublas/lib"),
                       >, 0);
      g_assert_cmpint (find (&place, folders,
                             "conda/lib/python3.11/site-packages/nvidia/cuda_cupti/lib"),
                       >, 0);
      g_assert_cmpint (find (&place, folders, "conda/lib"), >, 0);
      g_assert_cmpint (find (&place, folders, "packages/nvidia/cublas/lib"), >, 0);
    }
  g_free (place.root);
}

/* The Python that is first in PATH counts without its variable, also behind a link; one of a relative folder does
 * not. */
static void
test_python_in_path (void)
{
  Place            place = { g_dir_make_tmp ("hybridscope-XXXXXX", NULL) };
  g_autofree char *python = in_place (&place, "base/bin/python3");
  g_autofree char *link = in_place (&place, "venv/bin/python3");
  g_auto (GStrv) folders = NULL;

  make (&place, "base/bin");
  make (&place, "venv/bin");
  make (&place, "base/lib/python3.11/dist-packages/nvidia/cudnn/lib");
  make (&place, "venv/lib/python3.11/site-packages/nvidia/cublas/lib");
  g_assert_true (g_file_set_contents (python, "", 0, NULL));
  g_assert_cmpint (g_chmod (python, 0700), ==, 0);
  g_assert_cmpint (symlink (python, link), ==, 0);
  g_unsetenv ("VIRTUAL_ENV");
  g_unsetenv ("CONDA_PREFIX");
  set (&place, "PATH", "venv/bin");
  g_setenv ("PYTHONPATH", ".:relative", TRUE);
  folders = hyb_gpu_list_folders (12);
  g_assert_cmpint (find (&place, folders, "venv/lib/python3.11/site-packages/nvidia/cublas/lib"), >,
                   0);
  g_assert_cmpint (find (&place, folders, "base/lib/python3.11/dist-packages/nvidia/cudnn/lib"), >,
                   0);
  for (guint i = 1; folders[i]; i++)
    g_assert_true (g_path_is_absolute (folders[i]));
  g_free (place.root);
}

static void
test_toolkits (void)
{
  Place place = { g_dir_make_tmp ("hybridscope-XXXXXX", NULL) };
  g_auto (GStrv) folders = NULL;

  make (&place, "toolkit/lib64");
  make (&place, "toolkit/extras/CUPTI/lib64");
  set (&place, "CUDA_HOME", "toolkit");
  folders = hyb_gpu_list_folders (13);
  g_assert_cmpint (find (&place, folders, "toolkit/lib64"), >, 0);
  g_assert_cmpint (find (&place, folders, "toolkit/extras/CUPTI/lib64"), >, 0);
  g_free (place.root);
}

TEST_PROGRAM (test_folders)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/device/folders/those-of-the-user-come-first", test_given_first);
  g_test_add_func ("/engine/device/folders/wheels-of-python-are-found", test_wheels);
  g_test_add_func ("/engine/device/folders/the-python-in-the-path-counts", test_python_in_path);
  g_test_add_func ("/engine/device/folders/toolkits-have-cupti", test_toolkits);
  return g_test_run ();
}
