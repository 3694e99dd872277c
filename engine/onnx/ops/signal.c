/* signal.c — windows of signals, and the weights from frequencies to mel bands: arrays that follow from a few numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

/* Larger arrays are not computed while planning. */
#define MAX_ELEMENTS 16777216

/* The type that an attribute names. */
static HybDType
output_dtype (HybLowering *lowering)
{
  gint64 given = hyb_onnx_int (lowering, "output_datatype", HYB_ONNX_FLOAT);

  return hyb_onnx_dtype_to_engine ((HybOnnxDType) CLAMP (given, 0, G_MAXINT16));
}

/* --- Windows --- */

/* a − b cos (2π x) + c cos (4π x) */
typedef struct
{
  const char *name;
  double      a, b, c;
} Window;

static const Window windows[] = {
  { "Hann", 0.5, 0.5, 0 },
  { "Hamming", 25.0 / 46, 21.0 / 46, 0 },
  { "Blackman", 0.42, 0.5, 0.08 },
};

static const Window *
find_window (const HybLowering *lowering)
{
  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    if (strcmp (windows[i].name, hyb_onnx_engine (lowering)) == 0)
      return &windows[i];
  g_assert_not_reached ();
}

static void
lower_window (HybLowering *lowering)
{
  const Window *window = find_window (lowering);
  gboolean      is_periodic = hyb_onnx_int (lowering, "periodic", 1) != 0;
  HybType       type = { hyb_shape_1d (HYB_UNKNOWN), output_dtype (lowering) };
  gint64        n;
  double        period;
  HybTensor    *tensor;

  hyb_lowering_set_type (lowering, 0, &type);
  if (!hyb_onnx_contents (lowering, 0))
    return;
  n = (gint64) hyb_onnx_input_double (lowering, 0, 0);
  if (n < 0 || n > MAX_ELEMENTS || type.dtype == HYB_DTYPE_UNKNOWN)
    {
      hyb_lowering_fail (lowering, NULL, "its size or type cannot be computed with");
      return;
    }
  type.shape = hyb_shape_1d (n);
  tensor = hyb_tensor_new (&type, NULL);
  period = is_periodic ? (double) n : (double) MAX (n - 1, 1);
  for (gint64 i = 0; tensor && i < n; i++)
    {
      double angle = 2 * G_PI * (double) i / period;

      hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, (gsize) i,
                            window->a - window->b * cos (angle) + window->c * cos (2 * angle));
    }
  hyb_lowering_set_output (lowering, 0, hyb_lowering_constant (lowering, tensor));
}

/* --- MelWeightMatrix --- */

typedef struct
{
  gint64 n_bands, n_frequencies;
  double length, rate, low, high;
} Mel;

static double
to_mel (double frequency)
{
  return 2595 * log10 (1 + frequency / 700);
}

static double
from_mel (double mel)
{
  return 700 * (pow (10, mel / 2595) - 1);
}

/* The frequency at which a band begins. */
static gint64
edge (const Mel *mel, gint64 band)
{
  double low = to_mel (mel->low), step = (to_mel (mel->high) - low) / (double) (mel->n_bands + 2);
  double at = floor ((mel->length + 1) * from_mel (low + (double) band * step) / mel->rate);

  return (gint64) CLAMP (at, 0, (double) mel->n_frequencies);
}

static void
set_weight (HybTensor *tensor, const Mel *mel, gint64 frequency, gint64 band, double weight)
{
  if (frequency < mel->n_frequencies)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor),
                          (gsize) (frequency * mel->n_bands + band), weight);
}

/* Each band rises from its beginning to the next one's, and falls to that after it. */
static void
fill_band (HybTensor *tensor, const Mel *mel, gint64 band)
{
  gint64 first = edge (mel, band), middle = edge (mel, band + 1), last = edge (mel, band + 2);

  if (middle == first)
    set_weight (tensor, mel, middle, band, 1);
  for (gint64 i = first; middle > first && i <= middle; i++)
    set_weight (tensor, mel, i, band, (double) (i - first) / (double) (middle - first));
  for (gint64 i = middle; i < last; i++)
    set_weight (tensor, mel, i, band, (double) (last - i) / (double) (last - middle));
}

static void
lower_mel (HybLowering *lowering)
{
  HybType    type = { hyb_shape_2d (HYB_UNKNOWN, HYB_UNKNOWN), output_dtype (lowering) };
  double     given[5];
  Mel        mel;
  HybTensor *tensor;

  hyb_lowering_set_type (lowering, 0, &type);
  for (guint i = 0; i < 5; i++)
    {
      if (!hyb_onnx_contents (lowering, i))
        return;
      given[i] = hyb_onnx_input_double (lowering, i, 0);
    }
  mel = (Mel){ (gint64) given[0], (gint64) floor (given[1] / 2) + 1, given[1], given[2], given[3],
               given[4] };
  if (!(given[0] >= 1 && given[1] >= 1 && given[2] > 0 && given[0] <= MAX_ELEMENTS &&
        given[0] * given[1] <= MAX_ELEMENTS) ||
      type.dtype == HYB_DTYPE_UNKNOWN)
    {
      hyb_lowering_fail (lowering, NULL, "its sizes or its type cannot be computed with");
      return;
    }
  type.shape = hyb_shape_2d (mel.n_frequencies, mel.n_bands);
  tensor = hyb_tensor_new_zeros (&type, NULL);
  for (gint64 band = 0; tensor && band < mel.n_bands; band++)
    fill_band (tensor, &mel, band);
  hyb_lowering_set_output (lowering, 0, hyb_lowering_constant (lowering, tensor));
}

static const char *const window_inputs[] = { "size", NULL };
static const char *const mel_inputs[] = { "num_mel_bins",     "dft_length",       "sample_rate",
                                          "lower_edge_hertz", "upper_edge_hertz", NULL };
static const char *const outputs[] = { "output", NULL };

#define WINDOW(NAME, DOC)                  \
  {                                        \
    .op = { HYB_ONNX_ROW,                  \
            .name = NAME "Window",         \
            .doc = DOC,                    \
            .category = HYB_CATEGORY_DATA, \
            .inputs = window_inputs,       \
            .outputs = outputs,            \
            .lower = lower_window },       \
    .since = 17, .engine = NAME            \
  }

const HybOnnxOp hyb_onnx_ops_signal[] = {
  WINDOW ("Hann", "Hann's window."),
  WINDOW ("Hamming", "Hamming's window."),
  WINDOW ("Blackman", "Blackman's window."),
  { .op = { HYB_ONNX_ROW, .name = "MelWeightMatrix",
            .doc = "Weights from the frequencies of a spectrum to mel bands.",
            .category = HYB_CATEGORY_DATA, .inputs = mel_inputs, .outputs = outputs,
            .lower = lower_mel },
    .since = 17 },
  { .since = 0 },
};
