/* test-nsys.c — SQLite exports of Nsight Systems: tables, joins, and hostile files.
 *
 * The databases are made here with the tables that NVIDIA documents for nsys export.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/random.h"
#include "profiler/exchange/nsys.h"
#include "tests/profiler/imported.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#define TABLES                                                                                    \
  "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"                \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "       \
  "deviceId "                                                                                     \
  "INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId "       \
  "INTEGER, "                                                                                     \
  "globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, gridX INTEGER " \
  "NOT NULL);"                                                                                    \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "      \
  "eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT "    \
  "NULL, "                                                                                        \
  "returnValue INTEGER NOT NULL);"                                                                \
  "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "   \
  "rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid " \
  "INTEGER, textId INTEGER, domainId INTEGER);"

#define THREAD G_GINT64_CONSTANT (0x1000001000007) /* process 0x1000001, thread 7 */

/* An operator on the host for 10 µs at begin, which launches a kernel of duration ns. */
static void
add_operator (GString *sql, const char *name, gint64 begin, gint64 duration)
{
  static gint64 correlation;

  correlation++;
  g_string_append_printf (sql,
                          "INSERT INTO NVTX_EVENTS VALUES (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                          ", 59, 0, 0, 0, '%s', %" G_GINT64_FORMAT ", NULL, NULL, 0);",
                          begin, begin + 10000, name, THREAD);
  g_string_append_printf (sql,
                          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%" G_GINT64_FORMAT
                          ", %" G_GINT64_FORMAT ", 0, %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                          ", 1, 0);",
                          begin + 1000, begin + 3000, THREAD, correlation);
  g_string_append_printf (sql,
                          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%" G_GINT64_FORMAT
                          ", %" G_GINT64_FORMAT ", 0, 1, 7, %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                          ", 2, 2, 1);",
                          begin + 50000, begin + 50000 + duration, correlation,
                          THREAD & ~G_GINT64_CONSTANT (0xffffff));
}

/* Two runs of the network mlp, as MXNet names operators.  (transfer full) */
static GString *
write_mlp (void)
{
  static const char *const operators[] = { "FullyConnected", "Activation", "FullyConnected",
                                           "Activation", "FullyConnected" };
  GString                 *sql =
      g_string_new (TABLES "BEGIN;"
                           "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'sgemm');");

  for (guint i = 0; i < 10; i++)
    add_operator (sql, operators[i % 5], 1000000 + i * 20000, 1000 * (i % 5 + 1));
  g_string_append (sql, "COMMIT;");
  return sql;
}

/* A database in a new folder.  (transfer full) */
static char *
make_database (const char *sql)
{
  g_autofree char *folder = g_dir_make_tmp ("nsys-XXXXXX", NULL);
  char            *path = g_build_filename (folder, "a b%20?.sqlite", NULL);
  sqlite3         *database;
  char            *message = NULL;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  if (sqlite3_exec (database, sql, NULL, NULL, &message) != SQLITE_OK)
    g_error ("%s", message);
  sqlite3_close (database);
  return path;
}

static void
remove_database (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (folder);
}

static void
import_database (Imported *imported, const char *sql)
{
  g_autofree char *symbol =
      g_build_filename (SOURCE_ROOT, "tests", "data", "traces", "mlp-symbol.json", NULL);
  g_autofree char *path = make_database (sql);
  g_autoptr (GError) error = NULL;
  ProfTrace *trace;

  *imported = (Imported){ .model = imported_open (symbol) };
  trace = prof_nsys_read (path, &error);
  g_assert_no_error (error);
  imported_map (imported, trace, hyb_model_get_graph (imported->model));
  remove_database (path);
}

