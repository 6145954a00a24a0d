"""Planted jobs, each with the changes that are asked of it and what these mean for its operations."""
from planted.job import Job
from planted.kineto import Clock

GEMM = "ampere_sgemm_128x64_nn"
FORWARD, BACKWARD = "ampere_sgemm_forward", "sm80_xmma_gemm_backward"
ADD = "void at::native::vectorized_elementwise_kernel<4>()"
ADAM = "void at::native::multi_tensor_apply_kernel<adam>()"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
ALL_GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
REDUCE_SCATTER = "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SEND_RECEIVE = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
STEPS = 4
SHAPES = {}


class Planted:
    """A job, changes by their text, causes of waiting by rank (none may be named beside them; None: not looked at),
    and how it is written."""

    def __init__(self, job, changes, causes=None, **writing):
        self.job, self.changes, self.causes, self.writing = job, changes, causes, writing


def shape(make):
    SHAPES[make.__name__] = make
    return make


def kernels(name, factor):
    """Kernels whose name holds the text, in work and transfer; where all transfers of a collective are gone, none of
    its ranks waits for another. The gaps before the kernels stay."""
    def change(operation, part):
        if operation.kind != "kernel" or name not in operation.name or part not in ("work", "meet"):
            return 1
        return None if part == "meet" and factor == 0 else factor
    return change


def operators(name, factor):
    """Work that the operator launches, and its calls; the host's time before a call is not the operator's."""
    def change(operation, part):
        return factor if operation.operator == name and part == "work" else 1
    return change


def host(factor):
    """Calls, the time before them, and the delay from a call to its work."""
    def change(operation, part):
        is_host = operation.kind != "kernel" and part != "return" or part == "launch"
        return factor if is_host else 1
    return change


def as_peers(rank, slowness):
    def change(operation, part):
        is_slow = operation.rank == rank and part == "work" and operation.kind == "kernel"
        return 1 / slowness if is_slow and "nccl" not in operation.name and "Memcpy" not in operation.name else 1
    return change


def of_kernels(*changes):
    """Changes of (text of the kernels' names, factor)."""
    return [(f"kernel:{name}={factor}x", kernels(name, factor)) for name, factor in changes]


def exchanged(name, elements, ranks, group="0", **more):
    return {"Collective name": name, "In msg nelems": elements, "Out msg nelems": elements, "Group size": len(ranks),
            "dtype": "Float", "In split size": "[]", "Out split size": "[]", "Process Group Name": group,
            "Process Group Description": "default_pg", "Process Group Ranks": str(list(ranks)), **more}


def all_reduce(rank, name, work, ranks, elements=1_000_000, group="0", **launch):
    rank.launch(ALL_REDUCE, work, arguments=exchanged("allreduce", elements, ranks, group), group=name, **launch)


def mixed(rank, count, gemm, add, before):
    for number in range(count):
        is_gemm = number % 2 == 1
        rank.launch(GEMM if is_gemm else ADD, gemm if is_gemm else add, before=before,
                    operator="aten::mm" if is_gemm else "aten::add")


@shape
def host_bound():
    job = Job(1)
    for step in range(STEPS):
        job.rank(0).begin_step()
        mixed(job.rank(0), 80, 15, 5, 40)
        job.rank(0).end_step(step)
    return Planted(job, of_kernels(("sgemm", 0.5), ("sgemm", 6)) + [
        ("operator:aten::mm=3x", operators("aten::mm", 3)), ("host=0.5x", host(0.5)), ("host=2x", host(2))])


@shape
def host_waits():
    job = Job(2)
    for step in range(STEPS):
        job.rank(0).begin_step(3)
        mixed(job.rank(0), 80, 15, 5, 30)
        job.rank(0).synchronise()
        job.rank(0).end_step(step)
    return Planted(job, of_kernels(("sgemm", 4)) + [("host=0x", host(0)), ("host=0.5x", host(0.5))])


@shape
def compute_bound():
    job = Job(3)
    for step in range(STEPS):
        job.rank(0).begin_step()
        mixed(job.rank(0), 100, 80, 30, 8)
        job.rank(0).read_back()
        job.rank(0).end_step(step)
    return Planted(job, of_kernels(("sgemm", 0.5)) + [
        ("category:gemm=0.25x", kernels("sgemm", 0.25)), ("category:elementwise=0x", kernels("elementwise", 0)),
        ("operator:aten::add=2x", operators("aten::add", 2))])


