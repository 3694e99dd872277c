/* variants.c — the table of forms.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/variants.h"

#include "engine/graph/roles.h"
#include "engine/passes/reach.h"

#include <string.h>

static HybModel *
keep_as_is (HybModel *model, const ScopeCommon *common, GError **error)
{
  return hyb_model_ref (model);
}

static const ScopeVariant variants[] = {
  { "as-is", keep_as_is },
};

const ScopeVariant *
scope_variant_find (const char *name, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      if (strcmp (variants[i].name, name) == 0)
        return &variants[i];
      g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", variants[i].name);
    }
  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_USAGE,
               "--variants: “%s” is no form; there are %s",
               name,
               list->str);
  return NULL;
}

void
scope_choose_init (ScopeCommon *common, HybModel *model)
{
  HybGraph          *graph = hyb_model_get_graph (model);
  g_autofree guint8 *needed = hyb_graph_find_needed (graph, NULL);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    if (needed[variables[i]] &&
        hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER &&
        !hyb_model_get_parameter (model, hyb_graph_get_node (graph, variables[i])->name))
      return;
  if (!common->init)
    {
      /* Lent: nobody frees what is in a copy of common. */
      static char uniform[] = "uniform";

      common->init = uniform;
    }
}
