/* rebuild.h — builds subjects anew while they are measured.
 *
 * Where the allocator and the kernel place memory and threads makes a build faster or slower than
 * the next one of the same subject, by a per cent or so.  Samples of several builds show how much.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/record/subject.h"

typedef struct _ProfBuilds ProfBuilds;

/* The subjects themselves are the first build.  They must outlive the result.  (transfer full) */
ProfBuilds *prof_builds_new (ProfSubject *const *subjects, guint n, guint64 seed);
/* Frees the current build, unless it is the first.  NULL is allowed. */
void prof_builds_free (ProfBuilds *builds);

/* Replaces the current build: plans every subject again, in random order and with copies of its
 * values at other addresses, starts new threads, and runs each twice.  FALSE with an error if that
 * fails or is cancelled. */
gboolean prof_builds_next (ProfBuilds *builds, GCancellable *cancellable, GError **error);
/* Whether there is memory for a second build beside the first. */
gboolean prof_builds_have_memory (const ProfBuilds *builds);
/* The subjects of the current build, owned by builds. */
ProfSubject *const *prof_builds_get (const ProfBuilds *builds);
/* The number of the current build, from 0. */
guint prof_builds_get_number (const ProfBuilds *builds);
/* Seconds that the last prof_builds_next() took; 0: not called yet. */
double prof_builds_get_seconds (const ProfBuilds *builds);
/* Fills order with a random order of the subjects. */
void prof_builds_shuffle (ProfBuilds *builds, guint *order);
