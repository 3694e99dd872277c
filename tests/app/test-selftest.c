/* test-selftest.c — hscope selftest: operators that are right on the pretend GPU, that are wrong, and that
 * fail.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define MODEL \
  SOURCE_ROOT "/tests/data/goldens/models/mlp-softmax-output/mlp-softmax-output-symbol.json"

static gboolean
lacks_compiler (Fixture *fixture)
{
  if (!strstr (fixture->err, "libnvrtc"))
    return FALSE;
  g_test_skip ("libnvrtc.so.13 is not installed");
  return TRUE;
}

/* Forward and backward, in three types, replayed; random bits are the processor's. */
static void
test_right_operators (Fixture *fixture, gconstpointer unused)
{
  static const char *const wanted[] = { "Dropout", "_backward_Dropout", "_random_randint", "dot",
                                        "_backward_dot_lhs" };
  g_autoptr (cJSON) json = NULL;
  const cJSON *item, *operators;
  guint        n = 0;

  fixture_run_line (fixture, "hscope selftest --json --operator dot --operator Dropout --operator "
                             "_random_randint");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  operators = cJSON_GetObjectItem (json, "operators");
  cJSON_ArrayForEach (item, operators)
  {
    const char *name = cJSON_GetStringValue (cJSON_GetObjectItem (item, "name"));

    g_assert_true (cJSON_IsTrue (cJSON_GetObjectItem (item, "passed")));
    g_assert_cmpint (cJSON_GetObjectItem (item, "comparisons")->valueint, >, 2);
    for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
      n += strcmp (name, wanted[i]) == 0;
  }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (wanted));
  g_assert_cmpint (cJSON_GetObjectItem (json, "failed")->valueint, ==, 0);
  g_assert_null (cJSON_GetObjectItem (json, "tests")); /* no models */
  g_assert_cmpint (cJSON_GetObjectItem (json, "samples")->valueint, >, 2);
  item = cJSON_GetObjectItem (json, "samples_without_time");
  g_assert_true (cJSON_IsNumber (item));
  g_assert_cmpint (item->valueint, ==, 0);
}

/* The wrong operator is named, with the size of the difference; others are not blamed. */
static void
test_wrong_operator (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "HYB_PRETEND=wrong=products hscope selftest --quick --operator dot "
                             "--operator relu");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "FAILED: the self-test found a difference of 0.00"));
  g_assert_nonnull (strstr (fixture->out, "\ndot   "));
  g_assert_nonnull (strstr (fixture->out, " tests failed: do not rely on this GPU.\n"));
  g_assert_null (strstr (strstr (fixture->out, "\nrelu   "), "FAILED"));
}

/* A launch that fails once is the fault of its operator; after one that spoils the GPU nothing more is
 * tested. */
static void
test_failing_operator (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture,
                    "HYB_PRETEND=fail=cuLaunchKernel:1:1 hscope selftest --quick --operator relu "
                    "--operator softmax");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "FAILED: it failed in the self-test: "));
  g_assert_nonnull (strstr (fixture->out, "\nsoftmax   "));
  g_assert_null (strstr (fixture->out, "cannot go on"));

  fixture_run_line (fixture,
                    "HYB_PRETEND=fail=cuLaunchKernel:1:700 hscope selftest --quick --operator relu "
                    "--operator softmax");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "\nThe GPU cannot go on: it failed in the self-test: "));
}

/* The line of JSON of a part, or NULL.  (transfer full) */
static cJSON *
find_line (Fixture *fixture, const char *key, const char *name)
{
  g_auto (GStrv) lines = g_strsplit (fixture->out, "\n", -1);

  for (guint i = 0; lines[i]; i++)
    {
      g_autoptr (cJSON) json = cJSON_Parse (lines[i]);

      if (g_strcmp0 (cJSON_GetStringValue (cJSON_GetObjectItem (json, key)), name) == 0)
        return g_steal_pointer (&json);
    }
  return NULL;
}

