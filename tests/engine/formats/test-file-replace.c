/* test-file-replace.c — files are replaced as a whole: permissions, links, leftovers, full disks, pairs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"
#include "engine/graph/builder.h"
#include "engine/open/open.h"
#include "tests/program.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture->folder = g_dir_make_tmp ("replace-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "out.params", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

      if (g_remove (path) != 0)
        g_error ("%s", path);
    }
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->path);
}

static guint
count_files (const Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  return n;
}

static void
check_contents (const char *path, const char *expected)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

/* --- One file --- */

static void
test_permissions (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  GStatBuf status;

  g_assert_true (hyb_file_replace_contents (fixture->path, "old", 3, NULL));
  g_assert_no_errno (g_chmod (fixture->path, 0600));
  g_assert_true (hyb_file_replace_contents (fixture->path, "new", 3, NULL));
  g_assert_no_errno (g_stat (fixture->path, &status));
  g_assert_cmpint (status.st_mode & 07777, ==, 0600);
  check_contents (fixture->path, "new");
}

static void
test_new_files_follow_the_umask (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  mode_t   mask = umask (027);
  GStatBuf status;

  g_assert_true (hyb_file_replace_contents (fixture->path, "new", 3, NULL));
  umask (mask);
  g_assert_no_errno (g_stat (fixture->path, &status));
  g_assert_cmpint (status.st_mode & 07777, ==, 0640);
}

/* Not every file system has them. */
static gboolean
has_unnamed_files (const Fixture *fixture)
{
  int descriptor = open (fixture->folder, O_TMPFILE | O_WRONLY, 0600);

  return descriptor >= 0 && close (descriptor) == 0;
}

static gboolean
fail_half_way (GOutputStream *out, gpointer data, GError **error)
{
  const Fixture *fixture = data;

  g_assert_true (g_output_stream_write_all (out, "half", 4, NULL, NULL, NULL));
  g_assert_true (g_output_stream_flush (out, NULL, NULL));
  /* Nothing has a name yet, so a killed process leaves nothing behind. */
  if (has_unnamed_files (fixture))
    g_assert_cmpuint (count_files (fixture), ==, 1);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "on purpose");
  return FALSE;
}

static void
test_failure (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_file_replace_contents (fixture->path, "old", 3, NULL));
  g_assert_false (hyb_file_replace (fixture->path, fail_half_way, fixture, &error));
  g_assert_true (g_str_has_prefix (error->message, fixture->path));
  g_assert_true (g_str_has_suffix (error->message, "on purpose"));
  check_contents (fixture->path, "old");
  g_assert_cmpuint (count_files (fixture), ==, 1);
}

static void
test_link (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);

  g_assert_true (hyb_file_replace_contents (fixture->path, "old", 3, NULL));
  g_assert_no_errno (symlink (fixture->path, link));
  g_assert_true (hyb_file_replace_contents (link, "new", 3, NULL));
  check_contents (fixture->path, "new");
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
}

static void
test_link_to_a_new_file (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *name = g_path_get_basename (fixture->path);
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);
  g_autofree char *second = g_build_filename (fixture->folder, "second", NULL);

  g_assert_no_errno (symlink (name, link));
  g_assert_no_errno (symlink (link, second));
  g_assert_true (hyb_file_replace_contents (second, "new", 3, NULL));
  check_contents (fixture->path, "new");
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_test (second, G_FILE_TEST_IS_SYMLINK));
}

