/* fourier.c — DFT and STFT: discrete Fourier transforms.
 *
 * The engine transforms real rows into complex ones, and gives the real part of the inverse of complex ones; complex
 * numbers are pairs.  Everything else is put together from these two.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

/* Longer signals are not taken apart into frames while planning. */
#define MAX_FRAMED 16777216

/* Rows to be transformed. */
typedef struct
{
  gint64     n, length; /* rows, and elements of each */
  HybValueId re, im;    /* [n, length]; im HYB_NO_ID: zero */
} Rows;

/* A transform of rows. */
typedef struct
{
  gint64   length; /* of the transform */
  gboolean is_inverse, is_onesided;
} Transform;

/* Rows of the required length: cut, or padded with zeros. */
static HybValueId
fit (HybLowering *lowering, HybValueId x, gint64 length)
{
  gint64 missing[] = { 0, length - onnx_size (lowering, x, 1) };

  if (x == HYB_NO_ID || missing[1] == 0)
    return x;
  return missing[1] > 0 ? onnx_extend (lowering, x, 1, missing, 0)
                        : hyb_onnx_slice (lowering, x, 1, 0, length);
}

/* The last axis of pairs, or of single numbers where there is no imaginary part. */
static HybValueId
join (HybLowering *lowering, HybValueId re, HybValueId im)
{
  HybValueId parts[] = { re, im };

  for (guint i = 0; i < 2; i++)
    if (parts[i] != HYB_NO_ID)
      parts[i] = hyb_lowering_emit (lowering, "expand_dims", 1, &parts[i], "axis", "2", NULL);
  return im == HYB_NO_ID ? parts[0] : hyb_onnx_concat (lowering, 2, parts, 2);
}

/* The transform of real rows. */
static void
transform_real (HybLowering *lowering,
                HybValueId   x,
                const Rows  *rows,
                HybValueId  *re,
                HybValueId  *im)
{
  HybValueId y = hyb_onnx_unary (lowering, "_contrib_fft", x);
  gint64     dims[] = { rows->n, rows->length, 2 }, flat[] = { rows->n, rows->length };

  y = hyb_onnx_reshape (lowering, y, 3, dims);
  *re = hyb_onnx_reshape (lowering, hyb_onnx_slice (lowering, y, 2, 0, 1), 2, flat);
  *im = hyb_onnx_reshape (lowering, hyb_onnx_slice (lowering, y, 2, 1, 2), 2, flat);
}

/* The real part of the inverse transform of complex rows. */
static HybValueId
invert_real (HybLowering *lowering, const Rows *rows, HybValueId re, HybValueId im)
{
  HybValueId y = hyb_onnx_reshape (lowering, join (lowering, re, im), 2,
                                   (gint64[]){ rows->n, 2 * rows->length });

  return onnx_scale (lowering, hyb_onnx_unary (lowering, "_contrib_ifft", y),
                     1 / (double) MAX (rows->length, 1));
}

static HybValueId
forward (HybLowering *lowering, const Rows *rows, const Transform *transform)
{
  HybValueId re, im, other_re, other_im;

  transform_real (lowering, rows->re, rows, &re, &im);
  if (rows->im != HYB_NO_ID)
    {
      transform_real (lowering, rows->im, rows, &other_re, &other_im);
      re = onnx_subtract (lowering, re, other_im);
      im = onnx_add (lowering, im, other_re);
    }
  if (transform->is_onesided)
    {
      re = hyb_onnx_slice (lowering, re, 1, 0, transform->length / 2 + 1);
      im = hyb_onnx_slice (lowering, im, 1, 0, transform->length / 2 + 1);
    }
  return join (lowering, re, im);
}

/* The second half of a spectrum of real numbers mirrors the first. */
static HybValueId
mirror (HybLowering *lowering, HybValueId half, gint64 length, double sign)
{
  gint64     n = (length - 1) / 2;
  HybValueId other = onnx_reverse (lowering, hyb_onnx_slice (lowering, half, 1, 1, 1 + n), 1);

  if (n < 1)
    return half;
  return hyb_onnx_concat (lowering, 2, (HybValueId[]){ half, onnx_scale (lowering, other, sign) },
                          1);
}

