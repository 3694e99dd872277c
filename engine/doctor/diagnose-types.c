/* diagnose-types.c — rules about shapes and element types.
 *
 * First the types are inferred from the graph and the given inputs alone; a parameter that
 * contradicts them is wrong.  Then all parameters are added together.  If they contradict each
 * other, they are added one by one, and the one that does not fit is reported.  Start at
 * hyb_diagnose_types().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/translate.h"

#include <string.h>

/* Limit of inference steps while looking for the wrong parameter: about a second. */
#define MAX_STEPS 4000000
#define MAX_CASTS 200
/* Limit of operands and users that are examined; no operator names more operands. */
#define MAX_OPERANDS 64

typedef struct
{
  HybDiagnosis *diagnosis;
  guint         n_values;
  HybType      *given;           /* by value: given by the user, without parameters */
  HybType      *known;           /* by value: inferred from given */
  gboolean     *is_bad;          /* by variable: the parameter was reported */
  gboolean     *has_bad_shape;   /* by variable */
  HybFinding   *shapes, *dtypes; /* one for all parameters; NULL until needed */
} TypeCheck;

static HybType *
copy_types (const TypeCheck *check, const HybType *types)
{
  return g_memdup2 (types, MAX (check->n_values, 1) * sizeof *types);
}

/* The first node whose rule contradicts the types; HYB_NO_ID if no single node does. */
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

/* facts: as they were given; error: for element types, which are reported without the facts. */
static void
report_conflict (TypeCheck *check, const HybType *facts, const GError *error)
{
  if (hyb_diagnosis_report_conflict (check->diagnosis, facts))
    return;

  hyb_diagnosis_report (check->diagnosis,
                        &(DiagnosisIssue){
                            HYB_SEVERITY_ERROR, "shape-conflict",
                            find_failing (check->diagnosis->graph, facts),
                            _ ("Check the attributes of this node and of the nodes before it") },
                        "%s", error->message);
}

static void
report_shape (TypeCheck *check, guint i, const HybShape *expected)
{
  HybDiagnosis    *diagnosis = check->diagnosis;
  HybNodeId        id = diagnosis->variables[i];
  const HybNode   *node = hyb_graph_get_node (diagnosis->graph, id);
  const HybShape  *shape = &diagnosis->shapes[i];
  g_autofree char *expected_json = hyb_shape_to_json (expected), *got = hyb_shape_to_json (shape);

  check->is_bad[i] = TRUE;
  check->has_bad_shape[i] = TRUE;
  if (hyb_diagnosis_is_flat_vector (diagnosis, id))
    {
      HybFinding *finding =
          hyb_diagnosis_report (diagnosis,
                                &(DiagnosisIssue){
                                    HYB_SEVERITY_ERROR, "packed-length", id,
                                    _ ("Hidden size, layers, directions, cell or input "
                                       "size differ from "
                                       "those "
                                       "that the vector was made for") },
                                _ ("the flat vector “%s” has another length than its RNN needs"),
                                node->name);

      hyb_finding_add_item (finding, node->name, expected_json, got);
      return;
    }

  if (!check->shapes)
    check->shapes =
        hyb_diagnosis_report (diagnosis,
                              &(DiagnosisIssue){
                                  HYB_SEVERITY_ERROR, "wrong-shape", id,
                                  _ ("Load the parameters that were exported with this graph") },
                              _ ("arrays have other shapes than the graph needs"));
  hyb_finding_add_item (check->shapes, node->name, expected_json, got);
}

static void
report_dtype (TypeCheck *check, guint i, HybDType expected)
{
  HybDiagnosis    *diagnosis = check->diagnosis;
  HybNodeId        id = diagnosis->variables[i];
  g_autofree char *expected_json = hyb_dtype_to_json (expected);
  g_autofree char *got = hyb_dtype_to_json (hyb_tensor_get_dtype (diagnosis->parameters[i]));

  check->is_bad[i] = TRUE;
  if (!check->dtypes)
    {
      check->dtypes = hyb_diagnosis_report (
          diagnosis,
          &(DiagnosisIssue){ HYB_SEVERITY_ERROR, "wrong-dtype", id,
                             _ ("Cast the parameters, or export the model again after "
                                "casting it") },
          _ ("arrays have element types that do not fit the other inputs of their operators"));
      check->dtypes->remedy = HYB_REMEDY_REPAIR;
    }
  hyb_finding_add_item (check->dtypes, hyb_graph_get_node (diagnosis->graph, id)->name,
                        expected_json, got);
}

