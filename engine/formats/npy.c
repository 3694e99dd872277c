/* npy.c — reads NumPy arrays and makes their headers.
 *
 * The header is a Python dictionary, of which three keys are used: descr, fortran_order, shape.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npy.h"

#include "engine/base/error.h"
#include "engine/formats/byte-reader.h"
#include "engine/formats/tensor-list.h"

#include <string.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6
#define MAX_HEADER  ((gsize) 1 << 20)

static const struct
{
  const char *letters; /* of "descr": kind and size, without the byte order */
  HybDType    dtype;
} descriptions[] = {
  { "f4", HYB_F32 }, { "f8", HYB_F64 }, { "f2", HYB_F16 },  { "u1", HYB_U8 },   { "i4", HYB_I32 },
  { "i1", HYB_I8 },  { "i8", HYB_I64 }, { "b1", HYB_BOOL }, { "?", HYB_BOOL },  { "i2", HYB_I16 },
  { "u2", HYB_U16 }, { "u4", HYB_U32 }, { "u8", HYB_U64 },  { "b2", HYB_BF16 },
};

typedef struct
{
  HybType  type;
  gboolean is_big_endian, is_fortran;
} Header;

static gboolean
refuse (const char *where, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse (const char *where, GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list          list;

  va_start (list, format);
  what = g_strdup_vprintf (format, list);
  va_end (list);
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, where, NULL, "%s",
                       what);
}

/* The text after "'key':" and white space; NULL if the header lacks the key. */
static const char *
find_value (const char *header, const char *key)
{
  const char *quotes[] = { "'", "\"" };

  for (guint i = 0; i < G_N_ELEMENTS (quotes); i++)
    {
      g_autofree char *quoted = g_strconcat (quotes[i], key, quotes[i], NULL);
      const char      *found = strstr (header, quoted);

      if (!found)
        continue;
      found += strlen (quoted);
      found += strspn (found, " \t");
      if (*found == ':')
        return found + 1 + strspn (found + 1, " \t");
    }

  return NULL;
}

/* Reads the element type. */
static gboolean
read_description (const char *text, Header *header, const char *where, GError **error)
{
  char             quote = text ? *text : '\0';
  const char      *end = quote == '\'' || quote == '"' ? strchr (text + 1, quote) : NULL;
  g_autofree char *letters = NULL;
  const char      *plain;

  if (!end)
    return refuse (where, error,
                   "the array holds records, or its header names no element type; arrays of "
                   "numbers can be read");

  letters = g_strndup (text + 1, (gsize) (end - text - 1));
  plain = letters + (strchr ("<>=|", letters[0]) && letters[0] ? 1 : 0);
  header->is_big_endian = letters[0] == '>';
  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++)
    if (strcmp (plain, descriptions[i].letters) == 0)
      {
        header->type.dtype = descriptions[i].dtype;
        return TRUE;
      }

  return refuse (where, error,
                 "elements of type “%s” are not numbers that can be read; convert the array to "
                 "float32 or another plain type",
                 letters);
}

static gboolean
read_shape (const char *text, Header *header, const char *where, GError **error)
{
  HybShape *shape = &header->type.shape;
  char     *end;

  if (!text || *text != '(')
    return refuse (where, error, "the header has no shape");

  shape->rank = 0;
  for (text++;;)
    {
      guint64 dim;

      text += strspn (text, " ,");
      if (*text == ')')
        return TRUE;
      if (shape->rank == HYB_MAX_RANK)
        return refuse (where, error, "the array has more than %d dimensions", HYB_MAX_RANK);

      dim = g_ascii_strtoull (text, &end, 10);
      if (end == text || *text == '-' || dim > G_MAXINT64)
        return refuse (where, error, "the shape in the header cannot be read");
      shape->dim[shape->rank++] = (gint64) dim;
      text = *end == 'L' ? end + 1 : end;
    }
}

/* Reads the text of the header and moves to the first element. */
static gboolean
read_header_text (HybByteReader *reader, char **text)
{
  const guint8 *magic, *data;
  guint8        version, minor;
  guint16       short_length;
  guint32       length;

  if (!hyb_byte_reader_take (reader, MAGIC_BYTES, &magic) ||
      memcmp (magic, MAGIC, MAGIC_BYTES) != 0 || !hyb_byte_reader_u8 (reader, &version) ||
      !hyb_byte_reader_u8 (reader, &minor) || version < 1 || version > 3)
    return FALSE;

  if (version == 1)
    {
      if (!hyb_byte_reader_u16 (reader, &short_length))
        return FALSE;
      length = short_length;
    }
  else if (!hyb_byte_reader_u32 (reader, &length))
    return FALSE;

  if (length > MAX_HEADER || !hyb_byte_reader_take (reader, length, &data))
    return FALSE;

  *text = g_strndup ((const char *) data, length);
  return TRUE;
}

