/* test-sniff.c — each kind of file is recognised by its first bytes and names a way out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/sniff.h"
#include "tests/program.h"

#include <string.h>

#define BYTES(text) text, sizeof (text) - 1

/* The first bytes as the programs write them; words that follow later are put right after them. */
static const struct
{
  const char *name;
  const char *bytes;
  gsize       length;
  HybSniff    kind;
  const char *described; /* a part of the description */
} files[] = {
  { "params", BYTES ("\x12\x01\0\0\0\0\0\0{\"\0\0\0\0\0\0"), HYB_SNIFF_PARAMS, "MXNet" },
  { "npz", BYTES ("PK\3\4\x14\0\0\0\0\0 a.npy"), HYB_SNIFF_ZIP, "zip" },
  { "torch.save", BYTES ("PK\3\4\0\0\x08\x08 archive/data.pklFB"), HYB_SNIFF_PYTORCH, "PyTorch" },
  { "torch.save of old", BYTES ("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."),
    HYB_SNIFF_PYTORCH, "PyTorch" },
  { "pickle", BYTES ("\x80\x04\x95\x0b\0\0"), HYB_SNIFF_PICKLE, "pickle" },
  { "safetensors", BYTES ("\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\""), HYB_SNIFF_SAFETENSORS,
    "safetensors" },
  { "hdf5", BYTES ("\x89HDF\r\n\x1a\n\0\0"), HYB_SNIFF_HDF5, "HDF5" },
  { "keras in hdf5", BYTES ("\x89HDF\r\n\x1a\n\0\0 keras_version"), HYB_SNIFF_KERAS, "Keras" },
  { "keras archive", BYTES ("PK\3\4 metadata.json model.weights.h5"), HYB_SNIFF_KERAS, "Keras" },
  { "gzip", BYTES ("\x1f\x8b\x08"), HYB_SNIFF_GZIP, "gzip" },
  { "saved_model.pb", BYTES ("\x08\x01\x12\xe0\x05"), HYB_SNIFF_TENSORFLOW_MODEL, "TensorFlow" },
  { "frozen.pb", BYTES ("\x0a\x1e\x0a\x05input\x12\x0bPlaceholder\x2a"), HYB_SNIFF_TENSORFLOW_GRAPH,
    "TensorFlow" },
  { "no operator's name in the first node", BYTES ("\x0a\x1e\x0a\x05input\x12\x0bplaceholder\x2a"),
    HYB_SNIFF_UNKNOWN, "no known kind" },
  { "no text in the first node", BYTES ("\x0a\x1e\x0a\x05input\x12\x0bP\1aceholder\x2a"),
    HYB_SNIFF_UNKNOWN, "no known kind" },
  { "no operator in the first node", BYTES ("\x0a\x1e\x0a\x05input\x1a\x0bPlaceholder\x2a"),
    HYB_SNIFF_UNKNOWN, "no known kind" },
  { "checkpoint", BYTES ("model_checkpoint_path: \"m\""), HYB_SNIFF_TENSORFLOW_CHECKPOINT,
    "index" },
  { "checkpoint index",
    BYTES ("0123456789012345678901234567890123456789\x57\xfb\x80\x8b\x24\x75\x47\xdb"),
    HYB_SNIFF_TENSORFLOW_CHECKPOINT, "index" },
  { "onnx.parser",
    BYTES (
        "<\n  ir_version: 7,\n  opset_import: [\"\" : 13]\n>\nnet (float[N] x) => (float[N] y) {}"),
    HYB_SNIFF_ONNX_TEXT, "ONNX model as text" },
  { "protobuf text", BYTES ("ir_version: 7\ngraph {\n"), HYB_SNIFF_TEXTPROTO, "protobuf text" },
  { "model.ort", BYTES ("\x24\0\0\0ORTM\0\0"), HYB_SNIFF_ORT, "ONNX Runtime" },
  { "tflite", BYTES ("\x1c\0\0\0TFL3\x14\0"), HYB_SNIFF_TFLITE, "Lite" },
  { "onnx", BYTES ("\x08\x07\x12\x07pytorch\x1a"), HYB_SNIFF_PROTOBUF, "ONNX" },
  { "caffemodel",
    BYTES ("\x0a\x07"
           "AlexNet\xa2\x06\x10"),
    HYB_SNIFF_CAFFE, "Caffe" },
  { "pdmodel", BYTES ("\x0a\x90\x02\x08\0\x10\xff\xff\xff\xff\x0f"), HYB_SNIFF_PADDLE, "Paddle" },
  { "pdparams", BYTES ("\x80\x02}q\0X StructuredToParameterName@@"), HYB_SNIFF_PADDLE, "Paddle" },
  { "gguf", BYTES ("GGUF\3\0\0\0"), HYB_SNIFF_GGUF, "GGUF" },
  { "png", BYTES ("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), HYB_SNIFF_PICTURE, "picture" },
  { "jpeg", BYTES ("\xff\xd8\xff\xe0\0\x10JFIF"), HYB_SNIFF_PICTURE, "picture" },
  { "gif", BYTES ("GIF89a"), HYB_SNIFF_PICTURE, "picture" },
  { "pdf", BYTES ("%PDF-1.7\n"), HYB_SNIFF_PICTURE, "PDF" },
  { "mar", BYTES ("PK\3\4 MAR-INF/MANIFEST.json"), HYB_SNIFF_ARCHIVE, "archive" },
  { "lfs", BYTES ("version https://git-lfs.github.com/spec/v1"), HYB_SNIFF_LFS_POINTER, "git-lfs" },
  { "html", BYTES ("\n<!DOCTYPE html><html>"), HYB_SNIFF_HTML, "web page" },
  { "openvino", BYTES ("<?xml version=\"1.0\"?><net name=\"a\">"), HYB_SNIFF_OPENVINO, "OpenVINO" },
  { "json", BYTES ("\xef\xbb\xbf {\"nodes\": []}"), HYB_SNIFF_JSON, "JSON" },
  { "unknown",
    BYTES ("\x7f"
           "ELF\2\1"),
    HYB_SNIFF_UNKNOWN, "no known kind" },
};

static void
test_kinds (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      HybSniff kind = hyb_sniff (files[i].bytes, files[i].length);

      if (kind != files[i].kind)
        g_test_message ("%s is taken for %s", files[i].name, hyb_sniff_describe (kind, NULL));
      g_assert_cmpint (kind, ==, files[i].kind);
      g_assert_nonnull (strstr (hyb_sniff_describe (kind, NULL), files[i].described));
    }
}

/* A test reads no byte behind the end: under the address sanitizer this fails otherwise. */
static void
test_cut_files (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    for (gsize n = 0; n <= files[i].length; n++)
      {
        g_autofree char *copy = g_memdup2 (files[i].bytes, MAX (n, 1));
        g_autofree char *exact = n > 0 ? g_memdup2 (files[i].bytes, n) : NULL;

        g_assert_nonnull (hyb_sniff_describe (hyb_sniff (exact ? exact : copy, n), NULL));
      }
}

static void
test_ways_out (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      const char *hint = NULL;

      hyb_sniff_describe (files[i].kind, &hint);
      if (files[i].kind >= HYB_SNIFF_LFS_POINTER && files[i].kind != HYB_SNIFF_CAPTURE)
        g_assert_nonnull (hint);
    }
}

TEST_PROGRAM (test_sniff)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/formats/sniff/each-kind-is-recognised", test_kinds);
  g_test_add_func ("/engine/formats/sniff/files-that-were-cut-are-safe", test_cut_files);
  g_test_add_func ("/engine/formats/sniff/foreign-files-name-a-way-out", test_ways_out);

  return g_test_run ();
}
