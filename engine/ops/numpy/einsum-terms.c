/* einsum-terms.c — the subscripts of einsum, such as “ij,jk->ik”, and the sizes of the axes they name.
 *
 * Each axis has a label: a letter, or a place in the ellipsis, whose axes are aligned at the last one as in
 * broadcasting.  Start with hyb_einsum_labels().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/numpy/einsum-terms.h"

#include "engine/base/one-line.h"
#include "engine/op/dimensions.h"

#include <string.h>

#define MOST_PRODUCTS 1000000000000000 /* more would run for days */

/* --- Reading the subscripts --- */

/* Uppercase letters first, as in the order of an implicit result; -1 for other characters. */
static int
letter_number (char c)
{
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  return c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

/* Reads one term from *text up to a comma, an arrow or the end. */
static gboolean
read_term (const char **text, EinsumTerm *term, GError **error)
{
  *term = (EinsumTerm){ .n = 0 };
  for (; **text && **text != ',' && !g_str_has_prefix (*text, "->"); (*text)++)
    {
      gboolean is_ellipsis = g_str_has_prefix (*text, "...");
      int      letter = letter_number (**text);

      if (**text == ' ')
        continue;
      if (letter < 0 && !is_ellipsis)
        return hyb_refuse_attribute (error,
                                     "Use letters, commas, one “...” for each operand and “->”",
                                     "subscripts holds “%.*s”, which names no axis",
                                     hyb_prefix_length (*text, 3), *text);
      if (is_ellipsis && term->has_ellipsis)
        return hyb_refuse_attribute (error, NULL, "subscripts has two “...” for one operand");
      if (term->n - term->has_ellipsis == HYB_MAX_RANK && !is_ellipsis)
        return hyb_refuse_attribute (error, NULL,
                                     "subscripts names more than %d axes of one operand",
                                     HYB_MAX_RANK);
      term->has_ellipsis = term->has_ellipsis || is_ellipsis;
      term->letter[term->n++] = is_ellipsis ? EINSUM_ELLIPSIS : letter;
      *text += is_ellipsis ? 2 : 0;
    }
  return TRUE;
}

/* How often each letter occurs in the operands, and whether one has an ellipsis. */
static gboolean
count_letters (const EinsumTerms *terms, int *count)
{
  gboolean has_ellipsis = FALSE;

  memset (count, 0, EINSUM_N_LETTERS * sizeof *count);
  for (int k = 0; k < terms->n; k++)
    for (int i = 0; i < terms->operand[k].n; i++)
      if (terms->operand[k].letter[i] != EINSUM_ELLIPSIS)
        count[terms->operand[k].letter[i]]++;
      else
        has_ellipsis = TRUE;
  return has_ellipsis;
}

/* Without an arrow the result has the ellipsis and every letter that occurs once. */
static gboolean
imply_result (EinsumTerms *terms, GError **error)
{
  EinsumTerm *result = &terms->result;
  int         count[EINSUM_N_LETTERS], n_letters = 0;

  *result = (EinsumTerm){ .has_ellipsis = count_letters (terms, count) };
  if (result->has_ellipsis)
    result->letter[result->n++] = EINSUM_ELLIPSIS;
  for (int letter = 0; letter < EINSUM_N_LETTERS; letter++)
    if (count[letter] == 1)
      {
        if (n_letters++ == HYB_MAX_RANK)
          return hyb_refuse_attribute (error, NULL, "the result has more than %d axes",
                                       HYB_MAX_RANK);
        result->letter[result->n++] = letter;
      }
  return TRUE;
}

/* The letters behind the arrow must occur in an operand, and once in the result. */
static gboolean
check_result (const EinsumTerms *terms, GError **error)
{
  int      count[EINSUM_N_LETTERS];
  gboolean has_ellipsis = count_letters (terms, count);

  if (has_ellipsis && !terms->result.has_ellipsis)
    return hyb_refuse_attribute (error, "Write “...” behind the arrow, too",
                                 "subscripts has “...” in an operand, but not in the result");
  for (int i = 0; i < terms->result.n; i++)
    {
      int letter = terms->result.letter[i];

      if (letter == EINSUM_ELLIPSIS)
        continue;
      if (count[letter] <= 0)
        return hyb_refuse_attribute (error, NULL, "subscripts names axis “%c” %s",
                                     letter < 26 ? 'A' + letter : 'a' + letter - 26,
                                     count[letter] == 0 ? "of the result, which no operand has"
                                                        : "of the result twice");
      count[letter] = -1;
    }
  return TRUE;
}

gboolean
hyb_einsum_read (const EinsumParams *params, EinsumTerms *terms, GError **error)
{
  const char *text = params->subscripts;
  int         n_commas = 0;

  *terms = (EinsumTerms){ .n = (int) params->num_args };
  for (const char *at = text; *at; at++)
    n_commas += *at == ',';
  if (n_commas + 1 != terms->n)
    return hyb_refuse_attribute (error, "Separate one term for each operand by commas",
                                 "subscripts has %d terms, but num_args is %d", n_commas + 1,
                                 terms->n);
  for (int k = 0; k < terms->n; k++)
    {
      if (!read_term (&text, &terms->operand[k], error))
        return FALSE;
      if (*text == ',')
        text++;
      else if (k + 1 < terms->n)
        return hyb_refuse_attribute (error, NULL, "subscripts has a comma after “->”");
    }
  if (!*text)
    return imply_result (terms, error);
  text += 2;
  if (!read_term (&text, &terms->result, error))
    return FALSE;
  if (*text)
    return hyb_refuse_attribute (error, "Use one “->”",
                                 "subscripts has “%s” behind the axes of the result", text);
  return check_result (terms, error);
}

/* --- Shapes --- */

void
hyb_einsum_axes (const EinsumLabels *labels, const EinsumTerm *term, int rank, int *label)
{
  int n_own = rank - (term->n - term->has_ellipsis), at = 0;

  for (int i = 0; i < term->n; i++)
    if (term->letter[i] != EINSUM_ELLIPSIS)
      label[at++] = term->letter[i];
    else
      for (int k = 0; k < n_own; k++)
        label[at++] = EINSUM_N_LETTERS + labels->n_ellipsis - n_own + k;
}

/* Adds the sizes of one operand; size 1 is broadcast to any other. */
static gboolean
add_operand (EinsumLabels *labels, int k, const HybShape *shape, GError **error)
{
  int label[HYB_MAX_RANK];

  hyb_einsum_axes (labels, &labels->terms.operand[k], shape->rank, label);
  for (int i = 0; i < shape->rank; i++)
    {
      gint64 *dim = &labels->dim[label[i]];

      for (int j = 0; j < i; j++)
        if (label[j] == label[i] && shape->dim[j] != shape->dim[i])
          return hyb_refuse_types (error, NULL,
                                   "operand %d has sizes %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                                   " along axes of the same name",
                                   k, shape->dim[j], shape->dim[i]);
      if (*dim == HYB_UNKNOWN || *dim == 1)
        *dim = shape->dim[i];
      else if (shape->dim[i] != 1 && shape->dim[i] != *dim)
        return hyb_refuse_types (error, NULL,
                                 "operand %d has size %" G_GINT64_FORMAT
                                 " along an axis that has %" G_GINT64_FORMAT " in another operand",
                                 k, shape->dim[i], *dim);
    }
  return TRUE;
}

gboolean
hyb_einsum_labels (const EinsumParams *params,
                   const HybType      *operands,
                   EinsumLabels       *labels,
                   GError            **error)
{
  gint64 work = 1;

  labels->n_ellipsis = 0;
  if (!hyb_einsum_read (params, &labels->terms, error))
    return FALSE;
  for (int i = 0; i < EINSUM_MAX_LABELS; i++)
    labels->dim[i] = HYB_UNKNOWN;
  for (int k = 0; k < labels->terms.n; k++)
    {
      const EinsumTerm *term = &labels->terms.operand[k];
      int               n_own = operands[k].shape.rank - (term->n - term->has_ellipsis);

      if (n_own < 0 || (n_own > 0 && !term->has_ellipsis))
        return hyb_refuse_types (error, "Name each axis by one letter",
                                 "operand %d has %d dimensions, but subscripts names %d axes", k,
                                 operands[k].shape.rank, term->n - term->has_ellipsis);
      labels->n_ellipsis = MAX (labels->n_ellipsis, n_own);
    }
  for (int k = 0; k < labels->terms.n; k++)
    if (!add_operand (labels, k, &operands[k].shape, error))
      return FALSE;
  for (int i = 0; i < EINSUM_MAX_LABELS; i++)
    if (labels->dim[i] > 0)
      work = hyb_dim_multiply (work, labels->dim[i]);
  return work < MOST_PRODUCTS || hyb_refuse_types (error, "Divide it into several sums",
                                                   "the sum has 10¹⁵ products or more");
}

int
hyb_einsum_result_rank (const EinsumLabels *labels)
{
  const EinsumTerm *result = &labels->terms.result;

  return result->n - result->has_ellipsis + (result->has_ellipsis ? labels->n_ellipsis : 0);
}

void
hyb_einsum_strides (const EinsumLabels *labels,
                    const EinsumTerm   *term,
                    const HybShape     *shape,
                    gint64             *stride)
{
  int    label[HYB_MAX_RANK];
  gint64 own[HYB_MAX_RANK];

  memset (stride, 0, EINSUM_MAX_LABELS * sizeof *stride);
  hyb_einsum_axes (labels, term, shape->rank, label);
  hyb_dims_strides (shape, own);
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] != 1)
      stride[label[i]] += own[i];
}
