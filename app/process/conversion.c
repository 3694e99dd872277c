/* conversion.c — runs hscope convert and parses its output, in a worker because it has every node.
 *
 * The command line is made in scope_conversion_run_async(), the result in read_in_worker().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/conversion.h"

#include "app/process/child.h"
#include "app/process/worker.h"

#include <cjson/cJSON.h>
#include <glib/gi18n.h>
#include <math.h>

static const struct
{
  const char *name, *title;
} forms[] = {
  { "unrolled", N_ ("Unrolled") },
  { "foreach", N_ ("Foreach Loop") },
  { "while", N_ ("While Loop") },
  { "fused", N_ ("Fused Operator") },
};

const char *const *
scope_conversion_forms (void)
{
  static const char *names[G_N_ELEMENTS (forms) + 1];

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    names[i] = forms[i].name;
  return names;
}

const char *
scope_conversion_title (const char *form)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    if (g_strcmp0 (forms[i].name, form) == 0)
      return _ (forms[i].title);
  return _ ("As Written");
}

void
scope_conversion_free (ScopeConversion *conversion)
{
  g_clear_pointer (&conversion->matches, g_array_unref);
  g_clear_pointer (&conversion->names, g_string_chunk_free);
  g_free (conversion->path);
  g_free (conversion);
}

typedef struct
{
  char *path, *text;
} ConvertJob;

static void
convert_job_free (gpointer data)
{
  ConvertJob *job = data;

  g_free (job->path);
  g_free (job->text);
  g_free (job);
}

static void
read_matches (ScopeConversion *conversion, const cJSON *list)
{
  const cJSON *item;

  cJSON_ArrayForEach (item, list)
  {
    const char    *from = cJSON_GetStringValue (cJSON_GetArrayItem (item, 0));
    const char    *to = cJSON_GetStringValue (cJSON_GetArrayItem (item, 1));
    const cJSON   *step = cJSON_GetArrayItem (item, 2);
    const char    *body = cJSON_GetStringValue (cJSON_GetArrayItem (item, 3));
    const char    *inner = cJSON_GetStringValue (cJSON_GetArrayItem (item, 4));
    ScopeNameMatch match;

    if (!from || !to || !cJSON_IsNumber (step))
      continue;
    match.from = g_string_chunk_insert_const (conversion->names, from);
    match.to = g_string_chunk_insert_const (conversion->names, to);
    match.step = step->valueint;
    match.body = body && inner ? g_string_chunk_insert_const (conversion->names, body) : NULL;
    match.inner = body && inner ? g_string_chunk_insert_const (conversion->names, inner) : NULL;
    g_array_append_val (conversion->matches, match);
  }
}

static void
read_in_worker (GTask *task, gpointer data)
{
  const ConvertJob *job = data;
  ScopeConversion  *conversion = g_new0 (ScopeConversion, 1);
  cJSON            *json = cJSON_Parse (job->text);
  const cJSON      *proof = cJSON_GetObjectItemCaseSensitive (json, "proof");
  const cJSON      *worst = cJSON_GetObjectItemCaseSensitive (proof, "max_abs");

  conversion->path = g_strdup (job->path);
  conversion->names = g_string_chunk_new (4096);
  conversion->matches = g_array_new (FALSE, FALSE, sizeof (ScopeNameMatch));
  conversion->max_abs =
      cJSON_IsTrue (cJSON_GetObjectItemCaseSensitive (proof, "ok")) && cJSON_IsNumber (worst)
          ? worst->valuedouble
          : NAN;
  read_matches (conversion, cJSON_GetObjectItemCaseSensitive (json, "matches"));
  cJSON_Delete (json);
  g_task_return_pointer (task, conversion, (GDestroyNotify) scope_conversion_free);
}

static void
converted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  ConvertJob *job = g_task_get_task_data (task);
  GError     *error = NULL;

  job->text = scope_child_run_finish (result, &error);
  if (!job->text)
    g_task_return_error (task, error);
  else
    scope_worker_run (task, read_in_worker);
}

/* In a folder named by a hash of model and shapes, so that models with the same title do not overwrite each
 * other.  (transfer full) */
static char *
new_prefix (const ScopeConversionOptions *options)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *name = g_strdup_printf ("%s-%s", options->title, options->form);
  g_autofree char *folder = NULL;
  g_autofree char *hash = NULL;

  g_checksum_update (sum, (const guchar *) options->model, -1);
  if (options->params)
    g_checksum_update (sum, (const guchar *) options->params, -1);
  for (guint i = 0; options->shapes && options->shapes[i]; i++)
    g_checksum_update (sum, (const guchar *) options->shapes[i], -1);
  hash = g_strndup (g_checksum_get_string (sum), 12);
  folder = g_build_filename (g_get_user_cache_dir (), "hybridscope", "converted", hash, NULL);
  g_mkdir_with_parents (folder, 0700);
  return g_build_filename (folder, name, NULL);
}

/* A command that ends with --shape for each of the shapes.  (transfer container) */
static GPtrArray *
new_argv (const char *const *fixed, const char *const *shapes)
{
  GPtrArray *argv = g_ptr_array_new ();

  for (; *fixed; fixed++)
    g_ptr_array_add (argv, (gpointer) *fixed);
  for (; shapes && *shapes; shapes++)
    {
      g_ptr_array_add (argv, (gpointer) "--shape");
      g_ptr_array_add (argv, (gpointer) *shapes);
    }
  g_ptr_array_add (argv, NULL);
  return argv;
}

static void
set_job (GTask *task, char *path /* (transfer full) */)
{
  ConvertJob *job = g_new0 (ConvertJob, 1);

  job->path = path;
  g_task_set_task_data (task, job, convert_job_free);
}

void
scope_conversion_run_async (const ScopeConversionOptions *options,
                            GCancellable                 *cancellable,
                            GAsyncReadyCallback           callback,
                            gpointer                      user_data)
{
  GTask           *task = g_task_new (NULL, cancellable, callback, user_data);
  g_autofree char *prefix = new_prefix (options);
  g_autoptr (GPtrArray) argv = NULL;
  const char *const fixed[] = { "convert",       "--json",   "--matches", "--to",
                                options->form,   "--output", prefix,      options->model,
                                options->params, NULL };

  set_job (task, g_strconcat (prefix, "-symbol.json", NULL));
  argv = new_argv (fixed, options->shapes);
  scope_child_run_async ((const char *const *) argv->pdata, cancellable, converted_cb, task);
}

void
scope_conversion_match_async (const char *const   files[2],
                              const char *const  *shapes,
                              GCancellable       *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer            user_data)
{
  GTask            *task = g_task_new (NULL, cancellable, callback, user_data);
  const char *const fixed[] = { "diff", "--json", "--matches", files[0], files[1], NULL };
  g_autoptr (GPtrArray) argv = new_argv (fixed, shapes);

  set_job (task, g_strdup (files[1]));
  scope_child_run_check_async ((const char *const *) argv->pdata, cancellable, converted_cb, task);
}

ScopeConversion *
scope_conversion_run_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

char *
scope_conversion_describe_proof (const ScopeConversion *conversion)
{
  if (isnan (conversion->max_abs))
    return g_strdup (_ ("not compared"));
  if (conversion->max_abs == 0)
    return g_strdup (_ ("proved equal"));
  return g_strdup_printf (_ ("proved equal to %.2g"), conversion->max_abs);
}
