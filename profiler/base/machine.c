/* machine.c — collects facts about the machine from /proc, /sys and the libraries, and derives
 * warnings.
 *
 * Everything may be missing, as in a container; then the fact is left out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/machine.h"

#include "engine/base/parallel.h"
#include "engine/kernels/matrix/blas.h"
#include "profiler/base/disturbance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

struct _ProfFacts
{
  GArray *list;
};

static void
fact_clear (gpointer data)
{
  ProfFact *fact = data;

  g_free ((char *) fact->key);
  g_free (fact->text);
}

ProfFacts *
prof_facts_new (void)
{
  ProfFacts *facts = g_new0 (ProfFacts, 1);

  facts->list = g_array_new (FALSE, TRUE, sizeof (ProfFact));
  g_array_set_clear_func (facts->list, fact_clear);
  return facts;
}

void
prof_facts_free (ProfFacts *facts)
{
  if (!facts)
    return;
  g_array_unref (facts->list);
  g_free (facts);
}

/* The fact with this key, added if it is not there. */
static ProfFact *
get_fact (ProfFacts *facts, const char *key)
{
  ProfFact fact = { .key = NULL };

  for (guint i = 0; i < facts->list->len; i++)
    if (strcmp (g_array_index (facts->list, ProfFact, i).key, key) == 0)
      return &g_array_index (facts->list, ProfFact, i);
  fact.key = g_strdup (key);
  g_array_append_val (facts->list, fact);
  return &g_array_index (facts->list, ProfFact, facts->list->len - 1);
}

void
prof_facts_set (ProfFacts *facts, const char *key, const char *text)
{
  ProfFact *fact;

  if (!text)
    return;
  fact = get_fact (facts, key);
  g_free (fact->text);
  fact->text = g_utf8_make_valid (text, -1);
}

void
prof_facts_set_number (ProfFacts *facts, const char *key, double number)
{
  ProfFact *fact = get_fact (facts, key);

  g_clear_pointer (&fact->text, g_free);
  fact->number = number;
}

guint
prof_facts_n (const ProfFacts *facts)
{
  return facts->list->len;
}

const ProfFact *
prof_facts_get (const ProfFacts *facts, guint index)
{
  return &g_array_index (facts->list, ProfFact, index);
}

/* The fact with this key, or NULL. */
static const ProfFact *
find_fact (const ProfFacts *facts, const char *key)
{
  for (guint i = 0; i < facts->list->len; i++)
    if (strcmp (g_array_index (facts->list, ProfFact, i).key, key) == 0)
      return &g_array_index (facts->list, ProfFact, i);
  return NULL;
}

const char *
prof_facts_get_text (const ProfFacts *facts, const char *key)
{
  const ProfFact *fact = find_fact (facts, key);

  return fact ? fact->text : NULL;
}

/* --- Reports of the kernel and the libraries --- */

char *
prof_machine_read_text (const char *path)
{
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? g_strchomp (text) : NULL;
}

/* The text behind “key : ” on the first line that begins with key.  (transfer full) */
static char *
find_line (const char *text, const char *key)
{
  const char *at = text;

  while (at && !g_str_has_prefix (at, key))
    at = strchr (at, '\n') ? strchr (at, '\n') + 1 : NULL;
  at = at ? strchr (at, ':') : NULL;
  return at ? g_strstrip (g_strndup (at + 1, strcspn (at + 1, "\n"))) : NULL;
}

/* Adds the CPU flags that affect speed. */
static void
add_features (ProfFacts *facts, const char *flags)
{
  static const char *const relevant[] = { "sse4_2",      "avx",      "avx2",     "fma",
                                          "f16c",        "avx512f",  "avx512bw", "avx512_vnni",
                                          "avx512_bf16", "amx_tile", "asimd",    "sve" };
  g_auto (GStrv) words = g_strsplit (flags, " ", -1);
  g_autoptr (GString) found = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (relevant); i++)
    if (g_strv_contains ((const char *const *) words, relevant[i]))
      g_string_append_printf (found, "%s%s", found->len > 0 ? " " : "", relevant[i]);
  prof_facts_set (facts, "cpu.features", found->str);
  prof_facts_set_number (facts, "cpu.virtual",
                         g_strv_contains ((const char *const *) words, "hypervisor"));
}

