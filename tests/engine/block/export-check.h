/* export-check.h — compares models built in C with what MXNet exported and computed of the same
 * models.
 *
 * There is one test for each folder of goldens/models; exports-*.c have the models.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"

/* A model whose forward is a function, with the parts that prepare made. */
typedef struct _Model Model;

typedef struct
{
  const char *folder;
  const char *name;      /* of the class: what prefixes are made of */
  const char *structure; /* how inputs nest: "[0, [0, 0]]" */
  HybValue *(*forward) (HybF *F, Model *model, HybValue *input);
  void (*prepare) (Model *model); /* in the model's name scope; NULL: nothing */
  gconstpointer data;             /* for both */
  const char   *prefix;           /* NULL: automatic */
} ModelRow;

struct _Model
{
  HybBlock        parent;
  const ModelRow *row;
  HybBlock       *part[6];
  HybParameter   *w[4];
};

/* Tests /engine/block/exports/FOLDER: the block traced and printed equals the symbol file
 * byte for byte; run at once and as a graph with the folder's parameters, it gives the
 * folder's outputs. */
void export_check_add_models (const ModelRow *rows, guint n);
typedef HybBlock *(*ExportBuild) (gconstpointer data);
void
export_check_add (const char *folder, ExportBuild build, gconstpointer data, const char *structure);
/* Likewise for a graph that is no block's; (transfer full). */
typedef HybGraph *(*ExportGraph) (gconstpointer data);
void export_check_add_graph (const char *folder, ExportGraph graph, gconstpointer data);
/* A folder that is not built, and why. */
void export_check_leave_out (const char *folder, const char *reason);
/* A test that every folder there is was named by one of the above. */
void export_check_add_roll (void);

/* --- Parts that many models share --- */

HybBlock *model_from_row (const ModelRow *row);
/* x op text, as Python writes a number on the right: "mul", "plus", "minus", "div", "rminus" */
HybValue *with_number (HybF *F, const char *op, HybValue *x, const char *text);
/* "lesser", "greater", "lesser_equal" */
HybValue *compare (HybF *F, const char *op, HybValue *x, const char *text);
HybValue *with_axis (HybF *F, const char *op, HybValue *x, const char *axis);
/* FullyConnected with automatic names; bias may be NULL. */
HybValue *product (HybF *F, HybValue *x, HybParameter *weight, HybParameter *bias, const char *n);
HybParameter *add_weight (Model *model, const char *name, gint64 rows, gint64 columns);

/* Families. */
void exports_add_cells (void);
void exports_add_cond (void);
void exports_add_decoders (void);
void exports_add_foreach (void);
void exports_add_fused (void);
void exports_add_language (void);
void exports_add_layers (void);
void exports_add_mxrnn (void);
void exports_add_networks (void);
void exports_add_symbols (void);
void exports_add_unrolled (void);
void exports_add_while (void);
void exports_add_zoo (void);
