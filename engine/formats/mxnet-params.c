/* mxnet-params.c — reads and writes MXNet's files of named arrays (NDArray lists).
 *
 * A file is a magic number, the arrays as records of version 0 to 3 (possibly mixed), and their
 * names.  Counts and sizes are checked against the rest of the file before anything is allocated.
 * Start at hyb_ndarrays_read(), read_record() and hyb_ndarrays_write().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-params.h"

#include "engine/base/error.h"
#include "engine/formats/byte-reader.h"
#include "engine/formats/file.h"
#include "engine/formats/sniff.h"
#include "engine/formats/sparse.h"

#include <string.h>

#define LIST_MAGIC    0x112u
#define V1_MAGIC      0xf993fac8u
#define V2_MAGIC      0xf993fac9u
#define V3_MAGIC      0xf993facau
#define RECORD_BYTES  4 /* the shortest record: a rank of 0 */
#define MAX_AUXILIARY 2

typedef enum
{
  STORAGE_UNDEFINED = -1,
  STORAGE_DENSE = 0,
  STORAGE_ROW_SPARSE = 1,
  STORAGE_CSR = 2,
} Storage;

typedef struct
{
  HybByteReader  bytes;
  GBytes        *memory;
  const char    *where;
  guint64        index; /* of the current record */
  gboolean       in_record;
  gboolean       has_v2, has_v3; /* versions seen so far */
  gsize          record_at;      /* offset of the current record */
  gsize          expanded;       /* bytes of the arrays that were stored as sparse ones */
  HybTensorList *list;
  const char    *hint; /* for refuse(); NULL for the usual one */
  HybFinding   **trouble;
  GError       **error;
} ParamsReader;

