/* form.h — what the files of the forms share: one conversion at work.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/moves.h"
#include "engine/variants/rebuild.h"
#include "engine/variants/recognise.h"
#include "engine/variants/variant.h"

/* From one model to another. */
typedef struct
{
  const HybConvertOptions *options;
  HybModel                *from;
  HybGraph                *graph; /* of from */
  HybModel                *to;    /* gets new parameters; its graph comes last */
  HybType                 *types; /* by value of graph */
  GArray                  *moves;
  HybRebuild               rebuild;
} HybConversion;

void
hyb_conversion_init (HybConversion *conversion, HybModel *from, const HybConvertOptions *options);
void hyb_conversion_clear (HybConversion *conversion);
/* By value of graph, from the parameters of model and the given inputs (may be NULL);
 * (transfer full), to be freed with g_free(). */
HybType *hyb_variant_types (HybModel *model, HybGraph *graph, HybTensorList *input);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybConversion, hyb_conversion_clear)
/* Freezes the graph and drops parameters that nothing reads.  FALSE: an error. */
gboolean hyb_conversion_finish (HybConversion *conversion, GError **error);

/* A form that chains of cells can be written in. */
typedef struct
{
  HybForm     form;
  const char *name;
  const char *doc;
  /* Whether a node stands for this form. */
  gboolean (*is_node) (const HybNode *node);
  /* Writes all chains; NULL: the form that everything goes through. */
  gboolean (*write) (HybConversion *conversion, HybCells *cells, GError **error);
} HybFormClass;

extern const HybFormClass hyb_form_unrolled;
extern const HybFormClass hyb_form_foreach;
extern const HybFormClass hyb_form_while;
extern const HybFormClass hyb_form_fused;
const HybFormClass       *hyb_form_class (HybForm form);

/* to-unrolled.c: writes every loop and fused operator out. */
gboolean hyb_unroll (HybConversion *conversion, GError **error);

/* One step of a cell, in Gluon's spelling, with names that begin with prefix. */
typedef struct
{
  HybCellKind kind;
  gint64      hidden;
  const char *prefix; /* "lstm0_" */
  HybValueId  i2h_weight, h2h_weight, i2h_bias, h2h_bias;
} HybCellText;

/* The new h; *c is the old memory in, the new one out (LSTM). */
HybValueId hyb_write_step (HybRebuild        *rebuild,
                           const HybCellText *cell,
                           guint              step,
                           HybValueId         x,
                           HybValueId         h,
                           HybValueId        *c);
