/* info.c — hscope info: shows the contents of a model or a parameter file.
 *
 * fill_info() collects the facts, print_text() and print_json() print them.  --find lists nodes
 * instead, --passes the passes of the planner, --operators all operators and
 * --operator NAME one of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/body-types.h"
#include "app/adapt/file-kind.h"
#include "app/adapt/find.h"
#include "app/adapt/labels.h"
#include "app/command/describe/describe-operator.h"
#include "app/command/describe/describe-structure.h"
#include "app/command/describe/describe.h"
#include "app/command/describe/known-types.h"
#include "app/command/describe/list-operators.h"
#include "app/command/frame/command.h"
#include "app/command/frame/open-model.h"

#include "engine/analysis/infer-types.h"
#include "engine/analysis/pass.h"
#include "engine/analysis/quantised-facts.h"
#include "engine/base/one-line.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/graph/roles.h"
#include "engine/lower/infer-lowered.h"
#include "engine/op/rules.h"
#include "engine/open/open.h"
#include "profiler/base/format.h"
#include "viz/diagram/short-names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
  gboolean passes;
  gboolean operators;
  char    *operator_name;
  char    *find;
} InfoOptions;

typedef struct
{
  HybModel   *model;
  HybGraph   *graph;
  HybType    *types;
  GHashTable *operators; /* name → count */
  GPtrArray  *order;     /* names of operators, in order of first occurrence */
  guint       n_subgraphs;
  guint       n_parameters;
  gint64      parameter_bytes;
  double      flops;
  gboolean    has_flops; /* FALSE: some shape is unknown */
} Info;

static void
count_operators (Info *info, HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
      const char      *name =
          node->op->flags & (HYB_OP_OPAQUE | HYB_OP_FOREIGN) ? node->type : node->op->name;
      guint n;

      if (!hyb_node_is_variable (node))
        {
          n = GPOINTER_TO_UINT (g_hash_table_lookup (info->operators, name));
          if (n == 0)
            g_ptr_array_add (info->order, (gpointer) name);
          g_hash_table_insert (info->operators, (gpointer) name, GUINT_TO_POINTER (n + 1));
        }
      for (guint b = 0; b < node->n_bodies; b++)
        {
          info->n_subgraphs++;
          count_operators (info, bodies[b]);
        }
    }
}

static void
count_parameters (Info *info)
{
  guint            n;
  const HybNodeId *ids = hyb_graph_get_variables (info->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (info->graph, ids[i]);
      HybTensor     *tensor = hyb_model_get_parameter (info->model, node->name);
      const HybType *type = &info->types[node->first_output];
      guint64        bytes;

      if (hyb_graph_get_role (info->graph, ids[i], tensor != NULL) != HYB_ROLE_PARAMETER)
        continue;
      info->n_parameters++;
      if (tensor)
        bytes = hyb_tensor_get_bytes (tensor);
      else
        bytes = hyb_type_is_known (type) ? hyb_type_bytes (type) : 0;
      /* Declared shapes may be of any size. */
      info->parameter_bytes = bytes > (guint64) (G_MAXINT64 - info->parameter_bytes)
                                  ? G_MAXINT64
                                  : info->parameter_bytes + (gint64) bytes;
    }
}

/* TRUE if all n types are known. */
static gboolean
all_known (const HybType *types, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!hyb_type_is_known (&types[i]))
      return FALSE;
  return TRUE;
}

/* FALSE if a type is unknown. */
static gboolean
sum_graph (HybGraph *graph, const HybType *types, double *flops)
{
  g_autofree HybType *room = NULL;
  guint               max_values = 0; /* inputs and outputs of one node */

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      max_values = MAX (max_values, node->n_inputs + node->n_outputs);
    }

  room = g_new (HybType, MAX (max_values, 1));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      HybCall call;
      HybCost cost;

      if (hyb_node_is_variable (hyb_graph_get_node (graph, id)))
        continue;
      hyb_call_init (&call, graph, id, types, room);
      if (!all_known (room, call.n_inputs + call.n_outputs))
        return FALSE;
      hyb_rule_cost (&call, &cost);
      *flops += cost.flops;
    }
  return TRUE;
}

/* The work of a graph of another format is counted on its lowered graph, if no dimension is open. */
static void
sum_flops (Info *info)
{
  g_autoptr (HybLowered) lowered = NULL;

  if (!hyb_graph_get_dialect (info->graph))
    {
      info->has_flops = sum_graph (info->graph, info->types, &info->flops);
      return;
    }
  if (!all_known (info->types, hyb_graph_n_values (info->graph)))
    return;
  lowered = hyb_lowered_new (info->graph, info->types);
  info->has_flops =
      lowered->faults->len == 0 && sum_graph (lowered->graph, lowered->types, &info->flops);
}

