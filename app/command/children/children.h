/* children.h — runs commands as child processes, several at a time, and hands over their output.
 *
 * A child that crashes, prints too much or runs out of memory is one result like any other.  Children are killed when this
 * process ends, however it ends.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* How a child ended. */
typedef struct
{
  guint    id;          /* as given by next() */
  int      status;      /* its exit status; -1: it was ended by a signal, or did not start */
  int      signal;      /* that signal; 0: none */
  gboolean is_too_long; /* it was killed because it printed more than the limit */
  double   seconds;
  GString *out;     /* its stdout */
  GString *err;     /* the end of its stderr */
  char    *trouble; /* why it did not start; NULL: it did */
} ScopeChildEnd;

typedef struct
{
  guint   n_jobs;  /* children at a time */
  guint64 memory;  /* bytes of data for each child; 0: no limit */
  guint   seconds; /* after which a child is ended by SIGALRM; 0: no limit */

  /* The command line of the next child (transfer full), and its id; NULL: there is nothing to start until another child has
   * ended. */
  char **(*next) (gpointer data, guint *id);
  /* Called once for each child, in the order in which they end. */
  void (*ended) (gpointer data, const ScopeChildEnd *end);
  gpointer data;

  GCancellable
      *cancellable; /* (nullable) then no more children are started and running ones get SIGTERM */
} ScopeChildren;

/* Runs all children to their end. */
void scope_children_run (const ScopeChildren *children);
/* Why a child did not start or was ended; NULL if it ended by itself, with any status.  (transfer full) */
char *scope_child_describe (const ScopeChildEnd *end);
