/* test-cudnn-descriptors.c — the vendor's cuDNN and the pretend one agree on descriptors of recurrent
 * layers: the size of the weight space, where each matrix and bias begins, and what is refused.
 *
 * These functions need no GPU.  The vendor's take a zero-filled block in place of a handle, since they
 * read descriptors alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn.h"
#include "tests/engine/cuda/pretend/driver.h"
#include "tests/program.h"

#include <dlfcn.h>

#define VENDOR "/usr/local/cuda/lib64/libcudnn.so.9"

/* The functions that are compared. */
typedef struct
{
  gpointer                                    handle;
  __typeof__ (&cudnnCreateDropoutDescriptor)  create_dropout;
  __typeof__ (&cudnnDestroyDropoutDescriptor) destroy_dropout;
  __typeof__ (&cudnnCreateRNNDescriptor)      create_rnn;
  __typeof__ (&cudnnDestroyRNNDescriptor)     destroy_rnn;
  __typeof__ (&cudnnSetRNNDescriptor_v8)      set_rnn;
  __typeof__ (&cudnnGetRNNWeightSpaceSize)    weight_bytes;
  __typeof__ (&cudnnGetRNNWeightParams)       weight_part;
  __typeof__ (&cudnnCreateRNNDataDescriptor)  create_data;
  __typeof__ (&cudnnDestroyRNNDataDescriptor) destroy_data;
  __typeof__ (&cudnnSetRNNDataDescriptor)     set_data;
  __typeof__ (&cudnnCreateTensorDescriptor)   create_tensor;
  __typeof__ (&cudnnDestroyTensorDescriptor)  destroy_tensor;
  __typeof__ (&cudnnGetTensorNdDescriptor)    get_tensor;
  __typeof__ (&cudnnSetTensorNdDescriptor)    set_tensor;
} Library;

static Library vendor, ours;

static gpointer
find (gpointer library, const char *name)
{
  gpointer function = dlsym (library, name);

  if (!function)
    g_error ("%s is missing", name);
  return function;
}

#define FIND(member, name) *(gpointer *) &this->member = find (library, #name)

static void
open_library (Library *this, gpointer library)
{
  FIND (create_dropout, cudnnCreateDropoutDescriptor);
  FIND (destroy_dropout, cudnnDestroyDropoutDescriptor);
  FIND (create_rnn, cudnnCreateRNNDescriptor);
  FIND (destroy_rnn, cudnnDestroyRNNDescriptor);
  FIND (set_rnn, cudnnSetRNNDescriptor_v8);
  FIND (weight_bytes, cudnnGetRNNWeightSpaceSize);
  FIND (weight_part, cudnnGetRNNWeightParams);
  FIND (create_data, cudnnCreateRNNDataDescriptor);
  FIND (destroy_data, cudnnDestroyRNNDataDescriptor);
  FIND (set_data, cudnnSetRNNDataDescriptor);
  FIND (create_tensor, cudnnCreateTensorDescriptor);
  FIND (destroy_tensor, cudnnDestroyTensorDescriptor);
  FIND (get_tensor, cudnnGetTensorNdDescriptor);
  FIND (set_tensor, cudnnSetTensorNdDescriptor);
}

