/* subject.h — something that is measured: a model with its arrays, in one mode with one set of
 * passes.
 *
 * A subject is planned when it is created, so that runs can be timed at once.  Its values must not change: a GPU gets
 * parameters once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"

typedef struct
{
  const char *name;    /* in tables; NULL: "model" */
  const char *variant; /* "unrolled"; NULL: "as is" */
  HybMode     mode;
  gint64      batch, length; /* for tables; 0: not known */
  gboolean    training;
  gboolean    backward;        /* with gradients of all parameters, as in a training step */
  gboolean    fold_parameters; /* they do not change: values that depend on them alone are
                                * computed once, while planning */
  GHashTable
      *constants; /* (nullable) names of variables whose values are constants of the file: they are
                                * folded, and may choose kernels that round differently; kept by the subject */
  gboolean           no_passes;  /* leave out all optimising passes */
  const char *const *without;    /* (nullable) names of passes to leave out, NULL-terminated */
  const char        *dump_after; /* (nullable) the pass after which the graph is printed */
  guint64            seed;
  guint              threads; /* 0: the current number of threads */
  HybGpu            *gpu;     /* computes the operators that it supports, kept by the subject;
                               * NULL: the processor */
} ProfSubjectOptions;

typedef struct _ProfSubject ProfSubject;

/* Binds values, by variable of graph, NULL where a variable needs none, and plans the run.  NULL
 * with an error if that fails.  (transfer full) */
ProfSubject *prof_subject_new (HybGraph                 *graph,
                               HybTensor *const         *values,
                               const ProfSubjectOptions *options,
                               GError                  **error);
/* Frees subject; NULL is allowed. */
void prof_subject_free (ProfSubject *subject);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfSubject, prof_subject_free)

/* The options, with copies of all texts. */
const ProfSubjectOptions *prof_subject_get_options (const ProfSubject *subject);
/* The model's graph. */
HybGraph *prof_subject_get_graph (const ProfSubject *subject);
/* Values by variable of the model's graph; NULL where a variable needs none. */
HybTensor *const *prof_subject_get_values (const ProfSubject *subject);
/* Whether a variable of the model's graph, by its number, is a parameter, or a state that only training
 * changes. */
gboolean prof_subject_is_parameter (const ProfSubject *subject, guint variable);
/* TRUE if plans of the subject may compute values from parameters alone once: it is planned, with the pass
 * that does so, and does not train. */
gboolean prof_subject_may_fold (const ProfSubject *subject);
/* Sets the number of threads of the process to that of the subject, or to fallback if it has none.
 * */
void prof_subject_use_threads (const ProfSubject *subject, guint fallback);
/* The graph that is executed: the model's, or the model's with gradients. */
HybGraph *prof_subject_get_executed (const ProfSubject *subject);
/* Types by value of the executed graph. */
const HybType *prof_subject_get_types (const ProfSubject *subject);
/* The executor of the executed graph. */
HybExecutor *prof_subject_get_executor (const ProfSubject *subject);
/* Runs once, and waits until a GPU has ended and the heads of the model are here; gradients come from a GPU when they
 * are read.  FALSE with an error if the run fails or is cancelled. */
gboolean prof_subject_run (ProfSubject *subject, GCancellable *cancellable, GError **error);
/* The seconds that the clock of the GPU counted in all runs since the last call; NaN without a GPU, or if it
 * did not count in one of them. */
double prof_subject_take_device_seconds (ProfSubject *subject);
/* Outputs of the executed graph: heads of the model, then gradients. */
guint prof_subject_n_outputs (const ProfSubject *subject);
/* An output of the last run, owned by subject. */
HybTensor *prof_subject_get_output (ProfSubject *subject, guint index);
/* Heads of the model. */
guint prof_subject_n_heads (const ProfSubject *subject);
/* The parameter whose gradient an output is; NULL for heads of the model. */
const char *prof_subject_get_gradient_name (const ProfSubject *subject, guint index);
/* A tensor whose elements are 1: the gradient of a head.  (transfer full) */
HybTensor *prof_new_ones (const HybType *type, GError **error);
