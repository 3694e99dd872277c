/* gpu.c — opens a device of a back end and looks its operators up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/compare-names.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/device/gpu-private.h"
#include "engine/device/loader.h"

#include <stdlib.h>
#include <string.h>

/* "gpu" or "gpu:N". */
static gboolean
parse_name (const char *name, guint *index, GError **error)
{
  guint64 number = 0;

  if (strcmp (name, "gpu") == 0 ||
      (g_str_has_prefix (name, "gpu:") &&
       g_ascii_string_to_unsigned (name + 4, 10, 0, G_MAXINT, &number, NULL)))
    {
      *index = (guint) number;
      return TRUE;
    }
  hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT, NULL, NULL,
                "“%s” is not the name of a GPU: it must be gpu or gpu:N", name);
  return hyb_error_add_remedy (error, HYB_REMEDY_DEVICE, NULL);
}

static gboolean
check_index (const HybBackend *backend, guint index, GError **error)
{
  guint n = backend->count (error);

  if (n > index)
    return TRUE;
  if (n > 0)
    hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT, NULL, NULL,
                  "there is no GPU %u: this machine has %u, counted from 0", index, n);
  return hyb_error_add_remedy (error, HYB_REMEDY_DEVICE, NULL);
}

HybGpu *
hyb_gpu_open_with (const HybBackend *backend, guint index, HybGpuMath math, GError **error)
{
  HybDevice *device;
  HybGpu    *gpu;

  if (!check_index (backend, index, error))
    return NULL;
  device = backend->open (index, math == HYB_GPU_PRECISE, error);
  if (!device)
    {
      hyb_error_add_remedy (error, HYB_REMEDY_DEVICE, NULL);
      return NULL;
    }

  gpu = g_new0 (HybGpu, 1);
  g_atomic_ref_count_init (&gpu->references);
  gpu->backend = backend;
  gpu->device = device;
  gpu->math = math;
  gpu->memory = hyb_device_pool_new (backend, device, FALSE);
  gpu->pinned = hyb_device_pool_new (backend, device, TRUE);
  gpu->twins = g_hash_table_new (g_str_hash, g_str_equal);
  gpu->excluded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (const HybDeviceOp *op = backend->ops; op->name; op++)
    g_hash_table_insert (gpu->twins, (gpointer) op->name, (gpointer) op);
  return gpu;
}

HybGpu *
hyb_gpu_open (const char *name, GError **error)
{
  g_return_val_if_fail (name, NULL);
  return hyb_gpu_open_with_math (name, HYB_GPU_PRECISE, error);
}

HybGpu *
hyb_gpu_open_with_math (const char *name, HybGpuMath math, GError **error)
{
  const HybBackend *backend;
  guint             index = 0;

  g_return_val_if_fail (name, NULL);
  if (!parse_name (name, &index, error))
    return NULL;
  backend = hyb_backend_load (error);
  return backend ? hyb_gpu_open_with (backend, index, math, error) : NULL;
}

HybGpu *
hyb_gpu_ref (HybGpu *gpu)
{
  g_return_val_if_fail (gpu, NULL);
  g_atomic_ref_count_inc (&gpu->references);
  return gpu;
}

void
hyb_gpu_unref (HybGpu *gpu)
{
  if (!gpu || !g_atomic_ref_count_dec (&gpu->references))
    return;

  hyb_device_pool_free (gpu->memory);
  hyb_device_pool_free (gpu->pinned);
  g_hash_table_unref (gpu->twins);
  g_hash_table_unref (gpu->excluded);
  g_free (gpu->proof);
  gpu->backend->close (gpu->device);
  g_free (gpu);
}

HybGpuMath
hyb_gpu_get_math (const HybGpu *gpu)
{
  g_return_val_if_fail (gpu, 0);
  return gpu->math;
}

const char *
hyb_gpu_describe_math (const HybGpu *gpu)
{
  g_return_val_if_fail (gpu, NULL);
  return gpu->math == HYB_GPU_PRECISE ? "precise: products of float32 do not use TF32"
                                      : "fast: products of float32 may use TF32";
}

char *
hyb_gpu_describe (HybGpu *gpu)
{
  HybDeviceFacts facts = { 0 };

  g_return_val_if_fail (gpu, NULL);
  gpu->backend->facts (gpu->device, &facts);
  return g_strdup_printf ("%s, %s", facts.name, facts.versions);
}

guint
hyb_gpu_count (GError **error)
{
  const HybBackend *backend = hyb_backend_load (error);

  return backend ? backend->count (error) : 0;
}

