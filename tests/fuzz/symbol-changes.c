/* symbol-changes.c — single changes of a symbol file that was parsed as JSON.
 *
 * Each change is a function on one graph; the table at the end says how often each is made.  Nodes stay in
 * topological order: a change that moves them renumbers the edges.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/symbol-changes.h"

#include "engine/op/op.h"
#include "tests/fuzz/attribute-values.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NODES 60 /* no nodes are added to larger graphs */
#define TRIES     12 /* to find an operator that fits */

/* --- Access --- */

static cJSON *
nodes_of (cJSON *graph)
{
  return cJSON_GetObjectItem (graph, "nodes");
}

static guint
n_nodes (cJSON *graph)
{
  return (guint) cJSON_GetArraySize (nodes_of (graph));
}

static cJSON *
get_node (cJSON *graph, guint index)
{
  return cJSON_GetArrayItem (nodes_of (graph), (int) index);
}

static const char *
get_text (cJSON *object, const char *key)
{
  const char *text = cJSON_GetStringValue (cJSON_GetObjectItem (object, key));

  return text ? text : "";
}

static gboolean
is_variable (cJSON *node)
{
  return strcmp (get_text (node, "op"), "null") == 0;
}

/* The attributes of a node, which are made if there are none: “attrs”, or as older files call them. */
static cJSON *
get_attributes (cJSON *node)
{
  static const char *const keys[] = { "attrs", "attr", "param" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (cJSON_IsObject (cJSON_GetObjectItem (node, keys[i])))
      return cJSON_GetObjectItem (node, keys[i]);
  return cJSON_AddObjectToObject (node, "attrs");
}

/* Takes text. */
static void
set_attribute (cJSON *node, const char *key, char *text)
{
  cJSON *attributes = get_attributes (node);

  if (attributes)
    {
      cJSON_DeleteItemFromObjectCaseSensitive (attributes, key);
      cJSON_AddStringToObject (attributes, key, text);
    }
  g_free (text);
}

/* A node that is an operator, or a variable; NULL if chance finds none. */
static cJSON *
pick_node (cJSON *graph, gboolean variable, FuzzRandom *random)
{
  for (guint i = 0; i < TRIES && n_nodes (graph) > 0; i++)
    {
      cJSON *node = get_node (graph, fuzz_below (random, n_nodes (graph)));

      if (cJSON_IsObject (node) && is_variable (node) == variable)
        return node;
    }
  return NULL;
}

static guint
index_of (cJSON *graph, const cJSON *node)
{
  guint index = 0;

  for (const cJSON *at = nodes_of (graph)->child; at && at != node; at = at->next)
    index++;
  return index;
}

static cJSON *
make_edge (guint node, guint output)
{
  return cJSON_CreateIntArray ((const int[]){ (int) node, (int) output, 0 }, 3);
}

/* --- Renumbering --- */

/* Adds by to the node of every edge of a list that points to from or behind it. */
static void
shift_list (cJSON *list, guint from, int by)
{
  for (cJSON *edge = list ? list->child : NULL; edge; edge = edge->next)
    {
      cJSON *number = cJSON_IsArray (edge) ? edge->child : edge;

      if (cJSON_IsNumber (number) && number->valuedouble >= from)
        cJSON_SetNumberValue (number, number->valuedouble + by);
    }
}

/* The positions that files list besides the nodes. */
static void
list_variables (cJSON *graph)
{
  cJSON *list = cJSON_CreateArray ();
  int    index = 0;

  for (cJSON *node = nodes_of (graph)->child; node; node = node->next, index++)
    if (is_variable (node))
      cJSON_AddItemToArray (list, cJSON_CreateNumber (index));
  cJSON_DeleteItemFromObject (graph, "arg_nodes");
  cJSON_AddItemToObject (graph, "arg_nodes", list);
  cJSON_DeleteItemFromObject (graph, "node_row_ptr");
}

static void
shift_all (cJSON *graph, guint from, int by)
{
  for (cJSON *node = nodes_of (graph)->child; node; node = node->next)
    shift_list (cJSON_GetObjectItem (node, "inputs"), from, by);
  shift_list (cJSON_GetObjectItem (graph, "heads"), from, by);
}

static void
insert_node (cJSON *graph, guint at, cJSON *node)
{
  shift_all (graph, at, 1);
  node->prev = node; /* cJSON 1.7.15 as Debian has it inserts no item whose prev is NULL */
  cJSON_InsertItemInArray (nodes_of (graph), (int) at, node);
  list_variables (graph);
}

/* --- Choosing operators --- */

static gboolean
needs_attributes (const HybOp *op)
{
  for (const HybParam *param = op->params; param && param->name; param++)
    if (!param->fallback)
      return TRUE;
  return FALSE;
}

static guint
count_names (const HybOp *op)
{
  return op->inputs ? g_strv_length ((char **) op->inputs) : 0;
}

/* An operator without required attributes that has n inputs; NULL if chance finds none. */
static const HybOp *
pick_operator (guint n, FuzzRandom *random)
{
  guint               n_ops;
  const HybOp *const *ops = hyb_op_list (&n_ops);

  for (guint i = 0; i < 4 * TRIES; i++)
    {
      const HybOp *op = ops[fuzz_below (random, n_ops)];

      if (!(op->flags & (HYB_OP_INTERNAL | HYB_OP_OPAQUE)) && op->n_bodies == 0 && !op->mutates &&
          count_names (op) == n && !needs_attributes (op))
        return op;
    }
  return NULL;
}

static cJSON *
make_node (const char *op, FuzzRandom *random)
{
  cJSON           *node = cJSON_CreateObject ();
  g_autofree char *name = g_strdup_printf ("n%u", fuzz_below (random, 1u << 20));

  cJSON_AddStringToObject (node, "op", op);
  cJSON_AddStringToObject (node, "name", name);
  cJSON_AddItemToObject (node, "inputs", cJSON_CreateArray ());
  return node;
}

/* --- Changes --- */

static void
change_attribute (cJSON *graph, FuzzRandom *random)
{
  cJSON       *node = pick_node (graph, FALSE, random);
  const HybOp *op = node ? hyb_op_find (get_text (node, "op")) : NULL;
  guint        n = 0;

  while (op && op->params && op->params[n].name)
    n++;
  if (n > 0)
    {
      const HybParam *param = &op->params[fuzz_below (random, n)];

      if (fuzz_once_in (random, 12))
        cJSON_DeleteItemFromObjectCaseSensitive (get_attributes (node), param->name);
      else
        set_attribute (node, param->name,
                       fuzz_attribute_value (param,
                                             cJSON_GetStringValue (
                                                 cJSON_GetObjectItemCaseSensitive (get_attributes (
                                                                                       node),
                                                                                   param->name)),
                                             random));
    }
}

static void
change_shape (cJSON *graph, FuzzRandom *random)
{
  cJSON *node = pick_node (graph, TRUE, random);

  if (node)
    set_attribute (node, "__shape__",
                   fuzz_shape (cJSON_GetStringValue (
                                   cJSON_GetObjectItem (get_attributes (node), "__shape__")),
                               random));
}

/* Sets one dimension of every shape that has it: batches and lengths of several inputs change together. */
static void
change_shapes_alike (cJSON *graph, FuzzRandom *random)
{
  guint from = 1 + fuzz_below (random, 8), to = fuzz_below (random, 8);

  for (cJSON *node = nodes_of (graph)->child; node; node = node->next)
    {
      const char *old =
          is_variable (node)
              ? cJSON_GetStringValue (cJSON_GetObjectItem (get_attributes (node), "__shape__"))
              : NULL;
      g_auto (GStrv) dims = NULL;
      g_autoptr (GString) text = g_string_new ("(");

      if (!old)
        continue;
      dims = g_strsplit_set (old, "()[], ", -1);
      for (guint i = 0; dims[i]; i++)
        if (*dims[i])
          g_string_append_printf (text, "%d, ",
                                  atoi (dims[i]) == (int) from ? (int) to : atoi (dims[i]));
      g_string_append_c (text, ')');
      set_attribute (node, "__shape__", g_strdup (text->str));
    }
}

static void
change_dtype (cJSON *graph, FuzzRandom *random)
{
  cJSON *node = pick_node (graph, TRUE, random);

  if (node)
    set_attribute (node, "__dtype__", g_strdup_printf ("%u", fuzz_below (random, 8)));
}

/* Does nothing where object has no such item. */
static void
replace_text (cJSON *object, const char *key, const char *value)
{
  cJSON *text = cJSON_CreateString (value);

  if (!cJSON_ReplaceItemInObject (object, key, text))
    cJSON_Delete (text);
}

/* Another operator with as many inputs. */
static void
change_operator (cJSON *graph, FuzzRandom *random)
{
  cJSON       *node = pick_node (graph, FALSE, random);
  cJSON       *inputs = node ? cJSON_GetObjectItem (node, "inputs") : NULL;
  const HybOp *op = inputs ? pick_operator ((guint) cJSON_GetArraySize (inputs), random) : NULL;

  if (!op || cJSON_GetObjectItem (node, "subgraphs"))
    return;
  replace_text (node, "op", op->name);
  cJSON_DeleteItemFromObject (node, "attrs");
}

/* An operator between a node and one of its inputs. */
static void
insert_operator (cJSON *graph, FuzzRandom *random)
{
  cJSON       *user = pick_node (graph, FALSE, random);
  cJSON       *inputs = user ? cJSON_GetObjectItem (user, "inputs") : NULL;
  guint        n = inputs ? (guint) cJSON_GetArraySize (inputs) : 0;
  guint        arity = 1 + fuzz_once_in (random, 4);
  const HybOp *op = pick_operator (arity, random);
  guint        at, which;
  cJSON       *node;

  if (n == 0 || !op || n_nodes (graph) >= MAX_NODES)
    return;
  which = fuzz_below (random, n);
  at = index_of (graph, user);
  node = make_node (op->name, random);
  for (guint i = 0; i < arity; i++)
    cJSON_AddItemToArray (cJSON_GetObjectItem (node, "inputs"),
                          cJSON_Duplicate (cJSON_GetArrayItem (inputs, (int) which), TRUE));
  insert_node (graph, at, node);
  cJSON_ReplaceItemInArray (inputs, (int) which, make_edge (at, 0));
}

/* An operator on some values, as one more output. */
static void
append_operator (cJSON *graph, FuzzRandom *random)
{
  cJSON       *heads = cJSON_GetObjectItem (graph, "heads");
  guint        arity = 1 + fuzz_below (random, 3), n = n_nodes (graph);
  const HybOp *op = pick_operator (arity, random);
  cJSON       *node;

  if (!heads || n == 0 || n >= MAX_NODES || !op)
    return;
  node = make_node (op->name, random);
  for (guint i = 0; i < arity; i++)
    cJSON_AddItemToArray (cJSON_GetObjectItem (node, "inputs"),
                          make_edge (fuzz_below (random, n), 0));
  cJSON_AddItemToArray (nodes_of (graph), node);
  cJSON_AddItemToArray (heads, make_edge (n, 0));
  list_variables (graph);
}

/* Lets edges of list that come from node at come from where edge does. */
static void
redirect (cJSON *list, guint at, const cJSON *edge)
{
  for (int i = 0; i < cJSON_GetArraySize (list); i++)
    if (cJSON_GetNumberValue (cJSON_GetArrayItem (cJSON_GetArrayItem (list, i), 0)) == at)
      cJSON_ReplaceItemInArray (list, i, cJSON_Duplicate (edge, TRUE));
}

/* Removes an operator; its users read its first input instead. */
static void
remove_operator (cJSON *graph, FuzzRandom *random)
{
  cJSON *gone = pick_node (graph, FALSE, random);
  cJSON *first = gone ? cJSON_GetArrayItem (cJSON_GetObjectItem (gone, "inputs"), 0) : NULL;
  cJSON *edge;
  guint  at;

  if (!first || !cJSON_IsArray (first))
    return;
  edge = cJSON_Duplicate (first, TRUE); /* the node may read itself */
  at = index_of (graph, gone);
  for (cJSON *node = nodes_of (graph)->child; node; node = node->next)
    redirect (cJSON_GetObjectItem (node, "inputs"), at, edge);
  redirect (cJSON_GetObjectItem (graph, "heads"), at, edge);
  cJSON_Delete (edge);
  cJSON_DeleteItemFromArray (nodes_of (graph), (int) at);
  shift_all (graph, at + 1, -1);
  list_variables (graph);
}

/* An edge that comes from another node, mostly from an earlier one. */
static void
change_edge (cJSON *graph, FuzzRandom *random)
{
  cJSON *node = pick_node (graph, FALSE, random);
  cJSON *inputs = node ? cJSON_GetObjectItem (node, "inputs") : NULL;
  guint  n = inputs ? (guint) cJSON_GetArraySize (inputs) : 0;
  guint  at = node ? index_of (graph, node) : 0;

  if (n == 0 || at == 0)
    return;
  cJSON_ReplaceItemInArray (inputs, (int) fuzz_below (random, n),
                            make_edge (fuzz_once_in (random, 20) ? fuzz_below (random, 2 * at)
                                                                 : fuzz_below (random, at),
                                       fuzz_once_in (random, 8) ? fuzz_below (random, 3) : 0));
}

/* One input more, or one fewer. */
static void
change_inputs (cJSON *graph, FuzzRandom *random)
{
  cJSON *node = pick_node (graph, FALSE, random);
  cJSON *inputs = node ? cJSON_GetObjectItem (node, "inputs") : NULL;
  guint  n = inputs ? (guint) cJSON_GetArraySize (inputs) : 0;

  if (n == 0)
    return;
  if (fuzz_once_in (random, 2))
    cJSON_DeleteItemFromArray (inputs, (int) fuzz_below (random, n));
  else
    cJSON_AddItemToArray (inputs,
                          cJSON_Duplicate (cJSON_GetArrayItem (inputs,
                                                               (int) fuzz_below (random, n)),
                                           TRUE));
}

static void
change_heads (cJSON *graph, FuzzRandom *random)
{
  cJSON *heads = cJSON_GetObjectItem (graph, "heads");
  guint  n = heads ? (guint) cJSON_GetArraySize (heads) : 0;
  guint  node = n_nodes (graph) > 0 ? fuzz_below (random, n_nodes (graph)) : 0;

  if (n == 0)
    return;
  switch (fuzz_below (random, 3))
    {
    case 0:
      if (n > 1)
        cJSON_DeleteItemFromArray (heads, (int) fuzz_below (random, n));
      return;
    case 1:
      if (n < MAX_NODES)
        cJSON_AddItemToArray (heads, make_edge (node, 0));
      return;
    default:
      cJSON_ReplaceItemInArray (heads, (int) fuzz_below (random, n), make_edge (node, 0));
    }
}

static void
change_name (cJSON *graph, FuzzRandom *random)
{
  static const char *const names[] = { "data", "softmax_label", "x_bias",    "bn_moving_mean",
                                       "",     "lstm_t3_i2h",   "a\\u0000b", "\xe2\x80\xae",
                                       "state" };
  cJSON                   *node = pick_node (graph, fuzz_once_in (random, 2), random);

  if (node)
    replace_text (node, "name", names[fuzz_below (random, G_N_ELEMENTS (names))]);
}

/* The version that wrote the file, and whether it knows np shapes. */
static void
change_version (cJSON *graph, FuzzRandom *random)
{
  static const int versions[] = { 0, 700, 800, 904, 905, 1000, 1100, 10500, 10901, 20000, -1 };
  cJSON           *attributes = cJSON_CreateObject ();
  int              version[1] = { versions[fuzz_below (random, G_N_ELEMENTS (versions))] };
  cJSON           *pair = cJSON_CreateArray ();

  cJSON_AddItemToArray (pair, cJSON_CreateString ("int"));
  cJSON_AddItemToArray (pair, cJSON_CreateNumber (version[0]));
  cJSON_AddItemToObject (attributes, "mxnet_version", pair);
  if (fuzz_once_in (random, 2))
    {
      pair = cJSON_CreateArray ();
      cJSON_AddItemToArray (pair, cJSON_CreateString ("int"));
      cJSON_AddItemToArray (pair, cJSON_CreateNumber (fuzz_below (random, 3)));
      cJSON_AddItemToObject (attributes, "is_np_shape", pair);
    }
  cJSON_DeleteItemFromObject (graph, "attrs");
  if (!fuzz_once_in (random, 6))
    cJSON_AddItemToObject (graph, "attrs", attributes);
  else
    cJSON_Delete (attributes);
}

/* --- Choosing --- */

typedef void (*ChangeFunc) (cJSON *graph, FuzzRandom *random);

static const struct
{
  ChangeFunc func;
  guint      weight;
} changes[] = {
  { change_attribute, 12 }, { change_shape, 3 },    { change_shapes_alike, 4 },
  { change_dtype, 2 },      { change_operator, 4 }, { insert_operator, 8 },
  { append_operator, 6 },   { remove_operator, 3 }, { change_edge, 4 },
  { change_inputs, 1 },     { change_heads, 3 },    { change_name, 1 },
  { change_version, 1 },
};

/* The graph itself or, once in two, a body of one of its nodes. */
static cJSON *
pick_graph (cJSON *graph, FuzzRandom *random)
{
  for (cJSON *node = nodes_of (graph)->child; node; node = node->next)
    {
      cJSON *bodies = cJSON_GetObjectItem (node, "subgraphs");
      guint  n = bodies ? (guint) cJSON_GetArraySize (bodies) : 0;
      cJSON *body = n > 0 ? cJSON_GetArrayItem (bodies, (int) fuzz_below (random, n)) : NULL;

      if (body && cJSON_IsArray (nodes_of (body)) && fuzz_once_in (random, 2))
        return pick_graph (body, random);
    }
  return graph;
}

void
fuzz_change_symbol (cJSON *root, FuzzRandom *random)
{
  guint total = 0, choice;

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    total += changes[i].weight;
  choice = fuzz_below (random, total);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      if (choice < changes[i].weight)
        {
          changes[i].func (pick_graph (root, random), random);
          return;
        }
      choice -= changes[i].weight;
    }
}
