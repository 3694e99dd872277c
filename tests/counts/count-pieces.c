/* count-pieces.c — hyb_parallel_for() for counting: one thread computes all pieces of a loop, piece k below
 * the function piece_k, so that a profiler of instructions tells what thread k would have to do.  At
 * the end a line on stderr says how many loops were split, and into how many pieces.
 *
 * Linked into hscope with --wrap=hyb_parallel_for (threads.py).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel-pieces.h"
#include "engine/base/parallel.h"

#include <stdio.h>

#define MAX_PIECES 16

void __wrap_hyb_parallel_for (gint64 n, gint64 grain, HybParallelFunc func, gpointer data);

typedef void (*PieceFunc) (HybParallelFunc func, gint64 begin, gint64 end, gpointer data);

/* The piece that is computed; -1: none.  Written at the beginning and at the end of each, which a trace
 * of stores shows. */
static volatile int current_piece = -1;
/* Written at the beginning of each loop that is split. */
static volatile int loop_begins;

/* Not static, so that the names stay in the program; and not the same code, so that they stay apart. */
#define PIECE(k)                                                                             \
  void piece_##k (HybParallelFunc func, gint64 begin, gint64 end, gpointer data);            \
  __attribute__ ((noinline)) void piece_##k (HybParallelFunc func, gint64 begin, gint64 end, \
                                             gpointer data)                                  \
  {                                                                                          \
    current_piece = k;                                                                       \
    func (begin, end, data);                                                                 \
    current_piece = -1; /* no tail call, which would hide this function */                   \
  }

PIECE (0)
PIECE (1)
PIECE (2)
PIECE (3)
PIECE (4)
PIECE (5)
PIECE (6)
PIECE (7)
PIECE (8)
PIECE (9)
PIECE (10)
PIECE (11)
PIECE (12)
PIECE (13)
PIECE (14)
PIECE (15)

static const PieceFunc pieces_in_turn[MAX_PIECES] = {
  piece_0, piece_1, piece_2,  piece_3,  piece_4,  piece_5,  piece_6,  piece_7,
  piece_8, piece_9, piece_10, piece_11, piece_12, piece_13, piece_14, piece_15,
};

static guint64 n_loops, n_pieces;

__attribute__ ((constructor)) static void
tell_marks (void)
{
  fprintf (stderr, "marks %p %p\n", (const void *) &loop_begins, (const void *) &current_piece);
}

__attribute__ ((destructor)) static void
tell_counts (void)
{
  fprintf (stderr, "loops %" G_GUINT64_FORMAT " pieces %" G_GUINT64_FORMAT "\n", n_loops, n_pieces);
}

void
__wrap_hyb_parallel_for (gint64 n, gint64 grain, HybParallelFunc func, gpointer data)
{
  guint             n_threads = MIN (hyb_parallel_get_threads (), MAX_PIECES);
  HybParallelPieces pieces;

  if (n <= 0)
    return;

  pieces = hyb_parallel_pieces (n, grain, n_threads);
  if (pieces.n == 1 || current_piece >= 0) /* a loop inside of a piece belongs to its thread */
    {
      for (gint64 k = 0; k < pieces.n; k++)
        func (k * pieces.size, MIN ((k + 1) * pieces.size, n), data);
      return;
    }

  loop_begins = 1;
  n_loops++;
  n_pieces += (guint64) pieces.n;
  for (gint64 k = 0; k < pieces.n; k++)
    pieces_in_turn[k](func, k * pieces.size, MIN ((k + 1) * pieces.size, n), data);
}
