/* mxnet-symbol-build.c — builds a graph from records.
 *
 * A node that its operator refuses becomes an opaque node, with an error finding, so that the rest
 * of the graph can be looked at.  Start at hyb_symbol_build().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-symbol-private.h"

#include "engine/base/error.h"
#include "engine/base/translate.h"
#include "engine/graph/builder.h"
#include "engine/op/suggest.h"

#include <string.h>

typedef struct
{
  SymbolReader *reader;
  SymbolGraph  *graph;
  HybBuilder   *builder;
  HybNodeId    *ids;        /* by record */
  GArray       *inputs;     /* of HybValueId: the inputs of the current node */
  GPtrArray    *attributes; /* of the current node, NULL-terminated */
  GPtrArray    *unknown;    /* keys of the current node that its operator does not have */
  guint64       n_opaque;   /* outputs of all opaque nodes so far */
} GraphBuild;

/* The value that an entry refers to; FALSE if the node, which was added before, does not have this
 * output. */
static gboolean
resolve (GraphBuild *build, const SymbolEntry *entry, HybValueId *value)
{
  const HybNode *node = hyb_builder_get_node (build->builder, build->ids[entry->node]);

  if (entry->output >= node->n_outputs)
    return FALSE;

  *value = hyb_builder_output (build->builder, build->ids[entry->node], entry->output);
  return TRUE;
}

static guint
count_outputs (GraphBuild *build, const SymbolEntry *entry)
{
  return hyb_builder_get_node (build->builder, build->ids[entry->node])->n_outputs;
}

static gboolean
resolve_inputs (GraphBuild *build, guint index)
{
  const SymbolGraph *graph = build->graph;
  const SymbolNode  *node = hyb_symbol_node (graph, index);

  g_array_set_size (build->inputs, 0);
  for (guint i = 0; i < node->n_entries; i++)
    {
      const SymbolEntry *entry =
          &g_array_index (graph->entries, SymbolEntry, node->first_entry + i);
      HybValueId value;

      if (!resolve (build, entry, &value))
        return hyb_symbol_refuse (build->reader,
                                  &(SymbolIssue){ "bad-edge", SYMBOL_AT_NODE (graph, index), NULL },
                                  "input %u is output %u of “%s”, which has %u", i, entry->output,
                                  hyb_symbol_node (graph, entry->node)->name,
                                  count_outputs (build, entry));
      g_array_append_val (build->inputs, value);
    }

  return TRUE;
}

static void
collect_attributes (GraphBuild *build, const SymbolNode *node)
{
  g_ptr_array_set_size (build->attributes, 0);
  for (guint i = 0; i < node->n_attributes; i++)
    g_ptr_array_add (build->attributes, build->graph->attributes->pdata[node->first_attribute + i]);
  g_ptr_array_add (build->attributes, NULL);
}

/* TRUE if MXNet loads a file in which this operator has unknown attributes. */
static gboolean
takes_any_attribute (const HybOp *op)
{
  return !op->params || !op->params->name || (op->flags & HYB_OP_ANY_ATTRIBUTE);
}

/* TRUE for the attribute by which a node names its operator. */
static gboolean
names_plugin (const SymbolNode *node, const char *key)
{
  const HybOp *type = hyb_op_find (node->type);

  return type && type->flags & HYB_OP_NAMES_PLUGIN && strcmp (key, "op_type") == 0;
}

