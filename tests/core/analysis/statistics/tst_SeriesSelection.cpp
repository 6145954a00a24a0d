// The choice between two series that speak for one GPU, and its words.

// Qt first: moc cannot read <compare> when nothing of the library came before it.
#include <QObject>
#include <QtTest>

#include "core/analysis/statistics/SeriesSelection.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

Series seriesOf(const char* metric, int rank, std::int64_t count, std::int64_t missing) {
    Series series;
    series.description.metric = *findMetric(metric);
    series.description.subject = {SubjectKind::Gpu, rank, -1, {}};
    series.count = count;
    series.missing = missing;
    return series;
}

} // namespace

class tst_SeriesSelection : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneOfTwo() {
        std::vector<std::string> warnings;
        const auto chosen
            = seriesByMetric({seriesOf("gpu_power", 3, 10, 6), seriesOf("sm_clock", 3, 10, 0),
                                 seriesOf("gpu_power", 3, 8, 0)},
                warnings);
        QCOMPARE(chosen.at("gpu_power").size(), std::size_t{1});
        QCOMPARE(chosen.at("gpu_power")[0].count, std::int64_t{8}); // more that is not missing
        QCOMPARE(warnings,
            (std::vector<std::string>{"gpu_power of rank 3 was recorded by two sources; the one "
                                      "with more values is used."}));
    }

    void oneWarningForManyMetrics() {
        std::vector<Series> all;
        for (int source = 0; source < 2; ++source) {
            for (const char* metric : {"sm_clock", "gpu_power", "mem_used", "gpu_temperature"})
                all.push_back(seriesOf(metric, 0, 10 + source, 0));
        }
        std::vector<std::string> warnings;
        QCOMPARE(seriesByMetric(all, warnings).size(), std::size_t{4});
        QCOMPARE(warnings,
            (std::vector<std::string>{"gpu_power, gpu_temperature, mem_used and 1 other were "
                                      "recorded by two sources; for each, the one with more values "
                                      "is used."}));
    }

    void oneWarningForManyGpus() {
        std::vector<Series> all;
        for (int source = 0; source < 2; ++source) {
            for (int rank = 0; rank < 32; ++rank)
                all.push_back(seriesOf("gpu_power", rank, 10 + source, 0));
        }
        std::vector<std::string> warnings;
        const auto chosen = seriesByMetric(all, warnings);
        QCOMPARE(chosen.at("gpu_power").size(), std::size_t{32});
        for (std::size_t i = 0; i < 32; ++i) {
            QCOMPARE(chosen.at("gpu_power")[i].description.subject.rank, static_cast<int>(i));
            QCOMPARE(chosen.at("gpu_power")[i].count, std::int64_t{11});
        }
        QCOMPARE(warnings,
            (std::vector<std::string>{"gpu_power of rank 0 and 31 more was recorded by two "
                                      "sources; for each, the one with more values is used."}));
    }
};

TRAINSCOPE_TEST(tst_SeriesSelection)
#include "tst_SeriesSelection.moc"
