/* said-text.h — what is said about a comparison, on a terminal.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"

/* The blocks as lines.  (transfer full) */
char *scope_said_dup_text (const ScopeSaid *said);
/* Prints them to stdout. */
void scope_said_print (const ScopeSaid *said);
