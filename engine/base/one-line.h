/* one-line.h — names from files as one line and one column of a printed table.
 *
 * Names are data and stay unchanged; only the printed text is escaped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The text with line breaks and tabs written as “\n”, “\r” and “\t”.  Returns the text itself if it has none, else a copy
 * that lives as long as the process; NULL for NULL. */
const char *hyb_one_line (const char *text);

/* The length in bytes of the beginning of a text for “%.*s”: at most max, and no part of a character. */
int hyb_prefix_length (const char *text, int max);
