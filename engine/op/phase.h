/* phase.h — parts of an operator that a probe sees one by one.
 *
 * An operator that does several kinds of work, for instance products and then functions of single
 * elements, reports the beginning and end of each part to the probe.  Parts do not overlap.  Without
 * a probe a call is one comparison.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

struct _HybPhase
{
  const char *name;     /* "products"; with type: the name of a node */
  const char *type;     /* the operator that does the work; NULL: no operator of its own */
  HybCategory category; /* the kind of work */
};

/* The parts that operators have in common. */
extern const HybPhase hyb_phase_products; /* matrix products */
extern const HybPhase hyb_phase_gates;    /* functions of single elements */
extern const HybPhase hyb_phase_weights;  /* gradients of weights, as matrix products */
extern const HybPhase hyb_phase_sums;     /* sums over rows or steps */
extern const HybPhase hyb_phase_packing;  /* weights copied into the layout of a kernel */
extern const HybPhase hyb_phase_copies;   /* other copies */

/* Reports to the probe of run; call hyb_phase_begin() and hyb_phase_end() instead. */
void hyb_phase_report (const HybRun *run, const HybPhase *phase, const HybCost *cost);

/* TRUE if a probe receives the parts of the operator that runs.  run: may be NULL. */
static inline gboolean
hyb_phase_is_watched (const HybRun *run)
{
  return G_UNLIKELY (run && run->span);
}

/* A part of the operator that runs begins.  run: may be NULL. */
static inline void
hyb_phase_begin (const HybRun *run, const HybPhase *phase)
{
  if (hyb_phase_is_watched (run))
    hyb_phase_report (run, phase, NULL);
}

/* It ends, having done some work: an expression of type HybCost, which is evaluated only if there is a probe. */
#define hyb_phase_end(run, phase, ...)              \
  G_STMT_START                                      \
  {                                                 \
    if (hyb_phase_is_watched (run))                 \
      {                                             \
        HybCost phase_cost = __VA_ARGS__;           \
                                                    \
        hyb_phase_report (run, phase, &phase_cost); \
      }                                             \
  }                                                 \
  G_STMT_END
