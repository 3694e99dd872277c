/* verdict.c — keeps the results of the last self-test of a GPU; see verdict.h.
 *
 * The file is made of keys and values (GKeyFile).  A file of somebody else can take operators from the GPU and
 * nothing more.  One that is too long, no regular file, or not as this program writes it counts as absent.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/verdict.h"

#include "engine/formats/file.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORM     "hybridscope verdict 3" /* the number grows when the form changes */
#define LONGEST  (256 * 1024)            /* bytes of a file */
#define MOST     100000                  /* operators and samples that are believed */
#define ALL      "verdict"               /* groups of the file */
#define WRONG    "wrong "                /* followed by the type and the operator */
#define WHY_MOST 1000                    /* bytes of a reason */

static void
wrong_free (ScopeWrongOperator *wrong)
{
  g_free (wrong->op);
  g_free (wrong->why);
  g_free (wrong);
}

static ScopeVerdict *
verdict_new (void)
{
  ScopeVerdict *verdict = g_new0 (ScopeVerdict, 1);

  verdict->wrong = g_ptr_array_new_with_free_func ((GDestroyNotify) wrong_free);
  return verdict;
}

void
scope_verdict_free (ScopeVerdict *verdict)
{
  if (!verdict)
    return;
  g_ptr_array_unref (verdict->wrong);
  g_free (verdict);
}

static void
add_wrong (ScopeVerdict *verdict, const char *op, HybDType dtype, double error, const char *why)
{
  ScopeWrongOperator *wrong = g_new0 (ScopeWrongOperator, 1);

  wrong->op = g_strdup (op);
  wrong->dtype = dtype;
  wrong->error = error;
  wrong->why = g_strdup (why);
  g_ptr_array_add (verdict->wrong, wrong);
}

ScopeVerdict *
scope_verdict_new (const ScopeOperatorResults *results, gboolean is_full)
{
  ScopeVerdict           *verdict = verdict_new ();
  g_autofree const char **names = scope_operator_results_list (results);

  verdict->is_full = is_full;
  verdict->n_operators = g_hash_table_size (results->operators);
  verdict->n_left = results->n_left;
  for (guint i = 0; names[i]; i++)
    {
      const ScopeOperatorResult *result = g_hash_table_lookup (results->operators, names[i]);

      for (HybDType dtype = 0; dtype < HYB_N_DTYPES; dtype++)
        if (result->types[dtype].why)
          add_wrong (verdict, names[i], dtype, result->types[dtype].error,
                     result->types[dtype].why);
    }
  return verdict;
}

/* --- Which GPU it is about --- */

/* A file by its name, size and time, so that another version of it is another file. */
static void
add_file (GChecksum *sum, const char *path)
{
  struct stat      facts = { 0 };
  g_autofree char *text = NULL;

  if (stat (path, &facts) != 0)
    facts.st_size = -1;
  text = g_strdup_printf ("%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld\n", path,
                          (gint64) facts.st_size, (gint64) facts.st_mtim.tv_sec,
                          facts.st_mtim.tv_nsec);
  g_checksum_update (sum, (const guchar *) text, -1);
}

char *
scope_verdict_dup_path (HybGpu *gpu)
{
  g_autoptr (HybGpuFacts) facts = hyb_gpu_dup_facts (gpu);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *name = NULL;
  g_autofree char *text =
      g_strdup_printf ("%s\n%s\n%s\n%s\n%" G_GUINT64_FORMAT "\n", SCOPE_VERSION, facts->model,
                       facts->kind, facts->versions, facts->memory);

  g_checksum_update (sum, (const guchar *) text, -1);
  for (guint i = 0; facts->libraries[i]; i++)
    add_file (sum, facts->libraries[i]);
  add_file (sum, facts->module);
  add_file (sum, "/proc/self/exe");
  name = g_strconcat (g_checksum_get_string (sum), ".verdict", NULL);
  return g_build_filename (g_get_user_cache_dir (), "hybridscope", "selftest", name, NULL);
}

