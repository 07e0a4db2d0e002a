/* SPDX-License-Identifier: Apache-2.0 */
#include "sound.h"

#include <stdio.h>

/* Called on SDL's thread when the device needs samples; those of the previous call begin to be heard now. */
static void fill(void *context, Uint8 *target, int size) {
    Sound *sound = context;
    const struct engine_sound_header *header = engine_sound(&sound->attachment);
    size_t wanted = (size_t)size / header->frame_bytes, taken = 0;
    engine_report_played(&sound->attachment, sound->consumed - sound->pending, engine_monotonic_ns());
    if (__atomic_load_n(&header->is_running, __ATOMIC_ACQUIRE))
        taken = engine_read_sound(&sound->attachment, target, wanted, &sound->consumed);
    sound->pending = taken;
    memset(target + taken * header->frame_bytes, 0, (size_t)size - taken * header->frame_bytes);
}

bool sound_attach(Sound *sound, const char *path, const uint8_t ticket[16]) {
    *sound = (Sound){.attachment.socket = -1};
    if (engine_attach(&sound->attachment, path, ticket) != 0) {
        perror("no sound");
        return false;
    }
    const struct engine_sound_header *header = engine_sound(&sound->attachment);
    SDL_AudioSpec wish = {.freq = (int)header->rate, .format = AUDIO_F32LSB, .channels = (Uint8)header->channels,
                          .samples = 1024, .callback = fill, .userdata = sound};
    sound->device = SDL_OpenAudioDevice(NULL, 0, &wish, NULL, 0);
    if (sound->device == 0) {
        /* Detach: the engine would wait for an attached client that reads nothing. */
        fprintf(stderr, "no sound: %s\n", SDL_GetError());
        engine_detach(&sound->attachment);
        return false;
    }
    SDL_PauseAudioDevice(sound->device, 0);
    return true;
}

void sound_refresh(Sound *sound) {
    struct engine_message message;
    while (sound->device != 0 && recv(sound->attachment.socket, &message, 1, MSG_PEEK | MSG_DONTWAIT) >= 0) {
        struct engine_attachment before = sound->attachment;
        SDL_LockAudioDevice(sound->device);
        int kind = engine_receive(&sound->attachment, &message);
        if (kind == engine_memory) {
            engine_unmap(before.ring, before.ring_bytes, before.control);
            sound->consumed = sound->pending = 0;
        }
        SDL_UnlockAudioDevice(sound->device);
        if (kind <= 0 || kind == engine_over) {
            if (kind == engine_over && message.value != 0)
                fprintf(stderr, "no more sound: reason %d\n", (int)message.value);
            sound_close(sound);
        }
    }
}

void sound_close(Sound *sound) {
    if (sound->device == 0)
        return;
    SDL_CloseAudioDevice(sound->device); /* ends its thread */
    engine_detach(&sound->attachment);
    sound->device = 0;
}
