// Kept sums of a database that somebody made on purpose: claims of millions of rows, numbers that
// do not add up, and references to what is not there.

#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/traces/CallSums.h"
#include "core/analysis/traces/DeviceSums.h"
#include "core/analysis/traces/OperatorSums.h"
#include "core/analysis/traces/SumColumns.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/KeptSums.h"
#include "support/TestProgram.h"

#include <limits>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

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
    const Run run = store.findRun("run").value();
    auto kept = sumTraces({store, run});
    QVERIFY(kept.hasValue());
    bool isMet = false;
    for (store::SumSequence& sequence : kept.value().sequences) {
        if (sequence.place.kind != static_cast<int>(kind))
            continue;
        isMet = true;
        for (store::SumSlice& slice : sequence.slices)
            slice.sums = slice.detail = sums;
    }
    QVERIFY(isMet);
    QVERIFY(store::keepSums(store, kept.value()).hasValue());
}

bool isRefused(const store::Store& store) {
    const auto selection = selectionOf(
        {store, store.findRun("run").value()}, [](int) { return kAllTime; },
        KernelCategories::builtIn());
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

class tst_KeptSums : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        part.launches = {kHuge, kHuge, kHuge, {kHuge}, {{{kHuge}, kHuge, true}}};
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

TRAINSCOPE_TEST(tst_KeptSums)
#include "tst_KeptSums.moc"
