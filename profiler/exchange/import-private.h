/* import-private.h — what the two halves of importing share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/exchange/import.h"
#include "profiler/summary/attribute.h"

/* One execution of an operator. */
typedef struct
{
  const char *name, *node;
  gint64      begin_ns, end_ns;
} ProfExecution;

/* B and E by a stack per name and thread, X as they are; in the order of beginning.
 * What finds no partner is counted in unmatched. */
GArray *prof_pair_events (const ProfTrace *trace, ProfImport *import);

void prof_import_miss (ProfImport *import, const char *name, const char *reason, double seconds);

/* Operators of “[A,B,C”, cut or not.  is_cut: the last one may be half a name. */
char **prof_split_bulk (const char *name, gboolean *is_cut);

#define BACKWARD "_backward_"

/* A node that an iteration runs. */
typedef struct
{
  guint32     row;
  guint32     step; /* of the loop around it */
  const char *key;  /* interned */
  const char *name;
} Expected;

/* Executions of one kind. */
typedef struct
{
  GArray *expected;       /* of guint: indices, in order */
  guint   n_once, n_body; /* nodes outside of bodies, and in them */
  guint   n_seen;         /* in the trace */
  guint   n_taken;
} Kind;

typedef struct
{
  ProfBuilder       *builder;
  ProfAttribution   *attribution;
  ProfImport        *import;
  GArray            *expected; /* of Expected */
  GHashTable        *kinds;    /* key → Kind */
  GHashTable        *by_name;  /* name of a node → index in expected + 1 */
  GHashTable        *backward; /* row → row of its gradient + 1 */
  GArray            *events;   /* of ProfEvent */
  gint64             base_ns;
  guint              position; /* where the next bulked event goes on */
  guint              iteration;
  const ProfCapture *like;         /* of the same graph, not bulked; NULL: none */
  double            *like_seconds; /* by row of like */
} Import;

/* Fills kinds, by_name and expected, n_iterations and n_loop_steps. */
void prof_import_expect (Import *self, HybGraph *graph, const GArray *executions);
/* What operators are called the same by; interned. */
const char *prof_import_key (const char *name);
const char *prof_import_backward_key (const Import *self, const char *name);
gboolean    prof_is_bulk (const ProfExecution *execution);
void        prof_kind_free (gpointer kind);
