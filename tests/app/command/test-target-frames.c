/* test-target-frames.c — frames and files of a hostile target: only what was asked for is written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/file-receiver.h"
#include "app/command/targets/parcel.h"

#include "engine/base/error.h"
#include "tests/program.h"

#include <string.h>
#include <unistd.h>

/* --- Frames --- */

typedef struct
{
  int         pipe[2];
  ScopeFrames frames;
} Line;

static void
line_set_up (Line *line, gconstpointer unused G_GNUC_UNUSED)
{
  g_assert_cmpint (pipe (line->pipe), ==, 0);
  scope_frames_init (&line->frames, line->pipe[0], line->pipe[1]);
}

static void
line_tear_down (Line *line, gconstpointer unused G_GNUC_UNUSED)
{
  scope_frames_clear (&line->frames);
  close (line->pipe[0]);
  if (line->pipe[1] >= 0)
    close (line->pipe[1]);
}

static void
test_frames_come_as_they_were_sent (Line *line, gconstpointer unused G_GNUC_UNUSED)
{
  ScopeFrame       frame;
  g_autofree char *text = NULL;

  g_assert_true (scope_frames_send_text (&line->frames, SCOPE_FRAME_ARGUMENT, "a word", NULL));
  g_assert_true (scope_frames_send (&line->frames, SCOPE_FRAME_GO, NULL, 0, NULL));
  g_assert_true (scope_frames_read (&line->frames));
  g_assert_true (scope_frames_next (&line->frames, &frame, NULL));
  text = scope_frame_dup_text (&frame);
  g_assert_cmpstr (text, ==, "a word");
  g_assert_true (scope_frames_next (&line->frames, &frame, NULL));
  g_assert_cmpint (frame.kind, ==, SCOPE_FRAME_GO);
  g_assert_false (scope_frames_next (&line->frames, &frame, NULL));
}

static void
test_half_a_frame_is_waited_for (Line *line, gconstpointer unused G_GNUC_UNUSED)
{
  static const char whole[] = "A\0\0\0\2ab";
  ScopeFrame        frame;
  GError           *error = NULL;

  for (gsize n = 0; n < sizeof whole - 1; n++)
    {
      g_assert_false (scope_frames_next (&line->frames, &frame, &error));
      g_assert_no_error (error);
      g_assert_true (scope_frames_write (line->pipe[1], whole + n, 1));
      g_assert_true (scope_frames_read (&line->frames));
    }
  g_assert_true (scope_frames_next (&line->frames, &frame, &error));
  g_assert_cmpmem (frame.data, frame.n, "ab", 2);
}

static void
test_nonsense_is_an_error (Line *line, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const heads[] = {
    "?\0\0\0\0", "A\377\377\377\377", "A\0\20\0\1", "\0\0\0\0\0"
  };

  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      g_autoptr (GError) error = NULL;
      ScopeFrame frame;

      g_assert_true (scope_frames_write (line->pipe[1], heads[i], 5));
      g_assert_true (scope_frames_read (&line->frames));
      g_assert_false (scope_frames_next (&line->frames, &frame, &error));
      g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED);
      scope_frames_skip (&line->frames, 5);
    }
}

static void
test_the_end_is_noticed (Line *line, gconstpointer unused G_GNUC_UNUSED)
{
  close (line->pipe[1]);
  line->pipe[1] = -1;
  g_assert_false (scope_frames_read (&line->frames));
}

/* --- Files --- */

typedef struct
{
  guint n_opened, n_finished;
} Files;

static int
open_file (gpointer data, const char *name G_GNUC_UNUSED, GError **error)
{
  g_autofree char *path = NULL;
  int              file = g_file_open_tmp ("frames-XXXXXX", &path, error);

  ((Files *) data)->n_opened++;
  unlink (path);
  return file;
}

static gboolean
finish_file (gpointer data, const char *name, int file, GError **error G_GNUC_UNUSED)
{
  ((Files *) data)->n_finished++;
  g_assert_cmpstr (name, ==, "hscope-file-0/a");
  g_assert_cmpint (lseek (file, 0, SEEK_END), ==, 3);
  close (file);
  return TRUE;
}

static gboolean
begin (ScopeFileReceiver *receiver, guint64 size, const char *name, gsize n_name, GError **error)
{
  g_autoptr (GByteArray) head = g_byte_array_new ();

  size = GUINT64_TO_BE (size);
  g_byte_array_append (head, (const guint8 *) &size, sizeof size);
  g_byte_array_append (head, (const guint8 *) name, (guint) n_name);
  return scope_file_receiver_take (receiver,
                                   &(ScopeFrame){ SCOPE_FRAME_FILE, head->data, head->len },
                                   error);
}

static gboolean
add (ScopeFileReceiver *receiver, const char *text, GError **error)
{
  return scope_file_receiver_take (receiver,
                                   &(ScopeFrame){ SCOPE_FRAME_DATA,
                                                  (const guint8 *) text,
                                                  (guint) strlen (text) },
                                   error);
}

