/* conversion.h — the state of one conversion from a model to another form.
 *
 * Between init and finish, the files of the forms write the new graph through rebuild and add the new
 * parameters to the model "to".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/parameter-copies.h"
#include "engine/variants/rebuild.h"
#include "engine/variants/variant.h"

/* From one model to another. */
typedef struct
{
  const HybConvertOptions *options;
  HybModel                *from;
  HybGraph                *graph; /* of from */
  HybModel                *to;    /* gets new parameters; its graph comes last */
  HybType                 *types; /* by value of graph */
  GArray                  *copies;
  HybRebuild               rebuild;
} HybConversion;

void
hyb_conversion_init (HybConversion *conversion, HybModel *from, const HybConvertOptions *options);
void hyb_conversion_clear (HybConversion *conversion);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybConversion, hyb_conversion_clear)
/* By value of graph, from the parameters of model and the given inputs (may be NULL);
 * (transfer full), to be freed with g_free(). */
HybType *hyb_variant_types (HybModel *model, HybGraph *graph, HybTensorList *input);
/* Freezes the graph and drops parameters that nothing reads.  FALSE: an error. */
gboolean hyb_conversion_finish (HybConversion *conversion, GError **error);
