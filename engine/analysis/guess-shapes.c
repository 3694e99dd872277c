/* guess-shapes.c — guesses the open dimensions of a graph's inputs.
 *
 * Each guess is tried by inference, usual sizes first.  What operators accept decides; categories of
 * the operators that read an input only tell which sizes are usual.  Start at hyb_guess_shapes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/guess-shapes.h"

#include "engine/analysis/guess-clues.h"
#include "engine/analysis/infer-types.h"
#include "engine/graph/roles.h"
#include "engine/op/op.h"

#include <string.h>

/* Inferences of one graph: as many as visit MAX_VISITS nodes, but MIN_TRIES to MAX_TRIES. */
#define MAX_VISITS 4000000
#define MIN_TRIES  24
#define MAX_TRIES  600
#define N_CLASSES  10  /* collections of digits and of small images have this many */
#define FEW_LAYERS 4   /* convolutions of a network for digits */
#define PROBE      251 /* a size that hardly anything else in a graph has */

typedef struct
{
  HybGraph     *graph;
  gboolean      training;
  HybGuessHints hints;
  HybType      *types;      /* inferred, with the guesses so far */
  HybType      *trial;      /* inferred in the last trial */
  guint32      *readers;    /* by node: categories of all operators that depend on it, as bits */
  GArray       *operands;   /* of gint64: the sizes of parameters that are known, each once */
  char         *refused_by; /* what refused the last trial that failed */
  guint         tries;      /* inferences left */
  HybValueId    value;      /* whose shape is being guessed */
  GString      *reason;     /* for that guess */
} Guess;

/* Sizes to try for one variable, and what the reason says of the first. */
typedef struct
{
  const gint64 *usual;
  guint         n_usual;
  gint64        last; /* after the usual ones, every size up to this is tried */
  const char   *what; /* "images" */
} Sizes;

static const gint64 image_sizes[] = { 224, 299, 256, 300, 320, 416, 512, 128, 112, 96,  64,
                                      48,  32,  28,  384, 448, 480, 608, 640, 800, 1024 };
static const gint64 small_sizes[] = { 32, 28, 224, 299, 256, 64, 48, 96, 112, 128 };
static const gint64 digit_sizes[] = { 28, 32, 224, 299, 256, 64, 48, 96, 112, 128 };
static const gint64 lengths[] = { 35, 16, 32, 10, 8, 20, 30, 50, 64, 100, 128, 5, 4, 2, 1 };

static const Sizes of_images = { image_sizes, G_N_ELEMENTS (image_sizes), 1024, "images" };
static const Sizes of_small_images = { small_sizes,
                                       G_N_ELEMENTS (small_sizes),
                                       512,
                                       "small images" };
static const Sizes of_digits = { digit_sizes, G_N_ELEMENTS (digit_sizes), 512, "images of digits" };
static const Sizes of_sequences = { lengths, G_N_ELEMENTS (lengths), 512, "sequences" };

/* --- Trials --- */

/* Infers with this shape of a value, into trial. */
static gboolean
try_shape (Guess *guess, const HybShape *shape)
{
  g_autoptr (GError) error = NULL;
  gsize       n_values = hyb_graph_n_values (guess->graph);
  const char *begin, *end;

  if (guess->tries == 0)
    return FALSE;
  guess->tries--;
  memcpy (guess->trial, guess->types, n_values * sizeof *guess->types);
  guess->trial[guess->value].shape = *shape;
  if (hyb_infer_types (guess->graph, guess->trial, NULL, guess->training, &error))
    return TRUE;

  /* The message is “line 12: node “pool” (Pooling): …”, without the line in graphs that were not read
   * from a file. */
  begin = g_str_has_prefix (error->message, "line ") ? strstr (error->message, ": ") : NULL;
  begin = begin ? begin + 2 : error->message;
  end = strstr (begin, ": ");
  g_free (guess->refused_by);
  guess->refused_by = end ? g_strndup (begin, (gsize) (end - begin)) : NULL;
  return FALSE;
}

static gboolean
reads (const Guess *guess, HybNodeId variable, HybCategory category)
{
  return (guess->readers[variable] & 1u << category) != 0;
}

/* The shape with all open axes of the set at this size. */
static HybShape
with_size (const HybShape *shape, guint axes, gint64 size)
{
  HybShape full = *shape;

  for (int axis = 0; axis < full.rank; axis++)
    if (axes & 1u << axis)
      full.dim[axis] = size;
  return full;
}

