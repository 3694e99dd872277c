/* box-coding-kernel.h — the loops of box-coding.c, for float and double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A box as centre and size. */
typedef struct
{
  REAL x, y, width, height;
} NAME (Centered);

static NAME (Centered) NAME (read_box) (const REAL *box, BoxFormat format)
{
  NAME (Centered) read = { box[0], box[1], box[2], box[3] };

  if (format == FORMAT_CORNER)
    {
      read.width = box[2] - box[0];
      read.height = box[3] - box[1];
      read.x = box[0] + read.width / 2;
      read.y = box[1] + read.height / 2;
    }
  return read;
}

/* The centre moves by offset × size of the anchor; the size is multiplied by exp (offset). */
static void
NAME (decode_boxes) (const HybCall *call, const HybRun *run)
{
  const DecodeParams *params = call->params;
  const REAL         *data = run->input[0];
  const REAL         *anchors = run->input[1];
  REAL               *out = run->output[0];
  gint64              boxes = call->input[0].shape.dim[1];
  gint64              total = hyb_shape_size (&call->input[0].shape) / 4;
  REAL                clip = (REAL) params->clip;

  for (gint64 i = 0; i < total; i++, data += 4, out += 4)
    {
      NAME (Centered)
      anchor = NAME (read_box) (anchors + i % boxes * 4, (BoxFormat) params->format);
      REAL x = data[0] * (REAL) params->std0 * anchor.width + anchor.x;
      REAL y = data[1] * (REAL) params->std1 * anchor.height + anchor.y;
      REAL log_width = data[2] * (REAL) params->std2, log_height = data[3] * (REAL) params->std3;
      REAL half_width, half_height;

      if (clip > 0)
        {
          log_width = log_width < clip ? log_width : clip;
          log_height = log_height < clip ? log_height : clip;
        }
      half_width = exp (log_width) * anchor.width / 2;
      half_height = exp (log_height) * anchor.height / 2;
      out[0] = x - half_width;
      out[1] = y - half_height;
      out[2] = x + half_width;
      out[3] = y + half_height;
    }
}

/* Anchors whose sample is not above 0.5 get zeros.  A chosen anchor whose match is not a row of refs
 * gets NaN. */
static void
NAME (encode_boxes) (const HybCall *call, const HybRun *run)
{
  const REAL *samples = run->input[0];
  const REAL *matches = run->input[1];
  const REAL *means = run->input[4];
  const REAL *stds = run->input[5];
  gint64      boxes = call->input[2].shape.dim[1], references = call->input[3].shape.dim[1];
  gint64      total = call->input[2].shape.dim[0] * boxes;

  for (gint64 i = 0; i < total; i++)
    {
      REAL    *target = (REAL *) run->output[0] + 4 * i;
      REAL    *mask = (REAL *) run->output[1] + 4 * i;
      gboolean is_chosen = samples[i] > (REAL) 0.5;
      gboolean is_matched = matches[i] > -1 && matches[i] < (REAL) references;
      REAL     offset[4] = { NAN, NAN, NAN, NAN };

      if (is_chosen && is_matched)
        {
          gint64      row = i / boxes * references + (gint64) matches[i];
          const REAL *refs = (const REAL *) run->input[3] + 4 * row;
          NAME (Centered) reference = NAME (read_box) (refs, FORMAT_CORNER);
          NAME (Centered)
          anchor = NAME (read_box) ((const REAL *) run->input[2] + 4 * i, FORMAT_CORNER);

          offset[0] = (reference.x - anchor.x) / anchor.width;
          offset[1] = (reference.y - anchor.y) / anchor.height;
          offset[2] = log (reference.width / anchor.width);
          offset[3] = log (reference.height / anchor.height);
        }
      for (int k = 0; k < 4; k++)
        {
          target[k] = is_chosen ? (offset[k] - means[k]) / stds[k] : 0;
          mask[k] = is_chosen;
        }
    }
}
