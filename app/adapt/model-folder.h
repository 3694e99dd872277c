/* model-folder.h — finds the models in a folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Paths relative to folder of all models in it and in the folders below it, sorted: symbol files, and other JSON files that
 * begin like one.  Links to folders are not followed.  Pipes, sockets, devices and links out of the folder are left out, with
 * a sentence about each in skipped (nullable), sorted.  (transfer full) NULL: a folder cannot be read, or it holds more
 * files than the limit. */
GPtrArray *scope_find_models (const char *folder, GPtrArray *skipped, GError **error);

/* The path without the common ending of symbol files: "zoo/net" for "zoo/net-symbol.json.gz".  (transfer
 * full) */
char *scope_model_dup_prefix (const char *path);