/* Reports that the file belongs to another model if most parameters have the wrong shape. */
static void
check_pair (TypeCheck *check)
{
  HybDiagnosis    *diagnosis = check->diagnosis;
  guint            n = 0, n_bad = 0;
  g_autofree char *message = NULL;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      n += diagnosis->parameters[i] != NULL;
      n_bad += check->has_bad_shape[i];
    }
  if (n_bad < 2 || n_bad * 2 <= n)
    return;

  message =
      g_strdup_printf (_ ("%s belongs to another model: %u of its %u arrays have other shapes than "
                          "the graph needs"),
                       hyb_model_get_weights_file (diagnosis->model), n_bad, n);
  hyb_diagnosis_report_wrong_pair (diagnosis, message, check->shapes ? check->shapes->items : NULL);
  if (check->shapes)
    g_ptr_array_remove (hyb_model_get_findings (diagnosis->model), check->shapes);
  check->shapes = NULL;
}

/* Adds to the finding about shapes where the first conflict comes from, and which attribute may be wrong. */
static void
explain_shapes (const TypeCheck *check)
{
  char *text, *message, *size;

  if (!check->shapes)
    return;
  text = hyb_diagnosis_explain_shapes (check->diagnosis);
  if (!text)
    return;
  message = g_strdup_printf ("%s: %s", check->shapes->message, text);
  g_free (check->shapes->message);
  check->shapes->message = message;
  g_free (text);
  size = hyb_diagnosis_suggest_size (check->diagnosis);
  if (!size)
    return;
  g_free (check->shapes->hint);
  check->shapes->hint = size;
  check->shapes->remedy = HYB_REMEDY_ATTRIBUTES;
}

/* Compares each parameter with the type inferred from the graph alone. */
static void
check_one_by_one (TypeCheck *check)
{
  HybDiagnosis *diagnosis = check->diagnosis;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      HybValueId value = hyb_diagnosis_variable (diagnosis, i)->first_output;
      HybShape   expected = check->known[value].shape;

      if (diagnosis->parameters[i] && !hyb_shape_assign (&expected, &diagnosis->shapes[i], NULL))
        report_shape (check, i, &check->known[value].shape);
    }
}

static HybType *
type_of (const TypeCheck *check, guint i, HybType *types)
{
  return &types[hyb_diagnosis_variable (check->diagnosis, i)->first_output];
}

/* TRUE if there is a parameter, and nothing wrong was found with it. */
static gboolean
is_usable (const TypeCheck *check, guint i)
{
  return check->diagnosis->parameters[i] && !check->is_bad[i];
}

/* Adds the shapes of parameters one by one; reports and leaves out shapes that contradict
 * earlier ones.  (transfer full) */
static HybType *
add_shapes_one_by_one (TypeCheck *check)
{
  HybDiagnosis *diagnosis = check->diagnosis;
  HybType      *types = copy_types (check, check->known);

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      HybType *trial;

      if (!is_usable (check, i))
        continue;

      trial = copy_types (check, types);
      type_of (check, i, trial)->shape = diagnosis->shapes[i];
      if (hyb_infer_types (diagnosis->graph, trial, NULL, FALSE, NULL))
        {
          g_free (types);
          types = trial;
          continue;
        }
      g_free (trial);
      report_shape (check, i, &type_of (check, i, types)->shape);
    }
  return types;
}

/* Infers shapes from all parameters; element types are not compared here. */
static void
check_shapes_together (TypeCheck *check)
{
  HybDiagnosis       *diagnosis = check->diagnosis;
  g_autofree HybType *all = copy_types (check, check->given);
  g_autofree HybType *result = NULL;
  g_autoptr (GError) conflict = NULL;
  guint n = 0;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (is_usable (check, i))
      {
        type_of (check, i, all)->shape = diagnosis->shapes[i];
        n++;
      }

  if (hyb_infer_types (diagnosis->graph, all, NULL, FALSE, &conflict))
    result = g_steal_pointer (&all);
  else if ((guint64) n * hyb_graph_n_nodes (diagnosis->graph) < MAX_STEPS)
    result = add_shapes_one_by_one (check);
  else
    {
      report_conflict (check, all, conflict);
      result = copy_types (check, check->known);
    }
  memcpy (diagnosis->types, result, check->n_values * sizeof *result);
}

/* The element type that most parameters have. */
static HybDType
common_dtype (const TypeCheck *check)
{
  guint counts[HYB_N_DTYPES] = { 0 };
  guint best = 0;

  for (guint i = 0; i < check->diagnosis->n_variables; i++)
    if (is_usable (check, i))
      counts[hyb_tensor_get_dtype (check->diagnosis->parameters[i])]++;
  for (guint dtype = 1; dtype < HYB_N_DTYPES; dtype++)
    if (counts[dtype] > counts[best])
      best = dtype;
  return (HybDType) best;
}

