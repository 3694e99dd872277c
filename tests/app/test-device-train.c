/* test-device-train.c — hscope train --device gpu on the pretend GPU: losses, resuming, and what can be wrong.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define TRAIN "hscope train 'gallery:mlp?inputs=6&hidden=5&classes=3&batch=4' --epochs 2 "

/* The losses of the steps in a log. */
static GArray *
read_losses (Fixture *fixture, const char *name)
{
  g_autofree char *path = in_folder (fixture, name);
  g_autofree char *text = NULL;
  GArray          *losses = g_array_new (FALSE, FALSE, sizeof (double));

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (const char *at = text; (at = strstr (at, "\"loss\": ")) != NULL;)
    {
      double loss = g_ascii_strtod (at += strlen ("\"loss\": "), NULL);

      g_array_append_val (losses, loss);
    }
  return losses;
}

/* Losses are the processor's; training that was interrupted and resumed leaves the same bytes. */
static void
test_train (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GArray) host = NULL;
  g_autoptr (GArray) device = NULL;

  fixture_run_line (fixture, TRAIN "--device gpu --log gpu.jsonl --output whole");
  if (strstr (fixture->err, "libnvrtc"))
    {
      g_test_skip ("libnvrtc.so.13 is not installed");
      return;
    }
  if (fixture->code != 0)
    fixture_complain ("exit %d, %s", fixture->code, fixture->err);
  g_assert_nonnull (strstr (fixture->out, "\nlast step: The GPU computed "));
  fixture_run_line (fixture, TRAIN "--log cpu.jsonl");
  g_assert_null (strstr (fixture->out, "GPU"));
  host = read_losses (fixture, "cpu.jsonl");
  device = read_losses (fixture, "gpu.jsonl");
  g_assert_cmpuint (host->len, ==, 200);
  g_assert_cmpuint (device->len, ==, 200);
  for (guint i = 0; i < host->len; i++)
    g_assert_cmpfloat_with_epsilon (g_array_index (host, double, i),
                                    g_array_index (device, double, i), 1e-3);

  fixture_run_line (fixture,
                    "hscope train 'gallery:mlp?inputs=6&hidden=5&classes=3&batch=4' --epochs 1 "
                    "--device gpu --output half && " TRAIN
                    "--device gpu --resume --output half --json && cmp whole-0002.params "
                    "half-0002.params && cmp whole-0002.states half-0002.states");
  if (fixture->code != 0 || !strstr (fixture->out, "\"device\": \"The GPU computed "))
    fixture_complain ("exit %d, %s%s", fixture->code, fixture->out, fixture->err);
}

/* What can be wrong with a GPU when it trains. */
static void
test_train_fails (Fixture *fixture, gconstpointer unused)
{
  static const char *const rows[][2] = {
    { "HYB_PRETEND=device=none " TRAIN "--device gpu", "the NVIDIA driver sees no GPU" },
    { TRAIN "--device gpu:7", "there is no GPU 7: this machine has 1, counted from 0" },
    { "HYB_PRETEND=memory=64 " TRAIN "--device gpu", "the plan needs " },
    { "HYB_PRETEND=fail=cuGraphLaunch:3:700 " TRAIN "--device gpu", "cuGraphLaunch failed with " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      fixture_run_line (fixture, rows[i][0]);
      if (strstr (fixture->err, "libnvrtc"))
        continue;
      if (fixture->code != 4 || !strstr (fixture->err, rows[i][1]) ||
          !strstr (fixture->err, "Use --device cpu"))
        fixture_complain ("%s: exit %d, %s", rows[i][0], fixture->code, fixture->err);
    }
}

#define ADD(name, function) \
  g_test_add ("/app/device/train/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

TEST_PROGRAM (test_device_train)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("losses-are-the-processor's-and-resuming-gives-the-same-bytes", test_train);
  ADD ("what-fails-is-explained", test_train_fails);
  return g_test_run ();
}
