"""A training job as moments that wait for moments, solved one after the other. It knows nothing of how the program
replays a step: a trace is written of the moments, and a change is solved anew."""
import random

US = 1000
LAUNCH_NS = 8 * US  # from a call's begin to the earliest begin of its kernel
GAP_NS = 1 * US  # between two kernels of a stream
EVENT_NS = 1500  # behind work of another stream
RETURN_NS = 3 * US  # from the end of work to the end of the call that waits for it
SYNC_CALLS = {"Context Sync": "cudaDeviceSynchronize", "Stream Sync": "cudaStreamSynchronize",
              "Event Sync": "cudaEventSynchronize"}


class Moment:
    """The latest of the moments it waits for, each with a span of time that belongs to an operation's part."""
    __slots__ = ("at", "waits")

    def __init__(self):
        self.at = 0
        self.waits = []  # (moment, ns, operation, part)


class Operation:
    """A call of the host, work of a device, or a mark of a step. Parts: "work" is its own time, "before" the host's
    time before a call, "launch" and "gap" hold work back, "meet" is for peers of a collective, "return" for a
    synchronisation."""

    def __init__(self, kind, name, rank, track, work_ns):
        self.kind, self.name, self.rank, self.track, self.work_ns = kind, name, rank, track, work_ns
        self.start, self.end = Moment(), Moment()
        self.operator = self.sync = None
        self.category, self.arguments, self.correlation = "kernel", {}, 0
        self.end.waits.append((self.start, work_ns, self, "work"))

    def after(self, moment, ns, part):
        self.start.waits.append((moment, ns, self, part))

    def ends_after(self, moment, ns, part):
        self.end.waits.append((moment, ns, self, part))


class Job:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ranks, self.operations, self.groups, self.order = {}, [], {}, None

    def jittered(self, us):
        return int(us * US * self.random.uniform(0.97, 1.03))

    def rank(self, number):
        return self.ranks.setdefault(number, Rank(self, number))

    def add(self, *facts):
        self.operations.append(Operation(*facts))
        return self.operations[-1]

    def meet(self, name, operation):
        """The transfer of a collective begins as its last rank arrives."""
        members = self.groups.setdefault(name, [])
        for member in members:
            member.ends_after(operation.start, member.work_ns, "meet")
            operation.ends_after(member.start, operation.work_ns, "meet")
        members.append(operation)

    def solve(self, change=None):
        """The change is a function of an operation and a part that gives a factor; None: it waits no more."""
        if self.order is None:
            self.order = in_order(self.operations)
        for moment in self.order:
            moment.at = 0
            for before, ns, operation, part in moment.waits:
                factor = change(operation, part) if change else 1
                if factor is not None:
                    moment.at = max(moment.at, before.at + int(ns * factor))

    def steps(self):
        return [index for index, _, _ in next(iter(self.ranks.values())).steps]

    def seconds(self, indices):
        """Mean step from the begin to the end at which half of the ranks are; the whole job where it has no steps."""
        if not self.steps():
            work = [one for one in self.operations if one.kind == "kernel"]
            return (max(one.end.at for one in work) - min(one.start.at for one in work)) * 1e-9
        return sum(self.step_seconds(index) for index in indices) / len(indices)

    def step_seconds(self, index):
        marks = [(begin, end) for rank in self.ranks.values() for at, begin, end in rank.steps if at == index]
        half = (len(marks) - 1) // 2
        begins, ends = (sorted(mark[side].start.at for mark in marks) for side in (0, 1))
        return (ends[half] - begins[half]) * 1e-9


def in_order(operations):
    """All moments, each behind those it waits for."""
    done, order = set(), []
    for root in (moment for one in operations for moment in (one.start, one.end)):
        open_moments = [root]
        while open_moments:
            moment = open_moments[-1]
            missing = [before for before, *_ in moment.waits if id(before) not in done]
            if missing and id(moment) not in done:
                open_moments += missing
                continue
            open_moments.pop()
            if id(moment) not in done:
                done.add(id(moment))
                order.append(moment)
    return order


