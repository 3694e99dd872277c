/* test-facts.c — what is known of a GPU before anything is computed: its number, its peaks, its module.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/device/loader.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/program.h"

static void
test_absent_numbers (void)
{
  static const char *const rows[][2] = {
    { "gpu:1", "there is no GPU 1: this machine has 1, counted from 0" },
    { "gpu:10", "there is no GPU 10: this machine has 1, counted from 0" },
    { "gpu:4095", "there is no GPU 4095: this machine has 1, counted from 0" },
  };

  if (!set_up (""))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (hyb_gpu_open (rows[i][0], &error));
      g_assert_error (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT);
      if (!strstr (error->message, rows[i][1]))
        g_error ("“%s” does not say “%s”", error->message, rows[i][1]);
    }
  assert_clean ();
}

/* 4 multiprocessors at 1.5 GHz, whose lanes multiply and add; 256 bits twice at 1 GHz. */
static void
test_peaks (void)
{
  static const struct
  {
    const char *chip;
    double      lanes; /* 0: not known */
  } rows[] = {
    { "arch=61", 0 },   { "arch=70", 64 },  { "arch=75", 64 },  { "arch=80", 64 },
    { "arch=86", 128 }, { "arch=89", 128 }, { "arch=90", 128 }, { "arch=130", 128 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (HybGpu) gpu = NULL;
      g_autoptr (HybGpuFacts) facts = NULL;

      if (!set_up (rows[i].chip))
        return;
      gpu = open_gpu ();
      facts = hyb_gpu_dup_facts (gpu);
      if (rows[i].lanes > 0)
        g_assert_cmpfloat (facts->peak_flops, ==, 2 * rows[i].lanes * 4 * 1.5e9);
      else
        g_assert_true (isnan (facts->peak_flops));
      g_assert_cmpfloat (facts->peak_bytes, ==, 6.4e10);
    }
  assert_clean ();
}

static void
test_module (void)
{
  static const HybBackend other = { .name = "other" };
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybGpuFacts) facts = NULL;
  g_autofree char *unknown = NULL;

  if (!set_up (""))
    return;
  gpu = open_gpu ();
  facts = hyb_gpu_dup_facts (gpu);
  g_assert_cmpstr (facts->module, ==, HYB_GPU_MODULE);
  unknown = hyb_backend_dup_path (&other);
  g_assert_cmpstr (unknown, ==, "");
}

TEST_PROGRAM (test_facts)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/facts/a-GPU-that-is-absent-is-named-by-its-number",
                   test_absent_numbers);
  g_test_add_func ("/engine/cuda/facts/peaks-are-those-of-the-chip", test_peaks);
  g_test_add_func ("/engine/cuda/facts/the-module-has-a-path", test_module);
  return g_test_run ();
}
