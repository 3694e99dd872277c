/* cautions.c — compares the facts of two recordings and lists the differences.
 *
 * Start reading at prof_cautions(); facts that are compared are listed in tables.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/cautions.h"

#include "profiler/base/machine.h"
#include "profiler/summary/unchanging.h"

#include <math.h>
#include <string.h>

#define SAME_MEMORY 0.02 /* kernels keep different parts of the same memory */
/* Relative differences of the machine's speed that measurements of it have by themselves. */
#define SAME_COPY_RATE 0.1
#define SAME_CLOCK     0.05

/* A fact, and how a sentence calls it. */
typedef struct
{
  const char *key, *name;
} Fact;

static const Fact machine_facts[] = {
  { "cpu.model", "processor" },
  { "cpu.features", "instructions" },
  { "cpu.cores", "number of cores" },
  { "system.memory", "memory" },
};

static const Fact work_facts[] = {
  { "pass", "pass" },        { "mode", "mode" },     { "threads", "threads" },
  { "batch", "batch size" }, { "length", "length" },
};

/* Recordings have these only where an option was given. */
static const Fact optional_facts[] = {
  { "without", "passes left out" },
  { PROF_FOLDED_KEY, "computed once, while planning" },
};

static const Fact software_facts[] = {
  { "program", "program" },
  { "system.kernel", "kernel" },
  { "library.glib", "GLib" },
  { "library.openblas", "OpenBLAS" },
  { "library.openblas core", "kernels of OpenBLAS" },
  { "threads.openblas", "threads of OpenBLAS" },
  { "cpu.governor", "clock governor" },
  { "cpu.turbo", "turbo" },
  { "cpu.smt", "SMT" },
  { "system.cpu limit", "quota of CPU time" },
  { "system.cpu quota", "quota of CPU time" }, /* of older captures: as the system writes it */
};

const char *
prof_caution_name (ProfCautionKind kind)
{
  static const char *const names[] = {
    [PROF_CAUTION_MACHINE] = "machine", [PROF_CAUTION_WORK] = "work",
    [PROF_CAUTION_MODEL] = "model",     [PROF_CAUTION_SOFTWARE] = "software",
    [PROF_CAUTION_NOISE] = "noise",     [PROF_CAUTION_UNKNOWN] = "unknown",
  };

  return names[kind];
}

static void
caution_free (gpointer data)
{
  g_free (((ProfCaution *) data)->text);
  g_free (data);
}

void
prof_cautions_add (GPtrArray *cautions, ProfCautionKind kind, const char *format, ...)
{
  ProfCaution *caution = g_new (ProfCaution, 1);
  va_list      list;

  va_start (list, format);
  *caution = (ProfCaution){ kind, g_strdup_vprintf (format, list) };
  va_end (list);
  g_ptr_array_add (cautions, caution);
}

gboolean
prof_cautions_have (const GPtrArray *cautions, ProfCautionKind kind)
{
  for (guint i = 0; i < cautions->len; i++)
    if (((const ProfCaution *) cautions->pdata[i])->kind == kind)
      return TRUE;
  return FALSE;
}

/* --- Facts --- */

/* The fact as text; NULL if the recording does not have it.  (transfer full) */
static char *
dup_fact (const ProfCapture *capture, const char *key)
{
  const char *text = prof_capture_get_text (capture, key);
  double      number = prof_capture_get_number (capture, key);
  char        buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (text)
    return g_strdup (text);
  return isnan (number) ? NULL
                        : g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.15g", number));
}

/* Whether both have the fact with different values. */
static gboolean
differs (const ProfCapture *a, const ProfCapture *b, const char *key)
{
  double           x = prof_capture_get_number (a, key), y = prof_capture_get_number (b, key);
  g_autofree char *of_a = dup_fact (a, key), *of_b = dup_fact (b, key);

  if (!of_a || !of_b)
    return FALSE;
  if (strcmp (key, "system.memory") == 0 && isfinite (x) && isfinite (y))
    return fabs (x - y) > SAME_MEMORY * MAX (x, y);
  return strcmp (of_a, of_b) != 0;
}

static void
add_differing (GPtrArray         *cautions,
               ProfCautionKind    kind,
               const ProfCapture *a,
               const ProfCapture *b,
               const Fact        *fact)
{
  g_autofree char *of_a = NULL, *of_b = NULL;

  if (!differs (a, b, fact->key))
    return;
  of_a = dup_fact (a, fact->key);
  of_b = dup_fact (b, fact->key);
  prof_cautions_add (cautions, kind, "%s: “%s” in the baseline, “%s” now.", fact->name,
                     *of_a ? of_a : "none", *of_b ? of_b : "none");
}

/* --- Machine --- */

ProfMachineRelation
prof_machine_relation (const ProfCapture *a, const ProfCapture *b)
{
  const char *host_a = prof_capture_get_text (a, "system.host");
  const char *host_b = prof_capture_get_text (b, "system.host");

  for (guint i = 0; i < G_N_ELEMENTS (machine_facts); i++)
    if (differs (a, b, machine_facts[i].key))
      return PROF_OTHER_MACHINE;
  return host_a && host_b && strcmp (host_a, host_b) == 0 ? PROF_SAME_MACHINE : PROF_LIKE_MACHINE;
}

