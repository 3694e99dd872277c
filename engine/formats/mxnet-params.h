/* mxnet-params.h — MXNet's files of named arrays (*.params, *.nd), in all their versions.
 *
 * mx.nd.save() writes such files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/finding.h"
#include "engine/formats/tensor-list.h"

#include <gio/gio.h>

/* Reads all arrays.  Names are kept as in the file, with "arg:" and "aux:"; arrays without names
 * are called "0", "1" …; empty entries have no tensor; sparse arrays become dense.  On failure,
 * *trouble (may be NULL) is set to a finding with the place.  (transfer full) */
HybTensorList *
hyb_ndarrays_read (GBytes *bytes, const char *where, HybFinding **trouble, GError **error);

/* Writes arrays as MXNet 1.9.1 does: version 2, or version 3 if one of them is a scalar or has no
 * elements. */
gboolean hyb_ndarrays_write (HybTensorList *list, GOutputStream *out, GError **error);
