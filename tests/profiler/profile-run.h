/* profile-run.h — small models, and captures of them, for several tests.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/save-capture.h"

typedef struct
{
  HybGraph  *graph;
  GPtrArray *values; /* of HybTensor, by variable */
} TestModel;

/* An LSTM cell unrolled by hand over so many steps: names as Gluon gives them. */
TestModel *test_model_unrolled (guint n_steps, guint hidden, guint batch);
/* A foreach whose body is two operators. */
TestModel *test_model_foreach (guint n_steps);
void       test_model_free (TestModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestModel, test_model_free)

ProfSubject *test_model_subject (const TestModel *model, HybMode mode, gboolean backward);
/* Few samples, no time lost. */
ProfCapture *test_model_capture (const TestModel *model, HybMode mode, gboolean backward);
