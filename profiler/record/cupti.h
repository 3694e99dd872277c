/* cupti.h — opens NVIDIA's library for tracing, CUPTI 13 or 12, where it is installed.
 *
 * Nothing links it.  Nothing is traced before device-trace.h starts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/record/cupti-api.h"

#include <glib.h>

typedef struct
{
  ProfCuptiFunctions call;
  uint32_t           version; /* 130001 for 13.0; 28 for 12.9 and less for those before */
  int                major;
} ProfCupti;

/* The library, opened at the first call and kept.  It must be called before a GPU is opened, since CUPTI is to
 * be there when CUDA starts.  NULL and a sentence without its full stop if it is not installed or does not fit. */
const ProfCupti *prof_cupti_load (const char **why);

/* An explanation of an error of CUPTI and its remedy, as a sentence without its full stop.  (transfer full) */
char *prof_cupti_explain (const ProfCupti *cupti, const char *function, CUptiResult result);
