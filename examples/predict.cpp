// predict.cpp — builds a small network in C++20 and predicts with it.
//
// The macros of options take designated initialisers, as in C; members stand in the order of their
// declaration.
// SPDX-License-Identifier: LGPL-2.1-or-later
#include <hybridscope/hybrid.h>

#include <cstdio>
#include <memory>

template <auto free_function> struct Free
{
  template <typename T>
  void
  operator() (T *pointer) const
  {
    free_function (pointer);
  }
};
using Block = std::unique_ptr<HybBlock, Free<hyb_block_unref> >;
using Tensor = std::unique_ptr<HybTensor, Free<hyb_tensor_unref> >;

int
main ()
{
  const float   numbers[] = { 1, 2, 3 };
  const gint64  dims[] = { 1, 3 };
  const HybType row = { hyb_shape_2d (1, 3), HYB_F32 };
  Block         net (hyb_sequential (nullptr));
  GError       *error = nullptr;

  hyb_block_enter_scope (net.get ());
  hyb_append (net.get (), hyb_dense (.units = 4, .activation = "relu", .weight_init = "ones"));
  hyb_append (net.get (), hyb_dense (.units = 1, .weight_init = "ones"));
  hyb_block_leave_scope (net.get ());
  hyb_block_initialize (net.get (), nullptr, 0);

  Tensor input (hyb_tensor_new_float (row.shape.rank, dims, numbers));
  Tensor output (hyb_block_predict (net.get (), input.get (), &error));
  if (!output)
    {
      std::fprintf (stderr, "%s\n", error->message);
      g_error_free (error);
      return 1;
    }
  std::printf ("%g\n", hyb_tensor_get_value (output.get (), 0));
  return 0;
}
