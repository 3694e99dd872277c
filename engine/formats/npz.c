/* npz.c — reads and writes archives of NumPy arrays.
 *
 * Each member of the zip archive is an array in npy format; a folder with a member "format" is a
 * sparse array.  Start at hyb_npz_read() and hyb_npz_write().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npz.h"

#include "engine/base/error.h"
#include "engine/base/finding.h"
#include "engine/formats/file.h"
#include "engine/formats/mapped-file.h"
#include "engine/formats/npy.h"
#include "engine/formats/sparse.h"
#include "engine/formats/zip.h"

#include <string.h>

typedef struct
{
  HybZip        *zip;
  GHashTable    *members; /* name → index + 1 */
  HybTensorList *list;
  const char    *where;
  gsize          file_bytes;
  gsize          expanded; /* bytes of the arrays that were stored as sparse ones */
} NpzReader;

static GBytes *
read_member (NpzReader *reader, const char *name, GError **error)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (reader->members, name));

  if (index == 0)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, reader->where, NULL,
                    "a sparse array lacks its part “%s”", name);
      return NULL;
    }

  return hyb_zip_read (reader->zip, index - 1, error);
}

static HybTensor *
read_array (NpzReader *reader, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = read_member (reader, name, error);
  g_autofree char *place = g_strdup_printf ("%s: %s", reader->where, name);

  return bytes ? hyb_npy_read (bytes, place, error) : NULL;
}

/* Reads the shape of a sparse array from the array called name. */
static gboolean
read_shape (NpzReader *reader, const char *name, HybShape *shape, GError **error)
{
  g_autoptr (HybTensor) dims = read_array (reader, name, error);

  if (!dims)
    return FALSE;

  shape->rank = 0;
  for (gint64 i = 0; i < hyb_tensor_get_size (dims); i++)
    {
      gint64 dim =
          hyb_dtype_get_int (hyb_tensor_get_data (dims), hyb_tensor_get_dtype (dims), (gsize) i);

      if (dim < 0 || i == HYB_MAX_RANK)
        return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, reader->where,
                             NULL, "“%s” is not a shape", name);
      shape->dim[shape->rank++] = dim;
    }

  return TRUE;
}

static char *
part_name (const char *folder, const char *part)
{
  return g_strconcat (folder, "/", part, ".npy", NULL);
}

/* Reads the sparse array in a folder: the members data, indices, shape and, for CSR, indptr. */
static HybTensor *
read_sparse (NpzReader *reader, const char *folder, GError **error)
{
  g_autofree char *data_name = part_name (folder, "data"),
                  *shape_name = part_name (folder, "shape");
  g_autofree char *indices_name = part_name (folder, "indices");
  g_autofree char *starts_name = part_name (folder, "indptr");
  g_autoptr (HybTensor) data = read_array (reader, data_name, error);
  g_autoptr (HybTensor) indices = data ? read_array (reader, indices_name, error) : NULL;
  g_autoptr (HybTensor) starts = NULL;
  HybSparse  sparse = { .data = data,
                        .indices = indices,
                        .file_bytes = reader->file_bytes,
                        .expanded = &reader->expanded };
  HybTensor *dense;

  if (!indices || !read_shape (reader, shape_name, &sparse.type.shape, error))
    return NULL;
  if (g_hash_table_contains (reader->members, starts_name))
    {
      sparse.row_starts = starts = read_array (reader, starts_name, error);
      if (!starts)
        return NULL;
    }

  sparse.type.dtype = hyb_tensor_get_dtype (data);
  dense = hyb_sparse_to_dense (&sparse, error);
  if (!dense)
    {
      g_prefix_error (error, "%s: array “%s”: ", reader->where, folder);
      return NULL;
    }

  g_ptr_array_add (hyb_tensor_list_get_findings (reader->list),
                   hyb_finding_new ("sparse-parameter", HYB_SEVERITY_NOTE,
                                    "“%s” is stored as a sparse array and was made dense", folder));
  return dense;
}

