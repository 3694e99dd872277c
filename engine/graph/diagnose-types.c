/* diagnose-types.c — rules about shapes and element types.
 *
 * First what follows from the graph and the given inputs alone: a parameter that
 * contradicts it is wrong.  Then all parameters together: where they contradict each
 * other, they are added one by one, and the one that does not fit is named.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/diagnose-private.h"

#include "engine/passes/infer-types.h"

#include <string.h>

/* Rules asked at most while looking for culprits: about a second. */
#define MAX_ASKED 4000000

typedef struct
{
  HybDiagnosis *diagnosis;
  guint         n_values;
  HybType      *given;  /* what the user said, parameters left out */
  HybType      *known;  /* and what follows */
  gboolean     *is_bad; /* by variable */
  HybFinding   *shapes, *dtypes;
} Check;

static HybType *
copy_types (const Check *check, const HybType *types)
{
  return g_memdup2 (types, MAX (check->n_values, 1) * sizeof *types);
}

/* The node whose rule fails; HYB_NO_ID: none does by itself. */
static HybNodeId
find_failing (HybGraph *graph, const HybType *types)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode      *node = hyb_graph_get_node (graph, id);
      g_autofree HybType *room = NULL;
      HybCall             call;

      if (hyb_node_is_variable (node))
        continue;
      room = g_new (HybType, node->n_inputs + node->n_outputs);
      hyb_call_init (&call, graph, id, types, room);
      if (!hyb_call_infer (&call, NULL))
        return id;
    }
  return HYB_NO_ID;
}

static void
say_conflict (Check *check, const HybType *types, const GError *error)
{
  HybNodeId id = find_failing (check->diagnosis->graph, types);

  hyb_diagnosis_say (check->diagnosis,
                     HYB_SEVERITY_ERROR,
                     "shape-conflict",
                     id,
                     "Look at the attributes of the node and of those before it",
                     "%s",
                     error->message);
}

static gboolean
is_flat_vector (HybGraph *graph, HybNodeId variable)
{
  guint            n;
  HybValueId       value = hyb_graph_get_node (graph, variable)->first_output;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, users[i]);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, users[i]);

      for (guint k = 0; k < node->n_inputs; k++)
        if (inputs[k] == value && node->op->inputs)
          {
            g_autofree char *name = hyb_op_dup_input_name (node->op, k, node->n_inputs);

            if (strcmp (name, "parameters") == 0)
              return TRUE;
          }
    }
  return FALSE;
}

static void
say_shape (Check *check, guint i, const HybShape *expected)
{
  HybDiagnosis    *diagnosis = check->diagnosis;
  HybNodeId        id = diagnosis->variables[i];
  const HybNode   *node = hyb_graph_get_node (diagnosis->graph, id);
  const HybShape  *shape = hyb_tensor_get_shape (diagnosis->parameters[i]);
  g_autofree char *wanted = hyb_shape_to_json (expected), *got = hyb_shape_to_json (shape);

  check->is_bad[i] = TRUE;
  if (is_flat_vector (diagnosis->graph, id))
    {
      HybFinding *finding =
          hyb_diagnosis_say (diagnosis,
                             HYB_SEVERITY_ERROR,
                             "packed-length",
                             id,
                             "Hidden size, layers, directions, cell or input size differ from "
                             "those "
                             "that the vector was made for",
                             "the flat vector “%s” has another length than its RNN needs",
                             node->name);

      hyb_finding_add_item (finding, node->name, wanted, got);
      return;
    }

  if (!check->shapes)
    check->shapes = hyb_diagnosis_say (diagnosis,
                                       HYB_SEVERITY_ERROR,
                                       "wrong-shape",
                                       id,
                                       "Load the parameters that were exported with this graph",
                                       "arrays have other shapes than the graph needs");
  hyb_finding_add_item (check->shapes, node->name, wanted, got);
}

static void
say_dtype (Check *check, guint i, HybDType expected)
{
  HybDiagnosis    *diagnosis = check->diagnosis;
  HybNodeId        id = diagnosis->variables[i];
  g_autofree char *wanted = hyb_dtype_to_json (expected);
  g_autofree char *got = hyb_dtype_to_json (hyb_tensor_get_dtype (diagnosis->parameters[i]));

  check->is_bad[i] = TRUE;
  if (!check->dtypes)
    check->dtypes = hyb_diagnosis_say (diagnosis,
                                       HYB_SEVERITY_ERROR,
                                       "wrong-dtype",
                                       id,
                                       "Cast the parameters (--repair does), or export the model "
                                       "again after casting it",
                                       "arrays have other element types than what they meet");
  hyb_finding_add_item (check->dtypes,
                        hyb_graph_get_node (diagnosis->graph, id)->name,
                        wanted,
                        got);
}