static gboolean
has_passed (Fixture *fixture, const char *key, const char *name)
{
  g_autoptr (cJSON) line = find_line (fixture, key, name);

  g_assert_nonnull (line);
  return cJSON_IsTrue (cJSON_GetObjectItem (line, "passed"));
}

/* An error that spoils the GPU for its process, the 150th launch of it, costs the operator in which it happens: the next one
 * has a process of its own. */
static void
test_spoiled_process (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "HYB_PRETEND=fail=cuLaunchKernel:150:700 hscope selftest --json-lines "
                             "--operator relu --operator softmax --operator Dropout");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_true (has_passed (fixture, "operator", "relu"));
  g_assert_false (has_passed (fixture, "operator", "softmax"));
  g_assert_true (has_passed (fixture, "operator", "Dropout")); /* comes after softmax */
  g_assert_nonnull (strstr (fixture->out, "CUDA_ERROR_ILLEGAL_ADDRESS"));
}

/* A part that does not end is ended; the next one follows. */
static void
test_endless_part (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "hscope selftest --part-seconds 1 --operator relu --model "
                             "'lstm-unrolled?length=3' --json-lines");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "its process did not end within 1 seconds"));
  g_assert_false (has_passed (fixture, "model", "lstm-unrolled?length=3"));
}

/* The shards together test what one process does, and none tests it twice. */
static void
test_shards (Fixture *fixture, gconstpointer unused)
{
  static const char *const operators[] = { "relu", "softmax", "dot", "sigmoid" };
  static const char *const refused[] = { "0/3", "4/3", "x", "1/2/3", "/", "1/1001", "1/3 --quick" };
  guint                    n[G_N_ELEMENTS (operators)] = { 0 };

  for (guint shard = 1; shard <= 3; shard++)
    {
      g_autofree char *line =
          g_strdup_printf ("hscope selftest --json-lines --shard %u/3 --operator "
                           "relu --operator softmax --operator dot "
                           "--operator sigmoid",
                           shard);

      fixture_run_line (fixture, line);
      if (lacks_compiler (fixture))
        return;
      g_assert_cmpint (fixture->code, ==, 0);
      for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
        {
          g_autoptr (cJSON) found = find_line (fixture, "operator", operators[i]);

          n[i] += found != NULL;
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    g_assert_cmpuint (n[i], ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *line = g_strconcat ("hscope selftest --shard ", refused[i], NULL);

      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 2);
    }
}

/* The word “all” for every operator leaves out the models, and for every model the operators. */
static void
test_all_of_one_kind (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "hscope selftest --json-lines --shard 1/1000 --operator all");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "{\"operator\": "));
  g_assert_null (strstr (fixture->out, "{\"model\": "));
  fixture_run_line (fixture,
                    "hscope selftest --json-lines --shard 1/1000 --model all --part-seconds 1");
  g_assert_null (strstr (fixture->out, "{\"operator\": "));
  g_assert_nonnull (strstr (fixture->out, "{\"model\": "));
}

/* What was tested is on stdout before the next part ends: the reader leaves after the first line. */
static void
test_lines_are_flushed (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "hscope devices");
  if (lacks_compiler (fixture))
    return;
  fixture_run_line (fixture,
                    "mkfifo pipe && { timeout -s KILL 60 " HSCOPE
                    " selftest --json-lines --operator relu --model lstm-unrolled >pipe & } && "
                    "head -n 1 pipe && kill $!");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (has_passed (fixture, "operator", "relu"));
}

/* A sandbox starts no program, so that all parts share its process. */
static void
test_in_a_sandbox (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "hscope --sandbox selftest --operator relu --json-lines");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "{\"name\": \"relu\", \"passed\": true"));
}

/* Where no kernel compiles, the host computes every operator but the products of cuBLAS and the layers of cuDNN, and
 * nothing is wrong. */
