/* replay.c — runs a harness on files, without libFuzzer: the deterministic pass of ./test.
 *
 *   fuzz_HARNESS [--mutate N] FILE|FOLDER…
 *
 * Prints one line of TAP for each argument.  With --mutate each file is also run N times with changes that
 * the harness's mutator makes; they are the same in every run of the program.  The variable FUZZ_KEEP names
 * a file that each changed input is written to before it is run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST (1 << 20)

/* Weak: a harness need not have a mutator. */
__attribute__ ((weak)) gsize
LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, unsigned seed);

static FuzzRandom bytes_random = 1;

gsize
LLVMFuzzerMutate (guint8 *data, gsize size, gsize max_size)
{
  guint at = size > 0 ? fuzz_below (&bytes_random, (guint) size) : 0;

  switch (fuzz_below (&bytes_random, 4))
    {
    case 0: /* one bit */
      if (size > 0)
        data[at] ^= (guint8) (1 << fuzz_below (&bytes_random, 8));
      return size;
    case 1: /* another byte */
      if (size > 0)
        data[at] = (guint8) fuzz_below (&bytes_random, 256);
      return size;
    case 2: /* one byte more */
      if (size == max_size)
        return size;
      memmove (data + at + 1, data + at, size - at);
      data[at] = (guint8) fuzz_below (&bytes_random, 256);
      return size + 1;
    default: /* one byte less */
      if (size <= 1)
        return size;
      memmove (data + at, data + at + 1, size - at - 1);
      return size - 1;
    }
}

static void
run_file (const char *path, guint n_mutants)
{
  g_autofree char   *contents = NULL;
  g_autofree guint8 *changed = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  printf ("# %s\n", path);
  fflush (stdout);
  if (!g_file_get_contents (path, &contents, &size, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      exit (1);
    }
  LLVMFuzzerTestOneInput ((const guint8 *) contents, size);
  if (n_mutants == 0)
    return;

  changed = g_malloc (LARGEST);
  bytes_random = g_str_hash (strrchr (path, '/') ? strrchr (path, '/') : path);
  for (guint i = 0; i < n_mutants && size <= LARGEST; i++)
    {
      unsigned seed = fuzz_below (&bytes_random, G_MAXINT32);
      gsize    length;

      memcpy (changed, contents, size);
      length = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator (changed, size, LARGEST, seed)
                                       : LLVMFuzzerMutate (changed, size, LARGEST);
      if (g_getenv ("FUZZ_KEEP"))
        g_file_set_contents (g_getenv ("FUZZ_KEEP"), (const char *) changed, (gssize) length, NULL);
      LLVMFuzzerTestOneInput (changed, length);
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The files of a folder in the order of their names, or the file itself.  may_be_absent: nothing, if there
 * is neither; git keeps no empty folders. */
static GPtrArray *
list_files (const char *path, gboolean may_be_absent)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  if (!folder && !(may_be_absent && !g_file_test (path, G_FILE_TEST_EXISTS)))
    g_ptr_array_add (files, g_strdup (path));
  while (folder && (name = g_dir_read_name (folder)))
    g_ptr_array_add (files, g_build_filename (path, name, NULL));
  g_ptr_array_sort (files, compare_names);
  return files;
}

int
main (int argc, char **argv)
{
  guint n_mutants = 0;
  int   first = 1;

  if (argc > 2 && strcmp (argv[1], "--mutate") == 0)
    {
      n_mutants = (guint) atoi (argv[2]);
      first = 3;
    }

  printf ("1..%d\n", argc - first);
  for (int i = first; i < argc; i++)
    {
      g_autoptr (GPtrArray) files = list_files (argv[i], i > first);
      g_autofree char *name = g_path_get_basename (argv[i]);

      for (guint k = 0; k < files->len; k++)
        run_file (files->pdata[k], n_mutants);
      printf ("ok %d - %u files of %s are read without a fault\n", i - first + 1, files->len,
              argv[i]);
      fflush (stdout);
    }
  fuzz_report ();
  return 0;
}
