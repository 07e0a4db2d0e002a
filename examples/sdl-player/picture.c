/* SPDX-License-Identifier: Apache-2.0 */
#include "picture.h"

#include <stdio.h>

bool picture_attach(Picture *picture, const char *path, const uint8_t ticket[16]) {
    picture->slot = -1;
    picture->position_us = -1;
    picture->is_attached = engine_attach(&picture->attachment, path, ticket) == 0;
    return picture->is_attached;
}

/* Reads the engine's messages without waiting. */
static void listen_to_engine(Picture *picture) {
    struct engine_message message;
    while (picture->is_attached && recv(picture->attachment.socket, &message, 1, MSG_PEEK | MSG_DONTWAIT) >= 0) {
        struct engine_attachment before = picture->attachment;
        int kind = engine_receive(&picture->attachment, &message);
        if (kind == engine_memory) {
            engine_unmap(before.ring, before.ring_bytes, before.control);
            picture->slot = -1;
        } else if (kind <= 0 || kind == engine_over) {
            /* The last frame stays on screen, because the texture is a copy. */
            if (kind == engine_over && message.value != 0)
                fprintf(stderr, "no more pictures: reason %d\n", (int)message.value);
            engine_detach(&picture->attachment);
            picture->is_attached = false;
            picture->slot = -1;
        }
    }
}

/* SDL supports BT.601 and BT.709, and full range only with BT.601. */
static SDL_YUV_CONVERSION_MODE mode_of(const struct engine_frame *frame) {
    enum { FULL = 2, BT709 = 1, BT470BG = 5, SMPTE170M = 6 };
    if (frame->range == FULL)
        return SDL_YUV_CONVERSION_JPEG;
    if (frame->matrix == BT709)
        return SDL_YUV_CONVERSION_BT709;
    if (frame->matrix == BT470BG || frame->matrix == SMPTE170M)
        return SDL_YUV_CONVERSION_BT601;
    return frame->height >= 720 ? SDL_YUV_CONVERSION_BT709 : SDL_YUV_CONVERSION_BT601;
}

/* Creates a texture with the size and the colour conversion of the frame. */
static bool prepare(Picture *picture, SDL_Renderer *renderer, const struct engine_frame *frame) {
    SDL_YUV_CONVERSION_MODE mode = mode_of(frame);
    if (picture->texture != NULL && picture->width == (int)frame->width && picture->height == (int)frame->height &&
        picture->mode == mode)
        return true;
    if (picture->texture != NULL)
        SDL_DestroyTexture(picture->texture);
    SDL_SetYUVConversionMode(mode);
    picture->mode = mode;
    picture->width = (int)frame->width;
    picture->height = (int)frame->height;
    picture->texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_IYUV, SDL_TEXTUREACCESS_STREAMING, picture->width,
                                         picture->height);
    if (picture->texture == NULL)
        fprintf(stderr, "no texture of %dx%d: %s\n", picture->width, picture->height, SDL_GetError());
    return picture->texture != NULL;
}

static bool upload(Picture *picture, SDL_Renderer *renderer, const struct engine_frame *frame) {
    /* I420 was requested, so every frame should have this format. */
    if (strcmp(frame->format, "yuv420p") != 0 || frame->plane_count != 3 || !prepare(picture, renderer, frame))
        return false;
    const uint8_t *planes[3];
    for (int index = 0; index < 3; index++)
        planes[index] = engine_plane_data(&picture->attachment, &frame->planes[index]);
    if (SDL_UpdateYUVTexture(picture->texture, NULL, planes[0], (int)frame->planes[0].stride, planes[1],
                             (int)frame->planes[1].stride, planes[2], (int)frame->planes[2].stride) != 0)
        return false;
    double aspect = frame->aspect_numerator > 0 && frame->aspect_denominator > 0
                        ? (double)frame->aspect_numerator / frame->aspect_denominator
                        : 1;
    bool is_lying = frame->rotation == 90 || frame->rotation == 270;
    picture->turn = frame->rotation;
    picture->shape_x = is_lying ? frame->height : frame->width * aspect;
    picture->shape_y = is_lying ? frame->width * aspect : frame->height;
    picture->time_us = frame->time_us;
    return true;
}

bool picture_refresh(Picture *picture, SDL_Renderer *renderer) {
    int64_t position;
    listen_to_engine(picture);
    if (!picture->is_attached || !engine_playhead(&picture->attachment, engine_monotonic_ns(), &position))
        return false;
    picture->position_us = position;
    picture->slot = engine_newest(&picture->attachment, position, picture->slot);
    if (picture->slot < 0)
        return false;
    /* The slot is not released, so the engine does not write to it. */
    const struct engine_frame *frame = engine_slot(&picture->attachment, (uint32_t)picture->slot);
    if (frame->sequence == picture->sequence)
        return false;
    picture->sequence = frame->sequence;
    struct engine_frames_control *control = picture->attachment.control;
    __atomic_store_n(&control->shown, frame->sequence, __ATOMIC_RELEASE);
    return upload(picture, renderer, frame);
}

SDL_Rect picture_place(const Picture *picture, int width, int height) {
    if (picture->texture == NULL)
        return (SDL_Rect){0, 0, width, height};
    double scale = SDL_min(width / picture->shape_x, height / picture->shape_y);
    int x = (int)(picture->shape_x * scale + 0.5), y = (int)(picture->shape_y * scale + 0.5);
    return (SDL_Rect){(width - x) / 2, (height - y) / 2, x, y};
}

void picture_draw(const Picture *picture, SDL_Renderer *renderer, SDL_Rect place) {
    if (picture->texture == NULL)
        return;
    /* SDL rotates the target rectangle around its center, so it gets the size before the rotation. */
    if (picture->turn == 90 || picture->turn == 270)
        place = (SDL_Rect){place.x + (place.w - place.h) / 2, place.y + (place.h - place.w) / 2, place.h, place.w};
    SDL_RenderCopyEx(renderer, picture->texture, NULL, &place, picture->turn, NULL, SDL_FLIP_NONE);
}

void picture_close(Picture *picture) {
    if (picture->texture != NULL)
        SDL_DestroyTexture(picture->texture);
    if (picture->is_attached)
        engine_detach(&picture->attachment);
    *picture = (Picture){.slot = -1};
}
