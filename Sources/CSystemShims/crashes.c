// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local uint32_t crash_tag = 0;
static uint64_t *crash_word = NULL;
static uint32_t (*task_tag)(void) = NULL;
static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
static struct sigaction earlier[sizeof fatal / sizeof *fatal];

// A new thread inherits the timer slack of the thread that starts it (PR_SET_TIMERSLACK(2const)), and libraries do not
// change it. While a tag is lent, the slack in nanoseconds is that of this process plus the tag: at most 0.1 ms more
// than usual.
static unsigned long usual_slack = 50000;
static const unsigned long most_lent = 100000;

void csystem_set_crash_tag(uint32_t tag) { crash_tag = tag; }

void csystem_lend_crash_tag(uint32_t tag) {
    const bool is_lent = tag != 0 && (tag < most_lent || tag == UINT32_MAX);
    // 0 restores the thread's default.
    const unsigned long slack = is_lent ? usual_slack + (tag < most_lent ? tag : most_lent) : 0;
    prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0);
}

uint32_t csystem_crash_tag(void) {
    if (crash_tag != 0) return crash_tag;
    const long slack = syscall(SYS_prctl, PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (slack <= (long)usual_slack || slack > (long)(usual_slack + most_lent)) return 0;
    return slack == (long)(usual_slack + most_lent) ? UINT32_MAX : (uint32_t)(slack - (long)usual_slack);
}

// Calls only functions that signal-safety(7) allows, a plain system call, and `task_tag`, which is called after the
// crash is stored.
static void note_crash(int number, siginfo_t *information, void *context) {
    (void)context;
    const bool is_sent = information->si_code <= 0 && information->si_code != SI_TKILL && information->si_pid != getpid();
    uint64_t *const word = __atomic_load_n(&crash_word, __ATOMIC_ACQUIRE);
    uint64_t expected = 0;
    if (!is_sent && word) {
        // Keep the first crash: later ones may be consequences.
        const bool is_first =
            __atomic_compare_exchange_n(word, &expected, (uint64_t)csystem_crash_tag() << 32 | (uint32_t)number, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        // A thread that several tasks share works for the session of its current task.
        uint32_t (*const tag_of_task)(void) = __atomic_load_n(&task_tag, __ATOMIC_ACQUIRE);
        const uint32_t tag = is_first && tag_of_task ? tag_of_task() : 0;
        if (tag != 0) __atomic_store_n(word, (uint64_t)tag << 32 | (uint32_t)number, __ATOMIC_RELEASE);
    }
    for (size_t each = 0; each < sizeof fatal / sizeof *fatal; each++) {
        if (fatal[each] == number) sigaction(number, &earlier[each], NULL);
    }
    // The signal is blocked until this handler returns. It then has its earlier effect, which ends the process.
    raise(number);
}

void csystem_note_crashes(void *word, uint32_t (*tag_of_task)(void)) {
    static bool is_installed = false;
    __atomic_store_n(&task_tag, tag_of_task, __ATOMIC_RELEASE);
    __atomic_store_n(&crash_word, word, __ATOMIC_RELEASE);
    if (is_installed) return;
    is_installed = true;
    // The service manager may have set another slack (TimerSlackNSec=).
    const int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (slack > 0) usual_slack = (unsigned long)slack;
    struct sigaction action = {.sa_sigaction = note_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (size_t each = 0; each < sizeof fatal / sizeof *fatal; each++) sigaction(fatal[each], &action, &earlier[each]);
}

void csystem_forget_crashes(const void *memory, size_t count) {
    uint64_t *word = __atomic_load_n(&crash_word, __ATOMIC_ACQUIRE);
    const uintptr_t place = (uintptr_t)word, start = (uintptr_t)memory;
    if (place < start || place >= start + count) return;
    __atomic_compare_exchange_n(&crash_word, &word, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
