/* fitting.h — a widget that shows its child where there is room for it, and nothing elsewhere.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#define SCOPE_TYPE_FITTING (scope_fitting_get_type ())
G_DECLARE_FINAL_TYPE (ScopeFitting, scope_fitting, SCOPE, FITTING, AdwBin)
