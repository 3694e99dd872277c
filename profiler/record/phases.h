/* phases.h — the parts of operators that a recorder has seen, each kind of part once.
 *
 * Events of parts refer to an entry of this table.  A part with other work is another entry, so
 * that the work of a run is the sum over its events.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"
#include "engine/op/probe.h"

typedef struct
{
  guint16 slot;     /* of the recorder: the graph of the node */
  guint16 category; /* HybCategory of the work */
  guint32 node;     /* the node that it is a part of */
  char   *name;     /* as HybPhase, owned */
  char   *type;     /* as HybPhase, owned; may be NULL */
  HybCost cost;     /* of one event */
} ProfPhase;

#define PROF_MAX_PHASES 4096

typedef struct
{
  gint      lock; /* taken only when a part is seen for the first time */
  gint      n;
  ProfPhase entry[PROF_MAX_PHASES];
  guint16   bucket[2 * PROF_MAX_PHASES]; /* index + 1 by hash; 0: empty */
} ProfPhaseTable;

/* The number of the entry for a part that ends, from 1; 0 if the table is full.  Allocates only
 * when the part is new. */
guint32 prof_phases_find (ProfPhaseTable *table, guint16 slot, const HybSpan *span);
/* Frees the members of table, but not table itself. */
void prof_phases_clear (ProfPhaseTable *table);
