/* bodies.c — finds repeated bodies by following shared weights from reader to reader.
 *
 * A body grows from the readers of one weight at all steps at once, entry by entry; an entry is one
 * node of the body at every step.  Then each entry is extended to the last steps, and all inputs
 * are checked.  Start reading at try_weight().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/bodies.h"

#include "engine/graph/roles.h"
#include "engine/variants/node-kind.h"

#include <string.h>

#define MAX_BODY  4096 /* nodes of one step */
#define MAX_DEPTH 8    /* of work that all steps do with a shared value */
#define MAX_TRIES 1000 /* weights that are followed */

/* One node of the body at every step. */
typedef struct
{
  guint      n_known; /* steps 0 … n_known - 1 are found */
  HybNodeId *node;    /* by step */
} Entry;

typedef struct
{
  HybGraph  *graph;
  guint8    *taken;     /* by node: belongs to something else */
  guint32   *uses;      /* by node: longest chain of readers of the weight that ends at it */
  gboolean   is_greedy; /* follow inputs as long as they are alike, even without the weight */
  guint      n;         /* steps */
  GArray    *entries;   /* of Entry */
  guint32   *entry_of;  /* index in entries by node; HYB_NO_ID: none */
  guint32   *step_of;   /* step by node */
  GPtrArray *bodies;
  guint      n_tries;
} BodyFinder;

static void
free_body (gpointer data)
{
  HybBody *body = data;

  g_ptr_array_unref (body->nodes);
  g_array_unref (body->states);
  g_free (body->data);
  g_free (body);
}

static Entry *
get_entry (const BodyFinder *finder, guint index)
{
  return &g_array_index (finder->entries, Entry, index);
}

static const HybNode *
node_at_step (const BodyFinder *finder, const Entry *entry, guint step)
{
  return hyb_graph_get_node (finder->graph, entry->node[step]);
}

static HybValueId
input_at_step (const BodyFinder *finder, const Entry *entry, guint input, guint step)
{
  return hyb_graph_get_inputs (finder->graph, entry->node[step])[input];
}

/* --- Uses of a weight --- */

static void
count_uses (BodyFinder *finder, const guint8 *is_use)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (finder->graph); id++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);

      finder->uses[id] = 0;
      for (guint i = 0; i < hyb_graph_get_node (finder->graph, id)->n_inputs; i++)
        {
          HybNodeId input = hyb_graph_get_producer (finder->graph, inputs[i]);

          finder->uses[id] = MAX (finder->uses[id], finder->uses[input]);
        }
      finder->uses[id] += is_use[id];
    }
}

/* The readers of the weight, each of which depends on the previous one; NULL if they do not form
 * such a chain. */
static HybNodeId *
find_anchors (BodyFinder *finder, HybValueId weight)
{
  guint                 n;
  const HybNodeId      *users = hyb_graph_get_users (finder->graph, weight, &n);
  g_autofree guint8    *is_use = NULL;
  g_autofree HybNodeId *anchors = NULL;

  if (n < HYB_MIN_BODIES)
    return NULL;
  for (guint i = 0; i < n; i++)
    if (finder->taken[users[i]] || hyb_graph_get_inputs (finder->graph, users[i])[0] == weight ||
        !hyb_nodes_alike (hyb_graph_get_node (finder->graph, users[0]),
                          hyb_graph_get_node (finder->graph, users[i])))
      return NULL;

  if (finder->n_tries++ >= MAX_TRIES)
    return NULL;
  is_use = g_new0 (guint8, hyb_graph_n_nodes (finder->graph));
  anchors = g_new (HybNodeId, n);
  memset (anchors, 0xff, n * sizeof *anchors);
  for (guint i = 0; i < n; i++)
    is_use[users[i]] = TRUE;
  /* uses counts the readers of the weight on the longest path to a node, itself included: in a chain they are 1, 2, … n,
   * and two that do not depend on each other have the same number, which leaves a gap. */
  count_uses (finder, is_use);
  for (guint i = 0; i < n; i++)
    anchors[finder->uses[users[i]] - 1] = users[i];
  for (guint i = 0; i < n; i++)
    if (anchors[i] == HYB_NO_ID)
      return NULL;
  finder->n = n;
  return g_steal_pointer (&anchors);
}

