/* compare.h — what the parts of hscope compare share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"
#include "app/command/progress.h"
#include "profiler/explain/ladder.h"

typedef struct
{
  char    *variants, *modes, *batch, *length, *preset, *report, *captures;
  double   time_limit;
  int      repeat;
  gboolean backward, no_ladder;
} ScopeCompareOptions;

/* All that is compared, and with what. */
typedef struct
{
  const ScopeCommon         *common;
  const ScopeCompareOptions *options;
  char                     **files;
  GPtrArray                 *groups; /* of ScopeGroup */
  ProfFacts                 *facts;
  ScopeProgress              progress;
  gint64                     begin;
  double                     seconds;
  ProfLadder                *ladder;
  gboolean                   is_proved; /* of explanation: of the ladder */
  ProfExplanation            explanation;
} ScopeComparison;

/* (transfer full) */
ProfSubject *scope_compare_subject (const ScopeComparison *self,
                                    const ScopeGroup      *group,
                                    HybGraph              *graph,
                                    HybTensor            **values,
                                    const char            *variant,
                                    HybMode                mode,
                                    GError               **error);
gboolean
scope_compare_measure (ScopeComparison *self, ScopeGroup *group, double seconds, GError **error);
/* Seconds for piece number at, of the time that is left for it and those after it. */
double scope_compare_share (const ScopeComparison *self, const double *weights, guint at, guint n);

/* compare-preset.c */
gboolean scope_compare_preset (ScopeComparison *self, GError **error);

/* compare-output.c */
void     scope_compare_print (ScopeComparison *self);
void     scope_compare_print_json (ScopeComparison *self);
gboolean scope_compare_write (ScopeComparison *self, const char *path, GError **error);
