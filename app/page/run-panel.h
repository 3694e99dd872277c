/* run-panel.h — the popover with inputs and run options: shapes, device, mode, launcher.
 *
 * Every window has one.  Shapes and filling belong to the workspace of the selected page; the other
 * options apply to every page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/workspace.h"

#include <adwaita.h>

#define SCOPE_TYPE_RUN_PANEL (scope_run_panel_get_type ())
G_DECLARE_FINAL_TYPE (ScopeRunPanel, scope_run_panel, SCOPE, RUN_PANEL, AdwBin)

/* The current options, which are also remembered.  (transfer full) */
ScopeRunOptions *scope_run_panel_get_options (ScopeRunPanel *self);
/* Shows the inputs of this workspace; NULL: none. */
void scope_run_panel_set_workspace (ScopeRunPanel *self, ScopeWorkspace *workspace);
/* Gives the focus to the first open dimension of the inputs. */
void scope_run_panel_focus_inputs (ScopeRunPanel *self);
/* Sets the file of arrays that runs take as their input. */
void scope_run_panel_set_input (ScopeRunPanel *self, const char *path);
/* Gives the focus to the list of devices. */
void scope_run_panel_focus_device (ScopeRunPanel *self);
