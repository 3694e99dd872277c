/* read-graph.c — writes the nodes of a document's graph, with their bodies, into a HybGraph.
 *
 * Nodes keep the operators, names and attributes of the file.  Values that a body reads from outside become variables
 * of the body and further inputs of its node; initialisers of bodies become parameters of the model.  Start with
 * hyb_onnx_read_graph().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/onnx/reader.h"

#include <string.h>

/* Bodies and calls nested deeper than this are refused. */
#define MAX_DEPTH 32
/* Nodes of a graph whose calls of functions are expanded; functions that call functions grow exponentially. */
#define MAX_NODES 4000000
/* Approximate memory of a node with its types, facts and box: 10⁶ of 20 bytes in the file took 1.4 GB. */
#define NODE_BYTES 1300
/* Nodes after which memory is checked. */
#define NODES_PER_CHECK 1024

/* Stands for operators without a row. */
static const char *const unknown_bodies[] = { "body", "body 2", "body 3", "body 4" };
static const HybOp       unknown_op = {
        .name = "_onnx",
        .doc = "An unknown operator of ONNX: it is displayed but cannot run.",
        .category = HYB_CATEGORY_DATA,
        .flags = HYB_OP_FOREIGN | HYB_OP_OPAQUE | HYB_OP_INTERNAL,
        .arity = hyb_onnx_arity,
        .value_name = hyb_onnx_value_name,
        .declared_type = hyb_onnx_declared_type_of,
        .origin = hyb_onnx_origin,
        .body_names = unknown_bodies,
        .body_variable = hyb_onnx_body_variable,
        .body_port = hyb_onnx_body_port,
        .body_next = hyb_onnx_no_head,
        .body_result = hyb_onnx_no_head,
};

/* --- One node --- */

/* The parts of a node that is being read. */
typedef struct
{
  const HybOnnxNode *node;
  const char        *path;
  HybOnnxUse        *use;
  GArray            *inputs;    /* of HybValueId */
  GPtrArray         *bodies;    /* of HybGraph; NULL before the first */
  GPtrArray         *names;     /* of GPtrArray: the captured values of each body; likewise */
  gboolean           is_broken; /* a body has names that nothing defines */
} Draft;

static guint
n_bodies_of (const Draft *draft)
{
  return draft->bodies ? draft->bodies->len : 0;
}

/* A variable for a name that nothing defines. */
static HybValueId
add_dangling (OnnxScope *scope, const char *name)
{
  HybValueId value = hyb_builder_add_variable (scope->builder, name, NULL);

  hyb_onnx_scope_define (scope, name, value);
  g_hash_table_add (scope->reader->dangling, scope->builder);
  return value;
}

/* The value of a name, or a new variable with that name and a finding. */
static HybValueId
find_or_report (OnnxScope *scope, const Draft *draft, const char *name)
{
  HybValueId  value = hyb_onnx_scope_find (scope, name);
  HybFinding *finding;

  if (value != HYB_NO_ID)
    return value;
  finding = hyb_finding_new ("bad-edge", HYB_SEVERITY_ERROR,
                             "node “%s” (%s) reads “%s”, which nothing in the file produces",
                             hyb_onnx_node_name (draft->node), draft->node->op_type, name);
  finding->hint = hyb_onnx_dup_missing_hint (name);
  hyb_onnx_report_node (scope->reader, finding, hyb_onnx_node_name (draft->node), draft->path);
  return add_dangling (scope, name);
}

static void
find_inputs (OnnxScope *scope, Draft *draft)
{
  const HybOnnxNode *node = draft->node;
  int               *slots =
      hyb_arena_alloc (scope->reader->document->arena, MAX (node->n_inputs, 1) * sizeof (int));

  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybValueId value;

      slots[i] = -1;
      if (node->inputs[i][0] == '\0')
        continue;
      slots[i] = (int) draft->inputs->len;
      value = find_or_report (scope, draft, node->inputs[i]);
      g_array_append_val (draft->inputs, value);
    }
  draft->use->slots = slots;
  draft->use->n_slots = node->n_inputs;
}

