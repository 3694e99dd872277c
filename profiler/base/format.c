/* format.c — formats quantities for people.
 *
 * scale() picks the unit and the number of digits; the public functions choose units.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/format.h"

#include <glib.h>
#include <math.h>

/* value with three significant digits and the first unit, from units[first] on, in which it is less
 * than base. */
static char *
scale (double value, double base, const char *const *units, guint n_units, guint first)
{
  guint unit = first;

  if (!isfinite (value))
    return g_strdup ("–");
  while (fabs (value) >= 0.9995 * base && unit + 1 < n_units)
    {
      value /= base;
      unit++;
    }
  return g_strdup_printf (fabs (value) >= 100  ? "%.0f %s"
                          : fabs (value) >= 10 ? "%.1f %s"
                                               : "%.2f %s",
                          value, units[unit]);
}

char *
prof_format_seconds (double seconds)
{
  static const char *const units[] = { "ns", "µs", "ms", "s" };

  return scale (seconds * 1e9, 1000, units, G_N_ELEMENTS (units), 0);
}

char *
prof_format_interval (double low, double high)
{
  g_autofree char *from = prof_format_seconds (low);
  g_autofree char *to = prof_format_seconds (high);

  return isfinite (low) && isfinite (high) ? g_strdup_printf ("%s … %s", from, to)
                                           : g_strdup ("too few runs");
}

char *
prof_format_quantity (double value)
{
  static const char *const units[] = { "", "k", "M", "G", "T", "P" };

  return g_strchomp (scale (value, 1000, units, G_N_ELEMENTS (units), 0));
}

char *
prof_format_bytes (double bytes)
{
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };

  if (isfinite (bytes) && bytes < 1024)
    return g_strdup_printf ("%.0f B", bytes);
  return scale (bytes, 1024, units, G_N_ELEMENTS (units), 0);
}

char *
prof_format_count (const char *key, double value)
{
  return g_str_has_suffix (key, " time") ? prof_format_seconds (value)
                                         : prof_format_quantity (value);
}