typedef struct
{
  const char *key, *what;
  double      tolerance;
} Speed;

enum
{
  COPY_RATE,
  CLOCK
};

static const Speed speeds[] = {
  [COPY_RATE] = { PROF_SPEED_COPY_KEY, "copied memory", SAME_COPY_RATE },
  [CLOCK] = { PROF_SPEED_CLOCK_KEY, "computed", SAME_CLOCK },
};

/* The logarithm of the ratio of b to a; NaN: a recording does not hold it. */
static double
find_speed_ratio (const Speed *speed, const ProfCapture *a, const ProfCapture *b)
{
  double of_a = prof_capture_get_number (a, speed->key);
  double of_b = prof_capture_get_number (b, speed->key);

  return of_a > 0 && of_b > 0 ? log (of_b / of_a) : NAN;
}

static ProfSpeedChange
find_change (const Speed *speed, double ratio)
{
  if (isnan (ratio))
    return PROF_SPEED_UNKNOWN;
  if (fabs (ratio) <= log (1 + speed->tolerance))
    return PROF_SPEED_AGREES;
  return ratio < 0 ? PROF_SPEED_LOWER : PROF_SPEED_HIGHER;
}

ProfSpeedChange
prof_machine_speed_change (const ProfCapture *a, const ProfCapture *b)
{
  ProfSpeedChange change = PROF_SPEED_AGREES;

  for (guint i = 0; i < G_N_ELEMENTS (speeds); i++)
    change |= find_change (&speeds[i], find_speed_ratio (&speeds[i], a, b));
  return change;
}

char *
prof_machine_dup_speed_problem (const ProfCapture *a, const ProfCapture *b)
{
  for (guint i = 0; i < G_N_ELEMENTS (speeds); i++)
    {
      double          ratio = find_speed_ratio (&speeds[i], a, b);
      ProfSpeedChange change = find_change (&speeds[i], ratio);

      if (change == PROF_SPEED_UNKNOWN)
        return g_strdup ("A recording does not hold how fast its machine was, so a difference need "
                         "not come from the model.  Record the baseline again.");
      if (change != PROF_SPEED_AGREES)
        return g_strdup_printf ("The machine %s at %.2f times the speed that it had for the "
                                "baseline, so a difference need not come from the model.",
                                speeds[i].what, exp (ratio));
    }
  return NULL;
}

double
prof_machine_clock_difference (const ProfCapture *a, const ProfCapture *b)
{
  double ratio = find_speed_ratio (&speeds[CLOCK], a, b);

  return isfinite (ratio) ? fabs (ratio) : 0;
}

static void
add_machine (GPtrArray *cautions, const ProfCapture *a, const ProfCapture *b)
{
  const char *host_a = prof_capture_get_text (a, "system.host");
  const char *host_b = prof_capture_get_text (b, "system.host");

  switch (prof_machine_relation (a, b))
    {
    case PROF_SAME_MACHINE:
      return;
    case PROF_LIKE_MACHINE:
      prof_cautions_add (cautions, PROF_CAUTION_MACHINE,
                         "Another host of the same kind (“%s”, then “%s”), as far as the facts in "
                         "the recordings say.",
                         host_a ? host_a : "not known", host_b ? host_b : "not known");
      return;
    case PROF_OTHER_MACHINE:
      prof_cautions_add (cautions, PROF_CAUTION_MACHINE,
                         "Different machines: the difference may come from the machines and not "
                         "from the models.");
      for (guint i = 0; i < G_N_ELEMENTS (machine_facts); i++)
        add_differing (cautions, PROF_CAUTION_MACHINE, a, b, &machine_facts[i]);
    }
}

/* --- Work and model --- */

/* A recording that names no device was made on the processor. */
static void
add_device (GPtrArray *cautions, const ProfCapture *a, const ProfCapture *b)
{
  const char *of_a = prof_capture_get_text (a, PROF_DEVICE_KEY);
  const char *of_b = prof_capture_get_text (b, PROF_DEVICE_KEY);

  if (g_strcmp0 (of_a, of_b) != 0)
    prof_cautions_add (cautions, PROF_CAUTION_WORK, "device: “%s” in the baseline, “%s” now.",
                       of_a ? of_a : "the processor", of_b ? of_b : "the processor");
}

/* A recording with a mode is one of ours, so that an option which it lacks was not given. */
static void
add_optional (GPtrArray *cautions, const ProfCapture *a, const ProfCapture *b, const Fact *fact)
{
  const char *of_a = prof_capture_get_text (a, fact->key);
  const char *of_b = prof_capture_get_text (b, fact->key);

  if (prof_capture_get_text (a, "mode") && prof_capture_get_text (b, "mode") &&
      g_strcmp0 (of_a, of_b) != 0)
    prof_cautions_add (cautions, PROF_CAUTION_WORK, "%s: “%s” in the baseline, “%s” now.",
                       fact->name, of_a ? of_a : "nothing", of_b ? of_b : "nothing");
}