/* FALSE and a skipped test without the vendor's library. */
static gboolean
open_libraries (void)
{
  gpointer  library;
  CUcontext context;

  if (vendor.handle)
    return TRUE;
  library = dlopen (VENDOR, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    {
      g_test_skip ("the vendor's library is not here");
      return FALSE;
    }
  open_library (&vendor, library);
  vendor.handle = g_malloc0 (1 << 20);
  open_library (&ours, RTLD_DEFAULT);
  pretend_configure ("");
  g_assert_cmpint (cuInit (0), ==, CUDA_SUCCESS);
  g_assert_cmpint (cuDevicePrimaryCtxRetain (&context, 0), ==, CUDA_SUCCESS);
  g_assert_cmpint (cuCtxSetCurrent (context), ==, CUDA_SUCCESS);
  g_assert_cmpint (cudnnCreate ((cudnnHandle_t *) &ours.handle), ==, CUDNN_STATUS_SUCCESS);
  return TRUE;
}

/* --- Networks --- */

typedef struct
{
  int cell, direction, type, precision, math, input, hidden, projection, layers, flags;
} Network;

/* A network's descriptors in one library. */
typedef struct
{
  cudnnDropoutDescriptor_t dropout;
  cudnnRNNDescriptor_t     rnn;
} Descriptors;

/* The vendor has finer codes, such as 2002; the thousands tell the kind. */
static int
kind (cudnnStatus_t status)
{
  return (int) status / 1000;
}

static cudnnStatus_t
set_network (const Library *library, const Network *n, Descriptors *made)
{
  g_assert_cmpint (library->create_dropout (&made->dropout), ==, 0);
  g_assert_cmpint (library->create_rnn (&made->rnn), ==, 0);
  return library->set_rnn (made->rnn, 0, n->cell, 2, n->direction, 0, n->type, n->precision,
                           n->math, n->input, n->hidden, n->projection, n->layers, made->dropout,
                           (guint32) n->flags);
}

static void
destroy_network (const Library *library, const Descriptors *made)
{
  library->destroy_rnn (made->rnn);
  library->destroy_dropout (made->dropout);
}

/* What a library tells of all parts, as text. */
static char *
describe_parts (const Library *library, const Network *n, cudnnRNNDescriptor_t rnn, gsize bytes)
{
  GString                *text = g_string_new (NULL);
  char                   *space = GSIZE_TO_POINTER ((gsize) 1 << 32);
  int                     gates = n->cell == CUDNN_LSTM ? 4 : n->cell == CUDNN_GRU ? 3 : 1;
  cudnnTensorDescriptor_t matrix, bias;

  g_assert_cmpint (library->create_tensor (&matrix), ==, 0);
  g_assert_cmpint (library->create_tensor (&bias), ==, 0);
  for (int pl = 0; pl < n->layers * (n->direction + 1); pl++)
    for (int part = 0; part < 2 * gates + (n->projection < n->hidden); part++)
      {
        void         *matrix_at = NULL, *bias_at = NULL;
        cudnnStatus_t status = library->weight_part (library->handle, rnn, pl, bytes, space, part,
                                                     matrix, &matrix_at, bias, &bias_at);
        int           type = 0, rank = 0, dims[8] = { 0 }, strides[8];

        g_assert_cmpint (status, ==, 0);
        library->get_tensor (matrix, 8, &type, &rank, dims, strides);
        g_string_append_printf (text, "%d/%d: %td %td, type %d, %d dims %d %d %d\n", pl, part,
                                (char *) matrix_at - space, bias_at ? (char *) bias_at - space : -1,
                                type, rank, dims[0], dims[1], dims[2]);
      }
  library->destroy_tensor (matrix);
  library->destroy_tensor (bias);
  return g_string_free (text, FALSE);
}

static void
compare_network (const Network *n)
{
  Descriptors   theirs, mine;
  cudnnStatus_t answer = set_network (&vendor, n, &theirs);
  gsize         their_bytes = 0, my_bytes = 1;

  if (kind (set_network (&ours, n, &mine)) != kind (answer))
    g_error ("cell %d, types %d %d, math %d, sizes %d %d %d, %d layers, flags %d: the vendor "
             "answers %d",
             n->cell, n->type, n->precision, n->math, n->input, n->hidden, n->projection, n->layers,
             n->flags, answer);
  if (!answer)
    {
      g_autofree char *their_parts = NULL, *my_parts = NULL;

      g_assert_cmpint (vendor.weight_bytes (vendor.handle, theirs.rnn, &their_bytes), ==, 0);
      g_assert_cmpint (ours.weight_bytes (ours.handle, mine.rnn, &my_bytes), ==, 0);
      g_assert_cmpuint (their_bytes, ==, my_bytes);
      their_parts = describe_parts (&vendor, n, theirs.rnn, their_bytes);
      my_parts = describe_parts (&ours, n, mine.rnn, my_bytes);
      g_assert_cmpstr (their_parts, ==, my_parts);
    }
  destroy_network (&vendor, &theirs);
  destroy_network (&ours, &mine);
}

static void
test_weights (void)
{
  static const int types[][2] = { { CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT },
                                  { CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE },
                                  { CUDNN_DATA_HALF, CUDNN_DATA_FLOAT } };

  if (!open_libraries ())
    return;
  for (int cell = CUDNN_RNN_RELU; cell <= CUDNN_GRU; cell++)
    for (int layers = 1; layers <= 3; layers++)
      for (int direction = 0; direction < 2; direction++)
        for (guint t = 0; t < G_N_ELEMENTS (types); t++)
          for (int projects = 0; projects <= (cell == CUDNN_LSTM); projects++)
            compare_network (&(Network){ cell, direction, types[t][0], types[t][1], CUDNN_FMA_MATH,
                                         129, 255, projects ? 31 : 255, layers, 1 });
}

static void
test_refusals (void)
{
  static const Network good = {
    CUDNN_LSTM, 0, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, 3, 5, 4, 4, 2, 1
  };

  if (!open_libraries ())
    return;
  for (int type = 0; type < 3; type++)
    for (int precision = 0; precision < 3; precision++)
      for (int math = 0; math <= 3; math++)
        {
          Network n = good;

          n.type = type;
          n.precision = precision;
          n.math = math;
          compare_network (&n);
        }
  for (int cell = CUDNN_RNN_RELU; cell <= CUDNN_GRU; cell++)
    for (int projection = 0; projection <= 5; projection++)
      {
        Network n = good;

        n.cell = cell;
        n.projection = projection;
        compare_network (&n);
      }
  for (int flags = 0; flags < 4; flags++)
    {
      Network n = good;

      n.flags = flags;
      compare_network (&n);
    }
}

/* --- Sequences and tensors --- */

static void
test_sequences (void)
{
  static const struct
  {
    int      type, steps, batch, size;
    gboolean has_lengths;
    int      lengths[3];
  } rows[] = {
    { 0, 4, 3, 5, TRUE, { 4, 4, 4 } },     { 0, 4, 3, 5, TRUE, { 1, 4, 0 } },
    { 0, 4, 3, 5, TRUE, { 5, 4, 4 } },     { 0, 4, 3, 5, TRUE, { -1, 4, 4 } },
    { 0, 4, 3, 5, FALSE, { 0 } },          { 0, 0, 3, 5, TRUE, { 0 } },
    { 0, 4, 0, 5, TRUE, { 4, 4, 4 } },     { 0, 4, 3, 0, TRUE, { 4, 4, 4 } },
    { 1, 65535, 3, 5, TRUE, { 9, 9, 9 } }, { 1, 65536, 3, 5, TRUE, { 9, 9, 9 } },
    { 2, 4, 3, 5, TRUE, { 4, 4, 4 } },     { 4, 4, 3, 5, TRUE, { 4, 4, 4 } },
  };

  if (!open_libraries ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const Library *libraries[] = { &vendor, &ours };
      int            kinds[2];
      double         zero = 0;

      for (guint k = 0; k < 2; k++)
        {
          cudnnRNNDataDescriptor_t data;

          g_assert_cmpint (libraries[k]->create_data (&data), ==, 0);
          kinds[k] =
              kind (libraries[k]->set_data (data, rows[i].type, 0, rows[i].steps, rows[i].batch,
                                            rows[i].size,
                                            rows[i].has_lengths ? rows[i].lengths : NULL, &zero));
          libraries[k]->destroy_data (data);
        }
      if (kinds[0] != kinds[1])
        g_error ("row %u: the vendor answers %d000, we answer %d000", i, kinds[0], kinds[1]);
    }
}

static void
test_tensors (void)
{
  static const int dims[][3] = { { 2, 3, 4 }, { 0, 3, 4 }, { 2, -1, 4 }, { 1, 1, 1 } };

  if (!open_libraries ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (dims); i++)
    for (int rank = 1; rank <= 3; rank++)
      {
        const int               strides[] = { 12, 4, 1 };
        cudnnTensorDescriptor_t theirs, mine;

        g_assert_cmpint (vendor.create_tensor (&theirs), ==, 0);
        g_assert_cmpint (ours.create_tensor (&mine), ==, 0);
        g_assert_cmpint (kind (vendor.set_tensor (theirs, 0, rank, dims[i], strides)), ==,
                         kind (ours.set_tensor (mine, 0, rank, dims[i], strides)));
        vendor.destroy_tensor (theirs);
        ours.destroy_tensor (mine);
      }
}

TEST_PROGRAM (test_cudnn_descriptors)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/pretend/cudnn-descriptors/weights-lie-where-the-vendor-has-them",
                   test_weights);
  g_test_add_func ("/cuda/pretend/cudnn-descriptors/networks-are-refused-as-by-the-vendor",
                   test_refusals);
  g_test_add_func ("/cuda/pretend/cudnn-descriptors/sequences-are-refused-as-by-the-vendor",
                   test_sequences);
  g_test_add_func ("/cuda/pretend/cudnn-descriptors/tensors-are-refused-as-by-the-vendor",
                   test_tensors);
  return g_test_run ();
}
