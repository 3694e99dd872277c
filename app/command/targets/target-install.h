/* target-install.h — copies hscope to a target, through its launcher.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "app/targets/target-list.h"

/* Installs a bundle (a tar file as packaging/build-tarball.sh makes it, NULL: the one that this program runs from) in a folder
 * there (NULL: ~/.local/lib/hybridscope), and notes the program in the list of targets.  Returns the exit status. */
int scope_target_install (const ScopeCommonOptions *common,
                          const ScopeTarget        *target,
                          const char               *bundle,
                          const char               *folder,
                          GError                  **error);
