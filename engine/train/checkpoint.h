/* checkpoint.h — checks whether a file of parameters and a file of training states were saved
 * together.
 *
 * They are two files, and a process may be killed between writing one and the other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"

/* The contents of a file of states. */
typedef struct
{
  guint64 n_steps;
  gboolean
      fits; /* it was saved with these parameters, or by a version that did not say with which */
} HybCheckpoint;

/* A sum over names and values, which the states carry. */
guint32 hyb_checkpoint_sum (HybTensorList *parameters);

/* Reads the number of steps from the states in a file.  FALSE and an error if it is missing or out of range. */
gboolean hyb_checkpoint_get_steps (HybTensorList *states,
                                   const char    *file,
                                   guint64       *n_steps,
                                   GError       **error);
/* Reads the states that hyb_trainer_save_states() wrote to a file and compares them with parameters that were
 * read from another.  FALSE: the file cannot be read. */
gboolean hyb_checkpoint_read (const char    *states,
                              HybTensorList *parameters,
                              HybCheckpoint *checkpoint,
                              GError       **error);
