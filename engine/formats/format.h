/* format.h — a file format (HybFormat), and choosing one for a file.
 *
 * A format is one constant HybFormat in a file of its own, and one line in format-list.h.  Opening,
 * saving, the file chooser and the command line find it through that list.  mxnet-format.c is an
 * example.
 *
 * Files come from strangers: a reader checks every length and index before it uses it, and says
 * where the file is wrong.  An unknown operator is not an error: the node is kept as an opaque
 * node, so that the rest of the graph can be shown.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/error.h"
#include "engine/formats/sniff.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

#include <gio/gio.h>

/* A pair of equivalent nodes of two graphs. */
typedef struct
{
  HybNodeId from, to;
} HybNodeMatch;

/* A model that is to be written in a format. */
typedef struct
{
  HybModel   *model;
  const char *path; /* of the main file */
  gint64
      version; /* of the format's operators, which are all written anew; 0: the original's version, or the format's default */
  gsize
      largest; /* bytes of arrays from which they get a file of their own; 0: the format's default */
  /* The model that model was made from, if it has this format; NULL otherwise.  Unless version is given, parts common to
   * both are written as they were read. */
  HybModel *original;
  HybModel
      *lowered; /* original in the engine's operators; HybNode.origin is the node of original */
  const HybValueId *map;     /* by value of original: its value in lowered, or HYB_NO_ID */
  const GArray     *matches; /* of HybNodeMatch: nodes of lowered, and nodes of model */
  HybModel *
      other; /* model for other sizes of open dimensions, otherwise the same; NULL: all sizes are fixed */
  /* Of model, which was read from a file of the format, only the part from these values to those, by name or by the name of
   * their node; NULL: its inputs, and its outputs. */
  const char *const *from, *const *to;
} HybWriteJob;

/* A file that is to be written, or to be removed. */
typedef struct
{
  char      *path;
  GPtrArray *pieces; /* of GBytes, one after the other; NULL: the file is removed at the end */
} HybWrittenFile;

/* Members that are left 0 have the default that their comment gives. */
typedef struct
{
  const char        *id;       /* stable; printed by the command line: "mxnet-symbol" */
  const char *const *patterns; /* of file names, NULL-terminated: "*-symbol.json" */

  /* --- Recognising a file by its contents --- */

  /* The kind of file.  Default: any kind, and recognises() decides alone. */
  HybSniff sniff;
  /* TRUE if contents of that kind are of this format.  Formats with this function come before
   * formats with only a kind; JSON files, for example, may be of several formats.  Default: the
   * kind decides alone. */
  gboolean (*recognises) (gconstpointer data, gsize length);
  /* Also reads files that no format recognises: its error names the actual kind of the file. */
  gboolean is_fallback;

  /* --- Files that hold a graph --- */

  /* Puts the graph into model, with findings.  FALSE only if there is no graph to show.  where:
   * names the file in messages.  Default: files of this format hold no graph. */
  gboolean (*read_graph) (HybModel *model, GBytes *bytes, const char *where, GError **error);
  /* read_graph() sets the parameters as well: no file of parameters is looked for. */
  gboolean carries_params;
  /* Endings that are removed from the name of a graph file, in this order and where present, to
   * get the prefix that it has in common with its parameter files.  NULL-terminated.  Default:
   * the prefix is the whole name. */
  const char *const *endings;
  /* The ends of names of parameter files after the prefix; the first existing file is used; "#"
   * is the epoch: "-#.params".  NULL-terminated.  Default: no parameter files. */
  const char *const *params_beside;
  /* Writes graph and parameters to files whose names start with prefix, and appends these names to
   * written (may be NULL), which owns them.  Default: models are not written in this format. */
  gboolean (*write_model) (HybModel   *model,
                           const char *prefix,
                           guint       epoch,
                           GPtrArray  *written,
                           GError    **error);

  /* The same in two steps, so that the new contents can be read and checked before they are written: the contents
   * of all files, the main one first, as an array of HybWrittenFile.  Formats have this function or
   * write_model().  (transfer full) */
  GPtrArray *(*prepare) (const HybWriteJob *job, GError **error);

  /* --- Files that hold only weights --- */

  /* Returns named tensors.  On failure, *trouble (may be NULL) is set to a finding with the
   * place.  (transfer full)  Default: files of this format are not read as weights. */
  HybTensorList *(*read_weights) (GBytes      *bytes,
                                  const char  *where,
                                  HybFinding **trouble,
                                  GError     **error);
  /* Default: weights are not written in this format. */
  gboolean (*write_weights) (HybTensorList *list, GOutputStream *out, GError **error);
} HybFormat;

/* --- Choosing a format --- */

/* All formats, NULL-terminated. */
const HybFormat *const *hyb_formats (void);
/* The format of a table (such as hyb_formats()) that recognises bytes; NULL if none does. */
const HybFormat *hyb_format_find (const HybFormat *const *formats, GBytes *bytes);
/* The format that recognises bytes; NULL if none does. */
const HybFormat *hyb_format_of_bytes (GBytes *bytes);
/* The format one of whose patterns matches path, for writing; NULL if none does. */
const HybFormat *hyb_format_of_path (const char *path);
/* The given format if it reads graphs, else (also for NULL) the one that reports the actual kind of
 * an unknown graph file. */
const HybFormat *hyb_format_for_graph (const HybFormat *format);

/* --- Names of files that belong together --- */

/* The name of a graph file without the endings of the format.  (transfer full) */
char *hyb_format_dup_prefix (const HybFormat *format, const char *file);
/* The parameter file beside a graph file, of an epoch, or of the highest one if epoch is
 * negative.  NULL if there is none.  *why is set to a static phrase that says how it was chosen.
 * (transfer full) */
char *
hyb_format_find_params (const HybFormat *format, const char *file, gint64 epoch, const char **why);
/* The graph file in the folder of a parameter file whose parameters it may be by its name, "net-symbol.json" for
 * "net-0012.params"; the first one in alphabetical order.  NULL if there is none.  (transfer full) */
char *hyb_format_find_graph (const char *params);

/* --- Files that are written --- */

/* An empty array of HybWrittenFile that frees them.  (transfer full) */
GPtrArray *hyb_written_files_new (void);
/* Adds a file to such an array; pieces NULL: one to remove.  (transfer full): pieces */
void hyb_written_files_add (GPtrArray *files, const char *path, GPtrArray *pieces);
/* Writes all files, or none; appends the names of the written files to written (may be NULL). */
gboolean hyb_written_files_commit (GPtrArray *files, GPtrArray *written, GError **error);
/* The model that reading the main file would give.  NULL without an error: its data is in another file that is not written
 * yet.  (transfer full) */
HybModel *hyb_written_files_read (const HybFormat *format, GPtrArray *files, GError **error);

/* --- Weights --- */

/* Reads weights in any format.  trouble: as in HybFormat.  (transfer full) */
HybTensorList *hyb_weights_read_file (const char *path, HybFinding **trouble, GError **error);
/* Writes arrays in the format that the name selects: *.npz, *.params or *.safetensors, or of a single array *.npy or, up to two
 * dimensions, *.csv. */
gboolean hyb_weights_write_file (HybTensorList *list, const char *path, GError **error);
