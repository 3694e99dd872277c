/* sniff.h — recognises the kind of a file by its first bytes, because file names may be wrong.
 *
 * format.h maps kinds to readers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/sniff-kind.h"

/* The kind of a file with these contents. */
HybSniff hyb_sniff (gconstpointer data, gsize length);
/* The description of a kind, as a phrase (“a git-lfs pointer, not the file itself”), and in *hint the user's
 * way out, or NULL.  Both are static; hint may be NULL. */
const char *hyb_sniff_describe (HybSniff kind, const char **hint);
