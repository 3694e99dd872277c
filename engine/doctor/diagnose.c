/* diagnose.c — the table of the doctor's rules, and what they start from.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnose.h"

#include "engine/doctor/diagnose-private.h"

typedef struct
{
  const char *about; /* one sentence, for whoever looks for a rule */
  void (*check) (HybDiagnosis *diagnosis);
} Rule;

static const Rule rules[] = {
  { "operators that we do not have", hyb_diagnose_operators },
  { "nodes that no output needs", hyb_diagnose_dead_nodes },
  { "loops and branches whose parts do not fit", hyb_diagnose_control_flow },
  { "gates in the order of old examples", hyb_diagnose_gate_order },
  { "operator nodes of one name", hyb_diagnose_node_names },
  { "shapes and element types that contradict each other", hyb_diagnose_types },
  { "parameters that are missing, too many, or of another model", hyb_diagnose_names },
  { "states and labels that must be given", hyb_diagnose_inputs },
  { "contents of parameters", hyb_diagnose_contents },
  { "outputs whose shape nothing fixes", hyb_diagnose_outputs },
  { "what MXNet itself does otherwise, or cannot", hyb_diagnose_differences },
};

HybType *
hyb_diagnose_new_types (HybGraph *graph)
{
  guint    n = hyb_graph_n_values (graph);
  HybType *types = g_new (HybType, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  return types;
}

HybFinding *
hyb_diagnosis_say (HybDiagnosis *diagnosis,
                   HybSeverity   severity,
                   const char   *code,
                   HybNodeId     id,
                   const char   *hint,
                   const char   *format,
                   ...)
{
  const HybNode   *node = id == HYB_NO_ID ? NULL : hyb_graph_get_node (diagnosis->graph, id);
  g_autofree char *message = NULL;
  HybFinding      *finding;
  va_list          list;

  va_start (list, format);
  message = g_strdup_vprintf (format, list);
  va_end (list);

  finding = hyb_finding_new (code, severity, "%s", message);
  finding->hint = g_strdup (hint);
  finding->file = g_strdup (hyb_model_get_file (diagnosis->model));
  if (node)
    {
      finding->node = g_strdup (node->name);
      finding->line = node->line;
      finding->path = g_strdup_printf ("$.nodes[%u]", node->origin);
    }
  hyb_model_add_finding (diagnosis->model, finding);
  return finding;
}

const HybNode *
hyb_diagnosis_variable (const HybDiagnosis *diagnosis, guint index)
{
  return hyb_graph_get_node (diagnosis->graph, diagnosis->variables[index]);
}

char *
hyb_shape_to_json (const HybShape *shape)
{
  GString *text;

  if (shape->rank == HYB_UNKNOWN)
    return NULL;

  text = g_string_new ("[");
  for (int i = 0; i < shape->rank; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      if (shape->dim[i] == HYB_UNKNOWN)
        g_string_append (text, "null");
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, shape->dim[i]);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

char *
hyb_dtype_to_json (HybDType dtype)
{
  return dtype == HYB_DTYPE_UNKNOWN ? NULL : g_strdup_printf ("\"%s\"", hyb_dtype_name (dtype));
}

static void
collect_variables (HybDiagnosis *diagnosis)
{
  diagnosis->variables = hyb_graph_get_variables (diagnosis->graph, &diagnosis->n_variables);
  diagnosis->roles = g_new0 (HybRole, MAX (diagnosis->n_variables, 1));
  diagnosis->parameters = g_new0 (HybTensor *, MAX (diagnosis->n_variables, 1));
  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      HybTensor *tensor =
          hyb_model_get_parameter (diagnosis->model, hyb_diagnosis_variable (diagnosis, i)->name);

      diagnosis->parameters[i] = tensor;
      diagnosis->roles[i] =
          hyb_graph_get_role (diagnosis->graph, diagnosis->variables[i], tensor != NULL);
    }

  for (guint i = 0; i < hyb_model_n_parameters (diagnosis->model); i++)
    {
      const char *name = hyb_model_get_parameter_name (diagnosis->model, i);

      if (hyb_graph_find_variable (diagnosis->graph, name) == HYB_NO_ID)
        g_ptr_array_add (diagnosis->unused, (gpointer) name);
    }
}

void
hyb_diagnose (HybModel *model, HybType *types)
{
  HybDiagnosis diagnosis = {
    .model = model,
    .graph = hyb_model_get_graph (model),
    .types = types,
    .unused = g_ptr_array_new (),
    .has_weights = hyb_model_get_weights_file (model) != NULL,
  };

  g_return_if_fail (diagnosis.graph != NULL);

  collect_variables (&diagnosis);
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    rules[i].check (&diagnosis);

  g_free (diagnosis.roles);
  g_free (diagnosis.parameters);
  g_ptr_array_unref (diagnosis.unused);
}