static void
test_names_that_lead_elsewhere_make_no_file (void)
{
  static const struct
  {
    const char *name;
    gsize       n;
  } names[] = {
    { "/etc/passwd", 11 },
    { "../a", 4 },
    { "hscope-file-0/..", 16 },
    { "hscope-file-0/.", 15 },
    { "hscope-file-0/", 14 },
    { "hscope-file-0", 13 },
    { "hscope-file-/a", 14 },
    { "hscope-file-0/b/../../c", 23 },
    { "hscope-file-0/a\0b", 17 },
    { "hscope-file-99999/a", 19 },
    { "", 0 },
    { "./hscope-file-0/a", 17 },
    { "hscope-file-0//a", 16 },
  };
  Files             files = { 0 };
  ScopeFileReceiver receiver = {
    .open = open_file, .finish = finish_file, .data = &files, .file = -1
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (begin (&receiver, 3, names[i].name, names[i].n, &error));
      g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED);
    }
  g_assert_cmpuint (files.n_opened, ==, 0);
}

static void
test_files_have_the_size_that_was_said (void)
{
  Files             files = { 0 };
  ScopeFileReceiver receiver = {
    .open = open_file, .finish = finish_file, .data = &files, .file = -1
  };
  g_autoptr (GError) error = NULL;

  g_assert_true (begin (&receiver, 3, "hscope-file-0/a", 15, &error));
  g_assert_true (add (&receiver, "ab", &error));
  g_assert_cmpuint (files.n_finished, ==, 0);
  g_assert_true (add (&receiver, "c", &error));
  g_assert_cmpuint (files.n_finished, ==, 1);
  g_assert_false (add (&receiver, "d", &error));
  g_clear_error (&error);
  g_assert_true (begin (&receiver, 3, "hscope-file-0/a", 15, &error));
  g_assert_false (add (&receiver, "abcd", &error));
  g_clear_error (&error);
  g_assert_false (begin (&receiver, 3, "hscope-file-0/a", 15, &error));
  g_clear_error (&error);
  scope_file_receiver_clear (&receiver);
  g_assert_false (begin (&receiver, G_MAXUINT64, "hscope-file-0/a", 15, &error));
  g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT);
}

/* --- Parcels --- */

static void
assert_place (const ScopeParcel *parcel, const char *name, const char *place)
{
  g_autofree char *found = scope_parcel_resolve (parcel, name);

  g_assert_cmpstr (found, ==, place);
}

static void
test_only_what_was_asked_for_has_a_place (void)
{
  g_autoptr (ScopeParcel) parcel = scope_parcel_new ();
  g_autofree char *input = scope_parcel_add_file (parcel, "models/net-symbol.json");
  g_autofree char *file = scope_parcel_add_output (parcel, "/out/c.hscope", FALSE);
  g_autofree char *prefix = scope_parcel_add_output (parcel, "net", TRUE);

  g_assert_cmpstr (input, ==, "hscope-file-0/net-symbol.json");
  g_assert_cmpstr (file, ==, "hscope-file-1/c.hscope");
  g_assert_cmpstr (prefix, ==, "hscope-file-2/net");
  assert_place (parcel, "hscope-file-1/c.hscope", "/out/c.hscope");
  assert_place (parcel, "hscope-file-2/net-0001.params", "net-0001.params");
  assert_place (parcel, "hscope-file-2/net-interrupted.states", "net-interrupted.states");
  assert_place (parcel, "hscope-file-0/net-symbol.json", NULL);
  assert_place (parcel, "hscope-file-1/d.hscope", NULL);
  assert_place (parcel, "hscope-file-1/c.hscope-symbol.json", NULL);
  assert_place (parcel, "hscope-file-2/net-evil.sh", NULL);
  assert_place (parcel, "hscope-file-2/network.params", NULL);
  assert_place (parcel, "hscope-file-2/.profile", NULL);
  assert_place (parcel, "hscope-file-2/../net", NULL);
  assert_place (parcel, "hscope-file-3/net", NULL);
}

static void
test_texts_have_the_names_of_this_machine (void)
{
  g_autoptr (ScopeParcel) parcel = scope_parcel_new ();
  g_autofree char *here = scope_parcel_add_file (parcel, "a");
  g_autofree char *deep = scope_parcel_add_file (parcel, "/x/\"y\"/a");
  g_autofree char *text = NULL, *json = NULL;

  text = scope_parcel_restore_names (parcel, "hscope-file-0/a, hscope-file-1/a", FALSE);
  g_assert_cmpstr (text, ==, "a, /x/\"y\"/a");
  json = scope_parcel_restore_names (parcel, "\"hscope-file-1/a\"", TRUE);
  g_assert_cmpstr (json, ==, "\"/x/\\\"y\\\"/a\"");
}

TEST_PROGRAM (test_target_frames)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, test) \
  g_test_add ("/target-frames/" path, Line, NULL, line_set_up, test, line_tear_down)
  ADD ("frames-come-as-they-were-sent", test_frames_come_as_they_were_sent);
  ADD ("half-a-frame-is-waited-for", test_half_a_frame_is_waited_for);
  ADD ("nonsense-is-an-error", test_nonsense_is_an_error);
  ADD ("the-end-is-noticed", test_the_end_is_noticed);
#undef ADD
  g_test_add_func ("/target-frames/names-that-lead-elsewhere-make-no-file",
                   test_names_that_lead_elsewhere_make_no_file);
  g_test_add_func ("/target-frames/files-have-the-size-that-was-said",
                   test_files_have_the_size_that_was_said);
  g_test_add_func ("/target-frames/only-what-was-asked-for-has-a-place",
                   test_only_what_was_asked_for_has_a_place);
  g_test_add_func ("/target-frames/texts-have-the-names-of-this-machine",
                   test_texts_have_the_names_of_this_machine);
  return g_test_run ();
}
