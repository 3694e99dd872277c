/* on-pretend-gpu.h — what tests of whole models on the pretend GPU have in common.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.  A test begins with set_up(), and returns if
 * that is FALSE.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/gpu.h"
#include "engine/exec/executor.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

/* Functions of the pretend driver, as in pretend/pretend.h. */
G_GNUC_UNUSED static void (*configure) (const char *settings);
G_GNUC_UNUSED static char *(*problems) (void);
G_GNUC_UNUSED static char *(*leaks) (void);
G_GNUC_UNUSED static guint (*calls) (const char *name);
G_GNUC_UNUSED static guint64 (*host_bytes) (void);
G_GNUC_UNUSED static guint64 (*kernel_steps) (void);

/* FALSE and a skipped test where NVRTC is not installed. */
G_GNUC_UNUSED static gboolean
set_up (const char *settings)
{
  g_autofree char *path = g_build_filename (g_getenv ("HYB_GPU_PATH"), "libcuda.so.1", NULL);
  void            *library = dlopen (path, RTLD_NOW);
  g_autoptr (GError) error = NULL;
  HybGpu *gpu;

  g_assert_nonnull (library);
  *(void **) &configure = dlsym (library, "pretend_configure");
  *(void **) &problems = dlsym (library, "pretend_problems");
  *(void **) &leaks = dlsym (library, "pretend_leaks");
  *(void **) &calls = dlsym (library, "pretend_calls");
  *(void **) &host_bytes = dlsym (library, "pretend_host_bytes");
  *(void **) &kernel_steps = dlsym (library, "pretend_steps");
  configure ("");
  gpu = hyb_gpu_open ("gpu", &error);
  if (!gpu && strstr (error->message, "libnvrtc"))
    {
      g_test_skip (error->message);
      return FALSE;
    }
  g_assert_no_error (error);
  hyb_gpu_unref (gpu);
  configure (settings);
  return TRUE;
}

G_GNUC_UNUSED static void
assert_clean (void)
{
  g_autofree char *found = problems (), *left = leaks ();

  g_assert_cmpstr (found, ==, "");
  g_assert_cmpstr (left, ==, "");
}

G_GNUC_UNUSED static HybGpu *
open_gpu (void)
{
  g_autoptr (GError) error = NULL;
  HybGpu *gpu = hyb_gpu_open ("gpu", &error);

  g_assert_no_error (error);
  return gpu;
}

G_GNUC_UNUSED static void
run (HybExecutor *executor)
{
  g_autoptr (GError) error = NULL;

  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
}

G_GNUC_UNUSED static HybTensor *
new_tensor (gint64 rows, gint64 columns, double step)
{
  HybType    type = { columns > 0 ? hyb_shape_2d (rows, columns) : hyb_shape_1d (rows), HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), HYB_F32, (gsize) i,
                          sin (step * (double) (i + 1)));
  return tensor;
}

G_GNUC_UNUSED static void
bind (HybExecutor *executor, const char *name, HybTensor *tensor /* (transfer full) */)
{
  g_autoptr (GError) error = NULL;

  hyb_executor_bind (executor, name, tensor, &error);
  g_assert_no_error (error);
  hyb_tensor_unref (tensor);
}

/* The same to a part of a number, or of 1 where it is smaller. */
G_GNUC_UNUSED static void
assert_output_within (HybExecutor *executor, HybExecutor *expected, guint index, double tolerance)
{
  HybTensor *a = hyb_executor_get_output (executor, index);
  HybTensor *b = hyb_executor_get_output (expected, index);

  for (gint64 i = 0; i < hyb_tensor_get_size (b); i++)
    {
      double want = hyb_tensor_get_value (b, i);

      g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (a, i), want,
                                      tolerance * MAX (1, fabs (want)));
    }
}

G_GNUC_UNUSED static void
assert_output_near (HybExecutor *executor, HybExecutor *expected, guint index)
{
  assert_output_within (executor, expected, index, 1e-5);
}

G_GNUC_UNUSED static void
assert_near (HybExecutor *executor, HybExecutor *expected)
{
  assert_output_near (executor, expected, 0);
}

G_GNUC_UNUSED static void
assert_all_within (HybExecutor *executor, HybExecutor *expected, double tolerance)
{
  for (guint i = 0; i < hyb_executor_n_outputs (expected); i++)
    assert_output_within (executor, expected, i, tolerance);
}

G_GNUC_UNUSED static void
assert_plan_says (HybExecutor *executor, const char *part)
{
  g_autofree char *text = hyb_plan_print (hyb_executor_get_plan (executor));

  if (!strstr (text, part))
    g_error ("“%s” is not in:\n%s", part, text);
}

/* Frees both; nothing of them may be left on the GPU. */
G_GNUC_UNUSED static void
close_cleanly (HybExecutor **executor, HybGpu **gpu)
{
  g_clear_pointer (executor, hyb_executor_free);
  g_clear_pointer (gpu, hyb_gpu_unref);
  assert_clean ();
}
