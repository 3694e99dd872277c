/* recurrent-space.c — the places of the weights of recurrent layers in cuDNN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/recurrent/recurrent-space.h"

#include "engine/base/error.h"

typedef struct
{
  HybDevice              *device;
  const HybRecurrentNet  *net;
  cudnnRNNDescriptor_t    rnn;
  cudnnHandle_t           handle;
  cudnnTensorDescriptor_t matrix, bias; /* cuDNN writes its result there, which is not read */
  gsize                   bytes;        /* of cuDNN's space */
  GArray                 *pieces;
  gboolean                differs;
} Search;

/* The matrices of a layer in one direction: of the input, of the state, the projection. */
static int
n_parts (const HybRecurrentNet *net)
{
  return 2 * net->G + (net->P < net->H);
}

static gsize
matrix_elements (const HybRecurrentNet *net, int pseudo_layer, int part)
{
  int columns = pseudo_layer < net->D ? net->I : net->D * net->P;

  return part < net->G       ? (gsize) net->H * (gsize) columns
         : part < 2 * net->G ? (gsize) net->H * (gsize) net->P
                             : (gsize) net->P * (gsize) net->H;
}

static gsize
elements_of (const HybRecurrentNet *net, gboolean of_biases)
{
  gsize n = 0;

  for (int pl = 0; pl < net->L * net->D; pl++)
    for (int part = 0; part < (of_biases ? 2 * net->G : n_parts (net)); part++)
      n += of_biases ? (gsize) net->H : matrix_elements (net, pl, part);
  return n;
}

/* Bytes of the flat vector. */
static gsize
flat_bytes (const HybRecurrentNet *net)
{
  return (elements_of (net, FALSE) + elements_of (net, TRUE)) * hyb_dtype_size (net->dtype);
}

static gboolean
add_piece (Search *search, gsize flat, gconstpointer there, gsize elements, GError **error)
{
  gsize         item = hyb_dtype_size (search->net->dtype);
  HybSpacePiece piece = { flat * item, (gsize) (guintptr) there, elements * item };

  if (piece.there > search->bytes || piece.bytes > search->bytes - piece.there)
    return hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                         "cuDNN places weights outside of their space");
  search->differs |= piece.there != piece.flat;
  g_array_append_val (search->pieces, piece);
  return TRUE;
}

/* cuDNN's addresses count from the space's beginning, for which 0 is given. */
static gboolean
add_parts (Search *search, gboolean of_biases, gsize flat, GError **error)
{
  const HybRecurrentNet *net = search->net;
  const HybCuda         *cuda = search->device->cuda;

  for (int pl = 0; pl < net->L * net->D; pl++)
    for (int part = 0; part < (of_biases ? 2 * net->G : n_parts (net)); part++)
      {
        gsize elements = of_biases ? (gsize) net->H : matrix_elements (net, pl, part);
        void *matrix = NULL, *bias = NULL;

        if (!hyb_dnn_check (cuda, "cudnnGetRNNWeightParams",
                            cuda->call.cudnnGetRNNWeightParams (search->handle, search->rnn, pl,
                                                                search->bytes, NULL, part,
                                                                search->matrix, &matrix,
                                                                search->bias, &bias),
                            error) ||
            !add_piece (search, flat, of_biases ? bias : matrix, elements, error))
          return FALSE;
        flat += elements;
      }
  return TRUE;
}

static gboolean
search_parts (Search *search, GError **error)
{
  const HybCuda *cuda = search->device->cuda;

  return hyb_dnn_check (cuda, "cudnnGetRNNWeightSpaceSize",
                        cuda->call.cudnnGetRNNWeightSpaceSize (search->handle, search->rnn,
                                                               &search->bytes),
                        error) &&
         add_parts (search, FALSE, 0, error) &&
         add_parts (search, TRUE, elements_of (search->net, FALSE), error);
}

gboolean
hyb_recurrent_space_find (HybDevice             *device,
                          const HybRecurrentNet *net,
                          cudnnRNNDescriptor_t   rnn,
                          HybRecurrentSpace     *space,
                          GError               **error)
{
  const HybCudaFunctions *call = &device->cuda->call;
  const int               any[] = { 1, 1, 1 };
  Search                  search = { .device = device, .net = net, .rnn = rnn };
  gboolean                is_found = FALSE;

  search.pieces = g_array_new (FALSE, FALSE, sizeof (HybSpacePiece));
  search.handle = hyb_dnn_get_handle (device, error);
  if (search.handle)
    search.matrix = hyb_dnn_tensor_new (device->cuda, net->dtype, 3, any, error);
  if (search.matrix)
    search.bias = hyb_dnn_tensor_new (device->cuda, net->dtype, 3, any, error);
  if (search.bias)
    is_found = search_parts (&search, error);
  if (search.matrix)
    call->cudnnDestroyTensorDescriptor (search.matrix);
  if (search.bias)
    call->cudnnDestroyTensorDescriptor (search.bias);
  if (!is_found || (!search.differs && search.bytes == flat_bytes (net)))
    g_clear_pointer (&search.pieces, g_array_unref);
  *space = (HybRecurrentSpace){ search.bytes, search.pieces };
  return is_found;
}
