/* sweep-task.h — the work of a sweep on each cell: measure it, or prove that a form computes the same.
 *
 * A task is one const ScopeSweepTask, listed in sweep-task.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/sweep/sweep-plan.h"

#include "engine/formats/json-reader.h"

typedef struct
{
  const char *name;
  guint       axes;      /* bit i: the result depends on axis i */
  gboolean    is_timing; /* times are spoilt by other cells on the same machine */
  /* Appends the arguments of hscope for a cell.  prefix: of files that may be written, in a folder of the sweep. */
  void (*add_arguments) (GPtrArray            *argv,
                         const ScopeSweepPlan *plan,
                         guint                 cell,
                         const char           *prefix);
  /* The capture that the child has written, in place of prefix (transfer full); NULL: the task writes none. */
  char *(*dup_capture) (const ScopeSweepPlan *plan, guint cell, const char *prefix);
  /* Appends members with the result in the document that the child has printed.  FALSE: it has none. */
  gboolean (*describe) (const HybJson *document, GString *line);
  /* Endings of other files that are written and not kept, NULL-terminated. */
  const char *const *leavings;
} ScopeSweepTask;

/* The task of this name; NULL and a usage error that lists all. */
const ScopeSweepTask *scope_sweep_task_find (const char *name, GError **error);
/* FALSE and a usage error if the plan has values on an axis that its task does not depend on. */
gboolean scope_sweep_task_check (const ScopeSweepPlan *plan, GError **error);
