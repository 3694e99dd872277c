/* diagnose-types.c — rules about shapes and element types.
 *
 * First what follows from the graph and the given inputs alone: a parameter that
 * contradicts it is wrong.  Then all parameters together: where they contradict each
 * other, they are added one by one, and the one that does not fit is named.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnose-private.h"

#include "engine/analysis/infer-types.h"

#include <string.h>

/* Rules asked at most while looking for culprits: about a second. */
#define MAX_ASKED 4000000
#define MAX_CASTS 200
/* Operands and readers looked at: no operator names more. */
#define MAX_OPERANDS 64

typedef struct
{
  HybDiagnosis *diagnosis;
  guint         n_values;
  HybType      *given;  /* what the user said, parameters left out */
  HybType      *known;  /* and what follows */
  gboolean     *is_bad; /* by variable */
  gboolean     *has_bad_shape;
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

  for (guint i = 0; i < MIN (n, MAX_OPERANDS); i++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, users[i]);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, users[i]);

      for (guint k = 0; k < MIN (node->n_inputs, MAX_OPERANDS); k++)
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
  check->has_bad_shape[i] = TRUE;
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
    {
      check->dtypes = hyb_diagnosis_say (diagnosis,
                                         HYB_SEVERITY_ERROR,
                                         "wrong-dtype",
                                         id,
                                         "Cast the parameters, or export the model again after "
                                         "casting it",
                                         "arrays have other element types than what they meet");
      check->dtypes->remedy = HYB_REMEDY_REPAIR;
    }
  hyb_finding_add_item (check->dtypes,
                        hyb_graph_get_node (diagnosis->graph, id)->name,
                        wanted,
                        got);
}

/* Hardly any array fits: the file belongs to another model. */
static void
check_pair (Check *check)
{
  HybDiagnosis *diagnosis = check->diagnosis;
  guint         n = 0, n_bad = 0;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      n += diagnosis->parameters[i] != NULL;
      n_bad += check->has_bad_shape[i];
    }
  if (n_bad >= 2 && n_bad * 2 > n)
    hyb_diagnosis_say (diagnosis,
                       HYB_SEVERITY_ERROR,
                       "wrong-pair",
                       HYB_NO_ID,
                       "Load the file that was exported with this graph",
                       "%u of %u arrays of %s do not fit the graph: it belongs to another model",
                       n_bad,
                       n,
                       hyb_model_get_weights_file (diagnosis->model));
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

static HybType *
type_of (const Check *check, guint i, HybType *types)
{
  return &types[hyb_diagnosis_variable (check->diagnosis, i)->first_output];
}

static gboolean
is_good (const Check *check, guint i)
{
  return check->diagnosis->parameters[i] && !check->is_bad[i];
}

/* One after the other; what contradicts those before it is named and left out. */
static HybType *
add_shapes_one_by_one (Check *check)
{
  HybDiagnosis *diagnosis = check->diagnosis;
  HybType      *types = copy_types (check, check->known);

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      HybType *trial;

      if (!is_good (check, i))
        continue;

      trial = copy_types (check, types);
      type_of (check, i, trial)->shape = *hyb_tensor_get_shape (diagnosis->parameters[i]);
      if (hyb_infer_types (diagnosis->graph, trial, NULL, FALSE, NULL))
        {
          g_free (types);
          types = trial;
          continue;
        }
      g_free (trial);
      say_shape (check, i, &type_of (check, i, types)->shape);
    }
  return types;
}

/* All shapes together, element types left to the graph. */
static void
check_shapes_together (Check *check)
{
  HybDiagnosis       *diagnosis = check->diagnosis;
  g_autofree HybType *all = copy_types (check, check->given);
  g_autofree HybType *result = NULL;
  g_autoptr (GError) own = NULL;
  guint n = 0;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (is_good (check, i))
      {
        type_of (check, i, all)->shape = *hyb_tensor_get_shape (diagnosis->parameters[i]);
        n++;
      }

  if (hyb_infer_types (diagnosis->graph, all, NULL, FALSE, &own))
    result = g_steal_pointer (&all);
  else if ((guint64) n * hyb_graph_n_nodes (diagnosis->graph) < MAX_ASKED)
    result = add_shapes_one_by_one (check);
  else
    {
      say_conflict (check, all, own);
      result = copy_types (check, check->known);
    }
  memcpy (diagnosis->types, result, check->n_values * sizeof *result);
}

