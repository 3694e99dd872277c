/* safetensors-format.c — reads and writes arrays as a safetensors file.
 *
 * Eight bytes with the length of a header, the header (JSON: type, shape and place of each array), the elements.  Arrays that are
 * read stay in the file's bytes where their alignment allows it.  Start at read_safetensors() and write_safetensors().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/byte-reader.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/json-reader.h"
#include "engine/formats/json-text.h"

#include <string.h>

#define ALIGNMENT 8
/* The only key of the header that names no array. */
#define METADATA "__metadata__"

/* The specification's limit; an entry has two levels below the header. */
static const HybJsonLimits header_limits = {
  .size = 100000000,
  .depth = 8,
  .count = 1u << 24,
};

static const char *const type_names[HYB_N_DTYPES] = {
  [HYB_F32] = "F32", [HYB_F64] = "F64", [HYB_F16] = "F16",   [HYB_BF16] = "BF16", [HYB_U8] = "U8",
  [HYB_I8] = "I8",   [HYB_I16] = "I16", [HYB_U16] = "U16",   [HYB_I32] = "I32",   [HYB_U32] = "U32",
  [HYB_I64] = "I64", [HYB_U64] = "U64", [HYB_BOOL] = "BOOL",
};

/* --- Reading --- */

typedef struct
{
  gsize       begin, end; /* within the elements */
  const char *name;
} Place;

typedef struct
{
  const char    *where;
  GBytes        *bytes;
  gsize          elements, n_elements; /* where they begin in the file, and their bytes */
  const HybJson *header;
  HybTensorList *list;
  GArray        *places; /* of Place */
  HybFinding   **trouble;
  GError       **error;
} Reader;

/* Fails with the message of cause (transfer full). */
static gboolean
fail (Reader *reader, const char *code, GError *cause)
{
  if (reader->trouble)
    {
      *reader->trouble = hyb_finding_new (code, HYB_SEVERITY_ERROR, "%s", cause->message);
      (*reader->trouble)->file = g_strdup (reader->where);
      (*reader->trouble)->remedy = hyb_error_get_remedy (cause);
    }
  g_propagate_prefixed_error (reader->error, cause, "%s: ", reader->where);
  return FALSE;
}

