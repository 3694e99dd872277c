/* tensor.c — tensors: reference-counted, aligned memory with a type.
 *
 * hyb_tensor_new() allocates a tensor and its data in one block; wrapped tensors and views point to
 * data of an owner.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/tensor/tensor.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__ /* gcc */
#define HAS_ADDRESS_SANITIZER
#elif defined __has_feature /* clang */
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#endif

#define SMALL_BYTES (1 << 20) /* arrays of up to this size are allowed whatever the limit */

struct _HybTensor
{
  gatomicrefcount references;
  HybType         type;
  gpointer        data;
  gsize           bytes;
  gpointer        owner; /* passed to destroy when the tensor is freed */
  GDestroyNotify  destroy;
};

static HybTensor *
tensor_make (const HybType *type, gpointer data, gsize bytes)
{
  HybTensor *tensor = g_new0 (HybTensor, 1);

  g_atomic_ref_count_init (&tensor->references);
  tensor->type = *type;
  tensor->data = data;
  tensor->bytes = bytes;
  return tensor;
}

/* Allocates a tensor and its data in one block, because two allocations cost more than the
 * computation of a small tensor.  Returns NULL if memory is short. */
static HybTensor *
tensor_allocate (const HybType *type, gsize bytes)
{
#ifdef HAS_ADDRESS_SANITIZER
  /* AddressSanitizer detects writes beyond the last element only if the data is a block of its
   * own. */
  gpointer   data = NULL;
  HybTensor *tensor;

  if (posix_memalign (&data, HYB_ALIGNMENT, MAX (bytes, 1)) != 0)
    return NULL;
  tensor = tensor_make (type, data, bytes);
  tensor->owner = data;
  tensor->destroy = free;
  return tensor;
#else
  /* A whole number of lines, so that kernels may read past the last element. */
  gsize      lines = MAX ((bytes + HYB_ALIGNMENT - 1) / HYB_ALIGNMENT, 1);
  HybTensor *tensor = NULL;
  guintptr   address;

  if (lines < G_MAXSIZE / HYB_ALIGNMENT - 8)
    tensor = malloc (sizeof (HybTensor) + (lines + 1) * HYB_ALIGNMENT);
  if (!tensor)
    return NULL;

  address = (guintptr) (tensor + 1) + HYB_ALIGNMENT - 1;
  g_atomic_ref_count_init (&tensor->references);
  tensor->type = *type;
  tensor->data = (gpointer) (address - address % HYB_ALIGNMENT);
  tensor->bytes = bytes;
  tensor->owner = NULL;
  tensor->destroy = NULL;
  return tensor;
#endif
}

/* FALSE and an error if an array is larger than the memory that a run may have.  Small arrays
 * skip the check, because reading the limit may need a system call. */
static gboolean
check_limit (gsize bytes, GError **error)
{
  guint64 limit = bytes > SMALL_BYTES ? hyb_limits_get_run_memory () : G_MAXUINT64;

  if (bytes <= limit)
    return TRUE;
  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                "an array of %.4g MiB exceeds the %.4g MiB available", (double) bytes / (1 << 20),
                (double) limit / (1 << 20));
  return hyb_error_add_remedy (error, HYB_REMEDY_SMALLER, NULL);
}

HybTensor *
hyb_tensor_new (const HybType *type, GError **error)
{
  HybTensor *tensor;
  gsize      bytes;

  g_return_val_if_fail (type, NULL);
  if (!hyb_shape_bytes (&type->shape, type->dtype, &bytes, error) || !check_limit (bytes, error))
    return NULL;

  tensor = tensor_allocate (type, bytes);
  if (!tensor)
    hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                  "out of memory for an array of %" G_GSIZE_FORMAT " bytes", bytes);
  return tensor;
}

HybTensor *
hyb_tensor_new_zeros (const HybType *type, GError **error)
{
  g_return_val_if_fail (type, NULL);

  HybTensor *tensor = hyb_tensor_new (type, error);

  if (tensor)
    memset (tensor->data, 0, tensor->bytes);
  return tensor;
}

HybTensor *
hyb_tensor_new_wrapped (const HybType *type, gpointer data, gpointer owner, GDestroyNotify destroy)
{
  g_return_val_if_fail (type, NULL);

  HybTensor *tensor = tensor_make (type, data, hyb_type_bytes (type));

  tensor->owner = owner;
  tensor->destroy = destroy;
  return tensor;
}

HybTensor *
hyb_tensor_new_view (HybTensor *parent, const HybType *type, gsize offset)
{
  g_return_val_if_fail (parent && type, NULL);
  g_return_val_if_fail (offset + hyb_type_bytes (type) <= parent->bytes, NULL);

  return hyb_tensor_new_wrapped (type, (char *) parent->data + offset, hyb_tensor_ref (parent),
                                 (GDestroyNotify) hyb_tensor_unref);
}

HybTensor *
hyb_tensor_copy (HybTensor *tensor)
{
  g_return_val_if_fail (tensor, NULL);

  HybTensor *copy = hyb_tensor_new (&tensor->type, NULL);

  if (copy && tensor->bytes > 0)
    memcpy (copy->data, tensor->data, tensor->bytes);
  return copy;
}

