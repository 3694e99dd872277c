/* sweep-plan.h — the plan of a sweep: values on several axes, and the cells that they make.
 *
 * A cell is a number; its values follow from the plan.  Start with scope_sweep_plan_new() or scope_sweep_plan_read().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/json-writer.h"

#include <gio/gio.h>

/* From the slowest to the fastest: forms of the same model and size are neighbours, and are likely to be measured one after the
 * other on the same machine. */
typedef enum
{
  SCOPE_SWEEP_REPEAT,
  SCOPE_SWEEP_MODEL,
  SCOPE_SWEEP_BATCH,
  SCOPE_SWEEP_LENGTH,
  SCOPE_SWEEP_PASS,
  SCOPE_SWEEP_DEVICE,
  SCOPE_SWEEP_THREADS,
  SCOPE_SWEEP_MODE,
  SCOPE_SWEEP_VARIANT,
  SCOPE_SWEEP_N_AXES,
} ScopeSweepAxis;

typedef struct
{
  const char *name;    /* in the plan file and in options: "variants" */
  const char *key;     /* in the line of a cell: "variant" */
  const char *choices; /* separated by spaces; NULL: any text */
  gboolean    is_number;
} ScopeSweepAxisInfo;

/* The names and values of each axis. */
extern const ScopeSweepAxisInfo scope_sweep_axes[SCOPE_SWEEP_N_AXES];

typedef struct
{
  char *task; /* "measure", "prove": sweep-task.h */
  char *
      *values[SCOPE_SWEEP_N_AXES]; /* NULL-terminated, at least one each; "": as the model has it */
  guint  n_values[SCOPE_SWEEP_N_AXES]; /* of them */
  gint64 samples;                      /* clean runs for each cell; 0: until the median is known */
  double time_limit;                   /* seconds for each cell; 0: the default */
  guint  n_cells;
} ScopeSweepPlan;

/* The values from the options or the plan file; NULL: not given. */
typedef struct
{
  const char *task;
  const char *axes[SCOPE_SWEEP_N_AXES]; /* values separated by commas; of repeats their number */
  gint64      samples;
  double      time_limit;
} ScopeSweepWish;

/* Checks the wish.  Names of model files become absolute.  (transfer full) NULL: a usage error. */
ScopeSweepPlan *scope_sweep_plan_new (const ScopeSweepWish *wish, GError **error);
/* Reads a plan file: [sweep] with the names of axes as keys, "task", "samples" and "time-limit".  (transfer full) */
ScopeSweepPlan *scope_sweep_plan_read_ini (const char *path, GError **error);
/* Reads the text of scope_sweep_plan_write().  (transfer full) */
ScopeSweepPlan *scope_sweep_plan_read (const char *path, GError **error);
/* Writes the plan as JSON. */
gboolean scope_sweep_plan_write (const ScopeSweepPlan *plan, const char *path, GError **error);
/* Frees the plan. */
void scope_sweep_plan_free (ScopeSweepPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeSweepPlan, scope_sweep_plan_free)

/* The value of a cell on an axis; "": as the model has it.  Owned by plan. */
const char *scope_sweep_plan_get (const ScopeSweepPlan *plan, guint cell, ScopeSweepAxis axis);
/* Appends a member for each axis with the values of the cell, null for "". */
void scope_sweep_plan_describe_cell (const ScopeSweepPlan *plan, guint cell, GString *line);
