/* linear-attention.c — LinearAttention and CausalConvWithState: layers that carry a state from call to call.
 *
 * The state of LinearAttention is a matrix for each head, to which each step adds the product of a key and a value; it is
 * a _foreach over the steps, in float32.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/bodies.h"
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

enum
{
  INPUT_QUERY,
  INPUT_KEY,
  INPUT_VALUE,
  INPUT_STATE,
  INPUT_DECAY,
  INPUT_BETA,
};

/* Variables of the body: one step of each, and the state. */
enum
{
  STEP_QUERY, /* [batch, heads, size, 1] */
  STEP_KEY,
  STEP_VALUE, /* [batch, heads, 1, size] */
  STEP_STATE, /* [batch, heads, key size, value size] */
  STEP_DECAY,
  STEP_BETA,
  MAX_STEPS,
};

typedef struct
{
  gint64 batch, length, n_query_heads, n_heads, key_size, value_size;
  double scale;
  int    decay, beta; /* numbers of the variables; −1: left out */
} Layer;

/* FALSE if only types are known, or after a failure. */
static gboolean
read_layer (HybLowering *lowering, Layer *layer)
{
  const HybShape *query = &hyb_onnx_type (lowering, INPUT_QUERY)->shape;
  const HybShape *value = &hyb_onnx_type (lowering, INPUT_VALUE)->shape;

  *layer = (Layer){ .n_query_heads = hyb_onnx_int (lowering, "q_num_heads", 0),
                    .n_heads = hyb_onnx_int (lowering, "kv_num_heads", 0),
                    .decay = -1,
                    .beta = -1 };
  for (guint i = 0; i < hyb_onnx_n_inputs (lowering); i++)
    if (hyb_onnx_has_input (lowering, i) && !hyb_type_is_known (hyb_onnx_type (lowering, i)))
      {
        hyb_onnx_set_rank (lowering, 0, hyb_onnx_type (lowering, 0)->dtype, 3);
        hyb_onnx_set_rank (lowering, 1, hyb_onnx_type (lowering, 0)->dtype, 4);
        return FALSE;
      }
  if (query->rank != 3 || value->rank != 3 || layer->n_query_heads < 1 || layer->n_heads < 1 ||
      query->dim[2] % layer->n_query_heads != 0 || value->dim[2] % layer->n_heads != 0 ||
      layer->n_query_heads % layer->n_heads != 0)
    {
      hyb_lowering_fail (lowering, NULL, "its inputs cannot be divided into its heads");
      return FALSE;
    }
  layer->batch = query->dim[0];
  layer->length = query->dim[1];
  layer->key_size = query->dim[2] / layer->n_query_heads;
  layer->value_size = value->dim[2] / layer->n_heads;
  layer->scale = hyb_onnx_float (lowering, "scale", 0);
  if (layer->scale == 0)
    layer->scale = 1 / sqrt ((double) layer->key_size);
  return TRUE;
}

/* [batch, length, heads × size] as float32 steps [length, batch, heads, size, 1], or […, 1, size]. */
static HybValueId
split_steps (HybLowering *lowering, guint input, gint64 n_heads, gboolean is_row)
{
  static const gint64 column[] = { 1, 0, 2, 3, 4 }, row[] = { 1, 0, 2, 4, 3 };
  const HybShape     *shape = &hyb_onnx_type (lowering, input)->shape;
  gint64              dims[] = { shape->dim[0], shape->dim[1], n_heads, -1, 1 };
  HybValueId          x = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, input), HYB_F32);

  return hyb_onnx_transpose (lowering, hyb_onnx_reshape (lowering, x, 5, dims), 5,
                             is_row ? row : column);
}

/* Sums of products along the key, [batch, heads, 1, value size]. */
static HybValueId
read_state (HybLowering *lowering, HybValueId state, HybValueId x)
{
  return onnx_reduce (lowering, "_np_sum", onnx_multiply (lowering, state, x), 2, TRUE);
}

