/* initializer.c — first values of parameters: a table of functions by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/initializer.h"

#include "engine/base/error.h"
#include "engine/base/random.h"

#include <math.h>
#include <string.h>

typedef struct
{
  HybTensor *tensor;
  double     value; /* the one option an initialiser has */
  guint64    seed;
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

/* ± √(magnitude / mean of fan-in and fan-out); rows are outputs, the rest inputs. */
static void
fill_xavier (const Filling *filling)
{
  const HybShape *shape = hyb_tensor_get_shape (filling->tensor);
  double          area = (double) hyb_shape_count (shape, 2, shape->rank);
  double          fan_out = shape->rank > 0 ? (double) shape->dim[0] * area : 1;
  double          fan_in = shape->rank > 1 ? (double) shape->dim[1] * area : 1;
  Filling         uniform = *filling;

  uniform.value = sqrt (filling->value / MAX ((fan_in + fan_out) / 2, 1));
  fill_uniform (&uniform);
}

/* Zero but for the forget gate, the second quarter. */
static void
fill_lstm_bias (const Filling *filling)
{
  gint64 size = hyb_tensor_get_size (filling->tensor);

  for (gint64 i = 0; i < size; i++)
    set_element (filling->tensor, i, i >= size / 4 && i < size / 2 ? filling->value : 0);
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
  const char      *at = initializer->option != NULL ? strstr (text, key) : NULL;
  char            *end;
  double           value;

  if (at != NULL)
    at += strlen (key);
  else if (g_ascii_isalpha (text[0]) && strchr (text, ':') != NULL)
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
  return fallback != NULL ? fallback : "uniform";
}

gboolean
hyb_initializer_fill (HybTensor  *tensor,
                      const char *name,
                      const char *own,
                      const char *fallback,
                      guint64     seed,
                      GError    **error)
{
  const char        *text = own != NULL ? own : by_suffix (name, fallback);
  const Initializer *initializer = find (text);
  Filling            filling = { .tensor = tensor, .seed = seed };

  if (initializer == NULL)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_STRUCTURE,
                         NULL,
                         "Use zeros, ones, constant, uniform, normal, xavier or lstmbias",
                         "parameter “%s”: there is no initialiser “%.60s”",
                         name,
                         text);
  filling.value = option_value (initializer, text);
  initializer->fill (&filling);
  return TRUE;
}
