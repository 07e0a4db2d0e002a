/* SPDX-License-Identifier: Apache-2.0 */
/* The audio of a session: read from the ring by SDL's audio thread, whose clock moves the playhead. */
#pragma once
#include <SDL2/SDL.h>

#include "engine_frames.h"

typedef struct {
    struct engine_attachment attachment;
    SDL_AudioDeviceID device; /* 0: not attached */
    uint64_t consumed;        /* as in the control page */
    uint64_t pending;         /* samples passed to the device last; they begin to be heard at its next call */
} Sound;

/* Connects to the side socket and opens the default device. On failure returns false and prints a message. */
bool sound_attach(Sound *sound, const char *path, const uint8_t ticket[16]);
/* Reads the engine's messages without waiting. */
void sound_refresh(Sound *sound);
void sound_close(Sound *sound);
