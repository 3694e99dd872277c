/* test-compare-beside.c — a comparison with another program's profile, also from a damaged file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-beside.h"

#include "tests/program.h"

#include <string.h>

#define WITH(groups) \
  "{'file':'/x/ort.json','ours_seconds':2e-3,'theirs_seconds':1e-3,'groups':[" groups "]}"
#define WHOLE "{'nodes':['conv','relu'],'ours_seconds':3e-4,'theirs_seconds':1e-4,'theirs':'conv'}"

typedef struct
{
  GString *warnings; /* one a line */
  guint    n_rows;
} Shown;

static void
on_heading (gpointer data     G_GNUC_UNUSED,
            const char *title G_GNUC_UNUSED,
            const char *line  G_GNUC_UNUSED)
{
}

static void
on_sentence (gpointer data, const char *text, ScopeSaidStyle style)
{
  if (style == SCOPE_SAID_WARNING)
    g_string_append_printf (((Shown *) data)->warnings, "%s\n", text);
}

static void
on_fact (gpointer data    G_GNUC_UNUSED,
         const char *name G_GNUC_UNUSED,
         const char *text G_GNUC_UNUSED)
{
}

static void
on_table (gpointer data, const ScopeTable *table)
{
  ((Shown *) data)->n_rows += scope_table_n_rows (table);
}

static const ScopeSaidRenderer renderer = { .heading = on_heading,
                                            .sentence = on_sentence,
                                            .fact = on_fact,
                                            .table = on_table };

/* Says this JSON, in which quotes are written as ', and checks the warning and the number of rows. */
static void
check (const char *text, const char *warning, guint n_rows)
{
  g_autofree char *quoted = g_strdelimit (g_strdup (text), "'", '"');
  cJSON           *json = cJSON_Parse (quoted);
  g_autoptr (ScopeSaid) said = NULL;
  Shown shown = { g_string_new (NULL), 0 };

  g_assert_nonnull (json);
  said = scope_compare_beside_say (json);
  scope_said_walk (said, &renderer, &shown);
  g_assert_cmpstr (shown.warnings->str, ==, warning);
  g_assert_cmpuint (shown.n_rows, ==, n_rows);
  g_string_free (shown.warnings, TRUE);
  cJSON_Delete (json);
}

static void
test_damage_is_named_with_its_place (void)
{
  check (WITH (WHOLE), "", 1);
  check (WITH (WHOLE ",{'nodes':['a'],'ours_seconds':0,'theirs_seconds':1e-4}"), "", 2);
  check (WITH (WHOLE ",{'nodes':['a'],'ours_seconds':'0.1','theirs_seconds':1}"),
         "1 row is damaged and not shown: with.groups[1].ours_seconds is missing or not valid. "
         "Compare again.\n",
         1);
  check (WITH ("7," WHOLE ",{'nodes':[1],'ours_seconds':1,'theirs_seconds':1},"
               "{'nodes':['a'],'ours_seconds':1,'theirs_seconds':-1}"),
         "3 rows are damaged and not shown; the first: with.groups[0].nodes is missing or not "
         "valid. Compare again.\n",
         1);
  check (WITH ("{'nodes':['a'],'ours_seconds':1,'theirs_seconds':1e999}"),
         "1 row is damaged and not shown: with.groups[0].theirs_seconds is missing or not valid. "
         "Compare again.\n",
         0);
  check ("{'file':'a','ours_seconds':1,'theirs_seconds':1,'groups':3}",
         "The comparison is damaged: with.groups is missing or not valid. Compare again.\n", 0);
  check ("{'file':'a','ours_seconds':'x','theirs_seconds':1,'groups':[]}",
         "The comparison is damaged: with.ours_seconds is missing or not valid. Compare again.\n",
         0);
  check ("[]", "The comparison is damaged: with.groups is missing or not valid. Compare again.\n",
         0);
}

TEST_PROGRAM (test_compare_beside)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/compare-beside/damage-is-named-with-its-place",
                   test_damage_is_named_with_its_place);
  return g_test_run ();
}
