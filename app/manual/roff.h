/* roff.h — text for man pages.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Appends the heading of a page of section 1. */
void scope_roff_heading (GString *page, const char *name, const char *summary);

/* Appends words to a line, with roff's special characters escaped; a line break becomes a space. */
void scope_roff_words (GString *page, const char *words);

/* Appends a paragraph: each line that begins with spaces is kept as it is, the others are filled; an empty
 * line begins a new paragraph. */
void scope_roff_text (GString *page, const char *text);
