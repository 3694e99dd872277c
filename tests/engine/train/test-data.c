/* test-data.c — corpora, and batches of texts, npz and idx files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/formats/npz.h"
#include "engine/train/data.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static char *folder;

static char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* --- Texts --- */

static void
test_corpus (void)
{
  g_autoptr (HybCorpus) all = hyb_corpus_new ("aaab\xc3\xa9"
                                              "b\xff",
                                              8, 0);
  g_autoptr (HybCorpus) few = hyb_corpus_new ("aaabbcd", 7, 3);
  g_autoptr (GString) text = g_string_new (NULL);
  const guint32 *tokens;
  gsize          n;

  tokens = hyb_corpus_get_tokens (all, &n);
  g_assert_cmpuint (n, ==, 7);
  g_assert_cmpuint (hyb_corpus_n_classes (all), ==, 4);
  for (gsize i = 0; i < n; i++)
    hyb_corpus_append (all, tokens[i], text);
  g_assert_cmpstr (text->str, ==,
                   "aaab\xc3\xa9"
                   "b\xc3\xbf");

  /* c and d share the last token. */
  tokens = hyb_corpus_get_tokens (few, &n);
  g_assert_cmpuint (hyb_corpus_n_classes (few), ==, 3);
  g_assert_cmpuint (tokens[0], ==, 0);
  g_assert_cmpuint (tokens[5], ==, 2);
  g_assert_cmpuint (tokens[6], ==, 2);
}

static void
test_unigram (void)
{
  g_autoptr (HybCorpus) corpus = hyb_corpus_new ("ababababababababababb", 21, 0);
  gsize n_train = hyb_corpus_n_train (corpus);

  g_assert_cmpuint (n_train, ==, 19);
  /* Training: ten a and nine b, each count plus one.  Held out: b and b. */
  g_assert_cmpfloat_with_epsilon (hyb_corpus_unigram_perplexity (corpus), 21 / 10., 1e-9);
}

static HybFeed
feed_of (const char *const *names, const HybType *type)
{
  return (HybFeed){ .n_inputs = 1, .names = names, .types = type, .label = HYB_TYPE_UNKNOWN };
}

