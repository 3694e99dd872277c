/* settings.h — lists of settings as one text, “key=value, key=value”.
 *
 * Optimizers and schedules take their options in this form.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/param.h"

/* Returns key, value, …, NULL.  Commas inside brackets belong to the value; empty parts are
 * skipped. Returns NULL and an error for a part without a key or “=”; text may be NULL.
 * (transfer full) */
char **hyb_settings_parse (const char *text, GError **error);
/* The keys that an optimizer or schedule accepts. */
typedef struct
{
  const char     *kind;         /* "optimizer" or "schedule" */
  const char     *name;         /* "sgd" */
  const HybParam *common;       /* options that all of this kind have */
  const char     *common_names; /* those to list in messages, "learning_rate, wd" */
  const HybParam *specific;     /* further options of this one */
} HybSettingRules;

/* Returns FALSE and an error that lists the accepted keys if a key of settings (key, value, …,
 * NULL; may be NULL) is not one of them. */
gboolean
hyb_settings_check (const char *const *settings, const HybSettingRules *rules, GError **error);
