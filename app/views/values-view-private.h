/* values-view-private.h — the struct of the view of values, and the functions that its files share.
 *
 * Calls go one way: values-view.c (the class, choosing and loading) → -compare.c → -facts.c → -table.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/values-view.h"

#include "app/adapt/tensor-slice.h"
#include "app/adapt/tensor-summary.h"
#include "app/widgets/grid.h"
#include "app/widgets/sheet.h"

/* Positions in the list of displays. */
typedef enum
{
  SCOPE_SHOWN_THIS,
  SCOPE_SHOWN_OTHER,
  SCOPE_SHOWN_DIFFERENCE,
} ScopeShownValues;

struct _ScopeValuesView
{
  ScopeView parent_instance;

  /* Template */
  GtkStack      *stack, *contents;
  AdwStatusPage *missing;
  GtkDropDown   *names, *axes, *shown;
  GtkLabel      *type, *place;
  GtkWidget     *slice_tools, *bad_button;
  GtkEntry      *slice_entry;
  GtkMenuButton *compare_button;
  ScopeGrid     *grid;
  ScopeSheet    *sheet;

  /* The tensor */
  GPtrArray       *list; /* of ScopeTensorName *, as in names */
  ScopeTensorName *name; /* of the chosen one; NULL: none */
  HybTensor       *tensor;
  ScopeSlice       slice;
  GCancellable    *loading;
  gboolean         is_updating; /* lists change, but not by the user */
  gboolean         is_stale;    /* the tensor changed while the view was not on the screen */

  /* The cells that were read */
  HybTensor    *block, *other_block;
  ScopePart     part;
  GCancellable *reading;

  /* Facts */
  ScopeSummary  summary;
  gboolean      has_summary;
  GtkWidget    *picture; /* in the sheet; NULL: not drawn yet */
  GCancellable *summing, *drawing, *searching;

  /* The other tensor */
  GWeakRef        other_workspace; /* that it comes from */
  char           *other_path;      /* of the file that it comes from, or NULL */
  char           *other_title;
  char           *other_error; /* why there is none */
  HybTensor      *other;
  ScopeDifference difference;
  GCancellable   *comparing;
};

/* --- values-view-table.c --- */

/* Connects the grid with the tensor. */
void scope_values_view_init_table (ScopeValuesView *self);
/* Shows the slice of the tensor, or nothing without one. */
void scope_values_view_show_slice (ScopeValuesView *self);
/* Reads the cells again, because the other tensor or the displayed quantity has changed. */
void scope_values_view_reread (ScopeValuesView *self);
/* Puts the cursor on an element.  TRUE: it is in another slice, which is shown now. */
gboolean scope_values_view_move_to (ScopeValuesView *self, gint64 element);
/* Copies the selected cells as text, in a worker. */
void scope_values_view_copy (ScopeValuesView *self);
/* The index in the tensor of the cell with the cursor; -1: there is none. */
gint64 scope_values_view_get_element (ScopeValuesView *self);
/* The user's choice of values. */
ScopeShownValues scope_values_view_get_shown (ScopeValuesView *self);

/* --- values-view-facts.c --- */

/* Follows the links of the sheet. */
void scope_values_view_init_facts (ScopeValuesView *self);
/* Computes the statistics of the tensor in a worker; the sheet follows. */
void scope_values_view_sum_up (ScopeValuesView *self);
/* Draws the shown slice in a worker, once there are statistics. */
void scope_values_view_draw_picture (ScopeValuesView *self);
/* Fills the sheet with the known facts. */
void scope_values_view_update_facts (ScopeValuesView *self);
/* Moves to the next value after the cursor that is not finite, from the last one to the first. */
void scope_values_view_find_bad (ScopeValuesView *self);

/* --- values-view-compare.c --- */

/* Fills the menu of models to compare with. */
void scope_values_view_init_compare (ScopeValuesView *self);
/* Compares a new tensor with its partner, if tensors are being compared. */
void scope_values_view_compare_again (ScopeValuesView *self);
/* Compares with the model of this name (scope_workspace_get_model_name()) among the peers. */
void scope_values_view_compare_peer (ScopeValuesView *self, const char *model);
/* Shows this model alone. */
void scope_values_view_stop_comparing (ScopeValuesView *self);
