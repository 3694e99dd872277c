/* dimensions.h — single dimensions: learning them, multiplying them, looking along one axis.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* A known shape seen from one axis: outer × length × inner. */
typedef struct
{
  gint64 outer, length, inner;
} HybAxisView;

HybAxisView hyb_axis_view (const HybShape *shape, int axis);
/* The same for an optional axis: HYB_NONE is the whole, flattened. */
HybAxisView hyb_axis_view_optional (const HybShape *shape, gint64 axis);

/* Each learns from the other.  FALSE when both are known and differ; what names
 * the place in the message. */
gboolean hyb_dim_unify (gint64 *a, gint64 *b, const char *what, GError **error);

/* HYB_UNKNOWN if a factor is; what overflows stays at G_MAXINT64, which no memory check lets pass. */
gint64 hyb_dim_multiply (gint64 a, gint64 b);
gint64 hyb_dims_product (const HybShape *shape, int from, int to);

/* Row-major strides in elements. */
void hyb_dims_strides (const HybShape *shape, gint64 *stride);

/* A shape without one axis, and with one of this size put in. */
HybShape hyb_dims_without (const HybShape *shape, int axis);
HybShape hyb_dims_with (const HybShape *shape, int axis, gint64 size);

/* Two shapes of the same number of elements: one unknown dimension follows. */
gboolean hyb_dims_same_size (HybShape *a, HybShape *b, GError **error);

/* Sets a types error “format”, with hint as the way out (may be NULL); always FALSE. */
gboolean
hyb_refuse_types (GError **error, const char *hint, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* The same about attributes. */
gboolean hyb_refuse_attribute (GError **error, const char *hint, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
