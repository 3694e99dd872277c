/* clock-offset.c — bounds the difference of two clocks by what came before what.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/clock-offset.h"

#include <math.h>

ProfClockOffset
prof_clock_offset (const ProfMeeting *mine, const ProfMeeting *others, guint n)
{
  double          low = -INFINITY, high = INFINITY;
  ProfClockOffset result = { 0, INFINITY };

  for (guint i = 0; i < n; i++)
    {
      low = MAX (low, others[i].came - mine[i].left);
      high = MIN (high, others[i].left - mine[i].came);
    }
  if (n == 0)
    return result;
  if (low > 0 || high < 0)
    result.offset = (low + high) / 2;
  result.uncertainty = MAX (high - result.offset, result.offset - low);
  return result;
}
