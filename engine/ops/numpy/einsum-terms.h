/* einsum-terms.h — the subscripts of einsum, such as “ij,jk->ik”, and the sizes of the axes they name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

#define EINSUM_MAX_OPERANDS 16
#define EINSUM_N_LETTERS    52
/* The letters, uppercase first, then the axes of the ellipsis. */
#define EINSUM_MAX_LABELS (EINSUM_N_LETTERS + HYB_MAX_RANK)
/* In place of a letter: any number of axes. */
#define EINSUM_ELLIPSIS (-1)

/* The attributes. */
typedef struct
{
  gint64 num_args;
  char  *subscripts;
  gint64 optimize;
} EinsumParams;

/* The axes of one operand or of the result: letters by number, and EINSUM_ELLIPSIS. */
typedef struct
{
  int      n, letter[HYB_MAX_RANK + 1];
  gboolean has_ellipsis;
} EinsumTerm;

/* All that subscripts says. */
typedef struct
{
  int        n; /* operands */
  EinsumTerm operand[EINSUM_MAX_OPERANDS];
  EinsumTerm result;
} EinsumTerms;

/* The sizes of all labels, and the number of labels in the ellipsis. */
typedef struct
{
  EinsumTerms terms;
  int         n_ellipsis;
  gint64      dim[EINSUM_MAX_LABELS]; /* HYB_UNKNOWN where no operand has the label */
} EinsumLabels;

/* Reads the subscripts.  FALSE if they do not fit num_args or name no possible result. */
gboolean hyb_einsum_read (const EinsumParams *params, EinsumTerms *terms, GError **error);
/* Reads the subscripts and finds the size of each label for operands of known shape.  FALSE if the
 * shapes do not fit. */
gboolean hyb_einsum_labels (const EinsumParams *params,
                            const HybType      *operands,
                            EinsumLabels       *labels,
                            GError            **error);
/* The number of axes of the result. */
int hyb_einsum_result_rank (const EinsumLabels *labels);
/* Sets label[i] to the label of axis i of a tensor of this rank. */
void hyb_einsum_axes (const EinsumLabels *labels, const EinsumTerm *term, int rank, int *label);
/* Sets stride[label] for all labels to the stride of a tensor along them: 0 along labels that it does
 * not have and along axes of size 1, a sum where it has a label twice. */
void hyb_einsum_strides (const EinsumLabels *labels,
                         const EinsumTerm   *term,
                         const HybShape     *shape,
                         gint64             *stride);
