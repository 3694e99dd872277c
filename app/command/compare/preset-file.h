/* preset-file.h — the finished groups of a preset, kept so that an interrupted one can be continued.
 *
 * The file lists the groups; the captures of their candidates lie beside it, in files that begin with
 * its name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"

/* Writes all groups that are measured, and the captures of those that have none on disk yet.
 * conditions: what a continued run must have in common, in words.  FALSE with an error if a file
 * cannot be written. */
gboolean scope_preset_file_save (const char      *path,
                                 const char      *conditions,
                                 const GPtrArray *groups,
                                 GError         **error);

/* Appends the groups of the file to groups; a group whose captures are missing or damaged is left
 * out.  TRUE without groups if there is no such file.  FALSE with an error if it is not such a file, or
 * of other conditions. */
gboolean scope_preset_file_load (const char *path,
                                 const char *conditions,
                                 GPtrArray  *groups,
                                 GError    **error);
