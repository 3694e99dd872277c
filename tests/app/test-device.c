/* test-device.c — hscope run --device gpu: the processor's numbers on the pretend GPU, and the sentences
 * where the module is absent; hscope devices.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include "engine/formats/npz.h"

#include <string.h>

#define MODEL                                                                                    \
  "hscope run " SOURCE_ROOT                                                                      \
  "/tests/data/goldens/models/mlp-softmax-output/mlp-softmax-output-symbol.json --init uniform " \
  "--random-values --seed 3 --backward "

static HybTensorList *
read_arrays (Fixture *fixture, const char *name)
{
  g_autofree char *path = in_folder (fixture, name);
  g_autoptr (GError) error = NULL;
  HybTensorList *list = hyb_npz_read_file (path, &error);

  g_assert_no_error (error);
  return list;
}

static void
test_same_numbers (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (HybTensorList) host = NULL;
  g_autoptr (HybTensorList) device = NULL;

  fixture_run_line (fixture, MODEL "--gradients cpu.npz --device cpu");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->out, "GPU"));
  fixture_run_line (fixture, MODEL "--gradients gpu.npz --device gpu");
  if (strstr (fixture->err, "libnvrtc"))
    {
      g_test_skip ("libnvrtc.so.13 is not installed");
      return;
    }
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "The GPU computed "));

  host = read_arrays (fixture, "cpu.npz");
  device = read_arrays (fixture, "gpu.npz");
  g_assert_cmpuint (hyb_tensor_list_n (host), ==, hyb_tensor_list_n (device));
  for (guint i = 0; i < hyb_tensor_list_n (host); i++)
    {
      HybTensor *a = hyb_tensor_list_get (host, i)->tensor;
      HybTensor *b = hyb_tensor_list_get (device, i)->tensor;

      for (gint64 k = 0; k < hyb_tensor_get_size (a); k++)
        g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (a, k), hyb_tensor_get_value (b, k),
                                        1e-5);
    }
}

/* A kernel that does not compile: the host computes its step, and our log has the compiler's and the
 * text. */
static void
test_kernel_does_not_compile (Fixture *fixture, gconstpointer unused)
{
  static const char line[] = "G_MESSAGES_DEBUG=all XDG_CACHE_HOME=empty HYB_GPU_PATH=" STUB_COMPILER
                             ":" PRETEND " " MODEL "--device gpu";

  fixture_run_line (fixture, line);
  if (fixture->code != 0)
    fixture_complain ("exit %d, %s", fixture->code, fixture->err);
  g_assert_nonnull (strstr (fixture->out, "The GPU computed "));
  g_assert_nonnull (strstr (fixture->err,
                            "NVRTC: kernel.cu(7): error: this is the stub of a compiler\n"
                            "kernel.cu(8): error: another\n"));
  g_assert_nonnull (strstr (fixture->err, "The text was:\n"));
  g_assert_nonnull (
      strstr (fixture->err, "its kernel does not compile: kernel.cu(7): error: this is"));
}

/* A cache that cannot be written or read costs time and nothing else. */
static void
test_unreadable_cache (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "XDG_CACHE_HOME=/dev/null " MODEL "--device gpu");
  if (strstr (fixture->err, "libnvrtc"))
    {
      g_test_skip (fixture->err);
      return;
    }
  if (fixture->code != 0)
    fixture_complain ("exit %d, %s", fixture->code, fixture->err);
  g_assert_null (strstr (fixture->out, "The GPU computed 0 of "));
}

#define COMPARE "hscope compare gallery:mlp --no-ladder --repeat 2 --time-limit 5 "