/* --- Reading --- */

/* The contents of a regular file that is not too long, (transfer full); NULL otherwise. */
static char *
read_text (const char *path, gsize *length)
{
  int              file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat      facts;
  g_autofree char *text = NULL;
  gsize            n = 0;
  gssize           got = 1;

  if (file < 0)
    return NULL;
  if (fstat (file, &facts) == 0 && S_ISREG (facts.st_mode) && facts.st_size <= LONGEST)
    text = g_malloc (LONGEST);
  while (text && n < LONGEST && (got > 0 || (got < 0 && errno == EINTR)))
    if ((got = read (file, text + n, LONGEST - n)) > 0)
      n += (gsize) got;
  close (file);
  *length = n;
  return got == 0 && g_utf8_validate (text, (gssize) n, NULL) ? g_steal_pointer (&text) : NULL;
}

/* A number that this program could have written; FALSE otherwise. */
static gboolean
read_count (GKeyFile *file, const char *key, guint *count)
{
  g_autofree char *text = g_key_file_get_value (file, ALL, key, NULL);
  guint64          value;

  if (!text || !g_ascii_string_to_unsigned (text, 10, 0, MOST, &value, NULL))
    return FALSE;
  *count = (guint) value;
  return TRUE;
}

static gboolean
has_controls (const char *text)
{
  for (const char *at = text; *at; at = g_utf8_next_char (at))
    if (g_unichar_iscntrl (g_utf8_get_char (at)))
      return TRUE;
  return FALSE;
}

/* One operator; FALSE if the group is not as it is written. */
static gboolean
read_wrong (GKeyFile *file, const char *group, ScopeVerdict *verdict)
{
  g_auto (GStrv) words = g_strsplit (group + strlen (WRONG), " ", 2);
  HybDType         dtype = words[0] ? hyb_dtype_from_name (words[0]) : HYB_DTYPE_UNKNOWN;
  g_autofree char *why = g_key_file_get_string (file, group, "why", NULL);
  g_autofree char *size = g_key_file_get_value (file, group, "error", NULL);
  char            *end = NULL;
  double           error = size ? g_ascii_strtod (size, &end) : NAN;

  if (!why || !*why || strlen (why) > WHY_MOST || has_controls (why) || !(error >= 0) ||
      end == size || *end || dtype == HYB_DTYPE_UNKNOWN || !words[1] ||
      !hyb_gpu_computes (words[1]))
    return FALSE;
  add_wrong (verdict, words[1], dtype, error, why);
  return TRUE;
}

ScopeVerdict *
scope_verdict_read (const char *path)
{
  g_autoptr (ScopeVerdict) verdict = verdict_new ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) groups = NULL;
  gsize            length;
  guint            is_full;
  g_autofree char *text = read_text (path, &length), *form = NULL;

  if (!text || !g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, NULL))
    return NULL;
  form = g_key_file_get_value (file, ALL, "form", NULL);
  if (g_strcmp0 (form, FORM) != 0 || !read_count (file, "full", &is_full) ||
      !read_count (file, "operators", &verdict->n_operators) ||
      !read_count (file, "left", &verdict->n_left) ||
      !read_count (file, "models", &verdict->n_models) ||
      !read_count (file, "failed", &verdict->n_failed))
    return NULL;
  verdict->is_full = is_full != 0;
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i]; i++)
    if (strcmp (groups[i], ALL) != 0 &&
        (!g_str_has_prefix (groups[i], WRONG) || !read_wrong (file, groups[i], verdict)))
      return NULL;
  return g_steal_pointer (&verdict);
}

/* --- Writing --- */

/* Without control characters, and not longer than is read.  (transfer full) */
static char *
make_plain (const char *why)
{
  GString *text = g_string_new (NULL);

  for (const char *at = why; *at && text->len < WHY_MOST - 8; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      g_string_append_unichar (text, g_unichar_iscntrl (character) ? ' ' : character);
    }
  return g_string_free (text, FALSE);
}

