// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <alsa/asoundlib.h>

/// The position of a channel of a map. Swift cannot see the array behind `snd_pcm_chmap_t.channels`.
static inline unsigned int calsa_position(const snd_pcm_chmap_t *map, unsigned int channel) {
    return map->pos[channel] & SND_CHMAP_POSITION_MASK;
}

/// Sets the position of a channel.
static inline void calsa_set_position(snd_pcm_chmap_t *map, unsigned int channel, unsigned int position) {
    map->pos[channel] = position;
}
