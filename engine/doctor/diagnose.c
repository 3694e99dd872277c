/* diagnose.c — the table of the doctor's rules, and running them (hyb_diagnose()).
 *
 * A new rule is one line in the table; its function is declared in diagnosis.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnose.h"

#include "engine/doctor/diagnosis.h"

typedef struct
{
  const char *about; /* for readers of this table */
  void (*check) (HybDiagnosis *diagnosis);
  /* Which graphs it is about. */
  enum
  {
    OWN,     /* of the engine's operators */
    FOREIGN, /* of operators of another format */
    ANY,
  } graphs;
} Rule;

static const Rule rules[] = {
  { "parameters of another model", hyb_diagnose_pair },
  { "operators that the engine does not have", hyb_diagnose_operators },
  { "a graph without outputs", hyb_diagnose_no_outputs, ANY },
  { "nodes that no output needs", hyb_diagnose_dead_nodes, ANY },
  { "loops and branches whose attributes contradict their subgraphs", hyb_diagnose_control_flow },
  { "LSTM gates in the order of old examples", hyb_diagnose_gate_order },
  { "operator nodes with the same name", hyb_diagnose_node_names },
  { "parameters with transposed or additional axes", hyb_diagnose_layouts },
  { "given shapes that the graph or its parameters refuse", hyb_diagnose_given_shapes },
  { "shapes and element types that contradict each other", hyb_diagnose_types },
  { "parameters that are missing or unused", hyb_diagnose_names },
  { "initial states and labels that are inputs", hyb_diagnose_inputs },
  { "a batch size that is written into the graph", hyb_diagnose_batch },
  { "types of graphs of other formats", hyb_diagnose_lowered, FOREIGN },
  { "contents of parameters", hyb_diagnose_contents, ANY },
  { "layers that compute on integers", hyb_diagnose_quantised },
  { "outputs whose shape cannot be inferred", hyb_diagnose_outputs },
  { "limitations and differences of MXNet 1.9.1", hyb_diagnose_differences },
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

static void
collect_variables (HybDiagnosis *diagnosis)
{
  diagnosis->variables = hyb_graph_get_variables (diagnosis->graph, &diagnosis->n_variables);
  diagnosis->roles = g_new0 (HybRole, MAX (diagnosis->n_variables, 1));
  diagnosis->parameters = g_new0 (HybTensor *, MAX (diagnosis->n_variables, 1));
  diagnosis->shapes = g_new0 (HybShape, MAX (diagnosis->n_variables, 1));
  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      HybTensor *tensor =
          hyb_model_get_parameter (diagnosis->model, hyb_diagnosis_variable (diagnosis, i)->name);

      /* No result depends on labels, so labels in a file may have any shape. */
      if (hyb_graph_get_role (diagnosis->graph, diagnosis->variables[i], FALSE) == HYB_ROLE_LABEL)
        tensor = NULL;
      diagnosis->parameters[i] = tensor;
      if (tensor)
        diagnosis->shapes[i] = *hyb_tensor_get_shape (tensor);
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

  gboolean is_foreign;

  g_return_if_fail (diagnosis.graph != NULL);

  is_foreign = hyb_graph_get_dialect (diagnosis.graph) != NULL;
  collect_variables (&diagnosis);
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    if (rules[i].graphs == ANY || (rules[i].graphs == FOREIGN) == is_foreign)
      rules[i].check (&diagnosis);

  g_free (diagnosis.roles);
  g_free (diagnosis.parameters);
  g_free (diagnosis.shapes);
  g_ptr_array_unref (diagnosis.unused);
}
