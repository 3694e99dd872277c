/* move.c — strided copies, element by element or, where two axes change places, in tiles.
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
  CUfunction move = hyb_cuda_compile (device, text, "move", error);
  CUfunction move_tiles = move ? hyb_cuda_compile (device, text, "move_tiles", error) : NULL;
  HybMoves  *moves;

  if (!move_tiles)
    return NULL;
  moves = g_malloc0 (sizeof (HybMoves) + n * sizeof (HybMoveWalk));
  moves->move = move;
  moves->move_tiles = move_tiles;
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

/* Tiles of fewer rows or columns would leave most threads without work. */
#define LEAST_TILE 8

/* The axis along which an operand lies side by side; -1 if there is none. */
static int
unit_axis (const HybAxes *axes, guint operand)
{
  for (int d = axes->rank - 1; d >= 0; d--)
    if (axes->stride[operand][d] == 1)
      return d;
  return -1;
}

/* FALSE if the walk is not a transpose of two axes that are long enough for tiles. */
static gboolean
find_tiles (const HybAxes *axes, struct TileArguments *tiles)
{
  int columns = unit_axis (axes, 0), rows = unit_axis (axes, 1);

  if (columns < 0 || rows < 0 || columns == rows || axes->dim[columns] < LEAST_TILE ||
      axes->dim[rows] < LEAST_TILE)
    return FALSE;
  tiles->rows = axes->dim[rows];
  tiles->columns = axes->dim[columns];
  tiles->from_row = axes->stride[0][rows];
  tiles->to_column = axes->stride[1][columns];
  tiles->n = (tiles->rows + TILE - 1) / TILE * ((tiles->columns + TILE - 1) / TILE);
  for (int d = 0; d < axes->rank; d++)
    if (d != rows && d != columns)
      {
        tiles->n *= axes->dim[d];
        tiles->dim[tiles->rank] = axes->dim[d];
        tiles->from[tiles->rank] = axes->stride[0][d];
        tiles->to[tiles->rank++] = axes->stride[1][d];
      }
  return TRUE;
}

static gboolean
is_empty (const HybAxes *axes)
{
  for (int d = 0; d < axes->rank; d++)
    if (axes->dim[d] == 0)
      return TRUE;
  return FALSE;
}

static void
launch_tiles (HybQueue *queue, CUfunction function, struct TileArguments *tiles)
{
  hyb_cuda_launch (queue, &(HybLaunch){ function, tiles->n * TILE_THREADS, TILE_THREADS, tiles,
                                        sizeof *tiles });
}

static void
launch_walk (HybQueue *queue, CUfunction function, const HybAxes *axes, struct MoveArguments *moves)
{
  moves->n = 1;
  moves->rank = axes->rank;
  for (int d = 0; d < axes->rank; d++)
    {
      moves->n *= axes->dim[d];
      moves->dim[d] = axes->dim[d];
      moves->from[d] = axes->stride[0][d];
      moves->to[d] = axes->stride[1][d];
    }
  hyb_cuda_launch (queue, &(HybLaunch){ function, moves->n, THREADS, moves, sizeof *moves });
}

/* Empty arrays have no address that an offset could be added to. */
static void
launch_one (HybQueue *queue, const HybMoves *moves, const HybMoveWalk *walk, const HybRun *run)
{
  if (is_empty (&walk->axes))
    return;
  gconstpointer x = (const char *) run->input[walk->input] + walk->from * (gint64) moves->item;
  gpointer      y = (char *) run->output[walk->output] + walk->to * (gint64) moves->item;
  struct TileArguments tiles = { .x = x, .y = y };

  if (find_tiles (&walk->axes, &tiles))
    launch_tiles (queue, moves->move_tiles, &tiles);
  else
    launch_walk (queue, moves->move, &walk->axes, &(struct MoveArguments){ .x = x, .y = y });
}

void
hyb_moves_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  const HybMoves *moves = prepared;

  if (moves->clears)
    hyb_cuda_queue_clear (queue, run->output[0], hyb_type_bytes (&call->output[0]));
  for (guint i = 0; i < moves->n; i++)
    launch_one (queue, moves, &moves->walk[i], run);
}
