// SPDX-License-Identifier: Apache-2.0
//
// The memory that the engine shares with a front-end, as described in docs/frames.md, and functions to use it.
// Requires C11 or later and a little-endian machine, but no library. All functions are static: include it where needed.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    engine_frames_magic = 0x4D524645,
    engine_sound_magic = 0x4D435045,
    engine_layout_version = 1,
    engine_most_slots = 32,
    engine_sound_blocks = 1024,
};

enum engine_message_kind { engine_memory = 1, engine_news = 2, engine_refused = 3, engine_over = 4 };

struct engine_message {
    uint32_t kind;
    uint32_t version;
    uint64_t value;
};

struct engine_clock {
    uint32_t sequence;
    uint32_t is_known;
    int64_t position_us;
    double rate;
    int64_t monotonic_ns;
    uint64_t generation;
};

struct engine_frames_header {
    uint32_t magic, version, slot_count, slot_header_bytes;
    uint64_t slot_headers, pictures, picture_bytes, ring_bytes;
    uint8_t reserved_1[16];
    struct engine_clock clock;
    uint8_t reserved_2[24];
    uint64_t published, generation, ended_generation, dropped;
    uint32_t is_retired;
};

struct engine_plane {
    uint64_t offset;
    uint32_t stride, rows, row_bytes, reserved;
};

enum engine_frame_flags {
    engine_frame_key = 1,
    engine_frame_interlaced = 2,
    engine_frame_top_field_first = 4,
    engine_frame_damaged = 8,
    engine_frame_has_mastering = 16,
    engine_frame_has_content_light = 32,
};

struct engine_frame {
    uint64_t sequence, generation;
    int64_t time_us, duration_us, source_ticks, source_duration;
    uint32_t time_base_numerator, time_base_denominator;
    uint32_t width, height;
    char format[32];
    uint32_t plane_count, reserved;
    struct engine_plane planes[4];
    uint16_t primaries, transfer, matrix, range, chroma_location, rotation;
    uint32_t flags, aspect_numerator, aspect_denominator;
    uint32_t mastering[10];
    uint32_t maximum_content_light, maximum_average_light;
    uint32_t hdr10_plus_offset, hdr10_plus_bytes, dolby_vision_offset, dolby_vision_bytes;
};

struct engine_frames_control {
    uint64_t shown;
    uint8_t reserved[56];
    uint64_t released[engine_most_slots];
};

struct engine_sound_header {
    uint32_t magic, version, format, channels, rate, frame_bytes;
    uint64_t channel_mask, samples, capacity, ring_bytes;
    uint8_t reserved_1[8];
    char layout[64];
    uint64_t written, generation, generation_start, ended_generation;
    uint32_t is_running, is_retired;
    uint64_t blocks_written;
};

struct engine_sound_block {
    uint64_t number, generation, first_sample, sample_count;
    int64_t time_us;
    uint32_t flags;
    uint8_t reserved[20];
};

struct engine_sound_control {
    uint64_t consumed;
    uint8_t reserved[8];
    uint32_t clock_sequence, reserved_2;
    uint64_t played;
    int64_t monotonic_ns;
};

#define ENGINE_AT(type, member, place) _Static_assert(offsetof(struct type, member) == (place), #type "." #member)
ENGINE_AT(engine_frames_header, slot_headers, 16);
ENGINE_AT(engine_frames_header, clock, 64);
ENGINE_AT(engine_frames_header, clock.generation, 96);
ENGINE_AT(engine_frames_header, published, 128);
ENGINE_AT(engine_frames_header, is_retired, 160);
ENGINE_AT(engine_frame, width, 56);
ENGINE_AT(engine_frame, planes, 104);
ENGINE_AT(engine_frame, primaries, 200);
ENGINE_AT(engine_frame, flags, 212);
ENGINE_AT(engine_frame, mastering, 224);
ENGINE_AT(engine_frame, dolby_vision_bytes, 284);
ENGINE_AT(engine_frames_control, released, 64);
ENGINE_AT(engine_sound_header, layout, 64);
ENGINE_AT(engine_sound_header, written, 128);
ENGINE_AT(engine_sound_header, blocks_written, 168);
ENGINE_AT(engine_sound_control, clock_sequence, 16);
ENGINE_AT(engine_sound_control, monotonic_ns, 32);
_Static_assert(sizeof(struct engine_plane) == 24, "engine_plane");
_Static_assert(sizeof(struct engine_sound_block) == 64, "engine_sound_block");
#undef ENGINE_AT

/// An attachment: its connection, and the memory that was received last.
struct engine_attachment {
    int socket;
    const void *ring;
    size_t ring_bytes;
    void *control;
};

static inline int64_t engine_monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void engine_unmap(const void *ring, size_t ring_bytes, void *control) {
    if (ring) munmap((void *)ring, ring_bytes);
    if (control) munmap(control, 4096);
}

