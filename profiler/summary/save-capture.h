/* save-capture.h — what was measured of one subject, as a capture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"
#include "profiler/record/measure.h"

/* facts: conditions that the caller knows (may be NULL).  (transfer full) */
ProfCapture *prof_capture_measurement (const ProfSubject *subject,
                                       const ProfSeries  *series,
                                       const ProfFacts   *facts,
                                       GError           **error);
gboolean     prof_capture_write (const ProfCapture *capture, const char *path, GError **error);