/* --- Growing the body --- */

static gboolean
is_free (const BodyFinder *finder, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (finder->graph, id);

  return !hyb_node_is_variable (node) && node->n_bodies == 0 && !finder->taken[id] &&
         finder->entry_of[id] == HYB_NO_ID;
}

/* Adds an entry with these nodes, which are at steps 0 … n_known - 1.  FALSE if some node is not
 * free or they are not alike. */
static gboolean
claim_nodes (BodyFinder *finder, const HybNodeId *nodes, guint n_known)
{
  Entry entry = { n_known, NULL };

  if (n_known < 2 || finder->entries->len == MAX_BODY)
    return FALSE;
  for (guint t = 0; t < n_known; t++)
    if (!is_free (finder, nodes[t]) ||
        !hyb_nodes_alike (hyb_graph_get_node (finder->graph, nodes[0]),
                          hyb_graph_get_node (finder->graph, nodes[t])))
      return FALSE;

  entry.node = g_new (HybNodeId, finder->n);
  memcpy (entry.node, nodes, n_known * sizeof *nodes);
  for (guint t = 0; t < n_known; t++)
    {
      /* A node shared by two steps belongs to neither. */
      if (finder->entry_of[nodes[t]] != HYB_NO_ID)
        {
          while (t-- > 0)
            finder->entry_of[nodes[t]] = HYB_NO_ID;
          g_free (entry.node);
          return FALSE;
        }
      finder->entry_of[nodes[t]] = finder->entries->len;
      finder->step_of[nodes[t]] = t;
    }
  g_array_append_val (finder->entries, entry);
  return TRUE;
}

/* Whether the nodes a and b, at steps 0 and 1, compute something from their inputs and a value that
 * is the same for both, possibly with unary operators behind it. */
static gboolean
is_shared_work (const BodyFinder *finder, HybNodeId a, HybNodeId b)
{
  for (guint depth = 0; depth < MAX_DEPTH; depth++)
    {
      guint             n = hyb_graph_get_node (finder->graph, a)->n_inputs;
      const HybValueId *a_inputs = hyb_graph_get_inputs (finder->graph, a);
      const HybValueId *b_inputs = hyb_graph_get_inputs (finder->graph, b);

      if (a == b || n == 0 || n != hyb_graph_get_node (finder->graph, b)->n_inputs)
        return FALSE;
      for (guint i = 0; i < n; i++)
        if (a_inputs[i] == b_inputs[i])
          return TRUE;
      a = hyb_graph_get_producer (finder->graph, a_inputs[0]);
      b = hyb_graph_get_producer (finder->graph, b_inputs[0]);
      if (n != 1)
        return FALSE;
    }
  return FALSE;
}

/* Adds the nodes that make one input of an entry, where they belong to the body.  FALSE if the
 * steps are not a repetition. */
static gboolean
follow (BodyFinder *finder, guint index, guint input)
{
  Entry                 entry = *get_entry (finder, index);
  guint                 m = entry.n_known;
  HybValueId            first = input_at_step (finder, &entry, input, 0);
  HybValueId            second = input_at_step (finder, &entry, input, 1);
  HybNodeId             id = hyb_graph_get_producer (finder->graph, second);
  g_autofree HybNodeId *makers = NULL;

  if (first == second || finder->entry_of[id] != HYB_NO_ID)
    return TRUE; /* the same for all steps, or found already: add_input() checks it */
  makers = g_new (HybNodeId, m);
  for (guint t = 0; t < m; t++)
    {
      HybValueId value = input_at_step (finder, &entry, input, t);

      makers[t] = hyb_graph_get_producer (finder->graph, value);
      if (hyb_graph_get_output_index (finder->graph, value) !=
          hyb_graph_get_output_index (finder->graph, second))
        return finder->uses[makers[t]] == 0;
    }
  if (finder->uses[id] == 0 && !finder->is_greedy && !is_shared_work (finder, makers[0], makers[1]))
    return TRUE;
  if (claim_nodes (finder, makers, m))
    return TRUE;
  /* The previous step makes it, or it is read from outside. */
  return finder->uses[id] == 0 || claim_nodes (finder, makers + 1, m - 1);
}

