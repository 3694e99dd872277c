/* move.c — strided copies by one kernel.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/move.h"

#include "engine/cuda/compile.h"

#define THREADS 256

HybMoves *
hyb_moves_new (HybDevice *device, const HybCall *call, guint n, GError **error)
{
  static const char *const items[] = { [1] = "U8", [2] = "U16", [4] = "U32", [8] = "U64" };
  gsize                    item = hyb_dtype_size (call->output[0].dtype);
  g_autofree char         *text =
      g_strdup_printf ("#define Item %s\n%s", items[item], hyb_cuda_kernel_text ("move.cu"));
  CUfunction function = hyb_cuda_compile (device, text, "move", error);
  HybMoves  *moves;

  if (!function)
    return NULL;
  moves = g_malloc0 (sizeof (HybMoves) + n * sizeof (HybMoveWalk));
  moves->function = function;
  moves->item = item;
  moves->n = n;
  return moves;
}

void
hyb_move_walk_start (HybMoveWalk *walk, const HybShape *output)
{
  walk->axes = hyb_axes_new (output, 2);
  hyb_axes_contiguous (output, walk->axes.stride[1]);
}

HybMoves *
hyb_moves_finish (HybMoves *moves, GError **error)
{
  for (guint i = 0; i < moves->n; i++)
    if (!hyb_axes_join (&moves->walk[i].axes))
      {
        g_free (moves);
        hyb_axes_refuse (error);
        return NULL;
      }
  return moves;
}

void
hyb_moves_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  const HybMoves *moves = prepared;

  if (moves->clears)
    hyb_cuda_queue_clear (queue, run->output[0], hyb_type_bytes (&call->output[0]));
  for (guint i = 0; i < moves->n; i++)
    {
      const HybMoveWalk   *walk = &moves->walk[i];
      struct MoveArguments arguments = {
        .x = (const char *) run->input[walk->input] + walk->from * (gint64) moves->item,
        .y = (char *) run->output[walk->output] + walk->to * (gint64) moves->item,
        .n = 1,
        .rank = walk->axes.rank,
      };

      for (int d = 0; d < walk->axes.rank; d++)
        {
          arguments.n *= walk->axes.dim[d];
          arguments.dim[d] = walk->axes.dim[d];
          arguments.from[d] = walk->axes.stride[0][d];
          arguments.to[d] = walk->axes.stride[1][d];
        }
      hyb_cuda_launch (queue,
                       &(HybLaunch){
                           moves->function, arguments.n, THREADS, &arguments, sizeof arguments });
    }
}
