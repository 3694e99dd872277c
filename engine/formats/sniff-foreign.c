/* sniff-foreign.c — recognises files of other programs by more than their first bytes: zip archives
 * and pickles of PyTorch, HDF5 of Keras, safetensors, and protobuf messages.
 *
 * A kind is a row of the table tests.  Only the first and the last part of a file is searched.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/sniff-foreign.h"

#include <string.h>

#define MAX_SEARCH 65536                 /* bytes that are searched for a word */
#define MAX_HEADER ((guint64) 100000000) /* of a safetensors file, by its specification */
#define TABLE_MAGIC \
  "\x57\xfb\x80\x8b\x24\x75\x47\xdb" /* the last bytes of an index of TensorFlow */

/* TRUE if the word is near the beginning or the end. */
static gboolean
has_word (const guint8 *data, gsize length, const char *word)
{
  gsize n = MIN (length, MAX_SEARCH);

  return memmem (data, n, word, strlen (word)) ||
         memmem (data + length - n, n, word, strlen (word));
}

static gboolean
starts_with (const guint8 *data, gsize length, const char *bytes, gsize n)
{
  return length >= n && memcmp (data, bytes, n) == 0;
}

static gboolean
is_pytorch (const guint8 *data, gsize length)
{
  static const char old[] = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

  return starts_with (data, length, old, sizeof old - 1) ||
         (starts_with (data, length, "PK\3\4", 4) && has_word (data, length, "/data.pkl"));
}

static gboolean
is_keras (const guint8 *data, gsize length)
{
  if (starts_with (data, length, "PK\3\4", 4))
    return has_word (data, length, "model.weights.h5");
  return starts_with (data, length, "\x89HDF\r\n\x1a\n", 8) &&
         (has_word (data, length, "keras_version") || has_word (data, length, "layer_names"));
}

static gboolean
is_model_archive (const guint8 *data, gsize length)
{
  return starts_with (data, length, "PK\3\4", 4) && has_word (data, length, "MAR-INF/");
}

/* A length, then a header in JSON of that length. */
static gboolean
is_safetensors (const guint8 *data, gsize length)
{
  guint64 n_header = 0;

  if (length < 10)
    return FALSE;
  for (guint i = 0; i < 8; i++)
    n_header |= (guint64) data[i] << (8 * i);
  return n_header >= 2 && n_header <= MAX_HEADER && data[8] == '{' &&
         (data[9] == '"' || data[9] == '}');
}

/* Reads a protobuf number at *at; FALSE if it does not end within the data. */
static gboolean
read_number (const guint8 *data, gsize length, gsize *at, guint64 *number)
{
  *number = 0;
  for (guint shift = 0; *at < length && shift < 63; shift += 7)
    {
      guint8 byte = data[(*at)++];

      *number |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

/* Reads a field 1 with bytes at *at and moves to its contents. */
static gboolean
enter_field (const guint8 *data, gsize length, gsize *at, guint64 *size)
{
  return *at < length && data[(*at)++] == 0x0a && read_number (data, length, at, size);
}

static gboolean
is_printable (const guint8 *data, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (!g_ascii_isprint (data[i]))
      return FALSE;
  return n > 0;
}

/* A message of nodes; the first field of a node is its name, the second its operator. */
static gboolean
is_tensorflow_graph (const guint8 *data, gsize length)
{
  gsize   at = 0;
  guint64 n_node, n_name, n_type;

  if (!enter_field (data, length, &at, &n_node) || !enter_field (data, length, &at, &n_name) ||
      n_name >= length - at || !is_printable (data + at, n_name))
    return FALSE;
  at += n_name;
  return data[at++] == 0x12 && read_number (data, length, &at, &n_type) && n_type <= length - at &&
         is_printable (data + at, n_type) && g_ascii_isupper (data[at]);
}

/* A message whose schema has number 1, and then a graph. */
static gboolean
is_tensorflow_model (const guint8 *data, gsize length)
{
  return starts_with (data, length, "\x08\x01\x12", 3);
}

static gboolean
is_tensorflow_index (const guint8 *data, gsize length)
{
  return length >= 48 && memcmp (data + length - 8, TABLE_MAGIC, 8) == 0;
}

/* The name of a network, then layers of the new (field 100) or the old kind, or inputs. */
static gboolean
is_caffe (const guint8 *data, gsize length)
{
  gsize   at = 0;
  guint64 n_name;

  if (!enter_field (data, length, &at, &n_name) || n_name > 255 || n_name + 2 > length - at ||
      !is_printable (data + at, n_name))
    return FALSE;
  at += n_name;
  return (data[at] == 0xa2 && data[at + 1] == 0x06) || data[at] == 0x12 || data[at] == 0x1a;
}

/* A program, which starts with block 0 (that has the parent -1), or a pickle of parameters. */
static gboolean
is_paddle (const guint8 *data, gsize length)
{
  gsize   at = 0;
  guint64 n_block;

  if (data[0] == 0x80)
    return has_word (data, length, "StructuredToParameterName@@");
  return enter_field (data, length, &at, &n_block) && length - at > 4 &&
         memcmp (data + at, "\x08\x00\x10\xff", 4) == 0;
}

static gboolean
is_openvino (const guint8 *data, gsize length)
{
  return data[0] == '<' && has_word (data, MIN (length, 1024), "<net ") &&
         !has_word (data, MIN (length, 1024), "<html");
}

/* “< ir_version: 7, … > graph (…) => (…) { … }”, the language of onnx.parser. */
static gboolean
is_onnx_text (const guint8 *data, gsize length)
{
  return data[0] == '<' && has_word (data, MIN (length, 256), "ir_version") &&
         !has_word (data, MIN (length, 256), "<?xml");
}

static gboolean
is_textproto (const guint8 *data, gsize length)
{
  return starts_with (data, length, "ir_version:", 11);
}

static const struct
{
  HybSniff kind;
  gboolean (*test) (const guint8 *data, gsize length);
} tests[] = {
  { HYB_SNIFF_PYTORCH, is_pytorch },
  { HYB_SNIFF_KERAS, is_keras },
  { HYB_SNIFF_ARCHIVE, is_model_archive },
  { HYB_SNIFF_SAFETENSORS, is_safetensors },
  { HYB_SNIFF_TENSORFLOW_MODEL, is_tensorflow_model },
  { HYB_SNIFF_TENSORFLOW_GRAPH, is_tensorflow_graph },
  { HYB_SNIFF_PADDLE, is_paddle },
  { HYB_SNIFF_TENSORFLOW_CHECKPOINT, is_tensorflow_index },
  { HYB_SNIFF_CAFFE, is_caffe },
  { HYB_SNIFF_OPENVINO, is_openvino },
  { HYB_SNIFF_ONNX_TEXT, is_onnx_text },
  { HYB_SNIFF_TEXTPROTO, is_textproto },
};

HybSniff
hyb_sniff_foreign (const guint8 *data, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    if (tests[i].test (data, length))
      return tests[i].kind;
  return HYB_SNIFF_UNKNOWN;
}
