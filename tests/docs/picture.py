#!/usr/bin/python3
"""README's picture of the Overview is what the program draws of the sample, but for single pixels.

picture.py PROGRAM SAMPLE [OUT]: with OUT it writes the picture there."""
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PICTURE = SOURCE / "resources/help/overview.png"
BLOCK = 12  # pixels: text may move a little with the fonts' rasteriser
MOST_OFF = 40  # of 255, of a block's mean


def drawn(program, sample, folder):
    pdf = folder / "overview.pdf"
    subprocess.run([program, "figure", sample, "--kind", "overview", "--run", "pytorch gpt-255m 1xH100", "--theme", "light",
                    "--width-mm", "330", "--out", pdf, "--csv", folder / "numbers.csv"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["pdftoppm", "-r", "60", "-png", "-singlefile", pdf, folder / "overview"], check=True)
    return folder / "overview.png"


def grey(path):
    """Rows of grey values of a PNG of 8 bits a colour, without interlacing."""
    data = path.read_bytes()
    at, packed, width, height, channels = 8, b"", 0, 0, 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, _, colours = struct.unpack(">IIBB", body[:10])
            channels = {0: 1, 2: 3, 6: 4}[colours]
        elif kind == b"IDAT":
            packed += body
        at += length + 12
    raw, stride = zlib.decompress(packed), width * channels
    rows, before = [], bytearray(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left = line[x - channels] if x >= channels else 0
            above, corner = before[x], before[x - channels] if x >= channels else 0
            guess = left + above - corner
            near = min((left, above, corner), key=lambda value: abs(guess - value))
            line[x] = (line[x] + (0, left, above, (left + above) // 2, near)[kind]) & 255
        rows.append([sum(line[x:x + min(channels, 3)]) / min(channels, 3) for x in range(0, stride, channels)])
        before = line
    return rows


def blocks(rows):
    means = {}
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            total = means.setdefault((y // BLOCK, x // BLOCK), [0, 0])
            total[0] += value
            total[1] += 1
    return {place: total / count for place, (total, count) in means.items()}


def main(program, sample, out=None):
    if shutil.which("pdftoppm") is None:
        print("SKIPPED: pdftoppm is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        made = drawn(program, sample, pathlib.Path(folder))
        if out:
            shutil.copy(made, out)
            return
        now, kept = grey(made), grey(PICTURE)
    if (len(now), len(now[0])) != (len(kept), len(kept[0])):
        sys.exit(f"The Overview has another size than {PICTURE.name}; tests/docs/picture.py PROGRAM SAMPLE OUT makes it anew.")
    one, other = blocks(now), blocks(kept)
    off = sum(abs(one[place] - other[place]) > MOST_OFF for place in one)
    print(f"{off} of {len(one)} blocks differ")
    if off > len(one) / 100:
        sys.exit(f"The Overview looks otherwise than {PICTURE.name}; tests/docs/picture.py PROGRAM SAMPLE OUT makes it anew.")


if __name__ == "__main__":
    main(*sys.argv[1:])
