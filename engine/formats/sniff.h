/* sniff.h — recognises the kind of a file by its first bytes, because file names may be wrong.
 *
 * format.h maps kinds to readers.
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
  HYB_SNIFF_CAPTURE, /* a capture of the profiler */
} HybSniff;

/* The kind of a file with these contents. */
HybSniff hyb_sniff (gconstpointer data, gsize length);
/* What a kind is, as a phrase (“a git-lfs pointer, not the file itself”), and in *hint what the user
 * can do, or NULL.  Both are static; hint may be NULL. */
const char *hyb_sniff_describe (HybSniff kind, const char **hint);