static void
test_text (void)
{
  static const char *const names[] = { "data" };
  HybType                  type = { hyb_shape_2d (3, 2), HYB_F32 };
  HybFeed                  feed = feed_of (names, &type);
  g_autofree char         *path = in_folder ("text.txt");
  g_autoptr (GError) error = NULL;
  g_autoptr (HybData) data = NULL;
  g_autoptr (GHashTable) batch = NULL;
  HybTensor *input, *label;

  /* 40 different characters in order, so that token i is character i. */
  g_file_set_contents (path, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd", -1, NULL);
  data = hyb_data_new_file (path, &feed, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (hyb_data_is_continuous (data));
  /* 36 for training: two stretches of 18, of which the last token is only a label. */
  g_assert_cmpuint (hyb_data_n_batches (data, FALSE), ==, 5);
  g_assert_cmpuint (hyb_data_n_batches (data, TRUE), ==, 0);

  batch = hyb_data_get_batch (data, 6, FALSE, &error); /* the second batch of the second epoch */
  input = g_hash_table_lookup (batch, "data");
  label = g_hash_table_lookup (batch, "label");
  g_assert_cmpfloat (hyb_tensor_get_value (input, 0), ==, 3);
  g_assert_cmpfloat (hyb_tensor_get_value (input, 1), ==, 21);
  g_assert_cmpfloat (hyb_tensor_get_value (input, 2), ==, 4);
  g_assert_cmpfloat (hyb_tensor_get_value (label, 0), ==, 4);
  g_assert_cmpfloat (hyb_tensor_get_value (label, 5), ==, 24);

  /* 17 steps and the last label are a whole stretch. */
  g_clear_pointer (&data, hyb_data_free);
  type.shape.dim[0] = 17;
  data = hyb_data_new_file (path, &feed, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_data_n_batches (data, FALSE), ==, 1);
  type.shape.dim[0] = 18;
  g_assert_null (hyb_data_new_file (path, &feed, NULL, &error));
  g_assert_nonnull (strstr (error->message, "too short"));
}

/* A model with varying lengths alternates between two lengths, and batches continue each other. */
static void
test_buckets (void)
{
  static const char *const names[] = { "data0" };
  g_autofree char         *path = in_folder ("long.txt");
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModelSpec) spec =
      hyb_model_spec_new ("gallery:bucket-lm?length=5&shorter=3&batch=2", &error);
  HybFeed feed = feed_of (names, (const HybType *) (gconstpointer) spec->types->data);
  g_autoptr (HybData) data = NULL;
  double next = 0;

  for (gunichar c = 0x100; c < 0x100 + 40; c++)
    g_string_append_unichar (text, c);
  g_file_set_contents (path, text->str, -1, NULL);
  data = hyb_data_new_text (path, &feed, spec, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_data_n_batches (data, FALSE), ==, 4);
  for (guint64 i = 0; i < 4; i++)
    {
      g_autoptr (GHashTable) batch = hyb_data_get_batch (data, i, FALSE, &error);
      HybTensor *tokens = g_hash_table_lookup (batch, "data0");
      gint64     length = i % 2 == 0 ? 5 : 3;

      g_assert_cmpint (hyb_tensor_get_shape (tokens)->dim[0], ==, length);
      g_assert_cmpint (hyb_tensor_get_shape (g_hash_table_lookup (batch, "label"))->dim[0], ==,
                       length);
      g_assert_cmpfloat (hyb_tensor_get_value (tokens, 0), ==, next);
      next += (double) length;
    }
}

/* --- npz --- */

static void
test_npz (void)
{
  g_autofree char *path = in_folder ("b.npz");
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) x =
      hyb_tensor_new_float (2, (gint64[]){ 3, 2 }, (float[]){ 1, 2, 3, 4, 5, 6 });
  g_autoptr (HybTensor) y = hyb_tensor_new_float (1, (gint64[]){ 3 }, (float[]){ 7, 8, 9 });
  g_autoptr (HybTensor) z = hyb_tensor_new_float (1, (gint64[]){ 2 }, (float[]){ 7, 8 });
  g_autoptr (HybData) data = NULL;
  g_autoptr (GHashTable) batch = NULL;
  g_autoptr (GError) error = NULL;

  hyb_tensor_list_set (list, "data", x);
  hyb_tensor_list_set (list, "label", y);
  g_assert_true (hyb_npz_write_file (list, path, NULL));
  data = hyb_data_new_file (path, &(HybFeed){ 0 }, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_data_n_batches (data, FALSE), ==, 3);
  batch = hyb_data_get_batch (data, 4, FALSE, NULL);
  g_assert_cmpfloat (hyb_tensor_get_value (g_hash_table_lookup (batch, "data"), 1), ==, 4);
  g_assert_cmpint (hyb_tensor_get_shape (g_hash_table_lookup (batch, "label"))->rank, ==, 0);

  hyb_tensor_list_set (list, "other", z);
  g_assert_true (hyb_npz_write_file (list, path, NULL));
  g_assert_null (hyb_data_new_npz (path, &error));
  g_assert_nonnull (strstr (error->message, "“other” holds 2 batches, but “data” holds 3"));
}

/* --- idx --- */

static void
write_idx (const char *name, int rank, const guint8 *dims, const guint8 *elements, gsize n)
{
  g_autofree char *path = in_folder (name);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const guint8 magic[4] = { 0, 0, 8, (guint8) rank };

  g_byte_array_append (bytes, magic, 4);
  for (int i = 0; i < rank; i++)
    {
      const guint8 dim[4] = { 0, 0, 0, dims[i] };

      g_byte_array_append (bytes, dim, 4);
    }
  g_byte_array_append (bytes, elements, (guint) n);
  g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL);
}

