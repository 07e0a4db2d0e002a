// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most_descriptors = 4 };

int csystem_sealable_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int csystem_seal(int descriptor, bool is_private) {
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    return fcntl(descriptor, F_ADD_SEALS, is_private ? seals | F_SEAL_FUTURE_WRITE : seals);
}

bool csystem_is_size_sealed(int descriptor) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK);
}

uint64_t csystem_load_64(const void *address) { return __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE); }
uint32_t csystem_load_32(const void *address) { return __atomic_load_n((const uint32_t *)address, __ATOMIC_ACQUIRE); }
uint16_t csystem_load_16(const void *address) { return __atomic_load_n((const uint16_t *)address, __ATOMIC_RELAXED); }
void csystem_store_64(void *address, uint64_t value) { __atomic_store_n((uint64_t *)address, value, __ATOMIC_RELEASE); }
void csystem_store_32(void *address, uint32_t value) { __atomic_store_n((uint32_t *)address, value, __ATOMIC_RELEASE); }
void csystem_store_16(void *address, uint16_t value) { __atomic_store_n((uint16_t *)address, value, __ATOMIC_RELAXED); }
void csystem_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

ssize_t csystem_send_with_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count) {
    if (descriptor_count > most_descriptors) {
        errno = EINVAL;
        return -1;
    }
    union {
        char room[CMSG_SPACE(sizeof(int) * most_descriptors)];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor_count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.room;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t csystem_receive_with_descriptors(int socket, void *bytes, size_t count, int *descriptors, size_t *descriptor_count) {
    union {
        char room[CMSG_SPACE(sizeof(int) * most_descriptors)];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    size_t room = *descriptor_count;
    *descriptor_count = 0;
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t given = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < given; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
            if (*descriptor_count < room) descriptors[(*descriptor_count)++] = descriptor;
            else close(descriptor);
        }
    }
    return received;
}
