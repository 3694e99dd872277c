// run.cpp — opens an export and runs it on one array.
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "own.hpp"

int
main ()
{
  Error  error;
  Model  net (hyb_model_open ("net-symbol.json", nullptr, HYB_EPOCH_HIGHEST, error));
  Arrays inputs (net ? hyb_arrays_read ("in.npz", error) : nullptr);
  Arrays outputs (inputs ? hyb_model_predict (net.get (), inputs.get (), error) : nullptr);

  if (!outputs)
    return error.report ();
  std::printf ("%.4f\n", hyb_tensor_get_value (hyb_tensor_list_get (outputs.get (), 0)->tensor, 0));
  return 0;
}
