/* sniff.h — what a file really is, by its first bytes: names can lie.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  HYB_SNIFF_UNKNOWN,
  HYB_SNIFF_EMPTY,
  HYB_SNIFF_JSON,   /* starts like an object or a list */
  HYB_SNIFF_PARAMS, /* MXNet's NDArray list */
  HYB_SNIFF_ZIP,    /* npz among them */
  HYB_SNIFF_NPY,
  HYB_SNIFF_GZIP,
  HYB_SNIFF_LFS_POINTER,
  HYB_SNIFF_HTML,
  HYB_SNIFF_PICKLE,
  HYB_SNIFF_PROTOBUF, /* ONNX, most likely */
  HYB_SNIFF_HDF5,
  HYB_SNIFF_UTF16,
  HYB_SNIFF_CAPTURE, /* a profile of ours */
} HybSniff;

HybSniff hyb_sniff (gconstpointer data, gsize length);
/* “a git-lfs pointer”, and what to do about it; both static, hint may be NULL. */
const char *hyb_sniff_describe (HybSniff kind, const char **hint);
