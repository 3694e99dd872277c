/* report-sweep.h — the results of a sweep as text, a table or a page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"

typedef struct
{
  const char *folder;
  const char *output;         /* (nullable) .html, .csv or .sqlite; NULL: text on stdout */
  const char *rows, *columns; /* (nullable) names of axes */
  gboolean    is_html;        /* HTML on stdout */
  gboolean    is_json;        /* counts, pairs and all cells as JSON on stdout */
} ScopeSweepReport;

/* Prints or writes the report.  FALSE: the folder cannot be read, an axis is unknown, or the file cannot be written. */
gboolean scope_report_sweep (const ScopeSweepReport *report, GError **error);
