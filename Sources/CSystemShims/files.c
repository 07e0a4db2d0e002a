// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int csystem_path_only(void) { return O_PATH; }

int csystem_open_at(int directory, const char *path, int flags, unsigned mode) {
    return openat(directory, path, flags, (mode_t)mode);
}

static int open_resolving(int directory, const char *path, int flags, uint64_t resolve) {
    struct open_how how = {.flags = (uint64_t)flags, .resolve = resolve | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int csystem_open_beneath(int directory, const char *path, int flags) {
    int descriptor = open_resolving(directory, path, flags, RESOLVE_BENEATH);
    if (descriptor >= 0 || errno != ENOSYS) return descriptor;
    // Before Linux 5.6, only a name in the folder itself is certain to stay there.
    if (strchr(path, '/') || strcmp(path, "..") == 0) return -1;
    return openat(directory, path, flags | O_NOFOLLOW);
}

int csystem_open_without_links(int directory, const char *path, int flags) {
    return open_resolving(directory, path, flags, RESOLVE_NO_SYMLINKS);
}

ssize_t csystem_read_own_link(int directory, const char *name, char *target, size_t capacity) {
    int link = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link < 0) return -1;
    struct stat status;
    ssize_t length = -1;
    if (fstat(link, &status) == 0) {
        if (S_ISLNK(status.st_mode) && status.st_uid == geteuid()) {
            length = readlinkat(link, "", target, capacity);
        } else {
            errno = EXDEV;
        }
    }
    int error = errno;
    close(link);
    errno = error;
    return length;
}

struct dirent *csystem_read_directory(DIR *directory) {
    errno = 0;
    return readdir(directory);
}

const char *csystem_entry_name(const struct dirent *entry) { return entry->d_name; }

bool csystem_entry_may_be_directory(const struct dirent *entry) {
    return entry->d_type == DT_DIR || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN;
}

int csystem_has_writer(int descriptor) {
    // A process that opens the file for writing at this moment waits until the lease is released. The kernel then
    // signals the holder: SIGIO, the default, would end this process; SIGURG is ignored.
    if (fcntl(descriptor, F_SETSIG, SIGURG) < 0) return -1;
    if (fcntl(descriptor, F_SETLEASE, F_RDLCK) < 0) return errno == EAGAIN ? 1 : -1;
    fcntl(descriptor, F_SETLEASE, F_UNLCK);
    return 0;
}

int csystem_punch_hole(int descriptor, int64_t offset, int64_t count) {
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)count);
}
