/* pair-captures.h — how much faster one capture's subject is than another's.
 *
 * Every percentage and every verdict about two captures comes from prof_pair_captures().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/pairing.h"
#include "profiler/capture/capture.h"

/* Compares the clean runs of a with those of b: pair by pair if they took turns, else by their
 * medians and PROF_SESSION_DEVIATION. */
void prof_pair_captures (const ProfCapture *a, const ProfCapture *b, ProfPairing *pairing);

/* Random but repeatable draws of what would have been measured instead: other builds in place of
 * those that there were. */
typedef struct _ProfRedraw ProfRedraw;

/* Prepares draws for two captures.  NULL if one has fewer than PROF_MIN_FOR_INTERVAL clean samples.
 * (transfer full) */
ProfRedraw *prof_redraw_new (const ProfCapture *a, const ProfCapture *b);
/* Frees redraw; NULL is allowed. */
void prof_redraw_free (ProfRedraw *redraw);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfRedraw, prof_redraw_free)

/* Clean seconds of a run of each capture as measured: the median of b, and that times the ratio of
 * prof_pair_captures(). */
void prof_redraw_measured (const ProfRedraw *redraw, double *a, double *b);
/* Draws clean seconds of a run of each capture; index: number of the draw. */
void prof_redraw_levels (const ProfRedraw *redraw, guint index, double *a, double *b);
/* Observations that the draws come from: builds, or parts of a series. */
guint prof_redraw_n_blocks (const ProfRedraw *redraw);
