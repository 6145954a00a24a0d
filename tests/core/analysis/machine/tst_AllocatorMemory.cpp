// Memory of PyTorch's allocator in a run database: records of snapshots, allocations of iterations,
// the sentences that say why memory ran out, and the findings.

#include "core/analysis/findings/Findings.h"
#include "core/analysis/machine/MeasuredMemory.h"
#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kMib = 1 << 20;
constexpr std::int64_t kGib = 1 << 30;
constexpr TimeNs kStart{1'760'000'000'000'000'000};

TimeNs at(int seconds) {
    return kStart + DurationNs{seconds * 1'000'000'000LL};
}

AllocatorRecord fullRecord() {
    AllocatorRecord record;
    record.rank = 3;
    record.device = 1;
    record.events = 9;
    record.peak = {at(2), 3 * kGib, 8 * kGib, 3,
        {{MemoryUse::Activation, 2 * kGib}, {MemoryUse::Unknown, kGib}},
        {{MemoryUse::Activation, kGib, 2, {"forward (model.py:3)", "main (train.py:1)"}},
            {MemoryUse::Unknown, kGib, 1, {}}}};
    record.outOfMemory.push_back({at(5), 2 * kGib, 1100 * kMib, 8 * kGib, 3 * kGib, 14, 800 * kMib,
        {"forward (model.py:3)"}});
    record.outOfMemoryCount = 1;
    record.endedSo = true;
    record.settings = "max_split_size_mb:512";
    return record;
}

RunId writeRun(store::Store& store, const std::vector<AllocatorRecord>& records) {
    auto session = got(store::beginImport(store, {"snap", 1, "hash", "job"}));
    Run run;
    run.name = "job";
    const RunId id = got(session->run(run));
    const auto series = [&](const char* name, const std::vector<double>& inMib) {
        SeriesDescription description;
        description.metric = *findMetric(name);
        description.subject.rank = 3;
        const SeriesId made = got(session->series(id, description));
        std::vector<TimeNs> times;
        std::vector<double> values;
        for (std::size_t i = 0; i < inMib.size(); ++i) {
            times.push_back(at(static_cast<int>(i)));
            values.push_back(inMib[i] * static_cast<double>(kMib));
        }
        ok(session->samples(made, times, values));
    };
    series(metric::kTorchAllocated, {100, 300, 200, 500, 100, 400, 400, 100, 100});
    series(metric::kTorchReserved, {512, 512, 512, 1024, 1024, 1024, 1024, 1024, 1024});
    for (int i = 0; i < 2; ++i)
        ok(session->iteration(id, {i + 7, {at(3 * i), at(3 * i + 3)}, 3, false}));
    ImportReport report;
    if (!records.empty())
        report.facts[std::string(kAllocatorFact)] = allocatorText(records);
    ok(session->finish(report, {}, 1, {}));
    return id;
}

} // namespace

