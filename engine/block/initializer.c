/* initializer.c — first values of parameters: a table of functions by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/initializer.h"

#include "engine/base/error.h"
#include "engine/base/random.h"

#include <math.h>
#include <string.h>

typedef struct
{
  HybTensor  *tensor;
  double      value; /* the option that an initialiser is most about */
  guint64     seed;
  const char *text; /* for others */
} Filling;

typedef struct
{
  const char *name;
  const char *option; /* its name in the JSON form */
  double      fallback;
  void (*fill) (const Filling *filling);
} Initializer;

static void
set_element (HybTensor *tensor, gint64 index, double value)
{
  hyb_dtype_set_double (hyb_tensor_get_data (tensor),
                        hyb_tensor_get_dtype (tensor),
                        (gsize) index,
                        value);
}

static void
fill_constant (const Filling *filling)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (filling->tensor); i++)
    set_element (filling->tensor, i, filling->value);
}

/* Between −value and value. */
static void
fill_uniform (const Filling *filling)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (filling->tensor); i++)
    set_element (filling->tensor,
                 i,
                 (2 * hyb_random_uniform (filling->seed, (guint64) i) - 1) * filling->value);
}

static void
fill_normal (const Filling *filling)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (filling->tensor); i++)
    set_element (filling->tensor,
                 i,
                 hyb_random_normal (filling->seed, (guint64) i) * filling->value);
}

/* The number behind "key": in the JSON form. */
static double
number_in (const char *text, const char *key, double fallback)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\":", key);
  const char      *at = strstr (text, quoted);

  return at ? g_ascii_strtod (at + strlen (quoted), NULL) : fallback;
}

static gboolean
says (const char *text, const char *key, const char *value)
{
  g_autofree char *pair = g_strdup_printf ("\"%s\": \"%s\"", key, value);

  return strstr (text, pair) != NULL;
}

/* ± √(magnitude / fan), which is that of inputs, of outputs or their mean; rows are
 * outputs, the rest inputs. */
static void
fill_xavier (const Filling *filling)
{
  const HybShape *shape = hyb_tensor_get_shape (filling->tensor);
  double          area = (double) hyb_shape_count (shape, 2, shape->rank);
  double          fan_out = shape->rank > 0 ? (double) shape->dim[0] * area : 1;
  double          fan_in = shape->rank > 1 ? (double) shape->dim[1] * area : 1;
  double          fan = says (filling->text, "factor_type", "in")    ? fan_in
                        : says (filling->text, "factor_type", "out") ? fan_out
                                                                     : (fan_in + fan_out) / 2;
  Filling         scaled = *filling;

  scaled.value = sqrt (filling->value / MAX (fan, 1));
  (says (filling->text, "rnd_type", "gaussian") ? fill_normal : fill_uniform) (&scaled);
}

/* Zero but for the forget gate, the second quarter. */
static void
fill_lstm_bias (const Filling *filling)
{
  gint64 size = hyb_tensor_get_size (filling->tensor);

  for (gint64 i = 0; i < size; i++)
    set_element (filling->tensor, i, i >= size / 4 && i < size / 2 ? filling->value : 0);
}

/* He and others: like Xavier's normal form by fan-in, for an activation with this slope. */
static void
fill_msra (const Filling *filling)
{
  const HybShape *shape = hyb_tensor_get_shape (filling->tensor);
  double          fan_in = shape->rank > 1 ? (double) hyb_shape_count (shape, 1, shape->rank) : 1;
  Filling         normal = *filling;

  normal.value = sqrt (2 / (1 + filling->value * filling->value) / MAX (fan_in, 1));
  fill_normal (&normal);
}

/* Rows of a matrix at right angles to each other (columns where there are more rows), by
 * Gram and Schmidt. */
static void
fill_orthogonal (const Filling *filling)
{
  const HybShape    *shape = hyb_tensor_get_shape (filling->tensor);
  gint64             n = shape->rank > 0 ? shape->dim[0] : 1;
  gint64             m = hyb_shape_count (shape, MIN (shape->rank, 1), shape->rank);
  gboolean           tall = n > m;
  gint64             rows = MIN (n, m), length = MAX (n, m);
  g_autofree double *values = g_new (double, (gsize) (rows * length));

  for (gint64 r = 0; r < rows; r++)
    {
      double *row = values + r * length, norm = 0;

      for (gint64 k = 0; k < length; k++)
        row[k] = hyb_random_normal (filling->seed, (guint64) (r * length + k));
      for (gint64 q = 0; q < r; q++)
        {
          const double *other = values + q * length;
          double        share = 0;

          for (gint64 k = 0; k < length; k++)
            share += row[k] * other[k];
          for (gint64 k = 0; k < length; k++)
            row[k] -= share * other[k];
        }
      for (gint64 k = 0; k < length; k++)
        norm += row[k] * row[k];
      for (gint64 k = 0; k < length; k++)
        row[k] /= sqrt (MAX (norm, 1e-300));
    }
  for (gint64 i = 0; i < n; i++)
    for (gint64 k = 0; k < m; k++)
      set_element (filling->tensor,
                   i * m + k,
                   filling->value * (tall ? values[k * length + i] : values[i * length + k]));
}

