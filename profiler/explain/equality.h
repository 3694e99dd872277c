/* equality.h — whether two subjects compute the same numbers.
 *
 * Times are only compared between subjects that do.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/record/subject.h"

typedef struct
{
  double max_abs;    /* the largest absolute difference */
  double tolerance;  /* how large max_abs may be */
  guint  n_compared; /* arrays: heads by position, gradients by name where both have them */
  guint  unmatched;  /* 1 + the first output that the other lacks or has in another size; 0: none */
  gint64 sizes[2];   /* elements of this output in both; -1: missing */
  gboolean is_finite; /* no difference is NaN or infinite */
  gboolean ok;        /* all differences are finite and within the tolerance */
} ProfEquality;

/* Compares the outputs of the last run of each subject.  Both must have run with the same seed. */
void prof_compare_numbers (ProfSubject *a, ProfSubject *b, ProfEquality *equality);
/* Why two subjects are not equal, as a clause without a full stop: an output that one of them lacks, its
 * two sizes, a difference that is not finite, or the largest one.  (transfer full) */
char *prof_equality_explain (const ProfEquality *equality);
/* Merges from into to: ok only if both are, and the difference that is larger relative to its
 * tolerance.  A to that has compared nothing yet becomes a copy of from. */
void prof_equality_join (ProfEquality *to, const ProfEquality *from);
