// SPDX-License-Identifier: Apache-2.0
// An alsa-lib device that plays in real time without sound, and records every sample that it has played to a file.
//
//     pcm.NAME { type engine_test record FILE control FOLDER format FLOAT_LE channels 2 rate 48000 pause false speed 1.0 }
//
// FILE.ready exists once the device has been set up.
//
// Files of these names in the control folder change its behaviour: `gone`: unplugged; `asleep`: the machine is
// suspended; `forgetful`: the device has lost its buffer on wake-up; `stuck`: it plays nothing; `exclusive`: only one
// client may open it.
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

struct device {
    snd_pcm_ioplug_t io;
    char *record, *control;
    double speed, position; // in frames since the last prepare
    double moment;          // the time at which `position` was current; 0: not running
    uint64_t written, recorded;
    char *pending; // the frames from `recorded` to `written`
    size_t frame;
    int lock;
    bool has_slept;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static bool is(struct device *device, const char *what) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", device->control, what);
    return access(path, F_OK) == 0;
}

// Records what has been played since the last call.
static int advance(struct device *device) {
    if (device->moment == 0)
        return 0;
    double then = now();
    if (!is(device, "stuck") && !is(device, "asleep"))
        device->position += (then - device->moment) * device->io.rate * device->speed;
    device->moment = then;
    bool is_dry = device->position > device->written;
    uint64_t heard = is_dry ? device->written : (uint64_t)device->position;
    size_t count = heard - device->recorded;
    if (count > 0) {
        FILE *file = fopen(device->record, "ab");
        fwrite(device->pending, device->frame, count, file);
        fclose(file);
        memmove(device->pending, device->pending + count * device->frame, (device->written - heard) * device->frame);
        device->recorded = heard;
    }
    return is_dry ? -EPIPE : 0;
}

static int start(snd_pcm_ioplug_t *io) {
    struct device *device = io->private_data;
    device->moment = now();
    return 0;
}

static int stop(snd_pcm_ioplug_t *io) {
    struct device *device = io->private_data;
    advance(device);
    device->moment = 0;
    return 0;
}

static int set_paused(snd_pcm_ioplug_t *io, int is_paused) { return is_paused ? stop(io) : start(io); }

// alsa-lib ignores the result and reports success for plugins; the state of the device shows the failure.
static int resume(snd_pcm_ioplug_t *io) {
    struct device *device = io->private_data;
    if (is(device, "forgetful"))
        return -ENOSYS;
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_RUNNING);
    return start(io);
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
    struct device *device = io->private_data;
    if (is(device, "gone"))
        return -ENODEV;
    int status = advance(device);
    if (status < 0)
        return status;
    bool is_asleep = is(device, "asleep");
    if (device->moment != 0 && is_asleep && !device->has_slept) {
        device->moment = 0;
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
    }
    device->has_slept = is_asleep;
    return device->recorded % io->buffer_size;
}

static int delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *frames) {
    struct device *device = io->private_data;
    *frames = device->written - device->recorded;
    return 0;
}

static snd_pcm_sframes_t transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
                                  snd_pcm_uframes_t size) {
    struct device *device = io->private_data;
    const char *bytes = (const char *)areas->addr + (areas->first + areas->step * offset) / 8;
    memcpy(device->pending + (device->written - device->recorded) * device->frame, bytes, size * device->frame);
    device->written += size;
    return size;
}

static int prepare(snd_pcm_ioplug_t *io) {
    struct device *device = io->private_data;
    if (is(device, "gone"))
        return -ENODEV;
    device->frame = snd_pcm_format_physical_width(io->format) / 8 * io->channels;
    device->pending = realloc(device->pending, (io->buffer_size + 1) * device->frame);
    device->written = device->recorded = 0;
    device->position = device->moment = 0;
    char path[4096];
    snprintf(path, sizeof path, "%s.ready", device->record);
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    return 0;
}

static void let_go(struct device *device) {
    if (device->io.poll_fd > 0)
        close(device->io.poll_fd);
    if (device->lock >= 0)
        close(device->lock);
    free(device->pending);
    free(device->record);
    free(device->control);
    free(device);
}

static int close_device(snd_pcm_ioplug_t *io) {
    let_go(io->private_data);
    return 0;
}

#define CALLS .start = start, .stop = stop, .pointer = pointer, .transfer = transfer, .delay = delay, .prepare = prepare, \
              .resume = resume, .close = close_device
static const snd_pcm_ioplug_callback_t calls = {CALLS}, calls_with_pause = {CALLS, .pause = set_paused};

SND_PCM_PLUGIN_DEFINE_FUNC(engine_test) {
    struct device *device = calloc(1, sizeof *device);
    const char *text = NULL;
    unsigned format = SND_PCM_FORMAT_FLOAT_LE;
    const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
    long channels = 2, rate = 48000;
    bool can_pause = false;
    device->speed = 1;
    snd_config_iterator_t each, next;
    snd_config_for_each(each, next, conf) {
        snd_config_t *entry = snd_config_iterator_entry(each);
        const char *id;
        snd_config_get_id(entry, &id);
        if (strcmp(id, "record") == 0 && snd_config_get_string(entry, &text) == 0)
            device->record = strdup(text);
        else if (strcmp(id, "control") == 0 && snd_config_get_string(entry, &text) == 0)
            device->control = strdup(text);
        else if (strcmp(id, "format") == 0 && snd_config_get_string(entry, &text) == 0)
            format = snd_pcm_format_value(text);
        else if (strcmp(id, "channels") == 0)
            snd_config_get_integer(entry, &channels);
        else if (strcmp(id, "rate") == 0)
            snd_config_get_integer(entry, &rate);
        else if (strcmp(id, "speed") == 0)
            snd_config_get_ireal(entry, &device->speed);
        else if (strcmp(id, "pause") == 0)
            can_pause = snd_config_get_bool(entry) == 1;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/exclusive", device->control);
    device->lock = open(path, O_RDONLY | O_CLOEXEC);
    if (device->lock >= 0 && flock(device->lock, LOCK_EX | LOCK_NB) != 0) {
        let_go(device);
        return -EBUSY;
    }
    device->io.version = SND_PCM_IOPLUG_VERSION;
    device->io.name = "a device of the tests";
    device->io.callback = can_pause ? &calls_with_pause : &calls;
    device->io.private_data = device;
    device->io.poll_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int status = snd_pcm_ioplug_create(&device->io, name, stream, mode);
    if (status < 0) {
        let_go(device);
        return status;
    }
    snd_pcm_ioplug_set_param_list(&device->io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
    snd_pcm_ioplug_set_param_list(&device->io, SND_PCM_IOPLUG_HW_FORMAT, 1, &format);
    snd_pcm_ioplug_set_param_minmax(&device->io, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
    snd_pcm_ioplug_set_param_minmax(&device->io, SND_PCM_IOPLUG_HW_RATE, rate, rate);
    snd_pcm_ioplug_set_param_minmax(&device->io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 256, 1 << 18);
    snd_pcm_ioplug_set_param_minmax(&device->io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 1024, 1 << 20);
    snd_pcm_ioplug_set_param_minmax(&device->io, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
    *pcmp = device->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(engine_test);