/* Every form is measured on both devices; what a device cannot do is left out, and the output says why. */
static void
test_compare (Fixture *fixture, gconstpointer unused)
{
  static const struct
  {
    const char *line;
    int         code;
    const char *out[3], *err;
  } rows[] = {
    { COMPARE "--devices cpu,gpu --report r.html && grep -o 'as-is, static, gpu' r.html && "
              "grep -o '<b>gpu</b>: Pretend GPU, [^;]*; precise' r.html",
      0,
      { "as-is, static, cpu  ", "as-is, static, gpu  ", "<b>gpu</b>: Pretend GPU" },
      "" },
    { COMPARE "--devices gpu,cpu --modes hybrid,static --captures c && ls c-*",
      0,
      { "\ngpu      Pretend GPU, ", "precise: products", "c-0-as-is-hybrid-gpu.hscope" },
      "" },
    { COMPARE "--devices gpu:0 --json",
      0,
      { "\"device\": \"gpu:0\", \"passes\"", "\"name\": \"gpu:0\", \"description\": \"Pre", "" },
      "" },
    { "hscope compare 'gallery:mlp?hidden=5&batch=4' --repeat 1 --time-limit 5 --device gpu",
      0,
      { "\nladder of “as-is” on the GPU, ", "", "" },
      "" },
    { COMPARE "--device gpu --math fast", 0, { "as-is, static, gpu ", "fast: ", "" }, "" },
    { COMPARE "--json", 0, { "\"device\": \"cpu\", \"passes\"", "", "" }, "" },
    { "HYB_PRETEND=memory=64K " COMPARE "--devices cpu,gpu",
      0,
      { "as-is, static, cpu  ", "not measured: inference, as-is, static, gpu: the plan needs ",
        "" },
      "" },
    { "HYB_PRETEND=memory=64K " COMPARE "--devices gpu", 4, { "", "", "" }, ": the plan needs " },
    { "HYB_PRETEND=device=none " COMPARE "--devices cpu,gpu --json",
      0,
      { "\"gpu: the NVIDIA driver sees no GPU", "\"device\": \"cpu\"", "" },
      "warning: nothing is measured on “gpu”: the NVIDIA driver sees no GPU" },
    { "HYB_PRETEND=device=none " COMPARE "--devices gpu",
      4,
      { "", "", "" },
      "error: the NVIDIA driver sees no GPU" },
    { COMPARE "--devices cpu,tpu", 2, { "", "", "" }, "“tpu” must be cpu or gpu[:N]" },
    { "hscope compare gallery:lstm-hybrid --preset control-flow --devices cpu,gpu",
      2,
      { "", "", "" },
      "--preset measures on the processor" },
    { "hscope run gallery:mlp --init uniform --math exact", 2, { "", "", "" }, "precise, fast" },
    { "hscope bench --case sgemm-512 --repeat 1 --runs 1 --device gpu",
      0,
      { "\"device\": \"Pretend GPU, ", "\"checksum\": 0.09", "" },
      "" },
    { "hscope bench --case sgemm-512 --device gpu:7", 4, { "", "", "" }, "there is no GPU 7" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gboolean is_right;

      fixture_run_line (fixture, rows[i].line);
      if (strstr (fixture->err, "libnvrtc"))
        {
          g_test_skip ("libnvrtc.so.13 is not installed");
          return;
        }
      is_right = fixture->code == rows[i].code && strstr (fixture->err, rows[i].err);
      for (guint k = 0; k < G_N_ELEMENTS (rows[i].out); k++)
        is_right = is_right && strstr (fixture->out, rows[i].out[k]);
      if (!is_right)
        fixture_complain ("%s: exit %d, %s%s", rows[i].line, fixture->code, fixture->out,
                          fixture->err);
    }
}

/* prove computes both models there, and says how much of them. */
static void
test_prove (Fixture *fixture, gconstpointer unused)
{
  static const struct
  {
    const char *line;
    int         code;
    const char *out, *err;
  } rows[] = {
    { "hscope prove gallery:mlp gallery:mlp --device gpu", 0, "\nsecond model: The GPU computed ",
      "" },
    { "hscope prove gallery:mlp gallery:mlp --device gpu --math fast --json", 0,
      "\"gpu_work\": [\n    \"The GPU computed ", "" },
    { "hscope prove gallery:mlp 'gallery:mlp?hidden=7' --device gpu", 1, "NOT equal", "" },
    { "hscope prove gallery:mlp gallery:mlp --device gpu:7", 4, "", "there is no GPU 7" },
    { "hscope prove gallery:mlp gallery:mlp", 0, "equal on ", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      fixture_run_line (fixture, rows[i].line);
      if (strstr (fixture->err, "libnvrtc"))
        {
          g_test_skip ("libnvrtc.so.13 is not installed");
          return;
        }
      if (fixture->code != rows[i].code || !strstr (fixture->out, rows[i].out) ||
          !strstr (fixture->err, rows[i].err))
        fixture_complain ("%s: exit %d, %s%s", rows[i].line, fixture->code, fixture->out,
                          fixture->err);
    }
  g_assert_null (strstr (fixture->out, "GPU"));
}

/* A model on the GPU may control devices and keep kernels, and nothing else that the sandbox refuses. */
static void
test_sandbox (Fixture *fixture, gconstpointer unused)
{
  static const char *const refused[] = { "program: refused", "internet: refused", "mount: refused",
                                         "trace: refused",   "mode: refused",     "bpf: refused" };

  fixture_run_line (fixture,
                    "mkdir -p place cache; echo whole >place/victim; echo whole >place/second; "
                    "hscope --sandbox=strict --version >version 2>&1 && cat version");
  if (fixture->code != 0)
    {
      g_test_skip ("the kernel offers no whole sandbox");
      return;
    }
  fixture_run_line (fixture, "HYB_TEST_PLACE=$PWD/place hscope --sandbox run " APP_MODULES
                             "/attempts.so:trying "
                             "--init uniform --device gpu");
  if (strstr (fixture->err, "libnvrtc"))
    {
      g_test_skip ("libnvrtc.so.13 is not installed");
      return;
    }
  g_assert_nonnull (strstr (fixture->err, "control: done"));
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    if (!strstr (fixture->err, refused[i]))
      fixture_complain ("not “%s”: %s", refused[i], fixture->err);
  fixture_run_line (fixture, "HYB_TEST_PLACE=$PWD/place hscope --sandbox run " APP_MODULES
                             "/attempts.so:trying --init uniform");
  g_assert_nonnull (strstr (fixture->err, "control: refused"));
  /* Kernels are kept, though the cache is no output of the command. */
  fixture_run_line (fixture,
                    "XDG_CACHE_HOME=$PWD/cache hscope --sandbox run gallery:mlp --init uniform "
                    "--device gpu >text && ls cache/hybridscope/kernels | grep -c .");
  g_assert_cmpint (fixture->code, ==, 0);
}

/* The values of single operators come from the processor, which the output says. */
static void
test_values (Fixture *fixture, gconstpointer unused)
{
  static const char sentence[] = "The processor computed these values, in a run of its own:";

  fixture_run_line (fixture, MODEL "--values");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->out, sentence));
  fixture_run_line (fixture, MODEL "--values --device gpu");
  if (strstr (fixture->err, "libnvrtc"))
    {
      g_test_skip ("libnvrtc.so.13 is not installed");
      return;
    }
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, sentence));
}

