/* replace.h — which nodes of an ONNX file a changed graph leaves as they are, and new ones for the rest.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/format.h"
#include "engine/onnx/export/patch.h"

typedef struct
{
  OnnxPatch patch;
  guint8   *is_removed; /* owns the data that patch refers to */
} OnnxReplacement;

/* Compares job->original with job->model.  NULL and an error if something new cannot be written as ONNX.  (transfer full) */
OnnxReplacement *
onnx_replace (const HybWriteJob *job, const HybOnnxDocument *document, GError **error);
/* Frees a replacement; accepts NULL. */
void onnx_replacement_free (OnnxReplacement *replacement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OnnxReplacement, onnx_replacement_free)