/* Adds the variables of the main graph that have other shapes. */
static void
add_shapes (GPtrArray *cautions, const ProfCapture *a, const ProfCapture *b)
{
  g_autoptr (GHashTable) shapes = g_hash_table_new (g_str_hash, g_str_equal);
  guint n_others = 0;

  for (guint32 i = 0; i < prof_capture_n_nodes (a); i++)
    {
      const ProfNode *node = prof_capture_get_node (a, i);

      if (node->flags & PROF_NODE_VARIABLE && node->graph == 0)
        g_hash_table_insert (shapes, (gpointer) prof_capture_get_string (a, node->name),
                             (gpointer) prof_capture_get_string (a, node->shape));
    }
  for (guint32 i = 0; i < prof_capture_n_nodes (b); i++)
    {
      const ProfNode *node = prof_capture_get_node (b, i);
      const char     *name = prof_capture_get_string (b, node->name);
      const char     *shape = prof_capture_get_string (b, node->shape);
      const char     *other;

      if (!(node->flags & PROF_NODE_VARIABLE) || node->graph != 0 ||
          !(other = g_hash_table_lookup (shapes, name)) || !*shape || !*other ||
          strcmp (shape, other) == 0)
        continue;
      if (n_others++ == 0)
        prof_cautions_add (cautions, PROF_CAUTION_WORK,
                           "shape of “%s”: %s in the baseline, %s now.", name, other, shape);
    }
  if (n_others > 1)
    prof_cautions_add (cautions, PROF_CAUTION_WORK, "%u more variables have other shapes.",
                       n_others - 1);
}

static guint
count_executed (const ProfCapture *capture)
{
  guint n = 0;

  for (guint32 i = 0; i < prof_capture_n_nodes (capture); i++)
    n += (prof_capture_get_node (capture, i)->flags & PROF_NODE_EXECUTED) != 0;
  return n;
}

static void
add_model (GPtrArray *cautions, const ProfCapture *a, const ProfCapture *b)
{
  g_autoptr (GBytes) of_a = prof_capture_dup_symbol (a, NULL);
  g_autoptr (GBytes) of_b = prof_capture_dup_symbol (b, NULL);

  if (of_a && of_b && g_bytes_equal (of_a, of_b))
    return;
  prof_cautions_add (cautions, PROF_CAUTION_MODEL,
                     of_a && of_b
                         ? "The graphs are not the same: %u nodes ran in the baseline, %u now."
                         : "A recording holds no graph, so it is not known whether the models "
                           "are the same: %u nodes ran in the baseline, %u now.",
                     count_executed (a), count_executed (b));
}

/* --- Noise and unknown facts --- */

static void
add_warnings (GPtrArray *cautions, const ProfCapture *capture, const char *which)
{
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);
  g_auto (GStrv) warnings = prof_machine_warnings (facts);

  for (guint i = 0; warnings[i]; i++)
    prof_cautions_add (cautions, PROF_CAUTION_NOISE, "%s: %s", which, warnings[i]);
  if (isnan (prof_capture_get_number (capture, "system.load")))
    prof_cautions_add (cautions, PROF_CAUTION_UNKNOWN,
                       "%s: how busy the machine was is not recorded.", which);
}

GPtrArray *
prof_cautions (const ProfCapture *a, const ProfCapture *b)
{
  GPtrArray  *cautions = g_ptr_array_new_with_free_func (caution_free);
  const char *time_a = prof_capture_get_text (a, "time");
  const char *time_b = prof_capture_get_text (b, "time");

  add_machine (cautions, a, b);
  add_device (cautions, a, b);
  for (guint i = 0; i < G_N_ELEMENTS (work_facts); i++)
    add_differing (cautions, PROF_CAUTION_WORK, a, b, &work_facts[i]);
  for (guint i = 0; i < G_N_ELEMENTS (optional_facts); i++)
    add_optional (cautions, a, b, &optional_facts[i]);
  add_shapes (cautions, a, b);
  add_model (cautions, a, b);
  for (guint i = 0; i < G_N_ELEMENTS (software_facts); i++)
    add_differing (cautions, PROF_CAUTION_SOFTWARE, a, b, &software_facts[i]);
  add_warnings (cautions, a, "baseline");
  add_warnings (cautions, b, "now");
  prof_cautions_add (cautions, PROF_CAUTION_UNKNOWN,
                     "The recordings were not made in turns (%s and %s): what else changed in "
                     "between, "
                     "such as temperature, clock or other guests of the host, is not known.",
                     time_a ? time_a : "time not known", time_b ? time_b : "time not known");
  prof_cautions_add (cautions, PROF_CAUTION_UNKNOWN,
                     "Whether both compute the same numbers was not checked, since recordings hold "
                     "none; hscope prove does.");
  return cautions;
}