HybTensor *
hyb_tensor_convert (HybTensor *tensor, HybDType dtype)
{
  g_return_val_if_fail (tensor, NULL);

  HybType    type = { tensor->type.shape, dtype };
  HybTensor *converted;

  if (tensor->type.dtype == dtype)
    return hyb_tensor_ref (tensor);

  converted = hyb_tensor_new (&type, NULL);
  if (converted)
    hyb_dtype_convert (converted->data, dtype, tensor->data, tensor->type.dtype,
                       (gsize) hyb_tensor_get_size (tensor));
  return converted;
}

HybTensor *
hyb_tensor_new_float (int rank, const gint64 *dims, const float *values)
{
  HybType    type = { hyb_shape_make (rank, dims), HYB_F32 };
  HybTensor *tensor = values ? hyb_tensor_new (&type, NULL) : hyb_tensor_new_zeros (&type, NULL);

  if (tensor && values)
    memcpy (tensor->data, values, tensor->bytes);
  return tensor;
}

HybTensor *
hyb_tensor_new_scalar (double value)
{
  float  single = (float) value;
  gint64 one = 1;

  return hyb_tensor_new_float (1, &one, &single);
}

HybTensor *
hyb_tensor_ref (HybTensor *tensor)
{
  g_return_val_if_fail (tensor, NULL);
  g_atomic_ref_count_inc (&tensor->references);
  return tensor;
}

void
hyb_tensor_unref (HybTensor *tensor)
{
  if (!tensor || !g_atomic_ref_count_dec (&tensor->references))
    return;
  if (tensor->destroy)
    tensor->destroy (tensor->owner);
  g_free (tensor);
}

const HybType *
hyb_tensor_get_type (const HybTensor *tensor)
{
  static const HybType unknown = { .shape.rank = HYB_UNKNOWN, .dtype = HYB_DTYPE_UNKNOWN };

  return tensor ? &tensor->type : &unknown;
}

const HybShape *
hyb_tensor_get_shape (const HybTensor *tensor)
{
  return &hyb_tensor_get_type (tensor)->shape;
}

HybDType
hyb_tensor_get_dtype (const HybTensor *tensor)
{
  return hyb_tensor_get_type (tensor)->dtype;
}

gpointer
hyb_tensor_get_data (const HybTensor *tensor)
{
  return tensor ? tensor->data : NULL;
}

gsize
hyb_tensor_get_bytes (const HybTensor *tensor)
{
  return tensor ? tensor->bytes : 0;
}

gint64
hyb_tensor_get_size (const HybTensor *tensor)
{
  if (!tensor)
    return 0;
  return hyb_shape_count (&tensor->type.shape, 0, tensor->type.shape.rank);
}

double
hyb_tensor_get_value (const HybTensor *tensor, gint64 index)
{
  if (!tensor || index < 0 || (gsize) index >= tensor->bytes / hyb_dtype_size (tensor->type.dtype))
    return NAN;
  return hyb_dtype_get_double (tensor->data, tensor->type.dtype, (gsize) index);
}

gint64
hyb_tensor_get_values (const HybTensor *tensor, gint64 first, gint64 max, double *values)
{
  gint64 n = MIN (max, hyb_tensor_get_size (tensor) - first);

  if (n > 0)
    hyb_dtype_get_doubles (tensor->data, tensor->type.dtype, (gsize) first, (gsize) n, values);
  return MAX (n, 0);
}

/* Elements that are converted at a time. */
#define BLOCK 256

void
hyb_tensor_statistics (const HybTensor *tensor, HybStatistics *statistics)
{
  gint64 n = 0, n_read;
  double sum = 0, squares = 0, values[BLOCK];

  g_return_if_fail (statistics);
  *statistics = (HybStatistics){ .minimum = INFINITY, .maximum = -INFINITY };
  for (gint64 i = 0; (n_read = hyb_tensor_get_values (tensor, i, BLOCK, values)) > 0; i += n_read)
    for (gint64 k = 0; k < n_read; k++)
      {
        double x = values[k];

        if (isnan (x))
          statistics->n_nan++;
        else if (isinf (x))
          statistics->n_infinite++;
        else
          {
            n++;
            sum += x;
            statistics->minimum = MIN (statistics->minimum, x);
            statistics->maximum = MAX (statistics->maximum, x);
          }
      }
  if (n == 0)
    {
      statistics->minimum = statistics->maximum = statistics->mean = statistics->deviation = NAN;
      return;
    }

  /* A second pass around the mean, because Σ x² − n mean² would cancel. */
  statistics->mean = sum / (double) n;
  for (gint64 i = 0; (n_read = hyb_tensor_get_values (tensor, i, BLOCK, values)) > 0; i += n_read)
    for (gint64 k = 0; k < n_read; k++)
      {
        double x = values[k] - statistics->mean;

        if (isfinite (x))
          squares += x * x;
      }
  statistics->deviation = sqrt (squares / (double) n);
}
