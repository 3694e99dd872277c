/* parts.h — tests operators and models in child processes, one part of the self-test in each.
 *
 * An error after which the GPU refuses everything, a crash or an endless kernel costs the part in which it happens: the next part
 * has a process, and a context of the driver, of its own.  A child is this program with the options --in-process and
 * --json-lines; its output is read here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "app/command/selftest/operator-results.h"
#include "app/command/selftest/test-models.h"

typedef struct
{
  const ScopeCommonOptions *common;  /* with the device */
  guint                     seconds; /* that a part may take */
  guint                     shard;   /* counted from 0; every n_shards-th part is tested */
  guint                     n_shards;
  char *unread;  /* why a model could not be read, which says nothing of the GPU; to be freed */
  guint n_parts; /* that were counted so far; scope_parts_test_…() add theirs */

  /* The result for one operator, its gradients and all operators that its samples need. */
  void (*show_operator) (const char           *op,
                         ScopeOperatorResults *found,
                         double                seconds,
                         gpointer              data);
  /* One model in one mode; once, with the mode "any", if its process did not end by itself. */
  void (*show_model) (const ScopeModelResult *result, double seconds, gpointer data);
  gpointer data;
} ScopeParts;

/* Tests the operators that have samples.  only: names, or NULL: all that a GPU computes. */
void scope_parts_test_operators (ScopeParts *parts, char **only);
/* Tests models; names as in scope_test_model(). */
void scope_parts_test_models (ScopeParts *parts, char **names);
