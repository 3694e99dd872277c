/* diagnose-private.h — what the doctor's rules share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/doctor/diagnose.h"
#include "engine/graph/roles.h"

typedef struct
{
  HybModel        *model;
  HybGraph        *graph;
  HybType         *types;
  guint            n_variables;
  const HybNodeId *variables;
  HybRole         *roles;       /* by variable */
  HybTensor      **parameters;  /* by variable; NULL: none */
  GPtrArray       *unused;      /* of const char *: parameters without a variable */
  gboolean         has_weights; /* a file of parameters was read */
} HybDiagnosis;

/* A finding about a node (HYB_NO_ID: none), placed in its line; lent. */
HybFinding    *hyb_diagnosis_say (HybDiagnosis *diagnosis,
                                  HybSeverity   severity,
                                  const char   *code,
                                  HybNodeId     node,
                                  const char   *hint,
                                  const char   *format,
                                  ...) G_GNUC_PRINTF (6, 7);
const HybNode *hyb_diagnosis_variable (const HybDiagnosis *diagnosis, guint index);

/* "[1, null, 3]", "\"float32\"": JSON texts for items; (transfer full), NULL if unknown. */
char *hyb_shape_to_json (const HybShape *shape);
char *hyb_dtype_to_json (HybDType dtype);

void hyb_diagnose_operators (HybDiagnosis *diagnosis);
void hyb_diagnose_dead_nodes (HybDiagnosis *diagnosis);
void hyb_diagnose_control_flow (HybDiagnosis *diagnosis);
void hyb_diagnose_gate_order (HybDiagnosis *diagnosis);
void hyb_diagnose_node_names (HybDiagnosis *diagnosis);
void hyb_diagnose_names (HybDiagnosis *diagnosis);
void hyb_diagnose_inputs (HybDiagnosis *diagnosis);
void hyb_diagnose_contents (HybDiagnosis *diagnosis);
void hyb_diagnose_types (HybDiagnosis *diagnosis);
void hyb_diagnose_outputs (HybDiagnosis *diagnosis);
void hyb_diagnose_differences (HybDiagnosis *diagnosis);
