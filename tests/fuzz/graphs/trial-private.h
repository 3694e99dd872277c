/* trial-private.h — what trial.c and trial-ways.c share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/fuzz/graphs/trial.h"

/* Of every run, so that random operators give the same numbers in all of them. */
#define TRIAL_SEED 1234

/* The heads and the variables that were written.  values: by value; only these are read.  (transfer full) */
GPtrArray *trial_collect (HybGraph *graph, HybTensor *const *values);
/* What differs from the reference, as a sentence; NULL: nothing.  (transfer full) */
char *trial_compare (const Trial *trial, GPtrArray *results);
/* Runs the forward graph of a trial of gradients on a tape.  NULL if gradients agree, else what differs.  (transfer full) */
char *trial_run_tape (const Trial *trial);