static gboolean
read_body (OnnxScope *scope, Draft *draft, const HybOnnxGraph *graph, const char *attribute)
{
  OnnxScope        inner;
  g_autofree char *path = g_strconcat (draft->path, ".", attribute, NULL);
  GPtrArray       *captured;
  gboolean         is_read;

  if (scope->depth >= MAX_DEPTH)
    return hyb_error_at (&scope->reader->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT,
                         scope->reader->where, NULL,
                         "bodies of loops and conditions are nested more than %u deep", MAX_DEPTH);
  hyb_onnx_scope_init (&inner, scope->reader, hyb_builder_new ());
  hyb_builder_set_legacy_shapes (inner.builder, FALSE);
  hyb_builder_set_dialect (inner.builder, &hyb_onnx_dialect);
  hyb_builder_keep_arena (inner.builder, scope->reader->document->arena);
  inner.outer = scope;
  inner.n_opsets = scope->n_opsets;
  inner.opsets = scope->opsets;
  inner.function = scope->function;
  inner.call = scope->call;
  inner.prefix = scope->prefix;
  inner.path = hyb_arena_string (scope->reader->document->arena, path);
  inner.depth = scope->depth + 1;
  is_read = hyb_onnx_read_graph (&inner, graph);
  if (!draft->bodies)
    {
      draft->bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_graph_unref);
      draft->names = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
    }
  captured = g_ptr_array_ref (inner.captures);
  draft->is_broken |= g_hash_table_remove (scope->reader->dangling, inner.builder);
  hyb_onnx_scope_clear (&inner);
  if (is_read)
    g_ptr_array_add (draft->bodies, hyb_builder_freeze (inner.builder));
  else
    hyb_builder_free (inner.builder);
  g_ptr_array_add (draft->names, captured);
  return is_read;
}

/* Bodies in the order of the row's names; for an unknown operator, in the file's order. */
static gboolean
read_bodies (OnnxScope *scope, Draft *draft)
{
  const HybOnnxNode *node = draft->node;
  const HybOnnxOp   *row = draft->use->row;

  for (guint b = 0; row && b < row->op.n_bodies; b++)
    {
      const HybOnnxAttribute *found = NULL;

      for (guint a = 0; a < node->n_attributes; a++)
        if (node->attributes[a].kind == HYB_ONNX_ATTRIBUTE_GRAPH &&
            strcmp (node->attributes[a].name, row->op.body_names[b]) == 0)
          found = &node->attributes[a];
      if (!found)
        return TRUE;
      if (!read_body (scope, draft, found->graphs[0], found->name))
        return FALSE;
    }
  for (guint a = 0; !row && a < node->n_attributes; a++)
    if (node->attributes[a].kind == HYB_ONNX_ATTRIBUTE_GRAPH &&
        n_bodies_of (draft) < G_N_ELEMENTS (unknown_bodies) &&
        !read_body (scope, draft, node->attributes[a].graphs[0], node->attributes[a].name))
      return FALSE;
  return TRUE;
}

/* Adds an input for everything that bodies capture, once for each name, and records which variable of each body reads
 * which input. */
static void
connect_bodies (OnnxScope *scope, Draft *draft)
{
  HybArena *arena = scope->reader->document->arena;
  guint     n_bodies = n_bodies_of (draft);
  guint   **inputs;
  g_autoptr (GHashTable) added = NULL;

  if (n_bodies == 0)
    return;
  inputs = hyb_arena_alloc (arena, n_bodies * sizeof *inputs);
  added = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint b = 0; b < n_bodies; b++)
    {
      HybGraph        *body = draft->bodies->pdata[b];
      const GPtrArray *names = draft->names->pdata[b];
      guint            n;
      const HybNodeId *variables = hyb_graph_get_variables (body, &n);
      g_autoptr (GHashTable) index = g_hash_table_new (g_str_hash, g_str_equal);

      inputs[b] = hyb_arena_alloc (arena, MAX (n, 1) * sizeof (guint));
      /* Backwards, so that the first variable of a name wins. */
      for (guint v = n; v-- > 0;)
        {
          inputs[b][v] = G_MAXUINT;
          g_hash_table_insert (index, (gpointer) hyb_graph_get_node (body, variables[v])->name,
                               GUINT_TO_POINTER (v));
        }
      for (guint c = 0; c < names->len; c++)
        {
          const char *name = names->pdata[c];
          /* The index of the input + 1; 0 for a name that is new. */
          guint place = GPOINTER_TO_UINT (g_hash_table_lookup (added, name));

          if (place == 0)
            {
              HybValueId value = hyb_onnx_scope_find (scope, name);

              g_array_append_val (draft->inputs, value);
              place = draft->inputs->len;
              g_hash_table_insert (added, (gpointer) name, GUINT_TO_POINTER (place));
            }
          inputs[b][GPOINTER_TO_UINT (g_hash_table_lookup (index, name))] = place - 1;
        }
      draft->use->n_variables[b] = n;
    }
  draft->use->body_inputs = (const guint *const *) inputs;
}

