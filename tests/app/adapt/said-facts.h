/* said-facts.h — a list with a block of each kind, and what every medium must say about it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said-comparison.h"

/* Texts that each of the three renderers shows; NULL-terminated. */
extern const char *const said_facts[];

/* (transfer full) */
ScopeSaid *said_facts_new (void);