/* The folder of a member that belongs to a sparse array; NULL for other members.  (transfer full) */
static char *
sparse_folder (NpzReader *reader, const char *name)
{
  const char      *slash = strrchr (name, '/');
  g_autofree char *folder = slash ? g_strndup (name, (gsize) (slash - name)) : NULL;
  g_autofree char *format = folder ? part_name (folder, "format") : NULL;

  if (!format || !g_hash_table_contains (reader->members, format))
    return NULL;

  return g_steal_pointer (&folder);
}

/* Reads the array that a member holds or belongs to. */
static gboolean
read_one (NpzReader *reader, const char *name, GError **error)
{
  g_autofree char *folder = sparse_folder (reader, name);
  g_autoptr (HybTensor) tensor = NULL;
  g_autofree char *plain = NULL;

  if (folder && hyb_tensor_list_has (reader->list, folder))
    return TRUE;

  tensor = folder ? read_sparse (reader, folder, error) : read_array (reader, name, error);
  if (!tensor)
    return FALSE;

  plain = g_str_has_suffix (name, ".npy") ? g_strndup (name, strlen (name) - 4) : g_strdup (name);
  hyb_tensor_list_set (reader->list, folder ? folder : plain, tensor);
  return TRUE;
}

HybTensorList *
hyb_npz_read (GBytes *bytes, const char *where, GError **error)
{
  g_autoptr (HybZip) zip = hyb_zip_open (bytes, where, error);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (GHashTable) members = g_hash_table_new (g_str_hash, g_str_equal);
  NpzReader reader = { zip, members, list, where, g_bytes_get_size (bytes) };

  if (!zip)
    return NULL;

  for (guint i = 0; i < hyb_zip_n_members (zip); i++)
    g_hash_table_insert (members, (gpointer) hyb_zip_get_name (zip, i), GUINT_TO_POINTER (i + 1));

  for (guint i = 0; i < hyb_zip_n_members (zip); i++)
    {
      const char *name = hyb_zip_get_name (zip, i);

      if (!g_str_has_suffix (name, "/") && !read_one (&reader, name, error))
        return NULL;
    }

  return g_steal_pointer (&list);
}

HybTensorList *
hyb_npz_read_file (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (path, 0, error);
  g_autoptr (HybTensorList) list = NULL;
  g_autoptr (GError) failure = NULL;

  if (!bytes)
    return NULL;
  list = hyb_npz_read (bytes, path, &failure);
  if (!hyb_mapped_file_check (g_bytes_get_data (bytes, NULL), error))
    return NULL;
  if (!list)
    g_propagate_error (error, g_steal_pointer (&failure));
  return g_steal_pointer (&list);
}

static gboolean
write_one (HybZipWriter *writer, const HybNamedTensor *entry, GError **error)
{
  HybDType dtype = hyb_tensor_get_dtype (entry->tensor);
  g_autoptr (HybTensor) tensor =
      hyb_tensor_convert (entry->tensor, dtype == HYB_BF16 ? HYB_F32 : dtype);
  g_autofree char *name = g_strconcat (entry->name, ".npy", NULL);
  g_autoptr (GBytes) head = NULL;
  g_autoptr (GBytes) data = NULL;

  if (strlen (name) >= G_MAXUINT16)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, NULL, NULL,
                         "a name of %" G_GSIZE_FORMAT " bytes does not fit into an npz file",
                         strlen (name));
  if (!tensor)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                         "not enough memory to convert “%s” to float32", entry->name);

  head = hyb_npy_make_header (hyb_tensor_get_type (tensor));
  data = g_bytes_new_static (hyb_tensor_get_data (tensor), hyb_tensor_get_bytes (tensor));
  return hyb_zip_writer_add (writer, name, head, data, error);
}

gboolean
hyb_npz_write (HybTensorList *list, GOutputStream *out, GError **error)
{
  g_autoptr (HybZipWriter) writer = hyb_zip_writer_new (out);

  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);

      if (entry->tensor && !write_one (writer, entry, error))
        return FALSE;
    }

  return hyb_zip_writer_finish (writer, error);
}

static gboolean
write_to_stream (GOutputStream *out, gpointer data, GError **error)
{
  return hyb_npz_write (data, out, error);
}

gboolean
hyb_npz_write_file (HybTensorList *list, const char *path, GError **error)
{
  return hyb_file_replace (path, write_to_stream, list, error);
}
