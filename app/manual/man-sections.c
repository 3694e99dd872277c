/* man-sections.c — ENVIRONMENT, FILES and EXIT STATUS.
 *
 * A row belongs to the pages of commands with one of its groups of options.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/man-sections.h"

#include "app/manual/roff.h"

typedef struct
{
  ScopeOptionGroups groups; /* 0: every command */
  const char       *name, *text;
} Row;

static const Row variables[] = {
  { 0, "NO_COLOR", "If set and not empty, messages have no colour." },
  { 0, "TERM", "If it is dumb, messages have no colour and no progress is shown." },
  { 0, "COLUMNS", "The most columns that progress and paragraphs may take on a terminal." },
  { 0, "XDG_CACHE_HOME, XDG_CONFIG_HOME, XDG_DATA_HOME",
    "Folders in place of ~/.cache, ~/.config and ~/.local/share." },
  { SCOPE_OPTIONS_MODEL, "HYBRIDSCOPE_GALLERY",
    "The folder of the gallery's modules, in place of the one beside the program." },
  { SCOPE_OPTIONS_MODEL, "HYBRIDSCOPE_OPERATORS",
    "Modules with operators that every command loads, separated by colons, as with --plugin." },
  { SCOPE_OPTIONS_MODEL, "HYBRIDSCOPE_PLUGINS",
    "If it is gallery, only modules of the gallery are loaded." },
  { SCOPE_OPTIONS_RUN, "HYB_CPU",
    "The instructions to use at most; hscope --version --verbose prints them." },
  { SCOPE_OPTIONS_RUN, "OPENBLAS_CORETYPE",
    "The kernels of OpenBLAS, which multiplies doubles, for a processor that it does not "
    "recognise." },
  { SCOPE_OPTIONS_RUN, "HYB_GPU_PATH",
    "Folders that are searched first for the libraries of CUDA, separated by colons." },
};

static const Row files[] = {
  { SCOPE_OPTIONS_MODEL, "NAME-NNNN.params",
    "Parameters of NAME-symbol.json; without --params or --epoch the highest number is read." },
  { SCOPE_OPTIONS_TARGET, "~/.config/hybridscope/targets.ini",
    "Machines that --target can name; see hscope-targets(1)." },
  { SCOPE_OPTIONS_RUN, "~/.cache/hybridscope",
    "What was measured of this machine (machine/machine.ini) and compiled kernels; it may be "
    "deleted, "
    "and then the machine is measured again." },
  { SCOPE_OPTIONS_RUN, "~/.local/share/hybridscope/cuda-*",
    "Libraries of CUDA, where they are not installed for the whole machine." },
};

static const Row statuses[] = {
  { 0, "0", "Success." },
  { 0, "1", "The answer is no: a check found errors, or two models differ." },
  { 0, "2", "The command line is wrong." },
  { 0, "3", "A file cannot be read or written." },
  { 0, "4", "The model cannot be planned or run, or a limit was reached." },
  { 0, "128 + N", "The signal N ended the command." },
};

static void
write_section (GString            *page,
               const char         *title,
               const Row          *rows,
               guint               n,
               const ScopeCommand *command)
{
  gboolean has_title = FALSE;

  for (guint i = 0; i < n; i++)
    {
      if (command && rows[i].groups && !(command->option_groups & rows[i].groups))
        continue;
      if (!has_title)
        g_string_append_printf (page, ".SH %s\n", title);
      has_title = TRUE;
      g_string_append (page, ".TP\n.B ");
      scope_roff_words (page, rows[i].name);
      g_string_append_c (page, '\n');
      scope_roff_text (page, rows[i].text);
    }
}

void
scope_man_sections (GString *page, const ScopeCommand *command)
{
  write_section (page, "ENVIRONMENT", variables, G_N_ELEMENTS (variables), command);
  write_section (page, "FILES", files, G_N_ELEMENTS (files), command);
  write_section (page, "EXIT STATUS", statuses, G_N_ELEMENTS (statuses), command);
}
