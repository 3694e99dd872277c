/* parse-attributes.c — attributes of every operator, tuples, and the shapes that --shape takes.
 *
 * An input is lines: the name of an operator, then a key and a value in turns.  The first line may also be
 * “=SHAPE”, which is read as the value of --shape.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "app/command/frame/common-options.h"
#include "engine/op/op.h"

#include <string.h>

#define MAX_LINES 64

/* The struct written as text and parsed again is the same. */
static void
check_written (const HybOp *op, gconstpointer params)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  gpointer again;

  for (const HybParam *param = op->params; param && param->name; param++)
    {
      g_ptr_array_add (texts, g_strdup (param->name));
      g_ptr_array_add (texts, hyb_param_to_string (param, params));
    }
  g_ptr_array_add (texts, NULL);
  again = hyb_params_parse (op->params, op->params_size, (const char *const *) texts->pdata, NULL,
                            &error);
  if (!again)
    g_error ("%s: %s", op->name, error->message);
  if (!hyb_params_equal (op->params, params, again))
    g_error ("%s: the attributes change when they are written and read", op->name);
  g_assert_cmpuint (hyb_params_hash (1, op->params, params), ==,
                    hyb_params_hash (1, op->params, again));
  hyb_params_unref (again);
}

static void
parse_operator (const HybOp *op, const char *const *attributes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) unknown = g_ptr_array_new ();
  gpointer params;
  guint    n_inputs = 0, n_outputs = 0;

  if (!op->params)
    return;
  params = hyb_params_parse (op->params, op->params_size, attributes, unknown, &error);
  g_assert_true ((!params) == (error != NULL));
  if (!params)
    return;

  fuzz_reached (FUZZ_READ);
  if (!op->check || op->check (params, NULL))
    hyb_op_arity (op, params, &n_inputs, &n_outputs);
  check_written (op, params);
  hyb_params_unref (params);
}

static void
parse_shape (const char *text)
{
  g_autofree char *name = NULL;
  HybShape         shape;
  g_autoptr (GError) error = NULL;

  if (!scope_parse_shape (text, &name, &shape, &error))
    g_assert_nonnull (error);
  else
    fuzz_reached (FUZZ_READ);
}

static void
parse_tuple (const char *text)
{
  HybInts ints = { 0 };

  if (hyb_params_parse_ints (text, &ints))
    g_free (ints.value);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_auto (GStrv) lines = g_strsplit (text, "\n", MAX_LINES);
  guint        n = g_strv_length (lines);
  const HybOp *op;

  fuzz_begin ();
  if (n == 0)
    return 0;
  if (*lines[0] == '=')
    {
      parse_shape (lines[0] + 1);
      return 0;
    }

  op = hyb_op_find (lines[0]);
  for (guint i = 1; i < n; i++)
    parse_tuple (lines[i]);
  if (n % 2 == 0) /* a key without a value */
    g_clear_pointer (&lines[n - 1], g_free);
  if (op)
    parse_operator (op, (const char *const *) lines + 1);
  return 0;
}
