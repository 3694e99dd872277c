/* kernel-watch.h — reads the kernel's counters of this process around a sample.
 *
 * Reading takes a few microseconds and happens before and after the timed interval, never in it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/disturbance.h"

typedef struct _ProfKernelWatch ProfKernelWatch;

/* Opens the kernel's counters of the threads of this process.  (transfer full) */
ProfKernelWatch *prof_kernel_watch_new (void);
/* Closes the counters; NULL is allowed. */
void prof_kernel_watch_free (ProfKernelWatch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfKernelWatch, prof_kernel_watch_free)

/* Reads the counters before a sample.  is_long: the sample takes milliseconds, so migrations of all
 * threads may be read, which takes about 15 µs a thread and empties small caches.  Otherwise only
 * whether the calling thread ends on another processor is seen. */
void prof_kernel_watch_begin (ProfKernelWatch *watch, gboolean is_long);
/* Reads them after the sample and fills facts with the differences.  seconds: its length. */
void prof_kernel_watch_end (ProfKernelWatch *watch, double seconds, ProfSampleFacts *facts);