static gboolean
fill_info (Info *info, const ScopeCommonOptions *common, GError **error)
{
  g_autoptr (GError) conflict = NULL;

  info->types = scope_known_types_new (common, info->model, NULL, &conflict, error);
  if (!info->types)
    return FALSE;
  if (conflict)
    scope_print_message (HYB_SEVERITY_WARNING, "%s", conflict->message);

  info->operators = g_hash_table_new (g_str_hash, g_str_equal);
  info->order = g_ptr_array_new ();
  count_operators (info, info->graph);
  count_parameters (info);
  sum_flops (info);
  return TRUE;
}

static void
clear_info (Info *info)
{
  g_clear_pointer (&info->model, hyb_model_unref);
  g_clear_pointer (&info->operators, g_hash_table_unref);
  g_clear_pointer (&info->order, g_ptr_array_unref);
  g_clear_pointer (&info->types, g_free);
}

/* An entry that is written with digits is a number. */
static void
describe_fact (ScopeJson *json, const char *name, const char *value)
{
  gint64 number;

  if (name && g_ascii_string_to_signed (value, 10, G_MININT64 + 1, G_MAXINT64, &number, NULL))
    scope_json_int (json, name, number);
  else
    scope_json_string (json, name, value);
}

/* The file's own facts: each section is an object, or one string. */
static void
describe_facts (ScopeJson *json, HybModel *model)
{
  const char *section, *name, *value, *open = NULL;

  for (guint i = 0; hyb_model_get_fact (model, i, &section, &name, &value); i++)
    {
      if (open && (!name || strcmp (open, section) != 0))
        {
          scope_json_end (json);
          open = NULL;
        }
      if (!name)
        {
          scope_json_string (json, section, value);
          continue;
        }
      if (!open)
        scope_json_begin_object (json, section);
      open = section;
      describe_fact (json, name, value);
    }
  if (open)
    scope_json_end (json);
}

static void
print_json (const Info *info)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_string (json, "file", hyb_model_get_file (info->model));
  scope_json_string (json, "format", hyb_model_get_format (info->model));
  scope_json_string (json, "version", hyb_model_get_version (info->model));
  scope_json_int (json, "nodes", hyb_graph_n_nodes (info->graph));
  scope_json_begin_object (json, "operators");
  for (guint i = 0; i < info->order->len; i++)
    scope_json_int (json, info->order->pdata[i],
                    GPOINTER_TO_UINT (
                        g_hash_table_lookup (info->operators, info->order->pdata[i])));
  scope_json_end (json);
  describe_facts (json, info->model);
  scope_describe_values (json, info->model, info->types);
  scope_json_int (json, "subgraphs", info->n_subgraphs);
  scope_json_begin_object (json, "parameters");
  scope_json_int (json, "count", info->n_parameters);
  scope_json_int (json, "bytes", info->parameter_bytes);
  scope_json_end (json);
  if (info->has_flops)
    scope_json_double (json, "flops", info->flops);
  else
    scope_json_null (json, "flops");
  scope_describe_structure (json, info->model, info->types);
  scope_json_print (json);
}

static void
print_variables (const Info *info, const char *title, const HybNodeId *ids, guint n)
{
  if (n > 0)
    printf ("%s:\n", title);
  for (guint i = 0; i < n; i++)
    {
      const HybNode   *node = hyb_graph_get_node (info->graph, ids[i]);
      g_autofree char *type = hyb_type_to_string (&info->types[node->first_output]);
      gboolean         is_given = hyb_model_get_parameter (info->model, node->name) != NULL;

      printf ("  %-40s %-24s %s\n", hyb_one_line (node->name), type,
              hyb_graph_is_auxiliary (info->graph, ids[i])
                  ? ""
                  : hyb_role_name (hyb_graph_get_role (info->graph, ids[i], is_given)));
    }
}

/* One line if layers compute on integers; hscope check lists them with their ranges. */
static void
print_quantised (const Info *info)
{
  g_autoptr (HybQuantisedFacts) facts = hyb_quantised_facts_new (info->graph);
  g_autofree char *text = facts ? hyb_quantised_facts_to_string (facts) : NULL;

  if (text)
    printf ("quantised: %s\n", text);
}

