// SPDX-License-Identifier: Apache-2.0
//
// Polls a session's frames sixty times a second, as a display would, and prints a line for each new frame: sequence
// number, time in seconds, size, format, and the sum of its bytes. TICKET is the ticket from AttachFrames, in
// hexadecimal.
//
//     frames SOCKET TICKET SECONDS
#include "engine_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t sum_of(const struct engine_attachment *attachment, const struct engine_frame *frame) {
    uint64_t sum = 0;
    for (uint32_t index = 0; index < frame->plane_count; index++) {
        const struct engine_plane *plane = &frame->planes[index];
        const uint8_t *row = engine_plane_data(attachment, plane);
        for (uint32_t line = 0; line < plane->rows; line++, row += plane->stride)
            for (uint32_t column = 0; column < plane->row_bytes; column++) sum += row[column];
    }
    return sum;
}

/// Reads the engine's messages without waiting. Returns false when the attachment has ended.
static bool listen_to_engine(struct engine_attachment *attachment, int *shown) {
    struct engine_message message;
    while (recv(attachment->socket, &message, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
        struct engine_attachment before = *attachment;
        int kind = engine_receive(attachment, &message);
        if (kind <= 0 || kind == engine_over) return false;
        if (kind == engine_memory) {
            engine_unmap(before.ring, before.ring_bytes, before.control);
            *shown = -1;
        }
    }
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

int main(int count, char **words) {
    uint8_t ticket[16];
    if (count != 4 || strlen(words[2]) != 32) {
        fprintf(stderr, "usage: frames SOCKET TICKET SECONDS\n");
        return 64;
    }
    for (int index = 0; index < 16; index++) {
        char byte[3] = {words[2][2 * index], words[2][2 * index + 1], 0};
        ticket[index] = (uint8_t)strtoul(byte, NULL, 16);
    }
    struct engine_attachment attachment;
    if (engine_attach(&attachment, words[1], ticket) != 0) {
        perror("attach");
        return 1;
    }
    int64_t end = engine_monotonic_ns() + (int64_t)(atof(words[3]) * 1e9);
    uint64_t last = 0;
    int shown = -1;
    while (engine_monotonic_ns() < end && listen_to_engine(&attachment, &shown)) {
        int64_t position;
        if (engine_playhead(&attachment, engine_monotonic_ns(), &position)) {
            shown = engine_newest(&attachment, position, shown);
            const struct engine_frame *frame = shown < 0 ? NULL : engine_slot(&attachment, (uint32_t)shown);
            if (frame && frame->sequence != last) {
                last = frame->sequence;
                printf("%" PRIu64 " %.6f %ux%u %s %" PRIu64 "\n", last, (double)frame->time_us / 1e6, frame->width,
                       frame->height, frame->format, sum_of(&attachment, frame));
                fflush(stdout);
            }
        }
        struct timespec refresh = {.tv_nsec = 16666667};
        nanosleep(&refresh, NULL);
    }
    engine_detach(&attachment);
    return 0;
}
