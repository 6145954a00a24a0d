"""What the machine can do: the limits the figures above are held against."""
from . import baselines, programs

LIMITS = {"memory copied": "memoryCopy", "line ends found": "lineEnds", "hashed (XXH3)": "hashing", "inflated (zlib)": "zlibInflate",
          "JSON fields extracted (simdjson on demand)": "kinetoCeiling", "Kineto events parsed": "kinetoParse",
          "telemetry lines parsed": "charllmParse", "nvidia-smi rows parsed": "nvsmiParse"}


def measure(table, figures, make, full):
    del full
    for work, name in LIMITS.items():
        table.plain("limits", work, figures.mb_s(name), "MB/s")
    table.plain("limits", "disk read, past the cache", baselines.disk_read_mb_s(make.input("trace", 600_000)), "MB/s")
    table.plain("limits", "disk written and synced", baselines.disk_write_mb_s(programs.scratch("write")), "MB/s")
