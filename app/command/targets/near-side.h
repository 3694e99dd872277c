/* near-side.h — hscope here: sends a command and its files through a launcher, and receives the results.
 *
 * Nothing listens on a network: the pipes of the launcher are the connection.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/targets/remote-names.h"
#include "app/targets/target-list.h"

/* One command for a target. */
typedef struct
{
  const ScopeTarget      *target;
  const char *const      *words;       /* of hscope, NULL-terminated */
  const ScopeRemoteNames *names;       /* files */
  guint                   max_seconds; /* for the whole; 0: as long as it takes */
  /* Whole lines of the command's output, or pieces of long ones. */
  void (*out) (gpointer data, const char *piece, gsize n);
  void (*err) (gpointer data, const char *piece, gsize n);
  gpointer data;
} ScopeRemoteCall;

/* The target's answer. */
typedef struct
{
  int    status, signal;                      /* of the command; signal 0: none */
  char  *version, *host, *vectors, *products; /* NULL: it did not say */
  double ahead;     /* seconds that the clock there is ahead of this one, at least */
  double uncertain; /* seconds that it may be off from that */
} ScopeRemoteAnswer;

/* Runs the command to its end; files are in their places then.  FALSE and an error: the target did not answer, the
 * connection was lost, or a file cannot be sent or written; nothing was written then. */
gboolean
scope_near_side_run (const ScopeRemoteCall *call, ScopeRemoteAnswer *answer, GError **error);
/* Frees the members. */
void scope_remote_answer_clear (ScopeRemoteAnswer *answer);