G_GNUC_PRINTF (2, 3)
static void
add_reason (Guess *guess, const char *format, ...)
{
  va_list arguments;

  if (guess->reason->len > 0)
    g_string_append (guess->reason, ", ");
  va_start (arguments, format);
  g_string_append_vprintf (guess->reason, format, arguments);
  va_end (arguments);
}

/* --- Sizes --- */

static gint64
batch_size (const Guess *guess)
{
  return guess->hints.batch > 0 ? guess->hints.batch : 1;
}

static void
add_batch_reason (Guess *guess)
{
  add_reason (guess,
              "a batch of %" G_GINT64_FORMAT "%s",
              batch_size (guess),
              guess->hints.batch > 0 ? " as given" : "");
}

/* A size in the name of the file, as in ssd_512_resnet50-symbol.json: a number between underscores or
 * hyphens that is a multiple of 32, or the size of a well-known network.  0: none. */
static gint64
size_of_name (const char *file)
{
  static const gint64 others[] = { 299, 300, 331 };
  g_autofree char    *name = file ? g_path_get_basename (file) : NULL;
  g_auto (GStrv) words = name ? g_strsplit_set (name, "_-.", 0) : NULL;
  gint64 size = 0;

  for (guint i = 0; words && words[i] && size == 0; i++)
    {
      char  *end;
      gint64 number = g_ascii_strtoll (words[i], &end, 10);

      if (end == words[i] || *end || number < 32 || number > 2048)
        continue;
      if (number % 32 == 0)
        size = number;
      for (guint j = 0; j < G_N_ELEMENTS (others); j++)
        if (number == others[j])
          size = number;
    }
  return size;
}

/* Adds why this size was chosen.  at: its index in the usual sizes, or beyond them. */
static void
add_size_reason (Guess *guess, const HybShape *shape, guint axes, const Sizes *sizes, guint at)
{
  gint64           size = sizes->usual[0];
  g_autofree char *refused_by = g_steal_pointer (&guess->refused_by);
  guint            n_others = 0;

  if (at > 0)
    {
      add_reason (guess,
                  "%s refuses %" G_GINT64_FORMAT "%s",
                  refused_by ? refused_by : "the graph",
                  size,
                  at == 1 ? "" : " and other usual sizes");
      return;
    }
  for (guint i = 1; i < sizes->n_usual && i < 4; i++)
    {
      HybShape other = with_size (shape, axes, sizes->usual[i]);

      n_others += try_shape (guess, &other);
    }
  if (n_others > 0)
    add_reason (guess,
                "%" G_GINT64_FORMAT " is usual for %s and others fit, too",
                size,
                sizes->what);
  else
    add_reason (guess,
                "%" G_GINT64_FORMAT " is usual for %s and %s refuses others",
                size,
                sizes->what,
                guess->refused_by ? guess->refused_by : "the graph");
}

/* The size that is tried at an index: usual ones, then those of parameters, then all. */
static gint64
nth_size (const Guess *guess, const Sizes *sizes, guint i)
{
  guint n = guess->operands->len, k = i - sizes->n_usual;

  if (i < sizes->n_usual)
    return sizes->usual[i];
  return k < n ? g_array_index (guess->operands, gint64, k) : (gint64) k - n + 1;
}

/* Gives the axes of the set the first size that inference accepts. */
static gboolean
find_size (Guess *guess, HybShape *shape, guint axes, const Sizes *sizes)
{
  gboolean is_length = sizes == &of_sequences;
  gint64   named = is_length ? guess->hints.length : size_of_name (guess->hints.file);
  HybShape full;

  if (axes == 0)
    return try_shape (guess, shape);
  full = with_size (shape, axes, named);
  if (named > 0 && try_shape (guess, &full))
    {
      *shape = full;
      add_reason (guess,
                  is_length ? "a length of %" G_GINT64_FORMAT " as given"
                            : "%" G_GINT64_FORMAT " as in the name of the file",
                  named);
      return TRUE;
    }
  g_clear_pointer (&guess->refused_by, g_free);
  for (guint i = 0; i < sizes->n_usual + guess->operands->len + sizes->last; i++)
    {
      full = with_size (shape, axes, nth_size (guess, sizes, i));
      if (!try_shape (guess, &full))
        continue;
      add_size_reason (guess, shape, axes, sizes, i);
      *shape = full;
      return TRUE;
    }
  return FALSE;
}

