/* report-processes.c — a line for each process that trains: what it does in a step, and how long it waits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/report-processes.h"

#include "profiler/base/format.h"
#include "profiler/summary/processes.h"

#include <math.h>

static void
append_right (GString *to, char *text /* (transfer full) */, int width)
{
  for (glong i = g_utf8_strlen (text, -1); i < width; i++)
    g_string_append_c (to, ' ');
  g_string_append (to, text);
  g_free (text);
}

static void
append_time (GString *to, double seconds, int width)
{
  append_right (to, seconds > 0 ? prof_format_seconds (seconds) : g_strdup ("–"), width);
}

static void
append_share (GString *to, double part, double whole, int width)
{
  append_right (to,
                whole > 0 ? g_strdup_printf ("%.1f %%", 100 * part / whole) : g_strdup ("–"),
                width);
}

static void
append_process (GString *to, const ProfProcess *process)
{
  g_string_append_printf (to, "%-9u", process->number);
  append_time (to, process->step, 10);
  append_time (to, process->forward, 10);
  append_time (to, process->backward, 10);
  append_time (to, process->update, 10);
  append_time (to, process->waiting, 10);
  append_share (to, process->waiting, process->step, 8);
  append_time (to, process->averaging, 11);
  append_share (to, process->hidden, process->averaging, 9);
  g_string_append_c (to, '\n');
}

void
prof_report_processes (GString *to, const ProfCapture *capture)
{
  g_autoptr (GArray) list = prof_processes (capture);
  g_autofree char *speed_up = prof_speed_up_describe (capture, prof_speed_up_known (capture));
  double           clock = prof_capture_get_number (capture, PROF_PROCESSES_CLOCK_KEY);
  g_autofree char *uncertainty = prof_format_seconds (clock);

  if (list->len == 0)
    return;
  g_string_append (to,
                   "\nprocess        step   forward  backward    update   waiting   share  "
                   "averaging   "
                   "hidden\n");
  for (guint i = 0; i < list->len; i++)
    append_process (to, &g_array_index (list, ProfProcess, i));
  if (list->len > 1)
    g_string_append (to,
                     "Averaging: while a gradient is on its way; hidden: what of it the forward "
                     "and "
                     "backward pass cover.\n");
  if (isfinite (clock))
    g_string_append_printf (to,
                            "The clocks of the processes agree to within %s, by what came before "
                            "what.\n",
                            uncertainty);
  if (speed_up)
    g_string_append_printf (to, "%s.\n", speed_up);
}
