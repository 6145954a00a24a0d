// Catalogues and copies from a simulated engine, whose samples are known: what is asked again in
// pieces, what is there twice, what goes on under other labels.

#include "importers/engine/Catalogue.h"
#include "importers/engine/DirectFetch.h"
#include "importers/engine/PartWriter.h"
#include "importers/support/RecordingSink.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using namespace trainscope::importers::engine;

namespace {

constexpr std::int64_t kBegin = 1'795'341'600'000; // ms
constexpr const char* kPower = "DCGM_FI_DEV_POWER_USAGE";
constexpr const char* kEnergy = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";

SimulatedEngine::Labels gpuLabels(
    const std::string& metric, int node, int gpu, const std::string& instance = {}) {
    const std::string host = "node-" + std::to_string(node);
    return {{"__name__", metric}, {"Hostname", host}, {"gpu", std::to_string(gpu)},
        {"UUID", "GPU-" + std::to_string(node * 8 + gpu)}, {"job", "dcgm"},
        {"modelName", "NVIDIA H100"}, {"instance", instance.empty() ? host + ":9400" : instance}};
}

TimeRange seconds(std::int64_t count) {
    return {{kBegin * 1'000'000}, {(kBegin + count * 1000) * 1'000'000}};
}

struct Copied {
    RecordingSink sink;
    ImportReport report; // over all parts
    Catalogue catalogue;
    std::vector<Part> parts;
    Error error;

    [[nodiscard]] const RecordedSeries* find(const std::string& metric, int rank) const {
        for (const auto& series : sink.allSeries) {
            if (series.description.metric.name == metric && series.description.subject.rank == rank)
                return &series;
        }
        return nullptr;
    }
};

void copyAll(DirectFetch& fetch, const Wanted& wanted, CopyRequest request, Copied& into) {
    auto found = readCatalogue(fetch, wanted, {});
    if (!found.hasValue()) {
        into.error = found.error();
        return;
    }
    into.catalogue = std::move(found).value();
    into.parts = partsOf(into.catalogue);
    request.selector = wanted.selector;
    request.range = wanted.range;
    SliceFeed feed(fetch, request, into.parts);
    const RunId run = into.sink.run({}).value();
    for (const Part& part : into.parts) {
        PartWriter writer(into.catalogue, wanted.mapping, part, into.sink, run);
        for (bool isLast = false; !isLast;) {
            const auto slice = feed.next({});
            if (!slice.hasValue()) {
                into.error = slice.error();
                return;
            }
            isLast = slice.value()->endsPart;
            if (const auto status = writer.add(*slice.value()); !status.hasValue())
                into.error = status.error();
        }
        const auto report = writer.report("source");
        into.report.samples += report.samples;
        into.report.missing += report.missing;
        into.report.gaps += report.gaps;
        into.report.counterFalls += report.counterFalls;
        for (const auto& [key, count] : report.counts)
            into.report.counts[key] += count;
    }
}

} // namespace

