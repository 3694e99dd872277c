/* compare-page-state.c — the panes of a compare page, its results, and what its lower half shows.
 * Lowest of its files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-page-private.h"

#include "app/views/remedies.h"

#include <glib/gi18n.h>

/* --- Panes --- */

guint
scope_compare_page_find_pane (ScopeComparePage *self, ScopeComparePane *pane)
{
  guint index = 0;

  while (index < SCOPE_MAX_PANES && self->panes[index] != pane)
    index++;
  return index;
}

guint
scope_compare_page_n_panes (ScopeComparePage *self)
{
  guint n = 0;

  while (n < SCOPE_MAX_PANES && self->panes[n])
    n++;
  return n;
}

ScopeComparePane *
scope_compare_page_get_pane (ScopeComparePage *self, guint index)
{
  return index < SCOPE_MAX_PANES ? self->panes[index] : NULL;
}

const char *const *
scope_compare_page_get_forms (ScopeComparePage *self)
{
  return self->files ? (const char *const *) self->files : scope_conversion_forms ();
}

gboolean
scope_compare_page_is_settled (ScopeComparePage *self)
{
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i] && !scope_compare_pane_is_ready (self->panes[i]))
      return FALSE;
  return self->adding == 0;
}

gboolean
scope_compare_page_is_measured (ScopeComparePage *self)
{
  return self->was_measured && !self->measuring;
}

/* --- The lower half --- */

static void
show_message (ScopeComparePage *self, const char *text)
{
  if (text)
    gtk_label_set_text (self->message, text);
  gtk_widget_set_visible (GTK_WIDGET (self->message_button), FALSE);
  gtk_revealer_set_reveal_child (self->message_revealer, text != NULL);
}

void
scope_compare_page_show_state (ScopeComparePage *self, const char *state)
{
  show_message (self, NULL);
  if (self->results->len == 0)
    gtk_stack_set_visible_child_name (self->stack, state);
}

/* Remedies for which the page itself has an action. */
static const ScopeRemedy here[HYB_N_REMEDIES] = {
  [HYB_REMEDY_NONE] = { N_ ("Try Again"), "compare.measure" },
  [HYB_REMEDY_MEMORY] = { N_ ("Try Again"), "compare.measure" },
  [HYB_REMEDY_WORK] = { N_ ("Try Again"), "compare.measure" },
  [HYB_REMEDY_TIME] = { N_ ("Allow Twice the Time"), "compare.allow-time" },
};

/* Actions on the model belong to its own tab. */
static void
set_remedy (GtkButton *button, HybRemedy remedy)
{
  ScopeRemedy way_out = scope_remedy_get (remedy);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), NULL);
  if (here[remedy].action)
    {
      gtk_button_set_label (button, _ (here[remedy].label));
      gtk_actionable_set_action_target_value (GTK_ACTIONABLE (button), NULL);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), here[remedy].action);
      return;
    }
  gtk_button_set_label (button, way_out.label);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", way_out.action);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "compare.remedy");
}

void
scope_compare_page_hide_panes (ScopeComparePage *self)
{
  gtk_widget_set_visible (gtk_widget_get_ancestor (GTK_WIDGET (self->row),
                                                   GTK_TYPE_SCROLLED_WINDOW),
                          FALSE);
}

/* Shows only the reason why nothing can be compared. */
static void
show_one_form (ScopeComparePage *self)
{
  GtkButton *button = GTK_BUTTON (adw_status_page_get_child (self->failed));

  adw_status_page_set_title (self->failed, _ ("The Model Has One Form"));
  adw_status_page_set_description (self->failed, self->refusal);
  gtk_button_set_label (button, _ ("Close"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.close-tab");
  scope_compare_page_hide_panes (self);
  gtk_widget_set_visible (GTK_WIDGET (self->tools), FALSE);
  scope_compare_page_show_state (self, "failed");
}

void
scope_compare_page_show_failure (ScopeComparePage *self, const char *why, HybRemedy remedy)
{
  if (self->refusal && remedy == HYB_REMEDY_NONE && self->results->len == 0)
    {
      show_one_form (self);
      return;
    }
  adw_status_page_set_description (self->failed, why);
  set_remedy (GTK_BUTTON (adw_status_page_get_child (self->failed)), remedy);
  scope_compare_page_show_state (self, "failed");
  if (self->results->len == 0)
    return;
  show_message (self, why);
  set_remedy (self->message_button, remedy);
  gtk_widget_set_visible (GTK_WIDGET (self->message_button), TRUE);
}

void
scope_compare_page_show_cancelled (ScopeComparePage *self)
{
  scope_compare_page_show_state (self, "cancelled");
  if (self->results->len > 0)
    show_message (self, _ ("The measurement was cancelled; the earlier result is shown."));
}

/* --- Results --- */

void
scope_compare_page_show_result (ScopeComparePage *self, guint index)
{
  if (index >= self->results->len)
    return;
  scope_compare_result_set (self->result,
                            ((ScopeComparedResult *) self->results->pdata[index])->json);
  gtk_stack_set_visible_child_name (self->stack, "result");
}

void
scope_compare_page_add_result (ScopeComparePage *self, cJSON *json, char *title)
{
  ScopeComparedResult *result = g_new (ScopeComparedResult, 1);
  GtkStringList       *titles = GTK_STRING_LIST (gtk_drop_down_get_model (self->chooser));
  g_autofree char     *numbered = g_strdup_printf ("%u · %s", self->results->len + 1, title);

  *result = (ScopeComparedResult){ json, title };
  g_ptr_array_add (self->results, result);
  gtk_string_list_append (titles, numbered);
  gtk_drop_down_set_selected (self->chooser, self->results->len - 1);
  gtk_widget_set_visible (GTK_WIDGET (self->chooser), self->results->len > 1);
  gtk_widget_set_visible (self->save, TRUE);
  show_message (self, NULL);
  scope_compare_page_show_result (self, self->results->len - 1);
}
