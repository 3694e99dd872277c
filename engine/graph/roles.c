/* roles.c — distinguishes data, parameters, states and labels.
 *
 * The operators that read a variable decide, by the names that they give their operands; then the
 * variable's own name, by convention.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/roles.h"

#include "engine/base/translate.h"

#include <string.h>

/* No operator names more operands than this. */
#define MAX_OPERANDS 64

typedef struct
{
  const char *text;
  HybRole     role;
} Pattern;

/* Roles by the name that an operator declares for its operand. */
static const Pattern operands[] = {
  { "weight", HYB_ROLE_PARAMETER },      { "bias", HYB_ROLE_PARAMETER },
  { "gamma", HYB_ROLE_PARAMETER },       { "beta", HYB_ROLE_PARAMETER },
  { "parameters", HYB_ROLE_PARAMETER },  { "moving_mean", HYB_ROLE_PARAMETER },
  { "moving_var", HYB_ROLE_PARAMETER },  { "running_mean", HYB_ROLE_PARAMETER },
  { "running_var", HYB_ROLE_PARAMETER }, { "state", HYB_ROLE_STATE },
  { "state_cell", HYB_ROLE_STATE },
};

/* Roles by the variable's name; the first pattern that matches counts. */
static const Pattern names[] = {
  { "*label", HYB_ROLE_LABEL },          { "*begin_state*", HYB_ROLE_STATE },
  { "*_state", HYB_ROLE_STATE },         { "*_state_cell", HYB_ROLE_STATE },
  { "*weight", HYB_ROLE_PARAMETER },     { "*bias", HYB_ROLE_PARAMETER },
  { "*gamma", HYB_ROLE_PARAMETER },      { "*beta", HYB_ROLE_PARAMETER },
  { "*parameters", HYB_ROLE_PARAMETER }, { "*alpha", HYB_ROLE_PARAMETER },
  { "*_mean", HYB_ROLE_PARAMETER },      { "*_var", HYB_ROLE_PARAMETER },
  { "*_const", HYB_ROLE_PARAMETER },     { "*_init_h", HYB_ROLE_STATE },
  { "*_init_c", HYB_ROLE_STATE },
};

const char *
hyb_role_name (HybRole role)
{
  static const char *const role_names[] = {
    [HYB_ROLE_DATA] = N_ ("data"),
    [HYB_ROLE_PARAMETER] = N_ ("parameter"),
    [HYB_ROLE_STATE] = N_ ("state"),
    [HYB_ROLE_LABEL] = N_ ("label"),
  };

  return role_names[role];
}

/* The role that one reader gives to a variable.  FALSE if it gives none. */
static gboolean
role_at (const HybNode *reader, guint input, HybRole *role)
{
  g_autofree char *name = NULL;

  if (reader->op->flags & HYB_OP_OPAQUE || !reader->op->inputs)
    return FALSE;

  name = hyb_node_dup_input_name (reader, input);
  if (strcmp (name, "label") == 0 && reader->op->category == HYB_CATEGORY_LOSS)
    {
      *role = HYB_ROLE_LABEL;
      return TRUE;
    }

  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    if (strcmp (name, operands[i].text) == 0)
      {
        *role = operands[i].role;
        return TRUE;
      }
  return FALSE;
}

static gboolean
role_of_readers (HybGraph *graph, HybNodeId variable, HybRole *role)
{
  HybValueId       value = hyb_graph_get_node (graph, variable)->first_output;
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  for (guint i = 0; i < MIN (n, 16); i++)
    {
      const HybNode    *reader = hyb_graph_get_node (graph, users[i]);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, users[i]);

      for (guint k = 0; k < MIN (reader->n_inputs, MAX_OPERANDS); k++)
        if (inputs[k] == value && role_at (reader, k, role))
          return TRUE;
    }

  return FALSE;
}

static GPatternSpec *patterns[G_N_ELEMENTS (names)];

/* Prepares the patterns of names once: matching a text takes less than reading its pattern. */
static gpointer
make_patterns (gpointer unused)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    patterns[i] = g_pattern_spec_new (names[i].text);
  return NULL;
}

HybRole
hyb_graph_get_role (HybGraph *graph, HybNodeId variable, gboolean has_parameter)
{
  static GOnce once = G_ONCE_INIT;
  const char  *name = hyb_graph_get_node (graph, variable)->name;
  HybRole      role;

  if (has_parameter)
    return HYB_ROLE_PARAMETER;
  if (role_of_readers (graph, variable, &role))
    return role;

  /* Gluon writes this attribute for parameters only. */
  if (hyb_node_get_attribute (hyb_graph_get_node (graph, variable), "__storage_type__"))
    return HYB_ROLE_PARAMETER;
  g_once (&once, make_patterns, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_pattern_spec_match_string (patterns[i], name))
      return names[i].role;

  return HYB_ROLE_DATA;
}
