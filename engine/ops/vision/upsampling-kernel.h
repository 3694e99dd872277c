/* upsampling-kernel.h — the loops of upsampling.c (sample_type nearest), for float and double: for
 * plane, output row and column.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adds one input, scaled up by repeating cells, to the output. */
static void
NAME (repeat_cells) (const HybCall *call, const HybRun *run, guint input)
{
  const HybShape *from = &call->input[input].shape;
  const HybShape *to = &call->output[0].shape;
  gint64          height = to->dim[2], width = to->dim[3];

  for (gint64 plane = 0; plane < from->dim[0] * from->dim[1]; plane++)
    {
      const REAL *x = (const REAL *) run->input[input] + plane * from->dim[2] * from->dim[3];
      gint64 place = output_plane (call, to, input, plane / from->dim[1], plane % from->dim[1]);
      REAL  *y = (REAL *) run->output[0] + place * height * width;

      for (gint64 i = 0; i < height; i++)
        for (gint64 j = 0; j < width; j++)
          y[i * width + j] +=
              x[i / (height / from->dim[2]) * from->dim[3] + j / (width / from->dim[3])];
    }
}

/* Gradient of one input: each cell sums the gradients of the cells that repeat it. */
static void
NAME (gather_cells) (const HybCall *call, const HybRun *run, guint output)
{
  const HybShape *to = &call->output[output].shape;
  const HybShape *from = &call->input[call->n_inputs - 1].shape;
  gint64          height = from->dim[2], width = from->dim[3];

  memset (run->output[output], 0, hyb_type_bytes (&call->output[output]));
  for (gint64 plane = 0; plane < to->dim[0] * to->dim[1]; plane++)
    {
      gint64      place = output_plane (call, from, output, plane / to->dim[1], plane % to->dim[1]);
      const REAL *dy = (const REAL *) run->input[call->n_inputs - 1] + place * height * width;
      REAL       *dx = (REAL *) run->output[output] + plane * to->dim[2] * to->dim[3];

      for (gint64 i = 0; i < height; i++)
        for (gint64 j = 0; j < width; j++)
          dx[i / (height / to->dim[2]) * to->dim[3] + j / (width / to->dim[3])] +=
              dy[i * width + j];
    }
}
