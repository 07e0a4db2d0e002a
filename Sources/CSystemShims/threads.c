// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <linux/capability.h>
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

/// Sets or clears CAP_SYS_NICE among the effective capabilities of the calling thread; glibc has no function for that.
/// Returns whether that changed them.
static bool set_priority_right(bool wanted) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) != 0) return false;
    const uint32_t mask = CAP_TO_MASK(CAP_SYS_NICE);
    uint32_t *effective = &sets[CAP_TO_INDEX(CAP_SYS_NICE)].effective;
    if (((*effective & mask) != 0) == wanted) return false;
    *effective ^= mask;
    return syscall(SYS_capset, &header, sets) == 0;
}

bool csystem_drop_priority_right(void) { return set_priority_right(false); }
void csystem_regain_priority_right(void) { (void)set_priority_right(true); }