/* --- Images: NCHW or NHWC, one or three spatial axes --- */

static gboolean
has_ten_classes (const Guess *guess)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (guess->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybShape *shape = &guess->types[heads[i]].shape;

      if (shape->rank > 0 && shape->dim[shape->rank - 1] == N_CLASSES)
        return TRUE;
    }
  return FALSE;
}

/* A network with ten classes and few layers, such as LeNet. */
static gboolean
is_for_digits (const Guess *guess)
{
  guint n_layers = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (guess->graph); id++)
    n_layers += hyb_graph_get_node (guess->graph, id)->op->category == HYB_CATEGORY_CONVOLUTION;
  return n_layers <= FEW_LAYERS && has_ten_classes (guess);
}

static gboolean
guess_image (Guess *guess, HybShape *shape)
{
  HybShape known = *shape;
  int      channel =
      known.rank > 3 && known.dim[known.rank - 1] != HYB_UNKNOWN && known.dim[1] == HYB_UNKNOWN
               ? known.rank - 1
               : 1;
  gboolean     is_open = known.dim[channel] == HYB_UNKNOWN;
  const gint64 channels[] = { 3, 1 };

  for (guint i = 0; i < (is_open ? G_N_ELEMENTS (channels) : 1); i++)
    {
      const Sizes *sizes = &of_images;
      guint        axes = 0;

      *shape = known;
      g_string_truncate (guess->reason, 0);
      if (shape->dim[0] == HYB_UNKNOWN)
        {
          shape->dim[0] = batch_size (guess);
          add_batch_reason (guess);
        }
      if (is_open)
        {
          shape->dim[channel] = is_for_digits (guess) ? channels[1 - i] : channels[i];
          add_reason (guess,
                      shape->dim[channel] == 1 ? "1 channel as in grey images"
                                               : "3 channels as in colour images");
        }
      for (int axis = 1; axis < shape->rank; axis++)
        if (shape->dim[axis] == HYB_UNKNOWN)
          axes |= 1u << axis;
      if (has_ten_classes (guess))
        sizes = shape->dim[channel] == 1 ? &of_digits : &of_small_images;
      if (find_size (guess, shape, axes, sizes))
        return TRUE;
    }
  return FALSE;
}

/* --- Features and sequences --- */

/* Whether this axis counts the steps of a recurrent operator: a size that is put there comes out as
 * the first axis of its data. */
static gboolean
is_time (Guess *guess, const HybShape *shape, int axis)
{
  HybShape probed = *shape;

  probed.dim[axis] = PROBE;
  if (!try_shape (guess, &probed))
    return FALSE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (guess->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (guess->graph, id);

      if (node->n_inputs == 0 || (node->op->category != HYB_CATEGORY_RECURRENT &&
                                  node->op->category != HYB_CATEGORY_CONTROL))
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        {
          const HybShape *data = &guess->trial[hyb_graph_get_inputs (guess->graph, id)[i]].shape;

          if (data->rank > 0 && data->dim[0] == PROBE)
            return TRUE;
        }
    }
  return FALSE;
}

/* Several axes have the size that an operator needs of one of them: gives the others the usual length, where
 * that fits. */
static void
lengthen (Guess *guess, HybShape *shape, guint axes)
{
  for (int axis = 0; axis < shape->rank; axis++)
    {
      HybShape longer = *shape;

      longer.dim[axis] = guess->hints.length > 0 ? guess->hints.length : of_sequences.usual[0];
      if (axes & 1u << axis && try_shape (guess, &longer))
        *shape = longer;
    }
}

/* One axis is the batch, the other open ones are lengths. */
static gboolean
guess_lengths (Guess *guess, HybShape *shape, int batch)
{
  HybShape full = *shape;
  guint    axes = 0;

  if (full.rank > batch && full.dim[batch] == HYB_UNKNOWN)
    {
      full.dim[batch] = batch_size (guess);
      /* Without this no length would help, and trying them all would cost the trials of other inputs. */
      if (!try_shape (guess, &full))
        return FALSE;
      add_batch_reason (guess);
    }
  for (int axis = 0; axis < full.rank; axis++)
    if (full.dim[axis] == HYB_UNKNOWN)
      axes |= 1u << axis;
  if (!find_size (guess, &full, axes, &of_sequences))
    return FALSE;
  if ((axes & (axes - 1)) != 0)
    lengthen (guess, &full, axes);
  *shape = full;
  return TRUE;
}

