/* csv-text.h — fields of CSV files (RFC 4180), with a decimal point in every locale.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Appends a field in quotes if it needs them; quotes inside are doubled.  A spreadsheet reads a field that begins
 * with one of “=+-@” as a formula, and names come from strangers, so an apostrophe before it makes it text. */
void prof_csv_append_text (GString *to, const char *text);
/* Appends a comma and a number; nothing behind the comma for values that are not finite. */
void prof_csv_append_number (GString *to, double value);
