// Exported CSV comes back: subjects, units, missing values, iterations; broken rows are told; and
// the exported recording of a real GPU, whose figures were computed from its files with Python.

#include "importers/registry/Registry.h"
#include "importers/support/Compress.h"
#include "importers/support/RecordingSink.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using trainscope::test::RecordingSink;

namespace {

constexpr const char* kPower = "time_ns,unix_s,rank,node,local,device,value\n"
                               "1000000000,1.000000000,0,0,0,,73.5\n"
                               "1100000000,1.100000000,0,0,0,,\n"
                               "1200000000,1.200000000,0,0,0,,75\n"
                               "1000000000,1.000000000,9,1,1,,60\n";

struct Imported {
    RecordingSink sink;
    ImportPlan plan;
    std::vector<ImportReport> reports;

    explicit Imported(const SourceTree& tree) { read(tree); }

private:
    void read(const SourceTree& tree) {
        auto planned = planImport(tree, {});
        QVERIFY(planned.hasValue());
        plan = std::move(planned).value();
        for (const ImportUnit& unit : plan.units) {
            const Importer* importer = findImporter(unit.importer);
            QVERIFY(importer != nullptr);
            auto report = importer->import(tree, unit, sink, {});
            QVERIFY(report.hasValue());
            reports.push_back(std::move(report).value());
        }
    }
};

} // namespace

class tst_Exported : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void samplesComeBack() {
        const auto tree = memoryTree({{"job/gpu_power.csv.gz", test::gzipped(kPower)}});
        const Imported got(*tree);
        QCOMPARE(got.plan.units.size(), std::size_t{1});
        const ImportUnit& unit = got.plan.units.front();
        QCOMPARE(unit.importer, std::string("exported"));
        QCOMPARE(unit.runName, std::string("job"));
        QVERIFY(unit.start && unit.start->ns == 1'000'000'000);
        QCOMPARE(got.sink.allSeries.size(), std::size_t{2});
        const auto& first = got.sink.allSeries[0];
        QCOMPARE(first.description.metric.unit, std::string("W"));
        QCOMPARE(first.description.subject.rank, 0);
        QCOMPARE(first.values.size(), std::size_t{3});
        QCOMPARE(first.values[0], 73.5);
        QVERIFY(std::isnan(first.values[1]));
        QCOMPARE(first.times[2].ns, std::int64_t{1'200'000'000});
        QCOMPARE(got.sink.allSeries[1].description.subject.rank, 9);
        QCOMPARE((got.sink.gpus.at({1, 9})), (Gpu{9, 1, 1, {}, {}}));
        QCOMPARE(got.reports[0].samples, std::int64_t{4});
        QCOMPARE(got.reports[0].missing, std::int64_t{1});
        QCOMPARE(got.reports[0].ranksFound, (std::vector<int>{0, 9}));
    }

    // Empty cells do not apply: a node, a link of it, a switch, the whole run.
    void subjects_data() {
        const auto row = test::columns<QByteArray, int>("cells", "kind");
        row("node", ",2,,", int(SubjectKind::Node));
        row("link", ",2,,ib0", int(SubjectKind::Link));
        row("switch", ",,,sw0", int(SubjectKind::Switch));
        row("run", ",,,", int(SubjectKind::Run));
        row("gpu", "3,0,3,", int(SubjectKind::Gpu));
    }
    void subjects() {
        QFETCH(QByteArray, cells);
        QFETCH(int, kind);
        const std::string text
            = "time_ns,rank,node,local,device,value\n5," + cells.toStdString() + ",1\n";
        const Imported got(*memoryTree({{"job/loss.csv", text}}));
        QCOMPARE(int(got.sink.allSeries.front().description.subject.kind), kind);
    }

    // The file's name lost what the metric's has; its index knows it, with unit, kind and width.
    void theIndexSaysWhatAFileHolds() {
        const Imported got(*memoryTree(
            {{"job/metrics.csv",
                 "metric,unit,kind,file,series,samples,missing,scale,counter_bits,sensor\n"
                 "my metric/2,B,counter,my_metric_2.csv,1,2,0,1024,32,averaged\n"},
                {"job/my_metric_2.csv",
                    "time_ns,rank,node,local,device,value\n1,0,0,0,,1024\n2,0,0,0,,4096\n"}}));
        QCOMPARE(got.plan.units.size(), std::size_t{1});
        const auto& series = got.sink.allSeries.front();
        QCOMPARE(series.description.metric.name, std::string("my metric/2"));
        QCOMPARE(series.description.metric.unit, std::string("B"));
        QCOMPARE(int(series.description.metric.kind), int(MetricKind::Counter));
        QCOMPARE(series.description.counterBits, 32);
        QCOMPARE(series.description.scale, 1024.0);
        QCOMPARE(int(series.description.sensor), int(SensorKind::Averaged));
        QCOMPARE(series.values, (std::vector<double>{1.0, 4.0})); // as the source counted
    }

    void iterationsComeBack() {
        const Imported got(*memoryTree({{"job/gpu_power.csv", kPower},
            {"job/iterations.csv",
                "index,start_ns,duration_ns,warmup\n1,1000000000,50,1\n2,1000000050,60,0\n"}}));
        QCOMPARE(got.sink.iterations.size(), std::size_t{2});
        const Iteration& last = got.sink.iterations[1].second;
        QCOMPARE(last.index, std::int64_t{2});
        QCOMPARE(last.rank, -1);
        QCOMPARE(last.range.end.ns, std::int64_t{1'000'000'110});
        QVERIFY(got.sink.iterations[0].second.warmup && !last.warmup);
    }

    void brokenRowsAreTold() {
        const Imported got(*memoryTree({{"job/gpu_power.csv",
            std::string(kPower) + "nonsense\n1300000000,1.3,0,0,0,,12 W?\n"}}));
        QCOMPARE(got.reports[0].rows, std::int64_t{4});
        QCOMPARE(got.reports[0].skipped, std::int64_t{2});
        QCOMPARE(got.reports[0].warnings[0].line, std::int64_t{6});
    }

    // 7,632 rows of power, 173 iterations. From the files, with Python's csv.
    void theRecordingOfARealGpu() {
        const std::string root = test::realFiles();
        const std::string folder = root + "/data/h100_recording/training";
        if (root.empty() || !std::filesystem::exists(folder))
            QSKIP("SKIPPED: no real files");
        const auto tree = openDiskTree(folder);
        QVERIFY(tree.hasValue());
        auto plan = planImport(*tree.value(), {}, "exported");
        QVERIFY(plan.hasValue());
        QCOMPARE(plan.value().units.size(), std::size_t{1});
        RecordingSink sink;
        const auto report = exportedImport(*tree.value(), plan.value().units.front(), sink);
        QVERIFY(report.hasValue());
        QCOMPARE(sink.iterations.size(), std::size_t{173});
        double highest = 0.0;
        for (const auto& series : sink.allSeries) {
            if (series.description.metric.name != "gpu_power")
                continue;
            QCOMPARE(series.values.size(), std::size_t{7632});
            for (const double value : series.values)
                highest = std::max(highest, value);
        }
        QCOMPARE(highest, 888.667);
        QCOMPARE(report.value().skipped, std::int64_t{0});
    }

private:
    static Result<ImportReport> exportedImport(
        const SourceTree& tree, const ImportUnit& unit, Sink& sink) {
        return findImporter("exported")->import(tree, unit, sink, {});
    }
};

TRAINSCOPE_TEST(tst_Exported)
#include "tst_Exported.moc"
