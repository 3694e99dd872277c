/* initializer.c — initial values of parameters: a table of functions by name.
 *
 * Element i of a tensor depends on the seed and i alone (base/random.h), so equal seeds give
 * equal values whatever the number of threads.  Start at hyb_initializer_fill().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/initializer.h"

#include "engine/base/error.h"
#include "engine/base/one-line.h"
#include "engine/base/random.h"

#include <math.h>
#include <string.h>

#define MAX_SHOWN 60 /* bytes of a name in a message */

typedef struct
{
  HybTensor  *tensor;
  double      value; /* the initialiser's main option, such as the scale of "uniform" */
  guint64     seed;
  const char *text; /* the initialiser as written, for further options */
} FillJob;

typedef struct
{
  const char *name;
  const char *option; /* name of the main option in the JSON form; NULL: no option */
  double      fallback;
  void (*fill) (const FillJob *job);
} Initializer;

static void
set_element (HybTensor *tensor, gint64 index, double value)
{
  hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) index,
                        value);
}

static void
fill_constant (const FillJob *job)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (job->tensor); i++)
    set_element (job->tensor, i, job->value);
}

/* Uniformly distributed between −value and value. */
static void
fill_uniform (const FillJob *job)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (job->tensor); i++)
    set_element (job->tensor, i,
                 (2 * hyb_random_uniform (job->seed, (guint64) i) - 1) * job->value);
}

static void
fill_normal (const FillJob *job)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (job->tensor); i++)
    set_element (job->tensor, i, hyb_random_normal (job->seed, (guint64) i) * job->value);
}

/* The number that follows "key": in the JSON form. */
static double
json_number (const char *text, const char *key, double fallback)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\":", key);
  const char      *at = strstr (text, quoted);

  return at ? g_ascii_strtod (at + strlen (quoted), NULL) : fallback;
}

static gboolean
json_has (const char *text, const char *key, const char *value)
{
  g_autofree char *pair = g_strdup_printf ("\"%s\": \"%s\"", key, value);

  return strstr (text, pair) != NULL;
}

/* Glorot and Bengio: uniform in ±√(magnitude / fan), or normal with that standard deviation.
 * fan is the number of inputs (axis 1), of outputs (axis 0), or their mean; both are multiplied
 * by the area of the kernel. */
static void
fill_xavier (const FillJob *job)
{
  const HybShape *shape = hyb_tensor_get_shape (job->tensor);
  double          area = (double) hyb_shape_count (shape, 2, shape->rank);
  double          fan_out = shape->rank > 0 ? (double) shape->dim[0] * area : 1;
  double          fan_in = shape->rank > 1 ? (double) shape->dim[1] * area : 1;
  double          fan = json_has (job->text, "factor_type", "in")    ? fan_in
                        : json_has (job->text, "factor_type", "out") ? fan_out
                                                                     : (fan_in + fan_out) / 2;
  FillJob         scaled = *job;

  scaled.value = sqrt (job->value / MAX (fan, 1));
  (json_has (job->text, "rnd_type", "gaussian") ? fill_normal : fill_uniform) (&scaled);
}

/* All zero except the forget gate, which is the second quarter. */
static void
fill_lstm_bias (const FillJob *job)
{
  gint64 size = hyb_tensor_get_size (job->tensor);

  for (gint64 i = 0; i < size; i++)
    set_element (job->tensor, i, i >= size / 4 && i < size / 2 ? job->value : 0);
}

/* He et al.: normal with variance 2 / ((1 + slope²) fan-in), for an activation with this slope. */
static void
fill_msra (const FillJob *job)
{
  const HybShape *shape = hyb_tensor_get_shape (job->tensor);
  double          fan_in = shape->rank > 1 ? (double) hyb_shape_count (shape, 1, shape->rank) : 1;
  FillJob         normal = *job;

  normal.value = sqrt (2 / (1 + job->value * job->value) / MAX (fan_in, 1));
  fill_normal (&normal);
}

/* A matrix with orthogonal rows (or columns, if it has more rows than columns), made from normal
 * random numbers by the Gram-Schmidt process. */
