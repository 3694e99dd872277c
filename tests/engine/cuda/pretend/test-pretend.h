/* test-pretend.h — what the tests of the pretend GPU share: a kernel and short calls.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/driver.h"

#include <string.h>

/* y[i] = x[i] + 1 for i below n, and in "fill" y[i] = 1. */
typedef struct
{
  guint64 x, y;
  gint32  n;
} StepArguments;

static G_GNUC_UNUSED const char step_ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry step(.param .align 8 .b8 a[24])\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<3>; .reg .pred %p;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [a+8]; ld.param.u32 %r1, [a+16];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.s32 %p, %r5, %r1; @%p bra done;\n"
    "mul.wide.s32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n"
    "ld.global.f32 %f1, [%rd4]; add.f32 %f2, %f1, 0f3F800000; st.global.f32 [%rd5], %f2;\n"
    "done: ret;\n}\n";

#define OK(call) g_assert_cmpint (call, ==, CUDA_SUCCESS)

typedef struct
{
  CUcontext  context;
  CUmodule   module;
  CUfunction step;
} Gpu;

static inline void
gpu_begin (Gpu *gpu, const char *settings)
{
  pretend_configure (settings);
  OK (cuInit (0));
  OK (cuDevicePrimaryCtxRetain (&gpu->context, 0));
  OK (cuCtxSetCurrent (gpu->context));
  OK (cuModuleLoadData (&gpu->module, step_ptx));
  OK (cuModuleGetFunction (&gpu->step, gpu->module, "step"));
}

static inline CUresult
gpu_step (Gpu *gpu, CUstream stream, guint64 x, guint64 y, gint32 n)
{
  StepArguments a = { x, y, n };
  gsize         size = 24;
  void         *extra[] = { (void *) 1, &a, (void *) 2, &size, NULL };

  return cuLaunchKernel (gpu->step, (guint) (n + 31) / 32, 1, 1, 32, 1, 1, 0, stream, NULL, extra);
}

static inline CUstream
gpu_stream (void)
{
  CUstream stream;

  OK (cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

static inline guint64
gpu_memory (gsize bytes)
{
  CUdeviceptr address;

  OK (cuMemAlloc_v2 (&address, bytes));
  return address;
}

static inline gboolean
gpu_complained (const char *of)
{
  g_autofree char *problems = pretend_problems ();

  return strstr (problems, of) != NULL;
}

static inline void
gpu_assert_content (void)
{
  g_autofree char *problems = pretend_problems ();

  g_assert_cmpstr (problems, ==, "");
}
