/* report-sections.h — the sections of a report on captures.
 *
 * report-charts.c has the bars and curves and assembles a capture's sections; tables,
 * time steps with the roofline, and differences are in files of their own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/report/report-said.h"
#include "profiler/summary/summary.h"

/* --- Sections of one capture --- */

/* Times, memory and counters as a table. */
void scope_say_result (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary);
/* The profiler's advice; nothing if there is none. */
void scope_say_advice (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary);
/* The nodes that take most time as a table. */
void scope_say_nodes (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary);
/* Machine, libraries and options of the measurement, with warnings. */
void scope_say_conditions (ScopeSaid *said, const ProfCapture *capture);
/* Time per operator and time step of a loop; nothing for fewer than two steps. */
void scope_say_steps (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary);
/* Operators in a roofline chart; nothing if no operator has both FLOP and bytes. */
void scope_say_roofline (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary);

/* --- Whole captures --- */

/* All of the above, with bars of operators, scopes and nodes. */
void scope_say_capture (ScopeSaid *said, const ProfCapture *capture);
/* Nodes of b compared with the matching nodes of a: those that differ beyond the noise. */
void scope_say_differences (ScopeSaid *said, const ProfCapture *a, const ProfCapture *b);