/* Follows the inputs of all entries until no entry is added.  FALSE if the steps are not a
 * repetition. */
static gboolean
grow (BodyFinder *finder)
{
  for (guint e = 0; e < finder->entries->len; e++)
    for (guint i = 0; i < node_at_step (finder, get_entry (finder, e), 0)->n_inputs; i++)
      if (!follow (finder, e, i))
        return FALSE;
  return TRUE;
}

/* --- The last steps --- */

/* Where an input of the body comes from, judged from steps 0 and 1. */
typedef enum
{
  INPUT_SAME,   /* the same value at all steps */
  INPUT_INSIDE, /* made in the same step */
  INPUT_BEFORE, /* made in the step before */
  INPUT_DATA,   /* one value per step, made outside */
} InputKind;

static InputKind
input_kind (const BodyFinder *finder, const Entry *entry, guint input)
{
  HybValueId second = input_at_step (finder, entry, input, 1);
  HybNodeId  id = hyb_graph_get_producer (finder->graph, second);

  if (input_at_step (finder, entry, input, 0) == second)
    return INPUT_SAME;
  if (finder->entry_of[id] == HYB_NO_ID)
    return INPUT_DATA;
  return finder->step_of[id] == 1 ? INPUT_INSIDE : INPUT_BEFORE;
}

/* The value at this step that corresponds to value, an output of the body at any step; HYB_NO_ID if
 * it is not known. */
static HybValueId
value_at_step (const BodyFinder *finder, HybValueId value, guint step)
{
  HybNodeId    id = hyb_graph_get_producer (finder->graph, value);
  const Entry *entry = get_entry (finder, finder->entry_of[id]);

  return step < entry->n_known ? node_at_step (finder, entry, step)->first_output +
                                     hyb_graph_get_output_index (finder->graph, value)
                               : HYB_NO_ID;
}

/* The value that the input must have at this step; HYB_NO_ID if any will do. */
static HybValueId
expected_input (const BodyFinder *finder, const Entry *entry, guint input, guint step)
{
  InputKind  kind = input_kind (finder, entry, input);
  HybValueId second = input_at_step (finder, entry, input, 1);

  if (kind == INPUT_SAME)
    return second;
  if (kind == INPUT_DATA)
    return HYB_NO_ID;
  if (kind == INPUT_INSIDE)
    return value_at_step (finder, second, step);
  return step == 0 ? input_at_step (finder, entry, input, 0)
                   : value_at_step (finder, second, step - 1);
}

/* TRUE if node `id` corresponds to the node of `entry` in this step. */
static gboolean
fits (const BodyFinder *finder, const Entry *entry, HybNodeId id, guint step)
{
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);

  if (!is_free (finder, id) ||
      !hyb_nodes_alike (node_at_step (finder, entry, 0), hyb_graph_get_node (finder->graph, id)))
    return FALSE;
  for (guint i = 0; i < node_at_step (finder, entry, 0)->n_inputs; i++)
    {
      HybValueId expected = expected_input (finder, entry, i, step);

      if (expected != HYB_NO_ID && expected != inputs[i])
        return FALSE;
    }
  return TRUE;
}

static void
add_step (BodyFinder *finder, guint index, HybNodeId id)
{
  Entry *entry = get_entry (finder, index);

  finder->entry_of[id] = index;
  finder->step_of[id] = entry->n_known;
  entry->node[entry->n_known++] = id;
}

/* Finds later steps of the entries that an entry reads, through its inputs.  TRUE if some were
 * found. */
static gboolean
extend_inputs (BodyFinder *finder, guint index)
{
  const Entry *entry = get_entry (finder, index);
  gboolean     is_more = FALSE;

  for (guint i = 0; i < node_at_step (finder, entry, 0)->n_inputs; i++)
    {
      HybValueId second = input_at_step (finder, entry, i, 1);
      HybNodeId  maker = hyb_graph_get_producer (finder->graph, second);
      guint      from = finder->entry_of[maker];

      if (input_kind (finder, entry, i) != INPUT_INSIDE)
        continue;
      for (guint t = get_entry (finder, from)->n_known; t < entry->n_known; t++)
        {
          HybNodeId id =
              hyb_graph_get_producer (finder->graph, input_at_step (finder, entry, i, t));

          if (!fits (finder, get_entry (finder, from), id, t))
            break;
          add_step (finder, from, id);
          is_more = TRUE;
        }
    }
  return is_more;
}