/* Copies elements from Fortran order into C order. */
static void
transpose (const HybType *type, const guint8 *from, guint8 *to)
{
  const HybShape *shape = &type->shape;
  gsize           size = hyb_dtype_size (type->dtype);
  gint64          n = hyb_shape_size (shape);
  gint64          stride[HYB_MAX_RANK], index[HYB_MAX_RANK] = { 0 };
  gint64          at = 0;

  for (int i = 0; i < shape->rank; i++)
    stride[i] = i == 0 ? 1 : stride[i - 1] * shape->dim[i - 1];

  for (gint64 i = 0; i < n; i++)
    {
      memcpy (to + (gsize) i * size, from + (gsize) at * size, size);
      for (int axis = shape->rank - 1; axis >= 0; axis--)
        {
          at += stride[axis];
          if (++index[axis] < shape->dim[axis])
            break;
          at -= stride[axis] * shape->dim[axis];
          index[axis] = 0;
        }
    }
}

static void
swap_bytes (guint8 *data, gsize n, gsize size)
{
  for (gsize i = 0; i < n; i++)
    for (gsize low = 0, high = size - 1; low < high; low++, high--)
      {
        guint8 byte = data[i * size + low];

        data[i * size + low] = data[i * size + high];
        data[i * size + high] = byte;
      }
}

static HybTensor *
read_elements (GBytes *bytes, gsize at, const Header *header, GError **error)
{
  g_autoptr (HybTensor) tensor = NULL;
  const guint8 *data = (const guint8 *) g_bytes_get_data (bytes, NULL) + at;

  if (!header->is_fortran && !header->is_big_endian)
    return hyb_tensor_from_bytes (bytes, at, &header->type, error);

  tensor = hyb_tensor_new (&header->type, error);
  if (!tensor)
    return NULL;

  if (header->is_fortran)
    transpose (&header->type, data, hyb_tensor_get_data (tensor));
  else
    memcpy (hyb_tensor_get_data (tensor), data, hyb_tensor_get_bytes (tensor));
  if (header->is_big_endian)
    swap_bytes (hyb_tensor_get_data (tensor), (gsize) hyb_tensor_get_size (tensor),
                hyb_dtype_size (header->type.dtype));

  return g_steal_pointer (&tensor);
}

HybTensor *
hyb_npy_read (GBytes *bytes, const char *where, GError **error)
{
  gsize            length, size;
  gconstpointer    data = g_bytes_get_data (bytes, &length);
  HybByteReader    reader = hyb_byte_reader_make (data, length);
  g_autofree char *text = NULL;
  Header           header = { .type = HYB_TYPE_UNKNOWN };
  const char      *order;

  if (!read_header_text (&reader, &text))
    {
      refuse (where, error, "this is not a NumPy array, or it was cut off");
      return NULL;
    }

  order = find_value (text, "fortran_order");
  header.is_fortran = order && g_str_has_prefix (order, "True");
  if (!read_description (find_value (text, "descr"), &header, where, error) ||
      !read_shape (find_value (text, "shape"), &header, where, error))
    return NULL;
  if (!hyb_shape_is_plausible (&header.type.shape) ||
      !hyb_shape_bytes (&header.type.shape, header.type.dtype, &size, NULL))
    {
      refuse (where, error, "the shape in the header would not fit any memory");
      return NULL;
    }
  if (size > hyb_byte_reader_left (&reader))
    {
      refuse (where, error,
              "the array should have %" G_GSIZE_FORMAT " bytes but %" G_GSIZE_FORMAT
              " are there: it was cut off",
              size, hyb_byte_reader_left (&reader));
      return NULL;
    }

  return read_elements (bytes, reader.at, &header, error);
}

static const char *
describe (HybDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++)
    if (descriptions[i].dtype == dtype)
      return descriptions[i].letters;

  g_return_val_if_reached ("f4");
}

GBytes *
hyb_npy_make_header (const HybType *type)
{
  GString *text = g_string_new (NULL);
  gsize    n_text;
  guint16  length;

  g_string_append_printf (text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                          hyb_dtype_size (type->dtype) == 1 ? '|' : '<', describe (type->dtype));
  for (int i = 0; i < type->shape.rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT "%s", i > 0 ? " " : "", type->shape.dim[i],
                            i + 1 < type->shape.rank || i == 0 ? "," : "");
  g_string_append (text, "), }");

  /* With the ten bytes before the text and the line break after it, a multiple of 64. */
  while ((text->len + 11) % 64 != 0)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');

  n_text = text->len;
  length = GUINT16_TO_LE ((guint16) n_text);
  g_string_prepend_len (text, (const char *) &length, 2);
  g_string_prepend_len (text, MAGIC "\1\0", MAGIC_BYTES + 2);
  return g_string_free_to_bytes (text);
}