static void
describe_processor (ProfFacts *facts)
{
  g_autofree char *text = prof_machine_read_text ("/proc/cpuinfo");
  g_autofree char *model = text ? find_line (text, "model name") : NULL;
  g_autofree char *flags = text ? find_line (text, "flags") : NULL;
  g_autofree char *governor =
      prof_machine_read_text ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  g_autofree char *turbo = prof_machine_read_text ("/sys/devices/system/cpu/intel_pstate/no_turbo");
  g_autofree char *boost = prof_machine_read_text ("/sys/devices/system/cpu/cpufreq/boost");
  g_autofree char *smt = prof_machine_read_text ("/sys/devices/system/cpu/smt/active");
  g_autofree char *source =
      prof_machine_read_text ("/sys/devices/system/clocksource/clocksource0/current_clocksource");

  prof_facts_set (facts, "cpu.model", model);
  if (flags)
    add_features (facts, flags);
  prof_facts_set_number (facts, "cpu.cores", (double) sysconf (_SC_NPROCESSORS_ONLN));
  prof_facts_set (facts, "cpu.governor", governor ? governor : "not available");
  if (turbo || boost)
    prof_facts_set (facts, "cpu.turbo",
                    g_strcmp0 (turbo, "0") == 0 || g_strcmp0 (boost, "1") == 0 ? "on" : "off");
  if (smt)
    prof_facts_set (facts, "cpu.smt", strcmp (smt, "1") == 0 ? "on" : "off");
  prof_facts_set (facts, "clock.source", source);
}

/* --- Control groups --- */

#define GROUPS      "/sys/fs/cgroup"
#define MAX_PARENTS 32

double
prof_machine_parse_quota (const char *text)
{
  char  *end;
  double quota = g_ascii_strtod (text, &end), period;

  if (end == text)
    return 0;
  period = g_ascii_strtod (end, NULL);
  return quota > 0 && period > 0 && isfinite (quota / period) ? quota / period : 0;
}

/* The smaller limit; 0 means unlimited. */
static double
smaller (double a, double b)
{
  return a > 0 && b > 0 ? MIN (a, b) : MAX (a, b);
}

/* The limit of a group and of those that it is part of.  group: as /proc/self/cgroup writes it. */
static double
find_limit (const char *group)
{
  g_autofree char *path = g_strconcat (GROUPS, group, NULL);
  double           limit = 0;

  for (guint i = 0; i < MAX_PARENTS && strlen (path) >= strlen (GROUPS); i++)
    {
      g_autofree char *file = g_build_filename (path, "cpu.max", NULL);
      g_autofree char *text = prof_machine_read_text (file);
      char            *end = strrchr (path, '/');

      limit = text ? smaller (limit, prof_machine_parse_quota (text)) : limit;
      *end = '\0';
    }
  return limit;
}

double
prof_machine_find_quota (void)
{
  g_autofree char *groups = prof_machine_read_text ("/proc/self/cgroup");
  g_autofree char *quota = prof_machine_read_text (GROUPS "/cpu/cpu.cfs_quota_us");
  g_autofree char *period = prof_machine_read_text (GROUPS "/cpu/cpu.cfs_period_us");
  g_autofree char *both = quota && period ? g_strjoin (" ", quota, period, NULL) : NULL;
  const char      *unified = groups ? strstr (groups, "0::/") : NULL;
  g_autofree char *group = unified ? g_strndup (unified + 3, strcspn (unified + 3, "\n")) : NULL;

  return smaller (group ? find_limit (group) : 0, both ? prof_machine_parse_quota (both) : 0);
}

static void
describe_system (ProfFacts *facts)
{
  struct utsname name;
  double         load[1], quota = prof_machine_find_quota ();

  if (uname (&name) == 0)
    {
      g_autofree char *kernel = g_strdup_printf ("%s %s", name.sysname, name.release);

      prof_facts_set (facts, "system.kernel", kernel);
      prof_facts_set (facts, "system.host", name.nodename);
    }
  if (getloadavg (load, 1) == 1)
    prof_facts_set_number (facts, "system.load", load[0]);
  prof_facts_set_number (facts, "system.memory",
                         (double) sysconf (_SC_PHYS_PAGES) * (double) sysconf (_SC_PAGE_SIZE));
  if (quota > 0)
    {
      g_autofree char *text = g_strdup_printf ("%.4g processors", quota);

      prof_facts_set (facts, "system.cpu limit", text);
    }
}

