/* form.h — the forms that a model can be written in, one struct each.
 *
 * Each to-*.c file defines one HybFormClass; variants.c holds the table of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"
#include "engine/variants/conversion.h"

typedef struct
{
  HybForm     form;
  const char *name; /* "foreach" */
  const char *doc;  /* one line for users */
  /* Whether a node shows that a graph is in this form. */
  gboolean (*is_node) (const HybNode *node);
  /* Writes all chains of cells in this form; NULL for the unrolled form, which every conversion
   * goes through. */
  gboolean (*write) (HybConversion *conversion, HybCells *cells, GError **error);
} HybFormClass;

extern const HybFormClass hyb_form_unrolled;
extern const HybFormClass hyb_form_foreach;
extern const HybFormClass hyb_form_while;
extern const HybFormClass hyb_form_fused;

/* The class of a form. */
const HybFormClass *hyb_form_class (HybForm form);

/* Writes out every loop and fused operator, and finishes the conversion (to-unrolled.c). */
gboolean hyb_unroll (HybConversion *conversion, GError **error);