static gboolean
refuse (Reader *reader, const char *code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse (Reader *reader, const char *code, const char *format, ...)
{
  GError          *cause = NULL;
  g_autofree char *what = NULL;
  va_list          list;

  va_start (list, format);
  what = g_strdup_vprintf (format, list);
  va_end (list);
  hyb_error_at (&cause, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, NULL,
                "Write or download the file again", "%s", what);
  hyb_error_add_remedy (&cause, HYB_REMEDY_PARAMETERS, NULL);
  return fail (reader, code, cause);
}

/* An array that is named, and not read. */
static gboolean
leave_out (Reader *reader, const char *name, const char *why)
{
  HybFinding *finding =
      hyb_finding_new ("array-not-read", HYB_SEVERITY_WARNING, "“%s” is left out: %s", name, why);

  g_ptr_array_add (hyb_tensor_list_get_findings (reader->list), finding);
  hyb_tensor_list_set (reader->list, name, NULL);
  return TRUE;
}

static HybDType
find_type (const char *name)
{
  for (HybDType dtype = 0; dtype < HYB_N_DTYPES; dtype++)
    if (g_strcmp0 (type_names[dtype], name) == 0)
      return dtype;
  return HYB_DTYPE_UNKNOWN;
}

/* The numbers of a list.  FALSE if one is not a number from 0 on, or if there are more than n. */
static gboolean
read_numbers (const Reader *reader, HybJsonRef list, gint64 *numbers, int *n)
{
  HybJsonIter iter = hyb_json_iter (reader->header, list);
  int         room = *n;
  HybJsonRef  value;

  *n = 0;
  while (hyb_json_iter_next (&iter, NULL, &value))
    if (*n == room || !hyb_json_get_int (reader->header, value, &numbers[*n]) ||
        numbers[(*n)++] < 0)
      return FALSE;
  return hyb_json_get_kind (reader->header, list) == HYB_JSON_ARRAY;
}

/* The bytes of an array, which must lie within the file and match its type and shape. */
static gboolean
check_place (Reader *reader, const char *name, HybJsonRef entry, const HybType *type)
{
  HybJsonRef offsets = hyb_json_find (reader->header, entry, "data_offsets");
  gint64     ends[2];
  int        n = 2;
  gsize      size;
  Place      place = { .name = name };

  if (offsets == HYB_JSON_NONE || !read_numbers (reader, offsets, ends, &n) || n != 2 ||
      ends[0] > ends[1])
    return refuse (reader, "bad-json", "“%s” has no data_offsets of two ascending numbers", name);
  if (!hyb_shape_is_plausible (&type->shape) ||
      !hyb_shape_bytes (&type->shape, type->dtype, &size, NULL))
    return refuse (reader, "bad-json", "the shape of “%s” would not fit any memory", name);
  place.begin = (gsize) ends[0];
  place.end = (gsize) ends[1];
  if (place.end - place.begin != size)
    return refuse (reader, "bad-json",
                   "“%s” has %" G_GSIZE_FORMAT " bytes, but its shape needs %" G_GSIZE_FORMAT, name,
                   place.end - place.begin, size);
  if (place.end > reader->n_elements)
    return refuse (reader, "truncated",
                   "“%s” ends at byte %" G_GSIZE_FORMAT
                   " of the elements, and there are %" G_GSIZE_FORMAT ": the file was cut off",
                   name, place.end, reader->n_elements);
  g_array_append_val (reader->places, place);
  return TRUE;
}

static gboolean
read_entry (Reader *reader, const char *name, HybJsonRef entry)
{
  HybJsonRef  shape = hyb_json_find (reader->header, entry, "shape");
  HybJsonRef  dtype = hyb_json_find (reader->header, entry, "dtype");
  const char *type_name =
      dtype == HYB_JSON_NONE ? NULL : hyb_json_get_string (reader->header, dtype);
  HybType type = { .shape.rank = HYB_MAX_RANK, .dtype = find_type (type_name) };
  g_autoptr (HybTensor) tensor = NULL;
  GError *cause = NULL;

  if (!type_name || shape == HYB_JSON_NONE)
    return refuse (reader, "bad-json", "“%s” lacks its dtype or its shape", name);
  if (hyb_json_get_length (reader->header, shape) > HYB_MAX_RANK)
    return leave_out (reader, name, "it has more dimensions than this program computes with");
  if (!read_numbers (reader, shape, type.shape.dim, &type.shape.rank))
    return refuse (reader, "bad-json", "the shape of “%s” is not a list of sizes", name);
  if (type.dtype == HYB_DTYPE_UNKNOWN)
    {
      g_autofree char *why = g_strdup_printf ("this program does not support %s", type_name);

      return leave_out (reader, name, why);
    }
  if (!check_place (reader, name, entry, &type))
    return FALSE;
  tensor = hyb_tensor_from_bytes (reader->bytes,
                                  reader->elements +
                                      g_array_index (reader->places, Place, reader->places->len - 1)
                                          .begin,
                                  &type, &cause);
  if (!tensor)
    return fail (reader, "truncated", cause);
  hyb_tensor_list_set (reader->list, name, tensor);
  return TRUE;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *first = a, *second = b;

  if (first->begin != second->begin)
    return first->begin < second->begin ? -1 : 1;
  return first->end < second->end ? -1 : first->end > second->end;
}

/* The specification forbids arrays that share bytes. */
static gboolean
check_overlaps (Reader *reader)
{
  g_array_sort (reader->places, compare_places);
  for (guint i = 1; i < reader->places->len; i++)
    {
      const Place *before = &g_array_index (reader->places, Place, i - 1);
      const Place *place = &g_array_index (reader->places, Place, i);

      if (place->begin < before->end)
        return refuse (reader, "bad-json", "“%s” and “%s” share bytes", before->name, place->name);
    }
  return TRUE;
}

static gboolean
read_entries (Reader *reader)
{
  HybJsonIter iter = hyb_json_iter (reader->header, 0);
  const char *name;
  HybJsonRef  entry;

  while (hyb_json_iter_next (&iter, &name, &entry))
    if (strcmp (name, METADATA) != 0 && !read_entry (reader, name, entry))
      return FALSE;
  return check_overlaps (reader);
}

static HybTensorList *
read_safetensors (GBytes *bytes, const char *where, HybFinding **trouble, GError **error)
{
  gsize         length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  HybByteReader head = hyb_byte_reader_make (data, length);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autoptr (GBytes) text = NULL;
  g_autoptr (HybJson) header = NULL;
  g_autoptr (GError) failure = NULL;
  Reader         reader = { .where = where,
                            .bytes = bytes,
                            .list = list,
                            .places = places,
                            .trouble = trouble,
                            .error = error };
  HybJsonTrouble ignored;
  guint64        n_header;

  if (!hyb_byte_reader_u64 (&head, &n_header) || n_header > hyb_byte_reader_left (&head))
    {
      refuse (&reader, "truncated",
              "the header of this safetensors file is longer than the file: it was cut off");
      return NULL;
    }
  reader.elements = head.at + (gsize) n_header;
  reader.n_elements = length - reader.elements;
  text = g_bytes_new_from_bytes (bytes, head.at, (gsize) n_header);
  reader.header = header = hyb_json_parse (text, &header_limits, "the header", &ignored, &failure);
  if (!header)
    refuse (&reader, "bad-json", "%s", failure->message);
  else if (hyb_json_get_kind (header, 0) != HYB_JSON_OBJECT)
    refuse (&reader, "bad-json", "the header is %s",
            hyb_json_kind_name (hyb_json_get_kind (header, 0)));
  else if (read_entries (&reader))
    return g_steal_pointer (&list);
  return NULL;
}

/* --- Writing --- */

static void
append_entry (GString *header, const HybNamedTensor *entry, gsize offset)
{
  const HybShape *shape = hyb_tensor_get_shape (entry->tensor);

  hyb_json_append_string (header, entry->name);
  g_string_append_printf (header, ":{\"dtype\":\"%s\",\"shape\":[",
                          type_names[hyb_tensor_get_dtype (entry->tensor)]);
  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (header, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", shape->dim[i]);
  g_string_append_printf (header, "],\"data_offsets\":[%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT "]}",
                          offset, offset + hyb_tensor_get_bytes (entry->tensor));
}

