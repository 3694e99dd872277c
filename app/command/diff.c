/* diff.c — hscope diff: shows how two models differ in nodes and parameters.
 *
 * hyb_diff_new() matches the nodes, and hyb_counterparts_find() matches nodes of files from different programs by their role;
 * this file prints the result as text or JSON.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/command.h"
#include "app/command/frame/complete-model.h"
#include "app/command/frame/json-writer.h"
#include "app/command/frame/open-model.h"

#include "engine/base/one-line.h"
#include "engine/variants/diff.h"
#include "engine/variants/roles/counterparts.h"

#include <stdio.h>

#define MAX_PRINTED 20

/* Larger groups are listed by their first nodes: each of one model with the first of the other one. */
#define MAX_LISTED 4096

typedef struct
{
  char    *params_b;
  gboolean matches;
} DiffOptions;

static const char *
node_name (HybModel *model, const GArray *ids, guint i)
{
  return hyb_graph_get_node (hyb_model_get_graph (model), g_array_index (ids, HybNodeId, i))->name;
}

static void
put_names (ScopeJson *json, const char *key, HybModel *model, const GArray *ids)
{
  scope_json_begin_list (json, key);
  for (guint i = 0; i < ids->len; i++)
    scope_json_string (json, NULL, node_name (model, ids, i));
  scope_json_end (json);
}

