/* check.c — hscope check: finds problems of an exported model.
 *
 * The rules are in engine/doctor; this file prints their findings and writes the repaired pair.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/file-kind.h"
#include "app/command/describe/describe.h"
#include "app/command/describe/known-types.h"
#include "app/command/frame/command.h"
#include "app/command/frame/open-model.h"

#include "engine/base/one-line.h"
#include "engine/doctor/change.h"
#include "engine/doctor/diagnose.h"
#include "engine/doctor/group-changes.h"
#include "engine/formats/format.h"
#include "engine/open/open.h"

#include <stdio.h>
#include <string.h>

#define MAX_ITEMS 20 /* printed for each finding */

typedef struct
{
  char *repair; /* prefix of the files to write */
} CheckOptions;

static gboolean
has_errors (GPtrArray *findings)
{
  for (guint i = 0; i < findings->len; i++)
    if (((HybFinding *) findings->pdata[i])->severity == HYB_SEVERITY_ERROR)
      return TRUE;
  return FALSE;
}

/* A shape is written as info writes it, “(?, 2)” and not “[null, 2]”. */
static void
print_item_text (const char *title, const char *text /* (nullable) */)
{
  g_autoptr (GString) shape = NULL;

  if (!text)
    return;
  if (*text == '[' && g_str_has_suffix (text, "]") &&
      strspn (text, "[]0123456789-, nul") == strlen (text) && !strchr (text + 1, '['))
    {
      shape = g_string_new (text);
      g_string_replace (shape, "null", "?", 0);
      shape->str[0] = '(';
      shape->str[shape->len - 1] = ')';
      if (shape->len > 2 && !strchr (shape->str, ','))
        g_string_insert_c (shape, (gssize) shape->len - 1, ',');
    }
  printf (" %s %s", title,
          shape                        ? shape->str
          : strcmp (text, "null") == 0 ? "?"
                                       : hyb_one_line (text));
}

static void
print_items (const GArray *items)
{
  for (guint i = 0; items && i < items->len; i++)
    {
      const HybFindingItem *item = &g_array_index (items, HybFindingItem, i);

      if (i == MAX_ITEMS)
        {
          printf ("    … and %u more\n", items->len - i);
          return;
        }
      printf ("    %s", hyb_one_line (item->name));
      print_item_text ("expected", item->expected);
      print_item_text ("got", item->got);
      printf ("\n");
    }
}

/* The verdict, then the findings. */
static void
print_findings (const ScopeCommonOptions *common, const GPtrArray *findings)
{
  g_autofree char *verdict = scope_findings_dup_verdict (findings);

  printf ("%s\n", verdict);
  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      g_autofree char  *hint = scope_finding_dup_hint (finding);

      if (common->quiet && finding->severity == HYB_SEVERITY_NOTE)
        continue;
      printf ("%s %s: ", hyb_severity_name (finding->severity), finding->code);
      if (finding->file)
        printf ("%s", hyb_one_line (finding->file));
      if (finding->line > 0)
        printf (":%u", finding->line);
      if (finding->offset >= 0)
        printf (" at byte %" G_GINT64_FORMAT, finding->offset);
      printf ("%s%s\n", finding->file ? ": " : "", hyb_one_line (scope_finding_message (finding)));
      if (hint)
        printf ("    %s\n", hyb_one_line (hint));
      print_items (finding->items);
    }
}

/* Writes a repaired pair if --repair was given. */
static gboolean
repair (const CheckOptions *options,
        HybModel           *model,
        ScopeJson          *json,
        gboolean            has_json,
        GError            **error)
{
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  g_autoptr (GPtrArray) lines = NULL;

  if (!options->repair)
    return TRUE;

  if (!hyb_diagnose_can_repair (model))
    {
      scope_print_message (HYB_SEVERITY_WARNING, "nothing was written: the parameters belong to "
                                                 "another model, and no other file takes the place "
                                                 "of one that was named, or of several that fit");
      return TRUE;
    }
  hyb_diagnose_repair (model, changes);
  if (!hyb_model_save (model, options->repair, 0, written, error))
    return FALSE;

  for (guint i = 0; i < changes->len; i++)
    g_ptr_array_add (texts, (gpointer) hyb_change_text (changes, i));
  scope_describe_strings (json, "changes", texts);
  scope_describe_strings (json, "written", written);
  lines = hyb_group_changes (changes);
  for (guint i = 0; !has_json && i < lines->len; i++)
    printf ("changed: %s\n", hyb_one_line (lines->pdata[i]));
  if (!has_json)
    scope_print_all_written (written);
  return TRUE;
}

