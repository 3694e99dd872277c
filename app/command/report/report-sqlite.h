/* report-sqlite.h — the cells of a sweep as a table of SQLite.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/sweep/sweep-results.h"

/* Replaces the file by a database with the table “cells”: a row for each cell.  FALSE and an error: it cannot be written, or
 * hscope was built without SQLite. */
gboolean
scope_report_write_sqlite (const ScopeSweepResults *results, const char *path, GError **error);
