/* settings.c — HYB_PRETEND: how the pretend GPU shall behave, calls that shall fail, and the end of
 * the program.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

PretendState pretend;

static const struct
{
  const char *name;
  PtxError    check;
} checks[] = {
  { "bounds", PTX_ERROR_BOUNDS },
  { "freed", PTX_ERROR_FREED },
  { "alignment", PTX_ERROR_ALIGNMENT },
  { "unwritten", PTX_ERROR_UNWRITTEN },
  { "races", PTX_ERROR_RACE },
  { "barriers", PTX_ERROR_BARRIER },
  { "lanes", PTX_ERROR_LANES },
  { "order", PTX_ERROR_ORDER },
  { "launch", PTX_ERROR_LAUNCH },
  { "host", (PtxError) PRETEND_CHECK_HOST },
  { "capture", (PtxError) PRETEND_CHECK_CAPTURE },
  { "leaks", (PtxError) PRETEND_CHECK_LEAKS },
};

static guint
read_checks (const char *names)
{
  g_auto (GStrv) list = g_strsplit (names, ",", -1);
  guint mask = 0;

  for (guint i = 0; list[i]; i++)
    for (guint k = 0; k < G_N_ELEMENTS (checks); k++)
      if (g_str_equal (list[i], checks[k].name))
        mask |= PTX_CHECK (checks[k].check);
  return mask;
}

static guint64
read_bytes (const char *text)
{
  char   *end;
  guint64 value = g_ascii_strtoull (text, &end, 10);

  return *end == 'G' ? value << 30 : *end == 'M' ? value << 20 : *end == 'k' ? value << 10 : value;
}

static void
set (const char *name, const char *value)
{
  if (g_str_equal (name, "memory"))
    pretend.most = read_bytes (value);
  else if (g_str_equal (name, "arch"))
    pretend.arch = (guint) atoi (value);
  else if (g_str_equal (name, "driver"))
    pretend.version = atoi (value);
  else if (g_str_equal (name, "drop"))
    pretend.drop = (gsize) atoi (value);
  else if (g_str_equal (name, "timeless"))
    pretend.timeless = (guint) atoi (value);
  else if (g_str_equal (name, "cut"))
    pretend.is_cut = g_str_equal (value, "yes");
  else if (g_str_equal (name, "split"))
    pretend.is_split = g_str_equal (value, "yes");
  else if (g_str_equal (name, "kernel"))
    pretend.kernel_extra = (gsize) MAX (atoi (value) - 216, 0);
  else if (g_str_equal (name, "fail"))
    g_ptr_array_add (pretend.failures, g_strdup (value));
  else if (g_str_equal (name, "seed"))
    g_rand_set_seed (pretend.rand, (guint32) atoi (value));
  else if (g_str_equal (name, "order"))
    pretend.order = g_str_equal (value, "forward")   ? PTX_FORWARD
                    : g_str_equal (value, "reverse") ? PTX_REVERSE
                                                     : PTX_MIXED;
  else if (g_str_equal (name, "without"))
    pretend.unchecked = read_checks (value);
  else if (g_str_equal (name, "device"))
    pretend.no_device = g_str_equal (value, "none");
  else if (g_str_equal (name, "devices"))
    pretend.n_devices = CLAMP ((guint) atoi (value), 1, PRETEND_MOST_DEVICES);
  else if (g_str_equal (name, "wrong"))
    pretend.wrong = g_str_equal (value, "products")  ? PRETEND_WRONG_PRODUCTS
                    : g_str_equal (value, "float16") ? PRETEND_WRONG_FLOAT16
                    : g_str_equal (value, "runs")    ? PRETEND_WRONG_RUNS
                                                     : PRETEND_RIGHT;
  else if (g_str_equal (name, "others"))
    pretend.others = read_bytes (value);
  else if (g_str_equal (name, "cudnn"))
    pretend.cudnn = (gsize) atoi (value);
  else if (g_str_equal (name, "spaces"))
    pretend.gaps = g_str_equal (value, "gaps");
  else if (g_str_equal (name, "endings"))
    pretend.no_endings = g_str_equal (value, "none");
  else if (g_str_equal (name, "algorithms"))
    pretend.has_algorithms = g_str_equal (value, "all");
  else if (g_str_equal (name, "lengths"))
    pretend.needs_lengths = g_str_equal (value, "copy");
  else if (g_str_equal (name, "gradients"))
    pretend.sets_gradients = g_str_equal (value, "set");
  else if (g_str_equal (name, "shift"))
    pretend.shift = read_bytes (value);
  else if (g_str_equal (name, "leaks"))
    pretend.leaks_fail = g_str_equal (value, "fail");
  else
    g_error ("HYB_PRETEND: %s is not known", name);
}

static gboolean
comes_before (gpointer data, guint32 earlier, guint32 later)
{
  const PretendWork *a = g_ptr_array_index (pretend.works, earlier - 1);
  const PretendWork *b = g_ptr_array_index (pretend.works, later - 1);

  return a->stream < b->clock->len && g_array_index (b->clock, guint32, a->stream) >= a->sequence;
}

static char *
describe (gpointer data, guint32 number)
{
  const PretendWork *work = g_ptr_array_index (pretend.works, number - 1);

  return g_strdup_printf ("%s in stream %u", work->deed ? work->deed->name : "an event",
                          work->stream);
}

void
pretend_configure (const char *settings)
{
  g_auto (GStrv) list = g_strsplit (settings ? settings : "", " ", -1);
  const PtxWorkOrder rule = { comes_before, describe, NULL };

  g_rec_mutex_lock (&pretend.lock);
  /* What an earlier test left is kept: handles of it may still be used by mistake. */
  pretend.started = TRUE;
  pretend.most = G_GUINT64_CONSTANT (1) << 30;
  pretend.arch = 130;
  pretend.version = 13000;
  pretend.cudnn = 13000;
  pretend.has_algorithms = pretend.no_endings = FALSE;
  pretend.gaps = pretend.needs_lengths = pretend.sets_gradients = FALSE;
  pretend.shift = 0;
  pretend.unchecked = 0;
  pretend.order = PTX_MIXED;
  pretend.no_device = pretend.leaks_fail = FALSE;
  pretend.wrong = PRETEND_RIGHT;
  pretend.others = pretend.n_asked = 0;
  pretend.sticky = CUDA_SUCCESS;
  pretend.steps = pretend.host_bytes = 0;
  pretend.n_devices = 1;
  memset (pretend.retained, 0, sizeof pretend.retained);
  pretend.captures = 0;
  pretend.drop = 0;
  pretend.timeless = 0;
  pretend.kernel_extra = 0;
  pretend.is_cut = pretend.is_split = FALSE;
  pretend.observer = NULL;
  pretend.now = NULL;
  g_clear_pointer (&pretend.rand, g_rand_free);
  pretend.rand = g_rand_new_with_seed (1);
  g_clear_pointer (&pretend.calls, g_hash_table_unref);
  pretend.calls = g_hash_table_new (g_str_hash, g_str_equal);
  g_clear_pointer (&pretend.failures, g_ptr_array_unref);
  pretend.failures = g_ptr_array_new_with_free_func (g_free);
  if (!pretend.problems)
    pretend.problems = g_string_new (NULL);
  g_string_truncate (pretend.problems, 0);
  memset (pretend.live, 0, sizeof pretend.live);
  for (guint i = 0; list[i]; i++)
    if (*list[i])
      {
        char *equals = strchr (list[i], '=');

        if (equals)
          *equals = 0;
        set (list[i], equals ? equals + 1 : "");
      }
  g_clear_pointer (&pretend.memory, ptx_memory_free);
  pretend.memory = ptx_memory_new (pretend.most);
  ptx_memory_set_order (pretend.memory, &rule);
  if (!pretend.attic)
    pretend.attic = g_ptr_array_new ();
  g_ptr_array_add (pretend.attic, pretend.streams);
  g_ptr_array_add (pretend.attic, pretend.works);
  g_ptr_array_add (pretend.attic, pretend.host);
  g_ptr_array_add (pretend.attic, pretend.handles);
  pretend.handles = g_hash_table_new (NULL, NULL);
  pretend.streams = g_ptr_array_new ();
  pretend.works = g_ptr_array_new ();
  g_clear_pointer (&pretend.clocked, g_ptr_array_unref);
  pretend.clocked = g_ptr_array_new ();
  pretend.host = g_array_new (FALSE, TRUE, sizeof (guint32));
  g_clear_pointer (&pretend.copies, g_array_unref);
  pretend.copies = g_array_new (FALSE, FALSE, sizeof (PretendCopy));
  if (!pretend.pinned)
    pretend.pinned = g_ptr_array_new ();
  pretend_stream_new (TRUE); /* the default stream has index 0 */
  g_rec_mutex_unlock (&pretend.lock);
}