/* The name that a value has in the graph: a function's values are prefixed with the call, its outputs have the names
 * that the call gives them. */
static const char *
output_name (OnnxScope *scope, const char *name)
{
  const char      *renamed = scope->renamed ? g_hash_table_lookup (scope->renamed, name) : NULL;
  g_autofree char *text = NULL;

  if (renamed || scope->prefix[0] == '\0')
    return renamed ? renamed : name;
  text = g_strconcat (scope->prefix, name, NULL);
  return hyb_arena_string (scope->reader->document->arena, text);
}

static void
name_outputs (OnnxScope *scope, Draft *draft)
{
  HybArena                *arena = scope->reader->document->arena;
  const HybOnnxNode       *node = draft->node;
  guint                    n = MAX (node->n_outputs, 1);
  const char             **names = hyb_arena_alloc (arena, n * sizeof *names);
  const HybOnnxValueInfo **declared = hyb_arena_alloc (arena, n * sizeof *declared);

  for (guint i = 0; i < n; i++)
    {
      const char *name = i < node->n_outputs ? node->outputs[i] : "";

      names[i] = name[0] != '\0' ? output_name (scope, name) : "(unused)";
      declared[i] = name[0] != '\0' ? g_hash_table_lookup (scope->declared, name) : NULL;
    }
  draft->use->output_names = names;
  draft->use->declared = declared;
  draft->use->n_outputs = n;
}

static void
report_duplicate (OnnxScope *scope, const Draft *draft, const char *name)
{
  /* Runtimes keep the last of several constants. */
  gboolean    is_literal = draft->use->row && draft->use->row->op.flags & HYB_OP_LITERAL;
  HybFinding *finding =
      hyb_finding_new ("duplicate-value", is_literal ? HYB_SEVERITY_WARNING : HYB_SEVERITY_ERROR,
                       "node “%s” (%s) produces “%s”, which exists already",
                       hyb_onnx_node_name (draft->node), draft->node->op_type, name);

  finding->hint = g_strdup ("Every value needs a name of its own; rename one of the two");
  hyb_onnx_report_node (scope->reader, finding, hyb_onnx_node_name (draft->node), draft->path);
}

/* Defines the outputs of a node that was added. */
static void
define_outputs (OnnxScope *scope, const Draft *draft, HybNodeId id)
{
  for (guint i = 0; i < draft->node->n_outputs; i++)
    {
      const char *name = draft->node->outputs[i];

      if (name[0] == '\0')
        continue;
      if (g_hash_table_contains (scope->names, name))
        report_duplicate (scope, draft, name);
      hyb_onnx_scope_define (scope, name, hyb_builder_output (scope->builder, id, i));
    }
}

static gint64
find_opset (const OnnxScope *scope, const char *domain)
{
  for (guint i = 0; i < scope->n_opsets; i++)
    if (strcmp (scope->opsets[i].domain, domain) == 0)
      return scope->opsets[i].version;
  return domain[0] == '\0' ? 1 : G_MAXINT64;
}

static gboolean
add_node (OnnxScope *scope, const Draft *draft)
{
  HybArena          *arena = scope->reader->document->arena;
  const HybOnnxNode *node = draft->node;
  const HybOnnxOp   *row = draft->use->row;
  const char        *own = hyb_onnx_node_name (node);
  g_autofree char   *name = g_strconcat (scope->prefix, own, NULL);
  g_autofree char   *type = node->domain[0] == '\0'
                                ? g_strdup (node->op_type)
                                : g_strconcat (node->domain, "::", node->op_type, NULL);
  HybNodeSpec        spec = { .op = row ? &row->op : &unknown_op,
                              .type = type,
                              .name = name,
                              .attributes = hyb_onnx_attribute_texts (arena, node),
                              .params = draft->use,
                              .n_inputs = draft->inputs->len,
                              .inputs = (const HybValueId *) (gpointer) draft->inputs->data,
                              .n_bodies = n_bodies_of (draft),
                              .bodies = draft->bodies ? (HybGraph *const *) draft->bodies->pdata : NULL,
                              .n_outputs = draft->use->n_outputs };
  HybNodeId          id;

  draft->use->n_inputs = draft->inputs->len;
  id = hyb_builder_add (scope->builder, &spec, &scope->reader->error);
  if (id == HYB_NO_ID)
    return FALSE;
  define_outputs (scope, draft, id);
  return TRUE;
}

