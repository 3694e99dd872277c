/* terminal.h — protects terminals from control characters in names, and notices output that is lost.
 *
 * Names in files may hold escape sequences that move the cursor, change the title of a terminal, or
 * reverse the direction of text.  Everything on stdout passes a filter; messages on stderr are escaped
 * where they are printed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Replaces control characters, bidirectional controls and bytes that are not UTF-8 by "\u001b" and the like, line
 * breaks and tabs by "\n" and "\t": text is one message, and one line.  (transfer full) */
char *scope_terminal_escape (const char *text);

/* Prints n bytes that another program wrote on stderr, escaped except for line breaks. */
void scope_terminal_pass_on (const char *text, gsize n);

/* Prints text and a line break on stdout: on a terminal wrapped at its width, elsewhere as one line, which other
 * programs search. */
void scope_terminal_print (const char *text, guint indent);

/* Whether this descriptor is a terminal that understands escape sequences; TERM=dumb says that it does not. */
gboolean scope_terminal_is_capable (int descriptor);
/* The number of columns of a line on this descriptor: the width of the terminal, or COLUMNS if that is less. */
guint scope_terminal_columns (int descriptor);
/* Text in at most this many columns, cut off with “…” if it is longer.  (transfer full) */
char *scope_terminal_fit (const char *text, guint columns);

/* Shows line, which must fit the terminal, as the last line of stderr, in place of the one that is shown now.  NULL: erases
 * it, as must be done before anything else is printed. */
void scope_terminal_set_status (const char *line);

/* Makes stdout escape what scope_terminal_escape() escapes, except line breaks and tabs, which hyb_one_line() escapes
 * in names, and makes the process end
 * with status, after a message, if some of its output could not be written.  Call it once, before
 * anything is printed. */
void scope_terminal_protect (int status);
