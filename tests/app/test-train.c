/* test-train.c — hscope new, trace and train from outside.
 *
 * Each test runs the program in a temporary folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npz.h"

#include "hscope-fixture.h"
#include "tests/program.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LANGUAGE_MODEL "gallery:lstm-lm?hidden=48&embedding=16"

/* Splits a command line as a shell does; %s is replaced by the folder.  (transfer full) */
static char **
arguments_of (Fixture *fixture, const char *line)
{
  g_autoptr (GString) text = g_string_new ("'" HSCOPE "' ");
  char **words;

  g_string_append (text, line);
  g_string_replace (text, "%s", fixture->folder, 0);
  g_assert_true (g_shell_parse_argv (text->str, NULL, &words, NULL));
  return words;
}

static void
hscope (Fixture *fixture, const char *line)
{
  g_auto (GStrv) words = arguments_of (fixture, line);

  fixture_run (fixture, words);
}

static void
assert_refused (Fixture *fixture, const char *line, int code, const char *message)
{
  hscope (fixture, line);
  g_assert_cmpint (fixture->code, ==, code);
  if (!strstr (fixture->err, message))
    g_error ("“%s” says: %s", line, fixture->err);
}

static double
number (const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem (object, key);

  g_assert_true (cJSON_IsNumber (item));
  return item->valuedouble;
}

static void
assert_same_file (Fixture *fixture, const char *a, const char *b)
{
  g_autofree char *a_path = in_folder (fixture, a), *b_path = in_folder (fixture, b);
  g_autofree char *a_text = NULL, *b_text = NULL;
  gsize            a_size = 0, b_size = 0;

  g_assert_true (g_file_get_contents (a_path, &a_text, &a_size, NULL));
  g_assert_true (g_file_get_contents (b_path, &b_text, &b_size, NULL));
  g_assert_cmpmem (a_text, a_size, b_text, b_size);
}

static void
test_new (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  g_autoptr (cJSON) info = NULL;
  g_autoptr (cJSON) list = NULL;

  hscope (fixture, "new --list --json");
  g_assert_cmpint (fixture->code, ==, 0);
  list = parse_output (fixture);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (list, "models")), >=, 19);

  hscope (fixture, "new 'mlp?inputs=8&hidden=4' --output '%s/m' --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "written")), ==, 2);
  hscope (fixture, "info '%s/m-symbol.json' --json");
  info = parse_output (fixture);
  g_assert_cmpfloat (number (info, "nodes"), ==, number (json, "nodes"));

  assert_refused (fixture, "new mlp", 2, "--output");
  assert_refused (fixture, "new nothing --output '%s/x'", 3, "the gallery has no model");
  assert_refused (fixture, "new 'mlp?depth=3' --output '%s/x'", 4, "inputs=512 (features");
  assert_refused (fixture, "trace '%s/m-symbol.json' --output x", 2, "FILE.so");
}

/* --shape replaces the usual shapes of a gallery model. */
static void
test_shapes (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) info = NULL;
  const cJSON *shape;

  hscope (fixture, "info 'gallery:lstm-lm?hidden=8' --shape data0=5,3 --json");
  info = parse_output (fixture);
  shape =
      cJSON_GetObjectItem (cJSON_GetArrayItem (cJSON_GetObjectItem (info, "outputs"), 0), "shape");
  g_assert_cmpint (cJSON_GetArrayItem (shape, 0)->valueint, ==, 5);
  g_assert_cmpint (cJSON_GetArrayItem (shape, 1)->valueint, ==, 3);
}

/* --shape may leave dimensions open. */
static void
test_unknown_dimensions (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) info = NULL;
  const cJSON *shape;

  hscope (fixture, "info 'gallery:mlp?inputs=8&classes=5' --shape 'data=?,8' --json");
  g_assert_cmpint (fixture->code, ==, 0);
  info = parse_output (fixture);
  shape =
      cJSON_GetObjectItem (cJSON_GetArrayItem (cJSON_GetObjectItem (info, "outputs"), 0), "shape");
  g_assert_true (cJSON_IsNull (cJSON_GetArrayItem (shape, 0)));
  g_assert_cmpint (cJSON_GetArrayItem (shape, 1)->valueint, ==, 5);
  assert_refused (fixture, "run 'gallery:mlp?inputs=8' --shape 'data=?,8'", 4,
                  "only known as (?, 8)");
}