/* Bodies get the contents of literals that they capture. */
static void
note_literal (OnnxScope *scope, const Draft *draft)
{
  const HybOnnxOp *row = draft->use->row;
  HybTensor       *contents;

  if (!row || !row->has_value || draft->node->n_outputs == 0)
    return;
  contents = hyb_onnx_literal (scope->reader, draft->node);
  if (!contents)
    return;
  draft->use->literal = contents;
  hyb_arena_take (scope->reader->document->arena, hyb_tensor_ref (contents),
                  (GDestroyNotify) hyb_tensor_unref);
  if (row->op.flags & HYB_OP_LITERAL)
    g_hash_table_insert (scope->contents, (gpointer) draft->node->outputs[0], contents);
  else
    hyb_tensor_unref (contents);
}

static gboolean
has_graph (const HybOnnxNode *node)
{
  for (guint i = 0; i < node->n_attributes; i++)
    if (node->attributes[i].kind == HYB_ONNX_ATTRIBUTE_GRAPH)
      return TRUE;
  return FALSE;
}

/* The row and the schema of a type of node, as they were last found. */
typedef struct
{
  const char          *domain;
  gint64               opset;
  const HybOnnxOp     *row;
  const HybOnnxSchema *schema;
} OnnxRow;

static OnnxRow
search_row (const HybOnnxNode *node, gint64 opset)
{
  return (OnnxRow){ .domain = node->domain,
                    .opset = opset,
                    .row = hyb_onnx_op_find_for (node, opset),
                    .schema = hyb_onnx_schema_find (node->domain, node->op_type, opset) };
}

/* A file has many nodes of few types, and searching the tables takes 1,300 instructions.  Which row a node with bodies
 * has depends on its bodies. */
static OnnxRow
remember_row (OnnxReader *reader, const HybOnnxNode *node, gint64 opset)
{
  OnnxRow *known = g_hash_table_lookup (reader->rows, node->op_type);

  if (known && known->opset == opset && strcmp (known->domain, node->domain) == 0)
    return *known;
  if (!known)
    {
      known = hyb_arena_alloc (reader->document->arena, sizeof *known);
      g_hash_table_insert (reader->rows, (gpointer) node->op_type, known);
    }
  *known = search_row (node, opset);
  return *known;
}

static void
find_row (OnnxScope *scope, Draft *draft)
{
  const HybOnnxNode *node = draft->node;
  gint64             opset = find_opset (scope, node->domain);
  OnnxRow            found =
      has_graph (node) ? search_row (node, opset) : remember_row (scope->reader, node, opset);

  draft->use->node = node;
  draft->use->opset = opset;
  draft->use->row = found.row;
  draft->use->schema = found.schema;
  draft->use->is_misused = !hyb_onnx_check_operator (scope, draft->use, draft->path);
  hyb_onnx_check_producer (scope, draft->use, draft->path);
}

/* A row cannot be used if bodies are missing or read absent values. */
static void
drop_row_without_bodies (OnnxScope *scope, Draft *draft)
{
  HybFinding *finding;

  if (draft->is_broken)
    draft->use->row = NULL;
  if (!draft->use->row || n_bodies_of (draft) == draft->use->row->op.n_bodies)
    return;
  finding =
      hyb_finding_new ("bad-node", HYB_SEVERITY_ERROR, "node “%s” (%s) has %u bodies instead of %u",
                       hyb_onnx_node_name (draft->node), draft->node->op_type, n_bodies_of (draft),
                       draft->use->row->op.n_bodies);
  hyb_onnx_report_node (scope->reader, finding, hyb_onnx_node_name (draft->node), draft->path);
  draft->use->row = NULL;
}

