# SPDX-License-Identifier: Apache-2.0
"""Requests for snapshots and thumbnails."""

from .contract import stills_pb2
from .engine import PATIENCE


def source(path):
    return stills_pb2.StillSource(source=str(path))


def style(**values):
    return stills_pb2.StillStyle(**values)


PNG = style(format=stills_pb2.STILL_FORMAT_PNG)


def snapshot(engine, of, microseconds, look=PNG, **options):
    request = stills_pb2.SnapshotRequest(of=of, time_us=microseconds, style=look, **options)
    return engine.stub.Snapshot(request, timeout=PATIENCE)


def thumbnail(engine, of, microseconds, look=PNG, **options):
    request = stills_pb2.ThumbnailRequest(of=of, time_us=microseconds, style=look, **options)
    return engine.stub.Thumbnail(request, timeout=PATIENCE)
