/* parts.c — see parts.h.
 *
 * Children run one after the other: several processes of this command, each with a shard, share the work.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/parts.h"

#include "app/command/children/children.h"
#include "app/command/children/find-json.h"
#include "app/command/frame/messages.h"
#include "app/command/selftest/operator-samples.h"

#include "engine/device/gpu.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#define PRELUDE "error: " /* of messages on stderr */

typedef struct
{
  ScopeParts *parts;
  const char *option; /* that names a part: --operator or --model */
  GPtrArray  *names;
  guint       n_started;
} Loop;

/* --- Starting --- */

static void
add_option (GPtrArray *argv, const char *option, const char *value)
{
  if (value)
    g_ptr_array_add (argv, g_strconcat (option, "=", value, NULL));
}

static void
add_number (GPtrArray *argv, const char *option, gint64 number)
{
  if (number != 0)
    g_ptr_array_add (argv, g_strdup_printf ("%s=%" G_GINT64_FORMAT, option, number));
}

static char **
next_part (gpointer data, guint *id)
{
  Loop                     *loop = data;
  const ScopeCommonOptions *common = loop->parts->common;
  g_autofree char          *program = g_file_read_link ("/proc/self/exe", NULL);
  GPtrArray                *argv;

  if (loop->n_started == loop->names->len)
    return NULL;
  *id = loop->n_started++;
  argv = g_ptr_array_new ();
  g_ptr_array_add (argv, g_strdup (program ? program : "hscope"));
  g_ptr_array_add (argv, g_strdup ("selftest"));
  g_ptr_array_add (argv, g_strdup ("--in-process"));
  g_ptr_array_add (argv, g_strdup ("--json-lines"));
  add_option (argv, "--device", common->device);
  add_option (argv, "--math", common->math);
  add_option (argv, "--limit-memory", common->limit_memory);
  add_number (argv, "--seed", common->seed);
  add_number (argv, "--threads", common->threads);
  for (guint i = 0; common->plugins && common->plugins[i]; i++)
    add_option (argv, "--plugin", common->plugins[i]);
  add_option (argv, loop->option, loop->names->pdata[*id]);
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (argv, FALSE);
}

/* Takes the names of this shard. */
static GPtrArray *
take_shard (ScopeParts *parts, GPtrArray *names)
{
  GPtrArray *taken = g_ptr_array_new ();

  for (guint i = 0; i < names->len; i++)
    if (parts->n_parts++ % parts->n_shards == parts->shard)
      g_ptr_array_add (taken, names->pdata[i]);
  return taken;
}

static void
run_children (ScopeParts *parts,
              GPtrArray  *names,
              const char *option,
              void (*ended) (gpointer data, const ScopeChildEnd *end))
{
  g_autoptr (GPtrArray) taken = take_shard (parts, names);
  Loop          loop = { .parts = parts, .option = option, .names = taken };
  ScopeChildren children = {
    .n_jobs = 1, .seconds = parts->seconds, .next = next_part, .ended = ended, .data = &loop
  };

  scope_children_run (&children);
}

/* --- Reading --- */

/* The last line of stderr without its first word, or NULL.  (transfer full) */
static char *
dup_last_error (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = g_strv_length (lines); i-- > 0;)
    if (*g_strstrip (lines[i]) != '\0')
      {
        const char *message = strstr (lines[i], PRELUDE);

        return g_strdup (message ? message + strlen (PRELUDE) : lines[i]);
      }
  return NULL;
}

/* Half a sentence: why a child did not end as it should; NULL if it did.  (transfer full) */
static char *
describe_failure (const ScopeParts *parts, const ScopeChildEnd *end)
{
  g_autofree char *last = NULL;
  char            *described;

  if (end->signal == SIGALRM)
    return g_strdup_printf ("its process did not end within %u seconds", parts->seconds);
  described = scope_child_describe (end);
  if (described || end->status == 0 || end->status == 1)
    return described;
  last = dup_last_error (end->err->str);
  return last ? g_steal_pointer (&last)
              : g_strdup_printf ("its process ended with status %d", end->status);
}

/* NULL: the line is not an object.  (transfer full) */
static HybJson *
parse_line (const char *line)
{
  g_autoptr (GBytes) bytes = g_bytes_new (line, strlen (line));

  return *line == '{' ? hyb_json_parse (bytes, NULL, "result", NULL, NULL) : NULL;
}

static guint
find_count (const HybJson *json, HybJsonRef object, const char *key)
{
  gint64 count = 0;

  return scope_find_int (json, object, key, &count) ? (guint) CLAMP (count, 0, G_MAXINT) : 0;
}

/* A number that is not finite is written as null. */
static double
find_error (const HybJson *json, HybJsonRef object)
{
  double error;

  return scope_find_double (json, object, "error", &error) ? error : INFINITY;
}

