// own.hpp — smart pointers for the library's objects, and an error that frees itself.
// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdio>
#include <hybridscope/hybrid.h>
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
template <typename T, auto free_function> using Own = std::unique_ptr<T, Free<free_function> >;

using Arrays = Own<HybTensorList, hyb_tensor_list_unref>;
using Block = Own<HybBlock, hyb_block_unref>;
using Graph = Own<HybGraph, hyb_graph_unref>;
using Model = Own<HybModel, hyb_model_unref>;
using Tape = Own<HybTape, hyb_tape_free>;
using Tensor = Own<HybTensor, hyb_tensor_unref>;
using Trace = Own<HybF, hyb_f_free>;
using Trainer = Own<HybGluonTrainer, hyb_gluon_trainer_free>;

// Given to functions in place of a GError **.
class Error
{
  GError *error = nullptr;

public:
  Error () = default;
  Error (const Error &) = delete;
  Error &operator= (const Error &) = delete;
  ~Error ()
  {
    g_clear_error (&error);
  }
  operator GError ** ()
  {
    return &error;
  }

  int
  report () const
  {
    std::fprintf (stderr, "%s\n", error->message);
    return 1;
  }
};