def overlapped(seed, ranks=4, slow=None, late=None, transfer=400, synchronise=True, steps=STEPS):
    """Backward passes on a second thread, whose gradients are exchanged in parts beside them."""
    job = Job(seed)
    for number in range(ranks):
        rank, slowness = job.rank(number), (slow or {}).get(number, 1)
        for step in range(steps):
            rank.begin_step()
            for kernel in range(20):
                before = (late or {}).get(number, 8) if kernel == 0 else 8
                rank.launch(FORWARD, 60 * slowness, before=before, operator="aten::mm")
            rank.hand_over(1, 2)
            exchange_parts(rank, step, range(ranks), slowness, transfer)
            rank.hand_over(2, 1)
            for part in range(4):
                rank.wait(7, f"reduced {part}")
            for _ in range(5):
                rank.launch(ADAM, 50 * slowness, operator="Optimizer.step#AdamW.step")
            rank.synchronise() if synchronise else rank.read_back()
            rank.end_step(step)
    return job


def exchange_parts(rank, step, ranks, slowness, transfer):
    for part in range(4):
        for _ in range(8):
            rank.launch(BACKWARD, 90 * slowness, thread=2, operator="aten::mm")
        rank.join(7, 20, thread=2)
        all_reduce(rank, ("exchange", step, part), transfer, ranks, 1_000_000 + part, stream=20, thread=2,
                   call="cudaLaunchKernelExC")
        rank.record(f"reduced {part}", 20, thread=2)


@shape
def exchange_recorded():
    return Planted(overlapped(4, synchronise=False), of_kernels(("xmma", 0.5), ("AllReduce", 0), ("AllReduce", 4)) + [
        ("link=0.25x", kernels("AllReduce", 4))], {}, has_records=True)


@shape
def exchange_inferred():
    return Planted(overlapped(5, synchronise=False), of_kernels(("xmma", 0.5), ("AllReduce", 0), ("AllReduce", 4)), {})


@shape
def exchange_of_clocks_apart():
    clocks = {1: Clock(1_500_000, 8e-6), 2: Clock(-3_000_000_000), 3: Clock(777, -5e-6)}
    return Planted(overlapped(6), of_kernels(("xmma", 0.5), ("AllReduce", 4)), {}, clocks=clocks)


@shape
def slow_device():
    return Planted(overlapped(7, slow={2: 1.4}, transfer=1200), of_kernels(("xmma", 0.5)) + [
        ("rank:2=median", as_peers(2, 1.4))], {2: "slower_kernels"})


@shape
def slow_host_beside_exchange():
    return Planted(overlapped(8, late={1: 4000}), of_kernels(("xmma", 0.5)), {1: "host_late"})


def exchanged_at_once(seed, late=None, more=None):
    """All is exchanged behind the compute; a rank's host is late by µs, or it launches more kernels."""
    job = Job(seed)
    for number in range(4):
        rank = job.rank(number)
        for step in range(STEPS):
            rank.begin_step()
            for kernel in range(40 + (more or {}).get(number, 0)):
                rank.launch(FORWARD, 60, before=(late or {}).get(number, 8) if kernel == 0 else 8)
            all_reduce(rank, ("exchange", step), 300, range(4))
            rank.launch(ADAM, 200)
            rank.read_back()
            rank.end_step(step)
    return job


@shape
def slow_host():
    return Planted(exchanged_at_once(24, late={1: 3000}), of_kernels(("sgemm", 0), ("AllReduce", 3)), {1: "host_late"})


@shape
def more_work():
    return Planted(exchanged_at_once(25, more={3: 12}), of_kernels(("AllReduce", 3)), {3: "more_kernels"})


@shape
def two_causes():
    """A slow device before one exchange, a late host before another."""
    job = Job(26)
    for number in range(4):
        rank = job.rank(number)
        for step in range(STEPS):
            rank.begin_step()
            for part, factor, before in (0, 1.5 if number == 2 else 1, 8), (1, 1, 700 if number == 1 else 8):
                for kernel in range(20):
                    rank.launch(FORWARD, 60 * factor, before=before if kernel == 0 else 8)
                all_reduce(rank, ("exchange", step, part), 200, range(4), 1_000_000 + part)
                rank.read_back()
            rank.end_step(step)
    return Planted(job, of_kernels(("AllReduce", 2)), {1: "host_late", 2: "slower_kernels"})


