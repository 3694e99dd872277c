/* disturbance.h — the kernel's report on the process during one sample, and the selection of
 * samples.
 *
 * A sample is disturbed if threads of the process waited for a processor for more than 1 % of it.
 * Waiting is summed over the threads, so a sample that is not disturbed was delayed by 1 % at most.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Facts about one sample.  Captures store them as they are, so the layout must not change. */
typedef struct
{
  double  wall;        /* seconds from the beginning to the end of the sample, all its runs */
  double  cpu;         /* seconds of processor time of all threads; NaN: not known */
  double  wait;        /* seconds in which threads could have run and had no processor; NaN */
  guint32 voluntary;   /* context switches because a thread waited for something */
  guint32 involuntary; /* context switches because the kernel gave the processor to others */
  guint32 migrations;  /* of threads between processors */
  guint32 faults;      /* pages mapped without reading a file, and with it */
} ProfSampleFacts;

/* The longest wait of a sample that counts as undisturbed, relative to its length. */
#define PROF_MAX_WAIT 0.01
/* With fewer undisturbed samples than this, all samples make the estimate: six are the fewest whose
 * extremes enclose the median with a probability of 95 % (1 − 2 / 2⁶ = 97 %). */
#define PROF_MIN_UNDISTURBED 6

/* Which samples make the estimate. */
typedef struct
{
  gboolean is_known;    /* whether there are facts about the samples */
  guint    n;           /* samples */
  guint    n_disturbed; /* of which disturbed, 0 if that is not known */
  gboolean uses_all;    /* disturbed samples are part of the estimate: too few others remain */
} ProfDisturbance;

/* Whether threads waited for a processor for more than PROF_MAX_WAIT of the sample.  Where the kernel
 * does not say how long they waited, whether the kernel took the processor away at all. */
gboolean prof_sample_is_disturbed (const ProfSampleFacts *facts);

/* Fills index, which has room for n, with the samples that make the estimate, in order, and returns
 * how many they are.  With several series, sample i counts if it is undisturbed in each of them.
 * series: facts about n samples each; NULL elements are not known, which disturbs nothing. */
guint prof_select_undisturbed (const ProfSampleFacts *const *series,
                               guint                         n_series,
                               guint                         n,
                               guint                        *index,
                               ProfDisturbance              *disturbance);
/* Facts about a typical sample, each the median over n samples, per run: inner runs make a sample. */
typedef struct
{
  double cpu, wait; /* seconds; NaN: not known */
  double voluntary, involuntary, migrations, faults;
} ProfTypicalFacts;

/* Takes the medians.  All of them are NaN for n = 0. */
void
prof_typical_facts (const ProfSampleFacts *facts, guint n, double inner, ProfTypicalFacts *typical);

/* The fact of a capture that holds this sentence about its clean samples. */
#define PROF_DISTURBANCE_KEY "clean.disturbance"
/* The selection for readers, as a sentence with a full stop; NULL if nothing was disturbed.
 * (transfer full) */
char *prof_disturbance_sentence (const ProfDisturbance *disturbance);
