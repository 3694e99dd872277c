/* loops.c — a loop over rows, a loop with a condition and a branch in one model: computed, traced, exported, opened again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <stdio.h>

static HybValue *
add_row (HybF *F, HybValue *row, HybValue **total, gpointer user G_GNUC_UNUSED)
{
  *total = hyb_add (F, *total, row);
  return *total;
}

static HybValue *
is_small (HybF *F, HybValue *variables, gpointer user G_GNUC_UNUSED)
{
  return hyb_compare_scalar (F, hyb_item (F, variables, 0), HYB_LESS, 100);
}

static HybValue *
double_it (HybF *F, HybValue **variables, gpointer user G_GNUC_UNUSED)
{
  HybValue *sum = hyb_item (F, *variables, 0);

  *variables = hyb_list_of (F, hyb_mul_scalar (F, sum, 2), NULL);
  return sum;
}

static HybValue *
halve (HybF *F, gpointer sum)
{
  return hyb_div_scalar (F, sum, 2);
}

static HybValue *
keep (HybF *F, gpointer sum)
{
  return hyb_mul_scalar (F, sum, 1);
}

/* The last running sum of the rows, doubled until it is at least 100, and halved if that is above 150. */
static HybValue *
forward (HybF *F, HybValue *rows)
{
  HybValue *zero = hyb_zeros (F, "(1,)");
  HybValue *sum = hyb_loop_result (F, hyb_foreach (F, add_row, rows, zero, NULL)).states;
  HybWhile  loop = { is_small, double_it, hyb_list_of (F, sum, NULL), 10, NULL };
  HybValue *large = hyb_item (F, hyb_loop_result (F, hyb_while_loop (F, &loop)).states, 0);

  return hyb_cond (F, hyb_compare_scalar (F, large, HYB_GREATER, 150), halve, keep, large);
}

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybBlock) net = hyb_lambda_new (forward, NULL);
  g_autoptr (HybTensor) rows =
      hyb_tensor_new_float (2, (gint64[]){ 4, 1 }, (float[]){ 1, 2, 4, 3 });
  g_autoptr (HybTensor) computed = hyb_block_predict (net, rows, &error);
  g_autoptr (HybTensor) traced = NULL;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybBlock) loaded = NULL;
  g_autoptr (HybTensor) again = NULL;

  if (computed && hyb_block_hybridize (net, TRUE, NULL, &error))
    traced = hyb_block_predict (net, rows, &error);
  if (traced && hyb_block_export (net, "loops", 0, &error))
    model = hyb_model_open ("loops-symbol.json", NULL, HYB_EPOCH_HIGHEST, &error);
  loaded = model ? hyb_symbol_block_new (model, HYB_STRINGS ("data"), &error) : NULL;
  again = loaded ? hyb_block_predict (loaded, rows, &error) : NULL;
  if (!again)
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  printf ("%g %g %g\n", hyb_tensor_get_value (computed, 0), hyb_tensor_get_value (traced, 0),
          hyb_tensor_get_value (again, 0));
  return 0;
}
