/* machine-speed.h — how fast the machine copies memory and computes, beside the runs that are measured.
 *
 * Recordings of different sessions are compared with certainty only where both speeds agree: other
 * guests, a neighbour that copies memory, or a lower clock change them as they change the runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _ProfMachineSpeed ProfMachineSpeed;

/* Without samples.  (transfer full) */
ProfMachineSpeed *prof_machine_speed_new (void);
/* Frees speed; NULL is allowed. */
void prof_machine_speed_free (ProfMachineSpeed *speed);

/* Takes one sample of both speeds, for about 20 ms; no-op after the first 30.  The first one takes 64 to
 * 128 MiB of memory, four times the last-level cache, if the process may have twice as much. */
void prof_machine_speed_sample (ProfMachineSpeed *speed);
/* Medians: bytes per second, read and written, and dependent operations per second; NaN: no samples. */
void prof_machine_speed_get (const ProfMachineSpeed *speed, double *copy_rate, double *clock_rate);
