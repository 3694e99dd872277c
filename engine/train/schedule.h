/* schedule.h — learning rate schedules: the rate as a function of the number of the update.
 *
 * A schedule is a row of the table in schedule.c.  Names, options and numbers are those of MXNet's
 * lr_scheduler.  All schedules have a warm-up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _HybSchedule HybSchedule;

/* Parses a schedule such as "cosine: max_update=500, final_lr=0.001, warmup_steps=20"; NULL and
 * an error if it is invalid. */
HybSchedule *hyb_schedule_new (const char *text, GError **error);
/* Frees a schedule. */
void hyb_schedule_free (HybSchedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybSchedule, hyb_schedule_free)
/* Returns the rate of update number `update`, from 1; base: the rate of the optimizer. */
double hyb_schedule_get_rate (const HybSchedule *schedule, double base, guint64 update);
