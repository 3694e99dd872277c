/* remedies.c — one button for each remedy.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/remedies.h"

#include "engine/doctor/replace-operator.h"

#include <glib/gi18n.h>

static const ScopeRemedy remedies[HYB_N_REMEDIES] = {
  [HYB_REMEDY_NONE] = { N_ ("Show Log"), "page.show-log" },
  [HYB_REMEDY_REPAIR] = { N_ ("Mend…"), "win.mend" },
  [HYB_REMEDY_PARAMETERS] = { N_ ("Choose Parameters…"), "win.choose-parameters" },
  [HYB_REMEDY_SHAPES] = { N_ ("Give Shapes"), "win.give-shapes" },
  [HYB_REMEDY_VALUES] = { N_ ("Fill with Random Values"), "win.fill" },
  [HYB_REMEDY_OPERATOR] = { N_ ("Show Findings"), "page.show-findings" },
  [HYB_REMEDY_ATTRIBUTES] = { N_ ("Edit Attributes…"), "win.edit-attributes::" },
  [HYB_REMEDY_UNROLL] = { N_ ("Write the Loop Out"), "win.convert::unrolled" },
  [HYB_REMEDY_LENGTH] = { N_ ("Give Shapes"), "win.give-shapes" },
  [HYB_REMEDY_FLOAT] = { N_ ("Show Findings"), "page.show-findings" },
  [HYB_REMEDY_UNPROVED] = { N_ ("Show Findings"), "page.show-findings" },
  [HYB_REMEDY_SMALLER] = { N_ ("Give Smaller Shapes"), "win.give-shapes" },
  [HYB_REMEDY_MEMORY] = { N_ ("Allow Four Times as Much"), "page.raise-limits" },
  [HYB_REMEDY_WORK] = { N_ ("Allow Four Times as Much"), "page.raise-limits" },
  [HYB_REMEDY_DEVICE] = { N_ ("Choose Device"), "win.choose-device" },
  [HYB_REMEDY_TIME] = { N_ ("Continue without Limit"), "page.run-unlimited" },
};

ScopeRemedy
scope_remedy_get (HybRemedy remedy)
{
  return (ScopeRemedy){ _ (remedies[remedy].label), remedies[remedy].action };
}

void
scope_remedy_set_action (GtkActionable *button, const char *action)
{
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;

  g_return_if_fail (g_action_parse_detailed_name (action, &name, &target, NULL));
  /* Name and target must fit each other at every moment. */
  gtk_actionable_set_action_name (button, NULL);
  gtk_actionable_set_action_target_value (button, target);
  gtk_actionable_set_action_name (button, name);
}

/* The first node with the operator: a finding about a body names the loop as its node. */
static const char *
get_subject (const HybFinding *finding)
{
  if (finding->items && finding->items->len > 0)
    return g_array_index (finding->items, HybFindingItem, 0).name;
  return finding->node;
}

void
scope_remedy_set_replacement (GtkActionable *button, const char *node)
{
  gtk_actionable_set_action_name (button, NULL);
  gtk_actionable_set_action_target (button, "s", node);
  gtk_actionable_set_action_name (button, "win.replace-operator");
}

GtkWidget *
scope_remedy_button_new (const HybFinding *finding, HybGraph *graph)
{
  ScopeRemedy remedy = scope_remedy_get (finding->remedy);
  const char *subject = get_subject (finding);
  GtkWidget  *button;

  if (finding->remedy == HYB_REMEDY_NONE)
    return NULL;
  if (finding->remedy == HYB_REMEDY_OPERATOR)
    {
      if (!graph || !hyb_replace_is_possible (graph, subject))
        return NULL;
      button = gtk_button_new_with_label (_ ("Replace Operator…"));
      scope_remedy_set_replacement (GTK_ACTIONABLE (button), subject);
      return button;
    }
  button = gtk_button_new_with_label (remedy.label);
  scope_remedy_set_action (GTK_ACTIONABLE (button), remedy.action);
  if (finding->remedy == HYB_REMEDY_ATTRIBUTES && (finding->node || subject))
    gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s",
                                      finding->node ? finding->node : subject);
  return button;
}
