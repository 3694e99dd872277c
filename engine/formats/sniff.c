/* sniff.c — recognises files by their contents: a table of first bytes, and one of tests for files
 * that have no signature.  Each kind has a description and a way to convert it to a supported format.
 *
 * Start at hyb_sniff().  sniff-foreign.c has the tests for files of other programs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/sniff.h"

#include "engine/formats/sniff-foreign.h"

#include <string.h>

typedef struct
{
  HybSniff    kind;
  guint       offset, length;
  const char *bytes;
} Signature;

/* A file that matches the first is of no other kind. */
static const Signature signatures[] = {
  { HYB_SNIFF_PARAMS, 0, 8, "\x12\x01\0\0\0\0\0\0" },
  { HYB_SNIFF_ZIP, 0, 4, "PK\3\4" },
  { HYB_SNIFF_ZIP, 0, 4, "PK\5\6" },
  { HYB_SNIFF_NPY, 0, 6, "\x93NUMPY" },
  { HYB_SNIFF_GZIP, 0, 2, "\x1f\x8b" },
  { HYB_SNIFF_LFS_POINTER, 0, 23, "version https://git-lfs" },
  { HYB_SNIFF_HDF5, 0, 8, "\x89HDF\r\n\x1a\n" },
  { HYB_SNIFF_UTF16, 0, 2, "\xff\xfe" },
  { HYB_SNIFF_UTF16, 0, 2, "\xfe\xff" },
  { HYB_SNIFF_PICKLE, 0, 1, "\x80" },
  { HYB_SNIFF_TFLITE, 4, 4, "TFL3" },
  { HYB_SNIFF_GGUF, 0, 4, "GGUF" },
  { HYB_SNIFF_ORT, 4, 4, "ORTM" },
  { HYB_SNIFF_TENSORFLOW_CHECKPOINT, 0, 23, "model_checkpoint_path: " },
  { HYB_SNIFF_ARCHIVE, 257, 5, "ustar" },
  { HYB_SNIFF_ARCHIVE, 0, 6, "7z\xbc\xaf\x27\x1c" },
  { HYB_SNIFF_ARCHIVE, 0, 6,
    "\xfd"
    "7zXZ\0" },
  { HYB_SNIFF_ARCHIVE, 0, 3, "BZh" },
  { HYB_SNIFF_ARCHIVE, 0, 4, "\x28\xb5\x2f\xfd" },
  { HYB_SNIFF_ARCHIVE, 0, 4, "Rar!" },
  { HYB_SNIFF_PICTURE, 0, 8, "\x89PNG\r\n\x1a\n" },
  { HYB_SNIFF_PICTURE, 0, 3, "\xff\xd8\xff" },
  { HYB_SNIFF_PICTURE, 0, 4, "GIF8" },
  { HYB_SNIFF_PICTURE, 0, 5, "%PDF-" },
};

/* Arrays of other programs become a model's parameters by way of an npz file. */
#define AS_NPZ(arrays)                                                       \
  "Write its arrays as npz in Python and give that file as the parameters: " \
  "numpy.savez(\"net.npz\", **" arrays ")"
#define AS_SYMBOL " The graph itself must be exported from MXNet as net-symbol.json"

