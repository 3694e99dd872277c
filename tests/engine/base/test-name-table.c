/* test-name-table.c — tests of the table from names to pointers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/name-table.h"

#include "tests/program.h"

/* As many names as the table was made for, all numbers of the same form, so that places collide. */
static void
test_every_name_is_found (void)
{
  enum
  {
    N = 1000
  };
  static char  names[N][8];
  HybNameTable table;

  hyb_name_table_init (&table, N);
  for (int i = 0; i < N; i++)
    {
      HybNameEntry *entry;

      g_snprintf (names[i], sizeof names[i], "%d", i);
      entry = hyb_name_table_add (&table, names[i]);
      g_assert_null (entry->value);
      entry->value = names[i];
    }
  for (int i = 0; i < N; i++)
    {
      g_autofree char *name = g_strdup_printf ("%d", i);

      g_assert_true (hyb_name_table_find (&table, name)->value == names[i]);
      g_assert_true (hyb_name_table_add (&table, name)->name == names[i]);
    }
  g_assert_null (hyb_name_table_find (&table, "1000"));
  g_assert_null (hyb_name_table_find (&table, ""));
  g_free (table.entries);
}

static void
test_an_empty_table_finds_nothing (void)
{
  HybNameTable table;

  hyb_name_table_init (&table, 0);
  g_assert_null (hyb_name_table_find (&table, "name"));
  g_free (table.entries);
}

TEST_PROGRAM (test_name_table)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/base/name-table/every-name-is-found", test_every_name_is_found);
  g_test_add_func ("/engine/base/name-table/an-empty-table-finds-nothing",
                   test_an_empty_table_finds_nothing);
  return g_test_run ();
}
