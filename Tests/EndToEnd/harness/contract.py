# SPDX-License-Identifier: Apache-2.0
"""The stubs that grpcio generates from Proto/, once per run."""

import pathlib
import sys
import tempfile

from grpc_tools import protoc

from .places import ROOT

_out = tempfile.mkdtemp(prefix="engine-proto-")
_files = [str(path.relative_to(ROOT / "Proto")) for path in sorted((ROOT / "Proto" / "engine").rglob("*.proto"))]
assert protoc.main(
    ["protoc", f"-I{ROOT / 'Proto'}", f"--python_out={_out}", f"--grpc_python_out={_out}", *_files]
) == 0, "the contract does not compile"
sys.path.insert(0, str(pathlib.Path(_out)))

from engine.v1 import (  # noqa: E402, F401
    engine_pb2, engine_pb2_grpc, filters_pb2, frames_pb2, http_pb2, loudness_pb2, media_pb2, programs_pb2, software_pb2, sources_pb2, state_pb2, stills_pb2,
    subtitles_pb2, tap_pb2, web_pb2,
)