static CUresult
planned_failure (const char *name, guint count)
{
  for (guint i = 0; i < pretend.failures->len; i++)
    {
      g_auto (GStrv) parts = g_strsplit (g_ptr_array_index (pretend.failures, i), ":", 3);

      if (g_strv_length (parts) == 3 && g_str_equal (parts[0], name) &&
          (guint) atoi (parts[1]) == count)
        return (CUresult) atoi (parts[2]);
    }
  return CUDA_SUCCESS;
}

guint64
pretend_nanoseconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  return (guint64) now.tv_sec * 1000000000 + (guint64) now.tv_nsec;
}

CUresult
pretend_begin (const char *name)
{
  guint    count;
  CUresult failure;

  g_rec_mutex_lock (&pretend.lock);
  if (!pretend.started)
    pretend_configure (g_getenv ("HYB_PRETEND"));
  count = GPOINTER_TO_UINT (g_hash_table_lookup (pretend.calls, name)) + 1;
  g_hash_table_insert (pretend.calls, (gpointer) name, GUINT_TO_POINTER (count));
  pretend.correlation++;
  pretend.calling = name;
  pretend.called_at = pretend_nanoseconds ();
  failure = planned_failure (name, count);
  if (failure >= CUDA_ERROR_ILLEGAL_ADDRESS && failure <= CUDA_ERROR_LAUNCH_FAILED)
    pretend.sticky = failure;
  return failure ? failure : pretend.sticky;
}

