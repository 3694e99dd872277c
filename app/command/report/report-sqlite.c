/* report-sqlite.c — makes a database of the cells of a sweep in memory, and writes it as a whole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-sqlite.h"

#include "app/command/frame/messages.h"

#include "engine/formats/file.h"
#include "profiler/exchange/sqlite.h"

#include <math.h>
#include <string.h>

typedef struct
{
  sqlite3      *database;
  sqlite3_stmt *insert;
} Writer;

static gboolean
check (const Writer *writer, int status, const char *path, GError **error)
{
  if (status == SQLITE_OK || status == SQLITE_DONE)
    return TRUE;
  g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED, "%s: SQLite cannot write it: %s", path,
               writer->database ? prof_sqlite ()->sqlite3_errmsg (writer->database)
                                : prof_sqlite ()->sqlite3_errstr (status));
  return FALSE;
}

/* Names are those of CSV; sizes are numbers.  (transfer full) */
static char *
dup_create (void)
{
  GString *sql = g_string_new ("CREATE TABLE cells (cell INTEGER PRIMARY KEY");

  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    g_string_append_printf (sql, ", \"%s\" %s", scope_sweep_axes[axis].key,
                            scope_sweep_axes[axis].is_number ? "INTEGER" : "TEXT");
  g_string_append (sql, ", status TEXT NOT NULL, value REAL, low REAL, high REAL, host TEXT, "
                        "crowded INTEGER NOT NULL, reason TEXT)");
  return g_string_free (sql, FALSE);
}

/* (transfer full) */
static char *
dup_insert (void)
{
  GString *sql = g_string_new ("INSERT INTO cells VALUES (?");

  for (guint i = 0; i < SCOPE_SWEEP_N_AXES + 7; i++)
    g_string_append (sql, ", ?");
  g_string_append_c (sql, ')');
  return g_string_free (sql, FALSE);
}

static void
bind_text (const Writer *writer, int column, const char *text)
{
  if (text && *text)
    prof_sqlite ()->sqlite3_bind_text (writer->insert, column, text, -1, SQLITE_STATIC);
  else
    prof_sqlite ()->sqlite3_bind_null (writer->insert, column);
}

static void
bind_number (const Writer *writer, int column, double value)
{
  if (isfinite (value))
    prof_sqlite ()->sqlite3_bind_double (writer->insert, column, value);
  else
    prof_sqlite ()->sqlite3_bind_null (writer->insert, column);
}

static int
insert_cell (const Writer *writer, const ScopeSweepResults *results, guint cell)
{
  const ScopeSweepResult *result = &results->cells[cell];
  int                     column = 1;

  prof_sqlite ()->sqlite3_reset (writer->insert);
  prof_sqlite ()->sqlite3_bind_int64 (writer->insert, column++, cell);
  /* A text that is a number becomes one in a column of numbers. */
  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    bind_text (writer, column++, scope_sweep_plan_get (results->plan, cell, axis));
  bind_text (writer, column++, !result->has_line ? "left" : result->is_done ? "done" : "failed");
  bind_number (writer, column++, result->value);
  bind_number (writer, column++, result->low);
  bind_number (writer, column++, result->high);
  bind_text (writer, column++, result->host);
  prof_sqlite ()->sqlite3_bind_int (writer->insert, column++, result->is_crowded);
  bind_text (writer, column, result->reason);
  return prof_sqlite ()->sqlite3_step (writer->insert);
}

static gboolean
fill (Writer *writer, const ScopeSweepResults *results, const char *path, GError **error)
{
  g_autofree char *create = dup_create ();
  g_autofree char *insert = dup_insert ();
  int              status = prof_sqlite ()->sqlite3_open_v2 ("cells", &writer->database,
                                                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                                                 SQLITE_OPEN_NOMUTEX,
                                                             "memdb");

  if (!check (writer, status, path, error) ||
      !check (writer,
              prof_sqlite ()->sqlite3_exec (writer->database, "PRAGMA journal_mode = OFF; BEGIN",
                                            NULL, NULL, NULL),
              path, error) ||
      !check (writer, prof_sqlite ()->sqlite3_exec (writer->database, create, NULL, NULL, NULL),
              path, error) ||
      !check (writer,
              prof_sqlite ()->sqlite3_prepare_v2 (writer->database, insert, -1, &writer->insert,
                                                  NULL),
              path, error))
    return FALSE;
  for (guint cell = 0; cell < results->plan->n_cells; cell++)
    if (!check (writer, insert_cell (writer, results, cell), path, error))
      return FALSE;
  return check (writer, prof_sqlite ()->sqlite3_exec (writer->database, "COMMIT", NULL, NULL, NULL),
                path, error);
}

gboolean
scope_report_write_sqlite (const ScopeSweepResults *results, const char *path, GError **error)
{
  Writer         writer = { 0 };
  gboolean       is_done;
  unsigned char *contents = NULL;
  sqlite3_int64  length = 0;

  if (!prof_sqlite_load (error))
    return FALSE;
  is_done = fill (&writer, results, path, error);
  if (is_done)
    {
      contents = prof_sqlite ()->sqlite3_serialize (writer.database, "main", &length,
                                                    SQLITE_SERIALIZE_NOCOPY);
      is_done = contents ? hyb_file_replace_contents (path, contents, (gsize) length, error)
                         : check (&(Writer){ 0 }, SQLITE_NOMEM, path, error);
    }
  prof_sqlite ()->sqlite3_finalize (writer.insert);
  prof_sqlite ()->sqlite3_close (writer.database);
  return is_done;
}
