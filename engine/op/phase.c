/* phase.c — the parts that operators have in common, and their reports to the probe.
 *
 * A part has the span of its node, with another kind and one level deeper.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/phase.h"

const HybPhase hyb_phase_products = { .name = "products", .category = HYB_CATEGORY_LINEAR };
const HybPhase hyb_phase_gates = { .name = "gates", .category = HYB_CATEGORY_ELEMENTWISE };
const HybPhase hyb_phase_weights = { .name = "weight gradients", .category = HYB_CATEGORY_LINEAR };
const HybPhase hyb_phase_sums = { .name = "sums", .category = HYB_CATEGORY_REDUCTION };
const HybPhase hyb_phase_packing = { .name = "packing", .category = HYB_CATEGORY_MOVEMENT };
const HybPhase hyb_phase_copies = { .name = "copies", .category = HYB_CATEGORY_MOVEMENT };

void
hyb_phase_report (const HybRun *run, const HybPhase *phase, const HybCost *cost)
{
  const HybProbe *probe = run->probe;
  HybSpan         span = *run->span;

  span.kind = HYB_SPAN_PHASE;
  span.phase = phase;
  span.cost = cost;
  if (!cost && probe->begin)
    probe->begin (probe->data, &span);
  else if (cost && probe->end)
    probe->end (probe->data, &span);
}