/* Each parameter against what the graph alone says. */
static void
check_one_by_one (Check *check)
{
  HybDiagnosis *diagnosis = check->diagnosis;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      HybValueId value = hyb_diagnosis_variable (diagnosis, i)->first_output;
      HybShape   expected = check->known[value].shape;

      if (diagnosis->parameters[i] &&
          !hyb_shape_assign (&expected, hyb_tensor_get_shape (diagnosis->parameters[i]), NULL))
        say_shape (check, i, &check->known[value].shape);
    }
}

static void
add_parameter (Check *check, guint i, HybType *types)
{
  HybDiagnosis *diagnosis = check->diagnosis;

  types[hyb_diagnosis_variable (diagnosis, i)->first_output] =
      *hyb_tensor_get_type (diagnosis->parameters[i]);
}

/* One after the other; what contradicts those before it is named and left out. */
static HybType *
add_one_by_one (Check *check)
{
  HybDiagnosis *diagnosis = check->diagnosis;
  HybType      *types = copy_types (check, check->known);

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      HybValueId value = hyb_diagnosis_variable (diagnosis, i)->first_output;
      HybType   *trial;

      if (!diagnosis->parameters[i] || check->is_bad[i])
        continue;

      trial = copy_types (check, types);
      add_parameter (check, i, trial);
      if (hyb_infer_types (diagnosis->graph, trial, NULL, FALSE, NULL))
        {
          g_free (types);
          types = trial;
          continue;
        }

      g_free (trial);
      if (types[value].dtype != HYB_DTYPE_UNKNOWN &&
          types[value].dtype != hyb_tensor_get_dtype (diagnosis->parameters[i]))
        say_dtype (check, i, types[value].dtype);
      else
        say_shape (check, i, &types[value].shape);
    }
  return types;
}

static void
check_together (Check *check)
{
  HybDiagnosis       *diagnosis = check->diagnosis;
  g_autofree HybType *all = copy_types (check, check->given);
  g_autofree HybType *result = NULL;
  g_autoptr (GError) own = NULL;
  guint n = 0;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (diagnosis->parameters[i] && !check->is_bad[i])
      {
        add_parameter (check, i, all);
        n++;
      }

  if (hyb_infer_types (diagnosis->graph, all, NULL, FALSE, &own))
    result = g_steal_pointer (&all);
  else if ((guint64) n * hyb_graph_n_nodes (diagnosis->graph) < MAX_ASKED)
    result = add_one_by_one (check);
  else
    {
      say_conflict (check, all, own);
      result = g_steal_pointer (&check->known);
    }
  memcpy (diagnosis->types, result, check->n_values * sizeof *result);
}

void
hyb_diagnose_types (HybDiagnosis *diagnosis)
{
  g_autofree gboolean *is_bad = g_new0 (gboolean, MAX (diagnosis->n_variables, 1));
  g_autoptr (GError) own = NULL;
  Check check = {
    .diagnosis = diagnosis,
    .n_values = hyb_graph_n_values (diagnosis->graph),
    .is_bad = is_bad,
  };

  check.given = copy_types (&check, diagnosis->types);
  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (diagnosis->parameters[i])
      check.given[hyb_diagnosis_variable (diagnosis, i)->first_output] = HYB_TYPE_UNKNOWN;

  check.known = copy_types (&check, check.given);
  if (hyb_infer_types (diagnosis->graph, check.known, NULL, FALSE, &own))
    {
      /* What only becomes float32 because nothing says otherwise must not decide. */
      for (guint i = 0; i < check.n_values; i++)
        check.known[i].dtype = check.given[i].dtype;
      check_one_by_one (&check);
      check_together (&check);
    }
  else
    {
      say_conflict (&check, check.known, own);
      memcpy (diagnosis->types, check.known, check.n_values * sizeof *check.known);
    }
  g_free (check.given);
  g_free (check.known);
}

void
hyb_diagnose_outputs (HybDiagnosis *diagnosis)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (diagnosis->graph, &n);
  g_auto (GStrv) names = hyb_graph_dup_output_names (diagnosis->graph);
  HybFinding *finding = NULL;

  for (guint i = 0; i < n; i++)
    {
      const HybShape  *shape = &diagnosis->types[heads[i]].shape;
      g_autofree char *reason = NULL, *got = NULL;

      if (hyb_shape_is_known (shape))
        continue;
      if (!finding)
        {
          reason = hyb_infer_reason (diagnosis->graph, diagnosis->types, heads[i]);
          finding = hyb_diagnosis_say (diagnosis,
                                       HYB_SEVERITY_NOTE,
                                       "shape-unknown",
                                       hyb_graph_get_producer (diagnosis->graph, heads[i]),
                                       "Give the shapes of inputs with --shape NAME=1,2,3",
                                       "outputs have shapes that are not known yet: %s",
                                       reason);
        }
      got = hyb_shape_to_json (shape);
      hyb_finding_add_item (finding, names[i], NULL, got);
    }
}
