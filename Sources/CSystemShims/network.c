// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int csystem_socket(int family, int type, int protocol) { return socket(family, type | SOCK_CLOEXEC, protocol); }

int csystem_datagram_socket(void) { return csystem_socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0); }

int csystem_route_socket(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

bool csystem_request_routes(int descriptor) {
    struct {
        struct nlmsghdr header;
        struct rtmsg route;
    } request = {
        .header = {
            .nlmsg_len = sizeof request,
            .nlmsg_type = RTM_GETROUTE,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
        },
        .route = {.rtm_family = AF_UNSPEC},
    };
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    return sendto(descriptor, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel) == sizeof request;
}

ssize_t csystem_receive_from_kernel(int descriptor, void *bytes, size_t count) {
    struct sockaddr_nl sender = {0};
    socklen_t length = sizeof sender;
    ssize_t received = recvfrom(descriptor, bytes, count, 0, (struct sockaddr *)&sender, &length);
    // Other processes can send to the socket too; their messages are ignored.
    if (received >= 0 && sender.nl_pid != 0) {
        errno = EAGAIN;
        return -1;
    }
    return received;
}

uint64_t csystem_inode(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

int64_t csystem_silence(int descriptor, uint64_t inode) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISSOCK(status.st_mode) || status.st_ino != inode) return -1;
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    return info.tcpi_state == TCP_ESTABLISHED ? (int64_t)info.tcpi_last_data_recv : -1;
}
