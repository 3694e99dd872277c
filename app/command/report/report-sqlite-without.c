/* report-sqlite-without.c — for builds without SQLite.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-sqlite.h"

#include "app/command/frame/messages.h"

gboolean
scope_report_write_sqlite (const ScopeSweepResults *results G_GNUC_UNUSED,
                           const char                      *path,
                           GError                         **error)
{
  return scope_usage_error (
      error, "%s: this hscope was built without SQLite; write a .csv, which SQLite imports", path);
}
