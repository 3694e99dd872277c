/* phase.h — parts of an operator that a probe sees one by one.
 *
 * An operator that does several kinds of work, for instance products and then functions of single
 * elements, tells the probe where each part begins and ends.  Parts do not overlap.  Without a probe
 * a call is one comparison.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

G_BEGIN_DECLS

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

/* Tells the probe of run; call hyb_phase_begin() and hyb_phase_end() instead. */
void hyb_phase_tell (const HybRun *run, const HybPhase *phase, const HybCost *cost);

/* A part of the operator that runs begins.  run: may be NULL. */
static inline void
hyb_phase_begin (const HybRun *run, const HybPhase *phase)
{
  if (G_UNLIKELY (run && run->span))
    hyb_phase_tell (run, phase, NULL);
}

/* It ends, having done this work. */
static inline void
hyb_phase_end (const HybRun *run, const HybPhase *phase, HybCost cost)
{
  if (G_UNLIKELY (run && run->span))
    hyb_phase_tell (run, phase, &cost);
}

G_END_DECLS