static void
print_text (const Info *info)
{
  guint             n;
  const HybNodeId  *ids;
  const HybValueId *heads = hyb_graph_get_heads (info->graph, &n);
  g_auto (GStrv) names = hyb_graph_dup_output_names (info->graph);
  g_autofree char *size = prof_format_bytes ((double) info->parameter_bytes);
  g_autofree char *writer = scope_label_writer (info->model);
  g_autofree char *nodes = scope_dup_count (hyb_graph_n_nodes (info->graph), "node");
  g_autofree char *subgraphs = scope_dup_count (info->n_subgraphs, "subgraph");
  g_autofree char *parameters = scope_dup_count (info->n_parameters, "parameter");

  printf ("%s: %s%s%s, %s, %s\n", hyb_one_line (hyb_model_get_file (info->model)),
          hyb_model_get_format (info->model), writer ? ", " : "", writer ? writer : "", nodes,
          subgraphs);
  printf ("%s, %s", parameters, size);
  if (info->has_flops)
    printf (", %.4g FLOP per forward pass", info->flops);
  printf ("\n");
  print_quantised (info);
  scope_print_structure (info->model, info->types);
  printf ("outputs:\n");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *type = hyb_type_to_string (&info->types[heads[i]]);

      printf ("  %-40s %s\n", hyb_one_line (names[i]), type);
    }
  ids = hyb_graph_get_arguments (info->graph, &n);
  print_variables (info, "arguments", ids, n);
  ids = hyb_graph_get_auxiliary (info->graph, &n);
  print_variables (info, "auxiliary states", ids, n);
  printf ("operators:\n");
  for (guint i = 0; i < info->order->len; i++)
    printf ("  %6u %s\n",
            GPOINTER_TO_UINT (g_hash_table_lookup (info->operators, info->order->pdata[i])),
            hyb_one_line (info->order->pdata[i]));
}

/* A search through a graph and its bodies. */
typedef struct
{
  const ScopeFind *query;
  GHashTable      *body_types; /* HybGraph → HybType *, by value id */
  ScopeJson       *json;
  gboolean         is_quiet; /* only JSON */
  guint            n_found;
} Search;

/* Operator, name, and the type of the first output. */
static void
print_found (const HybNode *node, const char *name, const HybType *types)
{
  g_autofree char *type = types && node->n_outputs > 0
                              ? hyb_type_to_string (&types[node->first_output])
                              : g_strdup ("");

  printf ("%-24s %-40s %s\n", hyb_one_line (node->type), hyb_one_line (name), type);
}

/* Lists the matching nodes of a graph.  types: by value id.  path: "" or "foreach0/". */
static void
find_nodes (Search *search, HybGraph *graph, const HybType *types, const char *path)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      g_autofree char *name = g_strconcat (path, node->name, NULL);
      g_autofree char *inside = g_strconcat (name, "/", NULL);
      g_autofree char *title = viz_short_operator (node->type);
      ScopeFindNode    candidate = {
           .graph = graph, .node = id, .types = types, .path = name, .title = title, .seconds = NAN
      };

      if (scope_find_matches (search->query, &candidate))
        {
          search->n_found++;
          scope_json_begin_object (search->json, NULL);
          scope_json_string (search->json, "name", name);
          scope_json_string (search->json, "operator", node->type);
          scope_describe_node_outputs (search->json, graph, id, types);
          scope_json_end (search->json);
          if (!search->is_quiet)
            print_found (node, name, types);
        }
      for (guint b = 0; b < node->n_bodies; b++)
        {
          HybGraph *body = hyb_graph_get_bodies (graph, id)[b];

          find_nodes (search, body, g_hash_table_lookup (search->body_types, body), inside);
        }
    }
}

static int
print_search (const Info *info, const ScopeCommonOptions *common, const char *text, GError **error)
{
  g_autoptr (GError) query_error = NULL;
  g_autoptr (ScopeFind) query = scope_find_new (text, &query_error);
  g_autoptr (GHashTable) body_types = scope_body_types_of_graph (info->graph, info->types);
  g_autoptr (ScopeJson) json = scope_json_new ();
  g_autofree char *meant = NULL;
  Search           search = { query, body_types, json, common->json };

  if (!query)
    {
      scope_usage_error (error, "--find: %s", query_error->message);
      return SCOPE_EXIT_FAILED;
    }
  scope_json_begin_list (json, "found");
  find_nodes (&search, info->graph, info->types, "");
  scope_json_end (json);
  if (search.n_found == 0 && (meant = scope_find_suggest (query, info->graph)))
    scope_print_message (HYB_SEVERITY_NOTE, "--find: nothing was found; did you mean “%s”?", meant);
  if (common->json)
    scope_json_print (json);
  return SCOPE_EXIT_DONE;
}

