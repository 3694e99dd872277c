/* shape.h — shapes and types of tensors, which may be partly unknown.
 *
 * A rank of HYB_UNKNOWN means that nothing is known; a dimension of HYB_UNKNOWN is not known
 * yet; 0 is a real size.  Readers translate files that use 0 for “unknown”, as do operators with
 * such attributes (HybCall.legacy_shapes).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

G_BEGIN_DECLS

#define HYB_UNKNOWN  (-1)
#define HYB_MAX_RANK 16

typedef struct
{
  int    rank; /* HYB_UNKNOWN if not even the rank is known */
  gint64 dim[HYB_MAX_RANK];
} HybShape;

/* The type of a value: shape and element type. */
typedef struct
{
  HybShape shape;
  HybDType dtype;
} HybType;

#define HYB_SHAPE_UNKNOWN ((HybShape){ .rank = HYB_UNKNOWN })
#define HYB_TYPE_UNKNOWN  ((HybType){ .shape.rank = HYB_UNKNOWN, .dtype = HYB_DTYPE_UNKNOWN })

HybShape hyb_shape_make (int rank, const gint64 *dims); /* dims NULL: all dimensions unknown */
HybShape hyb_shape_1d (gint64 a);                       /* rank 1 */
HybShape hyb_shape_2d (gint64 a, gint64 b);             /* rank 2 */
HybShape hyb_shape_3d (gint64 a, gint64 b, gint64 c);   /* rank 3 */
HybShape hyb_shape_4d (gint64 a, gint64 b, gint64 c, gint64 d); /* rank 4 */

gboolean hyb_shape_is_known (const HybShape *shape);             /* rank and all dimensions */
gboolean hyb_shape_equal (const HybShape *a, const HybShape *b); /* unknowns equal unknowns */
gint64   hyb_shape_size (const HybShape *shape); /* elements; HYB_UNKNOWN unless known */
gint64
hyb_shape_count (const HybShape *shape, int from, int to); /* product of dim[from … to − 1] */

/* Computes the bytes of a known type.  Returns FALSE and an error if they overflow, also for an
 * empty array if the product of its other dimensions does. */
gboolean hyb_shape_bytes (const HybShape *shape, HybDType dtype, gsize *bytes, GError **error);

/* Returns the axis as a number from 0; a negative axis counts from the end.  Returns -1 and an
 * error if it is outside the shape. */
int hyb_shape_axis (const HybShape *shape, gint64 axis, GError **error);

/* Fills unknown dimensions of each shape with those of the other.  Returns FALSE and an error that
 * shows both if they contradict each other; either may be partly filled then. */
gboolean hyb_shape_unify (HybShape *a, HybShape *b, GError **error);
/* Fills unknown dimensions of *to with those of *from; otherwise like hyb_shape_unify(). */
gboolean hyb_shape_assign (HybShape *to, const HybShape *from, GError **error);

/* If one is unknown it becomes the other.  Returns FALSE and an error if both are known and
 * differ. */
gboolean hyb_dtype_unify (HybDType *a, HybDType *b, GError **error);
/* Sets *to if it is unknown; otherwise like hyb_dtype_unify(). */
gboolean hyb_dtype_assign (HybDType *to, HybDType from, GError **error);

gboolean hyb_type_is_known (const HybType *type); /* shape and dtype */
gsize    hyb_type_bytes (const HybType *type);    /* of a type that hyb_shape_bytes() has checked */

/* "(2, ?, 3)", "(2,)"; "?" for an unknown rank.  (transfer full) */
char *hyb_shape_to_string (const HybShape *shape);
char *hyb_type_to_string (const HybType *type); /* "float32 (2, 3)".  (transfer full) */

G_END_DECLS
