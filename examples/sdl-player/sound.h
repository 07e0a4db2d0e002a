/* SPDX-License-Identifier: Apache-2.0 */
/* The sound of a session: read from the ring by SDL's audio thread, whose clock moves the playhead. */
#pragma once
#include <SDL2/SDL.h>

#include "engine_frames.h"

typedef struct {
    struct engine_attachment attachment;
    SDL_AudioDeviceID device; /* 0: not attached */
    uint64_t consumed;        /* as the control page has it */
    uint64_t pending;         /* samples that were handed to the device last, and are heard from its next call on */
} Sound;

/* Connects to the side socket and opens the default device. False, and silence, with a message. */
bool sound_attach(Sound *sound, const char *path, const uint8_t ticket[16]);
/* Takes what the engine has sent, without waiting. */
void sound_refresh(Sound *sound);
void sound_close(Sound *sound);