static void
test_language_model (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *epoch;

  hscope (fixture, "train '" LANGUAGE_MODEL "' --epochs 2 --sample 30 --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_cmpfloat (number (json, "samples_per_second"), >, 0);
  g_assert_cmpfloat (number (json, "last_loss"), <, number (json, "first_loss"));
  g_assert_cmpfloat (number (cJSON_GetObjectItem (json, "metric"), "held_out"), <,
                     0.6 * number (json, "unigram_perplexity"));
  epoch = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "epochs"), 1);
  g_assert_true (cJSON_IsString (cJSON_GetObjectItem (epoch, "sample")));
}

/* The parts of a step are the rows of the capture, and make up the step. */
static void
test_capture (Fixture *fixture, gconstpointer unused)
{
  static const char *const parts[] = { "forward pass", "backward pass", "update of parameters" };
  g_autoptr (cJSON) json = NULL;
  const cJSON *capture, *node;
  double       sum = 0;
  guint        n_found = 0;

  fixture_run_line (fixture,
                    "hscope train gallery:mlp --epochs 1 --capture c.hscope >log && hscope report "
                    "c.hscope --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  capture = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "captures"), 0);
  cJSON_ArrayForEach (node, cJSON_GetObjectItem (capture, "nodes"))
  {
    const char *name = cJSON_GetStringValue (cJSON_GetObjectItem (node, "name"));

    sum += number (node, "share");
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
      n_found += strcmp (name, parts[i]) == 0 && number (node, "self_seconds") > 0;
  }
  g_assert_cmpuint (n_found, ==, G_N_ELEMENTS (parts));
  g_assert_cmpfloat_with_epsilon (sum + number (capture, "between_share"), 1, 1e-3);
}

static guint
count_lines (Fixture *fixture, const char *name)
{
  g_autofree char *path = in_folder (fixture, name);
  g_autofree char *text = NULL;
  guint            n = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  for (const char *at = text; (at = strchr (at, '\n')); at++)
    n++;
  return n;
}

static gboolean
has_file (Fixture *fixture, const char *name)
{
  g_autofree char *path = in_folder (fixture, name);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* A process that is killed between two files leaves some of one epoch and some of another. */
static void
test_mixed_checkpoints (Fixture *fixture, gconstpointer unused)
{
  static const char train[] =
      "train gallery:mlp --threads 1 --output '%s/a' --set learning_rate=0.01 --epochs ";
  g_autofree char *two = g_strconcat (train, "2", NULL);
  g_autofree char *again = g_strconcat (train, "2 --resume", NULL);
  g_autofree char *first = in_folder (fixture, "a-0001.params");
  g_autofree char *states = in_folder (fixture, "a-0002.states");
  g_autofree char *params = in_folder (fixture, "a-0002.params");
  g_autofree char *whole = NULL, *other = NULL, *now = NULL;
  gsize            size, other_size, now_size;

  hscope (fixture, two);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (g_file_get_contents (params, &whole, &size, NULL));
  g_assert_true (g_file_get_contents (first, &other, &other_size, NULL));

  /* The parameters of another moment. */
  g_assert_true (g_file_set_contents (params, other, (gssize) other_size, NULL));
  hscope (fixture, again);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "a-0002.states were not saved together"));
  g_assert_nonnull (strstr (fixture->err, "a-0001.states after step"));
  g_assert_true (g_file_get_contents (params, &now, &now_size, NULL));
  g_assert_cmpmem (whole, size, now, now_size);

  /* The states have not been written. */
  g_assert_cmpint (g_remove (states), ==, 0);
  hscope (fixture, again);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "a-0002.states is not there"));
  g_assert_nonnull (strstr (fixture->err, "a-0001.states after step"));
  g_assert_true (g_file_test (states, G_FILE_TEST_EXISTS));
}

