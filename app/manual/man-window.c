/* man-window.c — hybridscope.1, the man page of the window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/manual.h"
#include "app/manual/roff.h"

static gboolean
write_page (GString *page, const char *name G_GNUC_UNUSED)
{
  scope_roff_heading (page, "hybridscope", "Look at models and at what their operators cost");
  g_string_append (page, ".SH SYNOPSIS\n.B hybridscope\n[FILE]...\n.SH DESCRIPTION\n");
  scope_roff_text (page, "Opens models and recordings in a window.  FILE is a model "
                         "(net-symbol.json, net.onnx), whose parameters are found beside it, a "
                         "file of parameters (net-0000.params), a recording (*.hscope), or a "
                         "folder of models or of a sweep.  Without a file it shows the start page, "
                         "or what was open last if the preference “Reopen Models” is set.");
  g_string_append (
      page,
      ".SH OPTIONS\n.TP\n.B \\-h, \\-\\-help\nPrint a help text.\n"
      ".TP\n.B \\-\\-version\nPrint the version.\n"
      ".SH FILES\n.TP\n.B ~/.config/hybridscope/settings.ini\nPreferences, the open tabs and "
      "recent files.\n"
      ".TP\n.B ~/.local/state/hybridscope\nThe view of each model: folded groups, place and zoom.\n"
      ".TP\n.B ~/.cache/hybridscope\nRecordings and converted models; it may be deleted.\n"
      ".SH EXIT STATUS\n0 if the window was closed; another number if no display can be "
      "opened.\n.SH SEE ALSO\n.BR hscope (1)\n");
  return TRUE;
}

const ScopeManualKind scope_manual_window = {
  .pattern = "hybridscope.1",
  .write = write_page,
};