static void
test_without_kernels (Fixture *fixture, gconstpointer unused)
{
  static const char *const left_out[] = { " take,", " pick,", " topk,", " gather_nd,",
                                          " LayerNorm," };

  fixture_run_line (fixture, "XDG_CACHE_HOME=$PWD/empty HYB_GPU_PATH=" STUB_COMPILER ":" PRETEND
                             " hscope selftest --quick");
  if (fixture->code != 0)
    fixture_complain ("exit %d, %s%s", fixture->code, fixture->out, fixture->err);
  g_assert_nonnull (strstr (fixture->out, "\ndot   "));
  g_assert_nonnull (strstr (fixture->out, " samples, 0 of them are wrong.\n"));
  for (guint i = 0; i < G_N_ELEMENTS (left_out); i++)
    if (!strstr (strstr (fixture->out, "\nNot compared: "), left_out[i]))
      fixture_complain ("“%s” was compared: %s", left_out[i], fixture->out);

  /* An operator of which nothing was compared has not passed. */
  fixture_run_line (fixture, "XDG_CACHE_HOME=$PWD/empty HYB_GPU_PATH=" STUB_COMPILER ":" PRETEND
                             " hscope selftest --operator take --json-lines");
  g_assert_false (has_passed (fixture, "operator", "take"));
  fixture_run_line (fixture, "XDG_CACHE_HOME=$PWD/empty HYB_GPU_PATH=" STUB_COMPILER ":" PRETEND
                             " hscope selftest --operator take");
  g_assert_nonnull (strstr (fixture->out, "\ntake  "));
  g_assert_nonnull (strstr (fixture->out, " was not compared: the processor computes it.\n"));
  g_assert_nonnull (strstr (fixture->out, "\nNothing was compared: "));
}

/* Models of a folder, with the inputs beside them; nothing is taken for a model that is none.  In one of them the
 * gradient of a bias is 0, so that both devices give rounding errors. */
static void
test_goldens (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "mkdir -p goldens/empty none && cp -r " SOURCE_ROOT
                             "/tests/data/goldens/models/mlp-softmax-output " SOURCE_ROOT
                             "/tests/data/goldens/models/inception-block goldens/ && "
                             "hscope selftest --goldens goldens");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "\nmlp-softmax-output               static "));
  g_assert_nonnull (strstr (fixture->out, " 5 arrays agree to "));
  g_assert_nonnull (strstr (fixture->out, "\nAll 6 tests passed.\n"));
  fixture_run_line (fixture, "HYB_PRETEND=wrong=products hscope selftest --goldens goldens --json");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "\"passed\": false"));
  fixture_run_line (fixture, "hscope selftest --goldens none");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "none: there is no model NAME/NAME-symbol.json with "));
  fixture_run_line (fixture, "hscope selftest --goldens absent");
  g_assert_cmpint (fixture->code, ==, 3);
  fixture_run_line (fixture, "echo x >goldens/mlp-softmax-output/input.npz && hscope selftest "
                             "--goldens goldens");
  g_assert_cmpint (fixture->code, ==, 3);
}

static void
test_usage (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "hscope selftest --operator no_such");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "a GPU computes no operator of this name"));
  fixture_run_line (fixture, "HYB_PRETEND=device=none hscope selftest --operator dot");
  g_assert_cmpint (fixture->code, ==, 4);
}

/* --- Verdicts --- */

#define CACHE    "XDG_CACHE_HOME=$PWD/cache "
#define RUN      "hscope run " MODEL " --init uniform --random-values --seed 3 --device gpu"
#define FIRST    CACHE "HYB_SELFTEST=FullyConnected,softmax "
#define LATER    CACHE "HYB_SELFTEST= " /* the verdict that is kept counts */
#define UNPROVEN "has never run on a GPU"