static HybValueId
inverse (HybLowering *lowering, const Rows *rows, const Transform *transform)
{
  HybValueId re = rows->re, im = rows->im;

  if (im == HYB_NO_ID)
    im = hyb_onnx_unary (lowering, "zeros_like", re);
  if (transform->is_onesided)
    {
      re = mirror (lowering, re, transform->length, 1);
      im = mirror (lowering, im, transform->length, -1);
      return join (lowering, invert_real (lowering, rows, re, im), HYB_NO_ID);
    }
  /* The imaginary part is the real part of the inverse of −i times the spectrum. */
  return join (lowering, invert_real (lowering, rows, re, im),
               invert_real (lowering, rows, im, hyb_onnx_unary (lowering, "negative", re)));
}

/* The transform of x [rows, length, 1 or 2] along axis 1. */
static HybValueId
transform_rows (HybLowering *lowering, HybValueId x, const Transform *transform)
{
  Rows     rows = { onnx_size (lowering, x, 0), transform->length, HYB_NO_ID, HYB_NO_ID };
  gint64   dims[] = { rows.n, onnx_size (lowering, x, 1) };
  gboolean is_complex = onnx_size (lowering, x, 2) == 2;
  gint64   given =
      transform->is_inverse && transform->is_onesided ? rows.length / 2 + 1 : rows.length;

  rows.re = hyb_onnx_reshape (lowering, hyb_onnx_slice (lowering, x, 2, 0, 1), 2, dims);
  if (is_complex)
    rows.im = hyb_onnx_reshape (lowering, hyb_onnx_slice (lowering, x, 2, 1, 2), 2, dims);
  rows.re = fit (lowering, rows.re, given);
  rows.im = fit (lowering, rows.im, given);
  return transform->is_inverse ? inverse (lowering, &rows, transform)
                               : forward (lowering, &rows, transform);
}

static void
transform_axis (HybLowering *lowering, int axis, const Transform *transform)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  int        rank = type.shape.rank;
  HybShape   result = { .rank = rank };
  HybValueId x;

  x = onnx_move_axis (lowering, hyb_onnx_input (lowering, 0), rank, axis, rank - 2);
  x = hyb_onnx_reshape (lowering, x, 3,
                        (gint64[]){ -1, type.shape.dim[axis], type.shape.dim[rank - 1] });
  x = transform_rows (lowering, x, transform);
  for (int i = 0; i < rank - 2; i++)
    result.dim[i] = type.shape.dim[i < axis ? i : i + 1];
  for (int i = 1; i < 3; i++)
    result.dim[rank - 3 + i] = onnx_size (lowering, x, i);
  x = onnx_move_axis (lowering, onnx_reshape_to (lowering, x, &result), rank, rank - 2, axis);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, x, type.dtype));
}

/* The axis is an input from version 20 on. */
static void
lower_dft (HybLowering *lowering)
{
  HybType   type = *hyb_onnx_type (lowering, 0);
  gboolean  is_new = hyb_onnx_opset (lowering) >= 20;
  Transform transform = { .is_inverse = hyb_onnx_int (lowering, "inverse", 0) != 0,
                          .is_onesided = hyb_onnx_int (lowering, "onesided", 0) != 0 };
  gint64    given;
  int       axis;

  if (!hyb_type_is_known (&type) ||
      (hyb_onnx_has_input (lowering, 1) && !hyb_onnx_contents (lowering, 1)) ||
      (hyb_onnx_has_input (lowering, 2) && !hyb_onnx_contents (lowering, 2)))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, type.shape.rank);
      return;
    }
  given = is_new ? (gint64) hyb_onnx_input_double (lowering, 2, -2)
                 : hyb_onnx_int (lowering, "axis", 1);
  axis = hyb_onnx_axis (lowering, given, type.shape.rank);
  if (axis < 0)
    return;
  if (type.shape.rank < 2 || axis == type.shape.rank - 1 ||
      (type.shape.dim[type.shape.rank - 1] != 1 && type.shape.dim[type.shape.rank - 1] != 2))
    {
      hyb_lowering_fail (lowering, NULL, "its input is not of complex or real numbers");
      return;
    }
  transform.length = transform.is_inverse && transform.is_onesided ? 2 * (type.shape.dim[axis] - 1)
                                                                   : type.shape.dim[axis];
  transform.length = (gint64) hyb_onnx_input_double (lowering, 1, (double) transform.length);
  if (transform.length < 1 || transform.length > G_MAXINT32)
    hyb_lowering_fail (lowering, NULL, "its length cannot be computed with");
  else
    transform_axis (lowering, axis, &transform);
}

