/* sweep-chooser.h — chooses the two axes of a slice, and the values on all others.
 *
 * Signal "changed": another slice was chosen.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/sweep/sweep-slice.h"

#include <adwaita.h>

#define SCOPE_TYPE_SWEEP_CHOOSER (scope_sweep_chooser_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSweepChooser, scope_sweep_chooser, SCOPE, SWEEP_CHOOSER, AdwBin)

/* For sweeps with the plan of data.  (transfer floating) */
GtkWidget *scope_sweep_chooser_new (ScopeSweepData *data);
/* The slice that is chosen.  (transfer none) */
const ScopeSweepSlice *scope_sweep_chooser_get (ScopeSweepChooser *self);
