/* list-operators.h — prints all operators; for hscope info --operators.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Prints every operator that files can have, with its other names and a sentence, and the names of MXNet
 * that no operator has, with the reason; as JSON or as text. */
void scope_print_operators (gboolean as_json);
