/* compare-cells.h — reads the result of hscope compare --json: cells, pairs and sizes.
 *
 * A cell is one form in one mode at one size (batch, length, units); a pair compares two cells of the
 * same size.  Nothing here owns JSON: what is returned belongs to the result.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cjson/cJSON.h>
#include <glib.h>

/* The members of a cell that are sizes, NULL-terminated: "batch", "length", "hidden". */
extern const char *const scope_cell_sizes[];

/* TRUE if the JSON is a result of hscope compare. */
gboolean scope_cells_are_result (const cJSON *json);
/* TRUE if recordings were compared, which nothing was run for. */
gboolean scope_cells_are_recordings (const cJSON *result);
/* The name by which pairs refer to a cell: "fused, static", with the device if devices were compared ("fused, static,
 * gpu"), or the file of a recording.  (transfer full) */
char *scope_cell_dup_name (const cJSON *cell, const cJSON *result);
/* What the user reads instead: "Fused Operator", with the mode, "without passes" and the device if cells of the result
 * differ in them, or the name of a recording's file.  (transfer full) */
char *scope_cell_dup_title (const cJSON *cell, const cJSON *result);
/* TRUE if two cells, or a cell and a pair, are of the same size, kind of recurrent cell and work (training or not). */
gboolean scope_cells_are_alike (const cJSON *a, const cJSON *b);
/* "LSTM, batch 1, length 35, inference"; (transfer full) */
char *scope_cell_dup_size (const cJSON *cell);
/* Those parts of it in which cells of the result differ, or all of them if they are equal: "batch 1";
 * (transfer full) */
char *scope_cell_dup_varying_size (const cJSON *cell, const cJSON *result);
/* The same of the kind of recurrent cell and the work: "LSTM, training"; "": cells do not differ.  (transfer full) */
char *scope_cell_dup_varying_work (const cJSON *cell, const cJSON *result);
/* The sizes but this one in which cells of the result differ: "length 5"; "": there are none.  (transfer full) */
char *scope_cell_dup_other_sizes (const cJSON *cell, const cJSON *result, const char *key);
/* TRUE if the cell was measured at a size that the user chose instead of the model's own. */
gboolean scope_cell_has_size (const cJSON *cell);

/* The cells whose name is not that of an earlier one, in their order.  GPtrArray of const cJSON.
 * (transfer full) */
GPtrArray *scope_cells_list_rows (const cJSON *result);
/* The first cell of each size, in their order.  GPtrArray of const cJSON.  (transfer full) */
GPtrArray *scope_cells_list_sizes (const cJSON *result);
/* The cell of that name and of the same size as like, or NULL. */
const cJSON *scope_cells_find (const cJSON *result, const char *name, const cJSON *like);
/* The slowest and fastest cell of the same size as like; NULL: none has a time. */
void scope_cells_find_extremes (const cJSON  *result,
                                const cJSON  *like,
                                const cJSON **slow,
                                const cJSON **fast);
/* The pair of two cells, in either order, or NULL. */
const cJSON *scope_pair_find (const cJSON *result, const cJSON *a, const cJSON *b);
/* Why the slower of two cells takes longer; NULL: the result does not say. */
const cJSON *scope_pair_find_explanation (const cJSON *result, const cJSON *a, const cJSON *b);
