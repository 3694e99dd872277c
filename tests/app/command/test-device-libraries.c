/* test-device-libraries.c — hscope run --device gpu where a library is absent, too old, or cannot be opened: the
 * sentence, and what to do.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define MODEL                                                                                    \
  "hscope run " SOURCE_ROOT                                                                      \
  "/tests/data/goldens/models/mlp-softmax-output/mlp-softmax-output-symbol.json --init uniform " \
  "--random-values --seed 3 --backward "

/* The command ends with 4 and says what is missing and what to do. */
static void
test_absent_device (Fixture *fixture, gconstpointer unused)
{
  static const char *const rows[][2] = {
    { "HYB_GPU_MODULE=/absent.so " MODEL "--device gpu", "the GPU module cannot be loaded" },
    { "HYB_PRETEND=device=none " MODEL "--device gpu", "the NVIDIA driver sees no GPU" },
    { "HYB_PRETEND=fail=cuInit:1:34 " MODEL "--device gpu",
      "is the stub of a toolkit, not a driver" },
    { "HYB_PRETEND=fail=cuInit:1:3 " MODEL "--device gpu", "the NVIDIA driver refused to start: " },
    { "HYB_PRETEND=driver=11080 " MODEL "--device gpu",
      "the NVIDIA driver is for CUDA 11.8; CUDA 12 is the oldest that is used" },
    { "HYB_GPU_PATH=" STUB_DRIVER ":" PRETEND " " MODEL "--device gpu",
      "the NVIDIA driver is too old: it has no function cu" },
    { "HYB_GPU_PATH=" STUB_PRODUCTS ":" PRETEND " " MODEL "--device gpu",
      "libcublas.so.13 has no function cublas" },
    { "HYB_STUB_NVRTC=12.4 HYB_GPU_PATH=" STUB_COMPILER ":" PRETEND " " MODEL "--device gpu",
      "libnvrtc.so.13 is of version 12.4; all libraries must be of one major version" },
    { "HYB_PRETEND=cudnn=12000 " MODEL "--device gpu",
      "libcudnn.so.9 is made for CUDA 12, and the other libraries are of CUDA 13" },
    { MODEL "--device gpu:7", "there is no GPU 7: this machine has 1, counted from 0" },
    { MODEL "--device gpux", "“gpux” is not the name of a GPU" },
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

/* Where there is no driver, the sentence names the library that was looked for and says what to install. */
static void
test_no_driver (Fixture *fixture, gconstpointer unused)
{
  static const char *const parts[] = {
    "no NVIDIA driver is installed (libcuda.so.1 was not found)",
    "Install NVIDIA's driver, version 525 or newer",
    "Use --device cpu",
  };

  fixture_run_line (fixture, "LD_LIBRARY_PATH= HYB_GPU_PATH=/absent " MODEL "--device gpu");
  if (!strstr (fixture->err, parts[0]) && g_file_test ("/dev/nvidiactl", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("a driver is installed here");
      return;
    }
  g_assert_cmpint (fixture->code, ==, 4);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (!strstr (fixture->err, parts[i]))
      fixture_complain ("“%s” is not in %s", parts[i], fixture->err);

  /* A file that is no library is no driver, and the sentence says what is wrong with it. */
  fixture_run_line (fixture, "mkdir bad && echo none >bad/libcuda.so.1 && "
                             "LD_LIBRARY_PATH= HYB_GPU_PATH=$PWD/bad " MODEL "--device gpu");
  g_assert_cmpint (fixture->code, ==, 4);
  if (!strstr (fixture->err, "bad/libcuda.so.1: file too short"))
    fixture_complain ("no reason: %s", fixture->err);
}

/* A copy of a library that needs one which is not there; with sanitizers it does not name libc itself. */
#define BREAK(from, to) "LC_ALL=C sed 's/libm[.]so[.]6/libq.so.6/' " from " >bad/" to " && "

/* A library that is there but whose own dependency is missing: the sentence is the loader's, and no call of it ends the
 * program. */
static void
test_missing_dependency (Fixture *fixture, gconstpointer unused)
{
  static const char        loader[] = "libq.so.6: cannot open shared object file: No such file";
  static const char *const rows[][3] = {
    { BREAK (PRETEND "/libcudnn.so.9", "libcublas.so.12"), "HYB_PRETEND=driver=12040 ",
      "libcublas.so.12 is installed but cannot be opened: " },
    { "cp " PRETEND
      "/libcudnn.so.9 bad && " BREAK (PRETEND "/libcudnn.so.9", "libcudnn_graph.so.9"),
      "", "libcudnn_graph.so.9 is installed but cannot be opened: " },
    { BREAK (PRETEND "/libcudnn.so.9", "libcuda.so.1"),
      "LD_LIBRARY_PATH= ", "the NVIDIA driver cannot be opened: " },
  };
  /* A driver of this machine is found behind the broken one. */
  guint n = G_N_ELEMENTS (rows) - g_file_test ("/dev/nvidiactl", G_FILE_TEST_EXISTS);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *line =
          g_strdup_printf ("rm -rf bad && mkdir bad && %s %s HYB_GPU_PATH=$PWD/bad%s " MODEL
                           "--device gpu",
                           rows[i][0], rows[i][1], i == 2 ? "" : ":" PRETEND);

      fixture_run_line (fixture, line);
      if (fixture->code != 4 || !strstr (fixture->err, rows[i][2]) ||
          !strstr (fixture->err, loader))
        fixture_complain ("%s: exit %d, %s", line, fixture->code, fixture->err);
    }
}

/* A driver for CUDA 12 gets no library of CUDA 13. */
static void
test_missing_library (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "HYB_PRETEND=driver=12040 " MODEL "--device gpu");
  if (fixture->code == 0)
    {
      g_test_skip ("libraries of CUDA 12 are installed here");
      return;
    }
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, " is not installed ("));
  g_assert_nonnull (strstr (fixture->err, ".so.12"));
  g_assert_nonnull (strstr (fixture->err, "tools/gpu.sh fetches NVIDIA's libraries"));
  g_assert_null (strstr (fixture->err, ".so.13"));
}

#define ADD(name, function)                                                           \
  g_test_add ("/app/device-libraries/" name, Fixture, NULL, fixture_set_up, function, \
              fixture_tear_down)

TEST_PROGRAM (test_device_libraries)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("an-absent-GPU-is-explained", test_absent_device);
  ADD ("no-driver-is-explained", test_no_driver);
  ADD ("a-missing-library-is-named", test_missing_library);
  ADD ("a-missing-dependency-is-named", test_missing_dependency);
  return g_test_run ();
}
