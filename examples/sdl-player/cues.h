/* SPDX-License-Identifier: Apache-2.0 */
/* The cues on screen, as reported by the watch, and their drawing over the frame. */
#pragma once
#include <SDL2/SDL.h>
#include <SDL2/SDL_ttf.h>
#include <stdbool.h>

#include "engine/v1/engine.pb-c.h"

enum { MOST_CUES = 64, MOST_PIECES = 1024 };

/* A word, its outline or a bitmap, ready to be copied to the window. */
typedef struct {
    SDL_Texture *texture;
    SDL_Rect place;
} Piece;

typedef struct {
    TTF_Font *font;
    Engine__V1__Cue *shown[MOST_CUES]; /* in the order in which they appeared */
    size_t count;
    Piece pieces[MOST_PIECES];
    size_t piece_count;
    SDL_Rect area;   /* for which the pieces were made */
    bool is_changed; /* since the pieces were made */
} Cues;

void cues_take(Cues *cues, const Engine__V1__CueEvent *event);
/* Draws them over a frame that fills `area` of the window. */
void cues_draw(Cues *cues, SDL_Renderer *renderer, SDL_Rect area);
void cues_close(Cues *cues);
