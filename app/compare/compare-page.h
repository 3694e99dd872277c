/* compare-page.h — a tab that compares forms of one model: linked graphs, times, explanation.
 *
 * scope_compare_page_open() converts and measures by itself; everything that was measured stays until the
 * page is closed.
 * Property: "title" (of the tab), "busy" (a conversion or measurement is running).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/compare-pane.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_COMPARE_PAGE (scope_compare_page_get_type ())
G_DECLARE_FINAL_TYPE (ScopeComparePage, scope_compare_page, SCOPE, COMPARE_PAGE, AdwBin)

/* What is compared. */
typedef struct
{
  const char        *model;  /* as the child process opens it */
  const char *const *shapes; /* (nullable) of inputs, "NAME=1,3" */
} ScopeCompareSource;

/* Without a model; (transfer floating) */
GtkWidget *scope_compare_page_new (void);
/* Converts the model into several forms and measures them; closing the page cancels that. */
void scope_compare_page_open (ScopeComparePage *self, const ScopeCompareSource *source);
/* TRUE if the page compares forms of this model with these shapes. */
gboolean scope_compare_page_has_source (ScopeComparePage *self, const ScopeCompareSource *source);

/* The number of panes. */
guint scope_compare_page_n_panes (ScopeComparePage *self);
/* From the left; NULL beyond the last. */
ScopeComparePane *scope_compare_page_get_pane (ScopeComparePage *self, guint index);
/* TRUE when every pane has read its form or was refused it. */
gboolean scope_compare_page_is_settled (ScopeComparePage *self);
/* TRUE after the first measurement, while none is running. */
gboolean scope_compare_page_is_measured (ScopeComparePage *self);

G_END_DECLS
