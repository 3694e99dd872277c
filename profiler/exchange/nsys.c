/* nsys.c — reads tables of Nsight Systems' SQLite export and joins them here.
 *
 * The file may be hostile: it is opened read-only as it is, views and virtual tables are not read, no
 * function of SQL can be called, and the work is bounded by the size of the file.  Each table is read
 * once, and nothing is sorted or joined by SQLite, so that the time stays proportional to the file.
 * Start reading at prof_nsys_read().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/nsys.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "profiler/capture/capture.h"
#include "profiler/exchange/foreign-operators.h"
#include "profiler/exchange/sqlite.h"

#include <gio/gio.h>
#include <string.h>

#define STEPS_PER_CALL  1000     /* of SQLite's machine between two looks at the budget */
#define STEPS_PER_BYTE  20       /* a row takes about 20 steps and has more than 10 bytes */
#define STEPS_AT_LEAST  10000000 /* for small files */
#define MAX_TEXT        (1 << 20)
#define BYTES_PER_ROW   256 /* that an entry takes here, with its tables */
#define NVTX_PUSH_POP   59  /* NVTX_EVENTS.eventType of ranges that nest */
#define PROCESS_OF(tid) ((tid) & ~(gint64) 0xffffff)

/* The kernels that one call launched. */
typedef struct
{
  gint64 process, id; /* CUDA's correlation, which counts in its process */
  gint64 begin_ns, duration_ns;
  guint  n;
} Launched;

typedef struct
{
  gint64      begin_ns, end_ns, tid;
  const char *name;                 /* of a range, owned by the trace */
  Launched   *launched;             /* by a call; NULL for ranges */
  gint64      gpu_begin_ns, gpu_ns; /* of the kernels inside of a range */
  gboolean    is_inner;             /* a part of an operator of PyTorch */
} Span;

typedef struct
{
  sqlite3    *database;
  const char *path;
  guint64     steps, rows_left;
  GHashTable *strings; /* id → text */
  GHashTable *kernels; /* Launched, its own key */
  GArray     *spans;   /* of Span: ranges, and calls that launched kernels */
  ProfTrace  *trace;
} Reader;

/* --- Safety --- */

static int
count_steps (gpointer data)
{
  Reader *reader = data;

  if (reader->steps < STEPS_PER_CALL)
    return 1;
  reader->steps -= STEPS_PER_CALL;
  return 0;
}

typedef const char SqliteText; /* in a signature that the library dictates */

/* Only reading columns and describing tables is allowed. */
static int
authorize (gpointer    unused,
           int         action,
           SqliteText *first,
           SqliteText *second,
           SqliteText *database,
           SqliteText *trigger)
{
  switch (action)
    {
    case SQLITE_SELECT:
    case SQLITE_READ:
      return trigger ? SQLITE_DENY : SQLITE_OK; /* the name of the view or trigger that needs it */
    case SQLITE_PRAGMA:
      return g_ascii_strcasecmp (first, "table_info") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
    }
}