class tst_AllocatorMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void recordsAsText() {
        AllocatorRecord bare;
        bare.peak.allocated = 5;
        const std::vector<AllocatorRecord> records{fullRecord(), bare};
        QCOMPARE(allocatorFromText(allocatorText(records)), records);
        for (const char* broken : {"", "{}", "[1]", "[", "[{\"peak\":3,\"out_of_memory\":[4]}]"})
            QVERIFY(allocatorFromText(broken).size() <= 1);
    }

    void sentences() {
        const OutOfMemory one = fullRecord().outOfMemory[0];
        QCOMPARE(outOfMemoryText(one, kStart),
            std::string(
                "Ran out of memory at 5 s: asked for 2.15 GB, 1.15 GB free on the device, 3.22 GB "
                "allocated, 5.37 GB reserved but not allocated in 14 pieces, the largest 839 "
                "MB."));
        VERIFY_SAYS(outOfMemoryReason(one), "fragmented");
        // 1.07 GiB free and 1 GiB reserved would do together.
        OutOfMemory both = one;
        both.reserved = 4 * kGib;
        VERIFY_SAYS(outOfMemoryReason(both), "do together");
        OutOfMemory full = one;
        full.reserved = 3 * kGib;
        VERIFY_SAYS(outOfMemoryReason(full), "needs more memory");
        QVERIFY(outOfMemoryText(full, kStart).find("pieces") == std::string::npos);
    }

    void measured() {
        Fixture fixture;
        auto store = fixture.create();
        writeRun(store, {});
        const Run run = got(store.findRun("job"));
        const auto devices = got(measuredMemoryOf({store, run}));
        QCOMPARE(devices.size(), std::size_t{1});
        const DeviceMemory& device = devices[0];
        QCOMPARE(device.peakAllocated, 500.0 * kMib);
        QVERIFY(device.peakTime == at(3));
        QVERIFY(device.reservedThen == 1024.0 * kMib);
        // Iteration 7 from 0 to 3 s: up by 200; iteration 8 to 6 s: up by 300 twice.
        QCOMPARE(device.steps.size(), std::size_t{2});
        QCOMPARE(device.steps[0].index, 7);
        QCOMPARE(device.steps[0].count, 1);
        QCOMPARE(device.steps[0].bytes, 200.0 * kMib);
        QCOMPARE(device.steps[0].peak, 300.0 * kMib);
        QCOMPARE(device.steps[1].count, 2);
        QCOMPARE(device.steps[1].bytes, 600.0 * kMib);
        QCOMPARE(device.steps[1].peak, 500.0 * kMib);
        QVERIFY(!device.record);
    }

    void findings() {
        Fixture fixture;
        auto store = fixture.create();
        writeRun(store, {fullRecord()});
        const Run run = got(store.findRun("job"));
        QCOMPARE(got(allocatorRecordsOf({store, run})), std::vector{fullRecord()});
        const auto findings = got(findingsOf({store, run}));
        const auto found = std::find_if(findings.begin(), findings.end(),
            [](const Finding& one) { return one.rule == "out_of_memory"; });
        QVERIFY(found != findings.end());
        QVERIFY(found->text.starts_with("Rank 3: Ran out of memory at 5 s: asked for 2.15 GB"));
        QVERIFY(found->text.ends_with(
            "At most 3.22 GB were allocated: Activations 66.7 %, Not known 33.3 %."));
        QCOMPARE(found->values.at("requested_b"), 2.0 * kGib);
        QCOMPARE(found->values.at("unallocated_b"), 5.0 * kGib);
        QCOMPARE(found->values.at("pieces"), 14.0);
        QCOMPARE(found->evidence.rank, 3);
        QVERIFY(found->evidence.range.begin == at(5));
        QVERIFY(found->severity == analysis::Severity::Serious);
    }

    void fragmentation() {
        AllocatorRecord record = fullRecord();
        record.outOfMemory.clear();
        const auto rules = [](const AllocatorRecord& one) {
            Fixture fixture;
            auto store = fixture.create();
            writeRun(store, {one});
            std::vector<std::string> names;
            for (const Finding& finding : got(findingsOf({store, got(store.findRun("job"))})))
                names.push_back(finding.rule);
            return names;
        };
        const auto has = [](const std::vector<std::string>& all, const char* rule) {
            return std::find(all.begin(), all.end(), rule) != all.end();
        };
        QVERIFY(has(rules(record), "memory_fragmentation")); // 5 of 8 GiB
        record.peak.allocated = 6 * kGib; // 2 of 8 GiB: a quarter
        QVERIFY(!has(rules(record), "memory_fragmentation"));
        record.peak = {at(2), kGib / 4, kGib, 1, {}, {}}; // three quarters, of little
        QVERIFY(!has(rules(record), "memory_fragmentation"));
    }
};

TRAINSCOPE_TEST(tst_AllocatorMemory)
#include "tst_AllocatorMemory.moc"
