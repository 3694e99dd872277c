/* describe.c — variables, arrays and findings as JSON.
 *
 * Scripts rely on the keys; do not rename them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe.h"

#include "app/adapt/tensor-summary.h"
#include "app/command/frame/messages.h"
#include "engine/graph/roles.h"

#include <string.h>

static void
describe_variable (ScopeJson *json, HybModel *model, HybNodeId id, const HybType *types)
{
  HybGraph      *graph = hyb_model_get_graph (model);
  const HybNode *node = hyb_graph_get_node (graph, id);
  const HybType *type = &types[node->first_output];
  HybRole        role =
      hyb_graph_get_role (graph, id, hyb_model_get_parameter (model, node->name) != NULL);

  scope_json_begin_object (json, NULL);
  scope_json_string (json, "name", node->name);
  scope_json_shape (json, "shape", &type->shape);
  scope_json_dtype (json, "dtype", type->dtype);
  if (!hyb_graph_is_auxiliary (graph, id))
    scope_json_string (json, "role", hyb_role_name (role));
  scope_json_end (json);
}

/* Empty lists, for a file that holds no graph. */
static void
describe_no_values (ScopeJson *json)
{
  static const char *const keys[] = { "arguments", "auxiliary", "outputs" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      scope_json_begin_list (json, keys[i]);
      scope_json_end (json);
    }
}

static void
describe_outputs (ScopeJson *json, HybGraph *graph, const HybType *types)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);
  g_auto (GStrv) names = hyb_graph_dup_output_names (graph);

  scope_json_begin_list (json, "outputs");
  for (guint i = 0; i < n; i++)
    {
      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", names[i]);
      scope_json_shape (json, "shape", &types[heads[i]].shape);
      scope_json_dtype (json, "dtype", types[heads[i]].dtype);
      scope_json_end (json);
    }
  scope_json_end (json);
}

void
scope_describe_node_outputs (ScopeJson *json, HybGraph *graph, HybNodeId node, const HybType *types)
{
  const HybNode *shown = hyb_graph_get_node (graph, node);
  guint          n = hyb_op_n_visible (shown->op, shown->params, shown->n_outputs);

  scope_json_begin_list (json, "outputs");
  for (guint i = 0; i < n; i++)
    {
      HybValueId       value = shown->first_output + i;
      g_autofree char *name = hyb_graph_dup_value_name (graph, value);
      const HybType   *type = types ? &types[value] : &HYB_TYPE_UNKNOWN;

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", name);
      scope_json_shape (json, "shape", &type->shape);
      scope_json_dtype (json, "dtype", type->dtype);
      scope_json_end (json);
    }
  scope_json_end (json);
}

void
scope_describe_values (ScopeJson *json, HybModel *model, const HybType *types)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *ids;

  if (!graph)
    {
      describe_no_values (json);
      return;
    }

  ids = hyb_graph_get_arguments (graph, &n);
  scope_json_begin_list (json, "arguments");
  for (guint i = 0; i < n; i++)
    describe_variable (json, model, ids[i], types);
  scope_json_end (json);

  ids = hyb_graph_get_auxiliary (graph, &n);
  scope_json_begin_list (json, "auxiliary");
  for (guint i = 0; i < n; i++)
    describe_variable (json, model, ids[i], types);
  scope_json_end (json);
  describe_outputs (json, graph, types);
}

void
scope_describe_tensor (ScopeJson  *json,
                       const char *name,
                       HybTensor  *tensor,
                       gboolean    with_deviation)
{
  ScopeSummary summary;

  scope_json_string (json, "name", name);
  if (!tensor)
    {
      scope_json_null (json, "shape");
      scope_json_null (json, "dtype");
      return;
    }

  scope_summary_compute (&summary, tensor, NULL);
  scope_json_shape (json, "shape", hyb_tensor_get_shape (tensor));
  scope_json_dtype (json, "dtype", hyb_tensor_get_dtype (tensor));
  scope_json_double (json, "minimum", summary.statistics.minimum);
  scope_json_double (json, "maximum", summary.statistics.maximum);
  scope_json_double (json, "mean", summary.statistics.mean);
  if (with_deviation)
    scope_json_double (json, "std", summary.statistics.deviation);
  scope_json_int (json, "nan", summary.statistics.n_nan);
  scope_json_int (json, "infinite", summary.statistics.n_infinite);
  scope_json_int (json, "zeros", summary.n_zeros);
}

