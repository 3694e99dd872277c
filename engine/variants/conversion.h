/* conversion.h — the state of one conversion from a model to another form.
 *
 * Between init and finish, the files of the forms write the new graph through rebuild and add the
 * new parameters to the model "to".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/parameter-copies.h"
#include "engine/variants/rebuild.h"
#include "engine/variants/variant-types.h"
#include "engine/variants/variant.h"

typedef struct
{
  const HybConvertOptions *options;
  HybModel                *from;
  HybGraph                *graph;   /* of from */
  HybModel                *to;      /* gets the new parameters, and the graph when it is finished */
  HybType                 *types;   /* by value of graph */
  GArray                  *copies;  /* of HybParameterCopy: where the new parameters come from */
  HybRebuild               rebuild; /* of graph */
} HybConversion;

/* Begins a conversion of from.  "to" begins with all parameters of from; options must outlive
 * conversion. */
void
hyb_conversion_init (HybConversion *conversion, HybModel *from, const HybConvertOptions *options);
/* Frees everything that conversion owns. */
void hyb_conversion_clear (HybConversion *conversion);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybConversion, hyb_conversion_clear)
/* Gives "to" the new graph and removes the parameters that it does not read.  FALSE with the error
 * of rebuild. */
gboolean hyb_conversion_finish (HybConversion *conversion, GError **error);
