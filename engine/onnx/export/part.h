/* part.h — a part of an ONNX file, between values of the main graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/format.h"
#include "engine/onnx/export/patch.h"

typedef struct
{
  OnnxPatch patch;
  guint8   *is_removed; /* owns the data that patch refers to */
} OnnxPart;

/* The part of the file between job->from and job->to.  NULL and an error that names a value which is not in the graph, or
 * is not needed.  (transfer full) */
OnnxPart *onnx_part (const HybWriteJob *job, const HybOnnxDocument *document, GError **error);
/* Frees a part; accepts NULL. */
void onnx_part_free (OnnxPart *part);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OnnxPart, onnx_part_free)
