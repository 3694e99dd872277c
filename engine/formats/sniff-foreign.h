/* sniff-foreign.h — files of other programs that share their first bytes with other kinds.
 *
 * Used by sniff.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/sniff-kind.h"

/* The kind of a file of another program; HYB_SNIFF_UNKNOWN if no test recognises it.
 * length is at least 1. */
HybSniff hyb_sniff_foreign (const guint8 *data, gsize length);
