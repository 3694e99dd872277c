/* report.h — a capture for people: text, one HTML file, one SVG.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

/* “3.21 ms” */
char *prof_format_seconds (double seconds);
/* “3.2 G”, with up to three digits and a prefix. */
char *prof_format_quantity (double value);
/* “1.5 MiB” */
char *prof_format_bytes (double bytes);

/* Of what a key of the facts says is counted. */
char *prof_format_count (const char *key, double value);

char *prof_report_text (const ProfCapture *capture, const ProfSummary *summary);
