// Figures of a stretch from kept sums are those from the spans.

#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/SumColumns.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/KeptSums.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr int kSummedRanks = 2;
constexpr int kSummedWorks = 9'000; // per rank: four slices and a part

class PlantDice {
public:
    std::int64_t below(std::int64_t end) {
        return static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(end));
    }

private:
    std::mt19937_64 m_random{7};
};

// Work of all kinds on three streams, over each other, some of it long; calls from two threads, now
// and then far ahead; operators in operators. In one capture, or in two that are 5 ms apart.
void plantManyWorks(PlantedTrace& trace, bool hasTwoCaptures) {
    PlantDice random;
    for (int rank = 0; rank < kSummedRanks; ++rank) {
        std::int64_t now = 1'000 + rank;
        for (int i = 0; i < kSummedWorks; ++i) {
            now += 1 + random.below(i % 500 == 0 ? 90'000 : 900);
            if (hasTwoCaptures && i == kSummedWorks / 2) {
                trace.captures.push_back({"first", rank, {{500}, {now + 1'000'000}}});
                now += 5'000'000;
                trace.captures.push_back({"second", rank, {{now - 1'000'000}, {now * 100}}});
            }
            const std::string stream = std::to_string(7 + random.below(3));
            const std::int64_t length = random.below(random.below(200) == 0 ? 400'000 : 1'500);
            const std::int64_t kind = random.below(20);
            const std::int64_t correlation = i % 11 == 0 ? 0 : i + 1;
            const std::int64_t before = random.below(random.below(50) == 0 ? 60'000 : 3'000);
            if (correlation > 0)
                trace.host(rank, std::to_string(random.below(2)), SpanKind::Runtime,
                    "cudaLaunchKernel", now - before, 20, correlation);
            if (kind == 0)
                trace.work(rank, stream, SpanKind::Copy, "Memcpy HtoD", now, length, correlation,
                    R"({"bytes": 4096})");
            else if (kind == 1)
                trace.work(rank, stream, SpanKind::Copy, "Memcpy DtoH", now, length, correlation);
            else if (kind == 2)
                trace.work(rank, stream, SpanKind::Set, "Memset", now, length, correlation);
            else if (kind < 6)
                trace.kernel(rank, stream, "ncclDevKernel_Generic", now, length, correlation,
                    collectiveDetail(kind == 3 ? "allreduce" : "allgather", 1'000, "0", {0, 1}));
            else
                trace.kernel(rank, stream, "kernel_" + std::to_string(random.below(30)), now,
                    length, correlation);
        }
        std::int64_t at = 500;
        for (int i = 0; i < kSummedWorks; ++i) {
            const std::string thread = "ops " + std::to_string(i % 2);
            const std::int64_t begin = at + (i % 2 == 0 ? 0 : 137);
            trace.host(rank, thread, SpanKind::CpuOp, "aten::linear", begin, 400);
            trace.host(rank, thread, SpanKind::CpuOp, "aten::mm", begin + 50, 200);
            trace.host(rank, thread, SpanKind::CpuOp, "aten::empty", begin + 60, random.below(90));
            at += i % 2 == 0 ? 0 : 500 + random.below(300);
        }
    }
}

using Numbers = std::vector<std::int64_t>;

void same(const DeviceBreakdown& a, const DeviceBreakdown& b) {
    const auto numbersOf = [](const DeviceBreakdown& of) {
        Numbers all{of.rank, of.window.begin.ns, of.window.end.ns, of.kernelCount, of.kernelTime.ns,
            of.traced.ns, of.busy.ns, of.copy.ns, of.compute.ns, of.communication.ns,
            of.exposedCommunication.ns, of.overlap.ns, of.idle.ns};
        for (const CategoryTime& sums : {of.copies, of.sets})
            all.insert(all.end(), {sums.count, sums.time.ns});
        return all;
    };
    QCOMPARE(numbersOf(a), numbersOf(b));
    QCOMPARE(a.categories.size(), b.categories.size());
    for (const auto& [name, sums] : a.categories) {
        QCOMPARE(sums.count, b.categories.at(name).count);
        QCOMPARE(sums.time.ns, b.categories.at(name).time.ns);
    }
    QCOMPARE(a.kernels.size(), b.kernels.size());
    for (std::size_t i = 0; i < a.kernels.size(); ++i) {
        QCOMPARE(a.kernels[i].name, b.kernels[i].name);
        QCOMPARE(a.kernels[i].category, b.kernels[i].category);
        QCOMPARE(a.kernels[i].count, b.kernels[i].count);
        QCOMPARE(a.kernels[i].time.ns, b.kernels[i].time.ns);
    }
}

void same(const LaunchStatistics& a, const LaunchStatistics& b) {
    QCOMPARE(a.joined, b.joined);
    QCOMPARE(a.unjoined, b.unjoined);
    QCOMPARE(a.early, b.early);
    QCOMPARE(a.hostBound.ns, b.hostBound.ns);
    QCOMPARE(a.delay.has_value(), b.delay.has_value());
    if (a.delay) {
        QVERIFY(std::abs(a.delay->meanNs - b.delay->meanNs) < 1e-6);
        QCOMPARE(a.delay->medianNs, b.delay->medianNs);
        QCOMPARE(a.delay->p99Ns, b.delay->p99Ns);
        QCOMPARE(a.delay->maxNs, b.delay->maxNs);
    }
    QCOMPARE(a.queues.size(), b.queues.size());
    for (std::size_t i = 0; i < a.queues.size(); ++i) {
        QCOMPARE(a.queues[i].stream, b.queues[i].stream);
        QCOMPARE(a.queues[i].maxDepth, b.queues[i].maxDepth);
        QVERIFY(std::abs(a.queues[i].meanDepth - b.queues[i].meanDepth) < 1e-9);
    }
}

void same(const CopyStatistics& a, const CopyStatistics& b) {
    const auto numbersOf = [](const CopyStatistics& of) {
        std::map<std::string, Numbers> all;
        for (const auto& [direction, kind] : of)
            all[direction]
                = {kind.count, kind.time.ns, kind.withBytes, kind.bytes, kind.timeWithBytes.ns};
        return all;
    };
    QCOMPARE(numbersOf(a), numbersOf(b));
}

void same(const CallRow& a, const CallRow& b) {
    QVERIFY(a.kind == b.kind && a.group == b.group);
    QCOMPARE(a.ranks, b.ranks);
    QCOMPARE(a.count, b.count);
    QCOMPARE(a.time.ns, b.time.ns);
    QCOMPARE(a.bytes.value_or(-1.0), b.bytes.value_or(-1.0));
    QCOMPARE(a.matched, b.matched);
    QVERIFY(std::abs(a.waitS - b.waitS) < 1e-12);
    QVERIFY(std::abs(a.bandwidth.value_or(0.0) - b.bandwidth.value_or(0.0)) < 1.0);
    QCOMPARE(a.isLowerBound, b.isLowerBound);
}

void same(const TraceSelection& a, const TraceSelection& b) {
    QCOMPARE(a.devices.size(), b.devices.size());
    for (std::size_t i = 0; i < a.devices.size(); ++i) {
        same(a.devices[i], b.devices[i]);
        same(a.launches[i].launches, b.launches[i].launches);
        same(a.launches[i].copies, b.launches[i].copies);
        QCOMPARE(a.launches[i].traced.ns, b.launches[i].traced.ns);
    }
    QCOMPARE(a.operators.size(), b.operators.size());
    for (std::size_t i = 0; i < a.operators.size(); ++i) {
        QCOMPARE(a.operators[i].name, b.operators[i].name);
        QCOMPARE(a.operators[i].count, b.operators[i].count);
        QCOMPARE(a.operators[i].time.ns, b.operators[i].time.ns);
        QCOMPARE(a.operators[i].self.ns, b.operators[i].self.ns);
    }
    QCOMPARE(a.calls.size(), b.calls.size());
    for (std::size_t i = 0; i < a.calls.size(); ++i)
        same(a.calls[i], b.calls[i]);
}

TraceSelection stretchFigures(const store::Store& store, TimeRange window) {
    return selectionOf(
        studyOf(store), [window](int) { return window; }, KernelCategories::builtIn())
        .value();
}

// Stretches between the ends of spans, and moments between.
std::vector<TimeRange> stretchesOf(const store::Store& store) {
    PlantDice random;
    std::vector<std::int64_t> moments;
    for (const Track& track : store.tracks(store.findRun("run").value().id).value()) {
        (void)store.forEachSpan(track.id, kAllTime, [&](std::span<const Span> spans) {
            for (const Span& span : spans) {
                if (random.below(100) == 0)
                    moments.push_back(span.start.ns + random.below(3) / 2 * span.duration.ns);
                if (random.below(100) == 0)
                    moments.push_back(span.start.ns + random.below(1'000));
            }
            return true;
        });
    }
    std::vector<TimeRange> windows{kAllTime, {{0}, {40'000}}, {{-5}, {std::int64_t{1} << 50}}};
    const auto pick
        = [&] { return moments[static_cast<std::size_t>(random.below(std::ssize(moments)))]; };
    while (windows.size() < 36) {
        const std::int64_t begin = pick();
        const std::int64_t end = pick();
        if (begin < end)
            windows.push_back(TimeRange{{begin}, {end}});
    }
    return windows;
}

void keepSumsOf(store::Store& store) {
    const auto sums = sumTraces(studyOf(store)).value();
    QVERIFY(store::keepSums(store, sums).hasValue());
    QVERIFY(TraceSums::open(studyOf(store)).value().has_value());
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

// A column of one number, as often as it is claimed.
store::Bytes constantColumn(std::uint64_t claimed, std::size_t written, store::Squeeze squeeze) {
    store::Bytes bytes;
    store::ByteWriter(bytes).varint(claimed);
    std::vector<std::int64_t> column(written);
    for (std::size_t i = 0; i < written; ++i)
        column[i] = static_cast<std::int64_t>(i % 2 * 1000);
    store::encodeInParts(std::span<const std::int64_t>(column),
        [&](std::span<const std::int64_t> part) { store::encodeInts(part, bytes, squeeze); });
    return bytes;
}

// Replaces what is kept of a place by those bytes.
void keepInstead(store::Store& store, SumKind kind, const store::Bytes& sums) {
    auto kept = sumTraces(studyOf(store)).value();
    bool isMet = false;
    for (store::SumSequence& sequence : kept.sequences) {
        if (sequence.place.kind != static_cast<int>(kind))
            continue;
        isMet = true;
        for (store::SumSlice& slice : sequence.slices)
            slice.sums = slice.detail = sums;
    }
    QVERIFY(isMet);
    QVERIFY(store::keepSums(store, kept).hasValue());
}

bool isRefused(const store::Store& store) {
    const auto selection = selectionOf(
        studyOf(store), [](int) { return kAllTime; }, KernelCategories::builtIn());
    return !selection.hasValue() && selection.error().message.find("damaged") != std::string::npos;
}

PlantedTrace plantedCalls() {
    PlantedTrace trace;
    trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 10, 5, 1);
    trace.kernel(0, "7", "ncclDevKernel_Generic", 100, 10, 1,
        collectiveDetail("allreduce", 1'000, "0", {0, 1}));
    return trace;
}

} // namespace

class tst_TraceSums : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStretchIsThatOfTheSpans_data() {
        const auto row = columns<bool>("hasTwoCaptures");
        row("one capture", false);
        row("two captures", true);
    }
    void everyStretchIsThatOfTheSpans() {
        QFETCH(const bool, hasTwoCaptures);
        PlantedTrace trace;
        plantManyWorks(trace, hasTwoCaptures);
        auto store = trace.store();
        const auto windows = stretchesOf(store);
        std::vector<TraceSelection> read;
        for (const TimeRange& window : windows)
            read.push_back(stretchFigures(store, window));
        keepSumsOf(store);
        const Run run = store.findRun("run").value();
        const auto slices = store::sumOutlines(store, run.id, placeOf(SumKind::Device, 0, 0));
        QVERIFY(slices.value().size() > 4);
        for (std::size_t i = 0; i < windows.size(); ++i) {
            same(stretchFigures(store, windows[i]), read[i]);
            if (QTest::currentTestFailed())
                qFatal("window %lld to %lld", static_cast<long long>(windows[i].begin.ns),
                    static_cast<long long>(windows[i].end.ns));
        }
    }
    // Operators that lie in each other, against the definition.
    void selfTimes() {
        OperatorMeter meter({0});
        const auto op = [&](std::int64_t name, std::int64_t start, std::int64_t length) {
            Span span;
            span.name = {name};
            span.kind = SpanKind::CpuOp;
            span.start = {start};
            span.duration = {length};
            meter.add(span);
        };
        op(1, 0, 100);
        op(2, 10, 50);
        op(2, 20, 10); // in one of its own name
        const OperatorSums first = meter.close({40});
        QCOMPARE(first[0].self.ns, 10);
        QCOMPARE(first[0].time.ns, 40);
        QCOMPARE(first[1].self.ns, 30);
        QCOMPARE(first[1].time.ns, 40);
        op(3, 60, 20);
        const OperatorSums second = meter.close({200});
        QCOMPARE(second.size(), std::size_t{3});
        QCOMPARE(second[0].count, 0);
        QCOMPARE(second[0].carried, 1);
        QCOMPARE(second[0].self.ns, 20); // 80 to 100
        QCOMPARE(second[1].self.ns, 20); // 40 to 60
        QCOMPARE(second[2].self.ns, 20);
        OperatorSums all;
        addSums(all, first, true);
        addSums(all, second, false);
        QCOMPARE(all[0].count + all[0].carried, 1);
        QCOMPARE(all[0].time.ns, 100);
        QCOMPARE(all[1].count + all[1].carried, 2);
    }
    // Waits that are sorted in a file are as those that are sorted in memory.
    void waitsBeyondTheMemory() {
        PlantedTrace trace;
        plantManyWorks(trace, false);
        const auto store = trace.store();
        const auto study = studyOf(store);
        constexpr std::size_t few = 64; // among thousands
        const auto inMemory = sumTraces(study);
        const auto inFile = sumTraces(study, few);
        QCOMPARE(inFile.value().sequences.size(), inMemory.value().sequences.size());
        std::size_t waits = 0;
        for (std::size_t i = 0; i < inMemory.value().sequences.size(); ++i) {
            const store::SumSequence& a = inMemory.value().sequences[i];
            const store::SumSequence& b = inFile.value().sequences[i];
            QCOMPARE(b.place.kind, a.place.kind);
            QCOMPARE(b.place.rank, a.place.rank);
            QCOMPARE(b.slices.size(), a.slices.size());
            for (std::size_t k = 0; k < a.slices.size(); ++k) {
                QCOMPARE(b.slices[k].begin, a.slices[k].begin);
                QVERIFY(b.slices[k].sums == a.slices[k].sums);
                QVERIFY(b.slices[k].detail == a.slices[k].detail);
            }
            if (a.place.kind == static_cast<int>(SumKind::Waits))
                waits += a.slices.size();
        }
        QVERIFY(waits > 0);
    }
    // Details beyond what is held in memory come back from their file.
    void detailsBeyondTheMemory() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a", 0, 10);
        auto store = trace.store();
        const Run run = store.findRun("run").value();
        auto kept = sumTraces({store, run}).value();
        constexpr std::size_t size = std::size_t{8} << 20U;
        constexpr std::uint8_t slices = 2 + store::KeptSums::kMostInMemory / size;
        store::SumSequence sequence{placeOf(SumKind::Waits, 0), {}};
        for (std::uint8_t i = 0; i < slices; ++i) {
            store::SumSlice slice;
            slice.begin = i;
            slice.detail.assign(size, i);
            sequence.slices.push_back(std::move(slice));
        }
        QVERIFY(kept.add(std::move(sequence), store.path()).hasValue());
        std::uint64_t held = 0;
        for (const store::SumSequence& one : kept.sequences) {
            for (const store::SumSlice& slice : one.slices)
                held += slice.detail.size();
        }
        QVERIFY(held <= store::KeptSums::kMostInMemory);
        QVERIFY(store::keepSums(store, kept).hasValue());
        std::uint8_t next = 0;
        const auto read = store::forEachSum(store, run.id, placeOf(SumKind::Waits, 0), 0, slices,
            store::SumPart::Detail, [&next](store::ByteView bytes) {
                const bool isIt
                    = bytes.size() == size && bytes.front() == next && bytes.back() == next;
                ++next;
                return isIt ? Status() : Status(Error{ErrorCode::Unreadable, "differs", {}});
            });
        QVERIFY(read.hasValue());
        QCOMPARE(next, slices);
    }
    void sumsGoWithTheirSources() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a", 0, 10);
        auto store = trace.store();
        keepSumsOf(store);
        const Run run = store.findRun("run").value();
        const auto late = sumTraces({store, run});
        auto session = store::beginImport(store, {"more", 1, "more", "run"}).value();
        QVERIFY(session->run(run).hasValue());
        QVERIFY(session->finish({}, "more", 1, {}).hasValue());
        session.reset();
        QVERIFY(!TraceSums::open({store, run}).value());
        QVERIFY(store::sumOutlines(store, run.id, placeOf(SumKind::Device, 0, 0)).value().empty());
        // Those of before the import, kept by whoever took longer than it.
        QVERIFY(store::keepSums(store, late.value()).hasValue());
        QVERIFY(!TraceSums::open({store, run}).value());
        const std::string state = store::sourceState(store, run.id).value();
        store::KeptSums other{run.id, kTraceSumsVersion + 1, {}, {}, state};
        QVERIFY(store::keepSums(store, other).hasValue());
        QVERIFY(!TraceSums::open({store, run}).value());
        keepSumsOf(store);
        QVERIFY(store::removeRun(store, run.id).hasValue());
        QVERIFY(!TraceSums::open({store, run}).value());
    }
    void summingCanBeStopped() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a", 0, 10);
        const auto store = trace.store();
        const auto stopped = sumTraces(
            {store, store.findRun("run").value(), [](const ProgressState&) { return false; }});
        QVERIFY(!stopped.hasValue() && stopped.error().code == ErrorCode::Cancelled);
    }

    // Kept sums of a database that somebody made on purpose: claims of millions of rows, numbers
    // that do not add up, and references to what is not there.
    void aSmallFileHasFewRows() {
        using store::Squeeze;
        std::vector<CallSum> sums;
        QVERIFY(!decodeSums(constantColumn(kMostSumRows, 0, Squeeze::No), sums));
        QVERIFY(!decodeSums(constantColumn(kMostSumRows * 2, 1 << 22U, Squeeze::No), sums));
        QVERIFY(sums.empty());
        // By zstd, as nothing is written here, a few bytes are 65,536 numbers.
        const store::Bytes squeezed = constantColumn(1 << 16U, 1 << 16U, Squeeze::IfMuchSmaller);
        QVERIFY(squeezed.size() < 1'000);
        std::vector<std::int64_t> delays;
        QVERIFY(!decodeDelays(squeezed, delays));
        QVERIFY(delays.empty() || delays.capacity() <= store::kMaxColumn);
    }
    void rowsOfOneNumberComeBack() {
        std::vector<CallEntry> entries(100'000, {7, 0, 7, 7});
        store::Bytes bytes;
        encodeEntries(entries, bytes);
        std::vector<CallEntry> read;
        QVERIFY(decodeEntries(bytes, read));
        QCOMPARE(read.size(), entries.size());
        QCOMPARE(read.back().bytes, std::int64_t{7});
    }
    void callsAddUpWithinBounds() {
        CallSums sums;
        for (int i = 0; i < 3; ++i) {
            add(sums, CallEntry{0, 1, kHuge, kHuge});
            add(sums, WaitEntry{0, 1, -kHuge, -kHuge});
        }
        store::Bytes bytes;
        encodeSums(sums, bytes);
        std::vector<CallSum> read;
        QVERIFY(decodeSums(bytes, read));
        add(sums, read[0]);
        QCOMPARE(sums[1].time, kMostSum);
        QCOMPARE(sums[1].sizedWait, -kMostSum);
        QCOMPARE(sums[1].count, std::int64_t{6});
    }
    void workOfADeviceAddsUpWithinBounds() {
        DeviceSums part;
        part.busy = part.compute = part.communication = {kHuge};
        part.names = {{{1}, {}, kHuge, kHuge, {kHuge}}};
        part.sets = {{kHuge, {kHuge}, kHuge, kHuge, {kHuge}}, kHuge};
        part.launches = {{kHuge, kHuge, kHuge, {kHuge}}, {{{kHuge}, kHuge, true}}};
        store::Bytes bytes;
        encodeSums(part, bytes);
        DeviceSums all;
        DeviceSums read;
        QVERIFY(decodeSums(bytes, read));
        all.add(read, true);
        all.add(read, true);
        QCOMPARE(all.busy.ns, kMostSum);
        QCOMPARE(all.names[0].count, kMostSum);
        QCOMPARE(all.sets.bytes, kMostSum);
        QCOMPARE(all.launches.queues[0].waited.ns, kMostSum);
        OperatorSums operators;
        for (int i = 0; i < 2; ++i)
            addSums(operators, std::vector<OperatorSum>{{{1}, kHuge, 0, {kHuge}, {kHuge}}}, true);
        QCOMPARE(operators[0].time.ns, kMostSum);
    }
    void delaysAreWhatTheyAre() {
        std::vector<std::int64_t> read;
        for (const std::vector<std::int64_t>& wrong :
            {std::vector<std::int64_t>{-1, 5}, std::vector<std::int64_t>{5, 4}}) {
            store::Bytes bytes;
            encodeDelays(wrong, bytes);
            QVERIFY(!decodeDelays(bytes, read));
        }
    }
    void callsOfAGroupThatIsNotThere() {
        for (const std::int64_t group : {std::int64_t{-1}, std::int64_t{1'000'000}}) {
            PlantedTrace trace = plantedCalls();
            auto store = trace.store();
            store::Bytes bytes;
            encodeEntries(std::vector<CallEntry>{{0, group, 1, 1}}, bytes);
            keepInstead(store, SumKind::Calls, bytes);
            QVERIFY(isRefused(store));
        }
    }
    void queuesOfStreamsThatAreNotThere() {
        PlantedTrace trace = plantedCalls();
        auto store = trace.store();
        DeviceSums sums;
        sums.work = {{0}, {1'000}};
        sums.launches.queues.resize(50, {{5}, 1, true});
        store::Bytes bytes;
        encodeSums(sums, bytes);
        keepInstead(store, SumKind::Device, bytes);
        QVERIFY(isRefused(store));
    }
};

TRAINSCOPE_TEST(tst_TraceSums)
#include "tst_TraceSums.moc"
