/* man-sections.h — sections of man pages that several pages have.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command-list.h"

/* Appends ENVIRONMENT, FILES and EXIT STATUS.  command: only the parts that concern it; NULL:
 * everything. */
void scope_man_sections (GString *page, const ScopeCommand *command);
