// Telemetry of every format, cut short and damaged: it is imported with a report that adds up, or
// refused with a message. The seed is fixed.
#include "importers/meters/ImportMeters.h"
#include "importers/meters/MeterSamples.h"
#include "importers/support/BrokenTree.h"
#include "support/TestProgram.h"

#include <QTest>

#include <random>

using namespace trainscope;
using namespace trainscope::test;

namespace {

// The sum that does not add up; empty: all do.
std::string problemOf(const ImportedMeters& imported) {
    for (const auto& report : imported.reports) {
        if (!report.hasValue() && report.error().message.empty())
            return "an error without a message";
        if (report.hasValue() && report.value().samples == 0)
            return "a report without samples";
    }
    std::int64_t recorded = 0;
    std::int64_t told = 0;
    bool isWhole = true;
    for (const RecordedSeries& series : imported.sink.allSeries) {
        recorded += static_cast<std::int64_t>(series.values.size());
        if (series.values.size() != series.times.size())
            return "times and values of different length";
    }
    for (const auto& report : imported.reports) {
        isWhole = isWhole && report.hasValue();
        told += report.hasValue() ? report.value().samples : 0;
    }
    return isWhole && recorded != told ? "samples that the report does not count" : "";
}

} // namespace

class tst_MeterDamage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFormatIsKnown() {
        for (const std::string_view text : kMeterSamples) {
            ImportedMeters imported;
            importMeterText(std::string(text), imported);
            QVERIFY2(imported.units.size() == 1, std::string(text.substr(0, 60)).c_str());
            QVERIFY2(imported.reports[0].hasValue(), std::string(text.substr(0, 60)).c_str());
            QVERIFY(!imported.units[0].summary.empty());
            QVERIFY(imported.reports[0].value().facts.contains("clock"));
            QVERIFY(imported.reports[0].value().facts.contains("format"));
        }
    }
    void cutShort() {
        for (const std::string_view text : kMeterSamples) {
            for (std::size_t size = 0; size < text.size(); size += 41) {
                ImportedMeters imported;
                importMeterText(std::string(text.substr(0, size)), imported);
                const std::string problem = problemOf(imported);
                QVERIFY2(problem.empty(), problem.c_str());
            }
        }
    }
    void damaged() {
        std::mt19937 random(20260422);
        const auto below = [&random](std::size_t limit) {
            return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
        };
        for (const std::string_view text : kMeterSamples) {
            for (int round = 0; round < 6; ++round) {
                std::string broken(text);
                for (int i = 0; i < 4; ++i) {
                    const std::size_t at = below(broken.size());
                    if (below(2) == 0)
                        broken[at] = static_cast<char>(below(256));
                    else
                        broken.erase(at, 1 + below(20));
                    broken += ' ';
                }
                ImportedMeters imported;
                importMeterText(broken, imported);
                const std::string problem = problemOf(imported);
                QVERIFY2(problem.empty(), problem.c_str());
            }
        }
    }
    // Values before the disk failed stay, and the run is partial.
    void breaksOff() {
        std::string text(kSmiDmonText);
        for (int second = 11; second < 60; ++second) {
            text += " 20260422   00:03:" + std::to_string(second)
                + "      0    111     41     42     97     30   2619   1980   9648\n";
        }
        const BrokenTree tree({{"a.txt", text}}, text.size() - 200);
        ImportedMeters imported;
        importMeterTree(tree, imported);
        QCOMPARE(imported.reports.size(), std::size_t{1});
        QVERIFY(imported.reports[0].hasValue());
        QVERIFY(imported.sink.runs[0].status == RunStatus::Partial);
        QVERIFY(imported.ofGpu("gpu_power", 0).size() > 40);
    }
    void failingSink() {
        for (int call = 1; call < 12; ++call) {
            ImportedMeters imported;
            imported.sink.failAt = call;
            importMeterText(std::string(kExpositionText), imported);
            QCOMPARE(imported.reports[0].hasValue(), imported.sink.calls < call);
        }
    }
};

TRAINSCOPE_TEST(tst_MeterDamage)
#include "tst_MeterDamage.moc"
