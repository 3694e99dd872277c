/* cudnn-rnn.c — the calls of the pretend cuDNN for recurrent layers, with the refusals of the vendor's
 * library.  rnn-forward.c and rnn-backward.c compute.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn-private.h"
#include "tests/engine/cuda/pretend/element.h"
#include "tests/engine/cuda/pretend/rnn-pass.h"

#include <string.h>

#define MOST_STEPS 65535

struct cudnnDropoutStruct
{
  float p;
};

struct cudnnRNNStruct
{
  gboolean is_set;
  RnnNet   net; /* without T and N */
  int      type, flags;
};

struct cudnnRNNDataStruct
{
  int  type, steps, batch, size, longest;
  int *lengths;
};

CUDNN_DESCRIPTOR (DropoutDescriptor, cudnnDropoutDescriptor_t)
CUDNN_DESCRIPTOR (RNNDescriptor, cudnnRNNDescriptor_t)

cudnnStatus_t
cudnnSetDropoutDescriptor (cudnnDropoutDescriptor_t dropout,
                           cudnnHandle_t            handle,
                           float                    p,
                           void                    *states,
                           gsize                    bytes,
                           unsigned long long       seed)
{
  CUDNN_BEGIN ();
  if (!dropout || !handle || !(p >= 0 && p <= 1))
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  if (p > 0)
    return cudnn_end (CUDNN_STATUS_NOT_SUPPORTED);
  dropout->p = p;
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

/* --- The network --- */

static gboolean
types_fit (int type, int precision)
{
  return (type == CUDNN_DATA_HALF && precision == CUDNN_DATA_HALF) ||
         ((type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16 || type == CUDNN_DATA_FLOAT) &&
          precision == CUDNN_DATA_FLOAT) ||
         (type == CUDNN_DATA_DOUBLE && precision == CUDNN_DATA_DOUBLE);
}

/* Only the standard algorithm with two biases is served. */
cudnnStatus_t
cudnnSetRNNDescriptor_v8 (cudnnRNNDescriptor_t     rnn,
                          int                      algorithm,
                          int                      cell,
                          int                      bias,
                          int                      direction,
                          int                      input,
                          int                      type,
                          int                      precision,
                          int                      math,
                          gint32                   input_size,
                          gint32                   hidden_size,
                          gint32                   projection_size,
                          gint32                   layers,
                          cudnnDropoutDescriptor_t dropout,
                          guint32                  flags)
{
  CUDNN_BEGIN ();
  if (!rnn || cell < CUDNN_RNN_RELU || cell > CUDNN_GRU || direction < 0 || direction > 1 ||
      math < 0 || math > 3 || input_size < 1 || hidden_size < 1 || projection_size < 1 ||
      layers < 1 || flags > 1)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  if ((algorithm != 0 && (!pretend.has_algorithms || algorithm < 0 || algorithm > 3)) ||
      bias != 2 || input != 0 || !types_fit (type, precision) || projection_size > hidden_size ||
      (projection_size < hidden_size && cell != CUDNN_LSTM))
    return cudnn_end (CUDNN_STATUS_NOT_SUPPORTED);
  rnn->is_set = TRUE;
  rnn->type = type;
  rnn->flags = (int) flags;
  rnn->net = (RnnNet){ .cell = cell,
                       .type = cudnn_element_type (type),
                       .L = layers,
                       .D = direction + 1,
                       .G = cell == CUDNN_LSTM  ? 4
                            : cell == CUDNN_GRU ? 3
                                                : 1,
                       .I = input_size,
                       .H = hidden_size,
                       .P = projection_size,
                       .coarse = math != CUDNN_FMA_MATH && type == CUDNN_DATA_FLOAT,
                       .algorithm = algorithm };
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t
cudnnRNNSetClip_v9 (cudnnRNNDescriptor_t rnn, int mode, double low, double high)
{
  CUDNN_BEGIN ();
  if (!rnn || mode < 0 || mode > 1 || (mode && low > high))
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  rnn->net.clips = mode == 1;
  rnn->net.low = low;
  rnn->net.high = high;
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t
cudnnGetRNNWeightSpaceSize (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, gsize *bytes)
{
  CUDNN_BEGIN_WITH (handle);
  if (!rnn || !bytes || !rnn->is_set)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  *bytes = rnn_n_weights (&rnn->net) * element_bytes (rnn->net.type);
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

static void
describe_part (cudnnTensorDescriptor_t tensor, int type, int rows, int columns)
{
  if (tensor)
    *tensor = (struct cudnnTensorStruct){ .type = type,
                                          .rank = 3,
                                          .dims = { 1, rows, columns },
                                          .strides = { rows * columns, columns, 1 } };
}

/* The projection has no bias. */
cudnnStatus_t
cudnnGetRNNWeightParams (cudnnHandle_t           handle,
                         cudnnRNNDescriptor_t    rnn,
                         gint32                  pseudo_layer,
                         gsize                   bytes,
                         const void             *space,
                         gint32                  part,
                         cudnnTensorDescriptor_t matrix,
                         void                  **matrix_at,
                         cudnnTensorDescriptor_t bias,
                         void                  **bias_at)
{
  const RnnNet *net;
  gsize         element;
  int           rows, columns;
  char         *place;

  CUDNN_BEGIN_WITH (handle);
  if (!rnn || !rnn->is_set || !matrix_at || !bias_at)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  net = &rnn->net;
  element = element_bytes (net->type);
  if (pseudo_layer < 0 || pseudo_layer >= net->L * net->D || part < 0 ||
      part >= 2 * net->G + (net->P < net->H) || bytes < rnn_n_weights (net) * element)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  rnn_matrix_size (net, pseudo_layer, part, &rows, &columns);
  describe_part (matrix, rnn->type, rows, columns);
  place = (char *) space + pretend.shift;
  *matrix_at = place + rnn_weight_offset (net, pseudo_layer, part, FALSE) * element;
  *bias_at = NULL;
  if (part < 2 * net->G)
    {
      describe_part (bias, rnn->type, net->H, 1);
      *bias_at = place + rnn_weight_offset (net, pseudo_layer, part, TRUE) * element;
    }
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

/* --- Sequences --- */

cudnnStatus_t
cudnnCreateRNNDataDescriptor (cudnnRNNDataDescriptor_t *data)
{
  CUDNN_BEGIN ();
  if (!data)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  *data = cudnn_descriptor_new (sizeof **data);
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t
cudnnDestroyRNNDataDescriptor (cudnnRNNDataDescriptor_t data)
{
  CUDNN_BEGIN ();
  if (data && pretend_lives (data, PRETEND_DNN_DESCRIPTOR))
    g_clear_pointer (&data->lengths, g_free);
  return cudnn_end (!data || cudnn_descriptor_free (data) ? CUDNN_STATUS_SUCCESS
                                                          : CUDNN_STATUS_BAD_PARAM);
}

/* Only the layout step by step with room for all sequences is served. */
cudnnStatus_t
cudnnSetRNNDataDescriptor (cudnnRNNDataDescriptor_t data,
                           int                      type,
                           int                      layout,
                           int                      steps,
                           int                      batch,
                           int                      size,
                           const int               *lengths,
                           void                    *padding)
{
  CUDNN_BEGIN ();
  if (!data || steps < 1 || batch < 1 || size < 1 || !lengths)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  if (!cudnn_element_bytes (type) || layout != 0 || steps > MOST_STEPS)
    return cudnn_end (CUDNN_STATUS_NOT_SUPPORTED);
  data->longest = 0;
  for (int n = 0; n < batch; n++)
    {
      if (lengths[n] < 0 || lengths[n] > steps)
        return cudnn_end (CUDNN_STATUS_BAD_PARAM);
      data->longest = MAX (data->longest, lengths[n]);
    }
  g_free (data->lengths);
  data->lengths = g_memdup2 (lengths, sizeof (int) * (gsize) batch);
  data->type = type;
  data->steps = steps;
  data->batch = batch;
  data->size = size;
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

static RnnNet
net_of (cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x)
{
  RnnNet net = rnn->net;

  net.T = x->steps;
  net.N = x->batch;
  return net;
}

/* Inference needs less room. */
static gsize
work_bytes (const RnnNet *net, gboolean training)
{
  return 256 + (gsize) net->T * (gsize) net->N * (gsize) net->G * (gsize) net->H * sizeof (float) *
                   (training ? 2 : 1);
}

cudnnStatus_t
cudnnGetRNNTempSpaceSizes (cudnnHandle_t            handle,
                           cudnnRNNDescriptor_t     rnn,
                           int                      mode,
                           cudnnRNNDataDescriptor_t x,
                           gsize                   *work,
                           gsize                   *reserve)
{
  RnnNet net;

  CUDNN_BEGIN_WITH (handle);
  if (!rnn || !rnn->is_set || !x || !x->lengths || mode < 0 || mode > 1)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  net = net_of (rnn, x);
  if (work)
    *work = work_bytes (&net, mode == 1);
  if (reserve)
    *reserve = mode == 1 ? rnn_reserve_bytes (&net) : 0;
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

/* --- Passes --- */

/* What the three calls have in common. */
typedef struct
{
  cudnnRNNDescriptor_t     rnn;
  cudnnRNNDataDescriptor_t x, y;
  cudnnTensorDescriptor_t  h, c;
  gsize                    weight_bytes, work_bytes, reserve_bytes;
  gboolean                 training;
} Given;

static gboolean
sequences_fit (const Given *given)
{
  const RnnNet                    *net = &given->rnn->net;
  const struct cudnnRNNDataStruct *x = given->x, *y = given->y;

  return x->lengths && y->lengths && x->type == given->rnn->type && y->type == x->type &&
         x->steps == y->steps && x->batch == y->batch && x->size == net->I &&
         y->size == net->D * net->P && x->longest == x->steps &&
         memcmp (x->lengths, y->lengths, sizeof (int) * (gsize) x->batch) == 0 &&
         given->rnn->flags == 1;
}

static gboolean
states_fit (const Given *given)
{
  const RnnNet *net = &given->rnn->net;
  int           batch = given->x->batch;
  const int     h[] = { net->L * net->D, batch, net->P }, c[] = { net->L * net->D, batch, net->H };

  return cudnn_tensor_is (given->h, given->rnn->type, 3, h) &&
         (net->cell != CUDNN_LSTM || cudnn_tensor_is (given->c, given->rnn->type, 3, c));
}

static gboolean
spaces_fit (const Given *given)
{
  RnnNet net = net_of (given->rnn, given->x);

  if (given->training && given->reserve_bytes < rnn_reserve_bytes (&net))
    pretend_problem ("the reserve space of recurrent layers is too small");
  return given->weight_bytes == rnn_n_weights (&net) * element_bytes (net.type) &&
         given->work_bytes >= work_bytes (&net, given->training) &&
         (!given->training || given->reserve_bytes >= rnn_reserve_bytes (&net));
}

static gboolean
fits (const Given *given)
{
  return given->rnn && given->rnn->is_set && given->x && given->y && sequences_fit (given) &&
         states_fit (given) && spaces_fit (given);
}

#define AT(pointer) ((guint64) (gsize) (pointer))

static cudnnStatus_t
add_pass (cudnnHandle_t handle,
          const Given  *given,
          RnnPass       pass,
          const char   *name,
          gboolean (*run) (gpointer, GError **))
{
  gsize        batch = (gsize) given->x->batch;
  RnnPass     *kept = g_malloc0 (sizeof (RnnPass) + batch * sizeof (int));
  PretendDeed *deed;

  pass.net = net_of (given->rnn, given->x);
  pass.weight_bytes = given->weight_bytes;
  pass.work_bytes = given->work_bytes;
  memcpy (kept, &pass, sizeof pass);
  memcpy (kept->lengths, given->x->lengths, batch * sizeof (int));
  for (gsize n = 0; pretend.needs_lengths && !pass.device_lengths && n < batch; n++)
    kept->lengths[n] = given->x->steps;
  deed = pretend_deed_new (g_strdup (name), run, kept);
  deed->seconds = 1e-5 + (double) rnn_n_weights (&pass.net) * pass.net.T * pass.net.N * 2 / 1e12;
  deed->seconds /= 1 + pass.net.algorithm;
  return cudnn_add (handle, g_intern_string (name), deed);
}

cudnnStatus_t
cudnnRNNForward (cudnnHandle_t            handle,
                 cudnnRNNDescriptor_t     rnn,
                 int                      mode,
                 const gint32            *device_lengths,
                 cudnnRNNDataDescriptor_t x,
                 const void              *x_at,
                 cudnnRNNDataDescriptor_t y,
                 void                    *y_at,
                 cudnnTensorDescriptor_t  h,
                 const void              *hx,
                 void                    *hy,
                 cudnnTensorDescriptor_t  c,
                 const void              *cx,
                 void                    *cy,
                 gsize                    weight_bytes,
                 const void              *weights,
                 gsize                    work_bytes,
                 void                    *work,
                 gsize                    reserve_bytes,
                 void                    *reserve)
{
  Given given = { rnn, x, y, h, c, weight_bytes, work_bytes, reserve_bytes, mode == 1 };

  CUDNN_BEGIN_WITH (handle);
  if (mode < 0 || mode > 1 || !fits (&given) || !x_at || !y_at || !weights || (mode && !reserve))
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  return cudnn_end (add_pass (handle, &given,
                              (RnnPass){ .x = AT (x_at),
                                         .y = AT (y_at),
                                         .hx = AT (hx),
                                         .hy = AT (hy),
                                         .cx = AT (cx),
                                         .cy = AT (cy),
                                         .device_lengths = AT (device_lengths),
                                         .weights = AT (weights),
                                         .work = AT (work),
                                         .reserve = AT (reserve) },
                              "pretend_rnn_forward", rnn_forward));
}

cudnnStatus_t
cudnnRNNBackwardData_v8 (cudnnHandle_t            handle,
                         cudnnRNNDescriptor_t     rnn,
                         const gint32            *device_lengths,
                         cudnnRNNDataDescriptor_t y,
                         const void              *y_at,
                         const void              *dy,
                         cudnnRNNDataDescriptor_t x,
                         void                    *dx,
                         cudnnTensorDescriptor_t  h,
                         const void              *hx,
                         const void              *dhy,
                         void                    *dhx,
                         cudnnTensorDescriptor_t  c,
                         const void              *cx,
                         const void              *dcy,
                         void                    *dcx,
                         gsize                    weight_bytes,
                         const void              *weights,
                         gsize                    work_bytes,
                         void                    *work,
                         gsize                    reserve_bytes,
                         void                    *reserve)
{
  Given given = { rnn, x, y, h, c, weight_bytes, work_bytes, reserve_bytes, TRUE };

  CUDNN_BEGIN_WITH (handle);
  if (!fits (&given) || !y_at || !dy || !dx || !weights || !reserve)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  return cudnn_end (add_pass (handle, &given,
                              (RnnPass){ .y = AT (y_at),
                                         .dy = AT (dy),
                                         .dx = AT (dx),
                                         .hx = AT (hx),
                                         .dhy = AT (dhy),
                                         .dhx = AT (dhx),
                                         .cx = AT (cx),
                                         .dcy = AT (dcy),
                                         .dcx = AT (dcx),
                                         .device_lengths = AT (device_lengths),
                                         .weights = AT (weights),
                                         .work = AT (work),
                                         .reserve = AT (reserve) },
                              "pretend_rnn_backward_data", rnn_backward_data));
}

/* Gradients are added; the mode that sets them is refused unless gradients=set. */
cudnnStatus_t
cudnnRNNBackwardWeights_v8 (cudnnHandle_t            handle,
                            cudnnRNNDescriptor_t     rnn,
                            int                      mode,
                            const gint32            *device_lengths,
                            cudnnRNNDataDescriptor_t x,
                            const void              *x_at,
                            cudnnTensorDescriptor_t  h,
                            const void              *hx,
                            cudnnRNNDataDescriptor_t y,
                            const void              *y_at,
                            gsize                    weight_bytes,
                            void                    *dw,
                            gsize                    work_bytes,
                            void                    *work,
                            gsize                    reserve_bytes,
                            void                    *reserve)
{
  Given given = { rnn, x, y, h, NULL, weight_bytes, work_bytes, reserve_bytes, TRUE };
  struct cudnnTensorStruct c;

  CUDNN_BEGIN_WITH (handle);
  if (!rnn || !x || !h)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  describe_part (&c, rnn->type, x->batch, rnn->net.H);
  c.dims[0] = rnn->net.L * rnn->net.D;
  given.c = &c;
  if (mode < 0 || mode > (pretend.sets_gradients ? 1 : 0))
    return cudnn_end (CUDNN_STATUS_NOT_SUPPORTED);
  if (!fits (&given) || !x_at || !y_at || !dw || !reserve)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  return cudnn_end (add_pass (handle, &given,
                              (RnnPass){ .x = AT (x_at),
                                         .hx = AT (hx),
                                         .y = AT (y_at),
                                         .dw = AT (dw),
                                         .device_lengths = AT (device_lengths),
                                         .sets = mode == 1,
                                         .work = AT (work),
                                         .reserve = AT (reserve) },
                              "pretend_rnn_backward_weights", rnn_backward_weights));
}
