# SPDX-License-Identifier: Apache-2.0
"""Seeds that are playlists, for `make-seeds.py`."""

import struct


def texts(write):
    media = ("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-MAP:URI=\"init.mp4\","
             "BYTERANGE=\"800@0\"\n#EXTINF:4.000000,\n#EXT-X-BYTERANGE:100@800\n0.m4s\n#EXT-X-DISCONTINUITY\n"
             "#EXTINF:2.5,\n1.m4s\n#EXT-X-ENDLIST\n")
    master = ("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"x\","
              "LANGUAGE=\"en\",DEFAULT=YES,CHANNELS=\"16/JOC\",URI=\"a.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=100,CODECS="
              "\"hvc1.2.4.L153.B0,ec-3\",SUPPLEMENTAL-CODECS=\"dvh1.08.06/db1p\",RESOLUTION=1920x1080,VIDEO-RANGE=PQ,"
              "FRAME-RATE=23.976,AUDIO=\"a\"\nv.m3u8\n")
    # A playlist and its delta update, of the same length.
    head = ("#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:1\n#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=6.0\n#EXT-X-MEDIA-SEQUENCE:3\n")
    entries = [f"#EXTINF:1.0,\n{number}.m4s\n" for number in range(3, 12)]
    whole = head + "#EXT-X-MAP:URI=\"init.mp4\"\n" + "".join(entries)
    delta = head + "#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n" + "".join(entries[3:])
    reloads = whole + delta + "\n" * (len(whole) - len(delta))
    for name, text in {"media": media, "master": master, "delta": reloads, "language": "zh-Hant-TW", "word": "english"}.items():
        write("playlists", name, text.encode())


def presentations(write, pieces):
    """Playlists of sources, each seed with one or more loads of one playlist; and heads of segments."""
    head = ("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=24,CAN-SKIP-DATERANGES=YES\n"
            "#EXT-X-PART-INF:PART-TARGET=1\n#EXT-X-MEDIA-SEQUENCE:7\n")
    whole = ("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x0b\n#EXT-X-MAP:URI=\"i\",BYTERANGE=\"9@0\"\n#EXT-X-PROGRAM-DATE-TIME:"
             "2026-11-05T08:00:00.5+01:00\n#EXTINF:4.0,t\n#EXT-X-BYTERANGE:9@9\na\n#EXT-X-DISCONTINUITY\n#EXTINF:4\n#EXT-X-BYTERANGE:9\na\n"
             "#EXT-X-PART:DURATION=1,URI=\"b\"\n#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"c\"\n#EXT-X-RENDITION-REPORT:URI=\"d\",LAST-MSN=8\n")
    delta = "#EXT-X-SKIP:SKIPPED-SEGMENTS=2,RECENTLY-REMOVED-DATERANGES=\"1\"\n#EXTINF:4,\n#EXT-X-BYTERANGE:5\na\n"
    reset = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:4,\nb.ts\n"
    breaks = ("#EXTM3U\n#EXT-X-DATERANGE:ID=\"1\",START-DATE=\"2026-11-05T08:00:00Z\",SCTE35-OUT=0xFC00,X-ASSET-URI=\"a\"\n#EXT-X-KEY:METHOD="
              "SAMPLE-AES,URI=\"k\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n#EXT-X-CUE-OUT-CONT:2/30\n#EXT-OATCLS-SCTE35:/AAR\n"
              "#EXTINF:6,\n../a.ts\n#EXT-X-CUE-IN\n#EXT-X-GAP\n#EXTINF:6,\n//h/b.ts\n#EXT-X-ENDLIST\n")
    master = ("#EXTM3U\n#EXT-X-DEFINE:NAME=\"n\",VALUE=\"x\"\n#EXT-X-DEFINE:QUERYPARAM=\"token\"\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\","
              "NAME=\"{$n}\",URI=\"a\"\n#EXT-X-STREAM-INF:BANDWIDTH=2000000,CODECS=\"avc1,mp4a\",RESOLUTION=1280x720,AUDIO=\"a\"\n{$token}/1\n"
              "#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS=avc1,mp4a,AUDIO=\"a\"\n2\n#EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES\n")
    for name, loads in {"reloads": [head + whole, head + delta, reset, reset], "breaks": [breaks], "master": [master]}.items():
        write("presentations", name, pieces([load.encode() for load in loads]))
    stamp = b"com.apple.streaming.transportStreamTimestamp\0" + struct.pack(">Q", 1 << 32 | 0xFF000102)
    frame = b"PRIV" + struct.pack(">IH", len(stamp), 0) + stamp
    write("presentations", "audio", b"ID3\x04\0\0" + struct.pack(">I", len(frame)) + frame)
    splice = "fc302f000000000000fffff014054800008f7feffe7369c02efe0052ccf500000000000a0008435545490000013562dba30a"
    write("presentations", "splice", bytes.fromhex(splice))
    write("presentations", "text", b"WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:01.000\n\n")
