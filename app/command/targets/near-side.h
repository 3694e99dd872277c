/* near-side.h — the connection to a target: starts its launcher, sends a command, and takes what comes back.
 *
 * Nothing listens on a network: both directions are the pipes of the launcher.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/targets/file-receiver.h"
#include "app/command/targets/parcel.h"
#include "app/targets/target-list.h"

typedef struct _ScopeNearSide ScopeNearSide;

/* One command for a target. */
typedef struct
{
  const char *const *words;  /* of hscope, NULL-terminated */
  const ScopeParcel *parcel; /* (nullable) */
  /* A piece of what the command wrote. */
  void (*out) (gpointer data, const char *piece, gsize n);
  void (*err) (gpointer data, const char *piece, gsize n);
  gpointer data;
} ScopeRemoteCall;

/* How the command ended there. */
typedef struct
{
  int status, signal; /* signal 0: none */
} ScopeRemoteEnd;

/* Starts the launcher and waits until hscope answers.  (transfer full) NULL: it does not, and the error says what to do. */
ScopeNearSide *scope_near_side_open (const ScopeTarget *target, GError **error);
/* Ends the connection, and with it what still runs there. */
void scope_near_side_free (ScopeNearSide *side);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeNearSide, scope_near_side_free)

/* What the target said about itself: version, host, vectors, products.  NULL: it did not. */
const char *scope_near_side_get_fact (const ScopeNearSide *side, const char *key);
/* How many seconds the clock there is ahead of this one; *uncertain: half of the round trip. */
gboolean scope_near_side_measure_clock (ScopeNearSide *side,
                                        double        *ahead,
                                        double        *uncertain,
                                        GError       **error);
/* Runs the command to its end.  FALSE and an error: the connection was lost, or a file cannot be sent or written. */
gboolean scope_near_side_run (ScopeNearSide         *side,
                              const ScopeRemoteCall *call,
                              ScopeRemoteEnd        *end,
                              GError               **error);
