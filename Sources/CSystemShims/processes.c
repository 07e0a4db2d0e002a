// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <unistd.h>

extern char **environ;

int csystem_packet_pair(int ends[2]) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) return 0;
    int reason = errno;
    close(ends[0]);
    close(ends[1]);
    errno = reason;
    return -1;
}

/// When memory runs out, the kernel kills the program before the process that started it (proc(5), oom_score_adj).
static void make_expendable(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)pid);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t written = write(file, "800", 3);
    (void)written;
    close(file);
}

/// The environment of this process, in which `variable` (`NAME=VALUE`) is added or replaced. The caller frees it.
static char **environment_with(char *variable) {
    size_t count = 0, name = strcspn(variable, "=") + 1;
    while (environ[count]) count++;
    char **all = malloc((count + 2) * sizeof *all), **end = all;
    if (!all) return NULL;
    *end++ = variable;
    for (size_t place = 0; place < count; place++) {
        if (strncmp(environ[place], variable, name) != 0) *end++ = environ[place];
    }
    *end = NULL;
    return all;
}

static int spawn(
    const char *path, char *const *arguments, char *const *environment, posix_spawn_file_actions_t *actions, pid_t *pid) {
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    // A session of its own, so that a Ctrl-C in the terminal of the engine does not reach the program.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    int status = posix_spawn(pid, path, actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(actions);
    if (status == 0) {
        make_expendable(*pid);
        return 0;
    }
    errno = status;
    return -1;
}

int csystem_spawn_on_socket(const char *path, int socket, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    char *const arguments[] = {(char *)path, NULL};
    return spawn(path, arguments, environ, &actions, pid);
}

int csystem_spawn_reading(
    const char *path, char *const *arguments, char *variable, uint64_t memory, uint64_t seconds, int *output,
    pid_t *pid) {
    char **environment = environment_with(variable);
    if (!environment) return -1;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        free(environment);
        return -1;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int status = spawn(path, arguments, environment, &actions, pid);
    free(environment);
    close(ends[1]);
    if (status != 0) {
        close(ends[0]);
        return -1;
    }
    const struct rlimit space = {memory, memory}, time = {seconds, seconds};
    prlimit(*pid, RLIMIT_AS, &space, NULL);
    prlimit(*pid, RLIMIT_CPU, &time, NULL);
    *output = ends[0];
    return 0;
}

void csystem_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

/// A function of LLVM's profiling runtime, which is linked only into a build with coverage counters.
__attribute__((weak)) int __llvm_profile_write_file(void);

void csystem_end_process(int status) {
    fflush(NULL);
    if (__llvm_profile_write_file) __llvm_profile_write_file();
    _exit(status);
}
