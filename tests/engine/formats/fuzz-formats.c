/* fuzz-formats.c — runs every reader on randomly changed files: none may crash, hang, or return a
 * graph that violates its invariants.
 *
 * The number of changes and their seed are fixed, so that it runs as a test; -m thorough makes a
 * hundred times as many.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/format.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include "engine/doctor/diagnose.h"
#include "engine/formats/file.h"

#include <string.h>

#define ROUNDS 300

/* Bytes that matter to one reader or another. */
static const char *const splices[] = {
  "{",
  "}",
  "[",
  "]",
  "\"",
  ",",
  ":",
  "-1",
  "999999999",
  "4294967295",
  "18446744073709551615",
  "null",
  "\\u0000",
  "\\",
  "\xff\xff\xff\xff",
  "\x00\x00\x00\x80",
  "PK\5\6",
  "[[0,0,0]]",
  "\"op\"",
};

static void
change_once (GByteArray *bytes, GRand *rand)
{
  guint       at = bytes->len > 0 ? (guint) g_rand_int_range (rand, 0, (gint32) bytes->len) : 0;
  const char *splice = splices[g_rand_int_range (rand, 0, G_N_ELEMENTS (splices))];
  guint       n = (guint) strlen (splice);

  switch (g_rand_int_range (rand, 0, 5))
    {
    case 0: /* another byte */
      if (bytes->len > 0)
        bytes->data[at] = (guint8) g_rand_int (rand);
      break;
    case 1: /* one bit */
      if (bytes->len > 0)
        bytes->data[at] ^= (guint8) (1 << g_rand_int_range (rand, 0, 8));
      break;
    case 2: /* overwritten */
      for (guint i = 0; i < n && at + i < bytes->len; i++)
        bytes->data[at + i] = (guint8) splice[i];
      break;
    case 3: /* cut out */
      n = (guint) g_rand_int_range (rand, 1, 40);
      if (bytes->len > 0)
        g_byte_array_remove_range (bytes, at, MIN (bytes->len - at, n));
      break;
    default: /* cut off */
      if (g_rand_int_range (rand, 0, 10) == 0)
        g_byte_array_set_size (bytes, at);
    }
}

static void
read_graph (const HybFormat *format, GBytes *bytes)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;
  g_autofree HybType *types = NULL;
  HybGraph           *graph;

  if (!format->read_graph (model, bytes, "fuzz", &error))
    {
      g_assert_nonnull (error);
      return;
    }

  graph = hyb_model_get_graph (model);
  if (!hyb_graph_verify (graph, &error))
    g_assert_nonnull (strstr (error->message, "two variables"));
  types = hyb_diagnose_new_types (graph);
  hyb_diagnose (model, types);
}

static void
read_any (const HybFormat *format, GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) list = NULL;

  if (format->read_graph)
    {
      read_graph (format, bytes);
      return;
    }

  list = format->read_weights (bytes, "fuzz", NULL, &error);
  g_assert_true ((!list) == (error != NULL));
  for (guint i = 0; list && i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      HybStatistics         statistics;

      if (entry->tensor) /* touches every byte */
        hyb_tensor_statistics (entry->tensor, &statistics);
    }
}

static void
fuzz_file (const char *path)
{
  g_autoptr (GBytes) seed = hyb_file_read (path, 0, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_str_hash (path + strlen (path) - 8));
  guint            n_rounds = g_test_thorough () ? 100 * ROUNDS : ROUNDS;
  const HybFormat *format = seed ? hyb_format_of_bytes (seed) : NULL;

  if (!format)
    {
      g_test_skip ("the file to change is not here");
      return;
    }

  for (guint i = 0; i < n_rounds; i++)
    {
      g_autoptr (GByteArray) changed = g_byte_array_new ();
      g_autoptr (GBytes) bytes = NULL;
      int n = g_rand_int_range (rand, 1, 6);

      g_byte_array_append (changed, g_bytes_get_data (seed, NULL), (guint) g_bytes_get_size (seed));
      while (n-- > 0)
        change_once (changed, rand);
      bytes = g_byte_array_free_to_bytes (g_steal_pointer (&changed));
      read_any (format, bytes);
    }
}

static void
test_golden (gconstpointer data)
{
  const char *const *names = data;
  g_autofree char   *path = golden_path (names[0], names[1], names[2], NULL);

  fuzz_file (path);
}

static void
test_data (gconstpointer data)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests", "data", "formats", data, NULL);

  fuzz_file (path);
}

static const char *const goldens[][3] = {
  { "models/foreach-conv-batchnorm", "foreach-conv-batchnorm-symbol.json", NULL },
  { "models/cond-nested-0", "cond-nested-0-symbol.json", NULL },
  { "models/rnn-checkpoint-fused-lstm", "rnn-checkpoint-fused-lstm-symbol.json", NULL },
  { "models/zoo-squeezenet1.0", "zoo-squeezenet1.0-symbol.json", NULL },
  { "params", "dtypes.params", NULL },
  { "params", "sparse.params", NULL },
  { "params", "v0.params", NULL },
  { "params", "np-shape.params", NULL },
};

TEST_PROGRAM (fuzz_formats)
{
  static const char *const data[] = { "compressed.npz", "orders.npz", "mxnet2.npz" };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (goldens); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/formats/fuzz/", goldens[i][1], NULL);

      g_test_add_data_func (path, goldens[i], test_golden);
    }
  for (guint i = 0; i < G_N_ELEMENTS (data); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/formats/fuzz/", data[i], NULL);

      g_test_add_data_func (path, data[i], test_data);
    }

  return g_test_run ();
}
