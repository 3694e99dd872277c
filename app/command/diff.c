/* diff.c — hscope diff: shows how two models differ in nodes and parameters.
 *
 * hyb_diff_new() matches the nodes; this file prints the result as text or JSON.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"
#include "app/command/json-writer.h"
#include "app/command/open-model.h"

#include "engine/base/one-line.h"
#include "engine/variants/diff.h"

#include <stdio.h>

#define MAX_PRINTED 20

typedef struct
{
  char *params_b;
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
print_json (HybModel *a, HybModel *b, const HybDiff *diff)
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
      put_names (json, "a", a, group->a);
      put_names (json, "b", b, group->b);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_print (json);
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

      printf ("= %u nodes (%s …) match %u (%s)\n", group->a->len,
              hyb_one_line (node_name (a, group->a, 0)), group->b->len,
              hyb_one_line (node_name (b, group->b, 0)));
    }
  print_names ('~', a, diff->changed);
  print_names ('-', a, diff->removed);
  print_names ('+', b, diff->added);
  for (guint i = 0; i < diff->parameters->len; i++)
    {
      const HybDiffParameter *parameter = &g_array_index (diff->parameters, HybDiffParameter, i);

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

static int
run_diff (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const DiffOptions *options = data;
  char              *a_files[] = { files[0], NULL };
  char              *b_files[] = { files[1], NULL };
  ScopeCommonOptions b_common = *common;
  g_autoptr (HybModel) a = NULL;
  g_autoptr (HybModel) b = NULL;
  g_autoptr (HybDiff) diff = NULL;

  b_common.params = options->params_b;
  if (!(a = scope_open_model (common, a_files, error)) ||
      !(b = scope_open_model (&b_common, b_files, error)))
    return SCOPE_EXIT_FILE;
  diff = hyb_diff_new (a, b);
  if (common->json)
    print_json (a, b, diff);
  else
    print_text (a, b, diff);
  return diff->same ? SCOPE_EXIT_DONE : SCOPE_EXIT_CHECK_FAILED;
}

static const GOptionEntry diff_options[] = {
  { "params-b", 0, 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (DiffOptions, params_b),
    "Parameter file of the second model (default: found beside it)", "FILE" },
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
  .option_groups = SCOPE_OPTIONS_MODEL,
  .examples = examples,
  .options = diff_options,
  .options_size = sizeof (DiffOptions),
  .run = run_diff,
};