/* --- STFT --- */

/* The positions in a signal of the elements of each frame, [frames, length]. */
static HybValueId
frame_positions (HybLowering *lowering, gint64 n_frames, gint64 step, gint64 length)
{
  return onnx_add (lowering,
                   onnx_scale (lowering, onnx_count (lowering, n_frames, 0, 2), (double) step),
                   onnx_count (lowering, length, 1, 2));
}

static void
lower_stft (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybType    window = *hyb_onnx_type (lowering, 2);
  Transform  transform = { .is_onesided = hyb_onnx_int (lowering, "onesided", 1) != 0 };
  gint64     step, n_frames;
  HybValueId x;

  if (!hyb_type_is_known (&type) || !hyb_onnx_contents (lowering, 1) ||
      (hyb_onnx_has_input (lowering, 3) && !hyb_onnx_contents (lowering, 3)))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, 4);
      return;
    }
  if (type.shape.rank == 2)
    type.shape = hyb_shape_3d (type.shape.dim[0], type.shape.dim[1], 1);
  step = (gint64) hyb_onnx_input_double (lowering, 1, 1);
  transform.length =
      (gint64) hyb_onnx_input_double (lowering, 3,
                                      window.shape.rank == 1 ? (double) window.shape.dim[0]
                                                             : (double) type.shape.dim[1]);
  if (type.shape.rank != 3 || step < 1 || transform.length < 1 ||
      transform.length > type.shape.dim[1] ||
      (window.shape.rank == 1 && window.shape.dim[0] != transform.length) ||
      type.shape.dim[1] / step >= MAX_FRAMED / transform.length)
    {
      hyb_lowering_fail (lowering, NULL, "its frames do not fit its signal");
      return;
    }
  n_frames = 1 + (type.shape.dim[1] - transform.length) / step;
  x = onnx_reshape_to (lowering, hyb_onnx_input (lowering, 0), &type.shape);
  x = onnx_take (lowering, x, frame_positions (lowering, n_frames, step, transform.length), 1);
  if (hyb_onnx_has_input (lowering, 2))
    x = onnx_multiply (lowering, x,
                       hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 2), 2,
                                         (gint64[]){ transform.length, 1 }));
  x = hyb_onnx_reshape (lowering, x, 3, (gint64[]){ -1, transform.length, type.shape.dim[2] });
  x = transform_rows (lowering, x, &transform);
  x = hyb_onnx_reshape (lowering, x, 4,
                        (gint64[]){ type.shape.dim[0], n_frames, onnx_size (lowering, x, 1), 2 });
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, x, type.dtype));
}

static const char *const dft_inputs[] = { "input", "dft_length", "axis", NULL };
static const char *const stft_inputs[] = { "signal", "frame_step", "window", "frame_length", NULL };
static const char *const outputs[] = { "output", NULL };

const HybOnnxOp hyb_onnx_ops_fourier[] = {
  { .op = { HYB_ONNX_ROW, .name = "DFT", .doc = "A discrete Fourier transform along an axis.",
            .category = HYB_CATEGORY_LINEAR, .inputs = dft_inputs, .outputs = outputs,
            .lower = lower_dft },
    .since = 17 },
  { .op = { HYB_ONNX_ROW, .name = "STFT",
            .doc = "Fourier transforms of the overlapping frames of a signal.",
            .category = HYB_CATEGORY_LINEAR, .inputs = stft_inputs, .outputs = outputs,
            .lower = lower_stft },
    .since = 17 },
  { .since = 0 },
};
