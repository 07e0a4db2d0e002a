/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of a session: read from the ring at each refresh, and drawn with their aspect ratio and rotation. */
#pragma once
#include <SDL2/SDL.h>

#include "engine_frames.h"

typedef struct {
    struct engine_attachment attachment;
    bool is_attached;
    int slot;            /* of the frame being shown; -1: none in this memory */
    uint64_t sequence;   /* of that frame; 0: nothing to draw yet */
    int64_t time_us;     /* the time of that frame */
    int64_t position_us; /* the playhead at the last refresh; -1: not known yet */
    SDL_Texture *texture;
    int width, height;       /* of the texture */
    double shape_x, shape_y; /* the display size */
    int turn;                /* clockwise, in degrees */
    SDL_YUV_CONVERSION_MODE mode;
} Picture;

/* Connects to the side socket. Returns false and sets errno on failure. */
bool picture_attach(Picture *picture, const char *path, const uint8_t ticket[16]);
/* Fetches the frame that is due now. Returns true if it is a new one. */
bool picture_refresh(Picture *picture, SDL_Renderer *renderer);
/* The area of a window of this size in which the frame is drawn; the whole window while there is no frame. */
SDL_Rect picture_place(const Picture *picture, int width, int height);
void picture_draw(const Picture *picture, SDL_Renderer *renderer, SDL_Rect place);
void picture_close(Picture *picture);
