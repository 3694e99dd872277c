/* train.h — the data that the parts of hscope train share: set-up, loop and output.
 *
 * train-setup.c fills a ScopeTraining from the options, train.c runs the loop, train-report.c prints.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "app/command/train/train-trace.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"
#include "engine/train/data.h"
#include "engine/train/metric.h"
#include "engine/train/schedule.h"
#include "engine/train/trainer.h"

#include <stdio.h>

/* Options of the command alone; NULL, 0 or FALSE if not given. */
typedef struct
{
  char    *data, *loss, *optimizer, *schedule, *metric, *log, *output;
  char    *capture;
  char   **set, **carry;
  double   clip_global_norm;
  gint64   epochs;
  gint64   sample; /* characters of text to generate after each epoch; negative: none */
  gboolean resume;
} ScopeTrainOptions;

/* Results of one epoch; if training was resumed in it, of the steps of this run only. */
typedef struct
{
  guint64 number;
  double  loss;     /* mean over the training batches */
  double  metric;   /* over the training batches */
  double  held_out; /* the metric over the held-out part; NaN: nothing is held out */
  double  seconds;
  char   *sample; /* generated text; NULL: not generated */
} ScopeEpoch;

typedef struct
{
  const ScopeCommonOptions *common;
  const ScopeTrainOptions  *options;
  HybModel                 *model;
  HybModelSpec             *spec; /* NULL: the model was read from a file */
  HybData                  *data;
  HybTrainer               *trainer;
  HybGpu                   *gpu;      /* NULL: the processor trains */
  HybSchedule              *schedule; /* NULL: the learning rate is constant */
  const HybMetric          *metric;
  double                    base_rate; /* learning rate before the schedule */
  guint64                   n_epochs;
  guint64                   n_batches;   /* per epoch */
  GString                  *log;         /* NULL: no step yet, or no --log */
  gsize                     log_written; /* bytes of it that are in the file */
  gint64                    log_time;    /* of the last writing, µs, monotonic */
  GPtrArray                *written;     /* of char *: names of the files written */
  GArray                   *epochs;      /* of ScopeEpoch */
  double unigram_perplexity;             /* on the held-out text; NaN if the data is not text */

  guint64  n_steps; /* of this run */
  double   first_loss, last_loss;
  double   seconds, n_samples;
  gboolean is_interrupted;

  ScopeTrace *trace;   /* NULL: no capture is requested */
  char       *subject; /* of the capture: the model */
} ScopeTraining;

/* FALSE and a usage error if an option names a loss, optimizer, schedule or metric that does not exist. */
gboolean scope_train_check_names (const ScopeTrainOptions *options, GError **error);
/* Opens model and data and makes the trainer; with --resume continues from the last checkpoint.
 * files: the command's arguments.  The caller clears training in either case. */
gboolean scope_train_set_up (ScopeTraining *training, char **files, GError **error);
/* Adds a line for a step to the log, and writes the log if that is due. */
gboolean scope_train_log_step (ScopeTraining      *training,
                               const HybTrainStep *step,
                               double              rate,
                               GError            **error);
/* Replaces the file of the log by all lines so far. */
gboolean scope_train_write_log (ScopeTraining *training, GError **error);

/* Frees everything. */
void scope_train_clear (ScopeTraining *training);

/* Writes the checkpoint of an epoch, if --output was given, and removes the checkpoint of an
 * interruption. */
gboolean scope_train_save (ScopeTraining *training, guint64 epoch, GError **error);
/* Writes a checkpoint in the middle of an epoch, if --output was given. */
gboolean scope_train_save_interrupted (ScopeTraining *training, GError **error);

/* --- Captures, in train-capture.c --- */

/* Checks the options and begins to note the steps of the trainer, if --capture was given.  file: the model. */
gboolean scope_train_begin_capture (ScopeTraining *training, const char *file, GError **error);
/* Writes the capture, if --capture was given and a step was made. */
gboolean scope_train_write_capture (ScopeTraining *training, GError **error);

/* A checkpoint to continue from. */
typedef struct
{
  HybTensorList *parameters; /* under their names in a file */
  char          *states;     /* the file for hyb_trainer_load_states() */
  guint64        n_steps;
} ScopeTrainCheckpoint;

/* The last whole checkpoint of a prefix, or NULL.  Warns of incomplete ones. (transfer full) */
ScopeTrainCheckpoint *scope_train_find_checkpoint (const char *prefix);
/* Frees a checkpoint. */
void scope_train_checkpoint_free (ScopeTrainCheckpoint *checkpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeTrainCheckpoint, scope_train_checkpoint_free)

/* Text that the model generates after the beginning of the held-out text.  (transfer full)  NULL
 * without an error if that text is too short. */
char *scope_train_sample (ScopeTraining *training, gint64 length, GError **error);

/* Describes the data on stdout, unless --json was given. */
void scope_train_print_start (const ScopeTraining *training);
/* Prints an epoch on stdout, unless --json was given. */
void scope_train_print_epoch (const ScopeTraining *training, const ScopeEpoch *epoch);
/* Prints the final result, as text or JSON. */
void scope_train_print_result (const ScopeTraining *training);
