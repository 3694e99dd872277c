/* pretend.h — what a test asks the pretend GPU besides the vendor's functions: how it is to behave,
 * what faults it found, and what was made and not destroyed.
 *
 * The libraries libcuda.so.1, libcublas.so.13 and libcupti.so.13 of this folder are found through
 * HYB_GPU_PATH.
 * How they behave is said by HYB_PRETEND, or by pretend_configure():
 *   memory=64M                  device memory; 1G if not said
 *   arch=75                     compute capability 7.5; 13.0 if not said, newer than every NVRTC, so
 *                               that kernels are compiled to PTX
 *   fail=cuLaunchKernel:17:700  the 17th call of the function gives 700; may be repeated
 *   seed=5                      of the order in which work of several streams runs
 *   order=reverse               threads of a block: forward, reverse or mixed (mixed if not said)
 *   without=order,unwritten     checks that are switched off, by the names in settings.c
 *   drop=5                      the profiler loses the first five records
 *   timeless=3                  the first three records of kernels have no times
 *   cut=yes                     buffers of the profiler end in an incomplete record
 *   split=yes                   the profiler tells of two kernels for each one, with the same correlation
 *   kernel=240                  bytes of the record of a kernel; 216 if not said
 *   device=none                 the driver sees no device
 *   devices=2                   there are two, which share their memory
 *   wrong=products              products are a thousandth too large
 *   wrong=float16               those of float16 are half too large
 *   wrong=runs                  every fifth one of float32 is a millionth too large
 *   others=1M                   other programs have taken so much more of the device each time somebody asks
 *   cudnn=12000                 cuDNN is made for CUDA 12.0
 *   spaces=gaps                 cuDNN's weight spaces have gaps between the matrices
 *   endings=none                cuBLASLt has no algorithm that adds a bias
 *   algorithms=all              cuDNN takes every algorithm for recurrent layers; those with higher numbers are
 *                               faster on the pretended clock
 *   lengths=copy                sequences end early only where cuDNN gets a device copy of the lengths
 *   gradients=set               cuDNN serves the mode that sets gradients of recurrent weights
 *   shift=4                     cuDNN says that weights lie 4 bytes further on, so that the last ones
 *                               end outside of their space
 *   leaks=fail                  the program ends with 98 if something was not destroyed, or for a problem
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#define PRETEND_API __attribute__ ((visibility ("default")))

/* Forgets everything and starts anew with SETTINGS, as in HYB_PRETEND. */
PRETEND_API void pretend_configure (const char *settings);
/* All faults found since, one a line; empty if there are none.  To be freed. */
PRETEND_API char *pretend_problems (void);
/* What was made and not destroyed, as "1 stream, 2 allocations"; empty if nothing.  To be freed. */
PRETEND_API char *pretend_leaks (void);
/* How often the function NAME was called. */
PRETEND_API guint pretend_calls (const char *name);
/* Instructions that kernels ran. */
PRETEND_API guint64 pretend_steps (void);
/* Bytes that were to be copied between host and device, in either direction. */
PRETEND_API guint64 pretend_host_bytes (void);