HybGpuFacts *
hyb_gpu_dup_facts (HybGpu *gpu)
{
  HybDeviceFacts facts = { 0 };
  HybGpuFacts   *copy = g_new0 (HybGpuFacts, 1);

  g_return_val_if_fail (gpu, NULL);
  gpu->backend->facts (gpu->device, &facts);
  copy->model = g_strdup (facts.name);
  copy->kind = g_strdup (facts.kind);
  copy->versions = g_strdup (facts.versions);
  copy->libraries = g_strsplit (facts.libraries, "\n", -1);
  copy->memory = facts.memory;
  copy->unused = facts.unused;
  copy->peak_flops = facts.peak_flops;
  copy->peak_bytes = facts.peak_bytes;
  copy->module = hyb_backend_dup_path (gpu->backend);
  return copy;
}

guint64
hyb_gpu_get_taken (HybGpu *gpu)
{
  g_return_val_if_fail (gpu, 0);
  return hyb_device_pool_get_taken (gpu->memory);
}

void
hyb_gpu_facts_free (HybGpuFacts *facts)
{
  if (!facts)
    return;

  g_free (facts->model);
  g_free (facts->kind);
  g_free (facts->versions);
  g_strfreev (facts->libraries);
  g_free (facts->module);
  g_free (facts);
}

void
hyb_gpu_set_proof (HybGpu *gpu, const char *proof)
{
  g_return_if_fail (gpu);
  g_free (gpu->proof);
  gpu->proof = g_strdup (proof);
}

const char *
hyb_gpu_get_proof (const HybGpu *gpu)
{
  g_return_val_if_fail (gpu, NULL);
  return gpu->proof;
}

/* --- Operators --- */

gboolean
hyb_gpu_exclude (HybGpu *gpu, const char *op, const char *why)
{
  g_return_val_if_fail (gpu, FALSE);
  if (!g_hash_table_contains (gpu->twins, op))
    return FALSE;
  g_hash_table_replace (gpu->excluded, g_strdup (op), g_strdup (why));
  return TRUE;
}

/* As hyb_gpu_list_excluded() names it.  (transfer full) */
static char *
name_type (const char *op, HybDType dtype)
{
  return g_strdup_printf ("%s in %s", op, hyb_dtype_name (dtype));
}

gboolean
hyb_gpu_exclude_type (HybGpu *gpu, const char *op, HybDType dtype, const char *why)
{
  g_return_val_if_fail (gpu && op, FALSE);
  if (!g_hash_table_contains (gpu->twins, op))
    return FALSE;
  g_hash_table_replace (gpu->excluded, name_type (op, dtype), g_strdup (why));
  return TRUE;
}

const char *
hyb_gpu_why_type_excluded (const HybGpu *gpu, const HybOp *op, HybDType dtype)
{
  const char      *why = g_hash_table_lookup (gpu->excluded, op->name);
  g_autofree char *name = NULL;

  if (why || dtype == HYB_DTYPE_UNKNOWN || g_hash_table_size (gpu->excluded) == 0)
    return why;
  name = name_type (op->name, dtype);
  return g_hash_table_lookup (gpu->excluded, name);
}

HybDType
hyb_gpu_type_of (const HybCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (hyb_dtype_is_float (call->input[i].dtype))
      return call->input[i].dtype;
  for (guint i = 0; i < call->n_outputs; i++)
    if (hyb_dtype_is_float (call->output[i].dtype))
      return call->output[i].dtype;
  return call->n_inputs > 0    ? call->input[0].dtype
         : call->n_outputs > 0 ? call->output[0].dtype
                               : HYB_DTYPE_UNKNOWN;
}

/* The keys of a table, sorted.  (transfer container) */
static const char **
list_keys (GHashTable *table)
{
  guint        n;
  const char **names = (const char **) g_hash_table_get_keys_as_array (table, &n);

  qsort (names, n, sizeof *names, hyb_compare_names);
  return names;
}

char **
hyb_gpu_list_excluded (const HybGpu *gpu)
{
  g_return_val_if_fail (gpu, NULL);

  g_autofree const char **names = list_keys (gpu->excluded);

  return g_strdupv ((char **) names);
}

const char *
hyb_gpu_why_excluded (const HybGpu *gpu, const char *op)
{
  g_return_val_if_fail (gpu, NULL);
  return g_hash_table_lookup (gpu->excluded, op);
}

const char **
hyb_gpu_list_operators (const HybGpu *gpu)
{
  g_return_val_if_fail (gpu, NULL);
  return list_keys (gpu->twins);
}

const HybDeviceOp *
hyb_gpu_find_twin (const HybGpu *gpu, const HybOp *op)
{
  return g_hash_table_lookup (gpu->twins, op->name);
}

gboolean
hyb_gpu_computes (const char *op)
{
  const HybBackend *backend = hyb_backend_load (NULL);

  g_return_val_if_fail (op, FALSE);
  for (const HybDeviceOp *twin = backend ? backend->ops : NULL; twin && twin->name; twin++)
    if (strcmp (twin->name, op) == 0)
      return TRUE;
  return FALSE;
}
