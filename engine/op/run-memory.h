/* run-memory.h — counts the bytes of the arrays of a run that goes operator by operator, without a plan.
 *
 * The bytes of an array are added before it is allocated and subtracted when it is freed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

struct _HybRunMemory
{
  gsize limit; /* bytes */
  gsize used;
};

/* Counts bytes that are about to be allocated for an array, which `what` names ("output").  FALSE and an error if
 * the run would exceed its limit.  Without HybRun.memory nothing is counted. */
gboolean hyb_run_take_memory (const HybRun *run, const char *what, gsize bytes, GError **error);
/* Takes bytes that were counted off again. */
void hyb_run_give_memory (const HybRun *run, gsize bytes);
/* An output of HybOp.compute(): the caller of that function counts it, this one checks only that there is room.
 * Returns NULL and an error if there is none.  (transfer full) */
HybTensor *hyb_run_new_output (const HybRun *run, const HybType *type, GError **error);

/* Reports to the probe, if there is one, that a run allocated bytes, or freed them if they are negative. */
void hyb_run_report_memory (const HybRun *run, gint64 bytes);
