/* format-list.h — all file formats, one line for each; included by formats.c.
 *
 * The order decides where several formats fit: hyb_format_find() takes the first one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

HYB_FORMAT (hyb_format_onnx)
HYB_FORMAT (hyb_format_mxnet_symbol)
HYB_FORMAT (hyb_format_mxnet_params)
HYB_FORMAT (hyb_format_npz)
HYB_FORMAT (hyb_format_npy)
HYB_FORMAT (hyb_format_csv)
HYB_FORMAT (hyb_format_safetensors)
