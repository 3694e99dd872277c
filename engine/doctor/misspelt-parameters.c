/* misspelt-parameters.c — finds parameters whose name is a misspelt name of a variable.
 *
 * Names that differ in a number belong to different layers and are never taken for one another.  Start
 * at hyb_misspelt_parameters().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/misspelt-parameters.h"

#include "engine/doctor/match-parameter-order.h"
#include "engine/graph/roles.h"
#include "engine/op/suggest.h"

#include <string.h>

static gboolean
have_same_digits (const char *a, const char *b)
{
  for (;; a++, b++)
    {
      while (*a && !g_ascii_isdigit (*a))
        a++;
      while (*b && !g_ascii_isdigit (*b))
        b++;
      if (*a != *b)
        return FALSE;
      if (!*a)
        return TRUE;
    }
}

/* (transfer container) */
static GPtrArray *
find_missing (HybModel *model)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  GPtrArray       *missing = g_ptr_array_new ();
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;

      if (hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER &&
          !hyb_model_get_parameter (model, name))
        g_ptr_array_add (missing, (gpointer) name);
    }
  return missing;
}

/* (transfer container) */
static GPtrArray *
find_unused (HybModel *model)
{
  HybGraph  *graph = hyb_model_get_graph (model);
  GPtrArray *unused = g_ptr_array_new ();

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      if (hyb_graph_find_variable (graph, name) == HYB_NO_ID)
        g_ptr_array_add (unused, (gpointer) name);
    }
  return unused;
}

/* All variables that may be parameters.  (transfer container) */
static GPtrArray *
list_all (HybModel *model)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  GPtrArray       *all = g_ptr_array_new ();
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    if (hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER)
      g_ptr_array_add (all, (gpointer) hyb_graph_get_node (graph, variables[i])->name);
  return all;
}

static const char *
suggest (GPtrArray *names, const char *name)
{
  return hyb_suggest_only ((const char *const *) names->pdata, names->len, name);
}

static gboolean
has_right_shape (HybModel *model, const char *variable, const char *parameter)
{
  g_autoptr (GPtrArray) one = g_ptr_array_new ();

  g_ptr_array_add (one, (gpointer) parameter);
  return hyb_match_agrees (model, one, &variable);
}

GPtrArray *
hyb_misspelt_parameters (HybModel *model)
{
  GPtrArray *pairs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) missing = find_missing (model);
  g_autoptr (GPtrArray) unused = find_unused (model);
  g_autoptr (GPtrArray) all = list_all (model);

  for (guint i = 0; i < missing->len; i++)
    {
      const char *variable = missing->pdata[i];
      const char *parameter = suggest (unused, variable);

      /* A variable that has an array may be as near: then letters may count layers, and all be shifted. */
      if (!parameter || g_strcmp0 (suggest (missing, parameter), variable) != 0 ||
          g_strcmp0 (suggest (all, parameter), variable) != 0 ||
          !have_same_digits (variable, parameter) || !has_right_shape (model, variable, parameter))
        continue;
      g_ptr_array_add (pairs, g_strdup (variable));
      g_ptr_array_add (pairs, g_strdup (parameter));
    }
  return pairs;
}
