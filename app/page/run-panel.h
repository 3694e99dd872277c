/* run-panel.h — the popover with run options: device, mode, shapes, input, launcher.
 *
 * Every window has one, whose options apply to the selected page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/run-options.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_RUN_PANEL (scope_run_panel_get_type ())
G_DECLARE_FINAL_TYPE (ScopeRunPanel, scope_run_panel, SCOPE, RUN_PANEL, AdwBin)

/* The current options, which are also remembered.  (transfer full) */
ScopeRunOptions *scope_run_panel_get_options (ScopeRunPanel *self);

G_END_DECLS
