/* subject.h — something whose time is taken: a model with its arrays, in one way of
 * running it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"

typedef struct
{
  const char        *name;    /* in tables */
  const char        *variant; /* "as is", "unrolled" … */
  HybMode            mode;
  gint64             batch, length; /* for tables; 0: not known */
  gboolean           training;
  gboolean           backward;  /* with gradients of all parameters, as a training step has them */
  gboolean           no_passes; /* leave all optimising passes out */
  const char *const *without;
  const char        *dump_after;
  guint64            seed;
  guint              threads; /* 0: as many as the process has */
} ProfSubjectOptions;

typedef struct _ProfSubject ProfSubject;

/* values: by variable of graph; NULL where nothing is needed. */
ProfSubject *prof_subject_new (HybGraph                 *graph,
                               HybTensor *const         *values,
                               const ProfSubjectOptions *options,
                               GError                  **error);
void         prof_subject_free (ProfSubject *subject);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfSubject, prof_subject_free)

const ProfSubjectOptions *prof_subject_get_options (const ProfSubject *subject);
HybGraph                 *prof_subject_get_graph (const ProfSubject *subject); /* the model's */
/* By variable of the model's graph; NULL where nothing is needed. */
HybTensor *const *prof_subject_get_values (const ProfSubject *subject);
/* Sets the process to this subject's threads, or to otherwise. */
void prof_subject_use_threads (const ProfSubject *subject, guint otherwise);
/* What is run: with gradients behind, if asked for. */
HybGraph      *prof_subject_get_executed (const ProfSubject *subject);
const HybType *prof_subject_get_types (const ProfSubject *subject); /* by value of what is run */
HybExecutor   *prof_subject_get_executor (const ProfSubject *subject);
/* One run. */
gboolean prof_subject_run (ProfSubject *subject, GCancellable *cancellable, GError **error);
/* Heads of the model, then gradients, of the last run; names as the model has them. */
guint      prof_subject_n_outputs (const ProfSubject *subject);
HybTensor *prof_subject_get_output (ProfSubject *subject, guint index);
guint      prof_subject_n_heads (const ProfSubject *subject); /* those of the model */
/* The parameter whose gradient output number index is; NULL: a head of the model. */
const char *prof_subject_get_gradient_name (const ProfSubject *subject, guint index);