static int
print_weights (const ScopeCommonOptions *common, const char *file, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_weights_read_file (file, NULL, error);
  g_autoptr (GBytes) bytes = list ? hyb_file_read (file, 0, error) : NULL;
  g_autoptr (ScopeJson) json = NULL;

  if (!bytes)
    return SCOPE_EXIT_FAILED;
  if (!common->json)
    {
      g_autofree char *arrays = scope_dup_count (hyb_tensor_list_n (list), "array");

      printf ("%s: %s, %s; hscope weights lists them\n", hyb_one_line (file),
              hyb_format_of_bytes (bytes)->id, arrays);
      return SCOPE_EXIT_DONE;
    }

  json = scope_json_new ();
  scope_json_string (json, "file", file);
  scope_json_string (json, "format", hyb_format_of_bytes (bytes)->id);
  scope_describe_tensors (json, list);
  scope_json_print (json);
  return SCOPE_EXIT_DONE;
}

static int
list_passes (const ScopeCommonOptions *common)
{
  const HybPass *const *passes = hyb_passes ();
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_begin_list (json, "passes");
  for (guint i = 0; passes[i]; i++)
    {
      if (!common->json)
        printf ("%-20s %s%s\n", passes[i]->name, passes[i]->doc,
                passes[i]->optimising ? "" : " (always runs)");
      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", passes[i]->name);
      scope_json_string (json, "doc", passes[i]->doc);
      scope_json_boolean (json, "optimising", passes[i]->optimising);
      scope_json_end (json);
    }
  scope_json_end (json);
  if (common->json)
    scope_json_print (json);
  return SCOPE_EXIT_DONE;
}

static int
run_info (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const InfoOptions *options = data;
  Info               info = { 0 };
  gboolean           is_filled;

  if (options->passes)
    return list_passes (common);
  if (options->operators)
    {
      scope_print_operators (common->json);
      return SCOPE_EXIT_DONE;
    }
  if (options->operator_name)
    return scope_print_operator (options->operator_name, common->json, error) ? SCOPE_EXIT_DONE
                                                                              : SCOPE_EXIT_FAILED;
  if (!files[0])
    {
      scope_usage_error (error, "hscope info takes a MODEL; see hscope info --help");
      return SCOPE_EXIT_FAILED;
    }
  if (scope_is_weights_file (files[0]))
    return print_weights (common, files[0], error);

  info.model = scope_open_model (common, files, error);
  if (!info.model)
    return SCOPE_EXIT_FAILED;

  info.graph = hyb_model_get_graph (info.model);
  is_filled = fill_info (&info, common, error);
  if (is_filled && options->find)
    {
      int status = print_search (&info, common, options->find, error);

      clear_info (&info);
      return status;
    }
  if (is_filled && common->json)
    print_json (&info);
  else if (is_filled)
    print_text (&info);
  clear_info (&info);
  return is_filled ? SCOPE_EXIT_DONE : SCOPE_EXIT_FAILED;
}

static const GOptionEntry info_options[] = {
  { SCOPE_OPTION (InfoOptions, NONE, "passes", passes),
    "List the passes that turn a graph into a plan", NULL },
  { SCOPE_OPTION (InfoOptions, NONE, "operators", operators),
    "List all operators with their names, and names of MXNet that have none with the reason",
    NULL },
  { SCOPE_OPTION (InfoOptions, STRING, "operator", operator_name),
    "Describe an operator: inputs, outputs, attributes with their defaults, element types, "
    "gradient",
    "NAME" },
  { SCOPE_OPTION (InfoOptions, STRING, "find", find),
    "List the nodes that match: words, op: name: shape: dtype: attr: in: bytes>, -not", "QUERY" },
  { 0 },
};

static const char *const examples[] = {
  "hscope info gallery:lstm-hybrid",
  "hscope info --operator Convolution",
  "hscope new lenet --output net && hscope info net-symbol.json --json",
  NULL,
};

const ScopeCommand scope_command_info = {
  .name = "info",
  .arguments = "MODEL [PARAMS]",
  .summary = "Show the contents of a model or a parameter file",
  .n_files = { 0, 2 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES | SCOPE_OPTIONS_EACH,
  .unused_options = "no-guess",
  .examples = examples,
  .options = info_options,
  .options_size = sizeof (InfoOptions),
  .run = run_info,
};
