# SPDX-License-Identifier: Apache-2.0
"""alsa-lib devices on a machine without hardware: a configuration for tests, and recordings of what was played."""

import functools
import pathlib
import subprocess
import tempfile

import numpy

from .engine import PATIENCE

# `card` cannot pause, like alsa-lib's `dmix`; `pausing` can. Both play 48 kHz stereo in real time.
DEVICES = """
pcm_type.engine_test {{ lib "{plugin}" }}
pcm.card {{ type engine_test record "{folder}/card" control "{folder}" }}
pcm.pausing {{ type engine_test record "{folder}/pausing" control "{folder}" pause true }}
pcm.fast {{ type engine_test record "{folder}/fast" control "{folder}" speed 1.01 }}
pcm.short {{ type engine_test record "{folder}/short" control "{folder}" format S16_LE rate 44100 }}
pcm.long {{ type engine_test record "{folder}/long" control "{folder}" format S32_LE }}
pcm.plugged {{ type plug slave.pcm card }}
pcm.studio {{ type engine_test record "{folder}/studio" control "{folder}" channels 10 }}
pcm.wide {{ type plug slave.pcm studio }}
pcm.odd {{ type engine_test record "{folder}/odd" control "{folder}" format S8 }}
pcm.void {{ type null }}
pcm.unknown {{ type file file "{folder}/unknown" format raw slave.pcm void }}
pcm.pulse {{ type pulse device stereo }}
pcm.copied {{ type file file "{folder}/copied" format raw slave.pcm pulse }}
pcm.default card
"""


@functools.cache
def plugin():
    """The test device, compiled as a plugin of alsa-lib."""
    source = pathlib.Path(__file__).with_name("alsa_device.c")
    target = pathlib.Path(tempfile.mkdtemp(prefix="engine-alsa-"), "libengine_test.so")
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-shared", "-fPIC", "-DPIC", "-o", target,
                    source, "-lasound"], check=True, timeout=PATIENCE)
    return target


class Devices:
    """The configuration for `ALSA_CONFIG_PATH`, and the files to which the devices record."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.configuration = self.folder / "asound.conf"
        self.configuration.write_text(DEVICES.format(plugin=plugin(), folder=self.folder))

    def add_map(self, name, channels):
        """Adds a device without timing that has the given channel map."""
        with open(self.configuration, "a") as configuration:
            configuration.write(
                f'pcm.{name} {{ type file file "{self.folder}/{name}" format raw '
                f'slave.pcm {{ type null chmap [ "{channels}" ] }} }}\n')

    def reset(self):
        """Deletes all recordings and events."""
        for path in self.folder.iterdir():
            if path != self.configuration:
                path.unlink()

    def heard(self, name):
        """All bytes that a device has played since the last reset."""
        path = self.folder / name
        return path.read_bytes() if path.exists() else b""

    def is_ready(self, name):
        """Whether the device has been set up."""
        return (self.folder / f"{name}.ready").exists()

    def channel(self, name, number, channels):
        data = self.heard(name)
        return numpy.frombuffer(data, "<f4", len(data) // (4 * channels) * channels)[number::channels]

    def set_event(self, what):
        """`gone`, `asleep`, `forgetful`, `stuck`: see alsa_device.c."""
        (self.folder / what).touch()

    def clear_event(self, what):
        (self.folder / what).unlink()
