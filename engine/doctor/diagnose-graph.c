/* diagnose-graph.c — rules that need only the graph: unknown operators, dead nodes, names, control
 * flow, and the order of LSTM gates.
 *
 * Parameters and types have rules of their own (diagnose-weights.c, diagnose-types.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/change.h"
#include "engine/doctor/diagnosis.h"

#include "engine/base/translate.h"
#include "engine/doctor/spelling.h"
#include "engine/graph/reach.h"
#include "engine/op/suggest.h"

#include <string.h>

#define MAX_OPERATORS 100 /* unknown operators that are reported */

/* Operators that only the program or backend that made them can run. */
static const struct
{
  const char *pattern, *hint;
} foreign[] = {
  { "_sg_*",
    N_ ("The graph was rewritten for a backend (optimize_for, oneDNN); export the original") },
  { "_TensorRT*", N_ ("The graph was rewritten for TensorRT; export the original") },
  { "_FusedOp*", N_ ("The graph was rewritten for GPU fusion; export the original") },
  { "*quantize*", N_ ("The graph was quantised; export the float model") },
};

/* (transfer full) */
static char *
hint_for_operator (const char *type)
{
  guint                   n_ops;
  const HybOp *const     *ops = hyb_op_list (&n_ops);
  g_autofree const char **names = g_new (const char *, n_ops);
  const HybOp            *meant = hyb_spelling_find_op (type);
  const char             *near, *reason = hyb_op_missing_reason (type);

  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    if (g_pattern_match_simple (foreign[i].pattern, type))
      return g_strdup (_ (foreign[i].hint));

  if (reason)
    return g_strdup (_ (reason));
  for (guint i = 0; i < n_ops; i++)
    names[i] = ops[i]->name;
  near = meant ? meant->name : hyb_suggest_name (names, n_ops, type);
  return near ? g_strdup_printf (_ ("Did you mean “%s”?"), near)
              : g_strdup (_ (
                    "Replace it by operators that are listed in docs/operators.md; if MXNet 1.9.1 "
                    "does not have it either, it comes from another build of MXNet"));
}

/* TRUE for opaque nodes, unless the reader has reported their attributes. */
static gboolean
is_unknown (const HybNode *node)
{
  const HybOp *op = node->op->flags & HYB_OP_OPAQUE ? hyb_op_find (node->type) : NULL;

  return node->op->flags & HYB_OP_OPAQUE && (!op || op->flags & HYB_OP_INTERNAL);
}

/* The operator's name in messages: “x”, or “Custom with op_type=x”.  (transfer full) */
static char *
operator_label (const HybNode *node)
{
  const HybOp *op = hyb_op_find (node->type);

  for (guint i = 0;
       op && op->flags & HYB_OP_NAMES_PLUGIN && node->attributes && node->attributes[i]; i += 2)
    if (strcmp (node->attributes[i], "op_type") == 0)
      return g_strdup_printf (_ ("%s with op_type=%s"), node->type, node->attributes[i + 1]);
  return g_strdup (node->type);
}

/* outer: the node of the main graph in whose body the graph is, or HYB_NO_ID.  found: label of an
 * operator → its finding. */
static void
find_unknown (HybDiagnosis *diagnosis, HybGraph *graph, HybNodeId outer, GHashTable *found)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
      g_autofree char *label = NULL;
      HybFinding      *finding;

      for (guint b = 0; b < node->n_bodies; b++)
        find_unknown (diagnosis, bodies[b], outer == HYB_NO_ID ? id : outer, found);
      if (!is_unknown (node))
        continue;

      label = operator_label (node);
      finding = g_hash_table_lookup (found, label);
      if (!finding && g_hash_table_size (found) >= MAX_OPERATORS)
        continue;
      if (!finding)
        {
          g_autofree char *hint = hint_for_operator (node->type);

          finding =
              hyb_diagnosis_report (diagnosis,
                                    &(DiagnosisIssue){ HYB_SEVERITY_ERROR, "unknown-operator",
                                                       outer == HYB_NO_ID ? id : outer, hint },
                                    _ ("there is no operator “%s”: the graph can be looked at but "
                                       "not run"),
                                    label);
          finding->remedy = HYB_REMEDY_OPERATOR;
          g_hash_table_insert (found, g_steal_pointer (&label), finding);
        }
      hyb_diagnosis_add_node (finding, node);
    }
}