/// Waits for the next message. After `engine_memory` the attachment has new memory, and the caller must unmap the
/// previous memory. Returns the kind, 0 if the engine has closed the connection, or -1 with `errno` set.
static inline int engine_receive(struct engine_attachment *attachment, struct engine_message *message) {
    union {
        char room[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {message, sizeof *message};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room,
                            .msg_controllen = sizeof control.room};
    ssize_t count;
    do count = recvmsg(attachment->socket, &header, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return (int)count;
    int descriptors[2] = {-1, -1};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    if (rights && rights->cmsg_type == SCM_RIGHTS && rights->cmsg_len == CMSG_LEN(sizeof descriptors))
        memcpy(descriptors, CMSG_DATA(rights), sizeof descriptors);
    if (count != sizeof *message || message->version != engine_layout_version ||
        (message->kind == engine_memory && descriptors[1] < 0)) {
        for (int index = 0; index < 2; index++)
            if (descriptors[index] >= 0) close(descriptors[index]);
        errno = EPROTO;
        return -1;
    }
    if (message->kind == engine_memory) {
        void *ring = mmap(NULL, message->value, PROT_READ, MAP_SHARED, descriptors[0], 0);
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[1], 0);
        close(descriptors[0]);
        close(descriptors[1]);
        if (ring == MAP_FAILED || page == MAP_FAILED) {
            engine_unmap(ring == MAP_FAILED ? NULL : ring, message->value, page == MAP_FAILED ? NULL : page);
            return -1;
        }
        attachment->ring = ring;
        attachment->ring_bytes = message->value;
        attachment->control = page;
    }
    return (int)message->kind;
}

/// Requests one message of news, and signals that a slot was released. Returns false if the connection has ended.
static inline bool engine_ask(struct engine_attachment *attachment) {
    return send(attachment->socket, "?", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 || errno == EAGAIN;
}

static inline void engine_detach(struct engine_attachment *attachment) {
    engine_unmap(attachment->ring, attachment->ring_bytes, attachment->control);
    if (attachment->socket >= 0) close(attachment->socket);
    *attachment = (struct engine_attachment){.socket = -1};
}

/// Connects to the side socket, presents the 16 bytes of a ticket and maps the memory. Returns 0, or -1 with `errno`
/// set: `EACCES` for an unknown ticket.
static inline int engine_attach(struct engine_attachment *attachment, const char *path, const uint8_t ticket[16]) {
    *attachment = (struct engine_attachment){.socket = -1};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    attachment->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (attachment->socket < 0) return -1;
    struct engine_message message;
    int kind = -1;
    if (connect(attachment->socket, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(attachment->socket, ticket, 16, MSG_NOSIGNAL) == 16)
        kind = engine_receive(attachment, &message);
    if (kind == engine_memory) return 0;
    int cause = kind == engine_refused ? EACCES : kind < 0 ? errno : ECONNRESET;
    engine_detach(attachment);
    errno = cause;
    return -1;
}

// Frames.

static inline const struct engine_frames_header *engine_frames(const struct engine_attachment *attachment) {
    return (const struct engine_frames_header *)attachment->ring;
}

static inline const struct engine_frame *engine_slot(const struct engine_attachment *attachment, uint32_t slot) {
    const struct engine_frames_header *header = engine_frames(attachment);
    return (const struct engine_frame *)((const char *)header + header->slot_headers +
                                         (size_t)slot * header->slot_header_bytes);
}

static inline const uint8_t *engine_plane_data(const struct engine_attachment *attachment, const struct engine_plane *plane) {
    return (const uint8_t *)attachment->ring + plane->offset;
}

static inline uint64_t engine_generation(const struct engine_attachment *attachment) {
    return __atomic_load_n(&engine_frames(attachment)->generation, __ATOMIC_ACQUIRE);
}

/// The position of the playhead at `moment_ns` of the monotonic clock. False while it is unknown or a seek is in
/// progress.
static inline bool engine_playhead(const struct engine_attachment *attachment, int64_t moment_ns, int64_t *position_us) {
    const struct engine_clock *clock = &engine_frames(attachment)->clock;
    struct engine_clock copy;
    uint32_t sequence;
    do {
        sequence = __atomic_load_n(&clock->sequence, __ATOMIC_ACQUIRE);
        memcpy(&copy, (const void *)clock, sizeof copy);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (sequence % 2 || __atomic_load_n(&clock->sequence, __ATOMIC_RELAXED) != sequence);
    *position_us = copy.position_us + (int64_t)((double)(moment_ns - copy.monotonic_ns) / 1000 * copy.rate);
    return copy.is_known && copy.generation == engine_generation(attachment);
}

/// The sequence number of the unreleased frame in a slot; 0 if there is none.
static inline uint64_t engine_held(const struct engine_attachment *attachment, uint32_t slot) {
    const struct engine_frames_control *control = (const struct engine_frames_control *)attachment->control;
    uint64_t sequence = __atomic_load_n(&engine_slot(attachment, slot)->sequence, __ATOMIC_ACQUIRE);
    return sequence == control->released[slot] ? 0 : sequence;
}

static inline void engine_release(struct engine_attachment *attachment, uint32_t slot, uint64_t sequence) {
    struct engine_frames_control *control = (struct engine_frames_control *)attachment->control;
    __atomic_store_n(&control->released[slot], sequence, __ATOMIC_RELEASE);
}

/// The slot of the frame for `position_us`: the newest that is not after it, otherwise the first of its generation.
/// Releases all earlier frames, and those that a seek has invalidated. `shown` is the slot on screen, or -1; it is
/// returned, and not released, if no other frame replaces it.
static inline int engine_newest(struct engine_attachment *attachment, int64_t position_us, int shown) {
    const struct engine_frames_header *header = engine_frames(attachment);
    uint64_t generation = engine_generation(attachment), best = 0;
    int found = -1;
    for (uint32_t slot = 0; slot < header->slot_count; slot++) {
        const struct engine_frame *frame = engine_slot(attachment, slot);
        uint64_t sequence = engine_held(attachment, slot);
        if (sequence <= best || frame->generation != generation || frame->time_us > position_us) continue;
        best = sequence;
        found = (int)slot;
    }
    // Scan twice: a scan may miss a frame that is published during it, before the one that it finds.
    uint32_t scans = found < 0 && (shown < 0 || engine_slot(attachment, (uint32_t)shown)->generation != generation) ? 2 : 0;
    for (uint32_t scan = 0; scan < scans * header->slot_count; scan++) {
        uint32_t slot = scan % header->slot_count;
        uint64_t sequence = engine_held(attachment, slot);
        if (!sequence || engine_slot(attachment, slot)->generation != generation || (best && sequence > best)) continue;
        best = sequence;
        found = (int)slot;
    }
    for (uint32_t slot = 0; slot < header->slot_count; slot++) {
        uint64_t sequence = engine_held(attachment, slot);
        if (!sequence || (found < 0 && (int)slot == shown)) continue;
        // Read the generation after the slot: the first frames of the next one may have arrived in the meantime.
        uint64_t own = engine_slot(attachment, slot)->generation;
        if (own != engine_generation(attachment) || sequence < best)
            engine_release(attachment, slot, sequence);
    }
    return found < 0 ? shown : found;
}

// Audio.

static inline const struct engine_sound_header *engine_sound(const struct engine_attachment *attachment) {
    return (const struct engine_sound_header *)attachment->ring;
}

/// Copies at most `count` samples of all channels to `target` and consumes them. Skips samples of an older generation.
/// `consumed` is the number of samples read or skipped so far; it starts at 0. Returns how many were copied.
static inline size_t engine_read_sound(struct engine_attachment *attachment, void *target, size_t count, uint64_t *consumed) {
    const struct engine_sound_header *header = engine_sound(attachment);
    struct engine_sound_control *control = (struct engine_sound_control *)attachment->control;
    for (;;) {
        uint64_t generation = __atomic_load_n(&header->generation, __ATOMIC_ACQUIRE);
        uint64_t start = __atomic_load_n(&header->generation_start, __ATOMIC_ACQUIRE);
        uint64_t begin = *consumed > start ? *consumed : start;
        uint64_t written = __atomic_load_n(&header->written, __ATOMIC_ACQUIRE);
        size_t there = written > begin ? (size_t)(written - begin) : 0;
        size_t taken = there < count ? there : count;
        size_t place = (size_t)(begin % header->capacity), size = header->frame_bytes;
        size_t head = taken < header->capacity - place ? taken : (size_t)(header->capacity - place);
        const char *samples = (const char *)header + header->samples;
        memcpy(target, samples + place * size, head * size);
        memcpy((char *)target + head * size, samples, (taken - head) * size);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&header->generation, __ATOMIC_RELAXED) != generation) continue;
        *consumed = begin + taken;
        __atomic_store_n(&control->consumed, *consumed, __ATOMIC_RELEASE);
        return taken;
    }
}

/// Reports that `played` samples, counted like `written`, had been heard at `moment_ns`.
static inline void engine_report_played(struct engine_attachment *attachment, uint64_t played, int64_t moment_ns) {
    struct engine_sound_control *control = (struct engine_sound_control *)attachment->control;
    uint32_t sequence = __atomic_load_n(&control->clock_sequence, __ATOMIC_RELAXED);
    __atomic_store_n(&control->clock_sequence, sequence + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&control->played, played, __ATOMIC_RELAXED);
    __atomic_store_n(&control->monotonic_ns, moment_ns, __ATOMIC_RELAXED);
    __atomic_store_n(&control->clock_sequence, sequence + 2, __ATOMIC_RELEASE);
}
