/* file-rules.c — builds and applies rules of Landlock.
 *
 * Called without a library, which Debian 12 does not have.  The header of Debian 12 describes version 2;
 * additions of later versions are defined here.  Start at scope_file_rules_apply().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sandbox/file-rules.h"

#include "engine/formats/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Version 3, 5 */
#define RIGHT_TRUNCATE  (1ull << 14)
#define RIGHT_IOCTL_DEV (1ull << 15)

/* struct landlock_ruleset_attr of version 6.  Older kernels take it if the fields that they do not support are 0. */
typedef struct
{
  guint64 files;
  guint64 network; /* version 4 */
  guint64 scope;   /* version 6 */
} RuleSet;

#define NETWORK_BIND_AND_CONNECT  3
#define SCOPE_SOCKETS_AND_SIGNALS 3

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define CHANGING                                                                                 \
  (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                               \
   LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | \
   LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
   LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER |      \
   RIGHT_TRUNCATE)
#define WRITING (LANDLOCK_ACCESS_FS_WRITE_FILE | RIGHT_TRUNCATE)
/* The rights in its folder that replacing a file needs. */
#define REPLACING                                                                                 \
  (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | \
   RIGHT_TRUNCATE)

typedef struct
{
  int     set;   /* file descriptor */
  guint64 known; /* rights that the kernel supports */
} Rules;

static guint64
known_rights (int version)
{
  guint64 rights = LANDLOCK_ACCESS_FS_EXECUTE | READING | CHANGING | RIGHT_IOCTL_DEV;

  if (version < 2)
    rights &= ~(guint64) LANDLOCK_ACCESS_FS_REFER;
  if (version < 3)
    rights &= ~RIGHT_TRUNCATE;
  return version < 5 ? rights & ~RIGHT_IOCTL_DEV : rights;
}

/* Allows rights on an open file, or on everything below an open folder. */
static gboolean
allow_open (const Rules *rules, int file, guint64 rights)
{
  struct landlock_path_beneath_attr rule = { .allowed_access = rights & rules->known,
                                             .parent_fd = file };

  return syscall (__NR_landlock_add_rule, rules->set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

static gboolean
allow (const Rules *rules, const char *path, guint64 rights)
{
  int      file = open (path, O_PATH | O_CLOEXEC);
  gboolean done = file >= 0 && allow_open (rules, file, rights);

  if (file >= 0)
    close (file);
  return done;
}

static void
allow_folder_of (const Rules *rules, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  allow (rules, folder, REPLACING);
}

/* Where a name leads may be a stranger's choice; /dev/stdout is not. */
static gboolean
is_link (const char *path)
{
  struct stat status;

  return !g_str_has_prefix (path, "/dev/") && !g_str_has_prefix (path, "/proc/") &&
         lstat (path, &status) == 0 && S_ISLNK (status.st_mode);
}

/* A regular file is replaced by another one in its folder; a link must lead to a file there.  Others are written. */
static void
allow_output (const Rules *rules, const char *path)
{
  struct stat status;

  if (stat (path, &status) != 0 || S_ISREG (status.st_mode))
    allow_folder_of (rules, path);
  else if (!S_ISDIR (status.st_mode) && !is_link (path))
    allow (rules, path, WRITING);
}

const char *
scope_file_rules_find_stray (const char *const *outputs)
{
  for (; *outputs; outputs++)
    {
      if (is_link (*outputs) && !hyb_file_check_link (*outputs, NULL))
        return *outputs;
    }
  return NULL;
}

static gboolean
add_rules (const Rules *rules, const ScopeFileRules *files)
{
  if (!allow (rules, "/", READING))
    return FALSE;
  /* The rest may be missing, and is refused then. */
  allow (rules, "/dev/null", WRITING);
  /* Resets the peak of memory that the kernel keeps for this process, before it is measured. */
  allow (rules, "/proc/self/clear_refs", WRITING);
  for (guint i = 0; files->outputs[i]; i++)
    allow_output (rules, files->outputs[i]);
  for (guint i = 0; files->programs[i]; i++)
    allow (rules, files->programs[i], LANDLOCK_ACCESS_FS_EXECUTE);
  for (guint i = 0; files->devices && files->devices[i]; i++)
    allow (rules, files->devices[i],
           LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | RIGHT_IOCTL_DEV);
  return TRUE;
}

int
scope_file_rules_apply (const ScopeFileRules *files, char **reason)
{
  int version =
      (int) syscall (__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  RuleSet  set = { .files = known_rights (version),
                   .network = version >= 4 ? NETWORK_BIND_AND_CONNECT : 0,
                   .scope = version >= 6 ? SCOPE_SOCKETS_AND_SIGNALS : 0 };
  Rules    rules = { .set = -1, .known = set.files };
  gboolean done;

  if (version > 0)
    rules.set = (int) syscall (__NR_landlock_create_ruleset, &set, sizeof set, 0);
  done = rules.set >= 0 && add_rules (&rules, files) &&
         syscall (__NR_landlock_restrict_self, rules.set, 0) == 0;
  if (!done)
    *reason = g_strdup_printf ("the kernel refuses Landlock: %s", g_strerror (errno));
  if (rules.set >= 0)
    close (rules.set);
  return done ? version : 0;
}
