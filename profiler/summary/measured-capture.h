/* measured-capture.h — makes a capture from the measurements of one subject; prof_capture_write() writes it to a
 * file.
 *
 * The capture holds facts, samples, the model's graph, and the events attributed to its nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"
#include "profiler/record/measure.h"

/* A capture of subject and series.  facts: (nullable) conditions to store, see
 * prof_machine_describe(). (transfer full) */
ProfCapture *prof_capture_measurement (const ProfSubject *subject,
                                       const ProfSeries  *series,
                                       const ProfFacts   *facts,
                                       GError           **error);
