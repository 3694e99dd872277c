/* folders.c — where the libraries of a GPU's vendor are looked for: as tools/gpu.sh, toolkits, containers, Python's
 * wheels and conda install them.
 *
 * Nothing is run to find them.  Start with hyb_gpu_list_folders() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/compare-names.h"
#include "engine/device/gpu.h"

#include <gio/gio.h>
#include <stdlib.h>

/* The folders so far. */
typedef struct
{
  GPtrArray  *list; /* of char * */
  GHashTable *seen; /* of the ones in list */
  int         major;
} Folders;

/* Takes path; skips it if it is listed already, is no folder, or is relative. */
static void
take (Folders *folders, char *path)
{
  if (g_path_is_absolute (path) && !g_hash_table_contains (folders->seen, path) &&
      g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_hash_table_add (folders->seen, path);
      g_ptr_array_add (folders->list, path);
    }
  else
    g_free (path);
}

/* The names in a folder that begin so, in the order of the alphabet; empty without such a folder.
 * (transfer full) */
static GPtrArray *
list_names (const char *path, const char *prefix)
{
  GPtrArray  *names = g_ptr_array_new_with_free_func (g_free);
  GDir       *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_prefix (name, prefix))
      g_ptr_array_add (names, g_strdup (name));
  if (dir)
    g_dir_close (dir);
  g_ptr_array_sort (names, hyb_compare_names);
  return names;
}

/* --- Python --- */

/* The wheels in a folder of packages: of CUDA 13 they share nvidia/cu13, before each has a folder, as cuDNN still
 * has. */
static void
add_packages (Folders *folders, const char *packages)
{
  g_autofree char *vendor = g_build_filename (packages, "nvidia", NULL);
  g_autofree char *shared = g_strdup_printf ("cu%d", folders->major);
  g_autoptr (GPtrArray) names = list_names (vendor, "");

  take (folders, g_build_filename (vendor, shared, "lib", NULL));
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];

      if (!g_str_has_prefix (name, "cu1")) /* of another version of CUDA */
        take (folders, g_build_filename (vendor, name, "lib", NULL));
    }
}

/* All folders of packages below a prefix such as a virtual environment. */
static void
add_prefix (Folders *folders, const char *prefix)
{
  static const char *const libs[] = { "lib", "lib64" };
  static const char *const ends[] = { "site-packages", "dist-packages" };

  for (guint l = 0; l < G_N_ELEMENTS (libs); l++)
    {
      g_autofree char *lib = g_build_filename (prefix, libs[l], NULL);
      g_autoptr (GPtrArray) pythons = list_names (lib, "python3");

      for (guint i = 0; i < pythons->len; i++)
        for (guint e = 0; e < G_N_ELEMENTS (ends); e++)
          {
            g_autofree char *packages = g_build_filename (lib, pythons->pdata[i], ends[e], NULL);

            add_packages (folders, packages);
          }
    }
}

/* The prefix of a program PREFIX/bin/NAME. */
static void
add_prefix_of (Folders *folders, const char *program)
{
  g_autofree char *bin = g_path_get_dirname (program);
  g_autofree char *prefix = g_path_get_dirname (bin);

  add_prefix (folders, prefix);
}

/* The folders from which python3 would import, by the environment and its own place. */
static void
add_python (Folders *folders)
{
  static const char *const variables[] = { "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE" };
  const char              *list = g_getenv ("PYTHONPATH");
  g_auto (GStrv) packages = g_strsplit (list ? list : "", ":", -1);
  g_autofree char *program = g_find_program_in_path ("python3");
  char            *file = program ? realpath (program, NULL) : NULL;
  g_autofree char *of_user = g_build_filename (g_get_home_dir (), ".local", NULL);

  for (guint i = 0; packages[i]; i++)
    if (*packages[i])
      add_packages (folders, packages[i]);
  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    {
      const char *prefix = g_getenv (variables[i]);

      if (prefix && *prefix)
        add_prefix (folders, prefix);
    }
  if (program)
    add_prefix_of (folders, program);
  add_prefix (folders, of_user);
  if (file)
    add_prefix_of (folders,
                   file); /* a virtual environment links to the Python that it was made of */
  free (file);
  add_prefix (folders, "/usr/local");
  add_prefix (folders, "/usr");
}

/* --- Toolkits and containers --- */

/* A toolkit, with CUPTI in a folder of its own. */
static void
add_toolkit (Folders *folders, const char *path)
{
  static const char *const below[] = { "lib64", "lib", "extras/CUPTI/lib64" };

  for (guint i = 0; i < G_N_ELEMENTS (below); i++)
    take (folders, g_build_filename (path, below[i], NULL));
}

static void
add_toolkits (Folders *folders)
{
  static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH" };
  g_autofree char         *prefix = g_strdup_printf ("cuda-%d", folders->major);
  g_autoptr (GPtrArray) names = list_names ("/usr/local", prefix);

  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    {
      const char *path = g_getenv (variables[i]);

      if (path && *path)
        add_toolkit (folders, path);
    }
  add_toolkit (folders, "/usr/local/cuda");
  for (guint i = names->len; i > 0; i--) /* the newest first */
    {
      g_autofree char *path = g_build_filename ("/usr/local", names->pdata[i - 1], NULL);

      add_toolkit (folders, path);
    }
}

/* Libraries fetched by tools/gpu.sh. */
static void
add_own (Folders *folders)
{
  g_autofree char *name = g_strdup_printf ("cuda-%d", folders->major);

  take (folders, g_build_filename (g_get_user_data_dir (), "hybridscope", name, NULL));
}

char **
hyb_gpu_list_folders (int major)
{
  const char *given = g_getenv ("HYB_GPU_PATH");
  const char *conda = g_getenv ("CONDA_PREFIX");
  g_auto (GStrv) first = g_strsplit (given ? given : "", ":", -1);
  Folders folders = { g_ptr_array_new (), g_hash_table_new (g_str_hash, g_str_equal), major };

  for (guint i = 0; first[i]; i++)
    g_ptr_array_add (folders.list, g_strdup (first[i]));
  g_ptr_array_add (folders.list, g_strdup ("")); /* ld.so */
  add_toolkits (&folders);
  add_own (&folders);
  take (&folders, g_strdup ("/usr/local/nvidia/lib64"));
  take (&folders, g_strdup ("/usr/local/nvidia/lib"));
  add_python (&folders);
  if (conda && *conda)
    take (&folders, g_build_filename (conda, "lib", NULL));
  g_ptr_array_add (folders.list, NULL);
  g_hash_table_unref (folders.seen);
  return (char **) g_ptr_array_free (folders.list, FALSE);
}