/* TRUE if every opaque node of the graph whose label or name is this one is no longer opaque in the
 * corrected graph, whose nodes have the same ids.  label, name: NULL for any. */
static gboolean
is_corrected (HybGraph *graph, HybGraph *corrected, const char *label, const char *name)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      const HybNode   *now = hyb_graph_get_node (corrected, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
      HybGraph *const *bodies_now = hyb_graph_get_bodies (corrected, id);
      g_autofree char *own = operator_label (node);

      for (guint b = 0; b < node->n_bodies; b++)
        if (!is_corrected (bodies[b], bodies_now[b], label, name))
          return FALSE;
      if (node->op->flags & HYB_OP_OPAQUE && now->op->flags & HYB_OP_OPAQUE &&
          (!label || strcmp (own, label) == 0) && (!name || strcmp (node->name, name) == 0))
        return FALSE;
    }
  return TRUE;
}

/* Offers the repair for attributes that the reader has reported, and describes its changes. */
static void
offer_correction (HybDiagnosis *diagnosis, HybGraph *corrected, GPtrArray *changes)
{
  GPtrArray *findings = hyb_model_get_findings (diagnosis->model);

  for (guint i = 0; i < findings->len; i++)
    {
      HybFinding *finding = findings->pdata[i];

      if (strcmp (finding->code, "bad-attribute") != 0 || !finding->node ||
          !is_corrected (diagnosis->graph, corrected, NULL, finding->node))
        continue;
      for (guint k = 0; k < changes->len; k++)
        if (g_strcmp0 (((HybChange *) changes->pdata[k])->name, finding->node) == 0)
          {
            finding->remedy = HYB_REMEDY_REPAIR;
            g_free (finding->hint);
            finding->hint = g_strdup_printf (_ ("The repair %s"), hyb_change_text (changes, k));
          }
    }
}

void
hyb_diagnose_operators (HybDiagnosis *diagnosis)
{
  g_autoptr (GHashTable) found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autoptr (HybGraph) corrected = NULL;
  GHashTableIter iter;
  gpointer       label, finding;

  find_unknown (diagnosis, diagnosis->graph, HYB_NO_ID, found);
  if (!hyb_graph_has_opaque (diagnosis->graph))
    return;

  corrected = hyb_spelling_correct (diagnosis->graph, changes);
  g_hash_table_iter_init (&iter, found);
  while (g_hash_table_iter_next (&iter, &label, &finding))
    if (corrected != diagnosis->graph && is_corrected (diagnosis->graph, corrected, label, NULL))
      ((HybFinding *) finding)->remedy = HYB_REMEDY_REPAIR;
  if (corrected != diagnosis->graph)
    offer_correction (diagnosis, corrected, changes);
}

static gboolean
has_outputs (const HybDiagnosis *diagnosis)
{
  guint n;

  hyb_graph_get_heads (diagnosis->graph, &n);
  return n > 0;
}

void
hyb_diagnose_no_outputs (HybDiagnosis *diagnosis)
{
  if (!has_outputs (diagnosis))
    hyb_diagnosis_report (diagnosis,
                          &(DiagnosisIssue){ HYB_SEVERITY_ERROR, "no-outputs", HYB_NO_ID,
                                             "Export it with the outputs that are wanted" },
                          "the model has no outputs, so there is nothing to compute");
}

/* Reports a kind of node that nothing needs, once, and lists this one. */
static void
add_dead (HybDiagnosis         *diagnosis,
          HybFinding          **finding,
          const DiagnosisIssue *issue,
          const char           *message)
{
  if (!*finding)
    *finding = hyb_diagnosis_report (diagnosis, issue, "%s", message);
  hyb_diagnosis_add_node (*finding, hyb_graph_get_node (diagnosis->graph, issue->node));
}