/* Reports an unknown attribute: one finding for each operator and key, with the nodes as items. */
static void
report_unknown_attribute (GraphBuild *build, guint index, const char *key)
{
  SymbolReader     *reader = build->reader;
  const SymbolNode *node = hyb_symbol_node (build->graph, index);
  g_autofree char  *id = g_strdup_printf ("%s %s", node->type, key);
  g_autofree char  *hint = NULL;
  const char       *near;
  HybFinding       *finding;

  if (hyb_symbol_is_hidden_key (key) || names_plugin (node, key))
    return;

  finding = g_hash_table_lookup (reader->unknown, id);
  if (!finding)
    {
      gboolean is_harmless = takes_any_attribute (node->op);

      near = hyb_suggest_param (node->op->params, key);
      hint = near ? g_strdup_printf (_ ("Did you mean “%s”?"), near)
             : is_harmless
                 ? g_strdup (_ ("MXNet 1.9.1 ignores it, too"))
                 : g_strdup (_ ("MXNet 1.9.1 refuses the file; delete the attribute if it "
                                "changes nothing"));
      finding =
          hyb_symbol_report (reader,
                             &(SymbolIssue){
                                 "unknown-attribute", SYMBOL_AT_NODE (build->graph, index), hint,
                                 is_harmless ? HYB_SEVERITY_NOTE : HYB_SEVERITY_WARNING },
                             _ ("%s has no attribute “%s”: ignored"), node->op->name, key);
      if (finding && !is_harmless)
        finding->remedy = HYB_REMEDY_REPAIR;
      g_hash_table_insert (reader->unknown, g_steal_pointer (&id), finding);
    }
  if (finding && (!finding->items || finding->items->len < 100))
    hyb_finding_add_item (finding, node->name, NULL, NULL);
}

/* TRUE if the node is a loop or branch whose attributes can be parsed, so that they must contradict
 * its inputs or subgraphs. */
static gboolean
is_mismatch (GraphBuild *build, const SymbolNode *node)
{
  gpointer params;

  if (node->op->n_bodies == 0)
    return FALSE;

  params = hyb_params_parse (node->op->params, node->op->params_size,
                             (const char *const *) build->attributes->pdata, NULL, NULL);
  hyb_params_unref (params);
  return params != NULL;
}

static void
report_bad_node (GraphBuild *build, guint index, const GError *cause)
{
  const SymbolNode *node = hyb_symbol_node (build->graph, index);
  const char       *near =
      hyb_suggest_choice (node->op->params, (const char *const *) build->attributes->pdata);
  g_autofree char *prefix = g_strdup_printf ("node “%s” (%s): ", node->name, node->type);
  g_autofree char *hint = near ? g_strdup_printf (_ ("Did you mean “%s”?"), near) : NULL;
  const char      *message = cause->message;
  HybFinding      *finding;

  if (g_str_has_prefix (message, prefix))
    message += strlen (prefix);
  finding = hyb_symbol_report (build->reader,
                               &(SymbolIssue){ is_mismatch (build, node) ? "control-flow-mismatch"
                                               : cause->domain == HYB_OP_ERROR ? "bad-attribute"
                                                                               : "bad-node",
                                               SYMBOL_AT_NODE (build->graph, index), hint,
                                               HYB_SEVERITY_ERROR },
                               "%s", message);
  if (finding && cause->domain == HYB_OP_ERROR)
    finding->remedy = HYB_REMEDY_ATTRIBUTES;
}

/* An opaque node gets as many outputs as others refer to; fails if a damaged file refers to
 * billions. */
static gboolean
limit_outputs (GraphBuild *build, guint index)
{
  const SymbolNode *node = hyb_symbol_node (build->graph, index);

  build->n_opaque += node->n_used;
  if (build->n_opaque <= 1000000 + 8 * (guint64) build->graph->nodes->len)
    return TRUE;

  return hyb_symbol_refuse (build->reader,
                            &(SymbolIssue){ "bad-edge", SYMBOL_AT_NODE (build->graph, index),
                                            NULL },
                            "other nodes refer to output %u of an unknown operator",
                            node->n_used - 1);
}

static gboolean
add_opaque (GraphBuild *build, guint index, HybNodeSpec *spec)
{
  if (!limit_outputs (build, index))
    return FALSE;

  spec->op = NULL;
  spec->n_outputs = MAX (hyb_symbol_node (build->graph, index)->n_used, 1);
  build->ids[index] = hyb_builder_add (build->builder, spec, NULL);
  return TRUE;
}