class Rank:
    """Threads that call, and streams that work in order."""

    def __init__(self, job, number):
        self.job, self.number = job, number
        self.last_call, self.last_work, self.events, self.pending, self.steps = {}, {}, {}, {}, []
        self.correlation = 100

    def call(self, name, work, thread=1, before=8):
        call = self.job.add("call", name, self.number, thread, self.job.jittered(work))
        self.correlation += 1
        call.correlation = self.correlation
        self.follow(call, thread, before)
        return call

    def follow(self, operation, thread, before):
        last = self.last_call.get(thread)
        if last is None:
            last = Operation("mark", "", self.number, thread, 0)  # the job's begin
        operation.after(last.end, self.job.jittered(before), "before")
        self.last_call[thread] = operation

    def hand_over(self, source, target):
        """The next call of one thread waits for the last of another."""
        mark = self.job.add("mark", "", self.number, target, 0)
        last = self.last_call.get(target)
        if last is not None:
            mark.after(last.end, 0, "before")
        mark.after(self.last_call[source].end, self.job.jittered(5), "before")
        self.last_call[target] = mark

    def launch(self, name, work, stream=7, thread=1, before=8, call="cudaLaunchKernel", operator=None, **facts):
        """Facts are the work's category, and a collective's arguments and group."""
        caller = self.call(call, 4, thread, before)
        caller.operator = operator
        return self.work(caller, name, work, stream, operator=operator, **facts)

    def work(self, caller, name, work, stream, category="kernel", arguments=None, group=None, operator=None,
             ordered=True, launch_ns=LAUNCH_NS):
        ns = int(work * US) if group else self.job.jittered(work)  # peers transfer equally long
        kernel = self.job.add("kernel", name, self.number, stream, ns)
        kernel.category, kernel.arguments, kernel.correlation = category, arguments or {}, caller.correlation
        kernel.operator = operator
        kernel.after(caller.start, launch_ns, "launch")
        if ordered and stream in self.last_work:
            kernel.after(self.last_work[stream].end, GAP_NS, "gap")
        for other in self.pending.pop(stream, []):
            kernel.after(other.end, EVENT_NS, "gap")
        self.last_work[stream] = kernel
        if group:
            self.job.meet(group, kernel)
        return kernel

    def launch_graph(self, nodes):
        """One launch of (name, µs, stream, numbers of earlier nodes that it waits for)."""
        caller = self.call("cudaGraphLaunch", 12)
        earlier, done = list(self.last_work.values()), []
        for name, work, stream, waits in nodes:
            kernel = self.work(caller, name, work, stream, ordered=False, launch_ns=LAUNCH_NS + 4 * US)
            for other in [done[number] for number in waits] or earlier:
                kernel.after(other.end, GAP_NS, "gap")
            done.append(kernel)

    def record(self, event, stream, thread=1):
        call = self.call("cudaEventRecord", 1.5, thread, 2)
        self.events[event] = (self.last_work.get(stream), stream, call.correlation)

    def wait(self, stream, event, thread=1):
        call = self.call("cudaStreamWaitEvent", 1.2, thread, 1)
        work, recorded_on, correlation = self.events[event]
        call.sync = ("Stream Wait Event", stream, recorded_on, correlation)
        if work is not None:
            self.pending.setdefault(stream, []).append(work)

    def join(self, source, target, thread=1):
        """Work to come of the target stream waits for all of the source stream."""
        self.record("join", source, thread)
        self.wait(target, "join", thread)

    def synchronise(self, kind="Context Sync", stream=7, event=None):
        call = self.call(SYNC_CALLS[kind], 3, 1, 5)
        call.sync = (kind, -1 if kind == "Context Sync" else stream, -1, -1)
        awaited = list(self.last_work.values()) if kind == "Context Sync" else [self.last_work.get(stream)]
        if event is not None:
            work, recorded_on, correlation = self.events[event]
            call.sync, awaited = (kind, -1, recorded_on, correlation), [work]
        for work in awaited:
            if work is not None:
                call.ends_after(work.end, RETURN_NS, "return")

    def read_back(self):
        """A number copied to the host, which waits for it."""
        self.launch("Memcpy DtoH (Device -> Pageable)", 2, call="cudaMemcpyAsync", category="gpu_memcpy")
        self.synchronise("Stream Sync")

    def blocking_copy(self, work):
        copy = self.launch("Memcpy DtoH (Device -> Pageable)", work, call="cudaMemcpy", category="gpu_memcpy")
        self.last_call[1].ends_after(copy.end, 2 * US, "return")

    def begin_step(self, before=20):
        self.begin = self.mark(before)

    def end_step(self, index):
        self.steps.append((index, self.begin, self.mark(10)))

    def mark(self, before):
        mark = self.job.add("mark", "", self.number, 1, 0)
        self.follow(mark, 1, before)
        return mark
