/* append-number.h — writes whole numbers where a format would take most of the time.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Appends the decimal digits of a number, which is not negative. */
void hyb_append_number (GString *text, gint64 number);
