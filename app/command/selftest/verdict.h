/* verdict.h — the results of the last self-test of a GPU, kept for later runs.
 *
 * A verdict holds for one chip with one driver, one set of libraries and one build of this program; there is
 * a file for each in the user's cache folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/selftest/operator-results.h"

#include "engine/device/gpu.h"

/* An operator that the host computes where its elements have this type. */
typedef struct
{
  char    *op;
  HybDType dtype;
  double   error; /* the largest difference; infinite if it failed */
  char    *why;   /* half a sentence */
} ScopeWrongOperator;

typedef struct
{
  gboolean   is_full;     /* all samples of all operators were compared, not one of each */
  guint      n_operators; /* that were compared */
  guint      n_left;      /* samples for which there was no time */
  guint      n_models;    /* runs of models that were compared */
  guint      n_failed;    /* of those, how many differed */
  GPtrArray *wrong;       /* of ScopeWrongOperator */
} ScopeVerdict;

/* The verdict that results of operators make; no model was compared.  (transfer full) */
ScopeVerdict *scope_verdict_new (const ScopeOperatorResults *results, gboolean is_full);
/* Frees it; NULL is allowed. */
void scope_verdict_free (ScopeVerdict *verdict);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeVerdict, scope_verdict_free)

/* The file for this GPU.  (transfer full) */
char *scope_verdict_dup_path (HybGpu *gpu);
/* The verdict in a file; NULL if there is none or it cannot be understood.  (transfer full) */
ScopeVerdict *scope_verdict_read (const char *path);
/* Keeps it.  FALSE and an error if the file cannot be written. */
gboolean scope_verdict_write (const ScopeVerdict *verdict, const char *path, GError **error);

/* TRUE if nothing was wrong. */
gboolean scope_verdict_has_passed (const ScopeVerdict *verdict);
/* Sentences for users.  (transfer full) */
char *scope_verdict_describe (const ScopeVerdict *verdict);
/* Lets the host compute the wrong operators, and passes the result of the self-test to the GPU. */
void scope_verdict_apply (const ScopeVerdict *verdict, HybGpu *gpu);