static gboolean
add_node (GraphBuild *build, guint index)
{
  const SymbolNode *node = hyb_symbol_node (build->graph, index);
  g_autoptr (GError) failure = NULL;
  HybNodeSpec spec;

  if (!resolve_inputs (build, index))
    return FALSE;

  collect_attributes (build, node);
  g_ptr_array_set_size (build->unknown, 0);
  spec = (HybNodeSpec){
    .op = node->op,
    .type = node->type,
    .name = node->name,
    .attributes = (const char *const *) build->attributes->pdata,
    .n_inputs = build->inputs->len,
    .inputs = (gconstpointer) build->inputs->data,
    .n_bodies = node->n_bodies,
    .bodies = node->n_bodies > 0
                  ? (HybGraph *const *) build->graph->bodies->pdata + node->first_body
                  : NULL,
    .line = node->line,
    .unknown = node->op && !hyb_symbol_is_variable (node) ? build->unknown : NULL,
  };
  if (!node->op)
    return add_opaque (build, index, &spec);

  build->ids[index] = hyb_builder_add (build->builder, &spec, &failure);
  for (guint i = 0; i < build->unknown->len; i++)
    report_unknown_attribute (build, index, g_ptr_array_index (build->unknown, i));
  if (build->ids[index] != HYB_NO_ID)
    return TRUE;

  report_bad_node (build, index, failure);
  return add_opaque (build, index, &spec);
}

/* Reports variables with the same name. */
static void
check_names (SymbolReader *reader, const SymbolGraph *graph)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint n = 0; n < graph->nodes->len; n++)
    {
      const SymbolNode *node = hyb_symbol_node (graph, n);

      if (hyb_symbol_is_variable (node) && !g_hash_table_add (names, (gpointer) node->name))
        hyb_symbol_report (reader,
                           &(SymbolIssue){
                               "duplicate-name", SYMBOL_AT_NODE (graph, n),
                               _ ("Rename one of them, so that each variable has its own array"),
                               HYB_SEVERITY_ERROR },
                           _ ("two variables have this name"));
    }
}

static gboolean
add_heads (GraphBuild *build)
{
  const SymbolGraph *graph = build->graph;

  for (guint i = 0; i < graph->heads->len; i++)
    {
      const SymbolEntry *entry = &g_array_index (graph->heads, SymbolEntry, i);
      HybValueId         value;

      if (!resolve (build, entry, &value))
        return hyb_symbol_refuse (build->reader,
                                  &(SymbolIssue){ "bad-head", SYMBOL_AT_NODE (graph, entry->node),
                                                  NULL },
                                  "the graph’s output %u is output %u of this node, which has %u",
                                  i, entry->output, count_outputs (build, entry));
      hyb_builder_add_head (build->builder, value);
    }

  return TRUE;
}

static gboolean
add_all (GraphBuild *build)
{
  const SymbolGraph *graph = build->graph;

  for (guint n = 0; n < graph->nodes->len; n++)
    if (!add_node (build, graph->order ? graph->order[n] : n))
      return FALSE;

  return add_heads (build);
}

HybGraph *
hyb_symbol_build (SymbolReader *reader, SymbolGraph *graph)
{
  GraphBuild build = {
    .reader = reader,
    .graph = graph,
    .builder = hyb_builder_new (),
    .ids = g_new (HybNodeId, graph->nodes->len),
    .inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId)),
    .attributes = g_ptr_array_new (),
    .unknown = g_ptr_array_new (),
  };
  HybGraph *built = NULL;

  check_names (reader, graph);
  hyb_builder_set_legacy_shapes (build.builder, reader->legacy_shapes);
  if (add_all (&build))
    built = hyb_builder_freeze (g_steal_pointer (&build.builder));

  g_clear_pointer (&build.builder, hyb_builder_free);
  g_free (build.ids);
  g_array_unref (build.inputs);
  g_ptr_array_unref (build.attributes);
  g_ptr_array_unref (build.unknown);
  return built;
}
