// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int64_t csystem_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t csystem_process_nanoseconds(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

int64_t csystem_thread_nanoseconds(void) {
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

int64_t csystem_realtime_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

int csystem_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

bool csystem_read_text_as_utf8(void) { return setlocale(LC_CTYPE, "C.UTF-8") != NULL; }

void csystem_quiet_encoders(void) { (void)setenv("SVT_LOG", "1", 0); }

void csystem_keep_heap_small(void) {
    // The first arena grows by brk, by M_TOP_PAD at a time. Any other grows by mprotect, page by page as it is needed,
    // which costs a sixth of the throughput of the thread that reads packets.
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, 1 << 20);
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

void csystem_return_free_memory(void) { malloc_trim(0); }

void csystem_raise_open_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max < 1048576 ? limit.rlim_max : 1048576;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int csystem_open_file_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
}

ssize_t csystem_random(void *buffer, size_t count) { return getrandom(buffer, count, 0); }

int csystem_terminal_width(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int csystem_terminal_height(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

uint64_t csystem_resident_memory(void) {
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return 0;
    unsigned long long size = 0, resident = 0;
    int count = fscanf(file, "%llu %llu", &size, &resident);
    fclose(file);
    return count == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

int csystem_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }
