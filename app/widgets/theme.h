/* theme.h — the colours of graphs and charts that fit the window: light or dark, with high contrast or without.
 *
 * AdwStyleManager notifies "dark" and "high-contrast" when they change.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/palette.h"

/* The theme for the current colours of the window. */
const VizTheme *scope_theme_get (void);
