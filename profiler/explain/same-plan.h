/* same-plan.h — whether two subjects execute the same thing.
 *
 * Whatever is measured between such subjects has no cause in the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/record/subject.h"

/* Whether two subjects, which are planned, execute the same operators with the same attributes on
 * values of the same types in the same order, in the same mode and with the same threads.  Names and
 * the contents of arrays do not count. */
gboolean prof_subject_has_same_plan (const ProfSubject *a, const ProfSubject *b);
/* Whether no pass has changed the operators of subject, which is planned. */
gboolean prof_subject_has_plain_plan (const ProfSubject *subject);
