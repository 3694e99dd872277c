/* data-name.h — the name of the file with the arrays of a model that is written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The name, without a folder, of the data file of a model that will be written at path: NAME.onnx.data, or NAME.onnx.2.data if
 * the present model at path has its arrays in the first one.  *old: the data file of that model, which is deleted after the
 * replacement; NULL if it has none of these names.  (transfer full) */
char *onnx_choose_data_name (const char *path, char **old);
