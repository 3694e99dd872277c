/* sniff-kind.h — the kinds of files that are recognised by their contents.
 *
 * sniff.h finds the kind of a file and describes it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  HYB_SNIFF_UNKNOWN,
  HYB_SNIFF_EMPTY,
  HYB_SNIFF_JSON,   /* starts with { or [ */
  HYB_SNIFF_PARAMS, /* MXNet's NDArray list */
  HYB_SNIFF_ZIP,    /* such as npz */
  HYB_SNIFF_NPY,
  HYB_SNIFF_GZIP,
  HYB_SNIFF_LFS_POINTER,
  HYB_SNIFF_HTML,
  HYB_SNIFF_PICKLE,
  HYB_SNIFF_PROTOBUF, /* probably ONNX */
  HYB_SNIFF_HDF5,
  HYB_SNIFF_UTF16,

  /* Files of other programs, which are named so that users can convert them. */
  HYB_SNIFF_PYTORCH,     /* a zip archive or an old pickle of torch.save() */
  HYB_SNIFF_SAFETENSORS, /* a length, a header in JSON, and data */
  HYB_SNIFF_KERAS,       /* HDF5 or the zip archive of Keras 3 */
  HYB_SNIFF_TENSORFLOW_MODEL,
  HYB_SNIFF_TENSORFLOW_GRAPH,
  HYB_SNIFF_TENSORFLOW_CHECKPOINT,
  HYB_SNIFF_TFLITE,
  HYB_SNIFF_CAFFE,
  HYB_SNIFF_PADDLE,
  HYB_SNIFF_OPENVINO,
  HYB_SNIFF_GGUF,
  HYB_SNIFF_ORT,       /* ONNX Runtime's own format */
  HYB_SNIFF_ONNX_TEXT, /* a model in the language of onnx.parser */
  HYB_SNIFF_TEXTPROTO, /* a model as protobuf text */
  HYB_SNIFF_ARCHIVE,   /* tar, 7z …: files are inside */
  HYB_SNIFF_PICTURE,   /* PNG, JPEG, GIF, PDF */
  HYB_SNIFF_CAPTURE,   /* a capture of the profiler */
} HybSniff;
