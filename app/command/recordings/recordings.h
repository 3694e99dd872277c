/* recordings.h — compares captures with a baseline, without running anything.
 *
 * hscope compare does so with captures only; hscope profile with its new measurement.  The result
 * is printed as text or JSON, and written as Markdown and JUnit for a CI.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/command/frame/command.h"
#include "app/command/frame/json-writer.h"
#include "profiler/explain/difference.h"
#include "profiler/explain/sessions.h"

/* Options that compare and profile share; NULL if not given. */
typedef struct
{
  char **baseline; /* files */
  char  *fail_if_slower, *junit, *markdown;
} ScopeBaselineOptions;

/* The entries for them, where member of Struct holds them. */
#define SCOPE_BASELINE_OPTIONS(Struct, member)                                                  \
  { SCOPE_OPTION (Struct, FILENAME_ARRAY, "baseline", member.baseline),                         \
    "Compare with this recording; again for more recordings of the same baseline",              \
    "FILE.hscope" },                                                                            \
      { SCOPE_OPTION (Struct, STRING, "fail-if-slower", member.fail_if_slower),                 \
        "End with status 1 if a slow-down beyond this is certain, for example 3%", "PERCENT" }, \
      { SCOPE_OPTION (Struct, FILENAME, "markdown", member.markdown),                           \
        "Write the comparison with the baseline as Markdown", "FILE.md" },                      \
  {                                                                                             \
    SCOPE_OPTION (Struct, FILENAME, "junit", member.junit), "Write it as a JUnit report",       \
        "FILE.xml"                                                                              \
  }

/* One recording compared with the baseline. */
typedef struct
{
  const ProfCapture *capture;
  char              *file; /* as messages name it */
  ProfSessions       sessions;
  ProfGate           gate; /* set if there is a threshold */
} ScopeRecording;

typedef struct
{
  GPtrArray *baseline;  /* of ProfCapture */
  GPtrArray *results;   /* of ScopeRecording */
  double     threshold; /* 0.03: 3 %; NaN: --fail-if-slower was not given */
} ScopeRecordings;

/* Opens the recordings of --baseline and parses the threshold.  Without --baseline first, a file, is
 * the baseline; NULL: there is none, and no option may need one.  NULL: a usage error, or a file that
 * cannot be read.  (transfer full) */
ScopeRecordings *scope_recordings_new (const ScopeBaselineOptions *options,
                                       const ScopeCommonOptions   *common,
                                       const char                 *first,
                                       GError                    **error);
/* Frees recordings; NULL is allowed. */
void scope_recordings_free (ScopeRecordings *recordings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeRecordings, scope_recordings_free)
/* Whether there is anything to compare with. */
gboolean scope_recordings_have_baseline (const ScopeRecordings *recordings);

/* Compares capture, which must live as long as recordings, with the baseline.  file: how messages name
 * it.  FALSE with an error if it has no clean runs. */
gboolean scope_recordings_add (ScopeRecordings   *recordings,
                               const ProfCapture *capture,
                               const char        *file,
                               GError           **error);
/* SCOPE_EXIT_CHECK_FAILED if a slow-down of one is certain, else SCOPE_EXIT_DONE. */
ScopeExit scope_recordings_exit (const ScopeRecordings *recordings);
/* Writes --junit and --markdown where they were given. */
gboolean scope_recordings_write (const ScopeRecordings      *recordings,
                                 const ScopeBaselineOptions *options,
                                 GError                    **error);

/* --- Common to all outputs --- */

/* Nodes whose times differ from the last recording of the baseline beyond the variance of runs and
 * sessions, or that only one of the captures has, largest change first, at most max.  *n_same: nodes
 * that do not differ.  Array of ProfDifference.  (transfer full) */
GArray *scope_recordings_changed_nodes (const ScopeRecordings *recordings,
                                        const ScopeRecording  *recording,
                                        guint                  max,
                                        guint                 *n_same);
/* How one of these nodes differs: a verdict, or that only one of the captures has it. */
const char *scope_recordings_describe_node (const ProfDifference *difference);
/* Of those that do not. */
#define SCOPE_NODES_ALIKE "%u nodes do not differ beyond the variance of runs and sessions"
/* The last recording of the baseline, whose nodes are compared. */
const ProfCapture *scope_recordings_last (const ScopeRecordings *recordings);
/* "+3.1 % (+1.0 … +5.2)", or without the interval if there is none.  (transfer full) */
char *scope_recording_dup_change (const ScopeRecording *recording);
/* A verdict and its reservation: "slower", "undecided, on different machines".  (transfer full) */
char *scope_recording_dup_verdict (const ScopeRecording *recording);

/* --- Outputs --- */

/* What is said about one of them. */
void scope_recordings_say (ScopeSaid             *said,
                           const ScopeRecordings *recordings,
                           const ScopeRecording  *recording);
/* Prints all of it on stdout. */
void scope_recordings_print (const ScopeRecordings *recordings);
/* Appends the members "baseline" and "comparisons" to an open object. */
void scope_recordings_describe (ScopeJson *json, const ScopeRecordings *recordings);
