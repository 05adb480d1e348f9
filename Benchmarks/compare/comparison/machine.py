"""The machine that a comparison runs on."""

import os
import platform
import statistics
import time


def describe(folder):
    """What decides the figures: processor, memory, kernel, file system and disk."""
    sync = sync_times(folder)
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor(),
        "memory_gib": round(
            os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "kernel": platform.release(),
        "file_system": file_system(folder),
        "fdatasync_p50_us": round(statistics.median(sync) * 1e6),
        "fdatasync_p99_us": round(sorted(sync)[int(len(sync) * 0.99)] * 1e6),
        "load_before": round(os.getloadavg()[0], 2),
        "date": time.strftime("%Y-%m-%d"),
    }


def processor():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def file_system(folder):
    """The type of the file system that a folder is on."""
    folder = os.path.realpath(folder)
    best, kind = "", "unknown"
    with open("/proc/mounts") as file:
        for line in file:
            _, place, found = line.split()[:3]
            inside = folder == place or folder.startswith(place.rstrip("/") + "/")
            if inside and len(place) >= len(best):
                best, kind = place, found
    return kind


def sync_times(folder, count=300):
    """Seconds of fdatasync after appending 4 KiB, one after the other."""
    path = os.path.join(folder, "sync")
    times = []
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        for _ in range(count):
            os.write(descriptor, b"\0" * 4096)
            began = time.perf_counter()
            os.fdatasync(descriptor)
            times.append(time.perf_counter() - began)
    finally:
        os.close(descriptor)
        os.unlink(path)
    return times


def sync_us(folder):
    """How long the disk takes for a sync just now, in microseconds."""
    return round(statistics.median(sync_times(folder, 20)) * 1e6)


def in_words(machine):
    return (
        f"{machine['cores']} cores ({machine['processor']}), {machine['memory_gib']} GiB, Linux "
        f"{machine['kernel']}, {machine['file_system']}; `fdatasync` of 4 KiB takes "
        f"{machine['fdatasync_p50_us'] / 1000:.2f} ms (p50), "
        f"{machine['fdatasync_p99_us'] / 1000:.2f} ms (p99).")
