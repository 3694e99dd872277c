/* format.h — what a file format is.
 *
 * A format is one const HybFormat at the bottom of formats.c or of its own file,
 * named once in the table there.  The file chooser, the command line and drag and
 * drop all read that table.
 *
 * Files come from strangers: check every length and index before using it, and
 * say where the file is wrong.  An operator we do not know is no error: keep the
 * node as an opaque box, so that the rest of the graph can still be looked at.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/error.h"
#include "engine/formats/sniff.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

#include <gio/gio.h>

typedef struct
{
  const char        *id;       /* stable, for the command line: "mxnet-symbol" */
  const char        *label;    /* for the file chooser */
  const char *const *patterns; /* "*-symbol.json", NULL-terminated */
  HybSniff           sniff;    /* what its first bytes look like; names can lie, bytes do not */

  /* A graph: added to model, with findings.  FALSE only when none remains.  where
   * names the file in messages.  NULL: holds no graph. */
  gboolean (*read_graph) (HybModel *model, GBytes *bytes, const char *where, GError **error);
  gboolean (*write_graph) (HybGraph *graph, GOutputStream *out, GError **error); /* NULL: not */

  /* Weights: a list by name.  When refused, *trouble (may be NULL) says where. */
  HybTensorList *(*read_weights) (GBytes      *bytes,
                                  const char  *where,
                                  HybFinding **trouble,
                                  GError     **error);
  gboolean (*write_weights) (HybTensorList *list, GOutputStream *out, GError **error);
} HybFormat;

const HybFormat *const *hyb_formats (void); /* NULL-terminated */

/* By the first bytes; NULL: none of ours. */
const HybFormat *hyb_format_of_bytes (GBytes *bytes);
/* By name, for writing; NULL: no pattern fits. */
const HybFormat *hyb_format_of_path (const char *path);

/* Any file of weights.  trouble may be NULL. */
HybTensorList *hyb_weights_read_file (const char *path, HybFinding **trouble, GError **error);
/* The format follows from the name: *.npz, *.params. */
gboolean hyb_weights_write_file (HybTensorList *list, const char *path, GError **error);
