// SPDX-License-Identifier: Apache-2.0
// Functions that Swift cannot call through its Glibc module: they need `_GNU_SOURCE`, macros, atomics or thread-local
// variables.
#pragma once
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// `pthread_setname_np` on the calling thread. At most 15 bytes and a NUL.
int csystem_set_thread_name(const char *name);
/// `pthread_getname_np` on the calling thread.
int csystem_get_thread_name(char *name, size_t capacity);

/// Marks the calling thread as one that may block in C code. The thread executor calls it once per thread.
void csystem_mark_blocking_thread(void);
/// Whether the calling thread was marked by `csystem_mark_blocking_thread`.
bool csystem_is_blocking_thread(void);

/// Lowers the priority of the calling thread and of those that it starts to a niceness of 0 … 19 (`setpriority`).
void csystem_yield_to_others(int niceness);

/// Takes from the calling thread the right to raise the priority of threads (CAP_SYS_NICE). Threads that it then starts
/// do not have the right either. Returns false if the thread did not have the right.
bool csystem_drop_priority_right(void);
/// Gives back to the calling thread what `csystem_drop_priority_right` took.
void csystem_regain_priority_right(void);

/// Nanoseconds of CLOCK_MONOTONIC, the clock that front-ends on this machine share with the engine.
int64_t csystem_monotonic_nanoseconds(void);
/// Nanoseconds of CLOCK_PROCESS_CPUTIME_ID.
int64_t csystem_process_nanoseconds(void);
/// Nanoseconds of CLOCK_THREAD_CPUTIME_ID.
int64_t csystem_thread_nanoseconds(void);
/// Seconds since 1970-01-01 00:00 UTC (CLOCK_REALTIME).
int64_t csystem_realtime_seconds(void);

/// The process at the other end of a connected Unix socket (`SO_PEERCRED`). Returns 0, or -1 with `errno` set.
int csystem_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);

/// Makes malloc return memory to the system (`mallopt`): one arena, large blocks mapped separately, free memory at the
/// top of a heap trimmed. Call it once, before any other thread starts.
void csystem_keep_heap_small(void);

/// `setlocale(LC_CTYPE, "C.UTF-8")`. Call it before any other thread starts.
bool csystem_read_text_as_utf8(void);

/// Limits the log of SVT-AV1 to errors, unless the environment sets `SVT_LOG`. Call it before any other thread starts.
void csystem_quiet_encoders(void);

/// `malloc_trim(0)`.
void csystem_return_free_memory(void);

/// Sets the soft limit of open files to the hard limit, at most 1048576 (`setrlimit`).
void csystem_raise_open_files(void);

/// The number of files that the process may open at a time.
int csystem_open_file_limit(void);

/// `memfd_create` with `MFD_CLOEXEC`: an anonymous file. Returns its descriptor, or -1 with `errno` set.
int csystem_memory_file(const char *name);

/// `getrandom` without flags. Returns the bytes filled, or -1 with `errno` set.
ssize_t csystem_random(void *buffer, size_t count);

/// The number of columns of the terminal `descriptor` (`TIOCGWINSZ`); 0 if it is not a terminal.
int csystem_terminal_width(int descriptor);

/// The number of lines of the terminal `descriptor` (`TIOCGWINSZ`); 0 if it is not a terminal.
int csystem_terminal_height(int descriptor);

/// Sends `text` as one datagram to the Unix socket at `path`; a path that begins with `@` is in the abstract namespace.
/// Returns 0, or -1 with `errno` set. Never blocks.
int csystem_send_datagram(const char *path, const char *text);

/// Whether `descriptor` is a listening stream socket of `family` (`AF_UNIX`, `AF_INET`, `AF_INET6`); 0 accepts any
/// family.
bool csystem_is_listening(int descriptor, int family);

/// Opens a file or FIFO that reports when memory is short, and writes `words`, the trigger, to it. Returns its
/// descriptor, or -1 with `errno` set.
int csystem_watch_pressure(const char *path, const void *words, size_t count);
/// The reason why `csystem_await_pressure` returned; `NONE`: the time has passed.
enum { CSYSTEM_PRESSURE_NONE, CSYSTEM_PRESSURE_TRIGGERED, CSYSTEM_PRESSURE_COUNTED };

