/* train.h — between the parts of hscope train: setting up, the loop, what it tells.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/common-options.h"

#include "engine/train/data.h"
#include "engine/train/metric.h"
#include "engine/train/schedule.h"
#include "engine/train/trainer.h"

#include <stdio.h>

typedef struct
{
  char    *data, *loss, *optimizer, *schedule, *metric, *log, *output;
  char   **set, **carry;
  double   clip_global_norm;
  gint64   epochs;
  gint64   sample;
  gboolean resume;
} ScopeTrainOptions;

/* One epoch, or what of it this run has done. */
typedef struct
{
  guint64 number;
  double  loss;     /* mean over its batches */
  double  metric;   /* over its batches */
  double  held_out; /* the metric there; NaN: nothing is held out */
  double  seconds;
  char   *sample; /* generated text; NULL: none */
} ScopeEpoch;

typedef struct
{
  const ScopeCommonOptions *common;
  const ScopeTrainOptions  *options;
  HybModel                 *model;
  HybModelSpec             *spec; /* NULL: the model is from a file */
  HybData                  *data;
  HybTrainer               *trainer;
  HybSchedule              *schedule; /* NULL: the rate stays */
  const HybMetric          *metric;
  double                    base_rate;
  guint64                   n_epochs, n_batches; /* of each epoch */
  FILE                     *log;                 /* NULL: none */
  GPtrArray                *written;             /* of char * */
  GArray                   *epochs;              /* of ScopeEpoch */
  double                    unigram;             /* perplexity; NaN: no text */

  guint64  n_done; /* steps of this run */
  double   first_loss, last_loss;
  double   seconds, n_samples;
  gboolean is_interrupted;
} ScopeTraining;

/* Model, data, trainer; goes on from a checkpoint if asked.  files as the command's. */
gboolean scope_train_set_up (ScopeTraining *training, char **files, GError **error);
void     scope_train_clear (ScopeTraining *training);

/* PREFIX-NNNN.states beside PREFIX-NNNN.params. */
char *scope_train_states_file (const char *prefix, guint64 epoch);
/* The states of the highest epoch; NULL: there is no checkpoint. */
char *scope_train_find_states (const char *prefix, guint64 *epoch);

/* Text that the model goes on with after the beginning of the held-out part.  (transfer full) */
char *scope_train_sample (ScopeTraining *training, gint64 length, GError **error);

void scope_train_print_start (const ScopeTraining *training);
void scope_train_print_epoch (const ScopeTraining *training, const ScopeEpoch *epoch);
void scope_train_print_result (const ScopeTraining *training);