void
hyb_diagnose_dead_nodes (HybDiagnosis *diagnosis)
{
  g_autofree guint8 *needed = hyb_graph_find_needed (diagnosis->graph, NULL);
  gboolean           is_foreign = hyb_graph_get_dialect (diagnosis->graph) != NULL;
  HybFinding        *nodes = NULL, *parameters = NULL;

  /* All nodes would be dead. */
  if (!has_outputs (diagnosis))
    return;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (diagnosis->graph); id++)
    if (needed[id])
      continue;
    else if (is_foreign && hyb_graph_get_contents (diagnosis->graph, id))
      add_dead (diagnosis, &parameters,
                &(DiagnosisIssue){ HYB_SEVERITY_NOTE, "unused-parameter", id,
                                   _ ("They only make the file larger") },
                _ ("arrays of the file that nothing reads"));
    else
      add_dead (diagnosis, &nodes,
                &(DiagnosisIssue){ HYB_SEVERITY_WARNING, "dead-node", id,
                                   is_foreign ? _ ("They are not computed; simplifying the model "
                                                   "leaves them out")
                                              : _ ("MXNet drops them when it saves the graph") },
                _ ("nodes that no output of the graph needs"));
  if (nodes && !is_foreign)
    nodes->remedy = HYB_REMEDY_REPAIR;
}

void
hyb_diagnose_node_names (HybDiagnosis *diagnosis)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  HybFinding *finding = NULL;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (diagnosis->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (diagnosis->graph, id);

      if (hyb_node_is_variable (node) || g_hash_table_add (seen, (gpointer) node->name))
        continue;
      if (!finding)
        finding = hyb_diagnosis_report (diagnosis,
                                        &(DiagnosisIssue){ HYB_SEVERITY_NOTE, "duplicate-name", id,
                                                           _ ("Nothing depends on these names, but "
                                                              "they confuse readers") },
                                        _ ("several operator nodes have the same name"));
      hyb_diagnosis_add_node (finding, node);
    }
}

/* An attribute of a loop or branch that lists inputs by number. */
typedef struct
{
  const char *key;
  int         body;   /* the subgraph whose inputs the numbers count; -1: they count the node's */
  int         listed; /* the subgraph for each of whose inputs there is a number; -1: none */
} Locations;

static const Locations locations[] = {
  { "in_data_locs", 0, -1 },    { "in_state_locs", 0, -1 },   { "remain_locs", 0, -1 },
  { "cond_input_locs", -1, 0 }, { "func_input_locs", -1, 1 }, { "func_var_locs", 1, -1 },
  { "then_input_locs", -1, 1 }, { "else_input_locs", -1, 2 },
};

/* The fault of the attribute, or NULL.  (transfer full) */
static char *
check_locations (HybGraph *graph, HybNodeId id, const Locations *rule)
{
  const HybNode   *node = hyb_graph_get_node (graph, id);
  HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
  const char      *text = hyb_node_get_attribute (node, rule->key);
  HybInts          ints = { 0 };
  guint            n_allowed = node->n_inputs, n_listed;
  char            *wrong = NULL;

  if (!text || rule->body >= (int) node->n_bodies || rule->listed >= (int) node->n_bodies)
    return NULL;
  if (!hyb_params_parse_ints (text, &ints))
    return g_strdup_printf (_ ("%s is “%s”, which is not a list of numbers"), rule->key, text);

  if (rule->body >= 0)
    hyb_graph_get_variables (bodies[rule->body], &n_allowed);
  for (int i = 0; i < ints.n && !wrong; i++)
    if (ints.value[i] < 0 || ints.value[i] >= n_allowed)
      wrong = g_strdup_printf ("%s names input %" G_GINT64_FORMAT ", but there are %u", rule->key,
                               ints.value[i], n_allowed);

  if (rule->listed >= 0 && !wrong)
    {
      hyb_graph_get_variables (bodies[rule->listed], &n_listed);
      if (ints.n != (int) n_listed)
        wrong = g_strdup_printf (_ ("%s has %d numbers, but subgraph %d has %u inputs"), rule->key,
                                 ints.n, rule->listed, n_listed);
    }
  g_free (ints.value);
  return wrong;
}

