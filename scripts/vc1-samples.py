# SPDX-License-Identifier: Apache-2.0
"""Writes real VC-1 and WMV3 samples, from the test data of two Debian source packages (LGPL-2.1, not part of the
project).

    vc1-samples.py PACKAGES OUT

Fetches the packages into PACKAGES through apt, from the machine's package mirrors, without changing apt's state, and
writes into OUT: `real.vc1`, ten seconds of a single encoded picture in twelve quantisations alternating with
repetitions, and `cut.rcv`, ten seconds of I, P, B and BI pictures that are truncated. If the packages are unavailable,
exits with 1 and a message.
"""

import hashlib
import pathlib
import re
import struct
import subprocess
import sys
import tarfile

# Digests of each array, independent of the version of the package.
ARRAYS = {
    "gstreamer-vaapi": ("tests/internal/test-vc1.c", {
        "vc1_clip": "69a2b08f19af93760f22079c260938af18753ebba81cd0292e8484bd1bfe32fc",
    }),
    "gst-plugins-bad1.0": ("tests/check/libs/vc1parser.c", {
        "iframe_main": "f3868fee506620d0bd8779c3073f35cdcc28b33a3a7d6d8247936de631f64ca6",
        "pframe_main": "87ade8c18708fe30c81d17b51e5d42ebcecefe2562abda25c8c9af87f3d8df0a",
        "bframe_main": "e17f40179005e4c13efb38e5cb87e09b83b7ef0bb53f04a335da5383c9f66ab6",
        "biframe_main": "df01b9c66ada48e1f73b0c3178e17765e0b52e5ce8d61a333fcec9a6b6d50d85",
        "i_bi_frame_header": "59292890d5797e3fed0cfb61d0798ba3ff6ac83154787fe76c8d1360c4d72d3a",
    }),
}
KEYRINGS = ["/usr/share/keyrings/debian-archive-keyring.gpg", "/usr/share/keyrings/debian-archive-keyring.pgp"]
PATIENCE = 300


class Absent(Exception):
    pass


def run(*words, **keywords):
    try:
        return subprocess.run(words, check=True, capture_output=True, text=True, timeout=PATIENCE, **keywords).stdout
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or "").strip().splitlines()
        raise Absent(f"{words[0]}: {said[-1] if said else error}") from error


def fetch(package, folder):
    """The upstream archive of a source package."""
    for kept in folder.glob(f"{package}_*.orig.tar.*"):
        if not kept.name.endswith(".asc"):
            return kept
    places = set(run("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)",
                     "Created-By: Packages", "Origin: Debian").splitlines())
    if not places:
        raise Absent("apt knows no packages of Debian: apt-get update has not been run")
    signed = next((f"[signed-by={each}] " for each in KEYRINGS if pathlib.Path(each).exists()), "")
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (folder / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text("".join(f"deb-src {signed}{each}\n" for each in sorted(places)))
    (folder / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{folder}/sources.list";\nDir::Etc::sourceparts "/dev/null";\n'
        f'Dir::State::lists "{folder}/lists";\nDir::Cache "{folder}/cache";\nAcquire::Languages "none";\n'
        'APT::Sandbox::User "";\nAcquire::Retries "2";\nAcquire::http::Timeout "20";\nAcquire::https::Timeout "20";\n')
    apt = ("apt-get", "-qq", "-c", str(folder / "apt.conf"))
    if not any((folder / "lists").glob("*_Sources*")):
        run(*apt, "update")
    run(*apt, "source", "--download-only", "--tar-only", package, cwd=folder)
    found = [each for each in folder.glob(f"{package}_*.orig.tar.*") if not each.name.endswith(".asc")]
    if not found:
        raise Absent(f"{package} has come without an archive")
    return found[0]


def arrays(package, folder):
    path, wanted = ARRAYS[package]
    with tarfile.open(fetch(package, folder)) as archive:
        member = next((each for each in archive if each.name.partition("/")[2] == path), None)
        if member is None:
            raise Absent(f"{package} has no {path} any more")
        text = archive.extractfile(member).read().decode()
    found = {}
    for name, digest in wanted.items():
        body = re.search(rf"\b{name}\[[^\]]*\]\s*=\s*\{{(.*?)\}};", text, re.DOTALL)
        values = re.sub(r"/\*.*?\*/", "", body[1], flags=re.DOTALL) if body else ""
        found[name] = bytes(int(each, 16) for each in re.findall(r"0x[0-9a-fA-F]+", values))
        if hashlib.sha256(found[name]).hexdigest() != digest:
            raise Absent(f"{name} of {package} is another than it was")
    return found


def real(clip):
    """A 320x240 picture after its headers, without the end marker. The bits of PTYPE and RNDCTRL precede those of
    PQINDEX and HALFQP, which set the coarseness of the quantisation: values from 3 to 8 have the same syntax."""
    head, mark, picture = clip.removesuffix(b"\0\0\1\x0a").partition(b"\0\0\1\x0d")
    looks = []
    for index in range(3, 9):
        for half in (0, 1):
            looks.append(bytes((picture[0] & 0xF0 | index >> 1, (index & 1) << 7 | half << 6 | picture[1] & 0x3F)) + picture[2:])
    # A skipped picture, four bits of PTYPE, repeats the picture before it.
    repeated = mark + b"\xf8"
    whole = [head + mark + looks[number // 2 * 5 % 12] if number % 2 == 0 else repeated for number in range(250)]
    return b"".join(whole) + b"\0\0\1\x0a"


def cut(parts):
    """The pictures as RCV (SMPTE 421M, Annex L), 320x240, 25 per second."""
    order = ["iframe_main", "pframe_main", "bframe_main", "biframe_main", "pframe_main"]
    out = struct.pack("<II", 250 | 0xC5 << 24, 4) + parts["i_bi_frame_header"] + struct.pack("<6I", 240, 320, 12, 0, 0, 25)
    for number in range(250):
        body = parts[order[number % 5]]
        out += struct.pack("<II", len(body) | (number % 5 == 0) << 31, number * 40) + body
    return out


def main(packages, out):
    packages, out = pathlib.Path(packages), pathlib.Path(out)
    packages.mkdir(parents=True, exist_ok=True)
    try:
        found = {name: data for package in ARRAYS for name, data in arrays(package, packages).items()}
    except Absent as reason:
        sys.exit(str(reason))
    (out / "real.vc1").write_bytes(real(found["vc1_clip"]))
    (out / "cut.rcv").write_bytes(cut(found))


main(*sys.argv[1:])