static void
describe_libraries (ProfFacts *facts)
{
  g_autofree char *glib =
      g_strdup_printf ("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);

  prof_facts_set (facts, "library.glib", glib);
  prof_facts_set (facts, "library.openblas", hyb_blas ()->openblas_get_config ());
  prof_facts_set (facts, "library.openblas core", hyb_blas ()->openblas_get_corename ());
  prof_facts_set_number (facts, "threads.openblas", hyb_blas ()->openblas_get_num_threads ());
  prof_facts_set_number (facts, "threads", hyb_parallel_get_threads ());
}

void
prof_machine_describe (ProfFacts *facts)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *time = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");

  prof_facts_set (facts, "time", time);
  describe_processor (facts);
  describe_system (facts);
  describe_libraries (facts);
}

/* --- Stolen time --- */

ProfTicks
prof_machine_ticks (void)
{
  g_autofree char *text = prof_machine_read_text ("/proc/stat");
  ProfTicks        ticks = { 0 };
  const char      *at = text && g_str_has_prefix (text, "cpu ") ? text + 4 : NULL;

  /* user nice system idle iowait irq softirq steal */
  for (guint i = 0; at && i < 8; i++)
    {
      char  *end;
      double value = g_ascii_strtod (at, &end);

      if (end == at)
        break;
      ticks.total += value;
      if (i == 7)
        ticks.stolen = value;
      at = end;
    }
  return ticks;
}

double
prof_machine_stolen (const ProfTicks *before, const ProfTicks *after)
{
  double total = after->total - before->total;

  return total > 0 ? (after->stolen - before->stolen) / total : 0;
}

/* The limitation of the times of operators on a GPU. */
static void
add_trace_warning (GStrvBuilder *builder, const ProfFacts *facts)
{
  const ProfFact  *problem = find_fact (facts, PROF_DEVICE_TRACE_PROBLEM_KEY);
  g_autofree char *line = NULL;

  if (problem && problem->text)
    {
      line = g_strdup_printf ("%s.", problem->text);
      g_strv_builder_add (builder, line);
    }
  if (!find_fact (facts, PROF_DEVICE_TRACE_KEY))
    g_strv_builder_add (builder, "Traced runs wait for the GPU after every operator: what a clean "
                                 "run does at the same time is counted one after the other.");
}

char **
prof_machine_warnings (const ProfFacts *facts)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const ProfFact *load = find_fact (facts, "system.load");
  const ProfFact *cores = find_fact (facts, "cpu.cores");
  const ProfFact *stolen = find_fact (facts, "system.stolen");
  const ProfFact *governor = find_fact (facts, "cpu.governor");
  const ProfFact *noise = find_fact (facts, "clean.deviation");
  const ProfFact *peaks = find_fact (facts, PROF_PEAKS_KEY);
  const ProfFact *disturbance = find_fact (facts, PROF_DISTURBANCE_KEY);

  if (find_fact (facts, PROF_DEVICE_KEY))
    add_trace_warning (builder, facts);
  if (find_fact (facts, PROF_DEVICE_KEY) && !find_fact (facts, PROF_DEVICE_PROOF_KEY))
    g_strv_builder_add (builder, "Hybridscope's code for GPUs has never run on a GPU: compare its "
                                 "results with the processor's before you rely on them.");
  if (stolen && stolen->number > 0.01)
    {
      g_autofree char *line =
          g_strdup_printf ("%.1f %% of the CPU time went to other guests of this machine's host.",
                           100 * stolen->number);
      g_strv_builder_add (builder, line);
    }
  if (load && cores && load->number > cores->number)
    {
      g_autofree char *line =
          g_strdup_printf ("The load was %.1f on %.0f cores: other processes were using the CPU.",
                           load->number, cores->number);
      g_strv_builder_add (builder, line);
    }
  if (governor && governor->text && strcmp (governor->text, "performance") != 0)
    g_strv_builder_add (
        builder, strcmp (governor->text, "not available") == 0 ||
                         strcmp (governor->text, "not told") == 0 /* in older captures */
                     ? "The clock frequency is not available on this machine (virtual machine)."
                     : "The clock governor is not “performance”: the frequency may change.");
  if (noise && noise->number > 0.05)
    {
      g_autofree char *line = g_strdup_printf ("Clean runs vary by %.0f %% (standard deviation). "
                                               "Repeat the measurement on a quieter machine.",
                                               100 * noise->number);
      g_strv_builder_add (builder, line);
    }
  if (peaks && peaks->text)
    g_strv_builder_add (builder, peaks->text);
  if (disturbance && disturbance->text)
    g_strv_builder_add (builder, disturbance->text);
  return g_strv_builder_end (builder);
}