/* Every subgraph of a loop or branch that computes outputs must have num_outputs heads.  Returns
 * the fault, or NULL.  (transfer full) */
static char *
check_outputs (HybGraph *graph, HybNodeId id)
{
  const HybNode   *node = hyb_graph_get_node (graph, id);
  HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
  const char      *text = hyb_node_get_attribute (node, "num_outputs");
  guint            n_expected = text ? (guint) g_ascii_strtoull (text, NULL, 10) : node->n_outputs;
  guint            n_heads;

  if (node->op->category != HYB_CATEGORY_CONTROL)
    return NULL;
  /* The first of several subgraphs computes a condition, not outputs. */
  for (guint b = node->n_bodies > 1 ? 1 : 0; b < node->n_bodies; b++)
    {
      hyb_graph_get_heads (bodies[b], &n_heads);
      if (n_heads != n_expected)
        return g_strdup_printf (_ ("subgraph %u computes %u values, but num_outputs is %u"), b,
                                n_heads, n_expected);
    }
  return NULL;
}

/* outer: the node of the main graph in whose body the graph is, or HYB_NO_ID. */
static void
check_control (HybDiagnosis *diagnosis, HybGraph *graph, HybNodeId outer)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
      HybNodeId        shown = outer == HYB_NO_ID ? id : outer;
      g_autofree char *wrong = NULL;

      /* The reader has reported opaque nodes already. */
      if (!(node->op->flags & HYB_OP_OPAQUE) && node->n_bodies > 0)
        {
          for (guint i = 0; i < G_N_ELEMENTS (locations) && !wrong; i++)
            wrong = check_locations (graph, id, &locations[i]);
          if (!wrong)
            wrong = check_outputs (graph, id);
        }
      if (wrong)
        hyb_diagnosis_report (diagnosis,
                              &(DiagnosisIssue){ HYB_SEVERITY_ERROR, "control-flow-mismatch", shown,
                                                 _ ("Export the model again") },
                              _ ("node “%s” (%s): %s"), node->name, node->type, wrong);
      for (guint b = 0; b < node->n_bodies; b++)
        check_control (diagnosis, bodies[b], shown);
    }
}

void
hyb_diagnose_control_flow (HybDiagnosis *diagnosis)
{
  check_control (diagnosis, diagnosis->graph, HYB_NO_ID);
}

/* The act_type of a node that uses the value; NULL if there is none. */
static const char *
activation_of (HybGraph *graph, HybValueId value)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *text = hyb_node_get_attribute (hyb_graph_get_node (graph, users[i]), "act_type");

      if (text)
        return text;
    }
  return NULL;
}

/* The gates of MXNet's LSTM cells are input, forget, candidate, output, with the activations sigmoid,
 * sigmoid, tanh, sigmoid.  In examples from before mx.rnn the candidate is second. */
void
hyb_diagnose_gate_order (HybDiagnosis *diagnosis)
{
  static const char *const old_order[] = { "sigmoid", "tanh", "sigmoid", "sigmoid" };
  HybFinding              *finding = NULL;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (diagnosis->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (diagnosis->graph, id);
      guint          n_same = 0;

      if (node->n_outputs != G_N_ELEMENTS (old_order))
        continue;
      for (guint i = 0; i < node->n_outputs; i++)
        n_same +=
            g_strcmp0 (activation_of (diagnosis->graph, node->first_output + i), old_order[i]) == 0;
      if (n_same < node->n_outputs)
        continue;

      if (!finding)
        finding = hyb_diagnosis_report (
            diagnosis,
            &(DiagnosisIssue){ HYB_SEVERITY_NOTE, "old-gate-order", id,
                               _ ("Reorder the rows (input, forget, candidate, output) before "
                                  "using the weights in mx.rnn or Gluon cells") },
            _ ("LSTM gates are in the order input, candidate, forget, "
               "output, as in examples before mx.rnn"));
      hyb_diagnosis_add_node (finding, node);
    }
}
