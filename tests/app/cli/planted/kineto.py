"""The moments of a job as traces of PyTorch's profiler, one of each rank."""
import json

BEGIN_NS = 5_000_000_000
BASE_NS = 1_700_000_000_000_000_000


class Clock:
    """A rank's clock: ns ahead of the true one, and by how much it runs too fast."""

    def __init__(self, ahead_ns=0, drift=0.0):
        self.ahead_ns, self.drift = ahead_ns, drift

    def us(self, at):
        return round((BEGIN_NS + at + int(at * self.drift) + self.ahead_ns) / 1000, 3)


class RankWriter:
    def __init__(self, rank, clock, has_records, is_hip):
        self.rank, self.clock, self.has_records, self.is_hip = rank, clock, has_records, is_hip
        self.process, self.events = 4000 + rank.number, []

    def add(self, category, name, place, begin, end, arguments):
        at = self.clock.us(begin)
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": place[0], "tid": place[1], "ts": at,
                            "dur": round(self.clock.us(end) - at, 3), "args": arguments})

    def add_call(self, call):
        place, begin, end = (self.process, self.process + call.track), call.start.at, call.end.at
        if call.operator:
            self.add("cpu_op", call.operator, place, begin - 2000, end + 1000,
                     {"External id": call.correlation + 1_000_000})
        name = call.name.replace("cuda", "hip") if self.is_hip else call.name
        self.add("cuda_runtime", name, place, begin, end,
                 {"External id": call.correlation, "cbid": 211, "correlation": call.correlation})
        if call.sync and self.has_records:
            self.add_record(call, *call.sync)

    def add_record(self, call, kind, stream, awaited_stream, awaited_call):
        self.add("cuda_sync", kind, (0, stream), call.start.at + 200, call.end.at - 200, {
            "External id": call.correlation, "correlation": call.correlation, "cuda_sync_kind": kind, "device": 0,
            "context": 1, "stream": stream, "wait_on_stream": awaited_stream,
            "wait_on_cuda_event_record_corr_id": awaited_call, "wait_on_cuda_event_id": max(0, awaited_call)})

    def add_work(self, work):
        self.add(work.category, work.name, (0, work.track), work.start.at, work.end.at, {
            "External id": work.correlation, "device": 0, "context": 1, "stream": work.track,
            "correlation": work.correlation, **work.arguments})

    def trace(self, world):
        mine = [one for one in self.rank.job.operations if one.rank == self.rank.number]
        for one in mine:
            if one.kind != "mark":
                (self.add_call if one.kind == "call" else self.add_work)(one)
        for index, begin, end in self.rank.steps:
            self.add("user_annotation", f"ProfilerStep#{index}", (self.process, self.process + 1), begin.start.at,
                     end.start.at, {"External id": 1})
        self.events.sort(key=lambda event: event["ts"])
        for stream in sorted({one.track for one in mine if one.kind == "kernel"}):
            self.events.append({"ph": "M", "name": "thread_name", "ts": 0, "pid": 0, "tid": stream,
                                "args": {"name": f"stream {stream} "}})
        return {"schemaVersion": 1,
                "distributedInfo": {"backend": "nccl", "rank": self.rank.number, "world_size": world},
                "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 84929347584,
                                      "numSms": 132}],
                "baseTimeNanoseconds": BASE_NS, "displayTimeUnit": "ms", "traceEvents": self.events}


def write(job, folder, clocks=None, has_records=False, is_hip=False):
    folder.mkdir()
    for number, rank in job.ranks.items():
        writer = RankWriter(rank, (clocks or {}).get(number, Clock()), has_records, is_hip)
        trace = writer.trace(len(job.ranks))
        (folder / f"rank{number}.pt.trace.json").write_text(json.dumps(trace))
