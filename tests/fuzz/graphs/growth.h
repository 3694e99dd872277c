/* growth.h — lets a graph or a body grow by operators, loops and branches.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/fuzz/graphs/scope.h"

/* Adds up to n operators, loops and branches, whose bodies grow the same way. */
void growth_add (Scope *scope, guint n);
