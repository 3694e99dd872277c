/* form.h — the forms that a model can be written in, as one struct each.
 *
 * Each to-*.c file defines one HybFormClass; variants.c holds the table of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"
#include "engine/variants/conversion.h"

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
