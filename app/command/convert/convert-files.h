/* convert-files.h — writes the result of a conversion: one file in a format that prepares its
 * contents before writing, or MXNet's pair.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/format.h"
#include "engine/variants/variant.h"

/* The format whose file the output names, if it has only one name; NULL: a prefix of MXNet's pair of files. */
const HybFormat *scope_find_output_format (const char *output);
/* TRUE if the model was read from a file of the format that the output names. */
gboolean scope_is_same_format (const char *output, HybModel *model);

/* Finds the version of the operators of an ONNX file that --simplify writes anew.  FALSE and a usage error if the model or the
 * output is not an ONNX file, or operators are not written in that version. */
gboolean scope_find_own_opset (const char *output, HybModel *model, gint64 *opset, GError **error);
/* The number of nodes of a model without variables, with nodes of bodies; G_MAXUINT of NULL. */
guint scope_count_nodes (HybModel *model);

/* A conversion whose result is to be written. */
typedef struct
{
  const char              *output;
  gint64                   opset; /* of ONNX; 0: not given */
  HybModel                *model;
  const HybConvertOptions *convert;
  HybVariant             **variant; /* may be replaced by one for other sizes */
  HybTensorList           *input;   /* (out) (transfer full): of that one; else NULL */
} ScopeWrittenConversion;

/* The files to write. */
typedef struct
{
  GPtrArray *files; /* of HybWrittenFile; NULL: MXNet's pair of files */
  HybModel
      *model; /* as these files will be read; NULL: it cannot be read before, or is the variant */
} ScopeResult;

/* Makes the contents of all files.  FALSE and an error if the format cannot express the variant. */
gboolean
scope_result_prepare (ScopeResult *result, ScopeWrittenConversion *conversion, GError **error);
/* Writes them, and appends their names to written.  model: the variant's. */
gboolean scope_result_write (const ScopeResult *result,
                             const char        *output,
                             HybModel          *model,
                             GPtrArray         *written,
                             GError           **error);
/* Frees the members. */
void scope_result_clear (ScopeResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ScopeResult, scope_result_clear)
