/* run-test-data.h — runs a model on its test data, and compares.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "engine/graph/model.h"

/* A run on test data.  All members are borrowed. */
typedef struct
{
  const ScopeCommonOptions *common;
  HybModel                 *model;
  double                    time_limit; /* seconds of each run; 0: no limit */
} ScopeTestDataRun;

/* Runs the model on folders of test data (test-data.h), NULL-terminated, and prints a verdict for each.  Returns the exit
 * status: that of a difference if there is one, or if an output has nothing to be compared with.  An error, with its
 * status: an array cannot be read, or the model does not run. */
int scope_run_test_data (const ScopeTestDataRun *run, char *const *folders, GError **error);
/* The same for all folders of test data beside the model's file. */
int scope_run_all_test_data (const ScopeTestDataRun *run, const char *file, GError **error);
