/* test-data.c — see test-data.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/test-data/test-data.h"

#include "app/command/frame/command.h"

#include "engine/formats/file.h"
#include "engine/formats/npy.h"
#include "engine/formats/npz.h"
#include "engine/graph/roles.h"
#include "engine/onnx/tensor-file.h"

#include <math.h>
#include <string.h>

#define PREFIX    "test_data_set_"
#define MAX_FILES 10000 /* of a folder */

/* --- Reading --- */

/* Names of the variables for which the file has no value, in order; parameters recognised by name alone are not among them.
 * (transfer container) */
static GPtrArray *
list_inputs (HybModel *model)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  GPtrArray       *names = g_ptr_array_new ();
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;

      if (!hyb_model_get_parameter (model, name) &&
          (hyb_graph_get_dialect (graph) ||
           hyb_graph_get_role (graph, variables[i], FALSE) != HYB_ROLE_PARAMETER))
        g_ptr_array_add (names, (gpointer) name);
    }
  return names;
}

static HybTensorList *
read_single (const char *path, HybModel *model, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (path, 0, error);
  g_autoptr (HybTensor) tensor = bytes ? hyb_npy_read (bytes, path, error) : NULL;
  g_autoptr (GPtrArray) names = list_inputs (model);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();

  if (!tensor)
    return NULL;
  if (names->len != 1)
    {
      scope_usage_error (error,
                         "--input %s: a single array has no name, and the model has %u inputs. "
                         "Give an archive (.npz) with an array for each",
                         path, names->len);
      return NULL;
    }
  hyb_tensor_list_set (list, names->pdata[0], tensor);
  return g_steal_pointer (&list);
}

/* Tensor number i of the folder; NULL without an error if there is no such file. */
static HybTensor *
read_numbered (const char *folder, const char *stem, guint i, char **name, GError **error)
{
  g_autofree char *file = g_strdup_printf ("%s_%u.pb", stem, i);
  g_autofree char *path = g_build_filename (folder, file, NULL);

  *name = NULL;
  return g_file_test (path, G_FILE_TEST_EXISTS) ? hyb_onnx_tensor_file_read (path, name, error)
                                                : NULL;
}

/* The variable of an array: by its name, else by its position. */
static const char *
choose_input (HybModel *model, const GPtrArray *names, const char *name, guint i)
{
  if (*name && hyb_graph_find_variable (hyb_model_get_graph (model), name) != HYB_NO_ID)
    return name;
  return i < names->len ? names->pdata[i] : *name ? name : NULL;
}

static HybTensorList *
read_folder (const char *folder, HybModel *model, GPtrArray **expected, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (GPtrArray) names = list_inputs (model);
  g_autoptr (GPtrArray) outputs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  GError *problem = NULL;

  for (guint i = 0; i < MAX_FILES; i++)
    {
      g_autofree char *name = NULL;
      g_autoptr (HybTensor) tensor = read_numbered (folder, "input", i, &name, &problem);
      const char *variable;

      if (!tensor)
        break;
      variable = choose_input (model, names, name, i);
      if (variable)
        hyb_tensor_list_set (list, variable, tensor);
    }
  for (guint i = 0; i < MAX_FILES && !problem; i++)
    {
      g_autofree char *name = NULL;
      HybTensor       *tensor = read_numbered (folder, "output", i, &name, &problem);

      if (!tensor)
        break;
      g_ptr_array_add (outputs, tensor);
    }
  if (!problem && hyb_tensor_list_n (list) == 0 && outputs->len == 0)
    g_set_error (&problem, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                 "%s: the folder has no input_0.pb. Give an archive of arrays (.npz), or a folder "
                 "of ONNX' test data",
                 folder);
  if (problem)
    {
      g_propagate_error (error, problem);
      return NULL;
    }
  if (outputs->len > 0)
    *expected = g_steal_pointer (&outputs);
  return g_steal_pointer (&list);
}

HybTensorList *
scope_test_data_read (const char *path, HybModel *model, GPtrArray **expected, GError **error)
{
  *expected = NULL;
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return read_folder (path, model, expected, error);
  return g_str_has_suffix (path, ".npy") ? read_single (path, model, error)
                                         : hyb_npz_read_file (path, error);
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint64 x = 0, y = 0;

  g_ascii_string_to_unsigned (*(char *const *) a + strlen (PREFIX), 10, 0, G_MAXUINT, &x, NULL);
  g_ascii_string_to_unsigned (*(char *const *) b + strlen (PREFIX), 10, 0, G_MAXUINT, &y, NULL);
  return x < y ? -1 : x > y;
}

char **
scope_test_data_list (const char *model, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (model);
  g_autoptr (GDir) directory = g_dir_open (folder, 0, error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (!directory)
    return NULL;
  while ((name = g_dir_read_name (directory)))
    if (g_str_has_prefix (name, PREFIX) &&
        g_ascii_string_to_unsigned (name + strlen (PREFIX), 10, 0, G_MAXUINT, NULL, NULL))
      g_ptr_array_add (names, g_strdup (name));
  if (names->len == 0)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   "%s: there is no folder %s0 beside the model", folder, PREFIX);
      return NULL;
    }
  g_ptr_array_sort (names, compare_numbers);
  for (guint i = 0; i < names->len; i++)
    {
      char *path = g_build_filename (folder, names->pdata[i], NULL);

      g_free (names->pdata[i]);
      names->pdata[i] = path;
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* --- Comparing --- */

static double
relative_tolerance (HybDType dtype)
{
  if (dtype == HYB_F32 || dtype == HYB_F64)
    return 1e-3;
  return dtype == HYB_F16 ? 2e-3 : dtype == HYB_BF16 ? 1e-2 : 0;
}

static gboolean
is_same (double want, double got, double tolerance)
{
  return want == got || (isnan (want) && isnan (got)) || fabs (want - got) <= tolerance;
}

static ScopeTestVerdict
differ (char *reason)
{
  return (ScopeTestVerdict){ .max_abs = NAN, .reason = reason };
}

ScopeTestVerdict
scope_test_data_compare (HybTensor *expected, HybTensor *got)
{
  g_autofree char *want = hyb_type_to_string (hyb_tensor_get_type (expected));
  g_autofree char *is = hyb_type_to_string (hyb_tensor_get_type (got));
  double           relative = relative_tolerance (hyb_tensor_get_type (expected)->dtype);
  double           largest = 0;
  ScopeTestVerdict verdict = { .is_equal = TRUE };

  if (strcmp (want, is) != 0)
    return differ (g_strdup_printf ("is %s, not %s", is, want));
  for (gint64 i = 0; relative > 0 && i < hyb_tensor_get_size (expected); i++)
    {
      double value = fabs (hyb_tensor_get_value (expected, i));

      largest = isfinite (value) ? MAX (largest, value) : largest;
    }
  for (gint64 i = 0; i < hyb_tensor_get_size (expected); i++)
    {
      double a = hyb_tensor_get_value (expected, i), b = hyb_tensor_get_value (got, i);
      double tolerance = relative > 0 ? relative * fabs (a) + 1e-6 * largest : 0;

      if (isfinite (a) && isfinite (b))
        verdict.max_abs = MAX (verdict.max_abs, fabs (a - b));
      if (is_same (a, b, tolerance) || !verdict.is_equal)
        continue;
      verdict.is_equal = FALSE;
      verdict.reason = g_strdup_printf ("element %" G_GINT64_FORMAT " is %.7g, not %.7g", i, b, a);
    }
  return verdict;
}

void
scope_test_verdict_clear (ScopeTestVerdict *verdict)
{
  g_clear_pointer (&verdict->reason, g_free);
}
