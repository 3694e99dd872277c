/* variants.h — forms that a model can be brought into before it is measured.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/common.h"

/* One row of the table in variants.c; a new form is a row. */
typedef struct
{
  const char *name;
  /* (transfer full) */
  HybModel *(*make) (HybModel *model, const ScopeCommon *common, GError **error);
} ScopeVariant;

/* NULL and an error that lists them. */
const ScopeVariant *scope_variant_find (const char *name, GError **error);

/* Measuring needs no particular data: where only inputs, states and labels lack values,
 * common->init is set, so that they are filled. */
void scope_choose_init (ScopeCommon *common, HybModel *model);
