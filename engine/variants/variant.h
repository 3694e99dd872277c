/* variant.h — writes one model in other forms: unrolled, with loops, with fused operators.
 *
 * Every conversion goes through the unrolled form: loops and fused operators are written out step
 * by step, cells are found in the result (recognise.h), and each chain of steps is written in the
 * requested form. hyb_variant_convert() is the entry point; prove.h checks the result.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"
#include "engine/variants/lowered-model.h"
#include "engine/variants/match-structure.h"

typedef enum
{
  HYB_FORM_UNROLLED,
  HYB_FORM_FOREACH,
  HYB_FORM_WHILE,
  HYB_FORM_FUSED,
  HYB_N_FORMS,
} HybForm;

/* "unrolled", "foreach", "while", "fused". */
const char *hyb_form_name (HybForm form);
/* The form of this name; FALSE if there is none. */
gboolean hyb_form_from_name (const char *name, HybForm *form);

typedef struct
{
  HybForm        form;
  gint64         length; /* number of steps, where the model does not determine it; 0: not given */
  gboolean       per_layer; /* fused: one operator per layer instead of one per stack */
  gboolean       is_free;   /* the form may need features that MXNet lacks */
  HybTensorList *input;     /* (nullable) fixes shapes */
} HybConvertOptions;

/* A recurrent cell over all its steps. */
typedef struct
{
  const char *cell;      /* "lstm" */
  const char *direction; /* "forward", "backward", "both" */
  guint       layers, steps;
  gint64      hidden;
} HybRecognised;

/* A converted model, and how it was made. */
typedef struct
{
  HybModel  *model;
  HybForm    form;
  GPtrArray *stages;     /* of GArray of HybParameterCopy: how parameters were copied, by stage */
  GPtrArray *stage_from; /* of HybModel: the model that each stage starts from */
  GArray    *recognised; /* of HybRecognised: the cells that were found */
  GArray    *matches;    /* of HybMatch: nodes of the original graph and of the new one */
  /* Of a model of another format: the model in the engine's operators, which the stages start from, and the matches from there;
   * else NULL. */
  HybLoweredModel *lowered;
  GArray          *lowered_matches;
} HybVariant;

/* Frees variant; NULL is allowed. */
void hyb_variant_free (HybVariant *variant);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybVariant, hyb_variant_free)

/* Converts model to the form of options.  NULL with an error that names the obstacle, with step and
 * node, if that is not possible.  A model that has the form already is returned as it is.
 * (transfer full) */
HybVariant *hyb_variant_convert (HybModel *model, const HybConvertOptions *options, GError **error);

/* Whether the variant has the layers and loops of the model that it was made from. */
gboolean hyb_variant_is_unchanged (HybModel *model, const HybVariant *variant);

/* The model in the form that it has; of another format, in the engine's operators.  NULL and an error if it has an operator that
 * cannot be computed.  (transfer full) */
HybVariant *hyb_variant_keep (HybModel *model, HybTensorList *input, GError **error);
/* The variant again for other sizes of those dimensions of inputs that the model leaves open and the form does not fix: a graph
 * with the same nodes.  NULL: there are none.  *is_whole: (out) FALSE if a dimension stays that the form does not fix.
 * (transfer full) */
HybVariant *hyb_variant_with_other_sizes (HybModel                *model,
                                          const HybConvertOptions *options,
                                          const HybVariant        *variant,
                                          gboolean                *is_whole);

/* The variant for larger sizes of the open dimensions, as many as the form and the model leave open, which may have other
 * nodes: where a size gives a single step or a single row, nodes may be missing that any other size needs.  *input: (out)
 * (transfer full) its inputs; *other: (out) (transfer full) the same for still larger sizes.  NULL: there are no such
 * dimensions.  (transfer full) */
HybVariant *hyb_variant_larger (HybModel                *model,
                                const HybConvertOptions *options,
                                const HybVariant        *variant,
                                HybTensorList          **input,
                                HybVariant             **other);

/* Whether a model can be converted to a form. */
typedef struct
{
  HybForm  form;
  gboolean is_possible;
  gboolean is_same; /* the model has nodes of this form already */
  char    *reason;  /* why it is not possible; NULL if it is */
} HybPossibility;

/* Tries every form.  GArray of HYB_N_FORMS HybPossibility, whose reasons the caller frees.  options
 * may be NULL; its form is ignored.  (transfer full) */
GArray *hyb_variant_list (HybModel *model, const HybConvertOptions *options);
