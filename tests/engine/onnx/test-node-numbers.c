/* test-node-numbers.c — tests of single ONNX operators: numbers that onnx.reference computed, in every mode.
 *
 * tests/data/onnx/rows.txt has the cases; make-rows.py beside it writes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/executor.h"
#include "tests/engine/onnx/nodes.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* One case: what the file says, in the form of nodes.h. */
typedef struct
{
  gint64     opset;
  GString   *lines;
  GPtrArray *inputs;  /* of “x: TYPE = NUMBERS” */
  GPtrArray *results; /* of “TYPE NUMBERS” */
  char      *node;
} Case;

static void
case_free (Case *one)
{
  g_string_free (one->lines, TRUE);
  g_ptr_array_unref (one->inputs);
  g_ptr_array_unref (one->results);
  g_free (one->node);
  g_free (one);
}

static Case *
case_new (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  Case *one = g_new0 (Case, 1);

  one->lines = g_string_new (NULL);
  one->inputs = g_ptr_array_new_with_free_func (g_free);
  one->results = g_ptr_array_new_with_free_func (g_free);
  one->opset = g_ascii_strtoll (lines[0] + strlen ("opset "), NULL, 10);
  for (guint i = 1; lines[i]; i++)
    {
      const char *number = strstr (lines[i], ": ") ? strstr (lines[i], " = ") : NULL;

      if (g_str_has_prefix (lines[i], "= "))
        g_ptr_array_add (one->results, g_strdup (lines[i] + 2));
      else if (number)
        {
          g_string_append_len (one->lines, lines[i], number - lines[i]);
          g_string_append_c (one->lines, '\n');
          g_ptr_array_add (one->inputs, g_strdup (lines[i]));
        }
      else if (lines[i][0])
        {
          g_string_append_printf (one->lines, "%s\n", lines[i]);
          g_free (one->node);
          one->node = g_strdup (lines[i]);
        }
    }
  return one;
}

/* “float[2] 1 2” */
static HybTensor *
parse_tensor (const char *text)
{
  g_autofree char *line = g_strdup_printf ("x: float[1]\nt = %s\ny = Relu x\n-> y\n", text);
  g_autoptr (HybModel) model = nodes_model (line, 13);

  return hyb_tensor_ref (hyb_model_get_parameter (model, "t"));
}

static void
bind_all (HybExecutor *executor, HybModel *model, const Case *one)
{
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      g_assert_true (
          hyb_executor_bind (executor, name, hyb_model_get_parameter (model, name), NULL));
    }
  for (guint i = 0; i < one->inputs->len; i++)
    {
      g_auto (GStrv) parts = g_strsplit (one->inputs->pdata[i], ": ", 2);
      g_auto (GStrv) halves = g_strsplit (parts[1], " = ", 2);
      g_autofree char *text = g_strdup_printf ("%s %s", halves[0], halves[1]);
      g_autoptr (HybTensor) value = parse_tensor (text);

      g_assert_true (hyb_executor_bind (executor, parts[0], value, NULL));
    }
}

static void
check_result (const Case *one, HybTensor *got, const char *text)
{
  g_autoptr (HybTensor) expected = parse_tensor (text);
  g_autofree char *got_type = hyb_type_to_string (hyb_tensor_get_type (got));
  g_autofree char *type = hyb_type_to_string (hyb_tensor_get_type (expected));

  g_test_message ("%s", one->node);
  g_assert_cmpstr (got_type, ==, type);
  for (gint64 i = 0; i < hyb_tensor_get_size (expected); i++)
    {
      double x = hyb_tensor_get_value (got, i), y = hyb_tensor_get_value (expected, i);

      if (isfinite (y) ? !(fabs (x - y) <= 2e-6 + 2e-5 * fabs (y))
          : isnan (y)  ? !isnan (x)
                       : x != y)
        g_error ("%s: element %d is %.9g instead of %.9g", one->node, (int) i, x, y);
    }
}

static void
run_case (const Case *one, HybMode mode)
{
  g_autofree char *names = g_strndup (one->node, (gsize) (strstr (one->node, " = ") - one->node));
  g_auto (GStrv) outputs = g_strsplit (names, ", ", -1);
  g_autoptr (GString) lines = g_string_new (one->lines->str);
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; outputs[i]; i++)
    g_string_append_printf (lines, "-> %s\n", outputs[i]);
  model = nodes_model (lines->str, one->opset);
  executor = hyb_executor_new (hyb_model_get_graph (model), &(HybExecutorOptions){ .mode = mode });
  bind_all (executor, model, one);
  hyb_executor_run (executor, NULL, &error);
  if (error)
    g_error ("%s: %s", one->node, error->message);
  for (guint i = 0; i < one->results->len; i++)
    check_result (one, hyb_executor_get_output (executor, i), one->results->pdata[i]);
}

static void
test_mode (gconstpointer mode)
{
  g_autofree char *file = g_build_filename (SOURCE_ROOT, "tests/data/onnx/rows.txt", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) blocks = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  blocks = g_strsplit (text, "\n\n", -1);
  for (guint i = 0; blocks[i]; i++)
    if (g_str_has_prefix (blocks[i], "opset"))
      {
        Case *one = case_new (blocks[i]);

        run_case (one, (HybMode) GPOINTER_TO_INT (mode));
        case_free (one);
        n++;
      }
  g_assert_cmpuint (n, >, 100);
}

TEST_PROGRAM (test_node_numbers)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/engine/onnx/numbers/imperative", GINT_TO_POINTER (HYB_MODE_IMPERATIVE),
                        test_mode);
  g_test_add_data_func ("/engine/onnx/numbers/hybrid", GINT_TO_POINTER (HYB_MODE_HYBRID),
                        test_mode);
  g_test_add_data_func ("/engine/onnx/numbers/static", GINT_TO_POINTER (HYB_MODE_STATIC),
                        test_mode);

  return g_test_run ();
}
