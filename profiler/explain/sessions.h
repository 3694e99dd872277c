/* sessions.h — compares recordings that were made in different sessions: on other days, perhaps on
 * other machines.
 *
 * Nothing is run.  Two sessions differ even if nothing was changed, so intervals contain the variance
 * between sessions, and cautions state the limits of recordings.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/pairing.h"
#include "profiler/explain/cautions.h"

/* Clean samples that a recording needs for an interval and a verdict. */
#define PROF_SESSION_MIN_SAMPLES 6
/* Recordings of a baseline from which the variance between sessions is measured; it is assumed with fewer. */
#define PROF_SESSION_MIN_MEASURED 5

typedef struct
{
  ProfStatistics a, b;     /* of the clean samples; a: of the last recording used of the baseline */
  guint          n_used;   /* recordings of the baseline */
  guint          n_spread; /* the ones that the spread is measured from, also at another speed */
  ProfMachineRelation machine;
  gboolean            is_same_work;
  gboolean            is_too_long;   /* nearly all runs of b waited for a processor */
  char               *speed_problem; /* the machine was not as fast for both: why; NULL: it was */
  ProfSpeedChange     speed;         /* of the machine, from the recordings used to b */
  double       clock;  /* by how much the clock differed, as a logarithm; part of the interval */
  double       spread; /* standard deviation between sessions, relative */
  gboolean     is_spread_measured; /* FALSE: assumed */
  ProfInterval ratio;              /* time of b over the baseline's; 99 % */
  ProfVerdict  verdict;  /* of b against the baseline; UNDECIDED where the speed explains it */
  GPtrArray   *cautions; /* of ProfCaution, gravest first */
} ProfSessions;          /* low and high of the intervals are NaN with too few samples */

/* Compares b with n recordings of a baseline, n > 0.  Of several, those on a machine like that of b
 * are used, if there are any, and of these those at the speed of b, if there are any.  FALSE with an error if a recording
 * has no clean runs, as imported traces.  Clear sessions in any case. */
gboolean prof_sessions_compare (ProfSessions             *sessions,
                                const ProfCapture *const *baseline,
                                guint                     n,
                                const ProfCapture        *b,
                                GError                  **error);
/* Frees the members of sessions, but not sessions itself. */
void prof_sessions_clear (ProfSessions *sessions);

/* Widens the intervals of a part of the work, such as a node, by the variance between sessions.  pairing:
 * of the part in b with that in the baseline, without that variance. */
void prof_sessions_widen (const ProfSessions *sessions, ProfPairing *pairing);

typedef enum
{
  PROF_GATE_PASSED,    /* the interval lies at or below the threshold */
  PROF_GATE_UNDECIDED, /* neither certain nor excluded */
  PROF_GATE_FAILED,    /* the interval lies above the threshold */
} ProfGate;

/* "passed", "undecided", "failed". */
const char *prof_gate_name (ProfGate gate);
/* Whether b is slower than the baseline by more than threshold (0.03: 3 %).  Undecided if the machines or
 * the work differ, or if the machine was slower and b is, too, since the model need not be the reason
 * then.  A machine that was faster hides a slow-down, but does not explain one. */
ProfGate prof_sessions_gate (const ProfSessions *sessions, double threshold);
/* Why the gate says so, as a sentence.  (transfer full) */
char *prof_sessions_dup_reason (const ProfSessions *sessions, double threshold);
