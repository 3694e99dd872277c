/* chrome-device.h — writes what a GPU did as Chrome trace events: a process for each GPU, a row for each stream and
 * one for copies between host and GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* Names the processes and rows of all GPUs of capture. */
void prof_chrome_append_devices (GString *to, const ProfCapture *capture);
/* Appends a piece of work of a GPU.  base: where times begin. */
void prof_chrome_append_work (GString           *to,
                              const ProfCapture *capture,
                              const ProfEvent   *event,
                              guint64            base);
