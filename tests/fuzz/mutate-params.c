/* mutate-params.c — changes a parameter file as a list of arrays, and writes it in any of its versions.
 *
 * Names, shapes, element types and the order of arrays change; arrays become sparse; now and then a number
 * of the file is replaced by another.  What cannot be read is changed byte by byte.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "engine/formats/mxnet-params.h"

#include <string.h>

#define LIST_MAGIC 0x112u
#define V1_MAGIC   0xf993fac8u
#define V2_MAGIC   0xf993fac9u
#define V3_MAGIC   0xf993facau
#define MAX_ARRAYS 40

typedef struct
{
  GByteArray *out;
  FuzzRandom *random;
  guint       one_lie_in; /* numbers; 0: none is replaced */
} Writer;

/* --- Writing --- */

/* A number of n bytes, sometimes another than value. */
static void
put (Writer *writer, guint64 value, guint n)
{
  guint64 little;

  if (writer->one_lie_in > 0 && fuzz_once_in (writer->random, writer->one_lie_in))
    value = fuzz_number (writer->random);
  little = GUINT64_TO_LE (value);
  g_byte_array_append (writer->out, (const guint8 *) &little, n);
}

/* n elements of any value; small numbers where they are integers. */
static void
put_elements (Writer *writer, HybDType dtype, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      guint64 aligned = 0;

      hyb_dtype_set_double (&aligned, dtype, 0, fuzz_below (writer->random, 4));
      g_byte_array_append (writer->out, (const guint8 *) &aligned, (guint) hyb_dtype_size (dtype));
    }
}

static void
put_shape (Writer *writer, const HybShape *shape, guint dim_bytes)
{
  put (writer, (guint64) shape->rank, 4);
  for (int i = 0; i < shape->rank; i++)
    put (writer, (guint64) shape->dim[i], dim_bytes);
}

static void
put_context_and_dtype (Writer *writer, HybDType dtype)
{
  put (writer, 1, 4);
  put (writer, 0, 4);
  put (writer, (guint64) dtype, 4);
}

/* A row-sparse array (rows and their ids), or a matrix in CSR form. */
static void
put_sparse (Writer *writer, const HybType *type)
{
  gboolean is_csr = type->shape.rank == 2 && fuzz_once_in (writer->random, 2);
  gint64   n = fuzz_below (writer->random, (guint) MIN (type->shape.dim[0], 4) + 1);
  HybShape stored = type->shape, auxiliary = hyb_shape_1d (n);
  HybDType id_dtype = fuzz_once_in (writer->random, 4) ? HYB_I32 : HYB_I64;
  HybShape starts = hyb_shape_1d (type->shape.dim[0] + 1);

  stored.dim[0] = n;
  if (is_csr)
    stored = hyb_shape_1d (n);
  put (writer, V2_MAGIC, 4);
  put (writer, is_csr ? 2 : 1, 4);
  put_shape (writer, &stored, 8);
  put_shape (writer, &type->shape, 8);
  put_context_and_dtype (writer, type->dtype);
  if (is_csr)
    {
      put (writer, (guint64) id_dtype, 4);
      put_shape (writer, &starts, 8);
    }
  put (writer, (guint64) id_dtype, 4);
  put_shape (writer, &auxiliary, 8);
  put_elements (writer, type->dtype, (gsize) hyb_shape_size (&stored));
  for (gint64 i = 0; is_csr && i <= type->shape.dim[0]; i++)
    put (writer, (guint64) MIN (i, n), hyb_dtype_size (id_dtype));
  for (gint64 i = 0; i < n; i++)
    put (writer, (guint64) i, hyb_dtype_size (id_dtype));
}

static void
put_array (Writer *writer, HybTensor *tensor, guint version)
{
  static const guint32 magic[] = { 0, V1_MAGIC, V2_MAGIC, V3_MAGIC };
  const HybType       *type = tensor ? hyb_tensor_get_type (tensor) : NULL;

  if (type && type->shape.rank > 0 && type->shape.dim[0] < 100 && version == 2 &&
      fuzz_once_in (writer->random, 4))
    {
      put_sparse (writer, type);
      return;
    }
  if (version > 0)
    put (writer, magic[version], 4);
  if (version > 1)
    put (writer, 0, 4);
  if (!type)
    {
      put (writer, version == 3 ? G_MAXUINT32 : 0, 4);
      return;
    }
  put_shape (writer, &type->shape, version == 0 ? 4 : 8);
  put_context_and_dtype (writer, type->dtype);
  g_byte_array_append (writer->out, hyb_tensor_get_data (tensor),
                       (guint) hyb_tensor_get_bytes (tensor));
}

