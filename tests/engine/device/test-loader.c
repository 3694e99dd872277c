/* test-loader.c — what is said of modules that cannot be used.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/loader.h"

#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/device/gpu.h"
#include "tests/program.h"

#include <string.h>

static void
assert_refused (const GError *error, const char *text)
{
  g_assert_error (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT);
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_DEVICE);
  if (!strstr (error->message, text))
    g_error ("the message is “%s”, without “%s”", error->message, text);
}

static void
test_bad_modules (void)
{
  static const char *const rows[][2] = {
    { "other-interface.so", "has interface 13, this program needs interface 6. Install both" },
    { "no-backend.so", "is no GPU module: it has no function hyb_backend" },
    { "absent.so", "the GPU module cannot be loaded" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_build_filename (DEVICE_MODULES, rows[i][0], NULL);
      g_autoptr (GError) error = NULL;

      g_assert_null (hyb_backend_open (path, &error));
      assert_refused (error, rows[i][1]);
      g_assert_true (g_str_has_prefix (error->message, path));
    }
}

static void
test_bad_names (void)
{
  static const char *const names[] = { "gp", "gpu:", "gpu:x", "gpu:-1", "gpux" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (hyb_gpu_open (names[i], &error));
      assert_refused (error, "is not the name of a GPU: it must be gpu or gpu:N");
    }
}

TEST_PROGRAM (test_loader)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/device/loader/modules-that-do-not-fit-are-refused", test_bad_modules);
  g_test_add_func ("/engine/device/loader/names-that-are-no-GPU-are-refused", test_bad_names);
  return g_test_run ();
}
