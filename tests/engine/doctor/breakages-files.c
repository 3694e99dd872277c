/* breakages-files.c — files that are cut off, or that another program wrote.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/doctor/breakages.h"

#include "engine/formats/mxnet-params.h"

static gboolean
replace (Breakage *breakage, gconstpointer bytes, gsize n, const char *named)
{
  breakage->weights_file = g_bytes_new (bytes, n);
  breakage->culprit = g_strdup (named);
  return TRUE;
}

#define REPLACE(breakage, bytes, named) replace (breakage, bytes, sizeof (bytes) - 1, named)

static gboolean
be_pytorch (Breakage *breakage)
{
  return REPLACE (breakage, "PK\3\4\0\0\x08\x08 archive/data.pklFB", "PyTorch");
}

static gboolean
be_safetensors (Breakage *breakage)
{
  return REPLACE (breakage, "\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\"", "safetensors");
}

static gboolean
be_keras (Breakage *breakage)
{
  return REPLACE (breakage, "\x89HDF\r\n\x1a\n\0\0 keras_version", "Keras");
}

static gboolean
be_onnx (Breakage *breakage)
{
  return REPLACE (breakage, "\x08\x07\x12\x07pytorch\x1a\0", "ONNX");
}

static gboolean
be_tensorflow (Breakage *breakage)
{
  return REPLACE (breakage, "\x0a\x1e\x0a\x05input\x12\x0bPlaceholder\x2a", "TensorFlow");
}

static gboolean
be_pointer (Breakage *breakage)
{
  return REPLACE (breakage, "version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
                  "git-lfs");
}

static gboolean
be_page (Breakage *breakage)
{
  return REPLACE (breakage, "<!DOCTYPE html><html><body>404</body></html>", "web page");
}

static gboolean
be_pickle (Breakage *breakage)
{
  return REPLACE (breakage, "\x80\x04\x95\x0b\0\0\0\0\0\0\0}", "pickle");
}

static gboolean
be_cut (Breakage *breakage)
{
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  GMemoryOutputStream *memory = G_MEMORY_OUTPUT_STREAM (out);

  g_assert_true (hyb_ndarrays_write (breakage->weights, out, NULL));
  return replace (breakage, g_memory_output_stream_get_data (memory),
                  g_memory_output_stream_get_data_size (memory) * 3 / 5, NULL);
}

const BreakageKind breakages_of_files[] = {
  { "parameters-of-pytorch", "bad-magic", be_pytorch, FALSE },
  { "safetensors-that-end-early", "truncated", be_safetensors, FALSE },
  { "parameters-of-keras", "bad-magic", be_keras, FALSE },
  { "onnx-as-parameters", "bad-magic", be_onnx, FALSE },
  { "tensorflow-as-parameters", "bad-magic", be_tensorflow, FALSE },
  { "a-pointer-of-git-lfs", "bad-magic", be_pointer, FALSE },
  { "a-web-page", "bad-magic", be_page, FALSE },
  { "a-pickle", "bad-magic", be_pickle, FALSE },
  { "parameters-that-end-early", "truncated", be_cut, FALSE },
  { 0 },
};