/* A wrong operator goes to the host, in this run and in later ones, and everybody says so. */
static void
test_first_run (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "HYB_PRETEND=wrong=products " FIRST RUN " --output gpu.npz");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (
      strstr (fixture->err, "note: the first run on Pretend GPU, driver for CUDA 13.0"));
  g_assert_nonnull (
      strstr (fixture->err, "wrong on the GPU: FullyConnected in float32 (differs by 0.00"));
  g_assert_null (strstr (fixture->err, "softmax ("));
  g_assert_nonnull (strstr (fixture->out, "The GPU computed "));
  fixture_run_line (fixture, "hscope run " MODEL
                             " --init uniform --random-values --seed 3 --output cpu.npz && "
                             "hscope weights cpu.npz gpu.npz");
  g_assert_cmpint (fixture->code, ==, 0);

  /* The verdict is kept, although no test is made now. */
  fixture_run_line (fixture, "HYB_PRETEND=wrong=products " LATER RUN " --output again.npz");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->err, "the first run on"));
  fixture_run_line (fixture, "cmp gpu.npz again.npz");
  g_assert_cmpint (fixture->code, ==, 0);

  /* Where it is switched off, the verdict does not count either. */
  fixture_run_line (fixture, "HYB_PRETEND=wrong=products " CACHE RUN " --output off.npz");
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "cmp gpu.npz off.npz");
  g_assert_cmpint (fixture->code, !=, 0);
  fixture_run_line (fixture, CACHE "hscope devices");
  g_assert_nonnull (
      strstr (fixture->out, "wrong on the GPU: FullyConnected in float32 (differs by 0.00"));
  fixture_run_line (fixture, CACHE "hscope devices --json");
  g_assert_nonnull (strstr (fixture->out, "\"proven\": false"));
  g_assert_nonnull (strstr (fixture->out,
                            "\"wrong_operators\": [{\"name\": \"FullyConnected\", \"type\": "
                            "\"float32\", \"error\": 0.00"));
  fixture_run_line (fixture, LATER
                    "hscope profile " MODEL
                    " --init uniform --device gpu --repeat 2 --traced 1 --capture a.hscope && "
                    "hscope report a.hscope");
  g_assert_nonnull (
      strstr (fixture->out, "FullyConnected in float32: the self-test found a difference of 0.00"));
  g_assert_nonnull (strstr (fixture->out, UNPROVEN));
}

/* An operator without a gradient is the only one that fails. */
static void
test_single_failure (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture,
                    "HYB_PRETEND=fail=cuLaunchKernel:1:1 " CACHE "HYB_SELFTEST=floor " RUN);
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (
      strstr (fixture->err, "wrong on the GPU: floor in float32 (it failed in the self-test"));
}

/* Where all is right, devices and reports say so and do not warn. */
static void
test_right_verdict (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, FIRST RUN);
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (
      strstr (fixture->err,
              "note: The quick self-test compared 6 operators with the processor's on "
              "this machine: they agree.\n"));
  fixture_run_line (fixture, CACHE "hscope devices");
  g_assert_nonnull (strstr (fixture->out, "on this machine: they agree."));
  g_assert_null (strstr (fixture->out, UNPROVEN));
  fixture_run_line (fixture, CACHE "hscope devices --json");
  g_assert_nonnull (strstr (fixture->out, "\"proven\": true"));
  fixture_run_line (fixture, LATER "hscope profile " MODEL
                                   " --init uniform --device gpu --repeat 2 --traced 1");
  g_assert_nonnull (strstr (fixture->out, "\ndevice  "));
  g_assert_null (strstr (fixture->out, UNPROVEN));

  /* Another driver is another GPU. */
  fixture_run_line (fixture, CACHE "HYB_PRETEND=memory=64M hscope devices");
  g_assert_nonnull (strstr (fixture->out, UNPROVEN));
}

#define MODELS                                                                            \
  CACHE "HYB_SELFTEST=dot,'gallery:lstm-unrolled?length=3&batch=2,gallery:lstm-lm?length" \
        "=3&batch=2' "