/// Waits until `trigger` (a descriptor of `csystem_watch_pressure`, or -1) reports that memory is short, until one of
/// `counters` (at most 32 open `memory.events.local` files of cgroup v2) has changed since it was last read, or until
/// `milliseconds` have passed (-1: no limit). A kernel file reports by an exceptional condition
/// (Documentation/accounting/psi.rst), a FIFO by bytes, which are read. Returns the reason, or -1 if the trigger
/// reports nothing any more.
int csystem_await_pressure(int trigger, const int *counters, size_t count, int milliseconds);

/// Whether any process has the file open for writing: 1 or 0; -1 if the file system or the ownership of the file
/// prevents the check. Briefly takes a read lease (`F_SETLEASE`, fcntl(2)), which the kernel only grants while there is
/// no writer.
int csystem_has_writer(int descriptor);

/// The resident memory of this process in bytes, from /proc/self/statm; 0 if that cannot be read.
uint64_t csystem_resident_memory(void);

/// `memfd_create` with `MFD_CLOEXEC | MFD_ALLOW_SEALING`. Returns its descriptor, or -1 with `errno` set.
int csystem_sealable_memory_file(const char *name);
/// Seals the size of such a file. With `is_private`, only mappings that exist by now can still write to it
/// (`F_SEAL_FUTURE_WRITE`). Returns 0, or -1 with `errno` set.
int csystem_seal(int descriptor, bool is_private);
/// `socket` with `SOCK_CLOEXEC`. Swift attributes the constants for socket types to the first module that includes
/// them, which depends on the order of compilation. Returns a descriptor, or -1 with `errno` set.
int csystem_socket(int family, int type, int protocol);
/// The inode of an open file; 0 if there is none. No other open file has the same inode on its file system.
uint64_t csystem_inode(int descriptor);
/// The time in milliseconds since a TCP socket has last received data, or since its connection was established (tcp(7),
/// `TCP_INFO`). -1 if it is not connected, or if the descriptor is no longer that of the socket with this inode.
int64_t csystem_silence(int descriptor, uint64_t inode);
/// A socket for datagrams over IPv4 that never blocks. Returns a descriptor, or -1 with `errno` set.
int csystem_datagram_socket(void);
/// Makes two connected Unix sockets that preserve message boundaries (`SOCK_SEQPACKET`); the first one never blocks.
/// Returns 0, or -1 with `errno` set.
int csystem_packet_pair(int ends[2]);
/// Starts the program at `path`, without arguments, in a session of its own, with `socket` as its standard input. The
/// program inherits standard error and the environment, but no other descriptor; its standard output is discarded.
/// Returns 0, or -1 with `errno` set.
int csystem_spawn_on_socket(const char *path, int socket, pid_t *pid);
/// Starts the program at `path` with `arguments`, of which the first is its name and the last is NULL, in a session of
/// its own. The program inherits the environment, in which `variable` (`NAME=VALUE`) is added or replaced, but no
/// descriptor; `*output` is the other end of its standard output. Its address space is limited to `memory` bytes, and
/// its CPU time to `seconds`. Returns 0, or -1 with `errno` set.
int csystem_spawn_reading(
    const char *path, char *const *arguments, char *variable, uint64_t memory, uint64_t seconds, int *output,
    pid_t *pid);
/// Has the kernel kill this process when the thread that started it ends (`PR_SET_PDEATHSIG`, prctl(2)).
void csystem_end_with_parent(void);

/// Whether a file is sealed against shrinking (`F_SEAL_SHRINK`, fcntl(2)).
bool csystem_is_size_sealed(int descriptor);

/// Atomic access to numbers that another process may access at the same time. Addresses are multiples of the size.
/// Loads acquire and stores release, except that 16-bit access is relaxed.
uint64_t csystem_load_64(const void *address);
uint32_t csystem_load_32(const void *address);
uint16_t csystem_load_16(const void *address);
void csystem_store_64(void *address, uint64_t value);
void csystem_store_32(void *address, uint32_t value);
void csystem_store_16(void *address, uint16_t value);
/// A full memory fence.
void csystem_fence(void);