@shape
def exchange_of_hip():
    return Planted(overlapped(9, ranks=2), of_kernels(("xmma", 0.5), ("AllReduce", 4)), is_hip=True)


@shape
def exchange_without_steps():
    job = overlapped(10, ranks=2, steps=3, synchronise=False)
    for rank in job.ranks.values():
        rank.steps.clear()
    return Planted(job, of_kernels(("xmma", 0.5), ("AllReduce", 4)))


def side_streams(seed):
    job = Job(seed)
    rank = job.rank(0)
    for step in range(STEPS):
        rank.begin_step()
        for _ in range(10):
            rank.launch(GEMM, 70, before=6)
            rank.join(7, 13)
            rank.join(7, 14)
            for name, work, stream in (("left", 150, 13), ("right", 110, 14), ("middle", 90, 7)):
                rank.launch(name + "_kernel", work, stream, before=6)
            rank.join(13, 7)
            rank.join(14, 7)
            rank.launch("join_kernel", 40, before=6)
        rank.synchronise("Stream Sync")
        rank.end_step(step)
    return job


@shape
def side_streams_recorded():
    return Planted(side_streams(11), of_kernels(("left", 0.5), ("right", 2), ("middle", 3), ("left", 0)),
                   has_records=True)


@shape
def side_streams_inferred():
    return Planted(side_streams(12), of_kernels(("left", 0.5), ("right", 2), ("middle", 3), ("left", 0)))


class Stage:
    """A rank of a pipeline: micro-batches forward, then backward, each message on a stream of its own."""

    def __init__(self, job, number, stages, step):
        self.rank, self.number, self.stages, self.step = job.rank(number), number, stages, step

    def message(self, kind, peer, name):
        if not 0 <= peer < self.stages:
            return
        source, target = (self.number, peer) if kind == "send" else (peer, self.number)
        stream = 30 + (0 if source < target else 1) + (0 if kind == "send" else 2)
        self.rank.join(7, stream)
        arguments = exchanged(kind, 500_000, range(self.stages), "pp", **{"Src Rank": source, "Dst Rank": target})
        self.rank.launch(SEND_RECEIVE, 60, stream, arguments=arguments, group=(self.step, name, source, target))
        self.rank.join(stream, 7)

    def run(self, micro_batches):
        self.rank.begin_step()
        for source, target, name, work in ((-1, 1, FORWARD, 120), (1, -1, BACKWARD, 230)):
            for batch in range(micro_batches):
                self.message("recv", self.number + source, (batch, name))
                for _ in range(3):
                    self.rank.launch(name, work, before=6)
                self.message("send", self.number + target, (batch, name))
        self.rank.launch(ADAM, 100)
        all_reduce(self.rank, ("norm", self.step), 50, range(self.stages), 1, stream=20)
        self.rank.synchronise()
        self.rank.end_step(self.step)


def pipeline(seed, stages, micro_batches):
    job = Job(seed)
    for number in range(stages):
        for step in range(STEPS):
            Stage(job, number, stages, step).run(micro_batches)
    return job


@shape
def pipeline_recorded():
    return Planted(pipeline(13, 4, 5), of_kernels(("backward", 0.5), ("forward", 2), ("SendRecv", 5)), has_records=True)


@shape
def pipeline_of_clocks_apart():
    clocks = {1: Clock(250_000), 2: Clock(-900_000), 3: Clock(70_000)}
    return Planted(pipeline(14, 4, 5), of_kernels(("backward", 0.5), ("forward", 2), ("SendRecv", 5)), clocks=clocks)


@shape
def pipeline_of_drifting_clocks():
    return Planted(pipeline(15, 2, 6), of_kernels(("backward", 0.5), ("forward", 2), ("SendRecv", 5)),
                   clocks={1: Clock(10_000_000_000, 40e-6)})