/* Models are compared, too, once wrong operators are left to the host, and a replay that fails is said in each run. */
static void
test_first_run_of_models (Fixture *fixture, gconstpointer unused)
{
  static const char warning[] =
      "warning: The quick self-test compared 3 operators and 2 runs of models with the "
      "processor's on this machine. 1 of the runs of models differed: do not rely on this GPU.\n";

  fixture_run_line (fixture, MODELS RUN);
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, " 3 operators and 2 runs of models with the "));
  g_assert_nonnull (strstr (fixture->err, ": they agree.\n"));

  fixture_run_line (fixture, "rm -r cache && HYB_PRETEND=fail=cuGraphLaunch:1:1 " MODELS RUN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (
      strstr (fixture->err,
              "warning: the self-test of “lstm-unrolled?length=3&batch=2” in static mode: "));
  g_assert_nonnull (strstr (fixture->err, warning));
  fixture_run_line (fixture, LATER RUN);
  g_assert_nonnull (strstr (fixture->err, warning));
  fixture_run_line (fixture, CACHE "hscope devices --json");
  g_assert_nonnull (strstr (fixture->out, "\"selftest\": {\"quick\": true, \"operators\": 3, "
                                          "\"samples_without_time\": 0, \"model_runs\": 2, "
                                          "\"model_runs_failed\": 1}"));
  g_assert_nonnull (strstr (fixture->out, "\"proven\": false"));
}

/* On a terminal words are whole and lines go on below each other. */
static void
test_lines_on_a_terminal (Fixture *fixture, gconstpointer unused)
{
  g_auto (GStrv) lines = NULL;

  fixture_run_line (fixture, FIRST RUN);
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture,
                    CACHE "script -qec 'stty cols 50; " HSCOPE " devices' /dev/null </dev/null");
  g_assert_cmpint (fixture->code, ==, 0);
  lines = g_strsplit_set (fixture->out, "\r\n", -1);
  for (guint i = 0; lines[i]; i++)
    if (!strchr (lines[i], '/')) /* a path is not broken */
      g_assert_cmpint (g_utf8_strlen (lines[i], -1), <=, 50);
  g_assert_nonnull (strstr (fixture->out, "\n         The quick self-test compared 6 operators\r"));
  g_assert_nonnull (strstr (fixture->out, "\n         with the processor's on this machine:"));
}

/* What somebody else wrote where the verdict should be is not believed, and nothing waits for it. */
static void
test_hostile_verdicts (Fixture *fixture, gconstpointer unused)
{
  static const char *const deeds[] = {
    "echo nonsense >$file",
    ": >$file",
    "rm $file && mkfifo $file",
    "rm $file && mkdir $file",
    "rm $file && ln -s /dev/zero $file",
    "head -c 300000 /dev/zero >$file",
    "sed -i s/verdict.3/verdict.4/ $file",
    "sed -i s/operators=/operators=-/ $file",
    "sed -i s/operators=/operators=9999999/ $file",
    "printf '[wrong float32 no_such]\nerror=1\nwhy=a\n' >>$file",
    "printf '[wrong float32 dot]\nerror=nan\nwhy=a\n' >>$file",
    "printf '[wrong float32 dot]\nerror=-1\nwhy=a\n' >>$file",
    "printf '[wrong float32 dot]\nerror=1\n' >>$file",
    "printf '[wrong float32 dot]\nerror=1\nwhy=a\\\\tb\n' >>$file",
    "printf '[wrong float32 dot]\nerror=1\nwhy=\\377\n' >>$file",
    "printf '[wrong dot]\nerror=1\nwhy=a\n' >>$file",
    "printf '[wrong float33 dot]\nerror=1\nwhy=a\n' >>$file",
    "printf '[other]\nerror=1\n' >>$file",
  };

  fixture_run_line (fixture, FIRST RUN);
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "cp -r cache kept && " CACHE "hscope devices");
  g_assert_null (strstr (fixture->out, UNPROVEN));
  for (guint i = 0; i < G_N_ELEMENTS (deeds); i++)
    {
      g_autofree char *line = g_strconcat ("rm -rf cache && cp -r kept cache && file=$(echo "
                                           "cache/hybridscope/selftest/*.verdict) && ",
                                           deeds[i], " && " CACHE "hscope devices", NULL);

      fixture_run_line (fixture, line);
      if (fixture->code != 0 || *fixture->err || !strstr (fixture->out, UNPROVEN))
        fixture_complain ("%s: exit %d, %s%s", deeds[i], fixture->code, fixture->out, fixture->err);
    }
}

