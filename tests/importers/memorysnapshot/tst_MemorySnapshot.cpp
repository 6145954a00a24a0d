// Memory snapshots that are written here: bytes over time, what lives at the peak, requests that
// could not be served, with numbers counted by hand.

#include "core/analysis/machine/AllocatorMemory.h"
#include "importers/memorysnapshot/AllocatorHistory.h"
#include "importers/memorysnapshot/SnapshotReader.h"
#include "importers/registry/Registry.h"
#include "importers/support/PickledJson.h"
#include "importers/support/RecordingSink.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using analysis::AllocatorRecord;
using analysis::MemoryUse;
using test::pickled;

namespace {

using Value = test::PickledValue;

constexpr std::int64_t kMi = 1 << 20;
constexpr std::int64_t kGi = 1 << 30;
constexpr std::int64_t kAt = 0x7f00'0000'0000; // a segment of 2 GiB
constexpr std::int64_t kNext = kAt + 4 * kGi; // one of 1 GiB
constexpr std::int64_t kFromUs = 1'760'000'000'000'000;

Value frames(const std::vector<std::array<const char*, 2>>& calls) {
    Value list = Value::array();
    for (const auto& [name, file] : calls)
        list.push_back({{"name", name}, {"filename", file}, {"line", 7}});
    return list;
}

Value activation() {
    return frames({{"linear", "/t/torch/nn/functional.py"}, {"forward", "/u/model.py"}});
}
Value parameter() {
    return frames({{"__init__", "/t/torch/nn/modules/linear.py"}, {"main", "/u/train.py"}});
}
Value optimizer() {
    return frames({{"_init_group", "/t/torch/optim/adam.py"}, {"step", "/t/torch/optim/adam.py"}});
}
Value gradient() {
    return frames({{"_engine_run_backward", "/t/torch/autograd/graph.py"},
        {"backward", "/t/torch/_tensor.py"}});
}

Value allocatorEvent(const char* action, std::int64_t address, std::int64_t size, int ms,
    Value calls = Value::array()) {
    const bool isOutOfMemory = std::string_view(action) == "oom";
    return {{"action", action}, {isOutOfMemory ? "device_free" : "addr", address}, {"size", size},
        {"stream", 0}, {"time_us", kFromUs + 1000 * ms}, {"frames", std::move(calls)}};
}

Value block(
    std::int64_t address, std::int64_t size, const char* state, Value calls = Value::array()) {
    return {{"address", address}, {"size", size}, {"requested_size", size}, {"state", state},
        {"frames", std::move(calls)}};
}

Value segment(int device, std::int64_t address, std::int64_t size, Value blocks) {
    return {{"device", device}, {"address", address}, {"total_size", size}, {"stream", 0},
        {"segment_type", "large"}, {"is_expandable", false}, {"frames", Value::array()},
        {"blocks", std::move(blocks)}};
}

// 100 MiB were there before the history begins; the most, 868 MiB, is allocated at 3 ms.
Value history() {
    return {allocatorEvent("segment_alloc", kNext, kGi, 1),
        allocatorEvent("alloc", kNext, 512 * kMi, 2, activation()),
        allocatorEvent("alloc", kNext + 512 * kMi, 256 * kMi, 3, optimizer()),
        allocatorEvent("free_requested", kNext, 512 * kMi, 4),
        allocatorEvent("free_completed", kNext, 512 * kMi, 5),
        allocatorEvent("alloc", kNext, 200 * kMi, 6, gradient()),
        allocatorEvent("oom", 1100 * kMi, 2 * kGi, 7, activation()),
        allocatorEvent("snapshot", 0, 0, 8)};
}

Value snapshot() {
    return {{"segments",
                {segment(0, kAt, 2 * kGi,
                     {block(kAt, 100 * kMi, "active_allocated", parameter()),
                         block(kAt + 100 * kMi, 1948 * kMi, "inactive")}),
                    segment(0, kNext, kGi,
                        {block(kNext, 200 * kMi, "active_allocated", gradient()),
                            block(kNext + 200 * kMi, 312 * kMi, "inactive"),
                            block(kNext + 512 * kMi, 256 * kMi, "active_allocated", optimizer()),
                            block(kNext + 768 * kMi, 256 * kMi, "inactive")})}},
        {"device_traces", Value::array({history()})},
        {"allocator_settings", {{"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:512"}}},
        {"external_annotations",
            {{{"device", 0}, {"stage", "START"}, {"name", "ProfilerStep#3"},
                 {"time_us", kFromUs + 1500}},
                {{"device", 0}, {"stage", "END"}, {"name", "ProfilerStep#3"},
                    {"time_us", kFromUs + 4500}}}}};
}

struct Imported {
    ImportPlan plan;
    test::RecordingSink sink;
    std::vector<AllocatorRecord> records;
    ImportReport report;
    std::string problem;
};

// By pointer: a sink stays where it is.
std::unique_ptr<Imported> imported(std::vector<std::pair<std::string, std::string>> files) {
    auto all = std::make_unique<Imported>();
    const auto tree = memoryTree(std::move(files));
    all->plan = planImport(*tree, {}).value();
    for (const ImportUnit& unit : all->plan.units) {
        const auto report = findImporter(unit.importer)->import(*tree, unit, all->sink, {});
        if (!report.hasValue()) {
            all->problem = report.error().message;
            continue;
        }
        all->report = report.value();
        const auto fact = all->report.facts.find(std::string(analysis::kAllocatorFact));
        if (fact != all->report.facts.end())
            for (auto& record : analysis::allocatorFromText(fact->second))
                all->records.push_back(std::move(record));
    }
    return all;
}

std::vector<double> inMi(const test::RecordedSeries* series) {
    std::vector<double> values;
    for (const double value : series == nullptr ? std::vector<double>() : series->values)
        values.push_back(value / static_cast<double>(kMi));
    return values;
}

} // namespace

