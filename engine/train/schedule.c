/* schedule.c — learning rate schedules; the table is `schedules`.
 *
 * Each schedule is an options struct, a table of parameters for it, and a function from update to
 * rate.  hyb_schedule_new() parses a text, hyb_schedule_get_rate() handles the warm-up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/schedule.h"

#include "engine/base/error.h"
#include "engine/train/settings.h"

#include <math.h>
#include <string.h>

/* A row of the table of schedules. */
typedef struct
{
  const char     *name;
  const char     *doc;
  const HybParam *options;
  gsize           options_size;
  /* Returns the rate of update number `update` ≥ MAX (warmup, 1), counted from the start of
   * training; warmup: the number of updates of the warm-up. */
  double (*rate) (gconstpointer options, double base, guint64 update, guint64 warmup);
} ScheduleClass;

/* --- Factors --- */

typedef struct
{
  gint64 step;
  double factor, stop_factor_lr;
} FactorOptions;

static const HybParam factor_options[] = {
  { HYB_FIELD (FactorOptions, step), HYB_PARAM_INT, NULL, 1, (double) G_MAXINT64,
    .doc = "updates between two changes" },
  { HYB_FIELD (FactorOptions, factor), HYB_PARAM_FLOAT, "1.0", .doc = "the factor of each change" },
  { HYB_FIELD (FactorOptions, stop_factor_lr), HYB_PARAM_FLOAT, "1e-8", .doc = "the lowest rate" },
  { 0 },
};

static double
factor_rate (gconstpointer data, double base, guint64 update, guint64 warmup)
{
  const FactorOptions *options = data;
  double               changes = (double) ((update - 1) / (guint64) options->step);

  return MAX (base * pow (options->factor, changes), options->stop_factor_lr);
}

typedef struct
{
  HybInts step;
  double  factor;
} MultifactorOptions;

static const HybParam multifactor_options[] = {
  { HYB_FIELD (MultifactorOptions, step), HYB_PARAM_INTS, NULL,
    .doc = "the updates after which the rate changes" },
  { HYB_FIELD (MultifactorOptions, factor), HYB_PARAM_FLOAT, "1.0",
    .doc = "the factor of each change" },
  { 0 },
};

static double
multifactor_rate (gconstpointer data, double base, guint64 update, guint64 warmup)
{
  const MultifactorOptions *options = data;

  for (int i = 0; i < options->step.n; i++)
    if ((gint64) update > options->step.value[i])
      base *= options->factor;
  return base;
}

/* --- Descent to a final rate --- */

typedef struct
{
  gint64 max_update;
  double pwr, final_lr;
} DescentOptions;

static const HybParam descent_options[] = {
  { HYB_FIELD (DescentOptions, max_update), HYB_PARAM_INT, NULL, 1, (double) G_MAXINT64,
    .doc = "the update at which the final rate is reached" },
  { HYB_FIELD (DescentOptions, pwr), HYB_PARAM_FLOAT, "2.0", .doc = "the power of the polynomial" },
  { HYB_FIELD (DescentOptions, final_lr), HYB_PARAM_FLOAT, "0.0", .doc = "the final rate" },
  { 0 },
};

/* The fraction of the descent that is done, 0 to 1. */
static double
progress (const DescentOptions *options, guint64 update, guint64 warmup)
{
  double whole = MAX ((double) options->max_update - (double) warmup, 1);

  return MIN (((double) update - (double) warmup) / whole, 1);
}

static double
poly_rate (gconstpointer data, double base, guint64 update, guint64 warmup)
{
  const DescentOptions *options = data;
  double                left = 1 - progress (options, update, warmup);

  return options->final_lr + (base - options->final_lr) * pow (left, options->pwr);
}

static double
cosine_rate (gconstpointer data, double base, guint64 update, guint64 warmup)
{
  const DescentOptions *options = data;
  double                angle = G_PI * progress (options, update, warmup);

  return options->final_lr + (base - options->final_lr) * (1 + cos (angle)) / 2;
}

/* --- The table --- */

