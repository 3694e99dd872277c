/* compare-page.h — a tab that compares forms of one model, recordings, or models side by side.
 *
 * scope_compare_page_open() converts and measures by itself; everything that was measured stays until the
 * page is closed.
 * Property: "title" (of the tab), "busy" (a conversion or measurement is running).
 * Signal: "remedy" (model, action): the action of the window should be performed in the model's own tab.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/compare-file.h"
#include "app/compare/compare-pane.h"

#define SCOPE_TYPE_COMPARE_PAGE (scope_compare_page_get_type ())
G_DECLARE_FINAL_TYPE (ScopeComparePage, scope_compare_page, SCOPE, COMPARE_PAGE, AdwBin)

/* The subjects of a comparison: the forms of a model, or files as they are. */
typedef struct
{
  const char        *model;  /* as the child process opens it; NULL: files are compared */
  const char *const *shapes; /* (nullable) of inputs, "NAME=1,3" */
  const char *const *files;  /* (nullable) paths: recordings, or models side by side */
  const char *params; /* (nullable) the parameter file, by default the one beside the model */
  gboolean    fills;  /* the model lacks values, which become random; said in the title */
} ScopeCompareSource;

/* Without a model; (transfer floating) */
GtkWidget *scope_compare_page_new (void);
/* Converts the model into several forms and measures them, or compares recordings; models side by side
 * are not measured until the user requests it.  Closing the page cancels that. */
void scope_compare_page_open (ScopeComparePage *self, const ScopeCompareSource *source);
/* TRUE if the page compares this. */
gboolean scope_compare_page_has_source (ScopeComparePage *self, const ScopeCompareSource *source);
/* Shows a saved comparison with its results.  comparison: (transfer full) */
void scope_compare_page_show (ScopeComparePage *self, ScopeSavedComparison *comparison);
/* A name for a file of the comparison, without ending.  (transfer full) */
char *scope_compare_page_dup_name (ScopeComparePage *self);
/* The file that the comparison was read from or written to; NULL: none. */
const char *scope_compare_page_get_path (ScopeComparePage *self);
/* Remembers that the comparison was written to a file. */
void scope_compare_page_set_path (ScopeComparePage *self, const char *path);
/* A copy for a file at path; NULL: there is no result yet.  (transfer full) */
ScopeSavedComparison *scope_compare_page_dup_comparison (ScopeComparePage *self, const char *path);

/* The number of panes. */
guint scope_compare_page_n_panes (ScopeComparePage *self);
/* From the left; NULL beyond the last. */
ScopeComparePane *scope_compare_page_get_pane (ScopeComparePage *self, guint index);
/* TRUE when every pane has read its form or was refused it. */
gboolean scope_compare_page_is_settled (ScopeComparePage *self);
/* TRUE after the first measurement, while none is running. */
gboolean scope_compare_page_is_measured (ScopeComparePage *self);
