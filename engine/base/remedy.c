/* remedy.c — names of remedies, and errors that carry one.
 *
 * GLib stores the extra data of a registered domain in front of the GError; it survives copying and prefixes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/remedy.h"

/* --- Names --- */

static const char *const names[HYB_N_REMEDIES] = {
  [HYB_REMEDY_REPAIR] = "repair",     [HYB_REMEDY_PARAMETERS] = "parameters",
  [HYB_REMEDY_SHAPES] = "shapes",     [HYB_REMEDY_VALUES] = "values",
  [HYB_REMEDY_OPERATOR] = "operator", [HYB_REMEDY_ATTRIBUTES] = "attributes",
  [HYB_REMEDY_UNROLL] = "unroll",     [HYB_REMEDY_LENGTH] = "length",
  [HYB_REMEDY_FLOAT] = "float",       [HYB_REMEDY_UNPROVED] = "unproved",
  [HYB_REMEDY_SMALLER] = "smaller",   [HYB_REMEDY_MEMORY] = "memory",
  [HYB_REMEDY_WORK] = "work",         [HYB_REMEDY_TIME] = "time",
  [HYB_REMEDY_DEVICE] = "device",
};

const char *
hyb_remedy_name (HybRemedy remedy)
{
  return names[remedy];
}

HybRemedy
hyb_remedy_find (const char *name)
{
  for (guint i = 0; name && i < HYB_N_REMEDIES; i++)
    if (g_strcmp0 (names[i], name) == 0)
      return (HybRemedy) i;
  return HYB_REMEDY_NONE;
}

/* --- Errors --- */

typedef struct
{
  HybRemedy remedy;
  char     *subject;
} Remedy;

/* Where GLib keeps the data of an error; see G_DEFINE_EXTENDED_ERROR. */
#define ALIGNMENT (2 * sizeof (gsize))
#define OFFSET    ((sizeof (Remedy) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

#define MAX_DOMAINS 16
static GMutex lock;
static GQuark domains[MAX_DOMAINS];
static guint  n_domains;

static Remedy *
get_data (const GError *error)
{
  gboolean is_ours = FALSE;

  g_mutex_lock (&lock);
  for (guint i = 0; error && i < n_domains; i++)
    is_ours |= domains[i] == error->domain;
  g_mutex_unlock (&lock);
  return is_ours ? (Remedy *) (gpointer) ((guint8 *) (gpointer) error - OFFSET) : NULL;
}

/* GLib fills the data with zeros. */
static void
init_error (GError *error G_GNUC_UNUSED)
{
}

static void
copy_error (const GError *from, GError *to)
{
  const Remedy *old = get_data (from);
  Remedy *new = get_data (to);

  *new = (Remedy){ old->remedy, g_strdup (old->subject) };
}

static void
clear_error (GError *error)
{
  g_free (get_data (error)->subject);
}

GQuark
hyb_error_domain_register (const char *name)
{
  GQuark   domain = g_quark_from_static_string (name);
  gboolean is_new = TRUE;

  g_mutex_lock (&lock);
  for (guint i = 0; i < n_domains; i++)
    is_new &= domains[i] != domain;
  if (is_new)
    {
      g_assert (n_domains < MAX_DOMAINS);
      g_error_domain_register_static (name, sizeof (Remedy), init_error, copy_error, clear_error);
      domains[n_domains++] = domain;
    }
  g_mutex_unlock (&lock);
  return domain;
}

gboolean
hyb_error_add_remedy (GError **error, HybRemedy remedy, const char *subject)
{
  Remedy *data = error ? get_data (*error) : NULL;

  if (!data)
    return FALSE;
  data->remedy = remedy;
  if (subject)
    {
      g_free (data->subject);
      data->subject = g_strdup (subject);
    }
  return FALSE;
}

void
hyb_error_copy_remedy (GError **error, const GError *cause)
{
  hyb_error_add_remedy (error, hyb_error_get_remedy (cause), hyb_error_get_subject (cause));
}

HybRemedy
hyb_error_get_remedy (const GError *error)
{
  const Remedy *data = get_data (error);

  return data ? data->remedy : HYB_REMEDY_NONE;
}

const char *
hyb_error_get_subject (const GError *error)
{
  const Remedy *data = get_data (error);

  return data ? data->subject : NULL;
}
