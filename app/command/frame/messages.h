/* messages.h — messages on stderr, the error domain of commands and their exit codes.
 *
 * Commands report failures through GError; scope_main() prints the error and maps it
 * to an exit code.  Warnings and notes are printed at once with scope_print_message().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

typedef enum
{
  SCOPE_EXIT_FAILED =
      -1, /* returned by a command with an error: scope_exit_of_error() finds the status */
  SCOPE_EXIT_DONE = 0,
  SCOPE_EXIT_CHECK_FAILED = 1, /* ran to the end, but found errors, a difference or no proof */
  SCOPE_EXIT_USAGE = 2,        /* wrong options or arguments */
  SCOPE_EXIT_FILE = 3,         /* a file cannot be read or written */
  SCOPE_EXIT_MODEL = 4,        /* the model cannot be planned or run */
} ScopeExit;

#define SCOPE_ERROR (scope_error_quark ())
/* Error domain of the commands. */
GQuark scope_error_quark (void);
typedef enum
{
  SCOPE_ERROR_USAGE,   /* the command line is wrong: exit code 2 */
  SCOPE_ERROR_DIFFERS, /* the compared models differ: exit code 1 */
  SCOPE_ERROR_FAILED,  /* anything else: exit code 4 */
} ScopeError;

/* Sets *error to SCOPE_ERROR_USAGE with a message made from format, and returns FALSE, so that a caller can return the
 * result.  error may be NULL. */
gboolean scope_usage_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The exit code for a command that failed with error, by the error's domain and code. */
ScopeExit scope_exit_of_error (const GError *error);

/* Prints "warning: …" (or note, error) and a newline to stderr, in colour on a terminal. */
void scope_print_message (HybSeverity severity, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Suppresses notes and scope_print_written() from now on: --quiet. */
void scope_messages_set_quiet (void);
/* Prints "wrote PATH" on stdout. */
void scope_print_written (const char *path);
/* scope_print_written() for each.  paths: of char *. */
void scope_print_all_written (const GPtrArray *paths);
/* Prints the model's findings of at least this severity, each with its place and hint.  A note that
 * was printed before, about the same file, is not repeated. */
void scope_print_findings (HybModel *model, HybSeverity min_severity);

/* The message of a finding without the name of its file, which is printed in front of it. */
const char *scope_finding_message (const HybFinding *finding);
/* The user's way out of a finding, with the option of hscope for it. (transfer full); NULL if
 * there is no advice. */
char *scope_finding_dup_hint (const HybFinding *finding);
/* TRUE if messages are lines of JSON, as the window requests, and name no options. */
gboolean scope_messages_are_events (void);
/* Prints the error and its remedy. */
void scope_print_error (const GError *error);
/* "1 layer", "2 layers".  (transfer full) */
char *scope_dup_count (guint64 n, const char *noun);
/* "no problems found", "1 error, 2 warnings": the verdict about findings, of HybFinding, and how many notes there are.
 * (transfer full) */
char *scope_findings_dup_verdict (const GPtrArray *findings);
/* The message of the error, and the option of hscope that is its remedy.  (transfer full) */
char *scope_error_dup_text (const GError *error);