/* One step: heads are its output and the next state. */
static void
write_step (HybLowering *inner, const HybValueId *heads, gconstpointer data, GArray *arranged)
{
  const Layer *layer = data;
  HybValueId   state = STEP_STATE, value = STEP_VALUE, y;

  if (layer->decay >= 0)
    state = onnx_multiply (inner, state, hyb_onnx_unary (inner, "exp", (guint) layer->decay));
  if (layer->beta >= 0)
    value = onnx_multiply (inner, (guint) layer->beta,
                           onnx_subtract (inner, value, read_state (inner, state, STEP_KEY)));
  state = onnx_add (inner, state, onnx_multiply (inner, STEP_KEY, value));
  y = read_state (inner, onnx_repeat (inner, state, 1, layer->n_query_heads / layer->n_heads),
                  STEP_QUERY);
  hyb_onnx_append_head (inner, onnx_scale (inner, y, layer->scale), arranged);
  hyb_onnx_append_head (inner, state, arranged);
}

/* The type of one step of a value. */
static HybType
step_type (const HybLowering *lowering, HybValueId x)
{
  HybType type = *hyb_lowering_get_type (lowering, x);

  if (type.shape.rank > 0)
    memmove (type.shape.dim, type.shape.dim + 1,
             (gsize) --type.shape.rank * sizeof *type.shape.dim);
  return type;
}

static HybValueId
initial_state (HybLowering *lowering, const Layer *layer)
{
  HybShape shape = hyb_shape_4d (layer->batch, layer->n_heads, layer->key_size, layer->value_size);

  if (hyb_onnx_has_input (lowering, INPUT_STATE))
    return hyb_onnx_cast (lowering, hyb_onnx_input (lowering, INPUT_STATE), HYB_F32);
  return onnx_fill (lowering, &shape, HYB_F32, 0);
}

/* The values that feed each variable; returns their number. */
static guint
connect (HybLowering *lowering, Layer *layer, HybOnnxPort *ports)
{
  guint n = STEP_DECAY;

  ports[STEP_QUERY].value = split_steps (lowering, INPUT_QUERY, layer->n_query_heads, FALSE);
  ports[STEP_KEY].value = split_steps (lowering, INPUT_KEY, layer->n_heads, FALSE);
  ports[STEP_VALUE].value = split_steps (lowering, INPUT_VALUE, layer->n_heads, TRUE);
  ports[STEP_STATE].value = initial_state (lowering, layer);
  if (hyb_onnx_has_input (lowering, INPUT_DECAY))
    {
      layer->decay = (int) n;
      ports[n++].value = split_steps (lowering, INPUT_DECAY, layer->n_heads, FALSE);
    }
  if (hyb_onnx_has_input (lowering, INPUT_BETA))
    {
      layer->beta = (int) n;
      ports[n++].value =
          split_steps (lowering, INPUT_BETA,
                       hyb_onnx_type (lowering, INPUT_BETA)->shape.dim[2] == 1 ? 1 : layer->n_heads,
                       TRUE);
    }
  for (guint i = 0; i < n; i++)
    ports[i].kind = i == STEP_STATE ? HYB_PORT_STATE : HYB_PORT_DATA;
  return n;
}

static void
lower_linear_attention (HybLowering *lowering)
{
  static const gint64 order[] = { 1, 0, 2, 3, 4 };
  Layer               layer;
  HybOnnxPort         ports[MAX_STEPS];
  HybType             types[MAX_STEPS];
  HybDType            dtype = hyb_onnx_type (lowering, INPUT_QUERY)->dtype;
  HybBodyUse          use = { .types = types, .arrange = write_step, .data = &layer };
  g_autoptr (HybLoweredBody) body = NULL;
  HybValueId y;
  guint      n;

  if (!read_layer (lowering, &layer))
    return;
  n = connect (lowering, &layer, ports);
  for (guint i = 0; i < n; i++)
    types[i] = i == STEP_STATE ? *hyb_lowering_get_type (lowering, ports[i].value)
                               : step_type (lowering, ports[i].value);
  body = hyb_lowering_write_body (lowering, n, &use);
  if (!body)
    return;
  y = hyb_onnx_foreach (lowering, body, n, ports, 1);
  if (y == HYB_NO_ID)
    return;
  hyb_lowering_set_output (lowering, 1,
                           hyb_onnx_cast (lowering, y + 1,
                                          hyb_onnx_has_input (lowering, INPUT_STATE)
                                              ? hyb_onnx_type (lowering, INPUT_STATE)->dtype
                                              : dtype));
  y = hyb_onnx_reshape (lowering, hyb_onnx_transpose (lowering, y, 5, order), 3,
                        (gint64[]){ layer.batch, layer.length, -1 });
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, y, dtype));
}