/* A transposed convolution with these weights enlarges bilinearly. */
static void
fill_bilinear (const Filling *filling)
{
  const HybShape *shape = hyb_tensor_get_shape (filling->tensor);
  gint64          width = shape->rank > 0 ? shape->dim[shape->rank - 1] : 1;
  gint64          height = shape->rank > 1 ? shape->dim[shape->rank - 2] : 1;
  double          f = ceil ((double) width / 2), c = (2 * f - 1 - fmod (f, 2)) / (2 * f);

  for (gint64 i = 0; i < hyb_tensor_get_size (filling->tensor); i++)
    {
      double x = (double) (i % width), y = (double) (i / width % height);

      set_element (filling->tensor, i, (1 - fabs (x / f - c)) * (1 - fabs (y / f - c)));
    }
}

/* The flat vector of a fused cell: every part as the same array of a single cell. */
static void
fill_fused (const Filling *filling)
{
  gint64     hidden = (gint64) number_in (filling->text, "num_hidden", 0);
  gint64     layers = (gint64) number_in (filling->text, "num_layers", 1);
  gint64     gates = says (filling->text, "mode", "lstm")  ? 4
                     : says (filling->text, "mode", "gru") ? 3
                                                           : 1;
  gint64     directions = strstr (filling->text, "\"bidirectional\": true") ? 2 : 1;
  gint64     size = hyb_tensor_get_size (filling->tensor);
  gint64     biases = layers * directions * 2 * gates * hidden;
  HybTensor *tensor = filling->tensor;

  for (gint64 i = 0; i < size; i++)
    {
      gint64 row = i - (size - biases);
      /* i2h and h2h take turns; the forget gate's of i2h get the bias. */
      gint64 gate = hidden > 0 && row >= 0 ? row / hidden % (2 * gates) : 0;

      set_element (tensor,
                   i,
                   row < 0 ? (2 * hyb_random_uniform (filling->seed, (guint64) i) - 1) * 0.07
                   : gates == 4 && gate == 1 ? filling->value
                                             : 0);
    }
}

static const Initializer table[] = {
  { "zeros", NULL, 0, fill_constant },
  { "zero", NULL, 0, fill_constant },
  { "ones", NULL, 1, fill_constant },
  { "one", NULL, 1, fill_constant },
  { "constant", "value", 0, fill_constant },
  { "uniform", "scale", 0.07, fill_uniform },
  { "normal", "sigma", 0.01, fill_normal },
  { "xavier", "magnitude", 3, fill_xavier },
  { "lstmbias", "forget_bias", 1, fill_lstm_bias },
  { "fusedrnn", "forget_bias", 1, fill_fused },
  { "msraprelu", "slope", 0.25, fill_msra },
  { "orthogonal", "scale", 1.414, fill_orthogonal },
  { "bilinear", NULL, 0, fill_bilinear },
};

/* The initialiser named in text ("uniform", "uniform:0.1", ["uniform", {…}]). */
static const Initializer *
find (const char *text)
{
  while (*text != '\0' && !g_ascii_isalpha (*text))
    text++;
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      gsize length = strlen (table[i].name);

      if (g_ascii_strncasecmp (text, table[i].name, length) == 0 && !g_ascii_isalpha (text[length]))
        return &table[i];
    }
  return NULL;
}

static double
option_value (const Initializer *initializer, const char *text)
{
  g_autofree char *key = g_strdup_printf ("\"%s\":", initializer->option);
  const char      *at = initializer->option ? strstr (text, key) : NULL;
  char            *end;
  double           value;

  if (at)
    at += strlen (key);
  else if (g_ascii_isalpha (text[0]) && strchr (text, ':'))
    at = strchr (text, ':') + 1;
  else
    return initializer->fallback;

  value = g_ascii_strtod (at, &end);
  return end != at ? value : initializer->fallback;
}

static const char *
by_suffix (const char *name, const char *fallback)
{
  if (g_str_has_suffix (name, "bias") || g_str_has_suffix (name, "beta") ||
      g_str_has_suffix (name, "mean"))
    return "zeros";
  if (g_str_has_suffix (name, "gamma") || g_str_has_suffix (name, "var"))
    return "ones";
  return fallback ? fallback : "uniform";
}

gboolean
hyb_initializer_fill (HybTensor  *tensor,
                      const char *name,
                      const char *own,
                      const char *fallback,
                      guint64     seed,
                      GError    **error)
{
  const char        *text = own ? own : by_suffix (name, fallback);
  const Initializer *initializer = find (text);
  Filling            filling = { .tensor = tensor, .seed = seed, .text = text };

  if (!initializer)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_STRUCTURE,
                         NULL,
                         "Use zeros, ones, constant, uniform, normal, xavier, msraprelu, "
                         "orthogonal, bilinear, lstmbias or fusedrnn",
                         "parameter “%s”: there is no initialiser “%.60s”",
                         name,
                         text);
  filling.value = option_value (initializer, text);
  initializer->fill (&filling);
  return TRUE;
}
