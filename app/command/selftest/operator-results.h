/* operator-results.h — the results of a self-test about the operators of a GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

typedef struct
{
  double error;
  char  *why; /* half a sentence; NULL if nothing is wrong */
} ScopeTypeResult;

typedef struct
{
  guint           n;                   /* comparisons in which it took part */
  double          error;               /* the largest difference of these */
  char           *why;                 /* a clause: its fault; NULL if there is none */
  char           *note;                /* a clause: a tolerated deviation; NULL if there is none */
  ScopeTypeResult types[HYB_N_DTYPES]; /* by the type of its elements */
} ScopeOperatorResult;

typedef struct
{
  GHashTable *operators; /* name → ScopeOperatorResult */
  guint       n_samples; /* that were computed */
  guint       n_left;    /* for which there was no time */
  char       *lost;      /* why the GPU could not continue; NULL if it could */
} ScopeOperatorResults;

/* No results yet.  (transfer full) */
ScopeOperatorResults *scope_operator_results_new (void);
/* Frees them; NULL is allowed. */
void scope_operator_results_free (ScopeOperatorResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeOperatorResults, scope_operator_results_free)

/* Adds n comparisons, the largest difference of which was error. */
void
scope_operator_results_count (ScopeOperatorResults *results, const char *op, guint n, double error);
/* Notes that an operator is wrong with elements of this type, or HYB_DTYPE_UNKNOWN for all types of floating point; the first
 * reason stays.  error: how large the difference was. */
void scope_operator_results_blame (ScopeOperatorResults *results,
                                   const char           *op,
                                   HybDType              dtype,
                                   double                error,
                                   const char           *why);
/* Records a tolerated deviation; the first one stays. */
void scope_operator_results_note (ScopeOperatorResults *results, const char *op, const char *note);
/* Adds the results of another test. */
void scope_operator_results_add (ScopeOperatorResults *results, const ScopeOperatorResults *found);
/* The operators in the order of the alphabet, NULL-terminated.  (transfer container) */
const char **scope_operator_results_list (const ScopeOperatorResults *results);
/* How many of them are wrong. */
guint scope_operator_results_n_wrong (const ScopeOperatorResults *results);