static void
put_parameters (ScopeJson *json, const HybDiff *diff)
{
  scope_json_begin_object (json, "parameters");
  scope_json_int (json, "equal", diff->n_equal);
  scope_json_begin_list (json, "changed");
  for (guint i = 0; i < diff->parameters->len; i++)
    {
      const HybDiffParameter *parameter = &g_array_index (diff->parameters, HybDiffParameter, i);

      if (!parameter->a || !parameter->b)
        continue;
      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", parameter->name);
      if (parameter->max_abs < 0)
        {
          scope_json_null (json, "max_abs");
          scope_json_null (json, "distance");
        }
      else
        {
          scope_json_double (json, "max_abs", parameter->max_abs);
          scope_json_double (json, "distance", parameter->distance);
        }
      scope_json_end (json);
    }
  scope_json_end (json);
  for (guint side = 0; side < 2; side++)
    {
      scope_json_begin_list (json, side == 0 ? "removed" : "added");
      for (guint i = 0; i < diff->parameters->len; i++)
        {
          const HybDiffParameter *parameter =
              &g_array_index (diff->parameters, HybDiffParameter, i);

          if (side == 0 ? !parameter->b : !parameter->a)
            scope_json_string (json, NULL, parameter->name);
        }
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
put_match (ScopeJson *json, HybModel *a, HybModel *b, HybNodeId x, HybNodeId y)
{
  scope_json_begin_list (json, NULL);
  scope_json_string (json, NULL, hyb_graph_get_node (hyb_model_get_graph (a), x)->name);
  scope_json_string (json, NULL, hyb_graph_get_node (hyb_model_get_graph (b), y)->name);
  scope_json_int (json, NULL, -1);
  scope_json_end (json);
}

/* As hscope convert --matches lists them: the node of a, the node of b, and no step. */
static void
put_matches (ScopeJson *json, HybModel *a, HybModel *b, const HybDiff *diff)
{
  HybGraph *graph = hyb_model_get_graph (a);
  g_autoptr (GHashTable) grouped = g_hash_table_new (NULL, NULL);

  scope_json_begin_list (json, "matches");
  for (guint i = 0; i < diff->groups->len; i++)
    {
      const HybDiffGroup *group = diff->groups->pdata[i];
      gboolean            is_large = (guint64) group->a->len * group->b->len > MAX_LISTED;

      for (guint x = 0; x < group->a->len; x++)
        g_hash_table_add (grouped, GUINT_TO_POINTER (g_array_index (group->a, HybNodeId, x) + 1));
      for (guint x = 0; x < group->a->len; x++)
        for (guint y = 0; y < group->b->len; y++)
          if (!is_large || x == 0 || y == 0)
            put_match (json, a, b, g_array_index (group->a, HybNodeId, x),
                       g_array_index (group->b, HybNodeId, y));
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (diff->b_of_a[id] != HYB_NO_ID &&
        !g_hash_table_contains (grouped, GUINT_TO_POINTER (id + 1)))
      put_match (json, a, b, id, diff->b_of_a[id]);
  scope_json_end (json);
}

static void
print_json (HybModel *a, HybModel *b, const HybDiff *diff, gboolean has_matches)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_boolean (json, "same", diff->same);
  scope_json_begin_object (json, "nodes");
  scope_json_int (json, "added", diff->added->len);
  scope_json_int (json, "removed", diff->removed->len);
  scope_json_int (json, "changed", diff->changed->len);
  scope_json_int (json, "matched", diff->n_matched);
  put_names (json, "added_names", b, diff->added);
  put_names (json, "removed_names", a, diff->removed);
  put_names (json, "changed_names", a, diff->changed);
  scope_json_end (json);
  put_parameters (json, diff);
  scope_json_begin_list (json, "groups");
  for (guint i = 0; i < diff->groups->len; i++)
    {
      const HybDiffGroup *group = diff->groups->pdata[i];

      scope_json_begin_object (json, NULL);
      if (group->role)
        scope_json_string (json, "role", group->role);
      put_names (json, "a", a, group->a);
      put_names (json, "b", b, group->b);
      scope_json_end (json);
    }
  scope_json_end (json);
  if (has_matches)
    put_matches (json, a, b, diff);
  scope_json_print (json);
}

/* Whether the variable of a parameter is in a group of nodes that have the same role. */
static gboolean
is_in_group (HybModel *model, const HybDiff *diff, const char *name, gboolean is_b)
{
  HybNodeId id = hyb_graph_find_variable (hyb_model_get_graph (model), name);

  for (guint i = 0; i < diff->groups->len; i++)
    {
      const HybDiffGroup *group = diff->groups->pdata[i];
      const GArray       *nodes = is_b ? group->b : group->a;

      for (guint k = 0; group->role && k < nodes->len; k++)
        if (g_array_index (nodes, HybNodeId, k) == id)
          return TRUE;
    }
  return FALSE;
}

static void
print_names (char mark, HybModel *model, const GArray *ids)
{
  for (guint i = 0; i < MIN (ids->len, MAX_PRINTED); i++)
    printf ("%c %s\n", mark, hyb_one_line (node_name (model, ids, i)));
  if (ids->len > MAX_PRINTED)
    printf ("%c … %u more\n", mark, ids->len - MAX_PRINTED);
}

static void
print_text (HybModel *a, HybModel *b, const HybDiff *diff)
{
  if (diff->same)
    {
      printf ("identical: %u nodes, %u parameters\n", diff->n_matched, diff->n_equal);
      return;
    }
  printf ("nodes: %u matched, %u changed, %u removed, %u added; parameters: %u equal, %u "
          "different\n",
          diff->n_matched, diff->changed->len, diff->removed->len, diff->added->len, diff->n_equal,
          diff->parameters->len);
  for (guint i = 0; i < diff->groups->len; i++)
    {
      const HybDiffGroup *group = diff->groups->pdata[i];

      printf ("= %s%s%u %s (%s%s) match %u (%s%s)\n", group->role ? hyb_one_line (group->role) : "",
              group->role ? ": " : "", group->a->len, group->a->len == 1 ? "node" : "nodes",
              hyb_one_line (node_name (a, group->a, 0)), group->a->len > 1 ? " …" : "",
              group->b->len, hyb_one_line (node_name (b, group->b, 0)),
              group->b->len > 1 ? " …" : "");
    }
  print_names ('~', a, diff->changed);
  print_names ('-', a, diff->removed);
  print_names ('+', b, diff->added);
  for (guint i = 0; i < diff->parameters->len; i++)
    {
      const HybDiffParameter *parameter = &g_array_index (diff->parameters, HybDiffParameter, i);

      if (!parameter->a != !parameter->b &&
          is_in_group (parameter->a ? a : b, diff, parameter->name, !parameter->a))
        continue;
      if (parameter->a && parameter->b && parameter->max_abs >= 0)
        printf ("~ %s: largest difference %.4g, distance %.4g\n", hyb_one_line (parameter->name),
                parameter->max_abs, parameter->distance);
      else
        printf ("%c %s\n",
                parameter->a && parameter->b ? '~'
                : parameter->a               ? '-'
                                             : '+',
                hyb_one_line (parameter->name));
    }
}

/* Matches by their role the nodes of models that are not both MXNet's own: other programs give every node another name. */
static gboolean
match_roles (const ScopeCommonOptions *common,
             HybModel                 *a,
             HybModel                 *b,
             HybDiff                  *diff,
             GError                  **error)
{
  g_auto (ScopeCompletion) completion = { 0 };
  g_autoptr (HybTensorList) inputs = NULL;
  g_autoptr (GPtrArray) found = NULL;
  g_autoptr (GError) reason = NULL;

  if (diff->same || (!hyb_graph_get_dialect (hyb_model_get_graph (a)) &&
                     !hyb_graph_get_dialect (hyb_model_get_graph (b))))
    return TRUE;
  if (!scope_complete_model (&completion, common, a, &(ScopeCompletionOptions){ .fills = TRUE },
                             error) ||
      !(inputs = scope_shaped_inputs (&completion.common, a, NULL, error)))
    return FALSE;
  found = hyb_counterparts_find (a, b, inputs, &reason);
  if (found)
    hyb_diff_add_counterparts (diff, found);
  else
    scope_print_message (HYB_SEVERITY_NOTE, "nodes are not matched by their role: %s",
                         reason->message);
  return TRUE;
}

static int
run_diff (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const DiffOptions *options = data;
  char              *a_files[] = { files[0], NULL };
  char              *b_files[] = { files[1], NULL };
  ScopeCommonOptions b_common = *common;
  g_autoptr (HybModel) a = NULL;
  g_autoptr (HybModel) b_read = NULL;
  g_autoptr (HybModel) b = NULL;
  g_autoptr (HybDiff) diff = NULL;

  b_common.params = options->params_b;
  if (!(a = scope_open_model (common, a_files, error)) ||
      !(b_read = scope_open_model (&b_common, b_files, error)))
    return SCOPE_EXIT_FAILED;
  b = scope_align_inputs (b_read, a);
  diff = hyb_diff_new (a, b);
  if (!match_roles (common, a, b, diff, error))
    return SCOPE_EXIT_FAILED;
  if (common->json)
    print_json (a, b, diff, options->matches);
  else
    print_text (a, b, diff);
  return diff->same ? SCOPE_EXIT_DONE : SCOPE_EXIT_CHECK_FAILED;
}

static const GOptionEntry diff_options[] = {
  { SCOPE_OPTION (DiffOptions, FILENAME, "params-b", params_b),
    "Parameter file of the second model (default: found beside it)", "FILE" },
  { SCOPE_OPTION (DiffOptions, NONE, "matches", matches),
    "With --json: list which node of A matches which of B", NULL },
  { 0 },
};

static const char *const examples[] = {
  "hscope diff gallery:lenet gallery:lenet",
  "hscope convert gallery:lstm-hybrid --to fused --output fused && hscope diff gallery:lstm-hybrid "
  "fused-symbol.json || test $? = 1",
  NULL,
};

const ScopeCommand scope_command_diff = {
  .name = "diff",
  .arguments = "A B",
  .summary = "Show how two models differ; several forms of the same cell are matched",
  .n_files = { 2, 2 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES,
  .examples = examples,
  .options = diff_options,
  .options_size = sizeof (DiffOptions),
  .run = run_diff,
};