@shape
def graph_of_kernels():
    job, nodes = Job(16), []
    for layer in range(16):
        first = len(nodes)
        nodes += [("gemm_a", 60, 7, [first - 1] if first else []), ("side_k", 100, 13, [first]),
                  ("main_k", 50, 7, [first]), ("join_k", 30, 7, [first + 1, first + 2])]
    for step in range(STEPS):
        job.rank(0).begin_step()
        job.rank(0).launch("Memcpy HtoD (Pinned -> Device)", 20, call="cudaMemcpyAsync", category="gpu_memcpy")
        job.rank(0).launch_graph(nodes)
        job.rank(0).read_back()
        job.rank(0).end_step(step)
    return Planted(job, of_kernels(("side_k", 0.2), ("main_k", 4), ("gemm_a", 0.5)))


@shape
def host_ahead():
    """The host waits for the event of the step before."""
    job = Job(17)
    rank = job.rank(0)
    for step in range(STEPS + 2):
        rank.begin_step()
        for number in range(60):
            rank.launch(GEMM, 30, before=26 if number % 3 else 60)
        rank.record(f"step {step}", 7)
        if step > 0:
            rank.synchronise("Event Sync", event=f"step {step - 1}")
        rank.end_step(step)
    return Planted(job, of_kernels(("sgemm", 2), ("sgemm", 0.5)))


class Sharded:
    """A rank that gathers the weights of a layer ahead of it, and scatters gradients behind it."""

    def __init__(self, rank, ranks, layers, step):
        self.rank, self.ranks, self.layers, self.step = rank, ranks, layers, step

    def exchange(self, kernel, name, layer, work, stream):
        arguments = exchanged(name, 2_000_000 + layer, self.ranks)
        self.rank.launch(kernel, work, stream, arguments=arguments, group=(name, self.step, layer))

    def gather(self, layer):
        self.exchange(ALL_GATHER, "_allgather_base", layer, 260, 22)
        self.rank.record(f"gathered {layer}", 22)

    def forward(self):
        self.gather(0)
        for layer in range(self.layers):
            if layer + 1 < self.layers:
                if layer > 0:
                    self.rank.join(7, 22)
                self.gather(layer + 1)
            self.rank.wait(7, f"gathered {layer}")
            for _ in range(3):
                self.rank.launch(FORWARD, 100, before=6)

    def backward(self):
        for layer in reversed(range(self.layers)):
            for _ in range(3):
                self.rank.launch(BACKWARD, 150, before=6)
            self.rank.join(7, 23)
            self.exchange(REDUCE_SCATTER, "_reduce_scatter_base", layer, 300, 23)
        self.rank.join(23, 7)


@shape
def sharded_weights():
    job = Job(18)
    for number in range(2):
        for step in range(STEPS):
            rank = job.rank(number)
            rank.begin_step()
            sharded = Sharded(rank, range(2), 8, step)
            sharded.forward()
            sharded.backward()
            rank.launch(ADAM, 150)
            rank.read_back()
            rank.end_step(step)
    return Planted(job, of_kernels(("forward", 0.5), ("backward", 0.3)) + [
        ("category:reduce_scatter=3x", kernels("ReduceScatter", 3)),
        ("category:all_gather=2.5x", kernels("AllGather", 2.5))])


def layers_of_two_groups(rank, step, tensor, data):
    for name, work in ((FORWARD, 100), (BACKWARD, 190)):
        for layer in range(6):
            rank.launch(name, work * (1.3 if rank.number == 3 else 1))
            all_reduce(rank, ("tensor", step, name, layer, tensor), 60, tensor, 500_000, f"tensor {tensor[0]}")
            if name == BACKWARD:
                rank.join(7, 20)
                all_reduce(rank, ("data", step, layer, data), 120, data, 900_000 + layer, f"data {data[0]}", stream=20)


