/* pair-captures.h — compares the clean runs of captures.
 *
 * Every time, percentage and verdict about captures comes from prof_compare_captures().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/comparison.h"
#include "profiler/capture/capture.h"

/* Compares the clean runs of n captures: in turns if all took turns with each other.  (transfer full) */
ProfComparison *prof_compare_captures (const ProfCapture *const *captures, guint n);

/* Random but repeatable draws of alternative measurements: other builds in place of the actual
 * ones. */
typedef struct _ProfRedraw ProfRedraw;

/* Prepares draws for subjects a and b of a comparison.  NULL if their ratio has no interval.
 * (transfer full) */
ProfRedraw *prof_redraw_new (const ProfComparison *comparison, guint a, guint b);
/* Frees redraw; NULL is allowed. */
void prof_redraw_free (ProfRedraw *redraw);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfRedraw, prof_redraw_free)

/* Draws clean seconds of a run of each subject; index: number of the draw. */
void prof_redraw_levels (const ProfRedraw *redraw, guint index, double *a, double *b);
/* Observations that the draws come from: builds, or parts of a series. */
guint prof_redraw_n_blocks (const ProfRedraw *redraw);
