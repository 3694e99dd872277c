/* compare-curves.h — how times grow with the batch or the length, over several groups.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"
#include "app/command/report/report-page.h"

/* Of all groups that differ in one size only.  Nothing where there is one of each size. */
void scope_curves_print (const GPtrArray *groups);
void scope_curves_describe (ScopeJson *json, const GPtrArray *groups);
/* Those through so many sizes; two are better seen as bars, which come before. */
void scope_curves_draw (ScopePage *page, const GPtrArray *groups, guint least, guint most);

/* compare-matrix.c: one line a group, one column a candidate. */
void scope_matrix_print (const GPtrArray *groups);
void scope_matrix_draw (ScopePage *page, const GPtrArray *groups);