@shape
def tensor_and_data_groups():
    job = Job(19)
    for number in range(4):
        rank, tensor, data = job.rank(number), ((0, 1), (2, 3))[number // 2], ((0, 2), (1, 3))[number % 2]
        for step in range(STEPS):
            rank.begin_step()
            layers_of_two_groups(rank, step, tensor, data)
            rank.join(20, 7)
            rank.launch(ADAM, 150)
            rank.read_back()
            rank.end_step(step)
    return Planted(job, of_kernels(("backward", 0.5), ("AllReduce", 0)) + [
        ("rank:3=median", as_peers(3, 1.3)), ("link=0.5x", kernels("AllReduce", 2))])


@shape
def experts():
    job = Job(20)
    for number in range(4):
        rank = job.rank(number)
        for step in range(STEPS):
            rank.begin_step()
            for layer in range(6):
                rank.launch("ampere_sgemm_attention", 100)
                for way in range(2):
                    arguments = exchanged("all_to_allv", 400_000 + 17 * number + 4 * layer + way, range(4))
                    rank.launch(SEND_RECEIVE, 80, arguments=arguments, group=("tokens", step, layer, way))
                    if way == 0:
                        rank.launch("ampere_sgemm_expert", 180 if (layer + number + step) % 4 == 0 else 120)
            all_reduce(rank, ("gradients", step), 300, range(4))
            rank.read_back()
            rank.end_step(step)
    return Planted(job, of_kernels(("expert", 0.5), ("SendRecv", 3), ("attention", 0)))


@shape
def copies_ahead():
    """The next batch is copied beside the step, once the buffer is free."""
    job = Job(21)
    rank = job.rank(0)
    for step in range(STEPS + 1):
        rank.begin_step()
        if step > 0:
            rank.wait(7, f"copied {step}")
        for _ in range(20):
            rank.launch(GEMM, 50)
        if step > 0:
            rank.wait(14, f"used {step - 1}")
        rank.record(f"used {step}", 7)
        rank.launch("Memcpy HtoD (Pinned -> Device)", 900, 14, call="cudaMemcpyAsync", category="gpu_memcpy")
        rank.record(f"copied {step + 1}", 14)
        rank.read_back()
        rank.end_step(step)
    return Planted(job, of_kernels(("sgemm", 0.5)) + [("category:copy=3x", kernels("Memcpy", 3))])


@shape
def accumulated_gradients():
    job = Job(22)
    for number in range(2):
        rank = job.rank(number)
        for step in range(STEPS):
            rank.begin_step()
            for batch in range(3):
                for _ in range(10):
                    rank.launch(FORWARD, 60)
                rank.hand_over(1, 2)
                for _ in range(16):
                    rank.launch(BACKWARD, 90, thread=2)
                rank.hand_over(2, 1)
            all_reduce(rank, ("gradients", step), 1500, range(2))
            rank.launch(ADAM, 400)
            rank.read_back()
            rank.end_step(step)
    return Planted(job, of_kernels(("backward", 0.5), ("forward", 0)) + [
        ("link=4x", kernels("AllReduce", 0.25)), ("host=0x", host(0))])


@shape
def blocking_copies():
    job = Job(23)
    rank = job.rank(0)
    for step in range(STEPS):
        rank.begin_step()
        for _ in range(8):
            for _ in range(5):
                rank.launch(GEMM, 80)
            rank.blocking_copy(30)
            rank.launch("tiny_kernel", 4, before=60)
        rank.end_step(step)
    return Planted(job, of_kernels(("sgemm", 0.5), ("sgemm", 0)) + [("category:copy=0x", kernels("Memcpy", 0))])


def parts_of_steps(seed, slowness, late=8, steps=12):
    """Two exchanges in each step; slowness of a rank's kernels before the first by step, and a host that is late before
    the second."""
    job = Job(seed)
    for number in range(4):
        rank = job.rank(number)
        for step in range(steps):
            rank.begin_step()
            for part in range(2):
                factor = slowness(step) if (part, number) == (0, 2) else 1
                before = late if (part, number) == (1, 1) else 8
                for kernel in range(20):
                    rank.launch(FORWARD, 60 * factor, before=before if kernel == 0 else 8)
                all_reduce(rank, ("exchange", step, part), 200, range(4), 1_000_000 + part)
                rank.read_back()
            rank.end_step(step)
    return job


@shape
def unequal_causes():
    return Planted(parts_of_steps(27, lambda step: 1.5, 90), [], {1: "host_late", 2: "slower_kernels"})


@shape
def every_second_step():
    return Planted(parts_of_steps(28, lambda step: 1.4 if step % 2 else 1), [], {2: "slower_kernels"})


@shape
def steps_alike():
    return Planted(parts_of_steps(29, lambda step: 1), [], {})
