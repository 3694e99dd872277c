/* shape.h — shapes and types of tensors, which may be partly unknown.
 *
 * A rank of HYB_UNKNOWN means that nothing is known; a dimension of HYB_UNKNOWN is not known yet; 0 is a real size.
 * Readers translate files that use 0 for “unknown”, as do operators with such attributes (HybCall.legacy_shapes).
 * Threads: any thread; the functions have no state.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/tensor/dtype.h"

G_BEGIN_DECLS

#define HYB_UNKNOWN  (-1) /* a rank or a dimension that is not known */
#define HYB_MAX_RANK 16   /* dimensions of an array */
/* The shape of an array, of which parts may be unknown. */
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
/* A shape, and a type, of which nothing is known. */
#define HYB_SHAPE_UNKNOWN ((HybShape){ .rank = HYB_UNKNOWN })
#define HYB_TYPE_UNKNOWN  ((HybType){ .shape.rank = HYB_UNKNOWN, .dtype = HYB_DTYPE_UNKNOWN })

/* A shape of this rank.  dims: its dimensions; NULL leaves all of them unknown. */
HYB_API HybShape hyb_shape_make (int rank, const gint64 *dims);
/* A shape of rank 1. */
HYB_API HybShape hyb_shape_1d (gint64 a);
/* A shape of rank 2. */
HYB_API HybShape hyb_shape_2d (gint64 a, gint64 b);
/* A shape of rank 3. */
HYB_API HybShape hyb_shape_3d (gint64 a, gint64 b, gint64 c);
/* A shape of rank 4. */
HYB_API HybShape hyb_shape_4d (gint64 a, gint64 b, gint64 c, gint64 d);

/* A dimension whose size is not known but which has a name, as files of other formats give them: less
 * than HYB_UNKNOWN.  Only for display; rules of operators never see one. */
HYB_API gint64 hyb_dim_named (const char *name);
/* The name of such a dimension; NULL for any other.  Static. */
HYB_API const char *hyb_dim_get_name (gint64 dim);

/* TRUE if the rank and all dimensions are known. */
HYB_API gboolean hyb_shape_is_known (const HybShape *shape);
/* TRUE if both are the same; an unknown dimension only equals an unknown one. */
HYB_API gboolean hyb_shape_equal (const HybShape *a, const HybShape *b);
/* The number of elements, or HYB_UNKNOWN if a dimension is unknown; G_MAXINT64 if that is too small. */
HYB_API gint64 hyb_shape_size (const HybShape *shape);
/* The product of the dimensions from … to − 1; G_MAXINT64 if that is too small. */
HYB_API gint64 hyb_shape_count (const HybShape *shape, int from, int to);

/* Computes the bytes of a known type.  Returns FALSE and an error if they overflow, also for an
 * empty array if the product of its other dimensions does. */
HYB_API gboolean hyb_shape_bytes (const HybShape *shape,
                                  HybDType        dtype,
                                  gsize          *bytes,
                                  GError        **error);

/* Returns the axis as a number from 0; a negative axis counts from the end.  Returns -1 and an
 * error if it is outside the shape. */
HYB_API int hyb_shape_axis (const HybShape *shape, gint64 axis, GError **error);

/* Fills unknown dimensions of each shape with those of the other.  Returns FALSE and an error that
 * shows both if they contradict each other; either may be partly filled then. */
HYB_API gboolean hyb_shape_unify (HybShape *a, HybShape *b, GError **error);
/* Fills unknown dimensions of *to with those of *from; otherwise like hyb_shape_unify(). */
HYB_API gboolean hyb_shape_assign (HybShape *to, const HybShape *from, GError **error);

/* If one is unknown it becomes the other.  Returns FALSE and an error if both are known and
 * differ. */
HYB_API gboolean hyb_dtype_unify (HybDType *a, HybDType *b, GError **error);
/* Sets *to if it is unknown; otherwise like hyb_dtype_unify(). */
HYB_API gboolean hyb_dtype_assign (HybDType *to, HybDType from, GError **error);

/* TRUE if shape and dtype are known. */
HYB_API gboolean hyb_type_is_known (const HybType *type);
/* The size of a known type in bytes.  hyb_shape_bytes() must have checked it for overflow. */
HYB_API gsize hyb_type_bytes (const HybType *type);

/* The dimensions of a shape whose rank is known, with this text between them: "2×?×3".
 * (transfer full) */
HYB_API char *hyb_shape_join (const HybShape *shape, const char *separator);
/* The shape as text: "(2, ?, 3)", "(2,)", or "?" for an unknown rank.  (transfer full) */
HYB_API char *hyb_shape_to_string (const HybShape *shape);
/* The type as text, such as "float32 (2, 3)".  (transfer full) */
HYB_API char *hyb_type_to_string (const HybType *type);

G_END_DECLS
