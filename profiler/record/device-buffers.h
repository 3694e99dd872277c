/* device-buffers.h — the buffers that CUPTI fills with records, on threads of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/record/cupti.h"

/* A buffer that CUPTI has returned. */
typedef struct
{
  uint8_t *bytes;
  size_t   valid; /* bytes with records */
} ProfDeviceBuffer;

/* Lets CUPTI request buffers here. */
CUptiResult prof_device_buffers_register (const ProfCupti *cupti);
/* All buffers that came back, in any order, each to be freed with prof_device_buffer_clear().  n_refused: how
 * often CUPTI got no buffer since the last call, because of the limit.  (transfer full) array of
 * ProfDeviceBuffer */
GArray *prof_device_buffers_take (guint *n_refused);
/* Frees the bytes of a buffer. */
void prof_device_buffer_clear (gpointer buffer);
/* Bytes of records that are kept at most; 0: 128 MiB.  For tests. */
void prof_device_buffers_set_limit (gsize bytes);
