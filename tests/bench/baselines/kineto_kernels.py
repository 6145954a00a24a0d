"""Time and count per kernel name of a Kineto trace, streamed with ijson (else the json module)."""
import collections
import json
import sys
import time

try:
    import ijson
except ImportError:
    ijson = None


def main():
    start = time.perf_counter()
    totals = collections.defaultdict(lambda: [0, 0.0])
    with open(sys.argv[1], "rb") as file:
        events = ijson.items(file, "traceEvents.item") if ijson else json.load(file)["traceEvents"]
        for event in events:
            if event.get("cat", "").lower() == "kernel":
                entry = totals[event["name"]]
                entry[0] += 1
                entry[1] += float(event["dur"])
    print(f"{time.perf_counter() - start:.6f} {'ijson' if ijson else 'json'} {len(totals)}")


main()
