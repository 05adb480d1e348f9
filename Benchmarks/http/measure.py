"""Measures HTTP: health and reads beside nginx, events and streams beside lines."""

import gzip
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "serving"))
from serving import Server, load  # noqa: E402

import streams  # noqa: E402

ROUNDS = 3
SECONDS = 3
IDLE = 9_000
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
NCHAN = "/usr/lib/nginx/modules/ngx_nchan_module.so"


def wrk(url, connections, script=None, *fields):
    """Requests per second; a request that fails ends the measurement."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s"]
    command += ["-s", script] if script else []
    for field in fields:
        command += ["-H", field]
    run = subprocess.run(command + [url], capture_output=True, text=True)
    if run.returncode != 0 or "Non-2xx" in run.stdout:
        sys.exit(f"wrk failed: {run.stdout}{run.stderr}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", run.stdout).group(1))


class Nginx:
    """One worker that answers `/health` by itself, other paths from files, and streams what is
    published if nchan is there."""

    def __init__(self, folder, port, state, asset):
        os.mkdir(f"{folder}/files")
        with open(f"{folder}/files/state", "wb") as file:
            file.write(state)
        with open(f"{folder}/files/asset.js", "wb") as file:
            file.write(asset)
        with gzip.open(f"{folder}/files/asset.js.gz", "wb") as file:
            file.write(asset)
        self.has_nchan = os.path.exists(NCHAN)
        streams = """
            location = /publish { nchan_publisher; nchan_channel_id c;
                nchan_message_buffer_length 10000; }
            location = /subscribe { nchan_subscriber eventsource; nchan_channel_id c;
                nchan_subscriber_first_message newest; }"""
        with open(f"{folder}/nginx.conf", "w") as file:
            # Else a worker of root's nginx couldn't read the folder.
            file.write("user root;" if os.geteuid() == 0 else "")
            file.write(f"load_module {NCHAN};" if self.has_nchan else "")
            file.write(f"""
                worker_processes 1; daemon off; pid {folder}/nginx.pid;
                error_log {folder}/nginx.log;
                events {{ worker_connections 4096; }}
                http {{
                    access_log off; keepalive_requests 100000000;
                    server {{
                        listen 127.0.0.1:{port}; root {folder}/files;
                        location = /health {{ return 200 '{{"live":true}}'; }}
                        location = /asset.js {{ gzip_static on; }}
                        {streams if self.has_nchan else ""}
                    }}
                }}""")
        self.process = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf"])
        time.sleep(1)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=10)


def raise_limit():
    """Lets this program have as many descriptors as it may."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def idle_memory(grove, data, count, request):
    """The KiB of each of some connections to a new server, which has no memory from other work."""
    server = Server(
        grove, data, "--listen", "127.0.0.1:0", "--web-listen", "127.0.0.1:0", addresses=2)
    web = server.addresses[1]
    for _ in range(200):
        urllib.request.urlopen(f"{web}/healthz").read()
    kibibytes = streams.memory(server, web, count, request)
    server.stop()
    return kibibytes


def turns(first, second):
    """The middle one of the ratios, and of the rates of `second`."""
    pairs = []
    for _ in range(ROUNDS):
        pairs.append((first(), second()))
    return (statistics.median(a / b for a, b in pairs), statistics.median(a for a, _ in pairs))


def main(grove, folder):
    server = Server(
        grove, f"{folder}/a.db", "--listen", "127.0.0.1:0", "--web-listen", "127.0.0.1:0",
        addresses=2)
    lines, web = server.addresses
    plain = Server(
        grove, f"{folder}/b.db", "--listen", "127.0.0.1:0", "--web-listen", "off")
    instance = f"{web}/v1/instances/order/o-1"
    event = urllib.request.Request(
        f"{instance}/events", json.dumps({"type": "place", "total": 30}).encode(),
        {"Content-Type": "application/json"})
    urllib.request.urlopen(event).read()
    state = urllib.request.urlopen(instance).read()
    page = urllib.request.urlopen(f"{web}/").read().decode()
    asset = f"{web}/" + re.search(r'src="(assets/[^"]+\.js)"', page).group(1)
    nginx = Nginx(folder, 7_489, state, urllib.request.urlopen(asset).read())
    packed = "Accept-Encoding: gzip"
    script = f"{folder}/event.lua"
    with open(script, "w") as file:
        file.write("""
            wrk.method = "POST"
            wrk.headers["Content-Type"] = "application/json"
            wrk.body = '"increment"'
            local instance, requests = 0, {}
            -- Written once, as the load of lines is.
            init = function()
                for i = 1, 50 do
                    requests[i] = wrk.format(nil, "/v1/instances/counter/b-" .. i .. "/events")
                end
            end
            request = function()
                instance = instance % 50 + 1
                return requests[instance]
            end""")
    rows = [
        ("`GET /healthz`, 64 connections, beside nginx with `return 200`",
         turns(lambda: wrk(f"{web}/healthz", 64),
               lambda: wrk("http://127.0.0.1:7489/health", 64))),
        (f"`GET I` of {len(state)} bytes, 64 connections, beside nginx with a file",
         turns(lambda: wrk(instance, 64), lambda: wrk("http://127.0.0.1:7489/state", 64))),
        ("a file of the console, 64 connections, beside nginx with `gzip_static`",
         turns(lambda: wrk(asset, 64, None, packed),
               lambda: wrk("http://127.0.0.1:7489/asset.js", 64, None, packed))),
        ("`POST I/events`, 50 connections, beside lines",
         turns(lambda: wrk(web, 50, script), lambda: load(grove, lines, 50, 1)[0])),
        ("lines, 50 × 1, on a server with HTTP, beside one without",
         turns(lambda: load(grove, lines, 50, 1)[0],
               lambda: load(grove, plain.addresses[0], 50, 1)[0])),
        ("records to 1,000 streams of events, beside 1,000 subscribers of lines",
         turns(lambda: streams.rate(web, lines, "events"),
               lambda: streams.rate(lines, lines, "lines"))),
    ]
    if nginx.has_nchan:
        text = streams.record(web)
        rows.append(
            ("the same streams, beside nginx with nchan",
             turns(lambda: streams.rate(web, lines, "events"),
                   lambda: streams.peer_rate("127.0.0.1:7489", text))))
    print("| what | per second | ratio |\n|---|---|---|")
    for what, (ratio, rate) in rows:
        print(f"| {what} | {rate:,.0f} | {ratio:.2f} |")
    late = streams.delay(lines, web)
    print(f"\n20 events per second to 1,000 streams: p99 to the last one {late * 1000:.0f} ms")
    raise_limit()
    idle = idle_memory(grove, f"{folder}/c.db", IDLE, HEALTH)
    stream = idle_memory(grove, f"{folder}/d.db", 1_000, streams.OPEN["events"])
    print(f"\n{IDLE:,} idle connections after a request take {idle:.1f} KiB each, "
          f"1,000 idle streams {stream:.1f} KiB")
    nginx.stop()
    server.stop()
    plain.stop()


main(*sys.argv[1:])
