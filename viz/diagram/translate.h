/* translate.h — the words of pictures in the language of the user, such as "6 steps".
 *
 * The window binds the text domain; hscope leaves the language of messages at C, so that its pictures are English everywhere.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The translation of a text, or the text. */
#define _(text) g_dgettext ("hybridscope", text)
