/* clock-offset.h — by how much the clock of another process differs from this one's.
 *
 * All processes meet several times, as in a barrier: none leaves a meeting before all have come.  What one clock says when its
 * process comes is therefore earlier than what another one says when its process leaves.  That bounds the difference from both
 * sides, however long a meeting takes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* When a process came to a meeting and left it, in ns of its own clock. */
typedef struct
{
  double came, left;
} ProfMeeting;

typedef struct
{
  double offset;      /* ns that the other clock is ahead; 0 if the meetings do not contradict it */
  double uncertainty; /* ns by which the true value differs at most */
} ProfClockOffset;

/* The offset of another clock from n meetings, the same ones in both arrays.  Without meetings it is 0, and the uncertainty
 * is infinite. */
ProfClockOffset prof_clock_offset (const ProfMeeting *mine, const ProfMeeting *others, guint n);
