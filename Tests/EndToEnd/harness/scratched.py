# SPDX-License-Identifier: Apache-2.0
"""A file system (FUSE) with one file, parts of which cannot be read, like a scratched disc. Run as a program by `mounted`."""

import contextlib
import errno
import json
import pathlib
import subprocess
import sys

from .engine import eventually

BLOCK = {"dvd": 16 * 2048, "bluray": 32 * 2048}


@contextlib.contextmanager
def mounted(folder, image, ranges):
    """Yields a copy of an image in which reads of these (start, end) fail with EIO. Needs permission to mount with FUSE."""
    point = folder / "scratched"
    point.mkdir(exist_ok=True)
    process = subprocess.Popen([sys.executable, "-m", "harness.scratched", str(point), str(image), json.dumps(ranges)],
                               cwd=pathlib.Path(__file__).resolve().parents[1])
    try:
        eventually(lambda: (point / image.name).exists() or process.poll() is not None, "the file system")
        assert process.poll() is None, "the file system did not start"
        yield point / image.name
    finally:
        subprocess.run(["fusermount3", "-u", point], check=False)
        process.wait()


def operations(image, ranges):
    import fuse

    class Scratched(fuse.Operations):
        """The kernel chooses the pieces in which it reads. A piece that touches a bad range fails as a whole."""

        def __init__(self):
            self.file = open(image, "rb")  # pylint: disable=consider-using-with
            self.size = pathlib.Path(image).stat().st_size

        def getattr(self, path, fh=None):
            if path == "/":
                return {"st_mode": 0o40555, "st_nlink": 2}
            if path != f"/{pathlib.Path(image).name}":
                raise fuse.FuseOSError(errno.ENOENT)
            return {"st_mode": 0o100444, "st_nlink": 1, "st_size": self.size, "st_mtime": 1}

        def readdir(self, path, fh):
            return [".", "..", pathlib.Path(image).name]

        def read(self, path, size, offset, fh):
            if any(start < offset + size and offset < end for start, end in ranges):
                raise fuse.FuseOSError(errno.EIO)
            self.file.seek(offset)
            return self.file.read(size)

    return fuse, Scratched()


if __name__ == "__main__":
    fuse, scratched = operations(sys.argv[2], json.loads(sys.argv[3]))
    fuse.FUSE(scratched, sys.argv[1], foreground=True, nothreads=True, ro=True, direct_io=True)
