/* by-formula.c — adds the gradient that HybOp.formula describes.
 *
 * A formula is read while its nodes are added.  Formulas are constants of operators, and tests differentiate every
 * operator, so that a mistake in one is an assertion.  Start at hyb_gradient_by_formula().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"

#include "engine/gradient/flow.h"

#include <string.h>

#define MAX_ARGUMENTS 8

typedef struct
{
  HybGrad    *grad;
  const char *at;                   /* the rest of the text */
  HybValueId  value['z' - 'a' + 1]; /* of the names a to z */
} Formula;

static void
skip_blanks (Formula *formula)
{
  formula->at += strspn (formula->at, " ");
}

/* Reads a word; (transfer full). */
static char *
read_word (Formula *formula, const char *end)
{
  gsize n = strcspn (formula->at, end);
  char *word = g_strndup (formula->at, n);

  formula->at += n;
  return word;
}

static gboolean
take (Formula *formula, char c)
{
  skip_blanks (formula);
  if (*formula->at != c)
    return FALSE;
  formula->at++;
  return TRUE;
}

static HybValueId
read_operand (Formula *formula)
{
  HybGrad *grad = formula->grad;
  char     kind = formula->at[0], digit = formula->at[1];

  formula->at++;
  if (!g_ascii_isdigit (digit))
    return formula->value[kind - 'a'];
  formula->at++;
  return kind == 'i'   ? hyb_grad_input (grad, (guint) (digit - '0'))
         : kind == 'g' ? hyb_grad_incoming (grad, (guint) (digit - '0'))
                       : hyb_grad_output (grad, (guint) (digit - '0'));
}

/* The place after the argument that starts at `at`. */
static const char *
find_end (const char *at)
{
  int depth = 0;

  for (; depth > 0 || (*at != ',' && *at != ')'); at++)
    depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
  return at;
}

static HybValueId read_expression (Formula *formula);

/* Reads “(x, y, …)”.  A number in last place is the attribute `scalar`.  Returns how many values there are. */
static guint
read_arguments (Formula *formula, HybValueId *values, GPtrArray *attributes)
{
  const char *starts[MAX_ARGUMENTS], *end;
  guint       n = 0, n_values;

  do
    {
      g_assert (n < MAX_ARGUMENTS);
      skip_blanks (formula);
      starts[n++] = formula->at;
      formula->at = find_end (formula->at);
    }
  while (take (formula, ','));
  end = formula->at + 1;
  n_values = n;
  if (strchr ("-.0123456789", *starts[n - 1]))
    {
      g_ptr_array_add (attributes, g_strdup ("scalar"));
      g_ptr_array_add (attributes, g_strndup (starts[n - 1],
                                              (gsize) (find_end (starts[n - 1]) - starts[n - 1])));
      n_values--;
    }
  for (guint i = n_values; i-- > 0;)
    {
      formula->at = starts[i];
      values[i] = read_expression (formula);
    }
  formula->at = end;
  return n_values;
}

/* Reads “OPERATOR (…)”, “OPERATOR* (…)” or “OPERATOR [key=value …] (…)”. */
static HybValueId
read_node (Formula *formula)
{
  g_autofree char *op = read_word (formula, "*[( ");
  gboolean         is_same = take (formula, '*');
  HybValueId       values[MAX_ARGUMENTS];
  g_autoptr (GPtrArray) attributes = g_ptr_array_new_with_free_func (g_free);
  guint n;

  if (take (formula, '['))
    while (!take (formula, ']'))
      {
        g_ptr_array_add (attributes, read_word (formula, "="));
        formula->at++;
        g_ptr_array_add (attributes, read_word (formula, " ]"));
      }
  if (!take (formula, '('))
    g_assert_not_reached ();
  n = read_arguments (formula, values, attributes);
  g_ptr_array_add (attributes, NULL);
  return is_same ? hyb_grad_emit_same (formula->grad, op, n, values)
                 : hyb_grad_emit_with (formula->grad, op,
                                       attributes->len > 1 ? (gpointer) attributes->pdata : NULL, n,
                                       values);
}

/* An operand has a letter and perhaps a digit; names of operators are longer. */
static HybValueId
read_expression (Formula *formula)
{
  gsize n = 0;

  skip_blanks (formula);
  while (g_ascii_isalnum (formula->at[n]) || formula->at[n] == '_')
    n++;
  return n <= 2 ? read_operand (formula) : read_node (formula);
}

static gboolean
needs_input (HybGrad *grad, guint index)
{
  return index < hyb_grad_n_inputs (grad) && hyb_grad_needs_input (grad, index);
}

/* TRUE if a target after the “>” of the statement needs a gradient, or is a name. */
static gboolean
is_needed (Formula *formula)
{
  const char *at = strchr (formula->at, '>') + 1;

  for (; *at != '\0' && *at != ';'; at++)
    if (g_ascii_isalpha (*at) && (*at != 'i' || needs_input (formula->grad, (guint) (at[1] - '0'))))
      return TRUE;
  return FALSE;
}

/* Reads “EXPRESSION > i0 i1”. */
static void
read_statement (Formula *formula)
{
  HybValueId value = read_expression (formula);

  if (!take (formula, '>'))
    g_assert_not_reached ();
  for (skip_blanks (formula); g_ascii_isalpha (*formula->at); skip_blanks (formula), value++)
    {
      if (*formula->at != 'i')
        formula->value[*formula->at - 'a'] = value;
      else
        hyb_grad_set_input (formula->grad, (guint) (*++formula->at - '0'), value);
      formula->at++;
    }
}

void
hyb_gradient_by_formula (HybGrad *grad)
{
  Formula formula = { .grad = grad, .at = grad->op->formula };

  /* Gradients that arrived are added up before anything else is added. */
  for (const char *at = strchr (formula.at, 'g'); at; at = strchr (at + 1, 'g'))
    if (g_ascii_isdigit (at[1]) && (at == formula.at || strchr (" (", at[-1])))
      hyb_grad_incoming (grad, (guint) (at[1] - '0'));
  do
    if (is_needed (&formula))
      read_statement (&formula);
    else
      formula.at += strcspn (formula.at, ";");
  while (take (&formula, ';'));
}

HybValueId
hyb_gradient_emit_formula (HybGrad *grad, const char *expression)
{
  Formula formula = { .grad = grad, .at = expression };

  return read_expression (&formula);
}
