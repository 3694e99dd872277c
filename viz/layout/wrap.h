/* wrap.h — a tall answer of a layout cut into columns, as a text is cut into lines.
 *
 * The rows of the first column stand where they were; the next rows continue at the top of the next
 * column.  Edges from column to column run below a column, up beside the next one and down into it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/layout/body.h"

/* The most columns of one body. */
#define VIZ_MAX_COLUMNS 16

/* The size that the placed body would have in up to n_columns columns; width 0 if there is no place
 * where few enough edges would be cut.  The body stays as it is. */
VizPoint viz_body_wrapped_size (const VizBody *body, guint32 n_columns);

/* Rewrites the answer of a placed body in up to n_columns columns and sets body->columns.  Without a
 * suitable place to cut it stays as it is. */
void viz_body_wrap (VizBody *body, guint32 n_columns);

/* Rewrites an answer in the columns of body->previous, in which every column continues below the one
 * before it, at its own x; body->previous->n_columns is how many there were.  FALSE, with the answer
 * unchanged, if two columns would overlap. */
gboolean viz_body_wrap_again (VizBody *body);