/* Links that stand at made-up names. */
static void
test_link_out (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *target;
    gboolean    is_inside;
  } rows[] = {
    { "file", TRUE },          { "absent", TRUE },          { "below/file", TRUE },
    { "below/../file", TRUE }, { "below", TRUE },           { "../file", FALSE },
    { "..", FALSE },           { "/etc/passwd", FALSE },    { "below/../../file", FALSE },
    { "away/file", FALSE },    { "nowhere/file", FALSE },   { "second", FALSE },
    { "link", FALSE },         { "../replace-x/y", FALSE },
  };
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);
  g_autofree char *below = g_build_filename (fixture->folder, "below", NULL);
  g_autofree char *away = g_build_filename (fixture->folder, "away", NULL);
  g_autofree char *second = g_build_filename (fixture->folder, "second", NULL);

  g_assert_no_errno (g_mkdir (below, 0700));
  g_assert_no_errno (symlink ("/", away));
  g_assert_no_errno (symlink ("../out", second));
  g_assert_true (hyb_file_check_link (link, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_no_errno (symlink (rows[i].target, link));
      g_assert_cmpint (hyb_file_check_link (link, &error), ==, rows[i].is_inside);
      g_assert_cmpint (rows[i].is_inside, ==, !error);
      g_assert_no_errno (g_unlink (link));
    }
  g_assert_no_errno (g_unlink (away));
  g_assert_no_errno (g_unlink (second));
  g_assert_no_errno (g_rmdir (below));
}

static void
test_links_in_a_circle (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (symlink (fixture->path, fixture->path));
  g_assert_false (hyb_file_replace_contents (fixture->path, "new", 3, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_LOOP);
  g_assert_true (g_file_test (fixture->path, G_FILE_TEST_IS_SYMLINK));
}

/* A pipe in a stranger's folder, that no program reads, is no reason to wait without end. */
static void
test_pipe_without_reader (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *path = g_build_filename (fixture->folder, "pipe", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (mkfifo (path, 0600));
  g_assert_false (hyb_file_replace_contents (path, "new", 3, &error));
  g_assert_nonnull (strstr (error->message, "no program reads the pipe"));
  g_assert_no_errno (unlink (path));
}

static gpointer
read_late (gpointer path)
{
  char *text = NULL;

  g_usleep (300000);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
test_pipe_with_late_reader (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *path = g_build_filename (fixture->folder, "pipe", NULL);
  g_autofree char *text = NULL;
  GThread         *reader;

  g_assert_no_errno (mkfifo (path, 0600));
  reader = g_thread_new ("reader", read_late, path);
  g_assert_true (hyb_file_replace_contents (path, "new", 3, NULL));
  text = g_thread_join (reader);
  g_assert_cmpstr (text, ==, "new");
  g_assert_no_errno (unlink (path));
}

/* What a link such as /dev/stdout names is a descriptor and not a file that could be replaced. */
static void
test_link_to_a_pipe (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  int              ends[2];
  char             text[4] = { 0 };
  g_autofree char *name = NULL;

  g_assert_no_errno (pipe (ends));
  name = g_strdup_printf ("/proc/self/fd/%d", ends[1]);
  g_assert_no_errno (symlink (name, fixture->path));
  g_assert_true (hyb_file_replace_contents (fixture->path, "new", 3, NULL));
  g_assert_cmpint (read (ends[0], text, sizeof text), ==, 3);
  g_assert_cmpstr (text, ==, "new");
  g_assert_true (g_file_test (fixture->path, G_FILE_TEST_IS_SYMLINK));
  close (ends[0]);
  close (ends[1]);
}

static void
test_folder (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_file_replace_contents (fixture->folder, "new", 3, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
}

/* --- What killed processes leave --- */

static char *
add_part (const Fixture *fixture, const char *base, gint64 process)
{
  g_autofree char *name = g_strdup_printf (".%s.%" G_GINT64_FORMAT "-3.part", base, process);
  char            *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "half", -1, NULL));
  return path;
}

static gboolean
exists (const char *path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static void
test_sweeping (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  /* The highest number of a process is 2^22. */
  g_autofree char *dead = add_part (fixture, "out.params", 1 << 30);
  g_autofree char *alive = add_part (fixture, "out.params", 1);
  g_autofree char *own = add_part (fixture, "out.params", getpid ());
  g_autofree char *other = add_part (fixture, "other.params", 1 << 30);
  g_autofree char *no_number = g_build_filename (fixture->folder, ".out.params.x-3.part", NULL);
  g_autofree char *negative = add_part (fixture, "out.params", -1);

  g_assert_true (g_file_set_contents (no_number, "", -1, NULL));
  g_assert_true (hyb_file_replace_contents (fixture->path, "new", 3, NULL));
  g_assert_false (exists (dead));
  g_assert_true (exists (alive));
  g_assert_true (exists (own));
  g_assert_true (exists (other));
  g_assert_true (exists (no_number));
  g_assert_true (exists (negative));
}

/* --- Several files --- */

static void
test_discarding (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  HybPendingFile *file;

  g_assert_true (hyb_file_replace_contents (fixture->path, "old", 3, NULL));
  file = hyb_file_prepare_contents (fixture->path, "new", 3, NULL);
  g_assert_nonnull (file);
  check_contents (fixture->path, "old");
  hyb_pending_file_free (file);
  check_contents (fixture->path, "old");
  g_assert_cmpuint (count_files (fixture), ==, 1);
}

static HybModel *
new_model (const char *name, gint64 n)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId data = hyb_builder_add_variable (builder, name, NULL);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybModel) model = hyb_model_new ();
  HybType type = { .dtype = HYB_F32, .shape = { .rank = 1, .dim = { n } } };
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&type, NULL);

  hyb_builder_add_head (builder, data);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  hyb_model_set_graph (model, graph);
  hyb_model_set_parameter (model, name, tensor);
  return g_steal_pointer (&model);
}