/* The element types for which the operator gives wrong results. */
static void
read_types (const HybJson *json, HybJsonRef list, const char *name, ScopeOperatorResults *found)
{
  HybJsonIter iter = hyb_json_iter (json, list);
  HybJsonRef  object;

  while (hyb_json_iter_next (&iter, NULL, &object))
    {
      const char *type = scope_find_string (json, object, "type");
      const char *why = scope_find_string (json, object, "failure");

      if (type && why)
        scope_operator_results_blame (found, name, hyb_dtype_from_name (type),
                                      find_error (json, object), why);
    }
}

static void
read_operator (const HybJson *json, HybJsonRef object, ScopeOperatorResults *found)
{
  const char *name = scope_find_string (json, object, "name");
  const char *note = scope_find_string (json, object, "note");
  HybJsonRef  types = hyb_json_find (json, object, "wrong_types");

  if (!name)
    return;
  scope_operator_results_count (found, name, find_count (json, object, "comparisons"),
                                find_error (json, object));
  if (note)
    scope_operator_results_note (found, name, note);
  if (types != HYB_JSON_NONE)
    read_types (json, types, name, found);
}

/* A child's results for operators; empty if it printed none.  (transfer full) */
static ScopeOperatorResults *
read_operators (const char *text)
{
  ScopeOperatorResults *found = scope_operator_results_new ();
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i]; i++)
    {
      g_autoptr (HybJson) json = parse_line (lines[i]);
      HybJsonRef  list = json ? hyb_json_find (json, 0, "operators") : HYB_JSON_NONE, object;
      HybJsonIter iter;

      if (list == HYB_JSON_NONE)
        continue;
      found->n_samples += find_count (json, 0, "samples");
      found->n_left += find_count (json, 0, "samples_without_time");
      iter = hyb_json_iter (json, list);
      while (hyb_json_iter_next (&iter, NULL, &object))
        read_operator (json, object, found);
    }
  return found;
}

static void
operator_ended (gpointer data, const ScopeChildEnd *end)
{
  const Loop      *loop = data;
  const char      *op = loop->names->pdata[end->id];
  g_autofree char *failure = describe_failure (loop->parts, end);
  g_autoptr (ScopeOperatorResults) found = read_operators (end->out->str);

  if (failure)
    {
      g_autofree char *why = g_strdup_printf ("it failed in the self-test: %s", failure);

      scope_operator_results_blame (found, op, HYB_DTYPE_UNKNOWN, INFINITY, why);
    }
  loop->parts->show_operator (op, found, end->seconds, loop->parts->data);
}

/* FALSE: the line is not about a model. */
static gboolean
show_model (const ScopeParts *parts, const char *line, double seconds)
{
  g_autoptr (HybJson) json = parse_line (line);
  const char      *model = json ? scope_find_string (json, 0, "model") : NULL;
  const char      *mode = json ? scope_find_string (json, 0, "mode") : NULL;
  ScopeModelResult row = { .model = model, .mode = mode };

  if (!model || !mode)
    return FALSE;
  row.work = (char *) scope_find_string (json, 0, "work");
  row.failure = (char *) scope_find_string (json, 0, "failure");
  row.note = (char *) scope_find_string (json, 0, "note");
  row.n_arrays = find_count (json, 0, "arrays");
  row.error = find_error (json, 0);
  parts->show_model (&row, seconds, parts->data);
  return TRUE;
}

static void
model_ended (gpointer data, const ScopeChildEnd *end)
{
  Loop            *loop = data;
  const char      *name = loop->names->pdata[end->id];
  g_autofree char *title = g_path_get_basename (name);
  g_autofree char *failure = describe_failure (loop->parts, end);
  g_auto (GStrv) lines = g_strsplit (end->out->str, "\n", -1);

  for (guint i = 0; lines[i]; i++)
    show_model (loop->parts, lines[i], end->seconds);
  if (failure && end->status == SCOPE_EXIT_FILE)
    {
      if (!loop->parts->unread)
        loop->parts->unread = g_steal_pointer (&failure);
    }
  else if (failure)
    {
      ScopeModelResult row = {
        .model = title, .mode = "any", .failure = failure, .error = INFINITY
      };

      loop->parts->show_model (&row, end->seconds, loop->parts->data);
    }
}

/* --- Both --- */

void
scope_parts_test_operators (ScopeParts *parts, char **only)
{
  g_autoptr (GPtrArray) samples = scope_operator_samples ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < samples->len; i++)
    {
      const ScopeOperatorSample *sample = samples->pdata[i];

      if ((!only || g_strv_contains ((const char *const *) only, sample->op)) &&
          hyb_gpu_computes (sample->op) && g_hash_table_add (seen, (gpointer) sample->op))
        g_ptr_array_add (names, (gpointer) sample->op);
    }
  run_children (parts, names, "--operator", operator_ended);
}

void
scope_parts_test_models (ScopeParts *parts, char **names)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new ();

  for (guint i = 0; names[i]; i++)
    g_ptr_array_add (list, names[i]);
  run_children (parts, list, "--model", model_ended);
}
