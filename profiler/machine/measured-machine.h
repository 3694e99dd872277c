/* measured-machine.h — lets kernels choose by what was measured of this machine, and measures it once.
 *
 * Commands that only compute use what is stored; those that measure anyway measure it where nothing is stored.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/simd/machine-model.h"

typedef struct
{
  HybMachine machine; /* all 0: nothing is known */
  gint64     time;    /* when it was measured, in seconds since 1970; 0: it was not */
  /* How often it is measured again, since other processes were using the processor; 0: it is measured.  Until then
   * kernels choose by what the processor reports. */
  guint attempts_left;
  gboolean
      is_disturbed; /* in the last attempt, so that facts may be missing, which are measured again after a day */
} ProfMeasuredMachine;

/* Kernels choose by what is stored of this machine from now on; where nothing is, by what the processor reports.  Takes
 * some 100 µs. */
void prof_machine_use_stored (void);
/* The same, but measures the machine in about half a second at most where it is not measured yet, and stores what was
 * found.  measured, which may be NULL, is filled with what is known. */
void prof_machine_use_measured (ProfMeasuredMachine *measured);
/* What is known for people: one line a fact, each with a line break, beside what the processor reports.  (transfer full) */
char *prof_machine_describe_measured (const ProfMeasuredMachine *measured);
