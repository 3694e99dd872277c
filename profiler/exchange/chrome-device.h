/* chrome-device.h — writes the work of a GPU as Chrome trace events: a process for each GPU, a row for each stream
 * and one for copies between host and GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* Rows of GPUs that are in use up to some time. */
typedef struct ProfDeviceRows ProfDeviceRows;

/* No rows.  Free with prof_device_rows_free(). */
ProfDeviceRows *prof_device_rows_new (void);
/* Frees rows; NULL is allowed. */
void prof_device_rows_free (ProfDeviceRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfDeviceRows, prof_device_rows_free)
/* Places work, which must come in the order of its beginning, in the first row of its stream, or of copies, that
 * is free: readers of traces drop events that overlap in one row.  Returns the number of the row, the tid. */
guint prof_device_rows_place (ProfDeviceRows *rows, const ProfEvent *event);
/* Names the processes and rows of all GPUs that work was placed in. */
void prof_device_rows_append (GString *to, const ProfDeviceRows *rows, const ProfCapture *capture);

/* A piece of work with its place. */
typedef struct
{
  const ProfEvent *event;
  guint            row;      /* as prof_device_rows_place() returned it */
  guint32          id;       /* of an arrow to it, if it has a launcher */
  guint32          launcher; /* external id of the execution of its node on the host; PROF_NONE */
} ProfPlacedWork;

/* Appends a piece of work of a GPU and the end of the arrow from its launcher.  base: where times begin. */
void prof_chrome_append_work (GString              *to,
                              const ProfCapture    *capture,
                              const ProfPlacedWork *work,
                              guint64               base);
