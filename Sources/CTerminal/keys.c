// SPDX-License-Identifier: Apache-2.0
#include "CTerminal.h"

#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static struct termios original;
static bool is_taken;

void cterminal_give_keys_back(void) {
    if (is_taken) tcsetattr(STDIN_FILENO, TCSADRAIN, &original);
    is_taken = false;
}

bool cterminal_take_keys(void) {
    // A process in the background would be stopped.
    if (tcgetpgrp(STDIN_FILENO) != getpgrp()) return false;
    if (!is_taken) {
        static bool is_registered;
        if (tcgetattr(STDIN_FILENO, &original) != 0) return false;
        if (!is_registered) is_registered = atexit(cterminal_give_keys_back) == 0;
    }
    struct termios keys = original;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    is_taken = tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) == 0 || is_taken;
    return is_taken;
}