static void
put_list (Writer *writer, HybTensorList *list)
{
  guint n = hyb_tensor_list_n (list), version = fuzz_below (writer->random, 4);

  put (writer, LIST_MAGIC, 8);
  put (writer, 0, 8);
  put (writer, n, 8);
  for (guint i = 0; i < n; i++)
    put_array (writer, hyb_tensor_list_get (list, i)->tensor, version);
  put (writer, n, 8);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_tensor_list_get (list, i)->name;

      put (writer, strlen (name), 8);
      g_byte_array_append (writer->out, (const guint8 *) name, (guint) strlen (name));
    }
}

/* --- Changes --- */

static HybTensor *
make_tensor (FuzzRandom *random)
{
  HybType    type = { .dtype = (HybDType) fuzz_below (random, 8),
                      .shape.rank = (int) fuzz_below (random, 5) };
  HybTensor *tensor;

  for (int i = 0; i < type.shape.rank; i++)
    type.shape.dim[i] = fuzz_below (random, 6);
  tensor = hyb_tensor_new (&type, NULL);
  for (gint64 i = 0; tensor && i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, (gsize) i,
                          fuzz_below (random, 4));
  return tensor;
}

/* The same elements as one dimension, or transposed extents. */
static HybTensor *
reshape (HybTensor *tensor, FuzzRandom *random)
{
  HybType type = *hyb_tensor_get_type (tensor);
  int     last = type.shape.rank - 1;

  if (last < 1 || fuzz_once_in (random, 2))
    type.shape = hyb_shape_1d (hyb_shape_size (&type.shape));
  else
    {
      gint64 first = type.shape.dim[0];

      type.shape.dim[0] = type.shape.dim[last];
      type.shape.dim[last] = first;
    }
  return hyb_tensor_new_view (tensor, &type, 0);
}

static char *
change_name (const char *name, FuzzRandom *random)
{
  static const char *const parts[] = { "arg:",     "aux:", "_weight", "_i_bias",
                                       "lstm_l0_", "_t3",  "\xff" };
  const char              *part = parts[fuzz_below (random, G_N_ELEMENTS (parts))];

  switch (fuzz_below (random, 4))
    {
    case 0:
      return g_strconcat (name, part, NULL);
    case 1:
      return g_strconcat (part, name, NULL);
    case 2:
      return g_strdup (strchr (name, ':') ? strchr (name, ':') + 1 : "");
    default:
      return g_strndup (name, fuzz_below (random, (guint) strlen (name) + 1));
    }
}

/* A changed list: one array changes, the others stay.  (transfer full) */
static HybTensorList *
change_list (HybTensorList *list, FuzzRandom *random)
{
  HybTensorList *to = hyb_tensor_list_new ();
  guint          n = hyb_tensor_list_n (list), chosen = n > 0 ? fuzz_below (random, n) : 0;

  for (guint i = 0; i < n; i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      g_autoptr (HybTensor) tensor = entry->tensor ? hyb_tensor_ref (entry->tensor) : NULL;
      g_autofree char *name = g_strdup (entry->name);
      guint            change = i == chosen ? fuzz_below (random, 5) : 5;

      if (change == 0)
        continue;
      if (change == 1 || change == 2)
        {
          g_free (name);
          name = change_name (entry->name, random);
        }
      if (change == 2 && n < MAX_ARRAYS) /* a copy of another name */
        hyb_tensor_list_set (to, entry->name, tensor);
      if (change == 3 && tensor)
        {
          HybTensor *other = reshape (tensor, random);

          hyb_tensor_unref (tensor);
          tensor = other;
        }
      if (change == 4)
        {
          g_clear_pointer (&tensor, hyb_tensor_unref);
          tensor = make_tensor (random);
        }
      hyb_tensor_list_set (to, name, tensor);
    }
  return to;
}

gsize
LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, unsigned seed)
{
  FuzzRandom random = seed;
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (HybTensorList) list =
      fuzz_once_in (&random, 4) ? NULL : hyb_ndarrays_read (bytes, "change", NULL, NULL);
  g_autoptr (HybTensorList) changed = NULL;
  g_autoptr (GByteArray) out = g_byte_array_new ();
  Writer writer = { .out = out, .random = &random };

  if (!list)
    return LLVMFuzzerMutate (data, size, max_size);
  changed = change_list (list, &random);
  if (fuzz_once_in (&random, 3))
    writer.one_lie_in = 5 + 8 * hyb_tensor_list_n (changed);
  put_list (&writer, changed);
  if (out->len > max_size)
    return LLVMFuzzerMutate (data, size, max_size);
  memcpy (data, out->data, out->len);
  return out->len;
}