/* Finds the next step of an entry among the readers of its inputs.  FALSE if there is none. */
static gboolean
extend (BodyFinder *finder, guint index)
{
  Entry *entry = get_entry (finder, index);
  guint  step = entry->n_known;

  for (guint i = 0; i < node_at_step (finder, entry, 0)->n_inputs; i++)
    {
      InputKind  kind = input_kind (finder, entry, i);
      HybValueId value = kind == INPUT_SAME ? HYB_NO_ID : expected_input (finder, entry, i, step);
      guint      n;
      const HybNodeId *users;

      if (value == HYB_NO_ID)
        continue;
      users = hyb_graph_get_users (finder->graph, value, &n);
      for (guint u = 0; u < n; u++)
        if (fits (finder, entry, users[u], step))
          {
            add_step (finder, index, users[u]);
            return TRUE;
          }
    }
  return FALSE;
}

/* Extends all entries to as many steps as possible.  The entries may differ by one step: nodes that
 * compute a state of the last step are missing if nothing reads it. */
static gboolean
extend_all (BodyFinder *finder)
{
  gboolean is_more = TRUE;
  guint    n = finder->n;

  while (is_more)
    {
      is_more = FALSE;
      for (guint e = 0; e < finder->entries->len; e++)
        {
          while (get_entry (finder, e)->n_known < finder->n && extend (finder, e))
            is_more = TRUE;
          is_more = extend_inputs (finder, e) || is_more;
        }
    }
  for (guint e = 0; e < finder->entries->len; e++)
    n = MIN (n, get_entry (finder, e)->n_known);
  if (n + 1 < finder->n)
    finder->n = n;
  for (guint e = 0; e < finder->entries->len; e++)
    if (get_entry (finder, e)->n_known < finder->n)
      get_entry (finder, e)->node[finder->n - 1] = HYB_NO_ID;
  return finder->n >= HYB_MIN_BODIES;
}

/* --- Describing the body --- */

/* Steps at which the node of an entry exists. */
static guint
count_steps (const BodyFinder *finder, const Entry *entry)
{
  return MIN (finder->n, entry->n_known);
}

/* Adds an input that has one value per step.  FALSE if one of them is a weight, or two steps read
 * the same value. */
static gboolean
add_data (const BodyFinder *finder, HybBody *body, const Entry *entry, guint input)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (!body->data)
    {
      body->data = g_new (HybValueId, finder->n);
      memset (body->data, 0xff, finder->n * sizeof *body->data);
    }
  for (guint t = 0; t < count_steps (finder, entry); t++)
    {
      HybValueId     value = input_at_step (finder, entry, input, t);
      HybNodeId      id = hyb_graph_get_producer (finder->graph, value);
      const HybNode *node = hyb_graph_get_node (finder->graph, id);

      if (finder->entry_of[id] != HYB_NO_ID || !g_hash_table_add (seen, GUINT_TO_POINTER (value)) ||
          (hyb_node_is_variable (node) &&
           hyb_graph_get_role (finder->graph, id, FALSE) == HYB_ROLE_PARAMETER) ||
          (body->data[t] != HYB_NO_ID && body->data[t] != value))
        return FALSE;
      body->data[t] = value;
    }
  return TRUE;
}

/* Adds a state.  FALSE if it has two different initial values, or if the body makes its initial
 * value. */
static gboolean
add_state (const BodyFinder *finder, HybBody *body, const Entry *entry, guint input)
{
  guint      n = finder->n + 1;
  HybValueId begin = input_at_step (finder, entry, input, 0);
  HybValueId second = input_at_step (finder, entry, input, 1);

  if (finder->entry_of[hyb_graph_get_producer (finder->graph, begin)] != HYB_NO_ID)
    return FALSE;
  for (guint s = 0; s < body->states->len; s += n)
    if (g_array_index (body->states, HybValueId, s + 1) == second)
      return g_array_index (body->states, HybValueId, s) == begin;
  g_array_append_val (body->states, begin);
  for (guint t = 0; t < finder->n; t++)
    {
      HybValueId value = value_at_step (finder, second, t);

      g_array_append_val (body->states, value);
    }
  return TRUE;
}

