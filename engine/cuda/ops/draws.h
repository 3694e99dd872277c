/* draws.h — the arguments of kernels that draw random numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/kernels/arguments.h"
#include "engine/op/run.h"

/* The seed of the run lies where the device reads it when the kernel runs: a recording may hold neither
 * its value nor anything computed from it. */
static inline struct Draws
hyb_cuda_draws (const HybRun *run)
{
  return (struct Draws){ .seed = (const unsigned long long *) run->seed_there,
                         .step = run->step,
                         .key = run->key };
}