/* The limit lets the symbol be written, but not the parameters. */
static void
test_pair (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *prefix = g_build_filename (fixture->folder, "net", NULL);
  g_autofree char *symbol = g_strconcat (prefix, "-symbol.json", NULL);
  g_autofree char *params = g_strconcat (prefix, "-0000.params", NULL);
  g_autofree char *old_symbol = NULL, *new_symbol = NULL;
  g_autoptr (HybModel) old = new_model ("first", 4);
  g_autoptr (HybModel) other = new_model ("second", 100000);
  g_autoptr (GError) error = NULL;
  struct rlimit limit, before;
  GStatBuf      size, size_before;

  g_assert_true (hyb_model_save (old, prefix, 0, NULL, NULL));
  g_assert_true (g_file_get_contents (symbol, &old_symbol, NULL, NULL));
  g_assert_no_errno (g_stat (params, &size_before));

  getrlimit (RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 10000;
  signal (SIGXFSZ, SIG_IGN);
  setrlimit (RLIMIT_FSIZE, &limit);
  g_assert_false (hyb_model_save (other, prefix, 0, NULL, &error));
  setrlimit (RLIMIT_FSIZE, &before);
  signal (SIGXFSZ, SIG_DFL);

  g_assert_nonnull (error);
  g_assert_true (g_file_get_contents (symbol, &new_symbol, NULL, NULL));
  g_assert_cmpstr (new_symbol, ==, old_symbol);
  g_assert_no_errno (g_stat (params, &size));
  g_assert_cmpint (size.st_size, ==, size_before.st_size);
  g_assert_cmpuint (count_files (fixture), ==, 2);
}

TEST_PROGRAM (test_file_replace)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, test) \
  g_test_add ("/engine/formats/file/replace/" name, Fixture, NULL, set_up, test, tear_down)
  ADD ("permissions-are-kept", test_permissions);
  ADD ("new-files-follow-the-umask", test_new_files_follow_the_umask);
  ADD ("a-failure-leaves-the-old-file-alone", test_failure);
  ADD ("a-link-stays-a-link", test_link);
  ADD ("a-link-to-a-new-file-stays-a-link", test_link_to_a_new_file);
  ADD ("a-link-out-of-its-folder-is-found", test_link_out);
  ADD ("links-in-a-circle-are-refused", test_links_in_a_circle);
  ADD ("a-pipe-without-a-reader-is-an-error", test_pipe_without_reader);
  ADD ("a-pipe-with-a-late-reader-is-written", test_pipe_with_late_reader);
  ADD ("a-link-to-a-pipe-is-written-through", test_link_to_a_pipe);
  ADD ("a-folder-is-refused", test_folder);
  ADD ("parts-of-killed-processes-are-removed", test_sweeping);
  ADD ("a-pending-file-changes-nothing-until-it-is-committed", test_discarding);
  ADD ("a-full-disk-changes-neither-file-of-a-pair", test_pair);
#undef ADD
  return g_test_run ();
}
