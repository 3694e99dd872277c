/* spinner.h — a spinner that turns only while it is on the screen.
 *
 * A GtkSpinner that spins on a hidden page of a stack keeps the frame clock of the window running.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#define SCOPE_TYPE_SPINNER (scope_spinner_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSpinner, scope_spinner, SCOPE, SPINNER, AdwBin)

/* Turns from when it is mapped until it is unmapped. */
GtkWidget *scope_spinner_new (void);
