/* test-library.c — libraries that are opened by name, and what is said of those that cannot be.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/library.h"
#include "tests/program.h"

#include <string.h>

/* A library that every program has open. */
#define LIBRARY "libm.so.6"

typedef struct
{
  double (*sqrt) (double);
  double (*floor) (double);
  void (*no_function) (void);
} Table;

static void
no_function (void)
{
}

static const char *const system_only[] = { "", NULL };

static void
test_bind (void)
{
  static const HybLibraryFunction functions[] = {
    HYB_LIBRARY_FUNCTION (Table, floor),
    HYB_LIBRARY_FUNCTION (Table, sqrt),
    { "no_function", G_STRUCT_OFFSET (Table, no_function), TRUE },
  };
  g_autofree char *why = NULL;
  void            *library = hyb_library_open (LIBRARY, system_only, NULL, &why);
  Table            table = { .no_function = no_function };

  g_assert_nonnull (library);
  g_assert_null (why);
  g_assert_null (hyb_library_bind (library, functions, G_N_ELEMENTS (functions), &table));
  g_assert_cmpfloat (table.sqrt (16), ==, 4);
  g_assert_cmpfloat (table.floor (2.5), ==, 2);
  g_assert_null (table.no_function);
}

static void
test_missing_function (void)
{
  static const HybLibraryFunction functions[] = {
    HYB_LIBRARY_FUNCTION (Table, sqrt),
    HYB_LIBRARY_FUNCTION (Table, no_function),
    HYB_LIBRARY_FUNCTION (Table, floor),
  };
  g_autofree char *why = NULL;
  void            *library = hyb_library_open (LIBRARY, system_only, NULL, &why);
  Table            table = { 0 };

  g_assert_cmpstr (hyb_library_bind (library, functions, G_N_ELEMENTS (functions), &table), ==,
                   "no_function");
}

static void
test_nothing_found (void)
{
  g_autofree char  *folder = g_dir_make_tmp ("library-XXXXXX", NULL);
  const char *const folders[] = { folder, "", NULL };
  g_autofree char  *why = NULL;

  g_assert_null (hyb_library_open ("libhyb-no-such.so.1", folders, "libhyb", &why));
  g_assert_null (why);
}

/* The first file is no library: it is the reason, unless a later folder has one. */
static void
test_broken_file (void)
{
  g_autofree char  *folder = g_dir_make_tmp ("library-XXXXXX", NULL);
  g_autofree char  *path = g_build_filename (folder, LIBRARY, NULL);
  const char *const broken[] = { folder, NULL }, *const both[] = { folder, "", NULL };
  g_autofree char *why = NULL;

  g_assert_true (g_file_set_contents (path, "text", -1, NULL));
  g_assert_null (hyb_library_open (LIBRARY, broken, NULL, &why));
  g_assert_true (strstr (why, path));
  g_assert_nonnull (hyb_library_open (LIBRARY, both, NULL, &why));
  g_assert_null (why);
}

TEST_PROGRAM (test_library)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/base/library/fills-a-table", test_bind);
  g_test_add_func ("/engine/base/library/names-the-missing-function", test_missing_function);
  g_test_add_func ("/engine/base/library/no-reason-if-nothing-was-found", test_nothing_found);
  g_test_add_func ("/engine/base/library/says-why-a-file-cannot-be-opened", test_broken_file);
  return g_test_run ();
}