/* --- CausalConvWithState --- */

/* The convolution of each channel of x with its own window. */
static HybValueId
convolve (HybLowering *lowering, HybValueId x, gint64 n_channels, gint64 size)
{
  HybValueId  inputs[] = { x, hyb_onnx_input (lowering, 1), onnx_optional (lowering, 2) };
  gboolean    has_bias = hyb_onnx_has_input (lowering, 2);
  const char *channels = hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, n_channels);

  return hyb_lowering_emit (lowering, "Convolution", has_bias ? 3 : 2, inputs, "kernel",
                            hyb_lowering_text_ints (lowering, 1, &size), "num_filter", channels,
                            "num_group", channels, "no_bias", has_bias ? "False" : "True", NULL);
}

static void
lower_causal_convolution (HybLowering *lowering)
{
  HybType     type = *hyb_onnx_type (lowering, 0);
  HybShape    weight = hyb_onnx_type (lowering, 1)->shape;
  const char *activation = hyb_onnx_string (lowering, "activation", "none");
  HybValueId  x = hyb_onnx_input (lowering, 0), y;
  gint64      before[] = { weight.rank == 3 ? weight.dim[2] - 1 : HYB_UNKNOWN, 0 };

  hyb_lowering_set_type (lowering, 0, &type);
  if (!hyb_type_is_known (&type) || type.shape.rank != 3 || before[0] < 0)
    return;
  if (hyb_onnx_has_input (lowering, 3))
    x = hyb_onnx_concat (lowering, 2, (HybValueId[]){ hyb_onnx_input (lowering, 3), x }, 2);
  else
    x = onnx_extend (lowering, x, 2, before, 0);
  y = convolve (lowering, x, type.shape.dim[1], weight.dim[2]);
  if (strcmp (activation, "none") != 0)
    y = onnx_multiply (lowering, y, hyb_onnx_unary (lowering, "sigmoid", y));
  hyb_lowering_set_output (lowering, 0, y);
  hyb_lowering_set_output (lowering, 1,
                           hyb_onnx_slice (lowering, x, 2, onnx_size (lowering, x, 2) - before[0],
                                           onnx_size (lowering, x, 2)));
}

static const char *const attention_inputs[] = { "query", "key",  "value", "past_state",
                                                "decay", "beta", NULL };
static const char *const attention_outputs[] = { "output", "present_state", NULL };
static const char *const inputs[] = { "input", "weight", "bias", "past_state", NULL };
static const char *const outputs[] = { "output", "present_state", NULL };

const HybOnnxOp hyb_onnx_ops_linear_attention[] = {
  { .op = { HYB_ONNX_ROW, .name = "LinearAttention",
            .doc = "Attention without a softmax, by a state that steps add to.",
            .category = HYB_CATEGORY_RECURRENT, .inputs = attention_inputs,
            .outputs = attention_outputs, .lower = lower_linear_attention },
    .since = 27 },
  { .op = { HYB_ONNX_ROW, .name = "CausalConvWithState",
            .doc = "A convolution of each channel with earlier positions.",
            .category = HYB_CATEGORY_CONVOLUTION, .inputs = inputs, .outputs = outputs,
            .lower = lower_causal_convolution },
    .since = 27 },
  { .since = 0 },
};