class tst_EngineCopy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everySample_data() {
        columns<bool, int>("closed", "perAnswer");
        for (const bool closed : {true, false}) {
            for (const int perAnswer : {10, 64, 1'000'000})
                QTest::addRow("%s, %d", closed ? "closed" : "open", perAnswer)
                    << closed << perAnswer;
        }
    }
    // 3 nodes × 2 GPUs × 2 metrics × 100 samples, however the time is cut.
    void everySample() {
        QFETCH(bool, closed);
        QFETCH(int, perAnswer);
        SimulatedEngine engine;
        engine.isClosedOnTheLeft = closed;
        for (int node = 0; node < 3; ++node) {
            for (int gpu = 0; gpu < 2; ++gpu) {
                engine.add(gpuLabels(kPower, node, gpu), kBegin, 1000, 100,
                    [=](int i) { return 100 * node + 10 * gpu + i; });
                engine.add(gpuLabels(kEnergy, node, gpu), kBegin, 1000, 100,
                    [](int i) { return 500.0 * i; });
            }
        }
        DirectFetch fetch(engine);
        Copied copied;
        CopyRequest request;
        request.samplesPerAnswer = perAnswer;
        copyAll(fetch, {selectorFrom("{job=\"dcgm\"}").value(), seconds(100), {}}, request, copied);
        QCOMPARE(copied.error, Error{});
        QCOMPARE(copied.parts.size(), std::size_t{3});
        QCOMPARE(copied.parts[1].condition, std::string("Hostname=\"node-1\""));
        QCOMPARE(copied.catalogue.roster.gpus().size(), std::size_t{6});
        QCOMPARE(copied.report.samples, std::int64_t{1200});
        for (int rank = 0; rank < 6; ++rank) {
            const auto* power = copied.find("gpu_power", rank);
            QVERIFY(power != nullptr);
            QCOMPARE(power->times.size(), std::size_t{100});
            for (int i = 0; i < 100; ++i) {
                QCOMPARE(
                    power->times[static_cast<std::size_t>(i)].ns, (kBegin + 1000 * i) * 1'000'000);
                QCOMPARE(power->values[static_cast<std::size_t>(i)],
                    100.0 * (rank / 2) + 10 * (rank % 2) + i);
            }
            const auto* energy = copied.find("gpu_energy", rank);
            QCOMPARE(energy->description.scale, 1e-3);
            QCOMPARE(energy->description.counterBits, 64);
        }
    }
    // An engine that answers 150 samples at most is asked in pieces until it answers.
    void limits() {
        SimulatedEngine engine;
        engine.mostSamples = 150;
        for (int gpu = 0; gpu < 8; ++gpu)
            engine.add(gpuLabels(kPower, 0, gpu), kBegin, 250, 400, [](int i) { return i; });
        DirectFetch fetch(engine);
        Copied copied;
        copyAll(fetch, {{}, seconds(100), {}}, {}, copied);
        QCOMPARE(copied.error, Error{});
        QCOMPARE(copied.report.samples, std::int64_t{3200});
        for (int rank = 0; rank < 8; ++rank) {
            const auto& values = copied.find("gpu_power", rank)->values;
            QCOMPARE(values.size(), std::size_t{400});
            for (int i = 0; i < 400; ++i)
                QCOMPARE(values[static_cast<std::size_t>(i)], double(i));
        }
    }
    void oneSeriesTooMuch() {
        SimulatedEngine engine;
        engine.mostSamples = 0;
        engine.add(gpuLabels(kPower, 0, 0), kBegin, 1000, 10, [](int i) { return i; });
        DirectFetch fetch(engine);
        Copied copied;
        copyAll(fetch, {{}, seconds(10), {}}, {}, copied);
        QCOMPARE(copied.error.code, ErrorCode::Unreadable);
        VERIFY_SAYS(copied.error.message, "shorter time");
    }
    // The last sample of each 10 s, at most 20 points an answer.
    void withAStep() {
        SimulatedEngine engine;
        engine.mostPoints = 20;
        engine.add(gpuLabels(kPower, 0, 0), kBegin, 1000, 1000, [](int i) { return i; });
        DirectFetch fetch(engine);
        Copied copied;
        CopyRequest request;
        request.step = DurationNs{10'000'000'000};
        copyAll(fetch, {{}, seconds(1000), {}}, request, copied);
        QCOMPARE(copied.error, Error{});
        const auto* power = copied.find("gpu_power", 0);
        QCOMPARE(power->values.size(), std::size_t{100});
        for (int i = 0; i < 100; ++i)
            QCOMPARE(power->values[static_cast<std::size_t>(i)], 10.0 * i + 9.0);
    }
    // Prometheus of two teams: every GPU is there twice, half a second apart.
    void twoJobsScrapeOne() {
        SimulatedEngine engine;
        auto other = gpuLabels(kPower, 0, 0);
        other["job"] = "again";
        engine.add(gpuLabels(kPower, 0, 0), kBegin, 1000, 60, [](int i) { return i; });
        engine.add(other, kBegin + 500, 1000, 60, [](int i) { return 1000 + i; });
        DirectFetch fetch(engine);
        Copied copied;
        CopyRequest request;
        request.samplesPerAnswer = 7;
        copyAll(fetch, {{}, seconds(61), {}}, request, copied);
        QCOMPARE(copied.error, Error{});
        QCOMPARE(copied.catalogue.roster.gpus().size(), std::size_t{1});
        QCOMPARE(copied.sink.allSeries.size(), std::size_t{1});
        const auto& values = copied.find("gpu_power", 0)->values;
        QVERIFY2(
            values.size() >= 59 && values.size() <= 61, qPrintable(QString::number(values.size())));
        QCOMPARE(copied.report.counts["doubled_samples"] + static_cast<std::int64_t>(values.size()),
            std::int64_t{120});
    }
    // The exporter restarts at 40 s in another pod; the GPU stays the same, a hole of 15 s stays
    // one.
    void goesOnUnderOtherLabels() {
        SimulatedEngine engine;
        engine.add(
            gpuLabels(kPower, 0, 3, "10.0.0.1:9400"), kBegin, 1000, 40, [](int i) { return i; });
        engine.add(gpuLabels(kPower, 0, 3, "10.0.0.9:9400"), kBegin + 55'000, 1000, 45,
            [](int i) { return 55 + i; });
        DirectFetch fetch(engine);
        Copied copied;
        copyAll(fetch, {{}, seconds(100), {}}, {}, copied);
        QCOMPARE(copied.error, Error{});
        QCOMPARE(copied.sink.allSeries.size(), std::size_t{1});
        const auto& power = copied.sink.allSeries.front();
        QCOMPARE(power.values.size(), std::size_t{85});
        QVERIFY(std::is_sorted(power.times.begin(), power.times.end()));
        for (std::size_t i = 0; i < 85; ++i)
            QCOMPARE(power.values[i], static_cast<double>(i < 40 ? i : i + 15));
        QCOMPARE(copied.report.gaps, std::int64_t{1});
        QCOMPARE(copied.report.counts["joined_series"], std::int64_t{1});
    }
    void missingAndReset() {
        SimulatedEngine engine;
        engine.add(gpuLabels(kEnergy, 0, 0), kBegin, 1000, 50,
            [](int i) { return i < 30 ? 1000 + i : i; });
        engine.add(gpuLabels(kPower, 0, 0),
            {{kBegin, "100"}, {kBegin + 1000, "NaN"}, {kBegin + 2000, "2147483632"},
                {kBegin + 3000, "+Inf"}, {kBegin + 4000, "7"}});
        DirectFetch fetch(engine);
        Copied copied;
        copyAll(fetch, {{}, seconds(60), {}}, {}, copied);
        QCOMPARE(copied.report.counterFalls, std::int64_t{1});
        const auto& values = copied.find("gpu_power", 0)->values;
        QCOMPARE(values.size(), std::size_t{5});
        QCOMPARE(copied.find("gpu_power", 0)->missing(), std::int64_t{3});
        QCOMPARE(copied.report.missing, std::int64_t{3});
        QCOMPARE(values[4], 7.0);
    }
    // The highest number of 32 bits, and a share of thousands of percent. Energy counts on to 2^63.
    void numbersForNotKnown() {
        SimulatedEngine engine;
        engine.add(gpuLabels("DCGM_FI_DEV_GPU_UTIL", 0, 0),
            {{kBegin, "50"}, {kBegin + 1000, "4294967295"}, {kBegin + 2000, "5000"},
                {kBegin + 3000, "100"}});
        engine.add(
            gpuLabels(kEnergy, 0, 0), {{kBegin, "5000000000"}, {kBegin + 1000, "5000000700"}});
        DirectFetch fetch(engine);
        Copied copied;
        copyAll(fetch, {{}, seconds(60), {}}, {}, copied);
        const auto& shares = copied.find("gpu_utilization", 0)->values;
        QCOMPARE(shares.size(), std::size_t{4});
        QCOMPARE(shares[0], 50.0);
        QVERIFY(std::isnan(shares[1]) && std::isnan(shares[2]));
        QCOMPARE(shares[3], 100.0);
        QCOMPARE(copied.find("gpu_energy", 0)->values[1], 5000000700.0);
        QCOMPARE(copied.report.missing, std::int64_t{2});
    }
    // node-exporter names the host by its address, dcgm-exporter by its name.
    void nodesByOtherNames() {
        SimulatedEngine engine;
        const auto add = [&engine](const SimulatedEngine::Labels& labels) {
            engine.add(labels, kBegin, 1000, 5, [](int i) { return i; });
        };
        add(gpuLabels(kPower, 0, 0, "10.0.0.1:9400"));
        add({{"__name__", "node_uname_info"}, {"instance", "10.0.0.1:9100"},
            {"nodename", "node-0"}});
        add({{"__name__", "node_load1"}, {"instance", "10.0.0.1:9100"}, {"job", "node"}});
        add({{"__name__", "node_network_receive_bytes_total"}, {"instance", "10.0.0.1:9100"},
            {"device", "eth0"}});
        add({{"__name__", "ipmi_dcmi_power_consumption_watts"}, {"host", "node-0.cluster.local"}});
        DirectFetch fetch(engine);
        Copied copied;
        copyAll(fetch, {{}, seconds(5), {}}, {}, copied);
        QCOMPARE(copied.error, Error{});
        QCOMPARE(copied.catalogue.roster.nodes(), std::vector<std::string>{"node-0"});
        QCOMPARE(copied.sink.allSeries.size(), std::size_t{4});
        QCOMPARE(copied.report.samples, std::int64_t{20});
        for (const auto& series : copied.sink.allSeries) {
            if (series.description.subject.kind == SubjectKind::Link)
                QCOMPARE(series.description.subject.device, std::string("eth0"));
            if (series.description.subject.kind != SubjectKind::Gpu)
                QCOMPARE(series.description.subject.node, 0);
        }
    }
    void betterSensor() {
        SimulatedEngine engine;
        engine.add(gpuLabels(kPower, 0, 0), kBegin, 1000, 5, [](int) { return 1; });
        engine.add(gpuLabels("DCGM_FI_DEV_POWER_USAGE_INSTANT", 0, 0), kBegin, 1000, 5,
            [](int) { return 2; });
        engine.add(gpuLabels(kPower, 0, 1), kBegin, 1000, 5, [](int) { return 3; });
        DirectFetch fetch(engine);
        Copied copied;
        copyAll(fetch, {{}, seconds(5), {}}, {}, copied);
        QCOMPARE(copied.sink.allSeries.size(), std::size_t{2});
        QCOMPARE(copied.find("gpu_power", 0)->values[0], 2.0);
        QCOMPARE(copied.find("gpu_power", 1)->values[0], 3.0);
        QCOMPARE(copied.catalogue.doubled, std::vector<std::string>{kPower});
    }
    void onlyWhatIsKnown() {
        SimulatedEngine engine;
        engine.add(
            {{"__name__", "up"}, {"instance", "a:1"}}, kBegin, 1000, 5, [](int) { return 1; });
        DirectFetch fetch(engine);
        Copied none;
        copyAll(fetch, {{}, seconds(5), {}}, {}, none);
        QCOMPARE(none.error.code, ErrorCode::Unrecognised);
        VERIFY_SAYS(none.error.message, "up");
        engine.add(gpuLabels(kPower, 0, 0), kBegin, 1000, 5, [](int) { return 1; });
        // The board's power stands in the rows of its instances too; their activity is their own.
        for (const char* metric : {kPower, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"}) {
            auto part = gpuLabels(metric, 0, 0);
            part["GPU_I_ID"] = "1";
            engine.add(part, kBegin, 1000, 5, [](int) { return 1; });
        }
        Copied some;
        copyAll(fetch, {{}, seconds(5), {}}, {}, some);
        QCOMPARE(some.catalogue.unknownNames, std::vector<std::string>{"up"});
        QCOMPARE(some.catalogue.parts, std::int64_t{1});
        QCOMPARE(some.sink.allSeries.size(), std::size_t{1});
        QCOMPARE(some.find("gpu_power", 0)->values[0], 1.0);
        Copied kept;
        copyAll(fetch, {{}, seconds(5), mappingFrom("keep up").value()}, {}, kept);
        QVERIFY(std::any_of(kept.sink.allSeries.begin(), kept.sink.allSeries.end(),
            [](const auto& series) { return series.description.metric.name == "up"; }));
    }
    void tenThousandGpus() {
        SimulatedEngine engine;
        for (int node = 0; node < 1250; ++node) {
            for (int gpu = 0; gpu < 8; ++gpu)
                engine.add(gpuLabels(kPower, node, gpu), {{kBegin, "1"}});
        }
        DirectFetch fetch(engine);
        QElapsedTimer timer;
        timer.start();
        const auto found = readCatalogue(fetch, {{}, seconds(5), {}}, {});
        QCOMPARE(found.value().roster.gpus().size(), std::size_t{10'000});
        QCOMPARE(found.value().channels.size(), std::size_t{10'000});
        // node-2 before node-10.
        QCOMPARE(found.value().roster.nodes()[2], std::string("node-2"));
        QCOMPARE(found.value().roster.gpus()[16].uuid, std::string("GPU-16"));
        QCOMPARE(partsOf(found.value()).size(), std::size_t{1250});
        qInfo("10,000 GPUs in %lld ms, the simulated engine included", timer.elapsed());
    }
};

TRAINSCOPE_TEST(tst_EngineCopy)
#include "tst_EngineCopy.moc"
