/* shape.h — the extent of a tensor, perhaps only partly known.
 *
 * rank HYB_UNKNOWN: nothing is known.  A dimension of HYB_UNKNOWN is not known
 * yet; 0 is a real size.  Files that use 0 for “unknown” are translated by their
 * reader (or by the operator whose attribute it is, see HybCall.legacy_shapes).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

G_BEGIN_DECLS

#define HYB_UNKNOWN  (-1)
#define HYB_MAX_RANK 16

typedef struct
{
  int    rank; /* HYB_UNKNOWN: not even this is known */
  gint64 dim[HYB_MAX_RANK];
} HybShape;

/* What flows along an edge. */
typedef struct
{
  HybShape shape;
  HybDType dtype;
} HybType;

#define HYB_SHAPE_UNKNOWN ((HybShape){ .rank = HYB_UNKNOWN })
#define HYB_TYPE_UNKNOWN  ((HybType){ .shape.rank = HYB_UNKNOWN, .dtype = HYB_DTYPE_UNKNOWN })

HybShape hyb_shape_make (int rank, const gint64 *dims); /* dims NULL: all unknown */
HybShape hyb_shape_1d (gint64 a);
HybShape hyb_shape_2d (gint64 a, gint64 b);
HybShape hyb_shape_3d (gint64 a, gint64 b, gint64 c);
HybShape hyb_shape_4d (gint64 a, gint64 b, gint64 c, gint64 d);

gboolean hyb_shape_is_known (const HybShape *shape); /* rank and all dimensions */
gboolean hyb_shape_equal (const HybShape *a, const HybShape *b);
gint64   hyb_shape_size (const HybShape *shape); /* elements; HYB_UNKNOWN if not known */
gint64   hyb_shape_count (const HybShape *shape, int from, int to); /* product of dims [from, to) */

/* Checked: FALSE (and an error) if elements × size overflows or exceeds limit bytes. */
gboolean hyb_shape_bytes (const HybShape *shape, HybDType dtype, gsize *bytes, GError **error);

/* A negative axis counts from the end; -1 and an error if it is outside. */
int hyb_shape_axis (const HybShape *shape, gint64 axis, GError **error);

/* Each learns from the other what it does not know.  FALSE for a contradiction,
 * with a message that shows both. */
gboolean hyb_shape_unify (HybShape *a, HybShape *b, GError **error);
/* As unify, but only *to learns. */
gboolean hyb_shape_assign (HybShape *to, const HybShape *from, GError **error);

gboolean hyb_dtype_unify (HybDType *a, HybDType *b, GError **error);
gboolean hyb_dtype_assign (HybDType *to, HybDType from, GError **error);

gboolean hyb_type_is_known (const HybType *type);
gsize    hyb_type_bytes (const HybType *type); /* of a known, already checked type */

/* "(2, ?, 3)"; "?" for an unknown rank.  (transfer full) */
char *hyb_shape_to_string (const HybShape *shape);
char *hyb_type_to_string (const HybType *type); /* "float32 (2, 3)" */

G_END_DECLS