/* The element type that most parameters have. */
static HybDType
common_dtype (const Check *check)
{
  guint counts[HYB_N_DTYPES] = { 0 };
  guint best = 0;

  for (guint i = 0; i < check->diagnosis->n_variables; i++)
    if (is_good (check, i))
      counts[hyb_tensor_get_dtype (check->diagnosis->parameters[i])]++;
  for (guint dtype = 1; dtype < HYB_N_DTYPES; dtype++)
    if (counts[dtype] > counts[best])
      best = dtype;
  return (HybDType) best;
}

/* The node whose rule fails; HYB_NO_ID: all fit. */
static HybNodeId
fails_at (const Check *check, const HybType *types)
{
  g_autofree HybType *trial = copy_types (check, types);

  if (hyb_infer_types (check->diagnosis->graph, trial, NULL, FALSE, NULL))
    return HYB_NO_ID;
  return find_failing (check->diagnosis->graph, trial);
}

/* The index of a variable, whose ids ascend; -1: it is none. */
static int
index_of_variable (const HybDiagnosis *diagnosis, HybNodeId id)
{
  guint low = 0, high = diagnosis->n_variables;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (diagnosis->variables[middle] == id)
        return (int) middle;
      if (diagnosis->variables[middle] < id)
        low = middle + 1;
      else
        high = middle;
    }
  return -1;
}

/* The parameters that a node reads itself, as indices of variables. */
static GArray *
parameters_of (const Check *check, HybNodeId id)
{
  const HybDiagnosis *diagnosis = check->diagnosis;
  const HybNode      *node = hyb_graph_get_node (diagnosis->graph, id);
  const HybValueId   *inputs = hyb_graph_get_inputs (diagnosis->graph, id);
  GArray             *found = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint k = 0; k < MIN (node->n_inputs, MAX_OPERANDS); k++)
    {
      int index =
          index_of_variable (diagnosis, hyb_graph_get_producer (diagnosis->graph, inputs[k]));

      if (index >= 0 && is_good (check, (guint) index))
        g_array_append_val (found, index);
    }
  return found;
}

/* Casts parameters of a node to target if it is content then, and names those that
 * cannot go back to what they are. */
static gboolean
cast_at (Check *check, HybNodeId id, HybDType target, HybType *types)
{
  HybDiagnosis *diagnosis = check->diagnosis;
  g_autoptr (GArray) read = parameters_of (check, id);
  g_autofree HybType *trial = copy_types (check, types);
  gboolean            has_found = FALSE;

  for (guint k = 0; k < read->len; k++)
    type_of (check, g_array_index (read, guint, k), trial)->dtype = target;
  if (fails_at (check, trial) == id)
    return FALSE;

  for (guint k = 0; k < read->len; k++)
    {
      guint    i = g_array_index (read, guint, k);
      HybDType is = hyb_tensor_get_dtype (diagnosis->parameters[i]);

      type_of (check, i, trial)->dtype = is;
      if (is == target || fails_at (check, trial) != id)
        continue;
      type_of (check, i, trial)->dtype = target;
      type_of (check, i, types)->dtype = target;
      say_dtype (check, i, target);
      has_found = TRUE;
    }
  return has_found;
}

/* Turns odd ones into what most are until all fit, then back those that need not.
 * FALSE, and nothing changed: that is not the trouble. */
static gboolean
cast_odd_ones (Check *check, HybDType common, HybType *types)
{
  HybDiagnosis       *diagnosis = check->diagnosis;
  g_autofree HybType *trial = copy_types (check, types);
  gboolean            does_fit = FALSE;
  guint               end = 0, n_cast = 0;

  for (; end < diagnosis->n_variables && n_cast < MAX_CASTS && !does_fit; end++)
    if (is_good (check, end) && type_of (check, end, trial)->dtype != common)
      {
        type_of (check, end, trial)->dtype = common;
        does_fit = fails_at (check, trial) == HYB_NO_ID;
        n_cast++;
      }
  if (!does_fit)
    return FALSE;

  for (guint i = 0; i < end; i++)
    {
      HybDType is = is_good (check, i) ? hyb_tensor_get_dtype (diagnosis->parameters[i]) : common;

      if (is == common)
        continue;
      type_of (check, i, trial)->dtype = is;
      if (fails_at (check, trial) == HYB_NO_ID)
        continue;
      type_of (check, i, trial)->dtype = common;
      say_dtype (check, i, common);
    }
  memcpy (types, trial, check->n_values * sizeof *types);
  return TRUE;
}

