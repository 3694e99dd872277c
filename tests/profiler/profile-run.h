/* profile-run.h — small models for the profiler's tests, and captures of them.
 *
 * All functions assert that nothing fails.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/measured-capture.h"

typedef struct
{
  HybGraph  *graph;
  GPtrArray *values; /* of HybTensor, by variable */
} TestModel;

/* A plain recurrent cell, called net_lstm0, unrolled over n_steps with names as Gluon gives them.
 * (transfer full) */
TestModel *test_model_unrolled (guint n_steps, guint hidden, guint batch);
/* A foreach whose body has two operators.  (transfer full) */
TestModel *test_model_foreach (guint n_steps);
/* Frees model. */
void test_model_free (TestModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestModel, test_model_free)

/* A subject without optimising passes; asserts that it can be made.  (transfer full) */
ProfSubject *test_model_subject (const TestModel *model, HybMode mode, gboolean backward);
/* A capture of a subject with 5 clean runs.  (transfer full) */
ProfCapture *test_subject_capture (ProfSubject *subject, guint n_traced);
/* A capture of such a subject with 5 clean and 5 traced runs.  (transfer full) */
ProfCapture *test_model_capture (const TestModel *model, HybMode mode, gboolean backward);
