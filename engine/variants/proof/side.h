/* side.h — one of two models that are compared: its graphs in two precisions, and the results of its last run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"
#include "engine/variants/proof/coverage.h"
#include "engine/variants/proof/random-nodes.h"

/* How a model is run. */
typedef enum
{
  HYB_PRECISION_OWN,    /* in the types of the file */
  HYB_PRECISION_DOUBLE, /* in float64 */
  HYB_N_PRECISIONS,
} HybPrecision;

typedef struct
{
  HybModel          *model;
  HybGraph          *graph[HYB_N_PRECISIONS];       /* NULL: not possible */
  HybGraph          *backward[HYB_N_PRECISIONS];    /* with gradients; NULL: not possible */
  HybExecutor       *executor[HYB_N_PRECISIONS][2]; /* of these graphs; NULL: not run yet */
  HybTensorList     *doubles;                       /* the parameters in float64 */
  HybCoverage       *coverage;                      /* of the graph whose coverage runs record */
  HybPrecision       covered;                       /* which of the graphs that is */
  guint              n_heads;                       /* of the model */
  GArray            *wrt;        /* of HybNodeId: variables whose gradients are computed */
  GPtrArray         *outputs;    /* of HybTensor, of the last run */
  GHashTable        *states;     /* HybTensor by name of auxiliary variable, after the last run */
  GHashTable        *gradients;  /* HybTensor by name of variable */
  HybExecutorOptions run;        /* of every run */
  gboolean           is_limited; /* the loops of a run may not make too many steps */
  char              *work;       /* the work of a GPU in the last run; NULL without a GPU */
} HybProofSide;

/* Makes the graphs for a model.  draws: how its random numbers match the other model's. */
void hyb_proof_side_init (HybProofSide             *side,
                          HybModel                 *model,
                          const HybExecutorOptions *run,
                          HybDraws                  draws);
/* Frees the members of side. */
void hyb_proof_side_clear (HybProofSide *side);

/* FALSE for graphs of other formats, which declare the types of their values. */
gboolean hyb_proof_side_can_be_double (const HybProofSide *side);
/* Makes the graphs in float64 for inputs like these.  FALSE if the model cannot be computed in float64 throughout. */
gboolean hyb_proof_side_make_double (HybProofSide *side, HybTensorList *inputs);

/* Runs the graph and keeps outputs and states.  heads: gradients of the outputs, whose gradients are kept as well; NULL
 * for a forward pass. */
gboolean hyb_proof_side_run (HybProofSide  *side,
                             HybPrecision   precision,
                             HybTensorList *inputs,
                             GPtrArray     *heads,
                             GError       **error);
/* Runs the covered graph forward, operator by operator, and records its coverage. */
gboolean hyb_proof_side_run_covered (HybProofSide *side, HybTensorList *inputs, GError **error);
/* Random gradients of the outputs, in the shapes of the last forward pass.  (transfer full) */
GPtrArray *hyb_proof_side_new_heads (const HybProofSide *side, guint64 seed);
