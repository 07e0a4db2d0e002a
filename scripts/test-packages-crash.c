// SPDX-License-Identifier: Apache-2.0
// Preloaded into engined by scripts/test-packages-service: opening a file named crash.mkv crashes the process, on the
// thread that opens it, as a fault in a library would.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_unless_named(int folder, const char *path, int flags, va_list more) {
    static const char name[] = "/crash.mkv";
    const size_t length = strlen(path), tail = sizeof name - 1;
    if (length >= tail && strcmp(path + length - tail, name) == 0) raise(SIGSEGV);
    return (int)syscall(SYS_openat, folder, path, flags, va_arg(more, int));
}

#define OPENS(function)                                                  \
    int function(const char *path, int flags, ...) {                     \
        va_list more;                                                    \
        va_start(more, flags);                                           \
        const int file = open_unless_named(AT_FDCWD, path, flags, more); \
        va_end(more);                                                    \
        return file;                                                     \
    }
#define OPENS_BELOW(function)                                          \
    int function(int folder, const char *path, int flags, ...) {       \
        va_list more;                                                  \
        va_start(more, flags);                                         \
        const int file = open_unless_named(folder, path, flags, more); \
        va_end(more);                                                  \
        return file;                                                   \
    }

OPENS(open)
OPENS(open64)
OPENS_BELOW(openat)
OPENS_BELOW(openat64)
