/* hscope-fixture.h — a temporary folder in which a test runs hscope, and what the program printed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cjson/cJSON.h>
#include <glib.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (cJSON, cJSON_Delete)

typedef struct
{
  char *folder;
  char *symbol, *input; /* paths of a test's own model and input; NULL if it has none */
  char *out, *err;      /* what the last run wrote to stdout and stderr */
  int   code;           /* exit status of the last run */
} Fixture;

/* Makes the folder. */
void fixture_set_up (Fixture *fixture, gconstpointer unused);
/* Deletes the folder with its files and frees all members. */
void fixture_tear_down (Fixture *fixture, gconstpointer unused);

/* Path of a file in the folder; (transfer full) */
char *in_folder (Fixture *fixture, const char *name);
/* Runs a program and sets out, err and code.  arguments: NULL-terminated; the first one is the
 * program.  The test fails if the program cannot be started or is ended by a signal. */
void fixture_run (Fixture *fixture, char **arguments);
/* Runs a line of the shell in the folder, where hscope is the program. */
void fixture_run_line (Fixture *fixture, const char *line);
/* Prints why and fails the test, which goes on with its other rows. */
void fixture_complain (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Parses out, which must be one JSON document and nothing else; free it with cJSON_Delete(). */
cJSON *parse_output (Fixture *fixture);