/* The rank is known: the batch is the first axis, or the second one of what comes step by step. */
static gboolean
guess_sequence (Guess *guess, HybShape *shape)
{
  gboolean can_have_time = shape->rank >= 2 && shape->dim[0] == HYB_UNKNOWN;
  int      batch = can_have_time && is_time (guess, shape, 0) ? 1 : 0;
  gsize    said = guess->reason->len;

  if (guess_lengths (guess, shape, batch))
    return TRUE;
  g_string_truncate (guess->reason, said);
  return can_have_time && shape->dim[1] == HYB_UNKNOWN && guess_lengths (guess, shape, 1 - batch);
}

/* If the operands of an operator that reads the value allow only one size, as the weights of a fully
 * connected layer do: a matrix with this size. */
static gboolean
guess_from_operands (Guess *guess, HybShape *shape)
{
  guint            n_users;
  const HybNodeId *users = hyb_graph_get_users (guess->graph, guess->value, &n_users);

  for (guint u = 0; u < n_users; u++)
    {
      const HybNode    *user = hyb_graph_get_node (guess->graph, users[u]);
      const HybValueId *inputs = hyb_graph_get_inputs (guess->graph, users[u]);

      for (guint i = 0; i < user->n_inputs; i++)
        for (int axis = guess->types[inputs[i]].shape.rank; axis-- > 0;)
          {
            gint64   size = guess->types[inputs[i]].shape.dim[axis];
            HybShape fitting = hyb_shape_2d (batch_size (guess), size);
            HybShape larger = hyb_shape_2d (batch_size (guess), size + 1);

            if (size <= 0 || !try_shape (guess, &fitting) || try_shape (guess, &larger))
              continue;
            *shape = fitting;
            add_batch_reason (guess);
            add_reason (guess, "“%s” reads %" G_GINT64_FORMAT " numbers", user->name, size);
            return TRUE;
          }
    }
  return FALSE;
}

/* A matrix for fully connected layers that accept any number of features.  Ten classes suggest
 * digits; nothing suggests another number. */
static gboolean
guess_features (Guess *guess, HybShape *shape)
{
  *shape = hyb_shape_2d (batch_size (guess), 28 * 28);
  if (!has_ten_classes (guess) || !try_shape (guess, shape))
    return FALSE;
  add_batch_reason (guess);
  add_reason (guess, "784 = 28 × 28 is usual with ten classes and other sizes fit, too");
  return TRUE;
}

static gboolean
is_read_by_linear (Guess *guess)
{
  guint            n_users;
  const HybNodeId *users = hyb_graph_get_users (guess->graph, guess->value, &n_users);

  for (guint u = 0; u < n_users; u++)
    {
      const HybNode *user = hyb_graph_get_node (guess->graph, users[u]);

      if (user->op->category == HYB_CATEGORY_LINEAR)
        return TRUE;
    }
  return FALSE;
}

/* --- One variable --- */

/* Whether an operator that takes sequences or samples depends on the variable, or the data decides, as
 * of a label.  Elementwise operators alone suggest nothing. */
static gboolean
suggests_rank (const Guess *guess, HybNodeId variable)
{
  return hyb_graph_get_role (guess->graph, variable, FALSE) == HYB_ROLE_LABEL ||
         reads (guess, variable, HYB_CATEGORY_LINEAR) ||
         reads (guess, variable, HYB_CATEGORY_CONVOLUTION) ||
         reads (guess, variable, HYB_CATEGORY_RECURRENT) ||
         reads (guess, variable, HYB_CATEGORY_CONTROL);
}

/* Takes over what the last trial inferred, such as the number of steps of an unrolled graph. */
static void
take_inferred (Guess *guess, HybShape *shape)
{
  const HybShape *inferred = &guess->trial[guess->value].shape;

  for (int axis = 0; axis < shape->rank; axis++)
    if (shape->dim[axis] == HYB_UNKNOWN && inferred->dim[axis] != HYB_UNKNOWN)
      add_reason (guess, "%" G_GINT64_FORMAT " as the graph says", inferred->dim[axis]);
  *shape = *inferred;
}

