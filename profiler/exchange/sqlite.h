/* sqlite.h — the functions of SQLite that are called, found when a database is read or written.
 *
 * Its library takes a third of all bindings at the start of a program, and most commands need no database.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <sqlite3.h>

/* F (function) for each. */
/* clang-format off */
#define PROF_SQLITE_FUNCTIONS(F)                                                                  \
  F (sqlite3_bind_double) F (sqlite3_bind_int) F (sqlite3_bind_int64) F (sqlite3_bind_null)       \
  F (sqlite3_bind_text) F (sqlite3_close) F (sqlite3_column_int64) F (sqlite3_column_text)        \
  F (sqlite3_column_type) F (sqlite3_db_config) F (sqlite3_errmsg) F (sqlite3_errstr)             \
  F (sqlite3_exec) F (sqlite3_finalize) F (sqlite3_limit) F (sqlite3_open_v2)                     \
  F (sqlite3_prepare_v2) F (sqlite3_progress_handler) F (sqlite3_reset) F (sqlite3_serialize)     \
  F (sqlite3_set_authorizer) F (sqlite3_step)
/* clang-format on */

/* Every member has the name of its function. */
typedef struct
{
#define MEMBER(function) __typeof__ (&function) function;
  PROF_SQLITE_FUNCTIONS (MEMBER)
#undef MEMBER
} ProfSqlite;

/* Returns the functions; the first call loads the library.  NULL with PROF_ERROR_TRACE if it is missing or too old. */
const ProfSqlite *prof_sqlite_load (GError **error);

/* The same after prof_sqlite_load() returned them. */
const ProfSqlite *prof_sqlite (void);
