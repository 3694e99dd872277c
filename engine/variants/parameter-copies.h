/* parameter-copies.h — where the numbers of new parameters come from.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Elements of one array in another: to[to_offset + i] = from[from_offset + i × stride]. */
typedef struct
{
  char  *from, *to;
  gint64 from_offset, stride, to_offset, count;
} HybParameterCopy;

GArray *hyb_parameter_copies_new (void); /* of HybParameterCopy */
void    hyb_parameter_copies_add (GArray     *copies,
                                  const char *from,
                                  gint64      from_offset,
                                  gint64      stride,
                                  const char *to,
                                  gint64      to_offset,
                                  gint64      count);

/* The new array called name, filled from those that find gives; zero where nothing
 * moves.  NULL: one is missing or too short. */
typedef HybTensor *(*HybFindParameter) (const char *name, gpointer user);
HybTensor *hyb_parameter_copies_gather (const GArray    *copies,
                                        const char      *name,
                                        const HybType   *type,
                                        HybFindParameter find,
                                        gpointer         user,
                                        GError         **error);
/* The way back, for gradients: what came from an array adds up in it.  grads: char * to
 * HybTensor *; new names are replaced by old ones. */
gboolean hyb_parameter_copies_scatter_gradients (const GArray *copies,
                                                 GHashTable   *gradients,
                                                 HybModel     *old,
                                                 GError      **error);