CUresult
pretend_end (CUresult result)
{
  if (pretend.observer && pretend.calling)
    pretend.observer->called (pretend.calling, pretend.correlation, pretend.called_at, result);
  pretend.calling = NULL;
  g_rec_mutex_unlock (&pretend.lock);
  return result;
}

guint
pretend_calls (const char *name)
{
  return pretend.calls ? GPOINTER_TO_UINT (g_hash_table_lookup (pretend.calls, name)) : 0;
}

guint64
pretend_steps (void)
{
  return pretend.steps;
}

guint64
pretend_host_bytes (void)
{
  return pretend.host_bytes;
}

/* --- What was made and not destroyed --- */

static const char *const kinds[PRETEND_KINDS] = {
  "context",
  "stream",
  "event",
  "module",
  NULL,
  "graph",
  "instantiated graph",
  "allocation",
  "pinned allocation",
  "cuBLAS handle",
  "cuBLASLt handle",
  "descriptor of cuBLASLt",
  "cuDNN handle",
  "descriptor of cuDNN",
};

/* The bits of a value of PretendState.handles. */
#define KIND_BITS 8

PretendKind
pretend_kind (gconstpointer owner)
{
  guint kind = GPOINTER_TO_UINT (owner) & ((1 << KIND_BITS) - 1);

  return kind ? (PretendKind) (kind - 1) : PRETEND_KINDS;
}

