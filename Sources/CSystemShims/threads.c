// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local bool is_blocking_thread = false;

int csystem_set_thread_name(const char *name) { return pthread_setname_np(pthread_self(), name); }
int csystem_get_thread_name(char *name, size_t capacity) { return pthread_getname_np(pthread_self(), name, capacity); }
void csystem_mark_blocking_thread(void) { is_blocking_thread = true; }
bool csystem_is_blocking_thread(void) { return is_blocking_thread; }

void csystem_yield_to_others(int niceness) {
    // On Linux each thread has its own niceness, and `setpriority` accepts the id of a thread.
    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), niceness);
}