/* The node whose rule contradicts the types; HYB_NO_ID if there is no contradiction. */
static HybNodeId
find_conflict (const TypeCheck *check, const HybType *types)
{
  g_autofree HybType *trial = copy_types (check, types);

  if (hyb_infer_types (check->diagnosis->graph, trial, NULL, FALSE, NULL))
    return HYB_NO_ID;
  return find_failing (check->diagnosis->graph, trial);
}

/* The index of a variable by binary search; -1 if the node is not a variable. */
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

/* Indices (guint) of the parameters that are inputs of a node.  (transfer full) */
static GArray *
parameters_of (const TypeCheck *check, HybNodeId id)
{
  const HybDiagnosis *diagnosis = check->diagnosis;
  const HybNode      *node = hyb_graph_get_node (diagnosis->graph, id);
  const HybValueId   *inputs = hyb_graph_get_inputs (diagnosis->graph, id);
  GArray             *found = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint k = 0; k < MIN (node->n_inputs, MAX_OPERANDS); k++)
    {
      int index =
          index_of_variable (diagnosis, hyb_graph_get_producer (diagnosis->graph, inputs[k]));

      if (index >= 0 && is_usable (check, (guint) index))
        g_array_append_val (found, index);
    }
  return found;
}

/* If casting all parameters of a node to target resolves the conflict there, reports and casts
 * the parameters that differ.  FALSE if that changes nothing. */
static gboolean
cast_at (TypeCheck *check, HybNodeId id, HybDType target, HybType *types)
{
  HybDiagnosis *diagnosis = check->diagnosis;
  g_autoptr (GArray) inputs = parameters_of (check, id);
  g_autofree HybType *trial = copy_types (check, types);
  gboolean            has_found = FALSE;

  for (guint k = 0; k < inputs->len; k++)
    type_of (check, g_array_index (inputs, guint, k), trial)->dtype = target;
  if (find_conflict (check, trial) == id)
    return FALSE;

  for (guint k = 0; k < inputs->len; k++)
    {
      guint    i = g_array_index (inputs, guint, k);
      HybDType stored = hyb_tensor_get_dtype (diagnosis->parameters[i]);

      type_of (check, i, trial)->dtype = stored;
      if (stored == target || find_conflict (check, trial) != id)
        continue;
      type_of (check, i, trial)->dtype = target;
      type_of (check, i, types)->dtype = target;
      report_dtype (check, i, target);
      has_found = TRUE;
    }
  return has_found;
}

/* Casts parameters to the most common element type until there is no conflict, then undoes the casts
 * that are not needed and reports the others.  FALSE, without changes, if that does not help. */
static gboolean
cast_outliers (TypeCheck *check, HybDType common, HybType *types)
{
  HybDiagnosis       *diagnosis = check->diagnosis;
  g_autofree HybType *trial = copy_types (check, types);
  gboolean            does_fit = FALSE;
  guint               end = 0, n_cast = 0;

  for (; end < diagnosis->n_variables && n_cast < MAX_CASTS && !does_fit; end++)
    if (is_usable (check, end) && type_of (check, end, trial)->dtype != common)
      {
        type_of (check, end, trial)->dtype = common;
        does_fit = find_conflict (check, trial) == HYB_NO_ID;
        n_cast++;
      }
  if (!does_fit)
    return FALSE;

  for (guint i = 0; i < end; i++)
    {
      HybDType stored =
          is_usable (check, i) ? hyb_tensor_get_dtype (diagnosis->parameters[i]) : common;

      if (stored == common)
        continue;
      type_of (check, i, trial)->dtype = stored;
      if (find_conflict (check, trial) == HYB_NO_ID)
        continue;
      type_of (check, i, trial)->dtype = common;
      report_dtype (check, i, common);
    }
  memcpy (types, trial, check->n_values * sizeof *types);
  return TRUE;
}

/* Resolves conflicts node by node by casting parameters to the most common element type, or to
 * float32, which some operators require for some operands. */
static void
resolve_dtypes (TypeCheck *check, HybType *types, const GError *error)
{
  HybDType  common = common_dtype (check);
  HybNodeId id;

  if (cast_outliers (check, common, types))
    return;
  for (guint n = 0; n < MAX_CASTS && (id = find_conflict (check, types)) != HYB_NO_ID; n++)
    if (!cast_at (check, id, common, types) && !cast_at (check, id, HYB_F32, types))
      {
        report_conflict (check, types, error);
        return;
      }
}

