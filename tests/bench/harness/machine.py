"""What the machine can do: the limits the figures above are held against."""
from . import baselines, programs

LIMITS = {"memory copied": "memoryCopy", "line ends found": "lineEnds", "hashed (XXH3)": "hashing", "inflated (zlib)": "zlibInflate",
          "inflated here": "kinetoDecompress/1", "JSON walked (simdjson on demand)": "kinetoSimdjson",
          "JSON, five fields taken (simdjson on demand)": "kinetoSimdjsonSpans"}
PARSERS = {"Kineto text to records, one thread": "kinetoParse", "Kineto read, all threads, no store": "kinetoRead/0",
           "Kineto .gz read, all threads, no store": "kinetoRead/1", "Kineto .zst read, all threads, no store": "kinetoRead/2",
           "telemetry lines to samples and statistics, one thread": "charllmBlock", "telemetry read, all threads, no store": "charllmFile",
           "small telemetry files read, all threads, no store": "charllmSmallFiles", "nvidia-smi read, all threads, no store": "nvsmiLog",
           "execution trace read, no store": "executionTrace", "NCCL log read": "ncclLog", "flight recorder dump read": "flightRecorder",
           "tar.gz listed, 64 members read from the last to the first": "archiveBackwards"}


def measure(table, figures, make, full):
    del full
    for work, name in LIMITS.items():
        table.plain("limits", work, figures.mb_s(name), "MB/s")
    for work, name in PARSERS.items():
        table.plain("parsers", work, figures.mb_s(name), "MB/s")
    table.plain("limits", "disk read, past the cache", baselines.disk_read_mb_s(make.input("trace", 600_000)), "MB/s")
    table.plain("limits", "disk written and synced", baselines.disk_write_mb_s(programs.scratch("write")), "MB/s")