static const ScheduleClass factor = {
  "factor",       "Multiplies the rate by a factor every `step` updates.",
  factor_options, sizeof (FactorOptions),
  factor_rate,
};
static const ScheduleClass multifactor = {
  "multifactor",       "Multiplies the rate by a factor after each of the listed updates.",
  multifactor_options, sizeof (MultifactorOptions),
  multifactor_rate,
};
static const ScheduleClass poly = {
  "poly",    "Lowers the rate along a polynomial.", descent_options, sizeof (DescentOptions),
  poly_rate,
};
static const ScheduleClass cosine = {
  "cosine",    "Lowers the rate along half a cosine.", descent_options, sizeof (DescentOptions),
  cosine_rate,
};

static const ScheduleClass *const schedules[] = { &factor, &multifactor, &poly, &cosine, NULL };

/* --- A schedule with its options --- */

typedef struct
{
  gint64 warmup_steps;
  double warmup_begin_lr;
  int    warmup_mode;
} WarmupOptions;

static const char *const warmup_modes[] = { "linear", "constant", NULL };

static const HybParam warmup_options[] = {
  { HYB_FIELD (WarmupOptions, warmup_steps), HYB_PARAM_INT, "0", 0, (double) G_MAXINT64 },
  { HYB_FIELD (WarmupOptions, warmup_begin_lr), HYB_PARAM_FLOAT, "0.0" },
  { HYB_FIELD (WarmupOptions, warmup_mode), HYB_PARAM_ENUM, "linear", .choices = warmup_modes },
  { 0 },
};

struct _HybSchedule
{
  const ScheduleClass *klass;
  WarmupOptions       *warmup;
  gpointer             options;
};

static const ScheduleClass *
find_class (const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (const ScheduleClass *const *klass = schedules; *klass; klass++)
    {
      if (strcmp ((*klass)->name, name) == 0)
        return *klass;
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", (*klass)->name);
    }
  hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                "there is no schedule “%s”; there are %s", name, names->str);
  return NULL;
}

static gboolean
check_settings (const ScheduleClass *klass, char **settings, GError **error)
{
  HybSettingRules rules = { "schedule", klass->name, warmup_options,
                            "warmup_steps, warmup_begin_lr, warmup_mode", klass->options };

  return hyb_settings_check ((const char *const *) settings, &rules, error);
}

HybSchedule *
hyb_schedule_new (const char *text, GError **error)
{
  gsize            length = strcspn (text, ":");
  g_autofree char *name = g_strstrip (g_strndup (text, length));
  g_auto (GStrv) settings = NULL;
  const ScheduleClass *klass = find_class (name, error);
  g_autoptr (HybSchedule) schedule = NULL;

  if (!klass)
    return NULL;
  settings = hyb_settings_parse (text[length] == ':' ? text + length + 1 : "", error);
  if (!settings || !check_settings (klass, settings, error))
    return NULL;

  schedule = g_new0 (HybSchedule, 1);
  schedule->klass = klass;
  schedule->warmup = hyb_params_parse (warmup_options, sizeof (WarmupOptions),
                                       (const char *const *) settings, NULL, error);
  if (!schedule->warmup)
    return NULL;
  schedule->options = hyb_params_parse (klass->options, klass->options_size,
                                        (const char *const *) settings, NULL, error);
  return schedule->options ? g_steal_pointer (&schedule) : NULL;
}

void
hyb_schedule_free (HybSchedule *schedule)
{
  hyb_params_unref (schedule->warmup);
  hyb_params_unref (schedule->options);
  g_free (schedule);
}

double
hyb_schedule_get_rate (const HybSchedule *schedule, double base, guint64 update)
{
  const WarmupOptions *warmup = schedule->warmup;
  guint64              steps = (guint64) warmup->warmup_steps;

  if (update >= steps)
    return schedule->klass->rate (schedule->options, base, MAX (update, 1), steps);
  if (warmup->warmup_mode == 1)
    return warmup->warmup_begin_lr;
  return warmup->warmup_begin_lr +
         (base - warmup->warmup_begin_lr) * (double) update / (double) steps;
}
