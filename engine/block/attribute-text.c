/* attribute-text.c — values of attributes as text, in the form that MXNet's Python front end writes.
 *
 * Used by functions.c and the layers, so that traced graphs match MXNet's exports byte for byte.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/layers-private.h"

#include <string.h>

const char *
hyb_gluon_bool (gboolean value)
{
  return value ? "True" : "False";
}

const char *
hyb_gluon_int (HybF *F, gint64 value)
{
  return hyb_f_text (F, "%" G_GINT64_FORMAT, value);
}

/* Python's repr of a float is the shortest text that is read back as the same number. */
const char *
hyb_gluon_number (HybF *F, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (int precision = 1; precision <= 17; precision++)
    {
      g_autofree char *format = g_strdup_printf ("%%.%dg", precision);

      g_ascii_formatd (buffer, sizeof buffer, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  return hyb_f_text (F, strpbrk (buffer, ".en") ? "%s" : "%s.0", buffer);
}

const char *
hyb_gluon_shape (HybF *F, const HybShape *shape)
{
  g_autofree char *text = hyb_shape_to_string (shape);

  return hyb_f_text (F, "%s", text);
}

HybShape
hyb_gluon_extent (const HybShape *given, int rank, gint64 fallback)
{
  HybShape extent = { .rank = rank };

  if (given->rank > 0)
    return *given;
  for (int i = 0; i < rank; i++)
    extent.dim[i] = fallback;
  return extent;
}