/* Node by node: what does not go together becomes what most are, or float32, which
 * some operators insist on for some operands. */
static void
find_odd_dtypes (Check *check, HybType *types, const GError *error)
{
  HybDType  common = common_dtype (check);
  HybNodeId id;

  if (cast_odd_ones (check, common, types))
    return;
  for (guint n = 0; n < MAX_CASTS && (id = fails_at (check, types)) != HYB_NO_ID; n++)
    if (!cast_at (check, id, common, types) && !cast_at (check, id, HYB_F32, types))
      {
        say_conflict (check, types, error);
        return;
      }
}

static void
check_dtypes_together (Check *check)
{
  HybDiagnosis       *diagnosis = check->diagnosis;
  g_autofree HybType *all = copy_types (check, check->given);
  g_autofree HybType *result = NULL;
  g_autoptr (GError) own = NULL;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (is_good (check, i))
      *type_of (check, i, all) = *hyb_tensor_get_type (diagnosis->parameters[i]);

  result = copy_types (check, all);
  if (!hyb_infer_types (diagnosis->graph, result, NULL, FALSE, &own))
    {
      if ((guint64) diagnosis->n_variables * hyb_graph_n_nodes (diagnosis->graph) >= MAX_ASKED)
        {
          say_conflict (check, result, own);
          return;
        }
      find_odd_dtypes (check, all, own);
      memcpy (result, all, check->n_values * sizeof *all);
      if (!hyb_infer_types (diagnosis->graph, result, NULL, FALSE, NULL))
        return;
    }
  memcpy (diagnosis->types, result, check->n_values * sizeof *result);
}

/* The element type that the variable’s own attribute announces. */
static HybDType
announced_dtype (const HybNode *node)
{
  const char *text = hyb_node_get_attribute (node, "__dtype__");
  gint64      code = text && *text ? g_ascii_strtoll (text, NULL, 10) : -1;

  return hyb_dtype_is_valid_code (code) ? (HybDType) code : HYB_DTYPE_UNKNOWN;
}

static void
check_announced (Check *check)
{
  HybDiagnosis *diagnosis = check->diagnosis;
  HybFinding   *finding = NULL;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      const HybNode   *node = hyb_diagnosis_variable (diagnosis, i);
      HybDType         announced = announced_dtype (node);
      g_autofree char *wanted = hyb_dtype_to_json (announced), *got = NULL;

      if (!is_good (check, i) || announced == HYB_DTYPE_UNKNOWN ||
          announced == hyb_tensor_get_dtype (diagnosis->parameters[i]))
        continue;
      if (!finding)
        finding =
            hyb_diagnosis_say (diagnosis,
                               HYB_SEVERITY_WARNING,
                               "wrong-dtype",
                               diagnosis->variables[i],
                               "Cast the network before exporting it, or the data to what the "
                               "file holds",
                               "arrays have other element types than the graph announces");
      got = hyb_dtype_to_json (hyb_tensor_get_dtype (diagnosis->parameters[i]));
      hyb_finding_add_item (finding, node->name, wanted, got);
    }
}

void
hyb_diagnose_types (HybDiagnosis *diagnosis)
{
  guint                room = MAX (diagnosis->n_variables, 1);
  g_autofree gboolean *is_bad = g_new0 (gboolean, room);
  g_autofree gboolean *has_bad_shape = g_new0 (gboolean, room);
  g_autoptr (GError) own = NULL;
  Check check = {
    .diagnosis = diagnosis,
    .n_values = hyb_graph_n_values (diagnosis->graph),
    .is_bad = is_bad,
    .has_bad_shape = has_bad_shape,
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
      check_shapes_together (&check);
      check_dtypes_together (&check);
      check_announced (&check);
      check_pair (&check);
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
                                       "Give the shapes of inputs",
                                       "outputs have shapes that are not known yet: %s",
                                       reason);
          finding->remedy = HYB_REMEDY_SHAPES;
        }
      got = hyb_shape_to_json (shape);
      hyb_finding_add_item (finding, names[i], NULL, got);
    }
}
