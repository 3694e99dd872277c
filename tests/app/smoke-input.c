/* smoke-input.c — real events through the X server: each must change what is on the screen.
 *
 * In-process tests emit signals of event controllers; this test shows that real events reach them,
 * past focus, capture and gestures that claim sequences.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/program.h"
#include "tests/program.h"

#ifdef HAVE_XTEST
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <string.h>

static char        *folder;
static GSubprocess *program;
static Display     *display;
static Window       window;
static int          width, height;

/* --- The screen --- */

/* A checksum of all pixels. */
static guint64
look (void)
{
  XImage *image =
      XGetImage (display, DefaultRootWindow (display), 0, 0, 1280, 800, AllPlanes, ZPixmap);
  guint64 sum = 14695981039346656037u;

  g_assert_nonnull (image);
  for (int y = 0; y < image->height; y++)
    {
      const guint32 *row =
          (const guint32 *) (gconstpointer) (image->data + y * image->bytes_per_line);

      for (int x = 0; x < image->width; x++)
        sum = (sum ^ (row[x] & 0xffffff)) * 1099511628211u;
    }
  XDestroyImage (image);
  return sum;
}

/* Waits until the screen stays the same. */
static guint64
look_calmly (void)
{
  guint64 before = look ();

  for (guint calm = 0, tries = 0; calm < 4 && tries < 300; tries++)
    {
      guint64 now;

      g_usleep (60 * 1000);
      now = look ();
      calm = now == before ? calm + 1 : 0;
      before = now;
    }
  return before;
}

static gboolean
differs (gpointer before)
{
  return look () != *(guint64 *) before;
}

/* --- The window --- */

static gboolean
is_large (Window candidate)
{
  XWindowAttributes attributes;

  if (!XGetWindowAttributes (display, candidate, &attributes) ||
      attributes.map_state != IsViewable || attributes.width < 400)
    return FALSE;
  width = attributes.width;
  height = attributes.height;
  return TRUE;
}

static gboolean
has_window (gpointer unused G_GNUC_UNUSED)
{
  Window       root, parent, *children = NULL;
  unsigned int n = 0;

  if (!XQueryTree (display, DefaultRootWindow (display), &root, &parent, &children, &n))
    return FALSE;
  for (unsigned int i = 0; i < n && window == 0; i++)
    if (is_large (children[i]))
      window = children[i];
  if (children)
    XFree (children);
  return window != 0;
}

static gboolean
has_opened (gpointer unused G_GNUC_UNUSED)
{
  return program_has_written (folder, "recent=");
}

/* --- Events --- */

static void
press_key (KeySym symbol, KeySym modifier)
{
  KeyCode code = XKeysymToKeycode (display, symbol);
  KeyCode with = modifier != 0 ? XKeysymToKeycode (display, modifier) : 0;

  if (with != 0)
    XTestFakeKeyEvent (display, with, True, CurrentTime);
  XTestFakeKeyEvent (display, code, True, CurrentTime);
  XTestFakeKeyEvent (display, code, False, CurrentTime);
  if (with != 0)
    XTestFakeKeyEvent (display, with, False, CurrentTime);
  XFlush (display);
}

static void
move_to (int x, int y)
{
  XTestFakeMotionEvent (display, -1, x, y, CurrentTime);
  XFlush (display);
  g_usleep (30 * 1000);
}

static void
hold (unsigned int button, gboolean down)
{
  XTestFakeButtonEvent (display, button, down, CurrentTime);
  XFlush (display);
  g_usleep (30 * 1000);
}

static void
drag (unsigned int button, int dx, int dy)
{
  int x = width * 2 / 5, y = height / 2;

  move_to (x, y);
  hold (button, TRUE);
  for (int i = 1; i <= 4; i++)
    move_to (x + dx * i / 4, y + dy * i / 4);
  hold (button, FALSE);
}

/* The last event must have changed the screen. */
#define EXPECT_CHANGE(what)                          \
  G_STMT_START                                       \
  {                                                  \
    guint64 before = look_calmly ();                 \
    what;                                            \
    g_assert_true (program_wait (differs, &before)); \
  }                                                  \
  G_STMT_END

/* --- Tests --- */

static void
test_pointer (void)
{
  move_to (width * 2 / 5, height / 2);
  EXPECT_CHANGE (drag (Button1, -60, -40));
  EXPECT_CHANGE (drag (Button2, 60, 40));
  EXPECT_CHANGE (hold (Button5, TRUE); hold (Button5, FALSE));
  EXPECT_CHANGE (hold (Button4, TRUE); hold (Button4, FALSE));
}

/* With Control: the wheel zooms, and a drag draws a rectangle to zoom to. */
static void
test_pointer_with_key (void)
{
  KeyCode control = XKeysymToKeycode (display, XK_Control_L);

  XTestFakeKeyEvent (display, control, True, CurrentTime);
  EXPECT_CHANGE (hold (Button4, TRUE); hold (Button4, FALSE));
  EXPECT_CHANGE (drag (Button1, 200, 120));
  XTestFakeKeyEvent (display, control, False, CurrentTime);
  EXPECT_CHANGE (press_key (XK_space, 0));
}

static void
test_keys (void)
{
  EXPECT_CHANGE (press_key (XK_plus, XK_Shift_L));
  EXPECT_CHANGE (press_key (XK_space, 0));
  EXPECT_CHANGE (press_key (XK_Down, 0)); /* selects */
  EXPECT_CHANGE (press_key (XK_Down, 0)); /* follows an edge */
  EXPECT_CHANGE (press_key (XK_Escape, 0));
}

static void
test_window_keys (void)
{
  EXPECT_CHANGE (press_key (XK_F9, 0));
  EXPECT_CHANGE (press_key (XK_F7, 0));
  EXPECT_CHANGE (press_key (XK_F8, 0));
  EXPECT_CHANGE (press_key (XK_f, XK_Control_L));
  for (const char *letter = "conv"; *letter != '\0'; letter++)
    press_key ((KeySym) *letter, 0);
  EXPECT_CHANGE (press_key (XK_Return, 0));
}

static void
test_nothing (void)
{
  g_test_skip ("no display, or one without the extension XTEST");
}

TEST_PROGRAM (smoke_input)
{
  int unused, status;

  g_test_init (&argc, &argv, NULL);
  display = XOpenDisplay (NULL);
  if (!display || !XTestQueryExtension (display, &unused, &unused, &unused, &unused))
    {
      g_test_add_func ("/app/input/pointer", test_nothing);
      return g_test_run ();
    }
  folder = program_folder_new ();
  program = program_start (folder, NULL, "lenet-static", "none");
  g_assert_true (program_wait (has_window, NULL));
  g_assert_true (program_wait (has_opened, NULL));
  /* What a window manager would do. */
  XSetInputFocus (display, window, RevertToParent, CurrentTime);
  g_test_add_func ("/app/input/pointer", test_pointer);
  g_test_add_func ("/app/input/pointer-with-key", test_pointer_with_key);
  g_test_add_func ("/app/input/keys-of-the-canvas", test_keys);
  g_test_add_func ("/app/input/keys-of-the-window", test_window_keys);
  status = g_test_run ();
  g_free (program_end (program));
  g_clear_object (&program);
  XCloseDisplay (display);
  program_folder_free (folder);
  return status;
}

#else

static void
test_nothing (void)
{
  g_test_skip ("built without libxtst-dev");
}

TEST_PROGRAM (smoke_input)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/input/pointer", test_nothing);
  return g_test_run ();
}

#endif