/* Adds a finding for every array with NaN or infinite values.  With a graph hyb_diagnose() does
 * this. */
static void
check_contents (HybTensorList *list, const char *file, GPtrArray *findings)
{
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      HybStatistics         statistics;
      HybFinding           *finding;

      if (!entry->tensor)
        continue;
      hyb_tensor_statistics (entry->tensor, &statistics);
      if (statistics.n_nan == 0 && statistics.n_infinite == 0)
        continue;
      finding = hyb_finding_new ("not-finite", HYB_SEVERITY_ERROR,
                                 "“%s” holds %" G_GINT64_FORMAT " NaN and %" G_GINT64_FORMAT
                                 " infinite values",
                                 entry->name, statistics.n_nan, statistics.n_infinite);
      finding->file = g_strdup (file);
      g_ptr_array_add (findings, finding);
    }
}

static int
check_weights (const ScopeCommonOptions *common, const char *file)
{
  g_autoptr (GPtrArray) findings = hyb_findings_new ();
  g_autoptr (ScopeJson) json = scope_json_new ();
  HybFinding *read_finding = NULL;
  g_autoptr (HybTensorList) list = hyb_weights_read_file (file, &read_finding, NULL);

  if (read_finding)
    g_ptr_array_add (findings, read_finding);
  if (list)
    {
      GPtrArray *list_findings = hyb_tensor_list_get_findings (list);

      while (list_findings->len > 0)
        g_ptr_array_add (findings, g_ptr_array_steal_index (list_findings, 0));
      check_contents (list, file, findings);
    }

  scope_describe_findings (json, findings);
  if (common->json)
    scope_json_print (json);
  else
    print_findings (common, findings);
  return has_errors (findings) ? SCOPE_EXIT_CHECK_FAILED : SCOPE_EXIT_DONE;
}

static int
run_check (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const CheckOptions *options = data;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (ScopeJson) json = scope_json_new ();
  g_autofree HybType *types = NULL, *shown = NULL;
  HybGraph           *graph;
  GPtrArray          *findings;

  if (!files[1] && scope_is_weights_file (files[0]))
    return check_weights (common, files[0]);
  model = scope_open_model_tolerant (common, files, error);
  if (!model)
    return SCOPE_EXIT_FAILED;

  graph = hyb_model_get_graph (model);
  findings = hyb_model_get_findings (model);
  if (graph)
    {
      types = hyb_diagnose_new_types (graph);
      if (!scope_fill_types (common, model, types, error))
        return SCOPE_EXIT_FAILED;
      hyb_diagnose (model, types);
    }

  if (common->json)
    {
      shown = graph ? scope_known_types_new (common, model, types, NULL, error) : NULL;
      if (graph && !shown)
        return SCOPE_EXIT_FAILED;
      scope_describe_findings (json, findings);
      scope_describe_values (json, model, shown);
    }
  else
    print_findings (common, findings);
  if (graph && !repair (options, model, json, common->json, error))
    return SCOPE_EXIT_FAILED;
  if (common->json)
    scope_json_print (json);
  return has_errors (findings) ? SCOPE_EXIT_CHECK_FAILED : SCOPE_EXIT_DONE;
}

static const GOptionEntry check_options[] = {
  { SCOPE_OPTION (CheckOptions, FILENAME, "repair", repair),
    "Write a repaired pair: PREFIX-symbol.json and PREFIX-0000.params", "PREFIX" },
  { 0 },
};

static const char *const examples[] = {
  "hscope new lenet --output net && hscope check net-symbol.json",
  "hscope check net-symbol.json net-0000.params --repair mended",
  "hscope check --each . --json",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "repair", NULL },
  { 0 },
};

const ScopeCommand scope_command_check = {
  .name = "check",
  .arguments = "MODEL [PARAMS]",
  .summary = "Find problems of an exported model, and repair them where possible",
  .n_files = { 1, 2 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES | SCOPE_OPTIONS_EACH,
  .unused_options = "no-guess",
  .examples = examples,
  .outputs = outputs,
  .options = check_options,
  .options_size = sizeof (CheckOptions),
  .run = run_check,
};
