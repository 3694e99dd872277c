/* processes.h — how processes that train one model together spend their steps.
 *
 * Read from the PROCESS events of a capture that hscope train has written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* The number of processes that train together; 1 is a process alone. */
#define PROF_PROCESSES_KEY "processes"
/* How many of them ran on the machine of the first one. */
#define PROF_PROCESSES_HERE_KEY "processes.here"
/* The seconds by which the clocks of the processes may differ. */
#define PROF_PROCESSES_CLOCK_KEY "processes.clock"
/* The seconds of a step in one process, from another capture. */
#define PROF_ALONE_KEY "processes.alone"

/* Seconds of a mean step of one process. */
typedef struct
{
  guint  number; /* from 0 */
  double step;
  double forward, backward; /* 0 where it is not known when the one ends */
  double computing;         /* both */
  double waiting, update;
  double averaging; /* while at least one gradient is on its way */
  double hidden;    /* of that, while forward or backward pass go on */
} ProfProcess;

/* GArray of ProfProcess by number; empty for captures without processes.  (transfer full) */
GArray *prof_processes (const ProfCapture *capture);
/* "waits 12 % of its step; 80 % of the averaging is hidden behind the computation".  (transfer full) */
char *prof_process_describe (const ProfProcess *process);

/* How often as fast several processes are as one: clean times of alone divided by those of capture.  NaN if one of them has no
 * clean times, or if capture is not one of several processes and alone of one. */
double prof_speed_up (const ProfCapture *alone, const ProfCapture *capture);
/* The same with what a capture knows of one process; NaN if that is nothing. */
double prof_speed_up_known (const ProfCapture *capture);
/* "4 processes are 1.62 times as fast as one, 41 % of what 4 could be"; NULL if the speed-up is not known.
 * (transfer full) */
char *prof_speed_up_describe (const ProfCapture *capture, double speed_up);