static void
restrict_database (Reader *reader)
{
  static const struct
  {
    int category, limit;
  } limits[] = {
    { SQLITE_LIMIT_LENGTH, MAX_TEXT },
    { SQLITE_LIMIT_SQL_LENGTH, 10000 },
    { SQLITE_LIMIT_COLUMN, 200 },
    { SQLITE_LIMIT_EXPR_DEPTH, 20 },
    { SQLITE_LIMIT_COMPOUND_SELECT, 10 },
    { SQLITE_LIMIT_VDBE_OP, 25000 },
    { SQLITE_LIMIT_FUNCTION_ARG, 4 },
    { SQLITE_LIMIT_ATTACHED, 0 },
    { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1 },
    { SQLITE_LIMIT_VARIABLE_NUMBER, 1 },
    { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
    { SQLITE_LIMIT_WORKER_THREADS, 0 },
  };
  sqlite3 *database = reader->database;

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    prof_sqlite ()->sqlite3_limit (database, limits[i].category, limits[i].limit);
  prof_sqlite ()->sqlite3_db_config (database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  prof_sqlite ()->sqlite3_db_config (database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  prof_sqlite ()->sqlite3_db_config (database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
  prof_sqlite ()->sqlite3_db_config (database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  prof_sqlite ()->sqlite3_db_config (database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  prof_sqlite ()->sqlite3_exec (database, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
  prof_sqlite ()->sqlite3_exec (database, "PRAGMA mmap_size = 0", NULL, NULL, NULL);
  prof_sqlite ()->sqlite3_progress_handler (database, STEPS_PER_CALL, count_steps, reader);
  prof_sqlite ()->sqlite3_set_authorizer (database, authorize, NULL);
}

static gboolean
fail (const Reader *reader, const char *what, GError **error)
{
  return hyb_error_at (error, PROF_ERROR, PROF_ERROR_TRACE, reader->path,
                       "Export the report anew with nsys export --type sqlite", "%s: %s", what,
                       prof_sqlite ()->sqlite3_errmsg (reader->database));
}

/* Opens the file as it is, without journals and locks. */
static gboolean
open_database (Reader *reader, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (reader->path);
  g_autofree char *address = g_file_get_uri (file);
  g_autofree char *immutable = g_strconcat (address, "?immutable=1", NULL);
  sqlite3_stmt    *statement = NULL;
  int              status;
  int              flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE;

  if (prof_sqlite ()->sqlite3_open_v2 (immutable, &reader->database, flags, NULL) != SQLITE_OK)
    return fail (reader, "the database cannot be opened", error);
  restrict_database (reader);
  /* Reads the schema, which fails if the file is damaged. */
  status = prof_sqlite ()->sqlite3_prepare_v2 (reader->database, "SELECT name FROM sqlite_master",
                                               -1, &statement, NULL);
  if (status == SQLITE_OK)
    status = prof_sqlite ()->sqlite3_step (statement);
  prof_sqlite ()->sqlite3_finalize (statement);
  return status == SQLITE_ROW || fail (reader, "the database cannot be read", error);
}

/* --- Tables --- */

/* Whether the database has a real table of this name, neither a view nor a virtual table. */
static gboolean
has_table (const Reader *reader, const char *name)
{
  sqlite3_stmt *statement = NULL;
  gboolean      is_there = FALSE;

  if (prof_sqlite ()
          ->sqlite3_prepare_v2 (reader->database,
                                "SELECT type, rootpage FROM sqlite_master WHERE name = ?1", -1,
                                &statement, NULL) == SQLITE_OK)
    {
      prof_sqlite ()->sqlite3_bind_text (statement, 1, name, -1, SQLITE_STATIC);
      is_there = prof_sqlite ()->sqlite3_step (statement) == SQLITE_ROW &&
                 g_strcmp0 ((const char *) prof_sqlite ()->sqlite3_column_text (statement, 0),
                            "table") == 0 &&
                 prof_sqlite ()->sqlite3_column_int64 (statement, 1) > 0;
    }
  prof_sqlite ()->sqlite3_finalize (statement);
  return is_there;
}

static gboolean
has_column (const Reader *reader, const char *table, const char *column)
{
  g_autofree char *sql = g_strdup_printf ("PRAGMA table_info(%s)", table);
  sqlite3_stmt    *statement = NULL;
  gboolean         is_there = FALSE;

  if (prof_sqlite ()->sqlite3_prepare_v2 (reader->database, sql, -1, &statement, NULL) == SQLITE_OK)
    while (!is_there && prof_sqlite ()->sqlite3_step (statement) == SQLITE_ROW)
      is_there = g_strcmp0 ((const char *) prof_sqlite ()->sqlite3_column_text (statement, 1),
                            column) == 0;
  prof_sqlite ()->sqlite3_finalize (statement);
  return is_there;
}

/* Handles a row; its columns are those that were requested. */
typedef void (*RowFunc) (Reader *reader, sqlite3_stmt *row);

/* Calls func for every row of the table, which may be missing.  columns: NULL-terminated; one that the
 * table does not have is NULL in every row. */
static gboolean
read_table (Reader            *reader,
            const char        *table,
            const char *const *columns,
            RowFunc            func,
            GError           **error)
{
  g_autoptr (GString) sql = g_string_new ("SELECT ");
  sqlite3_stmt *statement = NULL;
  int           status;

  if (!has_table (reader, table))
    return TRUE;
  for (guint i = 0; columns[i]; i++)
    if (has_column (reader, table, columns[i]))
      g_string_append_printf (sql, "%s\"%s\"", i > 0 ? ", " : "", columns[i]);
    else
      g_string_append_printf (sql, "%sNULL", i > 0 ? ", " : "");
  g_string_append_printf (sql, " FROM \"%s\"", table);
  status = prof_sqlite ()->sqlite3_prepare_v2 (reader->database, sql->str, -1, &statement, NULL);
  while (status == SQLITE_OK || status == SQLITE_ROW)
    {
      status = prof_sqlite ()->sqlite3_step (statement);
      if (status != SQLITE_ROW)
        break;
      if (reader->rows_left-- == 0)
        {
          prof_sqlite ()->sqlite3_finalize (statement);
          hyb_error_at (error, PROF_ERROR, PROF_ERROR_TRACE, reader->path,
                        "Allow more with --limit-memory",
                        "the table %s has more rows than the limit of memory allows", table);
          return FALSE;
        }
      func (reader, statement);
    }
  prof_sqlite ()->sqlite3_finalize (statement);
  return status == SQLITE_DONE || fail (reader, table, error);
}

/* A copy of length bytes (-1: all) that is valid UTF-8, owned by the trace. */
static const char *
keep_text (Reader *reader, const char *text, gssize length)
{
  g_autofree char *valid = g_utf8_make_valid (text, length);

  return g_string_chunk_insert_const (reader->trace->texts, valid);
}

static void
read_string (Reader *reader, sqlite3_stmt *row)
{
  const char *text = (const char *) prof_sqlite ()->sqlite3_column_text (row, 1);
  gint64      id = prof_sqlite ()->sqlite3_column_int64 (row, 0);

  if (text && *text)
    g_hash_table_insert (reader->strings, g_memdup2 (&id, sizeof id),
                         (gpointer) keep_text (reader, text, -1));
}

static guint
hash_launched (gconstpointer key)
{
  const Launched *launched = key;

  return g_int64_hash (&launched->process) * 31 + g_int64_hash (&launched->id);
}

static gboolean
is_same_launched (gconstpointer a, gconstpointer b)
{
  const Launched *x = a, *y = b;

  return x->process == y->process && x->id == y->id;
}

/* Whether both are times, and in order. */
static gboolean
is_span (gint64 begin, gint64 end)
{
  return begin >= 0 && end >= begin && end <= G_MAXINT64 / 4;
}

/* start, end, correlationId, globalPid. */
static void
read_kernel (Reader *reader, sqlite3_stmt *row)
{
  gint64 begin = prof_sqlite ()->sqlite3_column_int64 (row, 0),
         end = prof_sqlite ()->sqlite3_column_int64 (row, 1);
  Launched  key = { .process = prof_sqlite ()->sqlite3_column_int64 (row, 3),
                    .id = prof_sqlite ()->sqlite3_column_int64 (row, 2) };
  Launched *launched;

  if (!is_span (begin, end))
    return;
  launched = g_hash_table_lookup (reader->kernels, &key);
  if (!launched)
    {
      launched = g_memdup2 (&key, sizeof key);
      launched->begin_ns = begin;
      g_hash_table_add (reader->kernels, launched);
    }
  launched->begin_ns = MIN (launched->begin_ns, begin);
  launched->duration_ns = MIN (launched->duration_ns + (end - begin), G_MAXINT64 / 4);
  launched->n++;
}

/* start, end, correlationId, globalTid: of a call that may have launched a kernel. */
static void
read_call (Reader *reader, sqlite3_stmt *row)
{
  Span     span = { .begin_ns = prof_sqlite ()->sqlite3_column_int64 (row, 0),
                    .end_ns = prof_sqlite ()->sqlite3_column_int64 (row, 1),
                    .tid = prof_sqlite ()->sqlite3_column_int64 (row, 3) };
  Launched key = { .process = PROCESS_OF (span.tid),
                   .id = prof_sqlite ()->sqlite3_column_int64 (row, 2) };

  span.launched = g_hash_table_lookup (reader->kernels, &key);
  key.process = 0; /* older exports do not say the process */
  if (!span.launched)
    span.launched = g_hash_table_lookup (reader->kernels, &key);
  if (span.launched && is_span (span.begin_ns, span.end_ns))
    g_array_append_val (reader->spans, span);
}

/* start, end, globalTid, text, textId, eventType. */
static void
read_range (Reader *reader, sqlite3_stmt *row)
{
  Span        span = { .begin_ns = prof_sqlite ()->sqlite3_column_int64 (row, 0),
                       .end_ns = prof_sqlite ()->sqlite3_column_int64 (row, 1),
                       .tid = prof_sqlite ()->sqlite3_column_int64 (row, 2) };
  const char *text = (const char *) prof_sqlite ()->sqlite3_column_text (row, 3);
  gint64      id = prof_sqlite ()->sqlite3_column_int64 (row, 4);
  const char *comma;

  if (prof_sqlite ()->sqlite3_column_type (row, 5) != SQLITE_NULL &&
      prof_sqlite ()->sqlite3_column_int64 (row, 5) != NVTX_PUSH_POP)
    return;
  if (!is_span (span.begin_ns, span.end_ns))
    return;
  span.name = text && *text ? text : g_hash_table_lookup (reader->strings, &id);
  if (!span.name)
    return;
  /* PyTorch appends “, seq = 12” and shapes. */
  comma = strstr (span.name, ", ");
  span.name = keep_text (reader, span.name, comma ? comma - span.name : -1);
  g_array_append_val (reader->spans, span);
}

/* --- Joining --- */

/* By thread and begin, the outer one first. */
static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;

  if (x->tid != y->tid)
    return x->tid < y->tid ? -1 : 1;
  if (x->begin_ns != y->begin_ns)
    return x->begin_ns < y->begin_ns ? -1 : 1;
  return x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns;
}

/* Adds kernels to a range; NULL: there is none. */
static void
add_gpu_time (Span *range, gint64 begin_ns, gint64 duration_ns)
{
  if (!range || duration_ns <= 0)
    return;
  range->gpu_begin_ns = range->gpu_ns > 0 ? MIN (range->gpu_begin_ns, begin_ns) : begin_ns;
  range->gpu_ns = MIN (range->gpu_ns + duration_ns, G_MAXINT64 / 4);
}

static Span *
last_of (const GArray *open)
{
  return open->len > 0 ? g_array_index (open, Span *, open->len - 1) : NULL;
}

/* Ends the innermost open range, whose kernels also are those of the range around it. */
static void
close_last (GArray *open)
{
  const Span *closed = last_of (open);

  g_array_set_size (open, open->len - 1);
  add_gpu_time (last_of (open), closed->gpu_begin_ns, closed->gpu_ns);
}

/* Gives the kernels of a call to the innermost range around it. */
static void
add_kernels (const Span *call, Span *range)
{
  Launched *launched = call->launched;

  if (!range || launched->n == 0)
    return;
  add_gpu_time (range, launched->begin_ns, MAX (launched->duration_ns, 1));
  launched->n = 0; /* used */
}

/* Begins a range inside of the open ones. */
static void
open_range (GArray *open, Span *range)
{
  const Span *around = last_of (open);

  range->is_inner =
      around && (around->is_inner || (g_str_has_prefix (around->name, "aten::") &&
                                      prof_class_of_foreign (around->name) != G_MAXUINT));
  g_array_append_val (open, range);
}

/* Appends the event of a range, which begins after the last one of its thread: kernels begin later
 * than their launch, and operators are distinguished by their order. */
static void
add_event (Reader *reader, const Span *range)
{
  GArray               *events = reader->trace->events;
  const ProfTraceEvent *last =
      events->len > 0 ? &g_array_index (events, ProfTraceEvent, events->len - 1) : NULL;
  ProfTraceEvent event = {
    .name = range->name,
    .category = "operator",
    .phase = 'X',
    .has_time = TRUE,
    .begin_ns = range->gpu_ns > 0 ? range->gpu_begin_ns : range->begin_ns,
    .duration_ns = range->gpu_ns > 0 ? range->gpu_ns : range->end_ns - range->begin_ns,
    .tid = (guint64) range->tid,
    .run = PROF_NO_NUMBER,
    .step = PROF_NO_NUMBER,
    .body = PROF_NO_NUMBER,
  };

  if (last && last->tid == event.tid)
    event.begin_ns = MAX (event.begin_ns, last->begin_ns + 1);
  g_array_append_val (events, event);
}

/* Finds the range around every call, with the ranges that are open in one pass over the spans. */
static void
join_spans (Reader *reader)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Span *));

  g_array_sort (reader->spans, compare_spans);
  for (guint i = 0; i < reader->spans->len; i++)
    {
      Span *span = &g_array_index (reader->spans, Span, i);

      while (open->len > 0)
        {
          const Span *last = last_of (open);

          if (last->tid == span->tid && last->end_ns >= span->end_ns)
            break;
          close_last (open);
        }
      if (span->launched)
        add_kernels (span, last_of (open));
      else
        open_range (open, span);
    }
  while (open->len > 0)
    close_last (open);
  for (guint i = 0; i < reader->spans->len; i++)
    {
      const Span *span = &g_array_index (reader->spans, Span, i);

      if (span->name && !span->is_inner)
        add_event (reader, span);
    }
}

/* Kernels that no range launched become events of an operator that no graph has. */
static void
add_other_kernels (Reader *reader)
{
  GHashTableIter iter;
  gpointer       key;

  g_hash_table_iter_init (&iter, reader->kernels);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      const Launched *launched = key;
      Span            span = { .begin_ns = launched->begin_ns,
                               .end_ns = launched->begin_ns + launched->duration_ns,
                               .name = "kernels outside of every NVTX range" };

      if (launched->n > 0)
        add_event (reader, &span);
    }
}

static gboolean
read_tables (Reader *reader, GError **error)
{
  static const char *const strings[] = { "id", "value", NULL };
  static const char *const kernels[] = { "start", "end", "correlationId", "globalPid", NULL };
  static const char *const calls[] = { "start", "end", "correlationId", "globalTid", NULL };
  static const char *const ranges[] = { "start",  "end",       "globalTid", "text",
                                        "textId", "eventType", NULL };

  return read_table (reader, "StringIds", strings, read_string, error) &&
         read_table (reader, "CUPTI_ACTIVITY_KIND_KERNEL", kernels, read_kernel, error) &&
         read_table (reader, "CUPTI_ACTIVITY_KIND_RUNTIME", calls, read_call, error) &&
         read_table (reader, "NVTX_EVENTS", ranges, read_range, error);
}

static void
reader_init (Reader *reader, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInfo) info =
      g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_SIZE, G_FILE_QUERY_INFO_NONE, NULL, NULL);
  guint64 size = info ? (guint64) g_file_info_get_size (info) : 0;

  *reader = (Reader){
    .path = path,
    .steps = STEPS_AT_LEAST + STEPS_PER_BYTE * MIN (size, G_MAXUINT32 * G_GUINT64_CONSTANT (16)),
    .rows_left = hyb_limits_get_memory (size) / BYTES_PER_ROW,
    .strings = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    .kernels = g_hash_table_new_full (hash_launched, is_same_launched, g_free, NULL),
    .spans = g_array_new (FALSE, FALSE, sizeof (Span)),
    .trace = g_new0 (ProfTrace, 1),
  };
  reader->trace->is_flat = TRUE;
  reader->trace->events = g_array_new (FALSE, FALSE, sizeof (ProfTraceEvent));
  reader->trace->texts = g_string_chunk_new (1 << 12);
}

ProfTrace *
prof_nsys_read (const char *path, GError **error)
{
  Reader   reader;
  gboolean is_done;

  if (!prof_sqlite_load (error))
    return NULL;
  reader_init (&reader, path);
  is_done = open_database (&reader, error) && read_tables (&reader, error);
  if (is_done)
    {
      join_spans (&reader);
      add_other_kernels (&reader);
      is_done = reader.trace->events->len > 0;
      if (!is_done)
        hyb_error_at (error, PROF_ERROR, PROF_ERROR_TRACE, path,
                      "Record with nsys profile --trace cuda,nvtx and export with nsys export "
                      "--type sqlite",
                      "the database has neither NVTX ranges nor kernels");
    }
  prof_sqlite ()->sqlite3_close (reader.database);
  g_hash_table_unref (reader.strings);
  g_hash_table_unref (reader.kernels);
  g_array_unref (reader.spans);
  if (is_done)
    return reader.trace;
  prof_trace_free (reader.trace);
  return NULL;
}
