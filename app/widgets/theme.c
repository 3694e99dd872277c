/* theme.c — see theme.h.
 *
 * The only place that maps libadwaita's colours to themes of viz.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/theme.h"

#include <adwaita.h>

const VizTheme *
scope_theme_get (void)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  gboolean         is_dark = adw_style_manager_get_dark (style);

  if (adw_style_manager_get_high_contrast (style))
    return viz_theme_find (is_dark ? "contrast-dark" : "contrast");
  return viz_theme_find (is_dark ? "dark" : "light");
}
