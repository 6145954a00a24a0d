// Changed steps of planted graphs against the same graphs planted with the change, solved by brute
// force.

#include "core/analysis/replay/ClockLaw.h"
#include "core/analysis/replay/StepChange.h"
#include "support/PlantedGraph.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using test::PlantedGraph;
using test::PlantedOperation;

namespace {

constexpr std::int64_t kMicrosecond = 1'000;

using Mutate = std::function<void(PlantedOperation&)>;

// Ranks of a host thread, a stream of compute and one of communication, each in order.
class PlantedJob : public PlantedGraph {
public:
    explicit PlantedJob(int ranks) {
        for (int rank = 0; rank < ranks; ++rank) {
            for (const int device : {-1, 0, 0})
                track(rank, device);
        }
        m_last.resize(tracks.size(), kNone32);
    }
    static std::uint32_t host(int rank) { return 3 * static_cast<std::uint32_t>(rank); }

    std::uint32_t call(int rank, std::int64_t us, std::int64_t gapUs, const std::string& by = {}) {
        const auto made = add({.track = host(rank),
            .name = "cudaLaunchKernel",
            .kind = OperationKind::HostCall,
            .durationNs = us * kMicrosecond,
            .delayNs = gapUs * kMicrosecond,
            .category = "host",
            .operatorName = by});
        follow(made, EdgeKind::Thread);
        return made;
    }
    // With the call that launches it.
    std::uint32_t kernel(int rank, PlantedOperation operation, std::int64_t callUs = 2,
        std::int64_t gapUs = 1, std::uint32_t stream = 0) {
        const auto by = call(rank, callUs, gapUs, operation.operatorName);
        operation.track = host(rank) + 1 + stream;
        const auto made = add(operation);
        edges.push_back({.from = by,
            .to = made,
            .lagNs = 3 * kMicrosecond,
            .kind = EdgeKind::Launch,
            .fromStart = true});
        follow(made, EdgeKind::Stream);
        return made;
    }
    void collective(const std::vector<std::uint32_t>& parts) {
        for (const std::uint32_t part : parts)
            operations[part].kind = OperationKind::Collective;
        groups.push_back(parts);
    }
    void event(std::uint32_t from, std::uint32_t to) {
        edges.push_back({.from = from, .to = to, .kind = EdgeKind::Event});
    }
    std::uint32_t wait(int rank, std::uint32_t for_) {
        const auto made = call(rank, 1, 0);
        edges.push_back({.from = for_, .to = made, .kind = EdgeKind::Wait, .toEnd = true});
        return made;
    }
    [[nodiscard]] std::uint32_t last(std::uint32_t track) const { return m_last[track]; }
    // From the first call to the last wait of each rank.
    void wholeIteration(const std::vector<std::uint32_t>& firsts) {
        std::vector<std::uint32_t> lasts;
        for (const std::uint32_t first : firsts)
            lasts.push_back(last(host(rankOf(first))));
        iteration(firsts, lasts);
    }

private:
    void follow(std::uint32_t made, EdgeKind kind) {
        std::uint32_t& last = m_last[operations[made].track];
        if (last != kNone32)
            edges.push_back({.from = last, .to = made, .kind = kind});
        last = made;
    }
    std::vector<std::uint32_t> m_last;
};

// Kernels of `us` each behind calls of 2 + gap, on each rank; a wait at the end.
PlantedJob rowOfKernels(int ranks, std::int64_t us, std::int64_t gapUs) {
    PlantedJob job(ranks);
    std::vector<std::uint32_t> firsts;
    for (int rank = 0; rank < ranks; ++rank) {
        firsts.push_back(job.call(rank, 1, 0));
        for (int k = 0; k < 50; ++k) {
            const bool isProduct = k % 2 == 0;
            job.kernel(rank,
                {.name = isProduct ? "sm90_gemm_tn" : "vectorized_add",
                    .durationNs = us * kMicrosecond,
                    .category = isProduct ? "gemm" : "elementwise",
                    .operatorName = isProduct ? "aten::mm" : "aten::add"},
                2, gapUs);
        }
        job.wait(rank, job.last(PlantedJob::host(rank) + 1));
    }
    job.wholeIteration(firsts);
    return job;
}
PlantedJob hostBound() {
    return rowOfKernels(2, 5, 20);
}
PlantedJob computeBound() {
    return rowOfKernels(2, 100, 1);
}

// Layers of compute, an all-reduce behind each in the other stream, an optimizer that waits for
// all; blocking: the next layer waits too.
PlantedJob exchange(std::int64_t transferUs, std::int64_t slowUs, bool isBlocking = false) {
    PlantedJob job(2);
    std::vector<std::uint32_t> firsts{job.call(0, 1, 0), job.call(1, 1, 0)};
    for (int layer = 0; layer < 10; ++layer) {
        std::vector<std::uint32_t> parts;
        for (int rank = 0; rank < 2; ++rank) {
            const auto before = job.last(PlantedJob::host(rank) + 2);
            const auto gemm = job.kernel(rank,
                {.name = "gemm",
                    .durationNs = (100 + rank * slowUs) * kMicrosecond,
                    .delayNs = 2 * kMicrosecond,
                    .category = "gemm"});
            if (isBlocking && layer > 0)
                job.event(before, gemm);
            parts.push_back(job.kernel(rank,
                {.name = "ncclAllReduce",
                    .durationNs = transferUs * kMicrosecond,
                    .category = "all_reduce"},
                2, 1, 1));
            job.event(gemm, parts.back());
        }
        job.collective(parts);
    }
    for (int rank = 0; rank < 2; ++rank) {
        const auto adam = job.kernel(rank,
            {.name = "adam",
                .durationNs = 50 * kMicrosecond,
                .category = "optimizer",
                .phase = Phase::Optimizer});
        job.event(job.last(PlantedJob::host(rank) + 2), adam);
        job.wait(rank, adam);
    }
    job.wholeIteration(firsts);
    return job;
}
// Two steps that wait 300 us for their data each, 7 us behind the step before.
PlantedJob loading() {
    PlantedJob job(1);
    const std::vector<std::uint32_t> firsts{job.call(0, 1, 0)};
    for (int step = 0; step < 2; ++step) {
        job.operations[job.call(0, 300, 7, "enumerate(DataLoader)#next")].name
            = "enumerate(DataLoader)#next";
        for (int k = 0; k < 5; ++k)
            job.kernel(0, {.durationNs = 20 * kMicrosecond, .operatorName = "aten::mm"});
        job.wait(0, job.last(1));
    }
    job.wholeIteration(firsts);
    return job;
}
PlantedJob overlappedExchange() {
    return exchange(80, 0);
}
PlantedJob exposedExchange() {
    return exchange(300, 0);
}
PlantedJob straggler() {
    return exchange(20, 60);
}
PlantedJob blockingExchange() {
    return exchange(300, 0, true);
}

// Two stages; each micro-batch passes both, by messages.
PlantedJob pipeline() {
    PlantedJob job(2);
    std::vector<std::uint32_t> firsts{job.call(0, 1, 0), job.call(1, 1, 0)};
    for (int batch = 0; batch < 6; ++batch) {
        const auto forward = job.kernel(0,
            {.name = "gemm",
                .durationNs = 200 * kMicrosecond,
                .category = "gemm",
                .microBatch = batch});
        const auto send = job.kernel(
            0, {.name = "send", .durationNs = 30 * kMicrosecond, .category = "send_recv"}, 2, 1, 1);
        const auto receive = job.kernel(
            1, {.name = "recv", .durationNs = 30 * kMicrosecond, .category = "send_recv"}, 2, 1, 1);
        job.event(forward, send);
        job.collective({send, receive});
        job.operations[send].kind = job.operations[receive].kind = OperationKind::Message;
        const auto next = job.kernel(1,
            {.name = "gemm_last",
                .durationNs = 150 * kMicrosecond,
                .category = "gemm",
                .microBatch = batch});
        job.event(receive, next);
    }
    for (int rank = 0; rank < 2; ++rank)
        job.wait(rank, job.last(PlantedJob::host(rank) + 1));
    job.wholeIteration(firsts);
    return job;
}

// Recomputation: in backward each layer does its five kernels again before two of its own.
PlantedJob recomputed() {
    PlantedJob job(1);
    const std::vector<std::uint32_t> firsts{job.call(0, 1, 0)};
    const auto forward = [&](int layers, Phase phase) {
        for (int k = 0; k < 5 * layers; ++k)
            job.kernel(0,
                {.name = "forward " + std::to_string(k % 5),
                    .durationNs = 40 * kMicrosecond,
                    .category = k % 5 == 0 ? "gemm" : "elementwise",
                    .phase = phase});
    };
    forward(4, Phase::Forward);
    for (int layer = 0; layer < 4; ++layer) {
        forward(1, Phase::Backward);
        for (const char* name : {"dgrad", "wgrad"})
            job.kernel(0,
                {.name = name,
                    .durationNs = 50 * kMicrosecond,
                    .category = "gemm",
                    .phase = Phase::Backward});
    }
    job.wait(0, job.last(1));
    job.wholeIteration(firsts);
    return job;
}

double measuredS(PlantedGraph& planted) {
    return planted.graph().iterations.front().measured.range.length().seconds();
}

Result<ChangedStep> changed(
    const StepGraph& graph, const std::vector<std::string>& texts, const ChangeFacts& facts = {}) {
    const StepTimes replayed = simulate(graph, measuredCosts(graph));
    std::vector<StepChange> changes;
    for (const std::string& text : texts) {
        auto parsed = parseChange(text);
        if (!parsed.hasValue())
            return parsed.error();
        changes.push_back(std::move(parsed).value());
    }
    return changedStep(std::make_shared<const StepGraph>(graph), replayed, changes, facts);
}

using Make = PlantedJob (*)();
struct PlantedChange {
    std::string name;
    Make make;
    std::vector<std::string> texts;
    std::function<void(PlantedJob&)> apply;
};

std::function<void(PlantedJob&)> each(const Mutate& mutate) {
    return [mutate](PlantedJob& job) { std::ranges::for_each(job.operations, mutate); };
}
Mutate timesOf(const std::string& category, double factor) {
    return [=](PlantedOperation& operation) {
        if (operation.category == category)
            operation.durationNs = std::llround(factor * static_cast<double>(operation.durationNs));
    };
}
void freeHost(PlantedOperation& operation) {
    if (operation.kind == OperationKind::HostCall)
        operation.durationNs = operation.delayNs = 0;
}
// The kernel and the call before it.
void makeGone(PlantedJob& job, const std::function<bool(const PlantedOperation&)>& isIt) {
    for (std::size_t i = 1; i < job.operations.size(); ++i) {
        if (!isIt(job.operations[i]))
            continue;
        for (PlantedOperation* gone : {&job.operations[i - 1], &job.operations[i]})
            gone->durationNs = gone->delayNs = 0;
    }
}
std::vector<PlantedChange> plantedChanges() {
    const auto exchanges = [](auto time) {
        return each([time](PlantedOperation& operation) {
            if (operation.name == "ncclAllReduce")
                operation.durationNs = time * kMicrosecond;
        });
    };
    return {
        {"host-bound, faster kernels", hostBound, {"kernel:gemm=0.5x"}, each(timesOf("gemm", 0.5))},
        {"host-bound, free host", hostBound, {"host=0x"}, each(freeHost)},
        {"compute-bound, faster kernels", computeBound, {"kernel:GEMM=0.5x"},
            each(timesOf("gemm", 0.5))},
        {"compute-bound, slower category", computeBound, {"category:elementwise=3x"},
            each(timesOf("elementwise", 3.0))},
        {"compute-bound, operator gone", computeBound, {"operator:aten::add=0x"},
            [](PlantedJob& job) {
                makeGone(job, [](const PlantedOperation& operation) {
                    return operation.name == "vectorized_add";
                });
            }},
        {"data loader in other processes", loading, {"operator:DataLoader=0x"},
            each([](PlantedOperation& operation) {
                if (operation.operatorName == "enumerate(DataLoader)#next")
                    operation.durationNs = 0;
            })},
        {"compute-bound, free host", computeBound, {"host=0x"}, each(freeHost)},
        {"both", computeBound, {"host=0x", "category:gemm=0.25x"},
            [](PlantedJob& job) {
                each(freeHost)(job);
                each(timesOf("gemm", 0.25))(job);
            }},
        {"overlapped exchange, faster links", overlappedExchange, {"link=2x"}, exchanges(40)},
        {"exposed exchange, faster links", exposedExchange, {"link=2x"}, exchanges(150)},
        {"exposed exchange, slower links", exposedExchange, {"link=0.5x"}, exchanges(600)},
        {"kinds", exposedExchange, {"kind:collective=0.5x"}, exchanges(150)},
        {"exchange gone", straggler, {"category:all_reduce=0x"},
            [](PlantedJob& job) {
                job.groups.clear();
                each(timesOf("all_reduce", 0.0))(job);
            }},
        {"serial exchange", overlappedExchange, {"overlap=off"},
            [](PlantedJob& job) { job = exchange(80, 0, true); }},
        {"exchange beside compute", blockingExchange, {"overlap=on"},
            [](PlantedJob& job) { job = exposedExchange(); }},
        {"serial, and faster links", overlappedExchange, {"link=2x", "overlap=off"},
            [](PlantedJob& job) { job = exchange(40, 0, true); }},
        {"straggler like the median", straggler, {"rank:1=median"},
            each([](PlantedOperation& operation) {
                if (operation.name == "gemm")
                    operation.durationNs = 100 * kMicrosecond;
            })},
        {"pipeline, faster first stage", pipeline, {"kernel:gemm=0.5x"},
            each(timesOf("gemm", 0.5))},
        {"pipeline, faster links", pipeline, {"link=3x"}, each(timesOf("send_recv", 1.0 / 3.0))},
        {"recomputation", recomputed, {"recompute=off"},
            [](PlantedJob& job) {
                makeGone(job, [](const PlantedOperation& operation) {
                    return operation.phase == Phase::Backward
                        && operation.name.starts_with("forward");
                });
            }},
    };
}

} // namespace