static void
test_idx (void)
{
  static const char *const names[] = { "data" };
  static const guint8      pixels[20 * 4] = { 0 };
  HybType                  type = { hyb_shape_4d (3, 1, 2, 2), HYB_F32 };
  HybFeed                  feed = feed_of (names, &type);
  g_autofree char         *path = in_folder ("train-images-idx3-ubyte");
  g_autofree guint8       *images = g_memdup2 (pixels, sizeof pixels);
  guint8                   labels[20];
  gboolean                 seen[20] = { FALSE };
  g_autoptr (HybData) data = NULL;
  g_autoptr (GError) error = NULL;

  for (guint8 i = 0; i < 20; i++)
    {
      labels[i] = i;
      images[4 * i + 3] = (guint8) (i * 10);
    }
  write_idx ("train-images-idx3-ubyte", 3, (const guint8[]){ 20, 2, 2 }, images, 80);
  write_idx ("train-labels-idx1-ubyte", 1, (const guint8[]){ 20 }, labels, 20);
  data = hyb_data_new_file (path, &feed, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_data_n_batches (data, FALSE), ==, 6); /* of 18; two are held out */
  g_assert_cmpuint (hyb_data_n_batches (data, TRUE), ==, 0);

  for (guint64 b = 6; b < 12; b++)
    {
      g_autoptr (GHashTable) batch = hyb_data_get_batch (data, b, FALSE, &error);

      for (gint64 i = 0; i < 3; i++)
        {
          int label = (int) hyb_tensor_get_value (g_hash_table_lookup (batch, "label"), i);

          g_assert_false (seen[label]);
          seen[label] = TRUE;
          g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (g_hash_table_lookup (batch, "data"),
                                                                4 * i + 3),
                                          label * 10 / 255.0, 1e-6);
        }
    }
  g_assert_false (seen[18] || seen[19]);

  write_idx ("train-labels-idx1-ubyte", 1, (const guint8[]){ 19 }, labels, 19);
  g_assert_null (hyb_data_new_file (path, &feed, NULL, &error));
  g_assert_nonnull (strstr (error->message, "19 labels for 20 images"));
  g_clear_error (&error);
  write_idx ("train-images-idx3-ubyte", 3, (const guint8[]){ 20, 2, 2 }, images, 79);
  g_assert_null (hyb_data_new_file (path, &feed, NULL, &error));
  g_assert_nonnull (strstr (error->message, "declares 80 elements"));
  g_clear_error (&error);

  /* No images have no elements, but one of them would have more than 63 bits can count. */
  g_file_set_contents (path, "\0\0\010\003\0\0\0\0\377\377\377\377\377\377\377\377", 16, NULL);
  write_idx ("train-labels-idx1-ubyte", 1, (const guint8[]){ 0 }, labels, 0);
  g_assert_null (hyb_data_new_file (path, &feed, NULL, &error));
  g_assert_nonnull (strstr (error->message, "dimension 0 in the header is 0"));
}

TEST_PROGRAM (test_data)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;
  int         status;

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("data-XXXXXX", NULL);
  g_test_add_func ("/engine/train/corpus/the-rarest-characters-share-a-token", test_corpus);
  g_test_add_func ("/engine/train/corpus/unigram-perplexity", test_unigram);
  g_test_add_func ("/engine/train/data/text-in-parallel-stretches", test_text);
  g_test_add_func ("/engine/train/data/varying-lengths-continue-each-other", test_buckets);
  g_test_add_func ("/engine/train/data/npz-rows-are-batches", test_npz);
  g_test_add_func ("/engine/train/data/idx-files-are-shuffled-by-epoch", test_idx);
  status = g_test_run ();

  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = in_folder (name);

      g_remove (path);
    }
  g_rmdir (folder);
  g_free (folder);
  return status;
}