static void
check_dtypes_together (TypeCheck *check)
{
  HybDiagnosis       *diagnosis = check->diagnosis;
  g_autofree HybType *all = copy_types (check, check->given);
  g_autofree HybType *result = NULL;
  g_autoptr (GError) conflict = NULL;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (is_usable (check, i))
      *type_of (check, i, all) =
          (HybType){ diagnosis->shapes[i], hyb_tensor_get_dtype (diagnosis->parameters[i]) };

  result = copy_types (check, all);
  if (!hyb_infer_types (diagnosis->graph, result, NULL, FALSE, &conflict))
    {
      if ((guint64) diagnosis->n_variables * hyb_graph_n_nodes (diagnosis->graph) >= MAX_STEPS)
        {
          report_conflict (check, result, conflict);
          return;
        }
      resolve_dtypes (check, all, conflict);
      memcpy (result, all, check->n_values * sizeof *all);
      if (!hyb_infer_types (diagnosis->graph, result, NULL, FALSE, NULL))
        return;
    }
  memcpy (diagnosis->types, result, check->n_values * sizeof *result);
}

/* The element type in the variable's attribute __dtype__. */
static HybDType
declared_dtype (const HybNode *node)
{
  const char *text = hyb_node_get_attribute (node, "__dtype__");
  gint64      code = text && *text ? g_ascii_strtoll (text, NULL, 10) : -1;

  return hyb_dtype_is_valid_code (code) ? (HybDType) code : HYB_DTYPE_UNKNOWN;
}

static void
check_declared (TypeCheck *check)
{
  HybDiagnosis *diagnosis = check->diagnosis;
  HybFinding   *finding = NULL;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      const HybNode   *node = hyb_diagnosis_variable (diagnosis, i);
      HybDType         declared = declared_dtype (node);
      g_autofree char *expected_json = hyb_dtype_to_json (declared), *got = NULL;

      if (!is_usable (check, i) || declared == HYB_DTYPE_UNKNOWN ||
          declared == hyb_tensor_get_dtype (diagnosis->parameters[i]))
        continue;
      if (!finding)
        finding =
            hyb_diagnosis_report (diagnosis,
                                  &(DiagnosisIssue){ HYB_SEVERITY_WARNING, "wrong-dtype",
                                                     diagnosis->variables[i],
                                                     _ ("Cast the network before exporting it, or "
                                                        "cast the data to the type in the file") },
                                  _ ("arrays have other element types than the graph declares"));
      got = hyb_dtype_to_json (hyb_tensor_get_dtype (diagnosis->parameters[i]));
      hyb_finding_add_item (finding, node->name, expected_json, got);
    }
}

/* The labels of a training head: nothing that is computed depends on their shape. */
static gboolean
is_label (const HybDiagnosis *diagnosis, guint i)
{
  return hyb_graph_get_role (diagnosis->graph, diagnosis->variables[i], FALSE) == HYB_ROLE_LABEL;
}

void
hyb_diagnose_types (HybDiagnosis *diagnosis)
{
  guint                room = MAX (diagnosis->n_variables, 1);
  g_autofree gboolean *is_bad = g_new0 (gboolean, room);
  g_autofree gboolean *has_bad_shape = g_new0 (gboolean, room);
  g_autoptr (GError) conflict = NULL;
  TypeCheck check = {
    .diagnosis = diagnosis,
    .n_values = hyb_graph_n_values (diagnosis->graph),
    .is_bad = is_bad,
    .has_bad_shape = has_bad_shape,
  };

  check.given = copy_types (&check, diagnosis->types);
  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (diagnosis->parameters[i] || is_label (diagnosis, i))
      check.given[hyb_diagnosis_variable (diagnosis, i)->first_output] = HYB_TYPE_UNKNOWN;

  check.known = copy_types (&check, check.given);
  if (hyb_infer_types (diagnosis->graph, check.known, NULL, FALSE, &conflict))
    {
      /* Element types that are float32 only by default must not count as known. */
      for (guint i = 0; i < check.n_values; i++)
        check.known[i].dtype = check.given[i].dtype;
      check_one_by_one (&check);
      check_shapes_together (&check);
      check_dtypes_together (&check);
      check_declared (&check);
      check_pair (&check);
      explain_shapes (&check);
    }
  else
    {
      report_conflict (&check, check.given, conflict);
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
          finding =
              hyb_diagnosis_report (diagnosis,
                                    &(DiagnosisIssue){
                                        HYB_SEVERITY_NOTE, "shape-unknown",
                                        hyb_graph_get_producer (diagnosis->graph, heads[i]),
                                        _ ("Give the shapes of inputs") },
                                    _ ("outputs have shapes that are not known yet: %s"), reason);
          finding->remedy = HYB_REMEDY_SHAPES;
        }
      got = hyb_shape_to_json (shape);
      hyb_finding_add_item (finding, names[i], NULL, got);
    }
}