static double
self_of (const Imported *imported, const char *name)
{
  for (guint i = 0; i < imported->summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (imported->summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (imported->capture, sum->row);

      if (g_str_has_suffix (prof_capture_get_string (imported->capture, node->name), name))
        return sum->self;
    }
  g_error ("%s did not run", name);
}

static void
test_kernels_are_placed_through_ranges_and_calls (void)
{
  g_autoptr (GString) sql = write_mlp ();
  Imported imported;

  import_database (&imported, sql->str);
  g_assert_cmpuint (imported.import.n_operators, ==, 10);
  g_assert_cmpuint (imported.import.n_attributed, ==, 10);
  g_assert_cmpuint (imported.import.n_iterations, ==, 2);
  g_assert_cmpfloat_with_epsilon (self_of (&imported, "dense0_fwd"), 1e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon (self_of (&imported, "dense0_relu_fwd"), 2e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon (self_of (&imported, "dense1_fwd"), 3e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon (self_of (&imported, "dense2_fwd"), 5e-6, 1e-12);
  imported_clear (&imported);
}

/* PyTorch's ranges nest and have a suffix; names may be in StringIds; older exports lack columns. */
static void
test_ranges_of_other_tools_and_older_exports_are_read (void)
{
  static const char sql[] =
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "CREATE TABLE NVTX_EVENTS (start INT, end INT, globalTid INT, text TEXT, textId INT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId "
      "INT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, correlationId INT);"
      "INSERT INTO StringIds VALUES (5, 'aten::linear, op_id = 12');"
      "INSERT INTO NVTX_EVENTS VALUES (0, 1000, 7, 'forward', NULL);"
      "INSERT INTO NVTX_EVENTS VALUES (100, 200, 7, NULL, 5);"
      "INSERT INTO NVTX_EVENTS VALUES (110, 190, 7, 'aten::addmm, seq = 3', NULL);"
      "INSERT INTO NVTX_EVENTS VALUES (300, 400, 7, 'aten::linear, op_id = 13', NULL);"
      "INSERT INTO NVTX_EVENTS VALUES (500, 600, 7, 'aten::linear, op_id = 14', NULL);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (120, 130, 7, 1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (140, 150, 7, 2);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2000, 2001, 7, 3);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 5300, 1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5400, 5800, 2);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (9000, 9100, 3);";
  Imported imported;

  import_database (&imported, sql);
  g_assert_cmpuint (imported.import.n_attributed, ==, 3);
  g_assert_cmpfloat_with_epsilon (self_of (&imported, "dense0_fwd"), 700e-9, 1e-12);
  g_assert_cmpfloat_with_epsilon (self_of (&imported, "dense1_fwd"), 100e-9, 1e-12);
  g_assert_cmpuint (imported.import.unmatched->len, ==, 2); /* forward, and the kernel outside */
  imported_clear (&imported);
}

static void
assert_refused (const char *sql, const char *text)
{
  g_autofree char *path = make_database (sql);
  g_autoptr (GError) error = NULL;

  g_assert_null (prof_nsys_read (path, &error));
  g_assert_error (error, PROF_ERROR, PROF_ERROR_TRACE);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, text));
  remove_database (path);
}

/* A view, a virtual table and a computed column could run for ever or call functions. */
static void
test_views_and_computed_columns_are_not_evaluated (void)
{
  assert_refused ("CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n (start) AS (SELECT 1 UNION ALL "
                  "SELECT start + 1 FROM n) SELECT start, start AS end, 'a' AS text FROM n;",
                  "neither NVTX ranges nor kernels");
  assert_refused ("CREATE TABLE NVTX_EVENTS (start INT, end INT, text TEXT AS "
                  "(hex (zeroblob (start))));"
                  "INSERT INTO NVTX_EVENTS VALUES (1000, 1001);",
                  "neither NVTX ranges nor kernels");
  assert_refused ("CREATE TABLE t (x INT);", "neither NVTX ranges nor kernels");
}

/* Times, threads and ids that no export has. */
static void
test_impossible_numbers_are_left_out (void)
{
  static const char sql[] = TABLES
      "INSERT INTO NVTX_EVENTS VALUES (-5, 10, 59, 0, 0, 0, 'Activation', 7, NULL, NULL, 0);"
      "INSERT INTO NVTX_EVENTS VALUES (10, 5, 59, 0, 0, 0, 'Activation', 7, NULL, NULL, 0);"
      "INSERT INTO NVTX_EVENTS VALUES (0, 9223372036854775807, 59, 0, 0, 0, 'Activation', 7, NULL, "
      "1, 0);"
      "INSERT INTO NVTX_EVENTS VALUES (10, NULL, 59, 0, 0, 0, 'Activation', 7, NULL, NULL, 0);"
      "INSERT INTO NVTX_EVENTS VALUES (10, 20, 34, 0, 0, 0, 'Activation', 7, NULL, NULL, 0);"
      "INSERT INTO NVTX_EVENTS VALUES (10, 20, 59, 0, 0, 0, NULL, 7, NULL, 99, 0);"
      "INSERT INTO NVTX_EVENTS VALUES (10, 20, 59, 0, 0, 0, 'Activation', 'x', NULL, NULL, 0);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (9, 3, 0, 0, 0, 1, 0, 0, 0, 0);";
  Imported imported;

  import_database (&imported, sql);
  g_assert_cmpuint (imported.trace->events->len, ==, 1);
  imported_clear (&imported);
}

/* Cut anywhere and with random bytes, a file is read or refused. */
static void
test_damaged_files_are_survived (void)
{
  g_autoptr (GString) sql = write_mlp ();
  g_autofree char *path = make_database (sql->str), *text = NULL;
  gsize            length;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  for (guint i = 0; i < 300; i++)
    {
      g_autofree char *damaged = g_memdup2 (text, length);
      gsize            cut = i < 100 ? length * i / 100 : length;
      ProfTrace       *trace;

      for (guint k = 0; i >= 100 && k < 20; k++)
        damaged[hyb_random_word (i, 2 * k) % length] = (char) hyb_random_word (i, 2 * k + 1);
      g_assert_true (g_file_set_contents (path, damaged, (gssize) cut, NULL));
      trace = prof_nsys_read (path, NULL);
      prof_trace_free (trace);
    }
  remove_database (path);
}

TEST_PROGRAM (test_nsys)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/profiler/nsys/" name, function)
  ADD ("kernels-are-placed-through-ranges-and-calls",
       test_kernels_are_placed_through_ranges_and_calls);
  ADD ("ranges-of-other-tools-and-older-exports-are-read",
       test_ranges_of_other_tools_and_older_exports_are_read);
  ADD ("views-and-computed-columns-are-not-evaluated",
       test_views_and_computed_columns_are_not_evaluated);
  ADD ("impossible-numbers-are-left-out", test_impossible_numbers_are_left_out);
  ADD ("damaged-files-are-survived", test_damaged_files_are_survived);
#undef ADD
  return g_test_run ();
}
