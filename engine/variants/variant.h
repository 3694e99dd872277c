/* variant.h — one model in every form: unrolled, as loops, as fused operators.
 *
 * Every conversion goes through the unrolled form: loops and fused operators are
 * written out step by step, cells are found in what comes of it (recognise.h), and
 * each chain of steps is written anew in the form that is wanted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"
#include "engine/variants/match-structure.h"

typedef enum
{
  HYB_FORM_UNROLLED,
  HYB_FORM_FOREACH,
  HYB_FORM_WHILE,
  HYB_FORM_FUSED,
  HYB_N_FORMS,
} HybForm;

const char *hyb_form_name (HybForm form);
gboolean    hyb_form_from_name (const char *name, HybForm *form);

typedef struct
{
  HybForm        form;
  gint64         length;    /* steps, where nothing else says it; 0 */
  gboolean       per_layer; /* fused: one operator a layer */
  HybTensorList *input;     /* fixes shapes; may be NULL */
} HybConvertOptions;

/* A cell that was found, over all steps. */
typedef struct
{
  const char *cell;      /* "lstm" */
  const char *direction; /* "forward", "backward", "both" */
  guint       layers, steps;
  gint64      hidden;
} HybRecognised;

typedef struct
{
  HybModel  *model;
  HybForm    form;
  GPtrArray *stages;     /* of GArray of HybParameterCopy: how parameters moved, first to last */
  GPtrArray *stage_from; /* of HybModel: the models that each stage starts from */
  GArray    *recognised; /* of HybRecognised */
  GArray    *matches;    /* of HybMatch: nodes of the old graph and what stands for them */
} HybVariant;

void hyb_variant_free (HybVariant *variant);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybVariant, hyb_variant_free)

/* NULL and the reason, with the step and node where it lies, if that cannot be. */
HybVariant *hyb_variant_convert (HybModel *model, const HybConvertOptions *options, GError **error);

/* Whether a model can become what; reason is NULL where it can.  (transfer full) */
typedef struct
{
  HybForm  form;
  gboolean is_possible, is_same; /* it is that already */
  char    *reason;
} HybPossibility;
/* HYB_N_FORMS of them. */
GArray *hyb_variant_list (HybModel *model, const HybConvertOptions *options);
