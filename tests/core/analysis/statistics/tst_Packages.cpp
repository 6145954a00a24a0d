// Packages of two dies, of which one tells the power of both.

#include "core/store/Fixture.h"

#include "core/analysis/statistics/Packages.h"
#include "core/analysis/statistics/Summary.h"
#include "support/TestProgram.h"

#include <QObject>
#include <QtTest>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

using Energies = std::vector<double>; // J, by rank; 0: no power

constexpr int kPerNode = 4;

std::vector<GpuSummary> gpusOf(const Energies& joules, const std::string& model) {
    std::vector<GpuSummary> gpus;
    for (std::size_t i = 0; i < joules.size(); ++i) {
        const int rank = static_cast<int>(i);
        GpuSummary gpu;
        gpu.gpu = {rank, rank / kPerNode, rank % kPerNode, model, {}};
        if (joules[i] > 0.0)
            gpu.energy = Energy{joules[i], 1.0};
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

} // namespace

class tst_Packages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whichAreSecond_data() {
        QTest::addColumn<std::vector<double>>("joules");
        QTest::addColumn<std::string>("model");
        QTest::addColumn<std::vector<int>>("second");
        QTest::addColumn<double>("together"); // J
        QTest::addColumn<double>("coverage");
        using Ranks = std::vector<int>;
        const std::string mi = "AMD Instinct MI250X";
        const std::string none;
        QTest::newRow("two packages")
            << Energies{240, 0, 260, 0} << mi << Ranks{1, 3} << 500.0 << 1.0;
        QTest::newRow("model not known")
            << Energies{240, 0, 260, 0} << none << Ranks{1, 3} << 500.0 << 1.0;
        QTest::newRow("one package") << Energies{240, 0} << mi << Ranks{1} << 240.0 << 1.0;
        // One of two GPUs without power is no pattern.
        QTest::newRow("one pair of unknown GPUs")
            << Energies{240, 0} << none << Ranks{} << 240.0 << 0.5;
        QTest::newRow("GPUs of one die")
            << Energies{240, 0, 260, 0} << std::string("NVIDIA H100 80GB HBM3") << Ranks{} << 500.0
            << 0.5;
        QTest::newRow("the same number twice")
            << Energies{240, 240, 260, 260} << mi << Ranks{1, 3} << 500.0 << 1.0;
        QTest::newRow("each its own")
            << Energies{240, 241, 260, 260} << mi << Ranks{} << 1001.0 << 1.0;
        QTest::newRow("two nodes")
            << Energies{1, 0, 2, 0, 3, 0, 4, 0} << mi << Ranks{1, 3, 5, 7} << 10.0 << 1.0;
        QTest::newRow("a package without power")
            << Energies{240, 0, 0, 0} << mi << Ranks{} << 240.0 << 0.25;
    }
    void whichAreSecond() {
        QFETCH(std::vector<double>, joules);
        QFETCH(std::string, model);
        QFETCH(std::vector<int>, second);
        QFETCH(double, together);
        QFETCH(double, coverage);
        const auto gpus = gpusOf(joules, model);
        const auto ranks = secondDies(gpus);
        QCOMPARE(std::vector<int>(ranks.begin(), ranks.end()), second);
        const auto energy = energyOfGpus(gpus, ranks);
        QVERIFY(energy);
        QCOMPARE(energy->joules, together);
        QCOMPARE(energy->coverage, coverage);
    }
};

TRAINSCOPE_TEST(tst_Packages)
#include "tst_Packages.moc"
