/* tensor-file.h — a file that is one tensor of ONNX (TensorProto), as its test data has them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* Reads the tensor, and its name, which may be empty.  name: (out) (transfer full).  (transfer full) NULL and an error:
 * the file cannot be read, is not a tensor, or has a type that the engine does not support. */
HybTensor *hyb_onnx_tensor_file_read (const char *path, char **name, GError **error);
/* The same for the bytes of a file.  where: names the file in errors. */
HybTensor *hyb_onnx_tensor_read (GBytes *bytes, const char *where, char **name, GError **error);
