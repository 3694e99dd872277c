/* golden.c — finds, reads and compares goldens: arrays that MXNet computed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/goldens/golden.h"

#include "engine/base/error.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/formats/npz.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* The folder that holds "folder": shared/goldens if it is there, else the smaller set in the tree.
 * (transfer full) */
static char *
find_folder (const char *folder)
{
  const char      *shared = g_getenv ("HYB_SHARED");
  g_autofree char *root = shared ? g_build_filename (shared, "goldens", NULL)
                                 : g_build_filename (SOURCE_ROOT, "..", "shared", "goldens", NULL);
  char            *path = g_build_filename (root, folder, NULL);

  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_free (path);
      path = g_build_filename (SOURCE_ROOT, "tests", "data", "goldens", folder, NULL);
    }

  return path;
}

char *
golden_path (const char *folder, ...)
{
  g_autofree char *root = find_folder (folder);
  const char      *first;
  char            *path;
  va_list          list;

  va_start (list, folder);
  first = va_arg (list, const char *);
  if (first)
    {
      g_autofree char *below = g_build_filename_valist ((char *) first, &list);

      path = g_build_filename (root, below, NULL);
    }
  else
    path = g_strdup (root);
  va_end (list);

  return path;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char **
golden_list (const char *folder, const char *suffix)
{
  g_autofree char *path = golden_path (folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  GPtrArray  *names = g_ptr_array_new ();
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (!suffix || g_str_has_suffix (name, suffix))
      g_ptr_array_add (names, g_strndup (name, strlen (name) - (suffix ? strlen (suffix) : 0)));

  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

cJSON *
golden_read_json (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  gsize            length;
  cJSON           *json;

  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;

  json = cJSON_ParseWithLength (text, length);
  if (!json)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s is no JSON", path);

  return json;
}

GHashTable *
golden_tensors_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
}

GHashTable *
golden_read_npz (const char *path, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_npz_read_file (path, error);
  GHashTable *tensors;

  if (!list)
    return NULL;

  tensors = golden_tensors_new ();
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *named = hyb_tensor_list_get (list, i);

      g_hash_table_insert (tensors, g_strdup (named->name), hyb_tensor_ref (named->tensor));
    }

  return tensors;
}

/* The first finding that says that the graph cannot run. */
static gboolean
refuse_findings (HybModel *model, GError **error)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      if (finding->severity == HYB_SEVERITY_ERROR)
        {
          g_set_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, "%s: %s", finding->code,
                       finding->message);
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
golden_read_text (HybModel *model, const char *text, const char *where, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return hyb_symbol_read (model, bytes, where, error) && refuse_findings (model, error);
}

HybModel *
golden_read_symbol (const cJSON *symbol, GError **error)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  char    *text = cJSON_PrintUnformatted (symbol);
  gboolean is_read = golden_read_text (model, text, "symbol", error);

  cJSON_free (text);
  return is_read ? g_steal_pointer (&model) : NULL;
}

static gboolean
is_near (double got, double want, const GoldenTolerance *tolerance)
{
  if (isnan (want) || isnan (got))
    return isnan (want) && isnan (got);

  return got == want || fabs (got - want) <= tolerance->atol + tolerance->rtol * fabs (want);
}

static gboolean
elements_equal (HybTensor *got, HybTensor *want, gint64 k)
{
  gsize       size = hyb_dtype_size (hyb_tensor_get_dtype (want));
  const char *a = hyb_tensor_get_data (got);
  const char *b = hyb_tensor_get_data (want);

  return memcmp (a + (gsize) k * size, b + (gsize) k * size, size) == 0;
}

char *
golden_compare (HybTensor *got, HybTensor *want, const GoldenTolerance *tolerance)
{
  g_autofree char *got_type = hyb_type_to_string (hyb_tensor_get_type (got));
  g_autofree char *want_type = hyb_type_to_string (hyb_tensor_get_type (want));
  const HybShape  *shape = hyb_tensor_get_shape (want);
  gboolean         is_float = hyb_dtype_is_float (hyb_tensor_get_dtype (want));
  gint64           size = hyb_tensor_get_size (want);
  gint64           worst = -1, n_wrong = 0;
  double           worst_distance = -1;

  if (!g_str_equal (got_type, want_type))
    return g_strdup_printf ("is %s, not %s", got_type, want_type);

  if (tolerance->rows && shape->rank > 0)
    size = MIN (size, tolerance->rows * hyb_shape_count (shape, 1, shape->rank));

  for (gint64 k = 0; k < size; k++)
    {
      double a = hyb_tensor_get_value (got, k);
      double b = hyb_tensor_get_value (want, k);
      double distance = isfinite (a) && isfinite (b) ? fabs (a - b) : INFINITY;

      if (is_float ? is_near (a, b, tolerance) : elements_equal (got, want, k))
        continue;
      n_wrong++;
      if (distance > worst_distance)
        {
          worst_distance = distance;
          worst = k;
        }
    }

  if (worst < 0)
    return NULL;

  return g_strdup_printf ("%d of %d elements of %s are wrong; the worst, %d, is %.9g, not %.9g",
                          (int) n_wrong, (int) size, want_type, (int) worst,
                          hyb_tensor_get_value (got, worst), hyb_tensor_get_value (want, worst));
}
