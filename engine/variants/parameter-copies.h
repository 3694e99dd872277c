/* parameter-copies.h — which elements of old parameters make up the new ones.
 *
 * A conversion packs, splits or transposes weights.  The list of copies fills the new arrays, and
 * leads gradients of new parameters back to the old ones when a conversion is proved.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* count elements: to[to_offset + i] = from[from_offset + i × stride]. */
typedef struct
{
  const char *from, *to; /* names of parameters; a list owns those of its entries */
  gint64      from_offset, stride, to_offset, count;
} HybParameterCopy;

/* An empty list of HybParameterCopy that frees the names.  (transfer full) */
GArray *hyb_parameter_copies_new (void);
/* Appends a copy; the names are duplicated. */
void hyb_parameter_copies_add (GArray *copies, const HybParameterCopy *copy);

/* The new parameter called name, filled from the parameters of model from; elements that no copy
 * fills are zero.  NULL with an error if a source is missing or too short.  (transfer full) */
HybTensor *hyb_parameter_copies_gather (const GArray  *copies,
                                        const char    *name,
                                        const HybType *type,
                                        HybModel      *from,
                                        GError       **error);
/* Replaces gradients of new parameters by gradients of the parameters of model old that they were
 * copied from; copies of the same element add up.  gradients: name → HybTensor. */
gboolean hyb_parameter_copies_scatter_gradients (const GArray *copies,
                                                 GHashTable   *gradients,
                                                 HybModel     *old,
                                                 GError      **error);
