/* reshape-codes.c — reads the codes with which Reshape says its new shape.
 *
 * Start with hyb_reshape_by_codes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/array/reshape-codes.h"

#include "engine/op/dimensions.h"

/* The state while codes are read. */
typedef struct
{
  const HybShape *source;
  const HybShape *codes;
  int             at_source, at_code; /* the next dimension and code */
  gboolean        has_inferred;       /* a -1 was read */
  HybShape        out;
} Reshaping;

static gboolean
append_dim (Reshaping *reshaping, gint64 dim, GError **error)
{
  if (reshaping->out.rank >= HYB_MAX_RANK)
    return hyb_refuse_attribute (error, NULL, "shape has more than %d dimensions", HYB_MAX_RANK);

  reshaping->out.dim[reshaping->out.rank++] = dim;
  return TRUE;
}

/* Uses up the next dimension of the input. */
static gboolean
take_source (Reshaping *reshaping, gint64 *dim, GError **error)
{
  if (reshaping->at_source >= reshaping->source->rank)
    {
      g_autofree char *codes = hyb_shape_to_string (reshaping->codes);
      g_autofree char *source = hyb_shape_to_string (reshaping->source);

      return hyb_refuse_types (error, "Each code 0, -3 and -4 uses up dimensions of the input",
                               "shape attribute %s needs more dimensions than input %s has", codes,
                               source);
    }

  *dim = reshaping->source->dim[reshaping->at_source++];
  return TRUE;
}

/* -4, a, b: one dimension becomes a × b; a or b may be -1 to be inferred. */
static gboolean
apply_split (Reshaping *reshaping, GError **error)
{
  gint64 whole = 0, first, second;

  if (reshaping->at_code + 2 > reshaping->codes->rank)
    return hyb_refuse_attribute (error, NULL, "code -4 in shape needs two sizes after it");
  if (!take_source (reshaping, &whole, error))
    return FALSE;

  first = reshaping->codes->dim[reshaping->at_code++];
  second = reshaping->codes->dim[reshaping->at_code++];
  if (first < -1 || second < -1 || first == 0 || second == 0 || (first == -1 && second == -1))
    return hyb_refuse_attribute (error, "Give two sizes, or one size and -1",
                                 "code -4 in shape cannot split into %" G_GINT64_FORMAT
                                 " and %" G_GINT64_FORMAT,
                                 first, second);

  if (whole != HYB_UNKNOWN)
    {
      gboolean divides = whole % (first == -1 ? second : first) == 0;

      if (first == -1 && divides)
        first = whole / second;
      else if (second == -1 && divides)
        second = whole / first;
      if (!divides || hyb_dim_multiply (first, second) != whole)
        return hyb_refuse_types (error, NULL,
                                 "a dimension of %" G_GINT64_FORMAT
                                 " does not split into %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT,
                                 whole, first, second);
    }

  return append_dim (reshaping, first, error) && append_dim (reshaping, second, error);
}

static gboolean
apply_drop (Reshaping *reshaping, GError **error)
{
  gint64 dim = 0;

  if (!take_source (reshaping, &dim, error))
    return FALSE;
  return dim == 1 || dim == HYB_UNKNOWN ||
         hyb_refuse_types (error, "Only dimensions of size 1 can be left out",
                           "a dimension of %" G_GINT64_FORMAT " cannot be left out", dim);
}

static gboolean
apply_code (Reshaping *reshaping, gint64 code, GError **error)
{
  gint64 a = 0, b = 0;

  if (code > 0)
    {
      reshaping->at_source++;
      return append_dim (reshaping, code, error);
    }
  if (code == HYB_RESHAPE_COPY)
    return take_source (reshaping, &a, error) && append_dim (reshaping, a, error);
  if (code == HYB_RESHAPE_INFER)
    {
      if (reshaping->has_inferred)
        return hyb_refuse_attribute (error, NULL, "only one dimension of shape can be -1");
      reshaping->has_inferred = TRUE;
      reshaping->at_source++;
      return append_dim (reshaping, HYB_UNKNOWN, error);
    }
  if (code == HYB_RESHAPE_COPY_REST)
    {
      while (reshaping->at_source < reshaping->source->rank)
        if (!take_source (reshaping, &a, error) || !append_dim (reshaping, a, error))
          return FALSE;
      return TRUE;
    }
  if (code == HYB_RESHAPE_MERGE)
    return take_source (reshaping, &a, error) && take_source (reshaping, &b, error) &&
           append_dim (reshaping, hyb_dim_multiply (a, b), error);
  if (code == HYB_RESHAPE_SPLIT)
    return apply_split (reshaping, error);
  if (code == HYB_RESHAPE_DROP)
    return apply_drop (reshaping, error);
  if (code == HYB_RESHAPE_EMPTY)
    {
      reshaping->at_source++;
      return append_dim (reshaping, 0, error);
    }

  return hyb_refuse_attribute (error, NULL, "shape has an unknown code %" G_GINT64_FORMAT, code);
}

static HybShape
reversed (const HybShape *shape)
{
  HybShape result = { .rank = shape->rank };

  for (int i = 0; i < shape->rank; i++)
    result.dim[i] = shape->dim[shape->rank - 1 - i];
  return result;
}

gboolean
hyb_reshape_by_codes (const HybShape *shape,
                      gboolean        reverse,
                      const HybShape *data,
                      HybShape       *out,
                      GError        **error)
{
  HybShape  source = reverse ? reversed (data) : *data;
  HybShape  codes = reverse ? reversed (shape) : *shape;
  Reshaping reshaping = { .source = &source, .codes = &codes };

  while (reshaping.at_code < codes.rank)
    if (!apply_code (&reshaping, codes.dim[reshaping.at_code++], error))
      return FALSE;

  *out = reverse ? reversed (&reshaping.out) : reshaping.out;
  return TRUE;
}
