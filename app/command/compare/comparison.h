/* comparison.h — one run of hscope compare: its options, groups and time budget.
 *
 * A comparison measures groups.  The candidates of a group compute the same numbers, so their
 * times can be compared; groups differ in batch, length, cell or pass.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"
#include "app/command/compare/time-budget.h"
#include "app/command/frame/complete-model.h"
#include "app/command/frame/progress.h"
#include "app/command/recordings/recordings.h"
#include "profiler/explain/ladder.h"

/* Options of the command alone; NULL, 0 or FALSE if not given. */
typedef struct
{
  char *variants, *modes, *devices, *batch, *length, *hidden, *preset, *report, *captures, *resume,
      *with;
  double   time_limit; /* seconds */
  int      repeat;
  gboolean backward, no_ladder, quick, memory;

  ScopeBaselineOptions baseline; /* for recordings */
} ScopeCompareOptions;

/* A model that was opened, and what was guessed and filled in it. */
typedef struct
{
  HybModel       *model;
  ScopeCompletion completion;
} ScopeCompleted;

/* A device that candidates are measured on. */
typedef struct
{
  char   *name; /* "gpu:1", as the user wrote it; NULL: the processor, which results do not name */
  HybGpu *gpu;  /* NULL: the processor */
} ScopeComparedOn;

/* The trace of --with (compare-with.h). */
typedef struct _ScopeComparedWith ScopeComparedWith;
/* The times of two files by role (compare-roles.h). */
typedef struct _ScopeComparedRoles ScopeComparedRoles;

typedef struct
{
  const ScopeCommonOptions  *common;
  const ScopeCompareOptions *options;
  char                     **files;
  GPtrArray                 *groups; /* of ScopeGroup, in the order they were measured */
  ProfFacts                 *facts;  /* conditions, written into every capture */
  ScopeProgress              progress;
  GCancellable              *cancellable; /* the user's, or that of the deadline */
  ScopeTimeBudget            budget;      /* for everything */
  GPtrArray                 *completed;   /* of ScopeCompleted, in the order they were opened */
  GPtrArray                 *devices;     /* of ScopeComparedOn */
  GPtrArray                 *left_out;    /* of char *: devices that cannot be opened, and why */
  GPtrArray                 *skipped;     /* titles of groups that the time did not allow */
  ProfLadder                *ladder;      /* of the first group; NULL: not run */
  ScopeComparedWith         *with;        /* NULL without --with */
  ScopeComparedRoles        *roles;       /* NULL: not two files of one model */
  gboolean                   has_explanation;    /* ladder_explanation is set */
  ProfExplanation            ladder_explanation; /* from the ladder's first rung to its last */
} ScopeComparison;

/* A graph with values for its variables, as a candidate of a group. */
typedef struct
{
  HybGraph              *graph;
  HybTensor            **values;    /* by variable of graph */
  GHashTable            *constants; /* (nullable) see ScopeInputs */
  const char            *variant;
  HybMode                mode;
  gboolean               no_passes; /* plan without optimising passes */
  const ScopeComparedOn *device;    /* NULL: the processor */
} ScopeCandidateSpec;

/* Creates a subject from spec, planned for the group's batch, length and pass, and adds it to the
 * group as a candidate.  FALSE and an error if it cannot be planned. */
gboolean scope_comparison_add_candidate (const ScopeComparison    *self,
                                         ScopeGroup               *group,
                                         const ScopeCandidateSpec *spec,
                                         GError                  **error);
/* Measures all candidates of the group in turns, for at most this many seconds. */
gboolean
scope_comparison_measure (ScopeComparison *self, ScopeGroup *group, double seconds, GError **error);
/* Says to the progress that item number index of n comes now.  Returns the seconds for it: its share, by weight, of the time
 * that is left for it and the items after it. */
double
scope_comparison_begin_part (ScopeComparison *self, const double *weights, guint index, guint n);