/* A measurement says what it was made on, has all operators, and gives no advice about the processor;
 * beside one of the processor the devices are named. */
static void
test_profile (Fixture *fixture, gconstpointer unused)
{
  static const char *const expected[] = {
    "\"device\": \"Pretend GPU, ",
    "\"device.work\": \"The GPU computed 3 of 3 steps; ",
    "\"FullyConnected\"",
    "\"Activation\"",
    /* by 4 multiprocessors of 128 lanes at 1.5 GHz, and 256 bits twice at 1 GHz */
    "\"peak.flops\": 1.536e+12",
    "\"peak.bytes\": 6.4e+10",
  };
  static const char *const unexpected[] = { "\"wasted-time\"", "\"tiny-operators\"" };

  fixture_run_line (fixture,
                    "hscope profile gallery:mlp --init uniform --device gpu --repeat 2 --traced 2 "
                    "--capture gpu.hscope --json");
  if (strstr (fixture->err, "libnvrtc"))
    {
      g_test_skip ("libnvrtc.so.13 is not installed");
      return;
    }
  g_assert_cmpint (fixture->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    if (!strstr (fixture->out, expected[i]))
      fixture_complain ("%s is missing: %s", expected[i], fixture->out);
  for (guint i = 0; i < G_N_ELEMENTS (unexpected); i++)
    if (strstr (fixture->out, unexpected[i]))
      fixture_complain ("%s should not be there: %s", unexpected[i], fixture->out);

  fixture_run_line (fixture,
                    "hscope profile gallery:mlp --init uniform --repeat 2 --traced 2 --capture "
                    "cpu.hscope");
  fixture_run_line (fixture, "hscope compare cpu.hscope gpu.hscope");
  g_assert_nonnull (
      strstr (fixture->out, "device: “the processor” in the baseline, “Pretend GPU, "));
  fixture_run_line (fixture, "hscope report gpu.hscope");
  g_assert_nonnull (strstr (fixture->out, "\ndevice            Pretend GPU, "));
  g_assert_nonnull (strstr (fixture->out, "\nwork              The GPU computed 3 of 3 steps"));
  g_assert_nonnull (strstr (fixture->out, "\nproducts          precise: "));
  g_assert_nonnull (strstr (fixture->out, "\ntraced by         CUPTI 13.0\n"));
  g_assert_nonnull (strstr (fixture->out, "\nby the GPU        "));
  g_assert_nonnull (strstr (fixture->out, "\n(GPU idle) "));
  g_assert_null (strstr (fixture->out, "(GPU, no operator)"));
  g_assert_null (strstr (fixture->out, "\nTraced runs wait for the GPU after every operator"));
  g_assert_nonnull (strstr (fixture->out, "code for GPUs has never run on a GPU"));
}

/* Where the GPU cannot be traced, or records are lost, one sentence says so, and clean times are as ever. */
static void
test_untraced (Fixture *fixture, gconstpointer unused)
{
  static const char *const rows[][2] = {
    { "HYB_CUPTI=/absent.so",
      "CUPTI is not installed (libcupti.so.13, or .12 for older drivers, was not found)" },
    { "HYB_PRETEND=fail=cuptiActivityEnable:1:999",
      "CUPTI found no NVIDIA driver that it can use" },
    { "HYB_PRETEND=fail=cuptiActivityEnable:1:15", "the NVIDIA driver is older than CUPTI 13" },
    { "HYB_PRETEND=fail=cuptiSubscribe:1:39", "another profiler holds CUPTI" },
    { "HYB_PRETEND=fail=cuptiActivityEnable:1:35", "does not let this user trace the GPU" },
    { "HYB_PRETEND=fail=cuptiActivityEnable:1:26",
      "another program uses GPU resources that CUPTI needs" },
    { "HYB_PRETEND=drop=4", "4 records were lost by CUPTI" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line =
          g_strconcat (rows[i][0],
                       " hscope profile gallery:mlp --init uniform --device gpu --repeat 2 "
                       "--traced 2",
                       NULL);
      gboolean is_lost = strstr (rows[i][0], "drop") != NULL;

      fixture_run_line (fixture, line);
      if (strstr (fixture->err, "libnvrtc"))
        {
          g_test_skip ("libnvrtc.so.13 is not installed");
          return;
        }
      if (fixture->code != 0 || !strstr (fixture->out, rows[i][1]) ||
          !strstr (fixture->out, "\nclean runs ") ||
          (strstr (fixture->out, "\nTraced runs wait for the GPU after every operator: ") !=
           NULL) == is_lost)
        fixture_complain ("%s: exit %d, %s", rows[i][0], fixture->code, fixture->out);
    }
}

/* What operators of a recording take in all.  *n: how many there are. */
static double
sum_operators (Fixture *fixture, const char *line, int *n)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *operators, *item;
  double       sum = 0;

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  item = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "captures"), 0);
  operators = cJSON_GetObjectItem (item, "operators");
  cJSON_ArrayForEach (item, operators) sum +=
      cJSON_GetObjectItem (item, "self_seconds")->valuedouble;
  *n = cJSON_GetArraySize (operators);
  return sum;
}