static gboolean
write_safetensors (HybTensorList *list, GOutputStream *out, GError **error)
{
  g_autoptr (GString) header = g_string_new ("{");
  gsize   offset = 0;
  guint64 length;

  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);

      if (!entry->tensor)
        continue;
      if (header->len > 1)
        g_string_append_c (header, ',');
      append_entry (header, entry, offset);
      offset += hyb_tensor_get_bytes (entry->tensor);
    }
  g_string_append_c (header, '}');
  while (header->len % ALIGNMENT != 0)
    g_string_append_c (header, ' ');

  length = GUINT64_TO_LE ((guint64) header->len);
  if (!hyb_file_write (out, &length, sizeof length, error) ||
      !hyb_file_write (out, header->str, header->len, error))
    return FALSE;
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      HybTensor *tensor = hyb_tensor_list_get (list, i)->tensor;
      gsize      n = tensor ? hyb_tensor_get_bytes (tensor) : 0;

      if (n > 0 && !hyb_file_write (out, hyb_tensor_get_data (tensor), n, error))
        return FALSE;
    }
  return TRUE;
}

const HybFormat hyb_format_safetensors = {
  .id = "safetensors",
  .patterns = (const char *[]){ "*.safetensors", NULL },
  .sniff = HYB_SNIFF_SAFETENSORS,
  .read_weights = read_safetensors,
  .write_weights = write_safetensors,
};
