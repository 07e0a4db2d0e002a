// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ass/ass.h>

// libass passes its messages as a va_list. They repeat the errors of a script for every frame, so they are dropped.
static inline void CAssIgnoreMessage(int level, const char *format, va_list arguments, void *data) {
    (void)level;
    (void)format;
    (void)arguments;
    (void)data;
}

static inline void CAssIgnoreMessages(ASS_Library *library) {
    ass_set_message_cb(library, CAssIgnoreMessage, 0);
}