void
pretend_made (gconstpointer handle, PretendKind kind)
{
  guint owner = (kind + 1) | (pretend_device () << KIND_BITS);

  g_hash_table_insert (pretend.handles, (gpointer) handle, GUINT_TO_POINTER (owner));
  pretend.live[kind]++;
}

/* Whether a handle of this kind may be used only while the context is current in which it was made. */
static gboolean
belongs_to_context (PretendKind kind)
{
  return kind == PRETEND_STREAM || kind == PRETEND_EVENT || kind == PRETEND_MODULE ||
         kind == PRETEND_FUNCTION || kind == PRETEND_BLAS || kind == PRETEND_BLASLT ||
         kind == PRETEND_DNN;
}

gboolean
pretend_lives (gconstpointer handle, PretendKind kind)
{
  gpointer found = NULL;
  guint    device;

  g_hash_table_lookup_extended (pretend.handles, handle, NULL, &found);
  device = GPOINTER_TO_UINT (found) >> KIND_BITS;
  if (pretend_kind (found) != kind)
    {
      pretend_problem ("a %s is used that was %s", kinds[kind] ? kinds[kind] : "function",
                       found ? "made as something else" : "never made, or destroyed before");
      return FALSE;
    }
  if (!belongs_to_context (kind))
    return TRUE;
  if (device != pretend_device ())
    pretend_problem ("a %s of GPU %u is used while the context is that of GPU %u",
                     kinds[kind] ? kinds[kind] : "function", device, pretend_device ());
  return device == pretend_device () &&
         pretend_has_context (kinds[kind] ? kinds[kind] : "function");
}

gboolean
pretend_destroyed (gconstpointer handle, PretendKind kind)
{
  if (!pretend_lives (handle, kind))
    return FALSE;
  g_hash_table_remove (pretend.handles, handle);
  pretend.live[kind]--;
  return TRUE;
}

char *
pretend_leaks (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < PRETEND_KINDS; i++)
    if (kinds[i] && pretend.live[i] && pretend_checks (PRETEND_CHECK_LEAKS))
      g_string_append_printf (text, "%s%u %s%s", text->len ? ", " : "", pretend.live[i], kinds[i],
                              pretend.live[i] == 1 ? "" : "s");
  return g_string_free (text, FALSE);
}

/* --- Faults --- */

void
pretend_problem (const char *format, ...)
{
  va_list          args;
  g_autofree char *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_string_append_printf (pretend.problems, "%s\n", text);
  g_printerr ("# pretend GPU: %s\n", text);
}

char *
pretend_problems (void)
{
  return g_strdup (pretend.problems ? pretend.problems->str : "");
}

CUresult
pretend_fault (const char *who, const GError *error)
{
  pretend_problem ("%s: %s", who, error->message);
  switch (error->code)
    {
    case PTX_ERROR_BOUNDS:
    case PTX_ERROR_FREED:
      pretend.sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
      break;
    case PTX_ERROR_ALIGNMENT:
      pretend.sticky = CUDA_ERROR_MISALIGNED_ADDRESS;
      break;
    case PTX_ERROR_TEXT:
      pretend.sticky = CUDA_ERROR_ILLEGAL_INSTRUCTION;
      break;
    default:
      pretend.sticky = CUDA_ERROR_LAUNCH_FAILED;
      break;
    }
  return pretend.sticky;
}

__attribute__ ((destructor)) static void
tell_leaks (void)
{
  g_autofree char *leaks = pretend.started ? pretend_leaks () : NULL;
  gboolean         is_clean = !leaks || !*leaks;

  if (!is_clean)
    g_printerr ("# pretend GPU: not destroyed: %s\n", leaks);
  if (pretend.leaks_fail && (!is_clean || (pretend.problems && pretend.problems->len > 0)))
    _exit (98);
}