/* Checks one input at all steps, and adds it where it is data or a state. */
static gboolean
add_input (const BodyFinder *finder, HybBody *body, const Entry *entry, guint input)
{
  InputKind kind = input_kind (finder, entry, input);

  for (guint t = 0; t < count_steps (finder, entry) && kind != INPUT_DATA; t++)
    if (input_at_step (finder, entry, input, t) != expected_input (finder, entry, input, t))
      return FALSE;
  if (kind == INPUT_DATA)
    return add_data (finder, body, entry, input);
  return kind != INPUT_BEFORE || add_state (finder, body, entry, input);
}

/* The body that the entries form; NULL if they do not form one. */
static HybBody *
make_body (const BodyFinder *finder)
{
  HybBody *body = g_new0 (HybBody, 1);
  gboolean is_body = TRUE;

  body->n_steps = finder->n;
  body->nodes = g_ptr_array_new_with_free_func (g_free);
  body->states = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  for (guint e = 0; is_body && e < finder->entries->len; e++)
    {
      const Entry *entry = get_entry (finder, e);

      g_ptr_array_add (body->nodes, g_memdup2 (entry->node, finder->n * sizeof *entry->node));
      for (guint i = 0; is_body && i < node_at_step (finder, entry, 0)->n_inputs; i++)
        is_body = add_input (finder, body, entry, i);
    }
  if (body->data && body->data[finder->n - 1] == HYB_NO_ID)
    is_body = FALSE;
  if (is_body && body->states->len > 0 && body->states->len <= HYB_MAX_STATES * (finder->n + 1))
    return body;
  free_body (body);
  return NULL;
}

/* --- All bodies --- */

/* Removes all entries.  is_kept: their nodes are taken from now on. */
static void
clear_entries (BodyFinder *finder, gboolean is_kept)
{
  for (guint e = 0; e < finder->entries->len; e++)
    {
      Entry *entry = get_entry (finder, e);

      for (guint t = 0; t < entry->n_known; t++)
        {
          finder->entry_of[entry->node[t]] = HYB_NO_ID;
          finder->taken[entry->node[t]] |= is_kept && t < finder->n;
        }
      g_free (entry->node);
    }
  g_array_set_size (finder->entries, 0);
}

/* Looks for a body around the readers of this weight, first without and then with greedy following.
 * */
static void
try_weight (BodyFinder *finder, HybValueId weight)
{
  g_autofree HybNodeId *anchors = find_anchors (finder, weight);
  guint                 n = finder->n;
  HybBody              *body = NULL;

  for (guint attempt = 0; anchors && !body && attempt < 2; attempt++)
    {
      finder->is_greedy = attempt == 1;
      finder->n = n;
      if (claim_nodes (finder, anchors, n) && grow (finder) && extend_all (finder))
        body = make_body (finder);
      clear_entries (finder, body != NULL);
    }
  if (body)
    g_ptr_array_add (finder->bodies, body);
}

GPtrArray *
hyb_bodies_find (HybGraph *graph, const guint8 *taken)
{
  guint            n_nodes = MAX (hyb_graph_n_nodes (graph), 1), n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  BodyFinder       finder = { .graph = graph };

  finder.taken = g_memdup2 (taken, n_nodes);
  finder.uses = g_new (guint32, n_nodes);
  finder.entry_of = g_new (guint32, n_nodes);
  finder.step_of = g_new (guint32, n_nodes);
  memset (finder.entry_of, 0xff, n_nodes * sizeof (guint32));
  finder.entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  finder.bodies = g_ptr_array_new_with_free_func (free_body);
  for (guint i = 0; i < n; i++)
    try_weight (&finder, hyb_graph_get_node (graph, variables[i])->first_output);

  g_free (finder.taken);
  g_free (finder.uses);
  g_free (finder.entry_of);
  g_free (finder.step_of);
  g_array_unref (finder.entries);
  return finder.bodies;
}
