/* compile.c — a program that makes PTX of a CUDA file for the tests and prints it.
 * usage: compile-ptx FILE INCLUDE-FOLDER [-DNAME …]
 *
 * NVRTC is looked for in the folders of $HYB_GPU_PATH, by ld.so and in /usr/local/cuda/lib64;
 * where there is none clang-14 or clang compiles.  Ends with 77 and a reason if there is
 * neither, with 1 if the text does not compile.  It is a program of its own so that NVRTC and
 * the sanitizers of a test do not meet.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dlfcn.h>
#include <glib.h>
#include <string.h>

typedef struct
{
  int (
      *create) (void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile) (void *, int, const char *const *);
  int (*log_size) (void *, size_t *);
  int (*log) (void *, char *);
  int (*size) (void *, size_t *);
  int (*ptx) (void *, char *);
} Nvrtc;

static gboolean
find_functions (void *library, Nvrtc *nvrtc)
{
  const struct
  {
    const char *name;
    void       *function;
  } functions[] = {
    { "nvrtcCreateProgram", &nvrtc->create },
    { "nvrtcCompileProgram", &nvrtc->compile },
    { "nvrtcGetProgramLogSize", &nvrtc->log_size },
    { "nvrtcGetProgramLog", &nvrtc->log },
    { "nvrtcGetPTXSize", &nvrtc->size },
    { "nvrtcGetPTX", &nvrtc->ptx },
  };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      void *function = dlsym (library, functions[i].name);

      if (!function)
        return FALSE;
      memcpy (functions[i].function, &function, sizeof function);
    }
  return TRUE;
}

/* NVRTC opens its builtins by their name alone: they must be there already. */
static void
open_builtins (const char *folder)
{
  GDir       *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_prefix (name, "libnvrtc-builtins.so."))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        dlopen (path, RTLD_NOW | RTLD_GLOBAL);
      }
  if (dir)
    g_dir_close (dir);
}

static gboolean
open_nvrtc (Nvrtc *nvrtc)
{
  const char      *first = g_getenv ("HYB_GPU_PATH");
  g_autofree char *all = g_strdup_printf ("%s::/usr/local/cuda/lib64", first ? first : "");
  g_auto (GStrv) folders = g_strsplit (all, ":", -1);

  for (guint major = 13; major >= 12; major--)
    for (guint i = 0; folders[i]; i++)
      {
        g_autofree char *name = g_strdup_printf ("libnvrtc.so.%u", major);
        g_autofree char *path = *folders[i] ? g_build_filename (folders[i], name, NULL) : NULL;
        void            *library;

        if (path && !g_file_test (path, G_FILE_TEST_EXISTS))
          continue;
        if (path)
          open_builtins (folders[i]);
        library = dlopen (path ? path : name, RTLD_NOW);
        if (library && find_functions (library, nvrtc))
          return TRUE;
      }
  return FALSE;
}

static int
compile_with_nvrtc (const Nvrtc *nvrtc, const char *text, const char *file, char **options)
{
  g_autofree char *include = g_strdup_printf ("-I%s", options[0]);
  GPtrArray       *all = g_ptr_array_new ();
  void            *program = NULL;
  size_t           size = 0;
  g_autofree char *out = NULL;
  int              result;

  g_ptr_array_add (all, include);
  g_ptr_array_add (all, (gpointer) "-arch=compute_80");
  g_ptr_array_add (all, (gpointer) "-lineinfo");
  for (guint i = 1; options[i]; i++)
    g_ptr_array_add (all, options[i]);
  nvrtc->create (&program, text, file, 0, NULL, NULL);
  result = nvrtc->compile (program, (int) all->len, (const char *const *) all->pdata);
  g_ptr_array_unref (all);
  if (result)
    nvrtc->log_size (program, &size);
  else
    nvrtc->size (program, &size);
  out = g_malloc0 (size + 1);
  if (result)
    nvrtc->log (program, out);
  else
    nvrtc->ptx (program, out);
  if (result)
    g_printerr ("%s", out);
  else
    g_print ("%s", out);
  return result != 0;
}

static int
compile_with_clang (const char *clang, const char *file, char **options)
{
  const char *const fixed[] = { clang,
                                "-x",
                                "cuda",
                                "--cuda-device-only",
                                "--cuda-gpu-arch=sm_80",
                                "-nocudainc",
                                "-nocudalib",
                                "-Xclang",
                                "-target-feature",
                                "-Xclang",
                                "+ptx70",
                                "-Wno-unknown-cuda-version",
                                "-O2",
                                "-S",
                                "-o",
                                "-" };
  GPtrArray        *all = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  int status = 1;

  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    g_ptr_array_add (all, g_strdup (fixed[i]));
  g_ptr_array_add (all, g_strdup_printf ("-I%s", options[0]));
  for (guint i = 1; options[i]; i++)
    g_ptr_array_add (all, g_strdup (options[i]));
  g_ptr_array_add (all, g_strdup (file));
  g_ptr_array_add (all, NULL);
  if (!g_spawn_sync (NULL, (char **) all->pdata, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL,
                     NULL, NULL, &status, &error))
    g_printerr ("%s\n", error->message);
  g_ptr_array_unref (all);
  return status ? 1 : 0;
}

int
main (int argc, char **argv)
{
  Nvrtc            nvrtc;
  g_autofree char *text = NULL, *clang = NULL;
  gboolean         only_clang = g_getenv ("HYB_PTX_COMPILER") != NULL;

  if (argc < 3 || !g_file_get_contents (argv[1], &text, NULL, NULL))
    return 2;
  if (!only_clang && open_nvrtc (&nvrtc))
    return compile_with_nvrtc (&nvrtc, text, argv[1], argv + 2);
  clang = g_find_program_in_path ("clang-14");
  if (!clang)
    clang = g_find_program_in_path ("clang");
  if (clang)
    return compile_with_clang (clang, argv[1], argv + 2);
  g_printerr ("neither NVRTC nor clang is here\n");
  return 77;
}
