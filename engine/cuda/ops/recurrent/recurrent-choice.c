/* recurrent-choice.c — see recurrent-choice.h.
 *
 * A line is one that “gpu-check sweep” prints; others are left out.  The file belongs to one machine and one cuDNN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/recurrent/recurrent-choice.h"

#include <gio/gio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the file that are read. */
#define LONGEST (1 << 20)

/* Those that need no further call, with the numbers of cudnnRNNAlgo_t; −1: it needs one, and is not chosen. */
static const struct
{
  const char *name;
  int         number;
} algorithms[] = {
  { "standard", HYB_CUDNN_RNN_STANDARD },
  { "persist-static", HYB_CUDNN_RNN_PERSIST_STATIC },
  { "persist-dynamic", -1 },
  { "persist-small", HYB_CUDNN_RNN_PERSIST_STATIC_SMALL_H },
};

/* One line of the table. */
typedef struct
{
  char   cell[8], training[8], algorithm[32], math[16], recorded[8], low_text[32], high_text[32];
  int    units, batch;
  double low, high; /* of the interval, in seconds */
} Line;

#define FORM                                                                                      \
  "{\"cell\": \"%7[a-z]\", \"training\": %7[a-z], \"units\": %d, \"batch\": %d, \"steps\": %*d, " \
  "\"algorithm\": \"%31[a-z-]\", \"math\": \"%15[a-z]\", \"recorded\": %7[a-z], \"median\": "     \
  "%*[0-9.e+-], \"low\": %31[0-9.e+-], \"high\": %31[0-9.e+-]}"

/* FALSE: it is something else. */
static gboolean
read_line (const char *text, Line *line)
{
  if (sscanf (text, FORM, line->cell, line->training, &line->units, &line->batch, line->algorithm,
              line->math, line->recorded, line->low_text, line->high_text) != 9)
    return FALSE;
  line->low = g_ascii_strtod (line->low_text, NULL);
  line->high = g_ascii_strtod (line->high_text, NULL);
  return line->low > 0 && line->low <= line->high && isfinite (line->high);
}

/* TRUE if the line is about this layer, as static mode computes it: recorded. */
static gboolean
is_about (const Line *line, const HybDevice *device, const HybRecurrentNet *net, gboolean training)
{
  const char *cell = net->cell == HYB_CUDNN_GRU ? "gru" : "lstm";

  return strcmp (line->cell, cell) == 0 && line->units == net->H && line->batch == net->N &&
         (strcmp (line->training, "true") == 0) == training &&
         strcmp (line->math, device->precise ? "fma" : "default") == 0 &&
         strcmp (line->recorded, "true") == 0;
}

/* The subject of gpu-check's measurement: one layer in one direction, with as many inputs as units, in float32. */
static gboolean
is_measured (const HybRecurrentNet *net)
{
  return (net->cell == HYB_CUDNN_LSTM || net->cell == HYB_CUDNN_GRU) && net->L == 1 &&
         net->D == 1 && net->I == net->H && net->P == net->H && isnan (net->low) &&
         net->dtype == HYB_F32;
}

/* (transfer full); NULL without a file */
static char *
read_table (void)
{
  const char *path = g_getenv ("HYB_GPU_RNN_TIMES");
  g_autoptr (GFile) file = path && *path ? g_file_new_for_path (path) : NULL;
  g_autoptr (GFileInputStream) stream = NULL;
  g_autofree char *text = NULL;
  gsize            n = 0;

  if (!file || g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL) != G_FILE_TYPE_REGULAR)
    return NULL;
  stream = g_file_read (file, NULL, NULL);
  text = g_malloc (LONGEST + 1);
  if (!stream || !g_input_stream_read_all (G_INPUT_STREAM (stream), text, LONGEST, &n, NULL, NULL))
    return NULL;
  text[n] = 0;
  return g_steal_pointer (&text);
}

int
hyb_recurrent_choose (const HybDevice *device, const HybRecurrentNet *net, gboolean training)
{
  g_autofree char *table = is_measured (net) ? read_table () : NULL;
  g_auto (GStrv) lines = g_strsplit (table ? table : "", "\n", -1);
  double standard = 0, least = INFINITY;
  int    best = HYB_CUDNN_RNN_STANDARD;

  for (guint i = 0; lines[i]; i++)
    {
      Line line;

      if (!read_line (lines[i], &line) || !is_about (&line, device, net, training))
        continue;
      for (guint a = 0; a < G_N_ELEMENTS (algorithms); a++)
        if (strcmp (line.algorithm, algorithms[a].name) == 0)
          {
            if (algorithms[a].number == HYB_CUDNN_RNN_STANDARD)
              standard = line.low;
            else if (algorithms[a].number > 0 && line.high < least)
              {
                least = line.high;
                best = algorithms[a].number;
              }
          }
    }
  return least < standard ? best : HYB_CUDNN_RNN_STANDARD;
}