void
scope_describe_tensors (ScopeJson *json, HybTensorList *list)
{
  scope_json_begin_list (json, "tensors");
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);

      scope_json_begin_object (json, NULL);
      scope_describe_tensor (json, entry->name, entry->tensor, TRUE);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
describe_items (ScopeJson *json, const GArray *items)
{
  scope_json_begin_list (json, "items");
  for (guint i = 0; items && i < items->len; i++)
    {
      const HybFindingItem *item = &g_array_index (items, HybFindingItem, i);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", item->name);
      scope_json_raw (json, "expected", item->expected ? item->expected : "null");
      scope_json_raw (json, "got", item->got ? item->got : "null");
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
describe_place (ScopeJson *json, const HybFinding *finding)
{
  scope_json_begin_object (json, "place");
  if (finding->file)
    scope_json_string (json, "file", finding->file);
  if (finding->line > 0)
    scope_json_int (json, "line", finding->line);
  if (finding->path)
    scope_json_string (json, "path", finding->path);
  if (finding->offset >= 0)
    scope_json_int (json, "offset", finding->offset);
  scope_json_end (json);
}

void
scope_describe_findings (ScopeJson *json, GPtrArray *findings)
{
  g_autofree char *summary = scope_findings_dup_verdict (findings);

  scope_json_begin_list (json, "findings");
  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      g_autofree char  *hint = scope_finding_dup_hint (finding);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "code", finding->code);
      scope_json_string (json, "severity", hyb_severity_name (finding->severity));
      scope_json_string (json, "node", finding->node);
      describe_place (json, finding);
      scope_json_string (json, "message", finding->message);
      scope_json_string (json, "hint", hint);
      describe_items (json, finding->items);
      scope_json_end (json);
    }
  scope_json_end (json);

  scope_json_string (json, "summary", summary);
}

void
scope_describe_strings (ScopeJson *json, const char *key, const GPtrArray *strings)
{
  scope_json_begin_list (json, key);
  for (guint i = 0; i < strings->len; i++)
    scope_json_string (json, NULL, strings->pdata[i]);
  scope_json_end (json);
}

/* The length of “FILE” or “FILE:LINE” at the start of a message, which “: ” follows; 0 if it does not
 * start with the name of a file that exists or was looked for.  *line: 0 without one. */
static gsize
find_place (const char *text, gsize *n_file, guint *line)
{
  const char *end = strstr (text, ": ");
  gsize       n = end ? (gsize) (end - text) : 0, digits = n;

  *line = 0;
  if (n == 0 || g_utf8_strchr (text, (gssize) n, 0x201c) || text[0] == '-')
    return 0;
  while (digits > 0 && g_ascii_isdigit (text[digits - 1]))
    digits--;
  *n_file = n;
  if (digits > 1 && digits < n && text[digits - 1] == ':')
    {
      *n_file = digits - 1;
      *line = (guint) g_ascii_strtoull (text + digits, NULL, 10);
    }
  /* “line 4: …” and “node x: …” are not files. */
  return memchr (text, ' ', *n_file) && !memchr (text, '/', *n_file) ? 0 : n + 2;
}

/* The start of the last sentence if there are several; NULL otherwise. */
static const char *
find_hint (const char *text)
{
  const char *found = NULL;

  for (const char *at = text; (at = strstr (at, ". ")); at += 2)
    if (g_unichar_isupper (g_utf8_get_char (at + 2)))
      found = at;
  return found;
}

void
scope_describe_error (ScopeJson *json, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1), *file = NULL, *message = NULL;
  gsize            n_file = 0;
  guint            line;
  const char      *what = valid + find_place (valid, &n_file, &line);
  const char      *hint = find_hint (what);

  message = hint ? g_strndup (what, (gsize) (hint - what)) : g_strdup (what);
  scope_json_begin_object (json, "error");
  scope_json_string (json, "message", message);
  scope_json_begin_object (json, "place");
  if (what > valid)
    {
      file = g_strndup (valid, n_file);
      scope_json_string (json, "file", file);
    }
  if (what > valid && line > 0)
    scope_json_int (json, "line", line);
  scope_json_end (json);
  scope_json_string (json, "hint", hint ? hint + 2 : NULL);
  scope_json_end (json);
}