static gboolean
refuse (ParamsReader *reader, const char *code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse (ParamsReader *reader, const char *code, const char *format, ...)
{
  gsize            at = reader->in_record ? reader->record_at : reader->bytes.at;
  g_autofree char *what = NULL, *message = NULL;
  va_list          list;
  const char      *hint = reader->hint ? reader->hint : "Export or download the file again";

  va_start (list, format);
  what = g_strdup_vprintf (format, list);
  va_end (list);
  message = reader->in_record ? g_strdup_printf ("array %" G_GUINT64_FORMAT " (at byte %zu): %s",
                                                 reader->index, at, what)
                              : g_strdup_printf ("at byte %zu: %s", at, what);

  if (reader->trouble)
    {
      *reader->trouble = hyb_finding_new (code, HYB_SEVERITY_ERROR, "%s", message);
      (*reader->trouble)->file = g_strdup (reader->where);
      (*reader->trouble)->offset = (gint64) at;
      (*reader->trouble)->hint = g_strdup (hint);
      (*reader->trouble)->remedy = HYB_REMEDY_PARAMETERS;
    }
  return hyb_error_at (reader->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, reader->where,
                       hint, "%s", message);
}

/* Fails with the message and the remedy of cause. */
static gboolean
refuse_with (ParamsReader *reader, const GError *cause)
{
  refuse (reader, "truncated", "%s", cause->message);
  hyb_error_copy_remedy (reader->error, cause);
  if (reader->trouble && hyb_error_get_remedy (cause) != HYB_REMEDY_NONE)
    (*reader->trouble)->remedy = hyb_error_get_remedy (cause);
  return FALSE;
}

static gboolean
refuse_end (ParamsReader *reader)
{
  return refuse (reader, "truncated", "the file ends inside it, after %" G_GSIZE_FORMAT " bytes",
                 reader->bytes.length);
}

static gboolean
read_dims (ParamsReader *reader, gint64 rank, gboolean is_wide, HybShape *shape)
{
  if (rank > HYB_MAX_RANK || rank < -1)
    return refuse (reader, "truncated",
                   "%" G_GINT64_FORMAT " dimensions are announced, at most %d are possible; the "
                   "file is damaged or no list of arrays",
                   rank, HYB_MAX_RANK);

  shape->rank = (int) rank;
  for (int i = 0; i < rank; i++)
    {
      guint32 narrow;

      if (is_wide ? !hyb_byte_reader_i64 (&reader->bytes, &shape->dim[i])
                  : !hyb_byte_reader_u32 (&reader->bytes, &narrow))
        return refuse_end (reader);
      if (!is_wide)
        shape->dim[i] = narrow;
      if (shape->dim[i] < -1)
        return refuse (reader, "truncated", "dimension %d is %" G_GINT64_FORMAT, i, shape->dim[i]);
    }

  return TRUE;
}

static gboolean
read_wide_shape (ParamsReader *reader, HybShape *shape)
{
  gint32 rank;

  if (!hyb_byte_reader_i32 (&reader->bytes, &rank))
    return refuse_end (reader);

  return read_dims (reader, rank, TRUE, shape);
}

/* Takes the elements of an array of this type; fails if the file has fewer.  (transfer full) */
static HybTensor *
take_elements (ParamsReader *reader, const HybType *type)
{
  g_autoptr (GError) failure = NULL;
  gsize         at = reader->bytes.at, size;
  const guint8 *ignored;
  HybTensor    *tensor;

  if (!hyb_shape_is_known (&type->shape))
    {
      refuse (reader, "truncated", "a part of a sparse array has no shape");
      return NULL;
    }
  if (!hyb_shape_is_plausible (&type->shape) ||
      !hyb_shape_bytes (&type->shape, type->dtype, &size, NULL) ||
      !hyb_byte_reader_take (&reader->bytes, size, &ignored))
    {
      g_autofree char *text = hyb_type_to_string (type);

      refuse (reader, "truncated",
              "%s needs more bytes than the %" G_GSIZE_FORMAT " that are left: the file was cut "
              "off or is damaged",
              text, hyb_byte_reader_left (&reader->bytes));
      return NULL;
    }

  tensor = hyb_tensor_from_bytes (reader->memory, at, type, &failure);
  if (!tensor)
    refuse_with (reader, failure);
  return tensor;
}

static gboolean
read_dtype (ParamsReader *reader, HybDType *dtype)
{
  gint32 code;

  if (!hyb_byte_reader_i32 (&reader->bytes, &code))
    return refuse_end (reader);
  if (!hyb_dtype_is_valid_code (code))
    return refuse (reader, "wrong-dtype", "element type %d is not known", code);

  *dtype = (HybDType) code;
  return TRUE;
}

/* The context (device) of the array, eight bytes, is skipped. */
static gboolean
read_context_and_dtype (ParamsReader *reader, HybDType *dtype)
{
  if (!hyb_byte_reader_skip (&reader->bytes, 8))
    return refuse_end (reader);

  return read_dtype (reader, dtype);
}

static gboolean
read_dense (ParamsReader *reader, const HybShape *shape, HybTensor **tensor)
{
  HybType type = { .shape = *shape };

  if (!read_context_and_dtype (reader, &type.dtype))
    return FALSE;

  *tensor = take_elements (reader, &type);
  return *tensor != NULL;
}

static gboolean
read_sparse (ParamsReader   *reader,
             Storage         storage,
             const HybShape *stored,
             const HybShape *shape,
             HybTensor     **tensor)
{
  guint     n_auxiliary = storage == STORAGE_CSR ? 2 : 1;
  HybType   types[MAX_AUXILIARY];
  HybSparse sparse = { .type.shape = *shape,
                       .file_bytes = reader->bytes.length,
                       .expanded = &reader->expanded };
  HybType   data_type = { .shape = *stored };
  g_autoptr (HybTensor) data = NULL;
  g_autoptr (HybTensor) first = NULL;
  g_autoptr (HybTensor) second = NULL;
  g_autoptr (GError) failure = NULL;

  if (!read_context_and_dtype (reader, &data_type.dtype))
    return FALSE;
  for (guint i = 0; i < n_auxiliary; i++)
    if (!read_dtype (reader, &types[i].dtype) || !read_wide_shape (reader, &types[i].shape))
      return FALSE;

  data = take_elements (reader, &data_type);
  first = data ? take_elements (reader, &types[0]) : NULL;
  second = first && n_auxiliary == 2 ? take_elements (reader, &types[1]) : NULL;
  if (!first || (n_auxiliary == 2 && !second))
    return FALSE;

  sparse.type.dtype = data_type.dtype;
  sparse.data = data;
  sparse.row_starts = n_auxiliary == 2 ? first : NULL;
  sparse.indices = n_auxiliary == 2 ? second : first;
  *tensor = hyb_sparse_to_dense (&sparse, &failure);
  if (!*tensor)
    return refuse_with (reader, failure);

  g_ptr_array_add (hyb_tensor_list_get_findings (reader->list),
                   hyb_finding_new ("sparse-parameter", HYB_SEVERITY_NOTE,
                                    "array %" G_GUINT64_FORMAT
                                    " is stored as a sparse array and was made dense",
                                    reader->index));
  return TRUE;
}

static gboolean
has_unknown_dim (const HybShape *shape)
{
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] < 0)
      return TRUE;
  return FALSE;
}