/* A Chrome trace has the work of the GPU, and its import what the recording has; a decimal comma changes nothing.  There is
 * one traced run, because a recording leaves disturbed ones out of its means, and a trace does not say which were disturbed. */
static void
test_trace_file (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *text = NULL, *path = in_folder (fixture, "a.json");
  g_autoptr (cJSON) json = NULL;
  double sum, sum_again;
  int    n, n_again;

  fixture_run_line (fixture,
                    "LC_ALL=de_DE.UTF-8 hscope profile gallery:mlp --init uniform --device gpu "
                    "--repeat 2 --traced 1 --trace a.json --capture a.hscope");
  if (strstr (fixture->err, "libnvrtc"))
    {
      g_test_skip ("libnvrtc.so.13 is not installed");
      return;
    }
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  json = cJSON_Parse (text);
  g_assert_nonnull (json);
  g_assert_nonnull (strstr (text, "\"cat\":\"kernel\",\"name\":\"FullyConnected\""));
  g_assert_nonnull (strstr (text, "\"args\":{\"name\":\"copies\"}"));
  fixture_run_line (fixture, "hscope import a.json --symbol gallery:mlp --capture b.hscope");
  g_assert_cmpint (fixture->code, ==, 0);
  sum = sum_operators (fixture, "hscope report a.hscope --json", &n);
  sum_again = sum_operators (fixture, "hscope report b.hscope --json", &n_again);
  g_assert_cmpint (n, >, 1);
  g_assert_cmpint (n, ==, n_again);
  g_assert_cmpfloat_with_epsilon (sum, sum_again, 1e-9);
  g_assert_nonnull (strstr (fixture->out, "\"device\": \"Pretend GPU, "));
}

