/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of a session: taken from the ring as a display does, and drawn with their aspect ratio and their turn. */
#pragma once
#include <SDL2/SDL.h>

#include "engine_frames.h"

typedef struct {
    struct engine_attachment attachment;
    bool is_attached;
    int slot;            /* of the picture that is drawn, -1: none of this memory */
    uint64_t sequence;   /* of that picture; 0: nothing to draw yet */
    int64_t time_us;     /* when it appears */
    int64_t position_us; /* the playhead when it was last looked at; -1: not known yet */
    SDL_Texture *texture;
    int width, height;       /* of the texture */
    double shape_x, shape_y; /* how large it is to be seen */
    int turn;                /* clockwise, in degrees */
    SDL_YUV_CONVERSION_MODE mode;
} Picture;

/* Connects to the side socket. False with errno. */
bool picture_attach(Picture *picture, const char *path, const uint8_t ticket[16]);
/* Takes the picture that is due now. True when it is another than before. */
bool picture_refresh(Picture *picture, SDL_Renderer *renderer);
/* Where in a window of this size it is drawn; the whole of it while there is none. */
SDL_Rect picture_place(const Picture *picture, int width, int height);
void picture_draw(const Picture *picture, SDL_Renderer *renderer, SDL_Rect place);
void picture_close(Picture *picture);