class tst_StepChange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parses_data() {
        const auto row = test::columns<QString, QString, double>("text", "subject", "value");
        row("kernel", "kernel:gemm_tn=0.5x", "gemm_tn", 0.5);
        row("name with a sign", "kernel:a=b=2", "a=b", 2.0);
        row("operator", " operator:aten::mm = 0x ", "aten::mm", 0.0);
        row("host", "host=0x", "", 0.0);
        row("rank", "rank:12=median", "12", 1.0);
        row("overlap", "overlap=on", "", 1.0);
        row("overlap off", "overlap=off", "", 0.0);
        row("watts", "power-limit=500W", "", 500.0);
        row("megahertz", "clock=1500", "", 1.5e9);
        row("gigahertz", "clock=1.2GHz", "", 1.2e9);
        row("GPU", "gpu:H200", "H200", 1.0);
        row("degrees", "degrees:tp=2,pp=4", "tp=2,pp=4", 1.0);
    }
    void parses() {
        QFETCH(const QString, text);
        QFETCH(const QString, subject);
        QFETCH(const double, value);
        const auto change = parseChange(text.toStdString());
        QVERIFY2(change.hasValue(), change.hasValue() ? "" : change.error().message.c_str());
        QCOMPARE(change.value().text, text.trimmed().toStdString());
        QCOMPARE(change.value().subject, subject.toStdString());
        QCOMPARE(change.value().value, value);
    }

    void refuses_data() {
        const auto row = test::columns<QString, QString>("text", "says");
        row("no form", "faster", "There are: kernel:TEXT=0.5x, category:NAME=0.5x");
        row("near form", "kernl:gemm=2x", "did you mean kernel:TEXT=0.5x");
        row("no factor", "kernel:gemm=fast", "“fast” is no such value; it reads kernel:TEXT=0.5x");
        row("negative", "host=-1x", "no such value");
        row("endless", "host=infx", "it reads host=0x");
        row("no sign", "kernel:gemm", "it lacks a “=”");
        row("no name", "kernel:=2x", "names nothing");
        row("links gone", "link=0x", "it reads link=2x");
        row("rank's mean", "rank:1=mean", "“mean” is no such value; it reads rank:R=median");
        row("overlap", "overlap=half", "it reads overlap=on|off");
        row("watts", "power-limit=0", "it reads power-limit=500");
        row("clock", "clock=fast", "it reads clock=1500");
        row("recompute", "recompute=on", "it reads recompute=off");
    }
    void refuses() {
        QFETCH(const QString, text);
        QFETCH(const QString, says);
        const auto change = parseChange(text.toStdString());
        VERIFY_FAILS(change, says);
        QCOMPARE(change.error().code, ErrorCode::Usage);
    }

    void findsNothing_data() {
        const auto row = test::columns<QString, QString>("text", "says");
        row("kernel", "kernel:gemn=2x",
            "no kernel of that name holds “gemn”; did you mean “gemm”?");
        row("category", "category:gem=2x", "no category is called “gem”; did you mean “gemm”?");
        row("kind", "kind:message=2x", "there are host_call, kernel");
        row("links", "link=2x", "no collective or message");
        row("rank", "rank:7=median", "rank 7 has no peers in the trace; traced: 0-1");
        row("no rank", "rank:first=median", "“first” is no rank's number");
        row("GPU", "gpu:H20O", "no GPU of the catalogue is called “H20O”; did you mean “H20”?");
        row("other GPU", "gpu:H200", "the kind of GPU of the run is not known");
        row("overlap", "overlap=on", "no compute waits for a collective");
        row("recomputation", "recompute=off", "no recomputation is told");
        row("watts", "power-limit=500",
            "the power of the GPUs while they were traced is not known");
        row("clock", "clock=1500", "the clock of the GPUs is not known");
        row("degrees", "degrees:tp=2", "trainscope-cli predict");
    }
    void findsNothing() {
        QFETCH(const QString, text);
        QFETCH(const QString, says);
        const auto found = changed(hostBound().graph(), {text.toStdString()});
        VERIFY_FAILS(found, says);
        QCOMPARE(found.error().code, ErrorCode::Usage);
        QCOMPARE(found.error().where, text.toStdString());
    }

    void planted_data() {
        const auto row = test::columns<int>("index");
        const auto all = plantedChanges();
        for (std::size_t i = 0; i < all.size(); ++i)
            row(all[i].name, static_cast<int>(i));
    }
    void planted() {
        QFETCH(const int, index);
        const PlantedChange change = plantedChanges()[static_cast<std::size_t>(index)];
        PlantedJob job = change.make();
        const StepGraph graph = job.graph();
        const auto found = changed(graph, change.texts);
        QVERIFY2(found.hasValue(), found.hasValue() ? "" : found.error().message.c_str());
        const double before = measuredS(job);
        change.apply(job);
        const double expected = measuredS(job);
        VERIFY_RATIO(found.value().seconds, expected, 0.001);
        QVERIFY(found.value().lowS <= found.value().seconds);
        QVERIFY(found.value().highS >= found.value().seconds);
        if (std::abs(before - expected)
            > 1e-9) // another job: 3 % are told of two that are the same
            QVERIFY(found.value().highS >= 1.03 * found.value().seconds);
        double gains = 0.0;
        for (const AppliedChange& applied : found.value().changes) {
            gains += applied.gainS;
            QVERIFY(applied.assumption.ends_with('.'));
        }
        VERIFY_NEAR(before - gains, found.value().seconds, 1e-12);
    }

    // Any graph: kernels that take another time, alone and after the others.
    void anyGraph() {
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            PlantedGraph job = test::randomPlantedGraph(seed);
            const StepGraph graph = job.graph(seed);
            const auto found = changed(graph, {"kind:host_call=2x", "kind:kernel=3x"});
            if (!found.hasValue()) // without kernels
                continue;
            for (PlantedOperation& operation : job.operations) {
                if (operation.kind != OperationKind::Collective)
                    operation.durationNs *= operation.kind == OperationKind::HostCall ? 2 : 3;
            }
            const StepGraph expected = job.graph(seed);
            const double mean
                = meanStepSeconds(expected, simulate(expected, measuredCosts(expected)))
                      .value_or(0.0);
            VERIFY_NEAR(found.value().seconds, mean, 1e-12);
        }
    }

    // Two GPUs at 500 W for products, 300 W for the rest and 100 W without work; 50 kernels of
    // 5 us behind calls of 22 us each.
    void joules() {
        PlantedJob job = hostBound();
        const StepGraph graph = job.graph();
        const double stepS = measuredS(job);
        const double workS = 2 * 25 * 5e-6;
        const double idleS = 2 * stepS - 2 * workS;
        ChangeFacts facts;
        const auto joules = [](double j) { return EstimatedEnergy{j, 0.95 * j, 1.05 * j}; };
        facts.categories = {{"gemm", joules(500.0 * workS)}, {"elementwise", joules(300.0 * workS)},
            {"idle", joules(100.0 * idleS)}};
        const auto same = changed(graph, {"kernel:gemm=1x"}, facts);
        VERIFY_RATIO(same.value().energy->joules, 800.0 * workS + 100.0 * idleS, 1e-9);
        const auto found = changed(graph, {"host=0x", "kernel:gemm=2x"}, facts);
        const double idleAfterS = 2 * found.value().seconds - 3 * workS;
        const double expected = 1300.0 * workS + 100.0 * idleAfterS;
        VERIFY_RATIO(found.value().energy->joules, expected, 1e-6);
        QVERIFY(found.value().energy->low < expected && expected < found.value().energy->high);
        QVERIFY(found.value().energy->low > 0.9 * expected);
    }

    // Compute-bound, half of it products: these take 1/0.8 of their time at 0.8 of the clock.
    void clocks() {
        PlantedJob job = computeBound();
        const StepGraph graph = job.graph();
        const double stepS = measuredS(job);
        ChangeFacts facts;
        facts.gpu = catalogue::findGpuModel("H100");
        facts.clockHz = 1.5e9;
        const auto found = changed(graph, {"clock=1200"}, facts);
        const double workS = 25 * 100e-6;
        VERIFY_RATIO(found.value().seconds, stepS + workS * 0.25 + workS * 0.25 * 0.25, 0.01);
        QVERIFY(found.value().lowS < stepS + workS * 0.7 * 0.26);
        QVERIFY(found.value().highS > stepS + workS * (0.25 + 0.7 * 0.24));
        VERIFY_FAILS(changed(graph, {"clock=3000"}, facts), "goes up to 1.98 GHz");

        // 600 and 400 W, 500 in the mean.
        const double idleS = std::max(0.0, 2 * stepS - 4 * workS);
        const auto joules = [](double j) { return EstimatedEnergy{j, 0.98 * j, 1.02 * j}; };
        facts.categories = {{"gemm", joules(600.0 * 2 * workS)},
            {"elementwise", joules(400.0 * 2 * workS)}, {"idle", joules(100.0 * idleS)}};
        const auto above = changed(graph, {"power-limit=600"}, facts);
        VERIFY_NEAR(above.value().changes.front().gainS, 0.0, 1e-12);
        QCOMPARE(above.value().lowS, above.value().seconds);
        QCOMPARE(above.value().highS, above.value().seconds);
        VERIFY_SAYS(above.value().changes.front().assumption, "it changes nothing");
        // The lower the limit, the slower, and not below what the lowest clock draws.
        double before = stepS;
        for (int limitW = 590; limitW > 180; limitW -= 10) {
            const auto limited = changed(graph, {"power-limit=" + std::to_string(limitW)}, facts);
            QVERIFY(limited.value().seconds >= before - 1e-12);
            before = limited.value().seconds;
        }
        QVERIFY(before < stepS / kLowestClock);
        VERIFY_FAILS(changed(graph, {"power-limit=120"}, facts), "at their lowest clock");
        const auto under = changed(graph, {"power-limit=350"}, facts);
        const ChangedStep& limited = under.value();
        QVERIFY(limited.seconds > 1.02 * stepS);
        QVERIFY(limited.lowS < limited.seconds && limited.seconds < limited.highS);
        VERIFY_RATIO(limited.energy->joules / limited.seconds / 2.0, 350.0, 0.03);
        // A limit behind a lower clock adds nothing.
        const auto both = changed(graph, {"clock=750", "power-limit=350"}, facts);
        VERIFY_NEAR(both.value().changes.back().gainS, 0.0, 1e-12);
    }

    // Twice the bandwidth and the peak of an A100: memory-bound work and products.
    void otherGpu() {
        PlantedJob job = computeBound();
        ChangeFacts facts;
        facts.gpu = catalogue::findGpuModel("A100-SXM4-80GB");
        const catalogue::GpuModel& to = *catalogue::findGpuModel("H100 SXM5");
        const StepGraph graph = job.graph();
        const auto found = changed(graph, {"gpu:H100 SXM5"}, facts);
        QVERIFY2(found.hasValue(), found.hasValue() ? "" : found.error().message.c_str());
        each(timesOf("gemm", *facts.gpu->bf16Flops / *to.bf16Flops))(job);
        each(timesOf("elementwise", *facts.gpu->memoryBandwidth / *to.memoryBandwidth))(job);
        VERIFY_RATIO(found.value().seconds, measuredS(job), 0.001);
        QVERIFY(!found.value().energy);
    }
};

TRAINSCOPE_TEST(tst_StepChange)
#include "tst_StepChange.moc"
