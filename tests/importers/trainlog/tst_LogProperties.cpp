// Damaged, truncated and repeated training logs: nothing crashes, what is whole is read, and what
// the report counts is what was written.

#include "importers/support/BrokenTree.h"
#include "importers/trainlog/Import.h"
#include "importers/trainlog/LogImport.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

namespace {

const std::vector<std::string> kSamples{
    " [2024-10-24 16:30:14] iteration       10/ 1000 | consumed samples: 2560 | elapsed time per "
    "iteration (ms): 942.0 | learning rate: 5.308E-07 | lm loss: 1.069112E+01 |\n",
    "[rank0]:[titan] 2026-05-19 19:38:34,024 - root - INFO - step:  1  loss: 12.40766  tps: "
    "1,315\n",
    "step 00001/16704 (0.01%) | loss: 10.757717 | dt: 629.00ms | tok/sec: 833,525 | mfu: 52.10\n",
    "Step 00250 | Validation bpb: 1.086329\n",
    "100/20000 train_loss: 3.6449 train_time: 0.2m tok/s: 8282812\n",
    "iter 100: loss 2.3345, time 123.45ms, mfu 12.34%\n",
    " 10%|# | 100/1000 [01:40<15:00,  1.00s/it]\r{'loss': 2.3, 'learning_rate': 5e-05}\n",
    ":::MLLOG {\"time_ms\": 1728509280939, \"key\": \"train_loss\", \"value\": 2.2, \"metadata\": "
    "{\"samples_count\": 80, \"lr\": 0.0004}}\n",
    "  tensor_model_parallel_size ...................... 4\n", "\x1b[31mwarning\x1b[0m\n"};

ImportReport readAll(const std::string& text, RecordingSink& sink) {
    const auto tree = importers::memoryTree({{"train.log", text}});
    const auto& importer = importers::trainlog::kImporter;
    const auto unit = importer.plan(*tree, tree->files()).at(0);
    const auto report = importer.import(*tree, unit, sink, {});
    if (!report.hasValue() && report.error().message.empty())
        qFatal("an error without words");
    if (!importer.work(*tree, unit, {}).hasValue())
        qFatal("no work");
    return report.valueOr(ImportReport{});
}

void check(const ImportReport& report, const RecordingSink& sink) {
    std::int64_t samples = 0;
    for (const RecordedSeries& series : sink.allSeries) {
        QCOMPARE(series.times.size(), series.values.size());
        samples += static_cast<std::int64_t>(series.values.size());
    }
    if (report.rows > 0)
        QCOMPARE(report.samples, samples);
    for (const auto& [run, iteration] : sink.iterations)
        QVERIFY(iteration.range.begin <= iteration.range.end);
}

std::string logOf(std::mt19937& random, int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i)
        text += kSamples[random() % kSamples.size()];
    return text;
}

} // namespace

class tst_LogProperties : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void truncated() {
        for (const std::string& line : kSamples) {
            for (std::size_t size = 0; size <= line.size(); ++size) {
                RecordingSink sink;
                check(readAll(line + line.substr(0, size), sink), sink);
            }
        }
    }
    void damaged() {
        for (unsigned seed = 0; seed < 300; ++seed) {
            std::mt19937 random(seed);
            std::string text = logOf(random, 12);
            for (int i = 0; i < 20; ++i)
                text[random() % text.size()] = static_cast<char>(random() % 256);
            RecordingSink sink;
            check(readAll(text, sink), sink);
        }
    }
    // Lines before the break are kept, and the run says that it is a part.
    void brokenStream() {
        std::string text;
        for (int i = 1; i <= 50; ++i)
            text += "step " + std::to_string(i) + " | loss: 2.5 | dt: 100.00ms\n";
        const BrokenTree tree({{"train.log", text}}, text.size() / 2);
        importers::ImportUnit unit;
        unit.path = "train.log";
        unit.files = {"train.log"};
        unit.clock = importers::ClockKind::None;
        unit.runName = "r";
        RecordingSink sink;
        const auto report = importers::trainlog::kImporter.import(tree, unit, sink, {});
        QVERIFY(report.hasValue());
        QVERIFY(report.value().rows >= 20 && report.value().rows < 50);
        QVERIFY(sink.runs.front().status == RunStatus::Partial);
        QCOMPARE(report.value().warningCount, std::int64_t{1});
    }
    void anyLineEnds() {
        for (const char* end : {"\n", "\r\n", "\r", "\n\n"}) {
            std::string text;
            for (int i = 1; i <= 5; ++i)
                text += "step " + std::to_string(i) + " | loss: 2.5 | dt: 100.00ms" + end;
            RecordingSink sink;
            QCOMPARE(readAll(text, sink).rows, std::int64_t{5});
        }
    }
    void cancelled() {
        std::string text;
        for (int i = 1; i <= 20'000; ++i)
            text += "step " + std::to_string(i) + " | loss: 2.5 | dt: 100.00ms\n";
        const auto tree = importers::memoryTree({{"train.log", text}});
        const auto& importer = importers::trainlog::kImporter;
        const auto unit = importer.plan(*tree, tree->files()).at(0);
        RecordingSink sink;
        const auto report
            = importer.import(*tree, unit, sink, [](const ProgressState&) { return false; });
        QVERIFY(!report.hasValue());
        QCOMPARE(report.error().code, ErrorCode::Cancelled);
    }
    void failingSink() {
        const std::string text
            = "step 1 | loss: 2.5 | dt: 100.00ms\nstep 2 | loss: 2.4 | dt: 90.00ms\n";
        const auto tree = importers::memoryTree({{"train.log", text}});
        const auto& importer = importers::trainlog::kImporter;
        const auto unit = importer.plan(*tree, tree->files()).at(0);
        for (int call = 1; call <= 8; ++call) {
            RecordingSink sink;
            sink.failAt = call;
            const auto report = importer.import(*tree, unit, sink, {});
            QVERIFY(report.hasValue() || report.error().code == ErrorCode::Io);
        }
    }
};

TRAINSCOPE_TEST(tst_LogProperties)
#include "tst_LogProperties.moc"
