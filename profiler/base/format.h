/* format.h — quantities as text for people: times, counts, bytes.
 *
 * Three significant digits and a unit; "–" for values that are not finite, never 0.  The decimal
 * point follows the locale.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* “3.21 ms”.  (transfer full) */
char *prof_format_seconds (double seconds);
/* "1.20 ms … 1.30 ms" (95 %), or that there were too few runs if low or high is NaN.  (transfer
 * full) */
char *prof_format_interval (double low, double high);
/* “3.20 G”: a number with a decimal prefix and without a unit.  (transfer full) */
char *prof_format_quantity (double value);
/* “1.50 MiB”; whole bytes below 1 KiB.  (transfer full) */
char *prof_format_bytes (double bytes);
/* The value of a counter: seconds where key ends in " time", else a quantity.  (transfer full) */
char *prof_format_count (const char *key, double value);