/// `sendmsg` of a few bytes and descriptors (`SCM_RIGHTS`, unix(7)) that never blocks and never raises SIGPIPE. Returns
/// the bytes sent, or -1 with `errno` set. At most 4 descriptors.
ssize_t csystem_send_with_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);
/// `recvmsg` of at most `count` bytes and `*descriptor_count` descriptors, at most 4, which are closed on exec. Further
/// descriptors are closed at once. Returns the number of bytes, 0 at the end, or -1 with `errno` set.
ssize_t csystem_receive_with_descriptors(int socket, void *bytes, size_t count, int *descriptors, size_t *descriptor_count);

/// `O_PATH`.
int csystem_path_only(void);
/// `openat`.
int csystem_open_at(int directory, const char *path, int flags, unsigned mode);
/// `openat2` with `RESOLVE_BENEATH`. Returns a descriptor, or -1 with `errno` set: `EXDEV` if the path leads out of the
/// directory. On a kernel without `openat2`, only a name without slashes can be opened, and not if it is a link
/// (`openat` with `O_NOFOLLOW`); any other path fails with `ENOSYS`.
int csystem_open_beneath(int directory, const char *path, int flags);
/// `openat2` with `RESOLVE_NO_SYMLINKS`.
int csystem_open_without_links(int directory, const char *path, int flags);
/// The target of a symbolic link that this process's user owns (`readlinkat`), without a NUL at its end. Returns its
/// length, or -1 with `errno` set: `EXDEV` if the file is not such a link.
ssize_t csystem_read_own_link(int directory, const char *name, char *target, size_t capacity);

/// `fallocate` with `FALLOC_FL_PUNCH_HOLE`: the range reads as zeros and takes no space. Returns 0, or -1 with `errno`
/// set.
int csystem_punch_hole(int descriptor, int64_t offset, int64_t count);

/// Opens a non-blocking `NETLINK_ROUTE` socket (rtnetlink(7)) that receives changes of links, addresses and routes.
/// Returns its descriptor, or -1 with `errno` set.
int csystem_route_socket(void);
/// Asks the kernel to send all its routes to such a socket, in messages with `NLM_F_MULTI`, then `NLMSG_DONE`. Returns
/// whether it was asked.
bool csystem_request_routes(int descriptor);
/// Receives one datagram from such a socket. Returns its length, or -1 with `errno` set: `EAGAIN` if there is none or
/// it is not from the kernel, `ENOBUFS` if messages were lost.
ssize_t csystem_receive_from_kernel(int descriptor, void *bytes, size_t count);

/// `readdir`. Returns NULL with `errno` 0 at the end, and NULL with another `errno` after an error.
struct dirent *csystem_read_directory(DIR *directory);
const char *csystem_entry_name(const struct dirent *entry);
/// Whether an entry is a directory, a symbolic link, or of a type that the file system does not report.
bool csystem_entry_may_be_directory(const struct dirent *entry);

/// From now on, a fatal signal that a thread of this process has caused (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP,
/// SIGABRT) is stored in `word`, with the tag of the thread in the upper 32 bits, before it ends the process. Once the
/// signal is stored, the thread calls `tag_of_task`; a result other than 0 replaces the tag. A signal from another
/// process is not stored. A later call replaces `word`; calls must not be concurrent.
void csystem_note_crashes(void *word, uint32_t (*tag_of_task)(void));
/// Stops storing crashes in this memory, which is about to be unmapped.
void csystem_forget_crashes(const void *memory, size_t count);
/// Sets the crash tag of the calling thread, which is 0 by default.
void csystem_set_crash_tag(uint32_t tag);
/// From now on, the threads that the calling thread creates get `tag`, including those that libraries create; with 0,
/// they get none. Tags from 100,000 on, except `UINT32_MAX`, are not passed on. While a tag is passed on, the caller's
/// timers may fire up to 0.1 ms later than usual; the timers of the created threads always may.
void csystem_lend_crash_tag(uint32_t tag);
/// The crash tag of the calling thread: its own, or the one that was passed on to it when it was created.
uint32_t csystem_crash_tag(void);

/// Ends the process at once, after flushing stdio (`_exit`). The exit handlers of libraries do not run, because they
/// free memory that running threads may still use: OpenSSL's would crash a connection that is being closed. The
/// counters of a build that measures coverage are written.
_Noreturn void csystem_end_process(int status);
