# SPDX-License-Identifier: Apache-2.0
"""A cached segment over HTTP, compared with nginx."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from compare import in_turns
from harness import hls

NGINX = """
daemon off; pid {folder}/pid; error_log stderr error; worker_processes 1; {user}
events {{ worker_connections 256; }}
http {{
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""


def wrk(url, connections):
    """The rate in megabytes per second."""
    text = subprocess.run(["wrk", "-t1", f"-c{connections}", "-d2s", url], capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in text, text
    amount, unit = re.search(r"Transfer/sec:\s+([\d.]+)(\w+)", text).groups()
    return float(amount) * {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}[unit] / 1e6


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def measure(table, engine, film):
    with engine.session(film) as session:
        segment = max(hls.Media(session.master().variants[0][1]).segments[:20], key=lambda each: each.duration)
        body = hls.fetch(segment.url)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="engine-bench-"))
        port = free_port()
        (folder / "nginx.conf").write_text(
            NGINX.format(folder=folder, port=port, user="user root;" if os.geteuid() == 0 else ""))
        (folder / "segment.m4s").write_bytes(body)
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        process = subprocess.Popen([program, "-c", folder / "nginx.conf", "-p", folder])
        try:
            peer = f"http://127.0.0.1:{port}/segment.m4s"
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            for connections in (1, 8):
                ours, theirs = in_turns(lambda _: wrk(segment.url, connections), lambda _: wrk(peer, connections))
                table.add(f"cached segment of {len(body) / 1e6:.0f} MB, {connections} conn.", ours, theirs, "MB/s", "≥ 800", "nginx", more_is_better=True)
        finally:
            process.terminate()
            process.wait()
            shutil.rmtree(folder)