/* A right GPU passes, and a wrong one is found and named. */
static void
test_selftest (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "hscope selftest --device gpu --model mlp");
  if (strstr (fixture->err, "libnvrtc"))
    {
      g_test_skip ("libnvrtc.so.13 is not installed");
      return;
    }
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "7 arrays agree to "));
  g_assert_nonnull (strstr (fixture->out, "All 3 tests passed.\n"));

  fixture_run_line (fixture, "HYB_PRETEND=wrong=products hscope selftest --model mlp");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "FAILED: output 0 differs by 0.00"));
  g_assert_nonnull (strstr (fixture->out, "3 of 3 tests failed: do not rely on this GPU.\n"));

  fixture_run_line (fixture,
                    "HYB_PRETEND=fail=cuLaunchKernel:1:700 hscope selftest --model mlp --json");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "\"passed\": false"));
  g_assert_nonnull (strstr (fixture->out, "(FullyConnected): cuLaunchKernel failed with"));
  fixture_run_line (fixture, "hscope selftest --device cpu");
  g_assert_cmpint (fixture->code, ==, 2);
  fixture_run_line (fixture, "HYB_PRETEND=device=none hscope selftest");
  g_assert_cmpint (fixture->code, ==, 4);
  fixture_run_line (fixture, "hscope selftest --model no-such");
  g_assert_cmpint (fixture->code, ==, 3);
}

/* A list of devices is no failure where there is no GPU; it says what is missing. */
static void
test_devices (Fixture *fixture, gconstpointer unused)
{
  static const char *const rows[][2] = {
    { "HYB_GPU_MODULE=/absent.so hscope devices",
      "gpu      none: /absent.so: the GPU module cannot be loaded" },
    { "HYB_PRETEND=device=none hscope devices", "gpu      none: the NVIDIA driver sees no GPU.\n" },
    { "HYB_PRETEND=device=none hscope devices --json",
      "\"message\": \"the NVIDIA driver sees no GPU\"" },
    { "HYB_PRETEND=driver=11080 hscope devices --json", "\"hint\": \"Install a newer driver\"" },
    { "HYB_PRETEND=fail=cuDevicePrimaryCtxRetain:1:2 hscope devices",
      "gpu:0    cannot be opened: opening the GPU" },
    { "HYB_PRETEND=memory=64M hscope devices", "gpu:0    Pretend GPU, compute capability " },
    { "HYB_PRETEND=memory=64M hscope devices", "64.0 MiB of memory, 64.0 MiB free\n" },
    { "hscope devices", "/libcuda.so.1\n" },
    { "hscope devices", "has never run on a GPU" },
    { "hscope devices --json", "\"name\": \"gpu:0\", \"model\": \"Pretend GPU\"" },
    { "hscope devices --json", "\"proven\": false" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      fixture_run_line (fixture, rows[i][0]);
      if (strstr (fixture->out, "libnvrtc") && !strstr (fixture->out, "gpu:0"))
        continue;
      if (fixture->code != 0 || *fixture->err || !strstr (fixture->out, rows[i][1]) ||
          !(g_str_has_prefix (fixture->out, "cpu  ") || strstr (fixture->out, "\"name\": \"cpu\"")))
        fixture_complain ("%s: exit %d, %s%s", rows[i][0], fixture->code, fixture->out,
                          fixture->err);
    }
}

#define ADD(name, function) \
  g_test_add ("/app/device/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

TEST_PROGRAM (test_device)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("the-GPU-gives-the-processor's-numbers", test_same_numbers);
  ADD ("a-kernel-that-does-not-compile-is-left-to-the-host", test_kernel_does_not_compile);
  ADD ("an-unreadable-cache-costs-time-only", test_unreadable_cache);
  ADD ("prove-computes-on-a-GPU", test_prove);
  ADD ("forms-are-compared-on-both-devices", test_compare);
  ADD ("the-sandbox-lets-a-GPU-be-used", test_sandbox);
  ADD ("values-are-the-processor's", test_values);
  ADD ("a-profile-says-what-it-was-made-on", test_profile);
  ADD ("what-cannot-be-traced-is-said", test_untraced);
  ADD ("a-trace-file-is-read-back", test_trace_file);
  ADD ("a-self-test-finds-a-wrong-GPU", test_selftest);
  ADD ("devices-are-listed-with-what-is-missing", test_devices);
  return g_test_run ();
}