/* Versions 2 and 3, which may be sparse. */
static gboolean
read_modern (ParamsReader *reader, gboolean is_v3, HybTensor **tensor)
{
  gint32   storage;
  HybShape stored = HYB_SHAPE_UNKNOWN, shape;

  if (!hyb_byte_reader_i32 (&reader->bytes, &storage))
    return refuse_end (reader);
  if (storage < STORAGE_UNDEFINED || storage > STORAGE_CSR)
    return refuse (reader, "truncated", "storage type %d is not known", storage);
  if (storage > STORAGE_DENSE && !read_wide_shape (reader, &stored))
    return FALSE;
  if (!read_wide_shape (reader, &shape))
    return FALSE;

  /* The record of an empty array ends here. */
  if (shape.rank < 0 || (!is_v3 && shape.rank == 0) || (is_v3 && has_unknown_dim (&shape)))
    return TRUE;
  if (has_unknown_dim (&shape) || has_unknown_dim (&stored))
    return refuse (reader, "truncated", "a dimension is -1");
  if (storage <= STORAGE_DENSE)
    return read_dense (reader, &shape, tensor);
  if (stored.rank < 0)
    return refuse (reader, "truncated", "a sparse array has no stored shape");

  return read_sparse (reader, (Storage) storage, &stored, &shape, tensor);
}

/* Versions 0 and 1.  is_wide: dimensions have 64 bits (version 1), not 32. */
static gboolean
read_old (ParamsReader *reader, gint64 rank, gboolean is_wide, HybTensor **tensor)
{
  HybShape shape;

  if (rank < 0)
    rank = G_MAXINT32;
  if (!read_dims (reader, rank, is_wide, &shape))
    return FALSE;
  if (rank == 0)
    return TRUE;
  if (has_unknown_dim (&shape))
    return refuse (reader, "truncated", "a dimension is -1");

  return read_dense (reader, &shape, tensor);
}

static gboolean
read_record (ParamsReader *reader, HybTensor **tensor)
{
  guint32 version, rank;

  reader->record_at = reader->bytes.at;
  reader->in_record = TRUE;
  if (!hyb_byte_reader_u32 (&reader->bytes, &version))
    return refuse_end (reader);

  reader->has_v2 |= version == V2_MAGIC;
  reader->has_v3 |= version == V3_MAGIC;
  if (reader->has_v2 && reader->has_v3)
    return refuse (reader, "truncated",
                   "arrays with np shape semantics (V3) and without (V2) are in one file, which "
                   "no MXNet writes or reads: the file is damaged");
  if (version == V2_MAGIC || version == V3_MAGIC)
    return read_modern (reader, version == V3_MAGIC, tensor);
  if (version != V1_MAGIC)
    return read_old (reader, version, FALSE, tensor); /* the first number is the rank */
  if (!hyb_byte_reader_u32 (&reader->bytes, &rank))
    return refuse_end (reader);

  return read_old (reader, rank, TRUE, tensor);
}

static void
add_finding (ParamsReader *reader,
             const char   *code,
             HybSeverity   severity,
             const char   *name,
             const char   *what)
{
  HybFinding *finding = hyb_finding_new (code, severity, "array “%s”: %s", name, what);

  finding->file = g_strdup (reader->where);
  g_ptr_array_add (hyb_tensor_list_get_findings (reader->list), finding);
}

static gboolean
read_names (ParamsReader *reader, GPtrArray *tensors)
{
  guint64 n_names;

  reader->in_record = FALSE;
  if (!hyb_byte_reader_u64 (&reader->bytes, &n_names))
    return refuse_end (reader);
  if (n_names != 0 && n_names != tensors->len)
    return refuse (reader, "truncated", "there are %" G_GUINT64_FORMAT " names for %u arrays",
                   n_names, tensors->len);

  for (guint i = 0; i < tensors->len; i++)
    {
      guint64          length;
      g_autofree char *name = NULL;

      if (n_names == 0)
        name = g_strdup_printf ("%u", i);
      else if (!hyb_byte_reader_u64 (&reader->bytes, &length) ||
               !(name = hyb_byte_reader_take_name (&reader->bytes, length)))
        return refuse (reader, "truncated", "the file ends inside name %u", i);

      if (hyb_tensor_list_has (reader->list, name))
        add_finding (reader, "duplicate-parameter", HYB_SEVERITY_WARNING, name,
                     "the name occurs twice; the last array is used");
      if (!tensors->pdata[i])
        add_finding (reader, "empty-parameter", HYB_SEVERITY_NOTE, name, "it is empty");
      hyb_tensor_list_set (reader->list, name, tensors->pdata[i]);
    }

  return TRUE;
}

static void
unref_tensor (gpointer tensor)
{
  if (tensor)
    hyb_tensor_unref (tensor);
}

