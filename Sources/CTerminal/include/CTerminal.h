// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

/// Makes the terminal on stdin deliver each key at once, without showing it; signals such as Ctrl-C work as before.
/// Call it again after the process was stopped and continued. The process restores the terminal when it exits.
///
/// Returns false, and changes nothing, unless stdin is a terminal and this process is in its foreground.
/// Thread-safety: unsafe.
bool cterminal_take_keys(void);

/// Restores the terminal. Has no effect unless its keys were taken.
void cterminal_give_keys_back(void);