static const struct
{
  HybSniff    kind;
  const char *description, *hint;
} kinds[] = {
  { HYB_SNIFF_PARAMS, "a parameter file of MXNet", NULL },
  { HYB_SNIFF_ZIP, "a zip archive (npz?)", NULL },
  { HYB_SNIFF_NPY, "a single NumPy array", NULL },
  { HYB_SNIFF_GZIP, "gzip-compressed data", NULL },
  { HYB_SNIFF_LFS_POINTER, "a git-lfs pointer, not the file itself",
    "Fetch the file with “git lfs pull”" },
  { HYB_SNIFF_HDF5, "a HDF5 file",
    AS_NPZ ("{name: file[name][()] for name in names}") " with h5py.File as file" },
  { HYB_SNIFF_UTF16, "text in UTF-16", "Save it again as UTF-8" },
  { HYB_SNIFF_PICKLE, "a Python pickle (optimizer states?)",
    "Pickles run code when they are read; save parameters with MXNet’s own functions instead" },
  { HYB_SNIFF_EMPTY, "an empty file", "Export or download it again" },
  { HYB_SNIFF_HTML, "a web page",
    "The download fetched a page instead of the file; download it again" },
  { HYB_SNIFF_PROTOBUF, "a protobuf file without a graph, perhaps a part of an ONNX model",
    "Download or export the model again" },
  { HYB_SNIFF_JSON, "JSON text", "Give the symbol file first and the parameters after it" },
  { HYB_SNIFF_CAPTURE, "a capture", NULL },
  { HYB_SNIFF_PYTORCH, "a checkpoint of PyTorch",
    AS_NPZ ("{k: v.numpy() for k, v in torch.load(FILE, weights_only=True).items()}") },
  { HYB_SNIFF_SAFETENSORS, "a safetensors file",
    "It has parameters and no graph: give it after the file of the graph" },
  { HYB_SNIFF_KERAS, "a model of Keras",
    AS_NPZ ("{w.path: w.numpy() for w in keras.models.load_model(FILE).weights}") ". Dense weights "
                                                                                  "and filters are "
                                                                                  "transposed "
                                                                                  "there; hscope "
                                                                                  "check finds and "
                                                                                  "repairs that" },
  { HYB_SNIFF_TENSORFLOW_MODEL, "a saved model of TensorFlow",
    AS_NPZ ("{v.name: v.numpy() for v in tf.saved_model.load(FOLDER).variables}") "." AS_SYMBOL },
  { HYB_SNIFF_TENSORFLOW_GRAPH, "a frozen graph of TensorFlow",
    AS_NPZ ("{n.name: tf.make_ndarray(n.attr[\"value\"].tensor) for n in graph.node if n.op == "
            "\"Const\"}") "." AS_SYMBOL },
  { HYB_SNIFF_TENSORFLOW_CHECKPOINT, "the index of a TensorFlow checkpoint",
    AS_NPZ ("{name: tf.train.load_variable(PREFIX, name) for name, _ in "
            "tf.train.list_variables(PREFIX)}") },
  { HYB_SNIFF_TFLITE, "a TensorFlow Lite model",
    AS_NPZ ("{d[\"name\"]: interpreter.tensor(d[\"index\"])() for d in "
            "interpreter.get_tensor_details()}") "." AS_SYMBOL },
  { HYB_SNIFF_CAFFE, "a model of Caffe",
    "Convert it with MXNet’s tools/caffe_converter/convert_model.py, which writes a symbol "
    "file and "
    "parameters" },
  { HYB_SNIFF_PADDLE, "a model of PaddlePaddle",
    AS_NPZ ("{k: v.numpy() for k, v in paddle.load(FILE).items()}") "." AS_SYMBOL },
  { HYB_SNIFF_OPENVINO, "a graph of OpenVINO in XML", "Open the model that it was converted from" },
  { HYB_SNIFF_GGUF, "a GGUF file of llama.cpp",
    AS_NPZ ("{t.name: t.data for t in gguf.GGUFReader(FILE).tensors}") },
  { HYB_SNIFF_ORT, "a model in ONNX Runtime’s own format",
    "Open the .onnx file that it was made from" },
  { HYB_SNIFF_ONNX_TEXT, "an ONNX model as text",
    "Convert it in Python: onnx.save(onnx.parser.parse_model(open(FILE).read()), \"net.onnx\")" },
  { HYB_SNIFF_TEXTPROTO, "an ONNX model as protobuf text",
    "Convert it in Python: onnx.save(onnx.load(FILE, format=\"textproto\"), \"net.onnx\")" },
  { HYB_SNIFF_ARCHIVE, "a packed archive", "Unpack it and open the files inside" },
  { HYB_SNIFF_PICTURE, "a picture or a PDF document", "Open the model that it was made from" },
  { HYB_SNIFF_UNKNOWN, "data of no known kind", NULL },
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

static gboolean
matches (const Signature *signature, const guint8 *data, gsize length)
{
  return length >= signature->offset + signature->length &&
         memcmp (data + signature->offset, signature->bytes, signature->length) == 0;
}

HybSniff
hyb_sniff (gconstpointer memory, gsize length)
{
  const guint8 *data = memory;
  HybSniff      foreign;
  gsize         start;

  if (length == 0)
    return HYB_SNIFF_EMPTY;

  foreign = matches (&signatures[0], data, length) ? signatures[0].kind
                                                   : hyb_sniff_foreign (data, length);
  if (foreign != HYB_SNIFF_UNKNOWN)
    return foreign;
  for (guint i = 0; i < G_N_ELEMENTS (signatures); i++)
    if (matches (&signatures[i], data, length))
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
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].kind == kind)
      {
        if (hint)
          *hint = kinds[i].hint;
        return kinds[i].description;
      }

  g_return_val_if_reached ("data");
}
