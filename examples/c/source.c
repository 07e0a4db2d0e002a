// SPDX-License-Identifier: Apache-2.0
//
// A helper program that reads local files for the engine (docs/sources.md): `local://any/PATH` is the file /PATH, and
// `local://any/PATH/` lists the folder.
//
//     engined --source-helper local=$PWD/build/source
//     enginectl serve local://any/home/me/film.mkv
//
// The engine starts it; its standard input is the socket on which requests arrive. Numbers on the socket are
// little-endian, so this program requires a little-endian machine.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { open_kind = 1, size_kind = 2, read_kind = 3, cancel_kind = 4 };
enum { opened_kind = 129, sized_kind = 130, data_kind = 131, failed_kind = 132 };
enum { not_found = 1, access_denied = 2, not_readable = 5, failed_to_read = 6 };
enum { longest_message = 16 << 10, seekable = 1, version = 1 };

struct open_request { uint32_t kind, id, version, memory, longest_read, most_requests, timeout, zero; };
struct read_request { uint32_t kind, id, offset_low, offset_high, count, position; };

static int file = -1;
/// The names in a folder, each followed by a NUL. NULL for a file.
static char *names;
static size_t names_size;
static char *memory;
static size_t memory_size;

static void reply(const void *bytes, size_t count) {
    if (send(STDIN_FILENO, bytes, count, MSG_NOSIGNAL) < 0) exit(EXIT_FAILURE);
}

static void reply_failed(uint32_t id, int error) {
    const char *text = strerror(error);
    uint32_t code = failed_to_read;
    if (error == ENOENT || error == ENOTDIR) code = not_found;
    if (error == EACCES) code = access_denied;
    if (error == EISDIR || error == ESPIPE) code = not_readable;
    uint32_t head[4] = {failed_kind, id, code, (uint32_t)strlen(text)};
    char message[sizeof head + 256];
    memcpy(message, head, sizeof head);
    memcpy(message + sizeof head, text, strlen(text));
    reply(message, sizeof head + strlen(text));
}

/// Sends OPENED or SIZED: the length, and a tag that changes when the file is written.
static void reply_state(uint32_t kind, uint32_t id) {
    char tag[64];
    int length = 0;
    uint64_t size = names_size;
    if (!names) {
        struct stat status;
        if (fstat(file, &status) != 0) return reply_failed(id, errno);
        length = snprintf(tag, sizeof tag, "%llx-%llx.%lx", (unsigned long long)status.st_ino,
                          (unsigned long long)status.st_mtim.tv_sec, (unsigned long)status.st_mtim.tv_nsec);
        size = (uint64_t)status.st_size;
    }
    uint32_t head[7] = {kind, id, version, seekable, (uint32_t)size, (uint32_t)(size >> 32), (uint32_t)length};
    char message[sizeof head + sizeof tag];
    memcpy(message, head, sizeof head);
    memcpy(message + sizeof head, tag, (size_t)length);
    reply(message, sizeof head + (size_t)length);
}

static int hexadecimal(char character) {
    if (character >= '0' && character <= '9') return character - '0';
    character |= 0x20;
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/// Writes the path of a URL to `path`, without percent-encoding. `path` must have room for `count` bytes and a NUL.
static void decode_path(const char *url, uint32_t count, char *path) {
    const char *end = url + count, *authority = memmem(url, count, "://", 3);
    const char *byte = authority ? memchr(authority + 3, '/', (size_t)(end - authority - 3)) : NULL;
    for (; byte && byte < end; byte++) {
        if (*byte == '%' && end - byte > 2 && hexadecimal(byte[1]) >= 0 && hexadecimal(byte[2]) >= 0) {
            *path++ = (char)(hexadecimal(byte[1]) << 4 | hexadecimal(byte[2]));
            byte += 2;
        } else {
            *path++ = *byte;
        }
    }
    *path = 0;
}

/// Opens a file. Returns 0 or an error number.
static int open_path(const char *path) {
    struct stat status;
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &status) != 0) return errno;
    // A folder can be opened, but has no bytes. Pipes and devices have no length.
    return S_ISREG(status.st_mode) ? 0 : S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
}

/// Collects the names in a folder. Returns 0 or an error number.
static int list(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) return errno;
    FILE *list = open_memstream(&names, &names_size);
    if (!list) exit(EXIT_FAILURE);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) fwrite(entry->d_name, 1, strlen(entry->d_name) + 1, list);
    }
    closedir(folder);
    if (fclose(list) != 0) exit(EXIT_FAILURE);
    return 0;
}

static void open_file(const char *message, size_t count, int shared) {
    struct open_request request;
    uint32_t length;
    if (shared < 0 || count < sizeof request + sizeof length) exit(EXIT_FAILURE);
    memcpy(&request, message, sizeof request);
    memcpy(&length, message + sizeof request, sizeof length);
    if (length > count - sizeof request - sizeof length) exit(EXIT_FAILURE);
    memory_size = request.memory;
    memory = mmap(NULL, memory_size, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    if (memory == MAP_FAILED) exit(EXIT_FAILURE);
    close(shared);
    char path[longest_message];
    decode_path(message + sizeof request + sizeof length, length, path);
    // The user name and the password follow in the message; files need neither.
    size_t end = strlen(path);
    int error = end > 0 && path[end - 1] == '/' ? list(path) : open_path(path);
    if (error) reply_failed(0, error);
    else reply_state(opened_kind, 0);
}

static void read_file(const char *message, size_t count) {
    struct read_request request;
    if (count != sizeof request) exit(EXIT_FAILURE);
    memcpy(&request, message, sizeof request);
    if (request.count > memory_size || request.position > memory_size - request.count) exit(EXIT_FAILURE);
    uint64_t offset = request.offset_low | (uint64_t)request.offset_high << 32;
    uint32_t done = 0;
    if (names && offset < names_size) {
        size_t rest = names_size - (size_t)offset;
        done = rest < request.count ? (uint32_t)rest : request.count;
        memcpy(memory + request.position, names + offset, done);
    }
    while (!names && done < request.count) {
        ssize_t step = pread(file, memory + request.position + done, request.count - done, (off_t)(offset + done));
        if (step < 0) return reply_failed(request.id, errno);
        if (step == 0) break;
        done += (uint32_t)step;
    }
    uint32_t answer[3] = {data_kind, request.id, done};
    reply(answer, sizeof answer);
}

int main(void) {
    static char message[longest_message];
    for (;;) {
        union {
            char room[CMSG_SPACE(sizeof(int))];
            struct cmsghdr alignment;
        } control;
        struct iovec part = {message, sizeof message};
        struct msghdr received = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        ssize_t count = recvmsg(STDIN_FILENO, &received, MSG_CMSG_CLOEXEC);
        if (count <= 0) return count < 0;
        int shared = -1;
        struct cmsghdr *header = CMSG_FIRSTHDR(&received);
        if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&shared, CMSG_DATA(header), sizeof shared);
        uint32_t head[2];
        if ((size_t)count < sizeof head) return EXIT_FAILURE;
        memcpy(head, message, sizeof head);
        switch (head[0]) {
        case open_kind: open_file(message, (size_t)count, shared); break;
        case size_kind: reply_state(sized_kind, head[1]); break;
        case read_kind: read_file(message, (size_t)count); break;
        // Reads are answered one after another, so there is nothing to cancel.
        case cancel_kind: break;
        default: return EXIT_FAILURE;
        }
    }
}