class tst_MemorySnapshot : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytesOverTime() {
        const auto all = imported({{"snap.pickle", pickled(snapshot())}});
        QCOMPARE(all->problem, std::string());
        QCOMPARE(all->plan.units.at(0).importer, std::string("memory-snapshot"));
        QCOMPARE(all->plan.units.at(0).start->ns, (kFromUs + 1000) * 1000);
        const auto* allocated = all->sink.ofGpu(metric::kTorchAllocated, 0);
        QCOMPARE(inMi(allocated), (std::vector<double>{100, 100, 612, 868, 356, 556, 556}));
        QCOMPARE(inMi(all->sink.ofGpu(metric::kTorchReserved, 0)),
            (std::vector<double>{2048, 3072, 3072, 3072, 3072, 3072, 3072}));
        QCOMPARE(inMi(all->sink.ofGpu(metric::kTorchUnallocated, 0)),
            (std::vector<double>{1948, 2972, 2460, 2204, 2716, 2516, 2516}));
        QCOMPARE(allocated->times[3].ns, (kFromUs + 3000) * 1000);
        QCOMPARE(all->report.counts.at("allocations"), 3);
        QCOMPARE(all->report.rows, 8);
    }

    void livesAtThePeak() {
        const auto all = imported({{"snap.pickle", pickled(snapshot())}});
        QCOMPARE(all->records.size(), std::size_t{1});
        const analysis::MemoryPeak& peak = all->records[0].peak;
        QCOMPARE(peak.time->ns, (kFromUs + 3000) * 1000);
        QCOMPARE(peak.allocated, 868 * kMi);
        QCOMPARE(peak.reserved, 3 * kGi);
        QCOMPARE(peak.count, 3);
        QVERIFY(peak.byUse
            == (std::vector<std::pair<MemoryUse, std::int64_t>>{{MemoryUse::Activation, 512 * kMi},
                {MemoryUse::OptimizerState, 256 * kMi}, {MemoryUse::Parameter, 100 * kMi}}));
        QCOMPARE(peak.largest.size(), std::size_t{3});
        QCOMPARE(peak.largest[0].size, 512 * kMi);
        QCOMPARE(peak.largest[0].calls,
            (std::vector<std::string>{
                "linear (/t/torch/nn/functional.py:7)", "forward (/u/model.py:7)"}));
    }

    void outOfMemory() {
        const auto all = imported({{"snap.pickle", pickled(snapshot())}});
        QVERIFY(all->sink.runs.at(0).status == RunStatus::Oom);
        const AllocatorRecord& record = all->records.at(0);
        QVERIFY(record.endedSo);
        QCOMPARE(record.settings, std::string("max_split_size_mb:512"));
        const analysis::OutOfMemory& one = record.outOfMemory.at(0);
        QCOMPARE(one.requested, 2 * kGi);
        QVERIFY(one.deviceFree == std::optional(1100 * kMi));
        QCOMPARE(one.allocated, 556 * kMi);
        QCOMPARE(one.unallocated(), 2516 * kMi);
        QCOMPARE(one.freePieces, 3);
        QCOMPARE(one.largestFree, 1948 * kMi);
        QCOMPARE(all->sink.iterations.size(), std::size_t{1});
        QCOMPARE(all->sink.iterations[0].second.index, 3);
    }

    // Pieces between allocations, where more happened behind the request.
    void piecesInTheMiddle() {
        Value whole = snapshot();
        Value events = history();
        events.insert(
            events.end() - 1, allocatorEvent("alloc", kNext + 768 * kMi, kMi, 8, optimizer()));
        whole["device_traces"] = Value::array({events});
        const auto all = imported({{"snap.pickle", pickled(whole)}});
        QVERIFY(!all->records.at(0).endedSo);
        const analysis::OutOfMemory& one = all->records.at(0).outOfMemory.at(0);
        QCOMPARE(one.freePieces, 3);
        QCOMPARE(one.largestFree, 1948 * kMi);
        QCOMPARE(one.unallocated(), 2516 * kMi);
    }

    // A freed block was there before, also where nobody saw it allocated.
    void historyThatBeginsLate() {
        const Value events{allocatorEvent("free_requested", kAt, 64 * kMi, 1),
            allocatorEvent("free_completed", kAt, 64 * kMi, 2),
            allocatorEvent("segment_free", kAt, 128 * kMi, 3),
            allocatorEvent("alloc", kNext, 16 * kMi, 4)};
        const auto all = imported({{"snap.pickle",
            pickled({{"segments",
                         {segment(0, kNext, 32 * kMi,
                             {block(kNext, 16 * kMi, "active_allocated"),
                                 block(kNext + 16 * kMi, 16 * kMi, "inactive")})}},
                {"device_traces", Value::array({events})}})}});
        QCOMPARE(
            inMi(all->sink.ofGpu(metric::kTorchAllocated, 0)), (std::vector<double>{64, 0, 0, 16}));
        QCOMPARE(inMi(all->sink.ofGpu(metric::kTorchReserved, 0)),
            (std::vector<double>{160, 160, 32, 32}));
        QCOMPARE(all->records.at(0).peak.allocated, 64 * kMi);
        QVERIFY(all->records.at(0).peak.byUse.at(0).first == MemoryUse::Unknown);
    }

    void expandableSegments() {
        const Value events{allocatorEvent("segment_map", kAt, 20 * kMi, 1),
            allocatorEvent("segment_map", kAt + 20 * kMi, 20 * kMi, 2),
            allocatorEvent("alloc", kAt + 10 * kMi, 20 * kMi, 3),
            allocatorEvent("oom", 0, 64 * kMi, 4),
            allocatorEvent("segment_unmap", kAt + 30 * kMi, 10 * kMi, 5)};
        const auto all = imported({{"snap.pickle",
            pickled({{"segments", Value::array()}, {"device_traces", Value::array({events})}})}});
        QCOMPARE(inMi(all->sink.ofGpu(metric::kTorchReserved, 0)),
            (std::vector<double>{0, 20, 40, 40, 30}));
        const analysis::OutOfMemory& one = all->records.at(0).outOfMemory.at(0);
        QCOMPARE(one.freePieces, 2);
        QCOMPARE(one.largestFree, 10 * kMi);
    }

    void severalDevices() {
        Value whole = snapshot();
        whole["device_traces"] = Value::array({history(), Value::array(),
            Value::array({allocatorEvent("alloc", kAt, kMi, 1),
                allocatorEvent("alloc", kAt + kMi, kMi, 2)})});
        whole["segments"].push_back(segment(2, kAt, 4 * kMi, Value::array()));
        const auto all = imported({{"snap.pickle", pickled(whole)}});
        QCOMPARE(all->records.size(), std::size_t{2});
        QCOMPARE(all->records[1].rank, 1);
        QCOMPARE(all->records[1].device, 2);
        QCOMPARE(inMi(all->sink.ofGpu(metric::kTorchAllocated, 1)), (std::vector<double>{0, 1, 2}));
        QCOMPARE(all->records[0].peak.allocated, 868 * kMi);
    }

    void stateAlone() {
        Value whole = snapshot();
        whole["device_traces"] = Value::array({Value::array()});
        const auto all = imported({{"snap.pickle", pickled(whole)}});
        QVERIFY(all->plan.units.at(0).clock == ClockKind::None);
        const AllocatorRecord& record = all->records.at(0);
        QCOMPARE(record.events, 0);
        QVERIFY(!record.peak.time);
        QCOMPARE(record.peak.allocated, 556 * kMi);
        QCOMPARE(record.peak.reserved, 3 * kGi);
        QVERIFY(record.peak.byUse.at(0) == (std::pair{MemoryUse::OptimizerState, 256 * kMi}));
        // The list of segments that torch.cuda.memory_snapshot() gives.
        const auto list = imported({{"s.pickle", pickled(snapshot()["segments"])}});
        QCOMPARE(list->records.at(0).peak.allocated, 556 * kMi);
    }

    // Before torch 2.2 events have no times, and blocks a history.
    void olderSnapshots() {
        Value whole = snapshot();
        Value events = history();
        for (Value& one : events)
            one.erase("time_us");
        Value& parameters = whole["segments"][0]["blocks"][0];
        parameters.erase("address");
        parameters.erase("requested_size");
        parameters["history"]
            = Value::array({{{"addr", kAt}, {"real_size", 90 * kMi}, {"frames", parameter()}}});
        parameters.erase("frames");
        whole["device_traces"] = Value::array({events});
        const auto all = imported({{"snap.pickle", pickled(whole)}});
        QVERIFY(all->plan.units.at(0).hasNoStamps);
        const auto* allocated = all->sink.ofGpu(metric::kTorchAllocated, 0);
        QCOMPARE(inMi(allocated), (std::vector<double>{90, 90, 602, 858, 346, 546, 546}));
        QCOMPARE(allocated->times[2].ns, 1'000'000);
        QVERIFY(!all->records.at(0).peak.time);
        QVERIFY(
            all->records.at(0).peak.byUse.back() == (std::pair{MemoryUse::Parameter, 90 * kMi}));
    }

    // 571 years behind what nanoseconds hold: such events have no times.
    void timesThatCannotBe() {
        Value whole = snapshot();
        Value events = history();
        for (Value& one : events)
            one["time_us"] = std::int64_t{18'021'776'974'808'040};
        whole["device_traces"] = Value::array({events});
        const auto all = imported({{"snap.pickle", pickled(whole)}});
        QVERIFY(all->plan.units.at(0).hasNoStamps);
        QVERIFY(!all->records.at(0).peak.time);
        QCOMPARE(inMi(all->sink.ofGpu(metric::kTorchAllocated, 0)),
            inMi(imported({{"snap.pickle", pickled(snapshot())}})
                     ->sink.ofGpu(metric::kTorchAllocated, 0)));
    }

    void ranksOfAFolder() {
        const std::string bytes = pickled(snapshot());
        const auto all
            = imported({{"job/mem_rank0.pickle", bytes}, {"job/mem_rank1.pickle", bytes}});
        QCOMPARE(all->plan.units.size(), std::size_t{2});
        QCOMPARE(all->plan.units[0].runName, all->plan.units[1].runName);
        QCOMPARE(all->records.at(1).rank, 1);
        // Those of a run whose trace lies beside them are of that run.
        const std::string trace
            = R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1760000000001000,"dur":5,"args":{"device":0,"stream":7}}]})";
        const auto beside = imported({{"job/trace_rank0.json", trace},
            {"job/mem_rank0.pickle", bytes}, {"job/mem_rank1.pickle", bytes}});
        QCOMPARE(beside->sink.runs.size(), std::size_t{1});
    }

    void cutAndDamaged() {
        const std::string whole = pickled(snapshot());
        // Cut behind the third event: what came before is there, and is told to be a part.
        const std::size_t third = whole.find("free_requested");
        const auto part = imported({{"snap.pickle", whole.substr(0, third)}});
        QVERIFY(part->sink.runs.at(0).status == RunStatus::Partial);
        VERIFY_SAYS(part->report.warnings.at(0).text, "cut short");
        QCOMPARE(part->records.at(0).peak.reserved, 3 * kGi);
        // A pickle that would run something is none of ours, or is refused whole.
        const std::string call = "cos\nsystem\n";
        const auto hostile = imported(
            {{"snap.pickle", whole.substr(0, third - 20) + call + whole.substr(third - 20)}});
        QVERIFY(hostile->sink.runs.empty());
        QVERIFY(!hostile->problem.empty());
        const auto other = imported({{"model.pickle", "\x80\x02" + call + "."}});
        QCOMPARE(other->plan.units.size(), std::size_t{0});
        VERIFY_SAYS(other->plan.unrecognised.at(0).reason, "pickle");
    }

    // Segments lie beside each other; of forged ones that overlap no more is kept than what they
    // cover, so that each costs no more than those before it.
    void rangesThatOverlap() {
        memorysnapshot::AddressRanges ranges;
        for (std::int64_t at = 0; at < 1000; at += 100)
            ranges.add(at, 50, false);
        QCOMPARE(ranges.all().size(), std::size_t{10});
        QCOMPARE(ranges.total(), std::int64_t{500});
        ranges.add(25, 900, false);
        QCOMPARE(ranges.all().size(), std::size_t{1});
        QCOMPARE(ranges.total(), std::int64_t{950});
        ranges.add(950, 50, false);
        QCOMPARE(ranges.all().size(), std::size_t{2});
        ranges.add(100, 0, true);
        QCOMPARE(ranges.total(), std::int64_t{1000});
    }

    // Each repetition of a long text costs the file two bytes: 300 names of 1 MiB are 1.3 MB.
    void longNamesRepeated() {
        Value whole = snapshot();
        const std::string name(1 << 20, 'n');
        whole["external_annotations"] = Value::array();
        for (int i = 0; i < 2; ++i)
            whole["external_annotations"].push_back({{"device", 0},
                {"stage", i == 0 ? "START" : "END"}, {"name", name}, {"time_us", kFromUs + i}});
        const auto all = imported({{"snap.pickle", pickled(whole)}});
        QCOMPARE(all->sink.tracks.size(), std::size_t{1});
        QCOMPARE(all->sink.name(all->sink.tracks[0].spans.at(0).name), std::string(512, 'n'));
    }

    // Six bytes each, as a pickler writes the same key again and again.
    void segmentsBeyondCount() {
        std::string bytes = "\x80\x04X" + test::littleEndian(10, 4) + "total_size\x94";
        bytes += "0X" + test::littleEndian(8, 4) + "segments0](";
        for (int i = 0; i <= 1'000'000; ++i)
            bytes += std::string("}h\0K\x01s", 6);
        const auto all = imported({{"snap.pickle", bytes + "e."}});
        VERIFY_SAYS(all->problem, "more segments");
        QVERIFY(all->sink.allSeries.empty());
    }

    void usesOfCalls() {
        using memorysnapshot::Call;
        using memorysnapshot::useOfCall;
        const auto use = [](const char* function, const char* file) {
            return useOfCall(Call{function, file, 1});
        };
        QVERIFY(use("step", "/x/torch/optim/sgd.py") == MemoryUse::OptimizerState);
        QVERIFY(use("zero_", "/x/megatron/core/optimizer/distrib_optimizer.py")
            == MemoryUse::OptimizerState);
        QVERIFY(use("backward", "/x/torch/_tensor.py") == MemoryUse::Gradient);
        QVERIFY(use("torch::autograd::AccumulateGrad::apply()", "??") == MemoryUse::Gradient);
        QVERIFY(use("forward", "/u/attention.py") == MemoryUse::Activation);
        QVERIFY(use("forward_backward_no_pipelining", "/x/schedules.py") == MemoryUse::Activation);
        QVERIFY(use("_apply", "/x/torch/nn/modules/module.py") == MemoryUse::Parameter);
        QVERIFY(
            use("from_pretrained", "/x/transformers/modeling_utils.py") == MemoryUse::Parameter);
        QVERIFY(use("at::cuda::getCUDABlasLtWorkspace()", "??") == MemoryUse::Other);
        QVERIFY(use("main", "/u/train.py") == std::nullopt);
        QVERIFY(use("decorate_context", "/x/torch/utils/_contextlib.py") == std::nullopt);
    }
};

TRAINSCOPE_TEST(tst_MemorySnapshot)

#include "tst_MemorySnapshot.moc"