/* A verdict is written like every file: what a run leaves that is killed meanwhile, the next one removes. */
static void
test_killed_runs (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture,
                    "mkdir -p cache/hybridscope/selftest && cd cache/hybridscope/selftest && "
                    "place=$PWD && "
                    "cd ../../.. && for at in 1 2 3 4 5; do " FIRST
                    "FAIL_AT=$at FAIL_HOW=kill FAIL_UNDER=$place LD_PRELOAD=" APP_MODULES
                    "/fail-write.so " RUN
                    " >run.log 2>&1; rm -f $place/*.verdict; done; cat run.log >&2; " FIRST RUN
                    " >again.log 2>&1; ls -A $place");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (g_str_has_suffix (fixture->out, ".verdict\n"));
  g_assert_true (strchr (fixture->out, '\n') == strrchr (fixture->out, '\n'));
}

/* What lies where the verdict should be is replaced, and not written through. */
static void
test_replaced_pipes (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, FIRST RUN);
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture,
                    "file=$(echo cache/hybridscope/selftest/*.verdict) && rm $file && mkfifo $file "
                    "&& " FIRST RUN " && head -n 1 $file");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "[verdict]\n"));
}

/* A run goes on where nothing can be kept, and where the GPU does not survive the test it says why. */
static void
test_no_verdict (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "XDG_CACHE_HOME=/dev/null HYB_SELFTEST=softmax " RUN);
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (
      strstr (fixture->err,
              "warning: the result cannot be kept, so that the next run tests again: "));
  fixture_run_line (fixture,
                    "HYB_PRETEND=fail=cuLaunchKernel:1:700 " CACHE "HYB_SELFTEST=softmax " RUN);
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (
      strstr (fixture->err, "warning: the self-test of the GPU did not come to its end: "));
  fixture_run_line (fixture, "ls cache/hybridscope/selftest");
  g_assert_cmpint (fixture->code, !=, 0);
  fixture_run_line (fixture, CACHE RUN); /* HYB_SELFTEST=off */
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->err, "the first run on"));
}

#define ADD(name, function) \
  g_test_add ("/app/selftest/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

TEST_PROGRAM (test_selftest)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("right-operators-pass", test_right_operators);
  ADD ("a-wrong-operator-is-named", test_wrong_operator);
  ADD ("a-failing-operator-is-named", test_failing_operator);
  ADD ("an-error-that-spoils-the-GPU-costs-one-operator", test_spoiled_process);
  ADD ("a-part-that-does-not-end-is-ended", test_endless_part);
  ADD ("shards-share-the-test", test_shards);
  ADD ("all-operators-or-all-models", test_all_of_one_kind);
  ADD ("each-part-is-printed-when-it-is-tested", test_lines_are_flushed);
  ADD ("in-a-sandbox-parts-share-the-process", test_in_a_sandbox);
  ADD ("operators-whose-kernels-do-not-compile-are-the-host's", test_without_kernels);
  ADD ("models-of-a-folder-are-compared", test_goldens);
  ADD ("unknown-operators-and-absent-GPUs-are-refused", test_usage);
  ADD ("the-first-run-takes-wrong-operators-out", test_first_run);
  ADD ("a-single-operator-that-fails-is-named", test_single_failure);
  ADD ("a-right-GPU-is-known-from-then-on", test_right_verdict);
  ADD ("the-first-run-compares-models", test_first_run_of_models);
  ADD ("lines-fit-a-terminal", test_lines_on_a_terminal);
  ADD ("verdicts-of-others-are-not-believed", test_hostile_verdicts);
  ADD ("what-killed-runs-leave-is-removed", test_killed_runs);
  ADD ("a-pipe-in-the-place-of-a-verdict-is-replaced", test_replaced_pipes);
  ADD ("a-run-needs-no-verdict", test_no_verdict);
  return g_test_run ();
}
