/* diagnosis.h — the input of the doctor's rules, and the functions by which they report findings.
 *
 * A rule is a function on a HybDiagnosis that adds findings to the model (hyb_diagnosis_report()).
 * The rules are in diagnose-*.c; diagnose.c lists them in the order in which they run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "engine/graph/roles.h"

typedef struct
{
  HybModel        *model;
  HybGraph        *graph;
  HybType         *types; /* by value: as given at first, as inferred after hyb_diagnose_types() */
  guint            n_variables;
  const HybNodeId *variables;     /* in ascending order */
  HybRole         *roles;         /* by variable */
  HybTensor      **parameters;    /* by variable; NULL if the model has none for it */
  HybShape        *shapes;        /* by variable: of the parameter after repair of its axes */
  GPtrArray       *unused;        /* of const char *: parameters without a variable */
  gboolean         has_weights;   /* a file of parameters was read */
  gboolean         is_wrong_pair; /* the parameters belong to another model, as was reported */
} HybDiagnosis;

/* A finding lists at most this many nodes. */
#define HYB_DIAGNOSIS_MAX_ITEMS 100

/* --- Reporting --- */

/* The parts of a finding besides its message. */
typedef struct
{
  HybSeverity severity;
  const char *code;
  HybNodeId   node; /* HYB_NO_ID if it is not about a node */
  const char *hint; /* may be NULL */
} DiagnosisIssue;

/* Adds a finding to the model, which owns it; its place is the node. */
HybFinding *
hyb_diagnosis_report (HybDiagnosis *diagnosis, const DiagnosisIssue *issue, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* Adds the name of a node to a finding, unless it lists enough already. */
void hyb_diagnosis_add_node (HybFinding *finding, const HybNode *node);
/* The node of a variable, by its index in variables. */
const HybNode *hyb_diagnosis_variable (const HybDiagnosis *diagnosis, guint index);

/* Reports that the parameters belong to another model, before all other findings, with the file beside
 * them that fits, if there is one.  items: of HybFindingItem; may be NULL. */
void hyb_diagnosis_report_wrong_pair (HybDiagnosis *diagnosis, const char *message, GArray *items);

/* Reports the facts that collide if the graph refuses them.  facts: by value; the shapes of variables.
 * FALSE if it does not refuse them. */
gboolean hyb_diagnosis_report_conflict (HybDiagnosis *diagnosis, const HybType *facts);
/* Which facts collide if the graph refuses the shapes of the parameters; NULL if it does not.
 * (transfer full) */
char *hyb_diagnosis_explain_shapes (HybDiagnosis *diagnosis);
/* The size in an attribute with which all shapes would agree, as a question for a hint; NULL if there is none.  (transfer
 * full) */
char *hyb_diagnosis_suggest_size (HybDiagnosis *diagnosis);
/* TRUE if the variable is the flat parameter of a fused RNN. */
gboolean hyb_diagnosis_is_flat_vector (const HybDiagnosis *diagnosis, HybNodeId variable);

/* A shape as JSON for items of findings: "[1, null, 3]"; NULL if the rank is unknown.
 * (transfer full) */
char *hyb_shape_to_json (const HybShape *shape);
/* An element type as JSON: "\"float32\""; NULL if it is unknown.  (transfer full) */
char *hyb_dtype_to_json (HybDType dtype);

/* --- Rules --- */

/* Operators that the engine does not have. */
void hyb_diagnose_operators (HybDiagnosis *diagnosis);
/* A graph without outputs. */
void hyb_diagnose_no_outputs (HybDiagnosis *diagnosis);
/* Nodes that no output needs. */
void hyb_diagnose_dead_nodes (HybDiagnosis *diagnosis);
/* Loops and branches whose attributes contradict their subgraphs. */
void hyb_diagnose_control_flow (HybDiagnosis *diagnosis);
/* LSTM cells with the order of gates of old examples. */
void hyb_diagnose_gate_order (HybDiagnosis *diagnosis);
/* Operator nodes with the same name. */
void hyb_diagnose_node_names (HybDiagnosis *diagnosis);
/* Parameters of another model. */
void hyb_diagnose_pair (HybDiagnosis *diagnosis);
/* Parameters with transposed or additional axes; sets diagnosis->shapes. */
void hyb_diagnose_layouts (HybDiagnosis *diagnosis);
/* A batch size that is written into the graph. */
void hyb_diagnose_batch (HybDiagnosis *diagnosis);
/* Shapes that the user has given and that the graph or its parameters refuse. */
void hyb_diagnose_given_shapes (HybDiagnosis *diagnosis);
/* Parameters that are missing, unused, or of another model. */
void hyb_diagnose_names (HybDiagnosis *diagnosis);
/* Types of a graph of another format: contradictions, frozen dimensions, declarations that differ. */
void hyb_diagnose_lowered (HybDiagnosis *diagnosis);
/* Initial states and labels that are inputs of the graph. */
void hyb_diagnose_inputs (HybDiagnosis *diagnosis);
/* Parameters with NaN or infinity, and gammas that are not used. */
void hyb_diagnose_contents (HybDiagnosis *diagnosis);
/* Shapes and element types that contradict each other; infers diagnosis->types. */
void hyb_diagnose_types (HybDiagnosis *diagnosis);
/* Quantised layers, and where MXNet's int8 run deviates from the model. */
void hyb_diagnose_quantised (HybDiagnosis *diagnosis);
/* Outputs whose shape cannot be inferred. */
void hyb_diagnose_outputs (HybDiagnosis *diagnosis);
/* Limitations and deviations of MXNet 1.9.1. */
void hyb_diagnose_differences (HybDiagnosis *diagnosis);
