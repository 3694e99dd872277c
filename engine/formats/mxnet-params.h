/* mxnet-params.h — lists of arrays as MXNet saves them (*.params), all versions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/finding.h"
#include "engine/formats/tensor-list.h"

#include <gio/gio.h>

/* Names stand as in the file (arg:, aux:); unnamed arrays are "0", "1", …; entries
 * that hold nothing have no tensor.  Sparse arrays are made dense.  When refused,
 * *trouble says where (may be NULL). */
HybTensorList *
hyb_ndarrays_read (GBytes *bytes, const char *where, HybFinding **trouble, GError **error);

/* As MXNet 1.9.1: V2; V3 when an array has no dimension or no element. */
gboolean hyb_ndarrays_write (HybTensorList *list, GOutputStream *out, GError **error);
