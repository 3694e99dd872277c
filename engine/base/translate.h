/* translate.h — sentences of the engine in the language of the user.
 *
 * For findings and repairs, which the window shows.  The window binds the text domain; hscope leaves the
 * language of messages at C, so that its output is English everywhere, as scripts expect.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The translation of a text, or the text. */
#define _(text) g_dgettext ("hybridscope", text)
/* Marks a text of a table that is translated where it is used. */
#define N_(text) (text)
