/* executor-keep.h — variables that stay on a GPU from run to run, such as weights in training, and variables that
 * are sent ahead of a run.
 *
 * Start with hyb_executor_keep() before the first run.  On the processor all of this does nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"

/* Lets the variable of this name stay on the GPU: the bound tensor is sent once, and values that runs
 * write come back on request only.  The executor may write to the tensor. */
void hyb_executor_keep (HybExecutor *executor, const char *name);
/* Waits, and copies the written values into the bound tensors.  FALSE and an error if the GPU failed;
 * the tensors may then have any contents. */
gboolean hyb_executor_fetch_kept (HybExecutor *executor, GError **error);
/* Sends all kept variables before the next run, because the host has changed their tensors. */
void hyb_executor_renew_kept (HybExecutor *executor);
/* Waits for the last run and brings n outputs from number first on to the host, as hyb_executor_get_output()
 * does.  FALSE and an error if the GPU failed. */
gboolean hyb_executor_read_outputs (HybExecutor *executor, guint first, guint n, GError **error);
/* Begins to send a tensor of each of these names (char * to HybTensor *) that is a variable, while the GPU may compute
 * the last run.  The next run, which must bind the same tensors, does not send them again. */
void hyb_executor_send_ahead (HybExecutor *executor, GHashTable *tensors);
