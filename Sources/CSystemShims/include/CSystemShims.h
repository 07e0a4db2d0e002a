// SPDX-License-Identifier: Apache-2.0
// What Swift's Glibc module hides behind _GNU_SOURCE or macros. Each function is the libc call of its name.
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

/// Marks the calling thread as one that may block in C code. Set once, by the thread executor.
void csystem_mark_blocking_thread(void);
/// Whether the calling thread was marked by `csystem_mark_blocking_thread`.
bool csystem_is_blocking_thread(void);

/// Lets other threads go first: a niceness of 0 … 19 for the calling thread and those it starts (`setpriority`).
void csystem_yield_to_others(int niceness);

/// Nanoseconds of CLOCK_MONOTONIC, the clock that front-ends on this machine share with the engine.
int64_t csystem_monotonic_nanoseconds(void);
/// Seconds since 1970-01-01 00:00 UTC (CLOCK_REALTIME).
int64_t csystem_realtime_seconds(void);

/// Who is at the other end of a connected Unix socket (`SO_PEERCRED`). Returns 0, or -1 with `errno` set.
int csystem_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);

/// Makes malloc give memory back (`mallopt`): few arenas, large blocks from the system, free tops trimmed. Called once,
/// before any other thread starts.
void csystem_keep_heap_small(void);

/// `malloc_trim(0)`.
void csystem_return_free_memory(void);

/// Raises the soft limit of open files to the hard one (`setrlimit`), at most 1048576.
void csystem_raise_open_files(void);

/// `memfd_create` with `MFD_CLOEXEC`: a file that has no name. Returns its descriptor, or -1 with `errno` set.
int csystem_memory_file(const char *name);

/// `getrandom` without flags. Returns the bytes filled, or -1 with `errno` set.
ssize_t csystem_random(void *buffer, size_t count);

/// Columns of the terminal that `descriptor` is, 0 when it is none (`TIOCGWINSZ`).
int csystem_terminal_width(int descriptor);

/// Sends `text` as one datagram to the Unix socket at `path`; `@` first means the abstract namespace. Returns 0, or -1
/// with `errno` set. Never blocks.
int csystem_send_datagram(const char *path, const char *text);

/// Whether `descriptor` is a listening stream socket of `family` (`AF_UNIX`, `AF_INET`, `AF_INET6`); 0 takes any.
bool csystem_is_listening(int descriptor, int family);

/// Opens a file, FIFO or socket that tells when memory is short, and writes `words` to it, which say what counts as short.
/// Returns its descriptor, or -1 with `errno` set.
int csystem_watch_pressure(const char *path, const void *words, size_t count);
/// Waits until such a descriptor tells it: for an exceptional condition of a regular file, which is how the kernel does it
/// (Documentation/accounting/psi.rst), otherwise for bytes, which are read. Returns 0, or -1 if it cannot tell any more.
int csystem_await_pressure(int descriptor);

/// Whether any process has the file open for writing: 1 or 0; -1 if the file system or the owner of the file does not let
/// this process find out. Takes a read lease for a moment (`F_SETLEASE`, fcntl(2)), which the kernel only grants while
/// there is no writer.
int csystem_has_writer(int descriptor);

/// Resident bytes of this process, from /proc/self/statm; 0 when that cannot be read.
uint64_t csystem_resident_memory(void);

/// `memfd_create` with `MFD_CLOEXEC | MFD_ALLOW_SEALING`. Returns its descriptor, or -1 with `errno` set.
int csystem_sealable_memory_file(const char *name);
/// Fixes the size of such a file for good, and where `is_private` also that nobody writes to it but through mappings that
/// exist by now (`F_SEAL_FUTURE_WRITE`). Returns 0, or -1 with `errno` set.
int csystem_seal(int descriptor, bool is_private);
/// Whether a file's size is fixed for good (`F_SEAL_SHRINK`, fcntl(2)).
bool csystem_is_size_sealed(int descriptor);

/// Numbers that another process may read or write at the same time, at addresses that are multiples of their size.
/// Loads acquire, stores release; those of 16 bits are relaxed.
uint64_t csystem_load_64(const void *address);
uint32_t csystem_load_32(const void *address);
uint16_t csystem_load_16(const void *address);
void csystem_store_64(void *address, uint64_t value);
void csystem_store_32(void *address, uint32_t value);
void csystem_store_16(void *address, uint16_t value);
/// A full fence between the accesses before it and those behind it.
void csystem_fence(void);

/// `sendmsg` of a few bytes and descriptors (`SCM_RIGHTS`, unix(7)) that never blocks and never raises SIGPIPE. Returns the
/// bytes sent, or -1 with `errno` set. At most 4 descriptors.
ssize_t csystem_send_with_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);
/// `recvmsg` of at most `count` bytes and `*descriptor_count` descriptors, at most 4, which are closed on exec. What comes beyond is closed
/// again. Returns the bytes, 0 at the end, or -1 with `errno` set.
ssize_t csystem_receive_with_descriptors(int socket, void *bytes, size_t count, int *descriptors, size_t *descriptor_count);

/// `O_PATH`.
int csystem_path_only(void);
/// `openat`.
int csystem_open_at(int directory, const char *path, int flags, unsigned mode);
/// `openat2` with `RESOLVE_BENEATH`; on a kernel without it, `openat` with `O_NOFOLLOW`. Returns a descriptor, or -1 with
/// `errno` set: `EXDEV` where the path leads out of the directory.
int csystem_open_beneath(int directory, const char *path, int flags);
/// `openat2` with `RESOLVE_NO_SYMLINKS`.
int csystem_open_without_links(int directory, const char *path, int flags);
/// The target of a symbolic link that this process's user owns (`readlinkat`), without a NUL at its end. Returns its
/// length, or -1 with `errno` set: `EXDEV` for anything else.
ssize_t csystem_read_own_link(int directory, const char *name, char *target, size_t capacity);

/// `fallocate` with `FALLOC_FL_PUNCH_HOLE`: the range reads as zeros and takes no space. Returns 0, or -1 with `errno` set.
int csystem_punch_hole(int descriptor, int64_t offset, int64_t count);

/// A socket of `NETLINK_ROUTE` (rtnetlink(7)) that receives the changes of links and routes. Never blocks. Returns its
/// descriptor, or -1 with `errno` set.
int csystem_route_socket(void);
/// Receives one message of such a socket. Returns its length, or -1 with `errno` set: `EAGAIN` if there is none from the
/// kernel, `ENOBUFS` if some were lost.
ssize_t csystem_receive_from_kernel(int descriptor, void *bytes, size_t count);

/// `readdir`, which sets `errno` to 0 at the end.
struct dirent *csystem_read_directory(DIR *directory);
const char *csystem_entry_name(const struct dirent *entry);
/// Whether an entry is a directory, a link, or of a kind that the file system does not say.
bool csystem_entry_may_be_directory(const struct dirent *entry);

/// From now on a signal that ends the process because of what one of its threads did (SIGSEGV, SIGBUS, SIGILL, SIGFPE,
/// SIGTRAP, SIGABRT) is stored in `word` before it ends it, with the tag of the thread in the upper 32 bits. A signal
/// that another process sent is not stored. Calls of `csystem_note_crashes` replace each other, and must not be concurrent.
void csystem_note_crashes(void *word);
/// Crashes are stored nowhere in this memory any more, which is about to be unmapped.
void csystem_forget_crashes(const void *memory, size_t count);
/// The tag of the calling thread; 0 until set.
void csystem_set_crash_tag(uint32_t tag);