gboolean
hyb_onnx_read_node (OnnxScope *scope, const HybOnnxNode *given, const char *path)
{
  OnnxReader            *reader = scope->reader;
  const HybOnnxNode     *node = hyb_onnx_bind_attributes (scope, given);
  const HybOnnxFunction *function = hyb_onnx_find_function (reader, node);
  Draft                  draft = { .node = node, .path = path };
  gboolean               is_read;

  if (function)
    return hyb_onnx_read_call (scope, node, function, path, hyb_onnx_read_node);
  if (++reader->n_nodes > MAX_NODES)
    return hyb_error_at (&reader->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT, reader->where,
                         NULL, "the graph has more than %u nodes", MAX_NODES);
  if (reader->n_nodes % NODES_PER_CHECK == 0 &&
      !hyb_limits_check_memory ((guint64) reader->n_nodes * NODE_BYTES,
                                g_bytes_get_size (reader->document->file), reader->where,
                                &reader->error))
    return FALSE;
  draft.use = hyb_params_new (NULL, sizeof (HybOnnxUse));
  draft.inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  hyb_onnx_read_origin (reader->document->arena, node, &draft.use->origin);
  find_row (scope, &draft);
  find_inputs (scope, &draft);
  is_read = read_bodies (scope, &draft);
  if (is_read)
    {
      draft.use->n_variables =
          hyb_arena_alloc (reader->document->arena, MAX (n_bodies_of (&draft), 1) * sizeof (guint));
      drop_row_without_bodies (scope, &draft);
      connect_bodies (scope, &draft);
      name_outputs (scope, &draft);
      note_literal (scope, &draft);
      is_read = add_node (scope, &draft);
    }
  else
    hyb_params_unref (draft.use);
  g_array_unref (draft.inputs);
  g_clear_pointer (&draft.bodies, g_ptr_array_unref);
  g_clear_pointer (&draft.names, g_ptr_array_unref);
  return is_read;
}

/* --- A graph --- */

static void
report_order (OnnxScope *scope, gboolean has_cycle)
{
  HybFinding *finding =
      has_cycle ? hyb_finding_new ("cycle", HYB_SEVERITY_ERROR,
                                   "nodes of %s read each other's outputs in a cycle", scope->path)
                : hyb_finding_new ("not-topological", HYB_SEVERITY_WARNING,
                                   "nodes of %s are not sorted: some read values that later nodes "
                                   "produce",
                                   scope->path);

  if (!has_cycle)
    finding->hint =
        g_strdup ("They were sorted here; a tool that relies on the order of the file may fail");
  hyb_onnx_report (scope->reader, finding, NULL, scope->path);
}

/* Writes nodes, sorted if the file does not sort them.  FALSE: reader->error. */
static gboolean
read_nodes (OnnxScope *scope, const HybOnnxNode *nodes, guint n_nodes)
{
  gboolean          is_sorted, has_cycle;
  g_autofree guint *order = hyb_onnx_order_nodes (nodes, n_nodes, &is_sorted, &has_cycle);
  g_autoptr (GString) path = g_string_new (NULL);

  if (!is_sorted)
    report_order (scope, has_cycle);
  for (guint i = 0; i < n_nodes; i++)
    {
      hyb_onnx_write_path (path, scope, order[i]);
      if (!hyb_onnx_read_node (scope, &nodes[order[i]], path->str))
        return FALSE;
    }
  return TRUE;
}

static void
add_heads (OnnxScope *scope, const HybOnnxGraph *graph)
{
  for (guint i = 0; i < graph->n_outputs; i++)
    {
      const char *name = graph->outputs[i].name;
      HybValueId  value = hyb_onnx_scope_find (scope, name);

      if (value == HYB_NO_ID)
        {
          HybFinding *finding = hyb_finding_new ("bad-head", HYB_SEVERITY_ERROR,
                                                 "%s says that “%s” is an output, but nothing "
                                                 "produces it",
                                                 scope->path, name);

          hyb_onnx_report (scope->reader, finding, NULL, scope->path);
          value = add_dangling (scope, name);
        }
      hyb_builder_add_head (scope->builder, value);
    }
}

gboolean
hyb_onnx_read_graph (OnnxScope *scope, const HybOnnxGraph *graph)
{
  hyb_onnx_read_variables (scope, graph);
  if (!read_nodes (scope, graph->nodes, graph->n_nodes))
    return FALSE;
  add_heads (scope, graph);
  return TRUE;
}