static gboolean
read_list (ParamsReader *reader)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func (unref_tensor);
  guint64 n;

  if (!hyb_byte_reader_skip (&reader->bytes, 16) || !hyb_byte_reader_u64 (&reader->bytes, &n))
    return refuse_end (reader);
  if (n > hyb_byte_reader_left (&reader->bytes) / RECORD_BYTES)
    return refuse (reader, "truncated",
                   "%" G_GUINT64_FORMAT " arrays are announced, but only %" G_GSIZE_FORMAT
                   " bytes follow",
                   n, hyb_byte_reader_left (&reader->bytes));

  for (reader->index = 0; reader->index < n; reader->index++)
    {
      HybTensor *tensor = NULL;

      if (!read_record (reader, &tensor))
        return FALSE;
      g_ptr_array_add (tensors, tensor);
    }

  return read_names (reader, tensors);
}

/* Fails if the file is not a list of arrays, naming its actual kind. */
static gboolean
check_looks (ParamsReader *reader)
{
  HybSniff    kind = hyb_sniff (reader->bytes.data, reader->bytes.length);
  const char *description = hyb_sniff_describe (kind, &reader->hint);

  if (kind == HYB_SNIFF_PARAMS)
    return TRUE;
  if (reader->hint)
    return refuse (reader, "bad-magic", "this is %s", description);
  if (kind == HYB_SNIFF_UNKNOWN && reader->bytes.length < 8)
    return refuse_end (reader);

  return refuse (reader, "bad-magic", "this is %s, not a list of arrays", description);
}

HybTensorList *
hyb_ndarrays_read (GBytes *bytes, const char *where, HybFinding **trouble, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  gsize         length;
  gconstpointer data = g_bytes_get_data (bytes, &length);
  ParamsReader  reader = {
     .bytes = hyb_byte_reader_make (data, length),
     .memory = bytes,
     .where = where,
     .list = list,
     .trouble = trouble,
     .error = error,
  };

  if (!check_looks (&reader) || !read_list (&reader))
    return NULL;

  return g_steal_pointer (&list);
}

static void
put_u32 (GByteArray *to, guint32 value)
{
  guint32 little = GUINT32_TO_LE (value);

  g_byte_array_append (to, (const guint8 *) &little, sizeof little);
}

static void
put_u64 (GByteArray *to, guint64 value)
{
  guint64 little = GUINT64_TO_LE (value);

  g_byte_array_append (to, (const guint8 *) &little, sizeof little);
}

static gboolean
write_bytes (GOutputStream *out, gconstpointer data, gsize n, GError **error)
{
  return n == 0 || hyb_file_write (out, data, n, error);
}

static gboolean
write_record (HybTensor *tensor, gboolean is_v3, GOutputStream *out, GError **error)
{
  g_autoptr (GByteArray) head = g_byte_array_new ();
  const HybShape *shape = tensor ? hyb_tensor_get_shape (tensor) : NULL;

  put_u32 (head, is_v3 ? V3_MAGIC : V2_MAGIC);
  put_u32 (head, STORAGE_DENSE);
  put_u32 (head, shape ? (guint32) shape->rank : is_v3 ? G_MAXUINT32 : 0);
  for (int i = 0; shape && i < shape->rank; i++)
    put_u64 (head, (guint64) shape->dim[i]);
  if (shape)
    {
      put_u32 (head, 1); /* device type CPU … */
      put_u32 (head, 0); /* … number 0 */
      put_u32 (head, (guint32) hyb_tensor_get_dtype (tensor));
    }

  return write_bytes (out, head->data, head->len, error) &&
         (!tensor ||
          write_bytes (out, hyb_tensor_get_data (tensor), hyb_tensor_get_bytes (tensor), error));
}

/* TRUE if there is an array that version 2 cannot hold: a scalar, or one without elements. */
static gboolean
needs_v3 (HybTensorList *list)
{
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      HybTensor *tensor = hyb_tensor_list_get (list, i)->tensor;

      if (tensor && (hyb_tensor_get_shape (tensor)->rank == 0 || hyb_tensor_get_size (tensor) == 0))
        return TRUE;
    }

  return FALSE;
}

gboolean
hyb_ndarrays_write (HybTensorList *list, GOutputStream *out, GError **error)
{
  g_autoptr (GByteArray) head = g_byte_array_new ();
  g_autoptr (GByteArray) names = g_byte_array_new ();
  guint    n = hyb_tensor_list_n (list);
  gboolean is_v3 = needs_v3 (list);

  put_u64 (head, LIST_MAGIC);
  put_u64 (head, 0);
  put_u64 (head, n);
  if (!write_bytes (out, head->data, head->len, error))
    return FALSE;

  put_u64 (names, n);
  for (guint i = 0; i < n; i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);

      if (!write_record (entry->tensor, is_v3, out, error))
        return FALSE;
      put_u64 (names, strlen (entry->name));
      g_byte_array_append (names, (const guint8 *) entry->name, (guint) strlen (entry->name));
    }

  return write_bytes (out, names->data, names->len, error);
}