static void
test_interrupted (Fixture *fixture, gconstpointer unused)
{
  g_auto (GStrv) words =
      arguments_of (fixture,
                    "train '" LANGUAGE_MODEL "' --epochs 2 --sample -1 --threads 1 --output '%s/b' "
                    "--log '%s/b.log'");
  GPid  pid;
  int   status;
  guint n_steps, n_epoch;

  hscope (fixture, "train '" LANGUAGE_MODEL
                   "' --epochs 2 --sample -1 --threads 1 --output '%s/a' --log '%s/a.log'");
  g_assert_cmpint (fixture->code, ==, 0);

  g_assert_true (g_spawn_async (NULL, words, NULL,
                                G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
                                    G_SPAWN_STDERR_TO_DEV_NULL,
                                NULL, NULL, &pid, NULL));
  while (count_lines (fixture, "b.log") < 10 && waitpid (pid, &status, WNOHANG) == 0)
    g_usleep (2000);
  kill (pid, SIGINT);
  waitpid (pid, &status, 0);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 130);
  g_test_message ("interrupted after %u steps", count_lines (fixture, "b.log"));

  /* An interrupted epoch has no number. */
  n_steps = count_lines (fixture, "b.log");
  n_epoch = count_lines (fixture, "a.log") / 2;
  g_assert_true (has_file (fixture, "b-0001.params") == (n_steps >= n_epoch));
  g_assert_true (has_file (fixture, "b-0002.params") == (n_steps >= 2 * n_epoch));
  g_assert_true (has_file (fixture, "b-interrupted.params") == (n_steps % n_epoch != 0));
  g_assert_true (has_file (fixture, "b-interrupted.states") == (n_steps % n_epoch != 0));

  hscope (fixture, "train '" LANGUAGE_MODEL "' --epochs 2 --sample -1 --threads 1 --output '%s/b' "
                   "--log '%s/b.log' --resume");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (!strstr (fixture->err, "b-interrupted.states") == (n_steps % n_epoch == 0));
  g_assert_false (has_file (fixture, "b-interrupted.params"));
  g_assert_false (has_file (fixture, "b-interrupted.states"));
  assert_same_file (fixture, "a.log", "b.log");
  assert_same_file (fixture, "a-0001.params", "b-0001.params");
  assert_same_file (fixture, "a-0002.params", "b-0002.params");
  assert_same_file (fixture, "a-0002.states", "b-0002.states");
}

/* Fills a pipe, so that writing to it waits until somebody reads. */
static void
fill_pipe (int fd)
{
  const char byte = ' ';
  int        flags = fcntl (fd, F_GETFL);

  g_assert_cmpint (fcntl (fd, F_SETFL, flags | O_NONBLOCK), ==, 0);
  while (write (fd, &byte, 1) == 1)
    ;
  g_assert_cmpint (fcntl (fd, F_SETFL, flags), ==, 0);
}

/* TRUE if the process catches SIGINT. */
static gboolean
catches_interrupts (GPid pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) pid);
  g_autofree char *text = NULL;
  const char      *mask;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  mask = strstr (text, "SigCgt:");
  return mask && g_ascii_strtoull (mask + strlen ("SigCgt:"), NULL, 16) & (1u << (SIGINT - 1));
}

/* TRUE if no thread waits for signals any more: the first one has cancelled the training. */
static gboolean
is_cancelled (GPid pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/task", (int) pid);
  g_autoptr (GDir) tasks = g_dir_open (path, 0, NULL);
  const char *task;

  g_assert_nonnull (tasks);
  while ((task = g_dir_read_name (tasks)))
    {
      g_autofree char *file = g_build_filename (path, task, "comm", NULL);
      g_autofree char *name = NULL;

      if (g_file_get_contents (file, &name, NULL, NULL) && g_str_equal (name, "signals\n"))
        return FALSE;
    }
  return TRUE;
}

static void
wait_until (gboolean (*is_so) (GPid), GPid pid)
{
  for (guint i = 0; !is_so (pid); i++)
    {
      g_assert_cmpuint (i, <, 6000);
      g_usleep (10000);
    }
}

/* The thread gets its name after it has begun. */
static gboolean
waits_for_signals (GPid pid)
{
  return !is_cancelled (pid);
}

/* The first line of output waits for the full pipe, so that no step is done when the signal comes. */
static void
test_interrupted_before_the_first_step (Fixture *fixture, gconstpointer unused)
{
  g_auto (GStrv) words =
      arguments_of (fixture, "train gallery:mlp --epochs 2 --threads 1 --output '%s/b'");
  char   piece[65536];
  int    ends[2], err_fd, status;
  gssize n;
  GPid   pid;

  g_assert_cmpint (pipe (ends), ==, 0);
  fill_pipe (ends[1]);
  g_assert_true (g_spawn_async_with_pipes_and_fds (NULL, (const char *const *) words, NULL,
                                                   G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, -1,
                                                   ends[1], -1, NULL, NULL, 0, &pid, NULL, NULL,
                                                   &err_fd, NULL));
  g_close (ends[1], NULL);
  wait_until (catches_interrupts, pid);
  wait_until (waits_for_signals, pid);
  g_assert_cmpint (kill (pid, SIGINT), ==, 0);
  wait_until (is_cancelled, pid);
  while (read (ends[0], piece, sizeof piece) > 0)
    ;
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 130);
  n = read (err_fd, piece, sizeof piece - 1);
  g_assert_cmpint (n, >, 0);
  piece[n] = '\0';
  if (!strstr (piece, "interrupted before the first step, so nothing was saved"))
    g_error ("the command said: %s", piece);
  g_assert_false (has_file (fixture, "b-interrupted.params"));
  g_close (ends[0], NULL);
  g_close (err_fd, NULL);
}

