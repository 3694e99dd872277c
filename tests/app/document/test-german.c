/* test-german.c — findings are German where the program has bound its German catalogue, and English elsewhere.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/document.h"

#include "engine/analysis/pass.h"
#include "engine/onnx/onnx-op.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <libintl.h>
#include <locale.h>
#include <string.h>

/* A pooling layer of an unknown kind, and an unknown operator. */
static const char *const symbol =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"Pooling\", \"name\": \"pool\", \"attrs\": {\"kernel\": \"(2, 2)\", \"pool_type\": "
    "\"most\"}, \"inputs\": [[0,0,0]]},"
    "{\"op\": \"Mish\", \"name\": \"mish\", \"inputs\": [[1,0,0]]}],"
    "\"arg_nodes\": [0], \"heads\": [[2,0,0]]}";

#define HYB_ONNX_OPS(name) extern const HybOnnxOp hyb_onnx_ops_##name[];
#include "engine/onnx/ops/list.h"
#undef HYB_ONNX_OPS

static const HybOnnxOp *const onnx_rows[] = {
#define HYB_ONNX_OPS(name) hyb_onnx_ops_##name,
#include "engine/onnx/ops/list.h"
#undef HYB_ONNX_OPS
};

static char *
list_findings (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-german-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "net-symbol.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeDocument) document = NULL;
  GString *text = g_string_new (NULL);

  g_assert_true (g_file_set_contents (path, symbol, -1, NULL));
  document = scope_document_open (path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < scope_document_get_findings (document)->len; i++)
    {
      const HybFinding *finding = scope_document_get_findings (document)->pdata[i];

      g_string_append_printf (text, "%s\n%s\n", finding->message,
                              finding->hint ? finding->hint : "");
    }
  g_remove (path);
  g_rmdir (folder);
  return g_string_free (text, FALSE);
}

/* The folder of the catalogues that were built.  (transfer full) NULL: there are none */
static char *
find_catalogues (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *own = g_path_get_dirname (self);
  g_autofree char *place = g_build_filename (own, "..", "..", "po", NULL);
  g_autofree char *probe = g_build_filename (place, "de", "LC_MESSAGES", "hybridscope.mo", NULL);

  return g_file_test (probe, G_FILE_TEST_EXISTS) ? g_steal_pointer (&place) : NULL;
}

/* FALSE: there is no catalogue, and the test is skipped. */
static gboolean
begin_german (void)
{
  g_autofree char *catalogues = find_catalogues ();

  if (!catalogues)
    {
      g_test_skip ("no gettext");
      return FALSE;
    }
  g_setenv ("LANGUAGE", "de", TRUE);
  setlocale (LC_MESSAGES, "C.UTF-8"); /* only in C nothing is translated */
  bindtextdomain ("hybridscope", catalogues);
  bind_textdomain_codeset ("hybridscope", "UTF-8");
  textdomain ("hybridscope");
  return TRUE;
}

static void
end_german (void)
{
  setlocale (LC_MESSAGES, "C");
}

static void
test_findings (void)
{
  g_autofree char *english = list_findings (), *german = NULL;

  g_assert_nonnull (strstr (english, "attribute pool_type is “most”, which is not one of max"));
  g_assert_nonnull (strstr (english, "there is no operator “Mish”"));
  if (!begin_german ())
    return;
  german = list_findings ();
  end_german ();
  g_assert_nonnull (strstr (german, "das Attribut pool_type ist „most“; erwartet wird eines von"));
  g_assert_nonnull (strstr (german, "es gibt keinen Operator „Mish“"));
}

/* The same text is returned where there is none. */
static gboolean
is_untranslated (const char *text)
{
  if (!text || gettext (text) != text)
    return FALSE;
  g_test_message ("not translated: %s", text);
  return TRUE;
}

/* Every description of an operator and of its attributes has a German text, also of those that only passes write: a graph after a
 * pass shows them.  So has every reason why an operator is missing. */
static void
test_operators (void)
{
  guint               n_ops, n_missing = 0;
  const HybOp *const *ops = hyb_op_list (&n_ops);
  const char         *pattern, *reason;

  if (!begin_german ())
    return;
  for (guint i = 0; i < n_ops; i++)
    {
      n_missing += is_untranslated (ops[i]->doc);
      for (const HybParam *param = ops[i]->params; param && param->name; param++)
        n_missing += is_untranslated (param->doc);
    }
  for (guint i = 0; hyb_op_missing_entry (i, &pattern, &reason); i++)
    n_missing += is_untranslated (reason);
  end_german ();
  g_assert_cmpuint (n_missing, ==, 0);
}

static void
test_onnx (void)
{
  guint n_missing = 0;

  if (!begin_german ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (onnx_rows); i++)
    for (const HybOnnxOp *row = onnx_rows[i]; row->op.name; row++)
      n_missing += is_untranslated (row->op.doc);
  end_german ();
  g_assert_cmpuint (n_missing, ==, 0);
}

static void
test_passes (void)
{
  guint n_missing = 0;

  if (!begin_german ())
    return;
  for (const HybPass *const *pass = hyb_passes (); *pass; pass++)
    n_missing += is_untranslated ((*pass)->doc);
  end_german ();
  g_assert_cmpuint (n_missing, ==, 0);
}

TEST_PROGRAM (test_german)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/german/findings-have-the-language-of-the-user", test_findings);
  g_test_add_func ("/app/german/operators-are-described-in-german", test_operators);
  g_test_add_func ("/app/german/operators-of-onnx-are-described-in-german", test_onnx);
  g_test_add_func ("/app/german/passes-are-described-in-german", test_passes);
  return g_test_run ();
}
