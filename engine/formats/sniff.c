/* sniff.c — a table of the first bytes of files, with a description and a hint for users who
 * expected another kind of file.
 *
 * Start at hyb_sniff().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/sniff.h"

#include <string.h>

typedef struct
{
  HybSniff    kind;
  guint       length;
  const char *bytes; /* NULL: hyb_sniff() recognises this kind in another way */
  const char *description;
  const char *hint;
} Signature;

static const Signature signatures[] = {
  { HYB_SNIFF_PARAMS, 8, "\x12\x01\0\0\0\0\0\0", "a parameter file of MXNet", NULL },
  { HYB_SNIFF_ZIP, 4, "PK\3\4", "a zip archive (npz?)", NULL },
  { HYB_SNIFF_ZIP, 4, "PK\5\6", "an empty zip archive (npz?)", NULL },
  { HYB_SNIFF_NPY, 6, "\x93NUMPY", "a single NumPy array", NULL },
  { HYB_SNIFF_GZIP, 2, "\x1f\x8b", "gzip-compressed data", NULL },
  { HYB_SNIFF_LFS_POINTER,
    23,
    "version https://git-lfs",
    "a git-lfs pointer, not the file itself",
    "Fetch the file with “git lfs pull”" },
  { HYB_SNIFF_HDF5, 8, "\x89HDF\r\n\x1a\n", "a HDF5 file", "Export the model from MXNet" },
  { HYB_SNIFF_UTF16, 2, "\xff\xfe", "text in UTF-16", "Save it again as UTF-8" },
  { HYB_SNIFF_UTF16, 2, "\xfe\xff", "text in UTF-16", "Save it again as UTF-8" },
  { HYB_SNIFF_PICKLE,
    1,
    "\x80",
    "a Python pickle (optimizer states?)",
    "Pickles run code when they are read; save parameters with MXNet’s own functions instead" },
  { HYB_SNIFF_EMPTY, 0, NULL, "an empty file", "Export or download it again" },
  { HYB_SNIFF_HTML,
    0,
    NULL,
    "a web page",
    "The download fetched a page instead of the file; download it again" },
  { HYB_SNIFF_PROTOBUF,
    0,
    NULL,
    "a protobuf file, probably ONNX",
    "Export the model from MXNet as symbol and parameters" },
  { HYB_SNIFF_JSON, 0, NULL, "JSON text", NULL },
  { HYB_SNIFF_CAPTURE, 0, NULL, "a capture", NULL },
  { HYB_SNIFF_UNKNOWN, 0, NULL, "data of no known kind", NULL },
};

/* The position after a byte order mark and white space. */
static gsize
skip_space (const guint8 *data, gsize length)
{
  gsize at = length >= 3 && memcmp (data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

  while (at < length && g_ascii_isspace (data[at]))
    at++;
  return at;
}

/* ONNX starts with field 1 (ir_version, a small varint), followed by field 2 (producer), 3, 4, 5, 7
 * (graph) or 8 (operator sets), which are all length-delimited. */
static gboolean
looks_like_protobuf (const guint8 *data, gsize length)
{
  return length > 3 && data[0] == 0x08 && data[1] < 0x20 && (data[2] & 7) == 2 && data[2] >= 0x12 &&
         data[2] <= 0x42;
}

HybSniff
hyb_sniff (gconstpointer memory, gsize length)
{
  const guint8 *data = memory;
  gsize         start;

  if (length == 0)
    return HYB_SNIFF_EMPTY;

  for (guint i = 0; i < G_N_ELEMENTS (signatures) && signatures[i].bytes; i++)
    if (length >= signatures[i].length &&
        memcmp (data, signatures[i].bytes, signatures[i].length) == 0)
      return signatures[i].kind;

  start = skip_space (data, length);
  if (start < length && (data[start] == '{' || data[start] == '['))
    return HYB_SNIFF_JSON;
  if (start < length && data[start] == '<')
    return HYB_SNIFF_HTML;
  if (looks_like_protobuf (data, length))
    return HYB_SNIFF_PROTOBUF;

  return HYB_SNIFF_UNKNOWN;
}

const char *
hyb_sniff_describe (HybSniff kind, const char **hint)
{
  for (guint i = 0; i < G_N_ELEMENTS (signatures); i++)
    if (signatures[i].kind == kind)
      {
        if (hint)
          *hint = signatures[i].hint;
        return signatures[i].description;
      }

  g_return_val_if_reached ("data");
}