/* A link or a pipe would be written through. */
static void
remove_other (const char *path)
{
  struct stat facts;

  if (lstat (path, &facts) == 0 && !S_ISREG (facts.st_mode))
    unlink (path);
}

gboolean
scope_verdict_write (const ScopeVerdict *verdict, const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *text = NULL;
  gsize            length;

  g_key_file_set_value (file, ALL, "form", FORM);
  g_key_file_set_integer (file, ALL, "full", verdict->is_full);
  g_key_file_set_integer (file, ALL, "operators", (int) verdict->n_operators);
  g_key_file_set_integer (file, ALL, "left", (int) verdict->n_left);
  g_key_file_set_integer (file, ALL, "models", (int) verdict->n_models);
  g_key_file_set_integer (file, ALL, "failed", (int) verdict->n_failed);
  for (guint i = 0; i < verdict->wrong->len; i++)
    {
      const ScopeWrongOperator *wrong = verdict->wrong->pdata[i];
      g_autofree char          *group =
          g_strdup_printf (WRONG "%s %s", hyb_dtype_name (wrong->dtype), wrong->op);
      g_autofree char *why = make_plain (wrong->why);
      char             size[G_ASCII_DTOSTR_BUF_SIZE];

      g_key_file_set_value (file, group, "error", g_ascii_dtostr (size, sizeof size, wrong->error));
      g_key_file_set_string (file, group, "why", why);
    }
  g_mkdir_with_parents (folder, 0700);
  remove_other (path);
  text = g_key_file_to_data (file, &length, NULL);
  return hyb_file_replace_contents (path, text, length, error);
}

/* --- Using it --- */

gboolean
scope_verdict_has_passed (const ScopeVerdict *verdict)
{
  return verdict->wrong->len == 0 && verdict->n_failed == 0 && verdict->n_operators > 0;
}

/* By how much an operator differs, or why it failed. */
static void
describe_wrong (const ScopeVerdict *verdict, GString *text)
{
  g_string_append (text, " The processor computes these operators, which are wrong on the GPU: ");
  for (guint i = 0; i < verdict->wrong->len; i++)
    {
      const ScopeWrongOperator *wrong = verdict->wrong->pdata[i];

      g_string_append_printf (text, "%s%s in %s (", i > 0 ? ", " : "", wrong->op,
                              hyb_dtype_name (wrong->dtype));
      if (isfinite (wrong->error))
        g_string_append_printf (text, "differs by %.2g)", wrong->error);
      else
        g_string_append_printf (text, "%s)", wrong->why);
    }
  g_string_append_c (text, '.');
}

char *
scope_verdict_describe (const ScopeVerdict *verdict)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "The %sself-test compared %u operators",
                          verdict->is_full ? "" : "quick ", verdict->n_operators);
  if (verdict->n_models > 0)
    g_string_append_printf (text, " and %u run%s of models", verdict->n_models,
                            verdict->n_models == 1 ? "" : "s");
  g_string_append_printf (text, " with the processor's on this machine%s",
                          scope_verdict_has_passed (verdict) ? ": they agree." : ".");
  if (verdict->n_left > 0)
    g_string_append_printf (text, " There was no time for %u more operators.", verdict->n_left);
  if (verdict->wrong->len > 0)
    describe_wrong (verdict, text);
  if (verdict->n_failed > 0)
    g_string_append_printf (text, " %u of the runs of models differed: do not rely on this GPU.",
                            verdict->n_failed);
  return g_string_free (text, FALSE);
}

void
scope_verdict_apply (const ScopeVerdict *verdict, HybGpu *gpu)
{
  g_autofree char *text = scope_verdict_describe (verdict);

  for (guint i = 0; i < verdict->wrong->len; i++)
    {
      const ScopeWrongOperator *wrong = verdict->wrong->pdata[i];

      hyb_gpu_exclude_type (gpu, wrong->op, wrong->dtype, wrong->why);
    }
  hyb_gpu_set_proof (gpu, scope_verdict_has_passed (verdict) ? text : NULL);
}
