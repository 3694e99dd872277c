/* dimensions.h — arithmetic on the dimensions of shapes, for inference rules and kernels.
 *
 * Dimensions may be HYB_UNKNOWN; functions whose comment says “known shape” require all of them.
 * Products do not overflow: they saturate at G_MAXINT64, which fails every memory check.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* A known shape seen from one axis: outer × length × inner elements. */
typedef struct
{
  gint64 outer, length, inner;
} HybAxisView;

/* The view of a known shape from axis number `axis` (not negative). */
HybAxisView hyb_axis_view (const HybShape *shape, int axis);
/* The same for an attribute: negative axes count from the end, and HYB_NONE stands for the
 * flattened array (1 × elements × 1). */
HybAxisView hyb_axis_view_optional (const HybShape *shape, gint64 axis);

/* If one of the dimensions is unknown it takes the value of the other.  FALSE if both are known
 * and differ; the message then begins with `what`, a plural such as “the batch sizes”. */
gboolean hyb_dim_unify (gint64 *a, gint64 *b, const char *what, GError **error);

/* a × b, saturated; HYB_UNKNOWN if a factor is unknown. */
gint64 hyb_dim_multiply (gint64 a, gint64 b);
/* The product of dimensions [from, to), saturated: 0 if one of them is 0, else HYB_UNKNOWN if one
 * of them is unknown. */
gint64 hyb_dims_product (const HybShape *shape, int from, int to);

/* Sets stride[i], for every axis of a known shape, to its row-major stride in elements. */
void hyb_dims_strides (const HybShape *shape, gint64 *stride);

/* The shape without one axis. */
HybShape hyb_dims_without (const HybShape *shape, int axis);
/* The shape with a new axis of this size inserted before axis number `axis`.  The rank must be
 * below HYB_MAX_RANK. */
HybShape hyb_dims_with (const HybShape *shape, int axis, gint64 size);

/* Both shapes have the same number of elements: if exactly one dimension is unknown, it is
 * inferred.  FALSE if the numbers differ or do not divide. */
gboolean hyb_dims_same_size (HybShape *a, HybShape *b, GError **error);

/* Sets an error about contradicting types from format and returns FALSE, so that a rule can
 * return the result.  hint says what to do about it and may be NULL. */
gboolean
hyb_refuse_types (GError **error, const char *hint, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* The same for an error about an attribute. */
gboolean hyb_refuse_attribute (GError **error, const char *hint, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
