/* schedule.h — how the learning rate changes from update to update.
 *
 * A schedule is a row of the table in schedule.c; names, options and the numbers are
 * those of MXNet's lr_scheduler.  All know a warm-up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/param.h"

G_BEGIN_DECLS

typedef struct
{
  const char     *name;
  const char     *doc;
  const HybParam *options;
  gsize           options_size;
  /* update: from 1, behind the warm-up; after: how many updates that took. */
  double (*rate) (gconstpointer options, double base, guint64 update, guint64 after);
} HybScheduleClass;

const HybScheduleClass *const *hyb_schedules (void); /* NULL-terminated */

typedef struct _HybSchedule HybSchedule;

/* "cosine: max_update=500, final_lr=0.001, warmup_steps=20" */
HybSchedule *hyb_schedule_new (const char *text, GError **error);
void         hyb_schedule_free (HybSchedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybSchedule, hyb_schedule_free)
/* base: the optimizer's own rate.  update: number of this one, from 1. */
double hyb_schedule_get_rate (const HybSchedule *schedule, double base, guint64 update);

G_END_DECLS