static gboolean
guess_rank (Guess *guess, HybNodeId variable, HybShape *shape)
{
  static const int ranks[] = { 2, 3, 1, 4 };

  if (reads (guess, variable, HYB_CATEGORY_CONVOLUTION))
    {
      *shape = hyb_shape_make (4, NULL);
      if (guess_image (guess, shape))
        return TRUE;
      g_string_truncate (guess->reason, 0);
    }
  if (guess_from_operands (guess, shape))
    return TRUE;
  if (is_read_by_linear (guess))
    return guess_features (guess, shape);
  for (guint i = 0; suggests_rank (guess, variable) && i < G_N_ELEMENTS (ranks); i++)
    {
      g_string_truncate (guess->reason, 0);
      *shape = hyb_shape_make (ranks[i], NULL);
      if (!try_shape (guess, shape))
        continue;
      take_inferred (guess, shape);
      /* A first axis whose size the graph knows counts steps; the batch is the next one. */
      if (shape->dim[0] != HYB_UNKNOWN && guess_lengths (guess, shape, 1))
        return TRUE;
      if (guess_sequence (guess, shape))
        return TRUE;
    }
  return FALSE;
}

static gboolean
guess_shape (Guess *guess, HybNodeId variable, HybShape *shape)
{
  if (shape->rank == HYB_UNKNOWN)
    return guess_rank (guess, variable, shape);
  if (shape->rank >= 4 && reads (guess, variable, HYB_CATEGORY_CONVOLUTION))
    return guess_image (guess, shape);
  return guess_sequence (guess, shape);
}

static void
shape_guess_free (gpointer data)
{
  HybShapeGuess *guess = data;

  g_free (guess->reason);
  g_free (guess);
}

/* Guesses one variable and keeps what follows from it. */
static void
guess_variable (Guess *guess, HybNodeId variable, GPtrArray *guesses)
{
  HybValueId value = hyb_graph_get_node (guess->graph, variable)->first_output;
  g_autoptr (GString) reason = g_string_new (NULL);
  HybShape       shape = guess->types[value].shape;
  HybShapeGuess *found;

  guess->value = value;
  guess->reason = reason;
  if (hyb_shape_is_known (&shape) || !guess_shape (guess, variable, &shape) ||
      !try_shape (guess, &shape))
    return;
  found = g_new (HybShapeGuess, 1);
  *found = (HybShapeGuess){ variable, guess->types[value].shape, shape, g_strdup (reason->str) };
  memcpy (guess->types, guess->trial, hyb_graph_n_values (guess->graph) * sizeof *guess->types);
  g_ptr_array_add (guesses, found);
}

static int
compare_variables (gconstpointer a, gconstpointer b)
{
  const HybShapeGuess *const *first = a, *const *second = b;

  return (*first)->variable < (*second)->variable ? -1 : 1;
}

GPtrArray *
hyb_guess_shapes (HybGraph            *graph,
                  HybType             *types,
                  const guint8        *needed,
                  gboolean             training,
                  const HybGuessHints *hints)
{
  /* Data decides the batch of states and labels. */
  static const HybRole order[] = { HYB_ROLE_DATA, HYB_ROLE_STATE, HYB_ROLE_LABEL };
  GPtrArray           *guesses = g_ptr_array_new_with_free_func (shape_guess_free);
  guint                n, n_nodes = MAX (hyb_graph_n_nodes (graph), 1);
  const HybNodeId     *variables = hyb_graph_get_variables (graph, &n);
  g_autofree HybType  *trial = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  g_autofree guint32  *readers = hyb_guess_find_readers (graph);
  g_autoptr (GArray) operands = hyb_guess_find_operands (graph, types, MIN_TRIES);
  Guess guess = {
    .graph = graph,
    .training = training,
    .hints = *hints,
    .types = types,
    .trial = trial,
    .readers = readers,
    .operands = operands,
    .tries = CLAMP (MAX_VISITS / n_nodes, MIN_TRIES, MAX_TRIES),
  };

  for (guint r = 0; r < G_N_ELEMENTS (order); r++)
    for (guint i = 0; i < n; i++)
      if (needed[variables[i]] && hyb_graph_get_role (graph, variables[i], FALSE) == order[r])
        guess_variable (&guess, variables[i], guesses);
  g_ptr_array_sort (guesses, compare_variables);
  g_free (guess.refused_by);
  return guesses;
}
