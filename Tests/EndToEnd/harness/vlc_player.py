# SPDX-License-Identifier: Apache-2.0
"""VLC through libvlc, which also runs as root. A standalone program, because libvlc's threads do not end with a test.

Usage: vlc_player.py URL FILE SECONDS [LANGUAGE]. Plays for SECONDS in real time and writes the audio to FILE: signed
16-bit samples in two channels at 48 kHz. With LANGUAGE, it switches to that language halfway and plays on after SECONDS
until two seconds of that language were played. FILE is renamed to FILE.before at the switch.
"""

import ctypes
import os
import sys
import time


class Track(ctypes.Structure):
    pass


Track._fields_ = [("id", ctypes.c_int), ("name", ctypes.c_char_p), ("next", ctypes.POINTER(Track))]

URL, FILE, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
LANGUAGE = sys.argv[4] if len(sys.argv) > 4 else None
PATIENCE = float(os.environ.get("ENGINE_PATIENCE", "60"))
PLAYING, ENDED, FAILED = 3, 6, 7
OPTIONS = [b"--intf=dummy", b"--vout=dummy", b"--aout=afile", b"--audiofile-file=" + FILE.encode(),
           b"--audiofile-format=s16", b"--audiofile-channels=2", b"--no-audiofile-wav", b"--no-lua", b"--quiet"]

vlc = ctypes.CDLL("libvlc.so.5")
vlc.libvlc_new.restype = vlc.libvlc_media_new_location.restype = ctypes.c_void_p
vlc.libvlc_media_player_new_from_media.restype = ctypes.c_void_p
vlc.libvlc_media_player_get_time.restype = ctypes.c_int64
vlc.libvlc_audio_get_track_description.restype = ctypes.POINTER(Track)

instance = ctypes.c_void_p(vlc.libvlc_new(len(OPTIONS), (ctypes.c_char_p * len(OPTIONS))(*OPTIONS)))
media = ctypes.c_void_p(vlc.libvlc_media_new_location(instance, URL.encode()))
player = ctypes.c_void_p(vlc.libvlc_media_player_new_from_media(media))


def track(language):
    """The number of the track whose name contains the language."""
    each = vlc.libvlc_audio_get_track_description(player)
    while each:
        if language in (each.contents.name or b"").decode():
            return each.contents.id
        each = each.contents.next
    sys.exit(f"there is no track {language}")


def is_heard():
    """Whether the file contains two seconds of audio."""
    return os.path.exists(FILE) and os.path.getsize(FILE) >= 2 * 48000 * 4


vlc.libvlc_media_player_play(player)
end, has_switched = time.monotonic() + SECONDS + PATIENCE, LANGUAGE is None
while (at := vlc.libvlc_media_player_get_time(player) / 1000) < SECONDS or LANGUAGE and not is_heard():
    state = vlc.libvlc_media_player_get_state(player)
    if state in (ENDED, FAILED) or time.monotonic() > end:
        sys.exit(f"VLC is in state {state} at {at} s")
    if not has_switched and at >= SECONDS / 2 and is_heard():
        has_switched = True
        os.rename(FILE, FILE + ".before")
        vlc.libvlc_audio_set_track(player, track(LANGUAGE))
    time.sleep(0.05)
vlc.libvlc_media_player_stop(player)
