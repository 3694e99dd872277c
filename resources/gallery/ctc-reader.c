/* ctc-reader.c — reads a line of digits from an image.
 *
 * Convolutions turn the image into a sequence of columns, two bidirectional LSTM layers read it,
 * and connectionist temporal classification (CTC) learns which columns show which digit.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 characters, letters, width, hidden, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, characters), HYB_PARAM_INT, "10", 2, 64, .doc = "different characters" },
  { HYB_FIELD (Options, letters), HYB_PARAM_INT, "4", 1, 256, .doc = "characters in a line" },
  { HYB_FIELD (Options, width), HYB_PARAM_INT, "64", 16, 65536,
    .doc = "columns of the image, which has 16 rows" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "48", 1, 65536, .doc = "units of a direction" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "16", 1, 65536, .doc = "lines in a batch" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  HybBlock *columns, *reader, *decoder;
} CtcReader;

static HybValue *
ctc_reader_forward (HybF *F, HybBlock *block, HybValue *image)
{
  CtcReader *self = (CtcReader *) block;
  HybValue  *x = hyb_call (F, self->columns, image);

  /* (batch, channels, rows, columns) to (batch, columns, channels × rows) */
  x = hyb_reshape (F, hyb_transpose (F, x, "(0, 3, 1, 2)"), "(0, 0, -1)");
  return hyb_call (F, self->decoder, hyb_call (F, self->reader, x));
}

static const HybBlockClass ctc_reader_class = {
  .name = "CtcReader",
  .size = sizeof (CtcReader),
  .forward = ctc_reader_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&ctc_reader_class, NULL);
  CtcReader     *self = (CtcReader *) block;
  HybShape       kernel = hyb_shape_2d (3, 3), one = hyb_shape_2d (1, 1);

  hyb_block_enter_scope (block);
  self->columns = hyb_append (block, hyb_sequential (NULL));
  hyb_block_enter_scope (self->columns);
  for (int i = 0; i < 2; i++)
    {
      HybShape half = i == 0 ? hyb_shape_2d (2, 2) : hyb_shape_2d (2, 1);

      hyb_append (self->columns, hyb_conv (.channels = 16 << i, .kernel = kernel, .pad = one,
                                           .activation = "relu"));
      hyb_append (self->columns, hyb_pool (.type = "max", .size = half, .stride = half));
    }
  hyb_block_leave_scope (self->columns);
  self->reader =
      hyb_append (block, hyb_rnn_layer (.mode = "lstm", .hidden = given->hidden, .layers = 2,
                                        .layout = "NTC", .bidirectional = TRUE));
  self->decoder =
      hyb_append (block, hyb_dense (.units = given->characters + 1, .no_flatten = TRUE));
  hyb_block_leave_scope (block);
  return block;
}

/* TRUE if a pixel of a character's 8 × 8 grid is dark. */
static gboolean
is_dark (gint64 character, int row, int column)
{
  return hyb_random_word (hyb_random_mix (77, (guint64) character),
                          (guint64) (row / 2 * 4 + column / 2)) %
         2;
}

/* Each character is a pattern; the distances between characters are irregular. */
static void
fill (gconstpointer data, const HybBatch *batch)
{
  const Options *given = data;
  guint64        draw = hyb_random_mix (batch->seed, batch->step), at = 0;
  gint64         room = given->width / given->letters;
  float         *label = hyb_tensor_get_data (batch->label);

  for (gint64 n = 0; n < given->batch; n++)
    for (gint64 k = 0; k < given->letters; k++)
      {
        gint64 character = hyb_random_word (draw, at++) % given->characters;
        gint64 free = room > 8 ? room - 8 : 1;
        gint64 left = k * room + hyb_random_word (draw, at++) % free;
        gint64 top = hyb_random_word (draw, at++) % 9;
        float *image =
            (float *) hyb_tensor_get_data (batch->inputs[0]) + (n * 16 + top) * given->width;

        label[n * given->letters + k] = (float) character;
        for (int row = 0; row < 8; row++)
          for (int column = 0; column < 8 && left + column < given->width; column++)
            image[row * given->width + left + column] = is_dark (character, row, column);
      }
}

HYB_MODEL (.name = "ctc-reader",
           .doc = "Reads a line of text: convolutions, LSTM both ways, CTC",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "float32(batch, 1, 16, width)",
           .build = build,
           .task = { .loss = "ctc",
                     .label = "float32(batch, letters)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.003",
                     .clip_global_norm = 5,
                     .epochs = 3,
                     .steps = 150,
                     .fill = fill });
