/* made-recording.h — captures with chosen facts and samples, without measuring anything.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/explain/sessions.h"

/* NULL and 0 leave a fact out. */
typedef struct
{
  const char *host, *processor, *pass, *shape, *load;
  double      cores, threads;
  double      copy, clock; /* speed of the machine */
  double      seconds;     /* median of the clean samples */
  double      noise;       /* relative standard deviation of a sample */
  guint       n;           /* clean samples */
  guint       n_disturbed; /* of them, the last ones */
  guint64     seed;
  const char *without;   /* passes that the plan left out */
  const char *folded;    /* what it computed once */
  const char *quota;     /* of CPU time */
  const char *old_quota; /* the same as older versions wrote it */
  const char *body;      /* shape of a variable "data" in the body of "fc1", or NULL */
} MadeRecording;

/* A recording of one machine, 30 samples of 1 ms with 1 % of noise. */
extern const MadeRecording made_recording;

/* A number of the standard normal distribution; each seed and draw gives another one. */
double made_normal (guint64 seed, guint64 draw);
/* The capture: variable "data" and node "fc1" with twelve traced runs.  (transfer full) */
ProfCapture *made_recording_new (const MadeRecording *recording);
/* Compares b with a.  Clear the result. */
ProfSessions made_recordings_compare (const MadeRecording *a, const MadeRecording *b);
/* Fails unless there is a caution of this kind with text in it. */
void assert_made_caution (const ProfSessions *sessions, ProfCautionKind kind, const char *text);