static void
fill_orthogonal (const FillJob *job)
{
  const HybShape    *shape = hyb_tensor_get_shape (job->tensor);
  gint64             n = shape->rank > 0 ? shape->dim[0] : 1;
  gint64             m = hyb_shape_count (shape, MIN (shape->rank, 1), shape->rank);
  gboolean           tall = n > m;
  gint64             rows = MIN (n, m), length = MAX (n, m);
  g_autofree double *values = g_new (double, (gsize) (rows * length));

  for (gint64 r = 0; r < rows; r++)
    {
      double *row = values + r * length, norm = 0;

      for (gint64 k = 0; k < length; k++)
        row[k] = hyb_random_normal (job->seed, (guint64) (r * length + k));
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
      set_element (job->tensor, i * m + k,
                   job->value * (tall ? values[k * length + i] : values[i * length + k]));
}

/* Weights with which a transposed convolution computes bilinear upsampling. */
static void
fill_bilinear (const FillJob *job)
{
  const HybShape *shape = hyb_tensor_get_shape (job->tensor);
  gint64          width = shape->rank > 0 ? shape->dim[shape->rank - 1] : 1;
  gint64          height = shape->rank > 1 ? shape->dim[shape->rank - 2] : 1;
  double          f = ceil ((double) width / 2), c = (2 * f - 1 - fmod (f, 2)) / (2 * f);

  for (gint64 i = 0; i < hyb_tensor_get_size (job->tensor); i++)
    {
      double x = (double) (i % width), y = (double) (i / width % height);

      set_element (job->tensor, i, (1 - fabs (x / f - c)) * (1 - fabs (y / f - c)));
    }
}

/* The flat parameter of a fused RNN cell: weights first, uniform in ±0.07; then biases, zero
 * except for the forget gates of i2h. */
static void
fill_fused (const FillJob *job)
{
  double     hidden_given = json_number (job->text, "num_hidden", 0);
  double     layers = json_number (job->text, "num_layers", 1);
  gint64     gates = json_has (job->text, "mode", "lstm")  ? 4
                     : json_has (job->text, "mode", "gru") ? 3
                                                           : 1;
  gint64     directions = strstr (job->text, "\"bidirectional\": true") ? 2 : 1;
  gint64     size = hyb_tensor_get_size (job->tensor);
  gint64     hidden = hidden_given >= 1 ? (gint64) MIN (hidden_given, (double) size) : 0;
  double     n_biases = layers * (double) (directions * 2 * gates * hidden);
  gint64     biases = n_biases >= 1 ? (gint64) MIN (n_biases, (double) size) : 0;
  HybTensor *tensor = job->tensor;

  for (gint64 i = 0; i < size; i++)
    {
      gint64 row = i - (size - biases);
      /* Biases lie in blocks of `hidden`: the gates of i2h, then those of h2h.  Block 1 is the
       * forget gate of i2h. */
      gint64 gate = hidden > 0 && row >= 0 ? row / hidden % (2 * gates) : 0;

      set_element (tensor, i,
                   row < 0 ? (2 * hyb_random_uniform (job->seed, (guint64) i) - 1) * 0.07
                   : gates == 4 && gate == 1 ? job->value
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

/* The entry that text names ("uniform", "uniform:0.1", ["uniform", {…}]), or NULL. */
static const Initializer *
find_initializer (const char *text)
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

const char *
hyb_initializer_for_name (const char *name, const char *fallback)
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
                      const char *initializer,
                      guint64     seed,
                      GError    **error)
{
  const Initializer *entry = find_initializer (initializer);
  FillJob            job = { .tensor = tensor, .seed = seed, .text = initializer };

  if (!entry)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL,
                         "Use zeros, ones, constant, uniform, normal, xavier, msraprelu, "
                         "orthogonal, bilinear, lstmbias or fusedrnn",
                         "parameter “%s”: there is no initialiser “%.*s”", name,
                         hyb_prefix_length (initializer, MAX_SHOWN), initializer);
  job.value = option_value (entry, initializer);
  entry->fill (&job);
  return TRUE;
}
