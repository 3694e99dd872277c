/* sweep-data.h — the plan and the results of a sweep, as hscope report prints them.
 *
 * Immutable and reference-counted: a worker fills one while the window shows the one before.  Start with
 * scope_sweep_data_read_async().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#define SCOPE_SWEEP_MAX_AXES 12

typedef enum
{
  SCOPE_CELL_WAITING,
  SCOPE_CELL_DONE,
  SCOPE_CELL_FAILED,
  SCOPE_CELL_RUNNING, /* a worker is at it */
  SCOPE_CELL_N_STATES,
} ScopeCellState;

typedef struct
{
  const char  *name;   /* as hscope calls it: "batch", "variants" */
  const char **values; /* "": as the model has it */
  guint        n_values;
  guint        stride; /* by how much the number of a cell grows from one value to the next */
  gboolean     is_number;
} ScopeAxis;

typedef struct
{
  ScopeCellState state;
  gboolean       is_crowded; /* another cell was measured on the machine meanwhile */
  double         value;     /* median in seconds, or the difference that a proof found; NAN: none */
  double         low, high; /* NAN: unknown */
  const char    *host;      /* "": unknown */
  const char    *reason;    /* why it failed; "": it did not */
} ScopeCellResult;

/* How the cells of one form compare with the first form's. */
typedef struct
{
  const char *a, *b;
  guint       n_faster, n_slower, n_undecided;
  guint       n_other_machines, n_crowded; /* which are not compared */
} ScopeFormPair;

typedef struct
{
  char            *folder;
  gboolean         is_timing;
  guint            n_cells, n_in_state[SCOPE_CELL_N_STATES], n_crowded;
  ScopeAxis        axes[SCOPE_SWEEP_MAX_AXES]; /* from the slowest to the fastest */
  guint            n_axes;
  ScopeCellResult *cells; /* n_cells */
  ScopeFormPair   *pairs;
  guint            n_pairs;
  GStringChunk    *texts;
} ScopeSweepData;

/* Runs hscope report in a child process and reads its output in a worker. */
void scope_sweep_data_read_async (const char         *folder,
                                  GCancellable       *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer            user_data);
/* (transfer full) NULL and an error: the folder holds no sweep, or it cannot be read. */
ScopeSweepData *scope_sweep_data_read_finish (GAsyncResult *result, GError **error);
/* The same of a text.  (transfer full) */
ScopeSweepData *scope_sweep_data_parse (const char *text, const char *folder, GError **error);

/* Takes a reference. */
ScopeSweepData *scope_sweep_data_ref (ScopeSweepData *data);
/* Drops it. */
void scope_sweep_data_unref (ScopeSweepData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeSweepData, scope_sweep_data_unref)

/* TRUE if both have the same axes with the same values. */
gboolean scope_sweep_data_has_same_plan (const ScopeSweepData *a, const ScopeSweepData *b);
/* The position of a cell on an axis. */
guint scope_sweep_data_get_position (const ScopeSweepData *data, guint cell, guint axis);
/* The reason that most failed cells have, and of how many.  NULL: none failed. */
const char *scope_sweep_data_find_reason (const ScopeSweepData *data, guint *n);
/* The recording of a cell, which exists if the cell is done and was timed.  (transfer full) */
char *scope_sweep_data_dup_capture (const ScopeSweepData *data, guint cell);

/* TRUE for the axis of rounds, which is the first one. */
gboolean scope_axis_is_rounds (const ScopeAxis *axis);
/* The translated title of an axis: "Form". */
const char *scope_axis_title (const char *name);
/* A value as text: "as it is" for "".  (transfer full) */
char *scope_axis_dup_value (const ScopeAxis *axis, guint position);
/* A time, or the difference that a proof found; "–" for NAN.  (transfer full) */
char *scope_sweep_data_format (const ScopeSweepData *data, double value);