static void
test_crash (Fixture *fixture, gconstpointer unused)
{
  assert_refused (fixture, "info " HYB_MODULES "/crash.so", 4, "crash.so: the plug-in crashed");
}

/* 42949674 epochs of 100 batches: the number of steps has 33 bits. */
static void
test_progress_of_many_steps (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "hscope train gallery:mlp --epochs 42949674 --progress json 2>&1 "
                             "> /dev/null | head -n 1");
  g_assert_nonnull (strstr (fixture->out, "\"done\": 1, \"total\": 4294967400, "));
}

/* Gallery models have example inputs. */
static void
test_examples (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *shape;

  hscope (fixture, "run 'gallery:seq2seq?hidden=8' --json");
  g_assert_cmpint (fixture->code, ==, 0);
  hscope (fixture, "run 'gallery:lstm-lm?hidden=8' --shape data0=5,3 --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  shape =
      cJSON_GetObjectItem (cJSON_GetArrayItem (cJSON_GetObjectItem (json, "outputs"), 1), "shape");
  g_assert_cmpint (cJSON_GetArrayItem (shape, 1)->valueint, ==, 3);
}

/* A checkpoint can be loaded into the gallery model and trained as a pair of files, with the same
 * result. */
static void
test_checkpoint (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) trained = NULL;
  g_autoptr (cJSON) from_pair = NULL;
  g_autoptr (cJSON) from_gallery = NULL;
  const char      *text = HYB_GALLERY "/genesis.txt";
  g_autofree char *line = NULL;

  hscope (fixture,
          "train '" LANGUAGE_MODEL "' --epochs 1 --sample -1 --threads 1 --output '%s/a' --json");
  trained = parse_output (fixture);
  hscope (fixture, "train '" LANGUAGE_MODEL
                   "' '%s/a-0001.params' --epochs 1 --sample -1 --threads 1 --json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->err, "warning"));
  from_gallery = parse_output (fixture);
  g_assert_cmpfloat (number (from_gallery, "first_loss"), <, 0.8 * number (trained, "first_loss"));

  line =
      g_strdup_printf ("train '%%s/a-symbol.json' --data '%s' --shape data0=35,32 --carry data1=1 "
                       "--carry data2=2 --optimizer adam --set learning_rate=0.003 "
                       "--clip-global-norm 1 --sample -1 --threads 1 --json",
                       text);
  hscope (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  from_pair = parse_output (fixture);
  g_assert_cmpfloat (number (from_pair, "first_loss"), ==, number (from_gallery, "first_loss"));
  g_assert_cmpfloat (number (from_pair, "last_loss"), ==, number (from_gallery, "last_loss"));
}

/* A pair without parameters, batches from a file. */
static void
test_batches (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data =
      hyb_tensor_new_zeros (&(HybType){ hyb_shape_3d (4, 2, 8), HYB_F32 }, NULL);
  g_autoptr (HybTensor) label =
      hyb_tensor_new_zeros (&(HybType){ hyb_shape_2d (4, 2), HYB_F32 }, NULL);
  g_autofree char *path = in_folder (fixture, "b.npz");
  g_autofree char *params = in_folder (fixture, "m-0000.params");
  g_autoptr (cJSON) json = NULL;

  hyb_tensor_list_set (list, "data", data);
  hyb_tensor_list_set (list, "label", label);
  g_assert_true (hyb_npz_write_file (list, path, NULL));
  hscope (fixture, "new 'mlp?inputs=8&hidden=4' --output '%s/m'");
  g_remove (params);

  assert_refused (fixture, "train '%s/m-symbol.json'", 2, "nothing to train on");
  assert_refused (fixture, "train '%s/m-symbol.json' --data '%s/b.npz'", 4,
                  "no value for “hybridsequential0_dense0_weight”");
  assert_refused (fixture, "train '%s/m-symbol.json' --data '%s/b.npz' --init xavier --loss hinges",
                  2, "--loss hinges");
  assert_refused (fixture, "train gallery:mlp --resume", 2, "--output");
  hscope (fixture, "train '%s/m-symbol.json' --data '%s/b.npz' --init xavier --epochs 3 --json "
                   "--set learning_rate=0.5 --schedule poly:max_update=12 --metric accuracy");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_cmpfloat (number (json, "steps"), ==, 12);
}

static double
last_loss (Fixture *fixture, const char *line)
{
  g_autoptr (cJSON) json = NULL;

  hscope (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  return number (json, "last_loss");
}

/* Most gallery models have settings of their own; those of --set replace them. */
static void
test_settings_replace_those_of_the_model (Fixture *fixture, gconstpointer unused)
{
  double usual = last_loss (fixture, "train '" LANGUAGE_MODEL "' --epochs 1 --sample -1 --json");
  double none = last_loss (fixture, "train '" LANGUAGE_MODEL
                                    "' --epochs 1 --sample -1 --json --set learning_rate=0");
  double again =
      last_loss (fixture,
                 "train '" LANGUAGE_MODEL
                 "' --epochs 1 --sample -1 --json --set learning_rate=1 --set learning_rate=0");

  g_assert_cmpfloat (usual, <, none);
  g_assert_cmpfloat (none, ==, again);
  assert_refused (fixture, "train '" LANGUAGE_MODEL "' --epochs 1 --set learning_rate=nan", 4,
                  "learning_rate");
}

/* The weights are for five features and the data has four: that is said, once, before the data is looked for. */
static void
test_shapes_that_do_not_fit (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *path = in_folder (fixture, "f-symbol.json");

  g_assert_true (g_file_set_contents (
      path,
      "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      "{\"op\": \"null\", \"name\": \"w\", \"attrs\": {\"__shape__\": \"(3, 5)\"}, \"inputs\": []},"
      "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"3\", "
      "\"no_bias\": \"True\"}, \"inputs\": [[0, 0, 0], [1, 0, 0]]},"
      "{\"op\": \"null\", \"name\": \"label\", \"inputs\": []},"
      "{\"op\": \"SoftmaxOutput\", \"name\": \"out\", \"inputs\": [[2, 0, 0], [3, 0, 0]]}],"
      "\"arg_nodes\": [0, 1, 3], \"heads\": [[4, 0, 0]], "
      "\"attrs\": {\"mxnet_version\": [\"int\", 10700]}}",
      -1, NULL));
  assert_refused (fixture, "train '%s/f-symbol.json' --data '%s/absent.npz' --shape data=2,4", 4,
                  "(3, 5) does not match (3, 4)");
  g_assert_true (g_str_has_prefix (fixture->err, "error: "));
  g_assert_true (strchr (fixture->err, '\n') == fixture->err + strlen (fixture->err) - 1);
}

TEST_PROGRAM (test_train)
{
  g_unsetenv ("HYBRIDSCOPE_GALLERY");
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/app/train/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("new-writes-a-pair-that-is-read-again", test_new);
  ADD ("other-shapes-than-the-usual-may-be-given", test_shapes);
  ADD ("dimensions-may-be-left-open", test_unknown_dimensions);
  ADD ("language-model-beats-the-unigram-model", test_language_model);
  ADD ("checkpoints-that-mix-epochs-are-not-used", test_mixed_checkpoints);
  ADD ("interrupted-and-resumed-gives-the-same-bytes", test_interrupted);
  ADD ("interrupted-before-the-first-step-says-so", test_interrupted_before_the_first_step);
  ADD ("progress-counts-more-steps-than-32-bits", test_progress_of_many_steps);
  ADD ("a-plugin-that-crashes-is-named", test_crash);
  ADD ("gallery-models-run-without-data", test_examples);
  ADD ("a-checkpoint-goes-on-as-pair-and-in-the-gallery", test_checkpoint);
  ADD ("a-capture-has-the-parts-of-a-step", test_capture);
  ADD ("batches-from-a-file-and-refusals", test_batches);
  ADD ("shapes-that-do-not-fit-are-named-once", test_shapes_that_do_not_fit);
  ADD ("settings-replace-those-of-the-model", test_settings_replace_those_of_the_model);
#undef ADD
  return g_test_run ();
}
