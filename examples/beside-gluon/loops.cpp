// loops.cpp — a loop over rows, a loop with a condition and a branch in one model: computed, traced, exported, opened again.
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "own.hpp"

// The last running sum of the rows, doubled until it is at least 100, and halved if that is above 150.
static HybValue *
forward (HybF *F, HybValue *rows)
{
  auto add_row = [] (HybF *F, HybValue *row, HybValue **total, gpointer) {
    return *total = hyb_add (F, *total, row);
  };
  auto is_small = [] (HybF *F, HybValue *variables, gpointer) {
    return hyb_compare_scalar (F, hyb_item (F, variables, 0), HYB_LESS, 100);
  };
  auto double_it = [] (HybF *F, HybValue **variables, gpointer) {
    HybValue *sum = hyb_item (F, *variables, 0);

    *variables = hyb_list_of (F, hyb_mul_scalar (F, sum, 2), nullptr);
    return sum;
  };
  auto halve = [] (HybF *F, gpointer sum) {
    return hyb_div_scalar (F, static_cast<HybValue *> (sum), 2);
  };
  auto keep = [] (HybF *F, gpointer sum) {
    return hyb_mul_scalar (F, static_cast<HybValue *> (sum), 1);
  };

  HybValue *sum =
      hyb_loop_result (F, hyb_foreach (F, add_row, rows, hyb_zeros (F, "(1,)"), nullptr)).states;
  HybWhile  loop = { is_small, double_it, hyb_list_of (F, sum, nullptr), 10, nullptr };
  HybValue *large = hyb_item (F, hyb_loop_result (F, hyb_while_loop (F, &loop)).states, 0);

  return hyb_cond (F, hyb_compare_scalar (F, large, HYB_GREATER, 150), halve, keep, large);
}

int
main ()
{
  const gint64 dims[] = { 4, 1 };
  const float  numbers[] = { 1, 2, 4, 3 };
  Error        error;
  Block        net (hyb_lambda_new (forward, nullptr));
  Tensor       rows (hyb_tensor_new_float (2, dims, numbers));
  Tensor       computed (hyb_block_predict (net.get (), rows.get (), error));

  if (!computed || !hyb_block_hybridize (net.get (), TRUE, nullptr, error))
    return error.report ();
  Tensor traced (hyb_block_predict (net.get (), rows.get (), error));
  if (!traced || !hyb_block_export (net.get (), "loops", 0, error))
    return error.report ();
  Model model (hyb_model_open ("loops-symbol.json", nullptr, HYB_EPOCH_HIGHEST, error));
  Block loaded (model ? hyb_symbol_block_new (model.get (), HYB_STRINGS ("data"), error) : nullptr);
  Tensor again (loaded ? hyb_block_predict (loaded.get (), rows.get (), error) : nullptr);
  if (!again)
    return error.report ();
  std::printf ("%g %g %g\n", hyb_tensor_get_value (computed.get (), 0),
               hyb_tensor_get_value (traced.get (), 0), hyb_tensor_get_value (again.get (), 0));
  return 0;
}
