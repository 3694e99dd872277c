/* x-events.c — sends events through the extension XTEST, over a connection of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/x-events.h"

#include "tests/app/gui-test.h"

#ifdef HAVE_XTEST
#include <X11/XKBlib.h>
#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <gdk/x11/gdkx.h>

#define AFTER_MS   60 /* in which the main loop handles an event */
#define DRAG_STEPS 6

static Display *display;

gboolean
x_events_start (GtkWindow *window)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));
  int         unused;

  if (!GDK_IS_X11_SURFACE (surface))
    return FALSE;
  display = XOpenDisplay (NULL);
  if (!display || !XTestQueryExtension (display, &unused, &unused, &unused, &unused))
    return FALSE;
  gui_spin (300);
  /* What a window manager would do. */
  XSetInputFocus (display, gdk_x11_surface_get_xid (surface), RevertToParent, CurrentTime);
  XSync (display, False);
  gui_spin (300);
  return TRUE;
}

void
x_events_end (void)
{
  XCloseDisplay (display);
  display = NULL;
}

static void
flush (void)
{
  XSync (display, False);
  gui_spin (AFTER_MS);
}

/* --- Keys --- */

static void
hold_modifiers (GdkModifierType modifiers, Bool is_down)
{
  static const struct
  {
    GdkModifierType mask;
    KeySym          key;
  } all[] = { { GDK_SHIFT_MASK, XK_Shift_L },
              { GDK_CONTROL_MASK, XK_Control_L },
              { GDK_ALT_MASK, XK_Alt_L } };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (modifiers & all[i].mask)
      XTestFakeKeyEvent (display, XKeysymToKeycode (display, all[i].key), is_down, CurrentTime);
}

static void
send_key (guint key, GdkModifierType modifiers)
{
  KeyCode code = XKeysymToKeycode (display, key);

  g_assert_cmpint (code, !=, 0);
  if (XkbKeycodeToKeysym (display, code, 0, 0) != key)
    modifiers |= GDK_SHIFT_MASK;
  hold_modifiers (modifiers, True);
  XTestFakeKeyEvent (display, code, True, CurrentTime);
  XTestFakeKeyEvent (display, code, False, CurrentTime);
  hold_modifiers (modifiers, False);
}

void
x_key (const char *key)
{
  GdkModifierType modifiers;
  guint           symbol;

  g_assert_true (gtk_accelerator_parse (key, &symbol, &modifiers));
  send_key (symbol, modifiers);
  flush ();
}

void
x_type (const char *text)
{
  for (; *text != '\0'; text++)
    send_key (gdk_unicode_to_keyval ((guint32) *text), 0);
  flush ();
}

/* --- The mouse --- */

static void
point_at (GtkWidget *widget, double x, double y)
{
  GtkNative       *native = gtk_widget_get_native (widget);
  graphene_point_t at;
  double           left, top;
  int              root_x, root_y;
  Window           child;

  g_assert_true (gtk_widget_compute_point (widget, GTK_WIDGET (native),
                                           &GRAPHENE_POINT_INIT ((float) x, (float) y), &at));
  gtk_native_get_surface_transform (native, &left, &top);
  XTranslateCoordinates (display, gdk_x11_surface_get_xid (gtk_native_get_surface (native)),
                         DefaultRootWindow (display), (int) (at.x + left), (int) (at.y + top),
                         &root_x, &root_y, &child);
  XTestFakeMotionEvent (display, -1, root_x, root_y, CurrentTime);
}

void
x_move (GtkWidget *widget, double x, double y)
{
  point_at (widget, x, y);
  flush ();
}

static void
hold (guint button, Bool is_down)
{
  XTestFakeButtonEvent (display, button, is_down, CurrentTime);
  flush ();
}

void
x_click (GtkWidget *widget, double x, double y, guint button)
{
  x_move (widget, x, y);
  hold (button, True);
  hold (button, False);
}

void
x_press (GtkWidget *widget)
{
  g_assert_nonnull (widget);
  x_click (widget, gtk_widget_get_width (widget) / 2., gtk_widget_get_height (widget) / 2., 1);
}

void
x_drag (GtkWidget *widget, const XDrag *drag)
{
  GdkModifierType held = 0;
  guint           none;

  if (drag->modifiers)
    gtk_accelerator_parse (drag->modifiers, &none, &held);
  hold_modifiers (held, True);
  x_move (widget, drag->from_x, drag->from_y);
  hold (1, True);
  for (int i = 1; i <= DRAG_STEPS; i++)
    x_move (widget, drag->from_x + (drag->to_x - drag->from_x) * i / DRAG_STEPS,
            drag->from_y + (drag->to_y - drag->from_y) * i / DRAG_STEPS);
  hold (1, False);
  hold_modifiers (held, False);
  flush ();
}

#else

gboolean
x_events_start (GtkWindow *window G_GNUC_UNUSED)
{
  return FALSE;
}

void
x_events_end (void)
{
}

void
x_key (const char *key G_GNUC_UNUSED)
{
}

void
x_type (const char *text G_GNUC_UNUSED)
{
}

void
x_move (GtkWidget *widget G_GNUC_UNUSED, double x G_GNUC_UNUSED, double y G_GNUC_UNUSED)
{
}

void
x_click (GtkWidget *widget G_GNUC_UNUSED,
         double x          G_GNUC_UNUSED,
         double y          G_GNUC_UNUSED,
         guint button      G_GNUC_UNUSED)
{
}

void
x_press (GtkWidget *widget G_GNUC_UNUSED)
{
}

void
x_drag (GtkWidget *widget G_GNUC_UNUSED, const XDrag *drag G_GNUC_UNUSED)
{
}

#endif
