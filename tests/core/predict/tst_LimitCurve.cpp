// Speeds under power limits: planted ones are found again, and the published traces of Zeus (V100,
// P100, A40; You et al., NSDI 2023) are met, with errors on work that was not fitted.

#include <QtTest>

#include "core/predict/power/LimitCurve.h"
#include "core/predict/power/PowerBasis.h"
#include "core/predict/prediction/Intervals.h"
#include "support/PublishedExperiments.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

LimitCurve plantedCurve() {
    LimitCurve curve;
    curve.idleW = 40.0;
    curve.highestW = 240.0;
    curve.clockBound = 0.5;
    curve.voltage = {0.6, 0.7};
    curve.burst = 0.3;
    return curve;
}

// A file of zeus_nsdi23/trace: seconds per epoch and mean power by power limit. The demand and the
// speed are against those at the highest limit.
std::vector<LimitedSpeed> zeusRows(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line))
        return {};
    struct Epoch {
        double seconds;
        double watts;
    };
    std::map<std::string, std::map<double, Epoch>> runs;
    while (std::getline(file, line)) {
        const auto cells = test::cellsOf(line);
        runs[cells[0] + "," + cells[1] + "," + cells[2] + "," + cells[3]][std::stod(cells[4])]
            = {std::stod(cells[5]), std::stod(cells[6])};
    }
    std::vector<LimitedSpeed> rows;
    for (const auto& [name, epochs] : runs) {
        const Epoch& free = epochs.rbegin()->second;
        for (const auto& [limit, epoch] : epochs) {
            if (limit < epochs.rbegin()->first)
                rows.push_back({name.substr(0, name.find(',')), free.watts, limit,
                    free.seconds / epoch.seconds, epoch.watts});
        }
    }
    return rows;
}

// By work: a curve that was fitted without its rows. A fit takes a while, and two tests ask.
const std::map<std::string, LimitCurve>& heldOutCurves(
    const std::string& path, const std::vector<LimitedSpeed>& rows) {
    static std::map<std::string, std::map<std::string, LimitCurve>> known; // by path
    auto& curves = known[path];
    for (const LimitedSpeed& row : rows) {
        if (curves.contains(row.work))
            continue;
        std::vector<LimitedSpeed> others;
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(others),
            [&](const LimitedSpeed& other) { return other.work != row.work; });
        curves[row.work] = fitLimitCurve(others);
    }
    return curves;
}

LimitErrors heldOutErrors(const std::string& path, const std::vector<LimitedSpeed>& rows) {
    LimitErrors out;
    for (const auto& [work, curve] : heldOutCurves(path, rows)) {
        std::vector<LimitedSpeed> asked;
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(asked),
            [&name = work](const LimitedSpeed& row) { return row.work == name; });
        const LimitErrors one = errorsOf(curve, asked);
        out.limited += one.limited * static_cast<double>(one.limitedRows);
        out.all += one.all * static_cast<double>(one.rows);
        out.watts += one.watts * static_cast<double>(one.rows);
        out.limitedRows += one.limitedRows;
        out.rows += one.rows;
    }
    out.all /= static_cast<double>(out.rows);
    out.watts /= static_cast<double>(out.rows);
    out.limited /= static_cast<double>(out.limitedRows);
    return out;
}

} // namespace

class tst_LimitCurve : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Half of the time follows the clock, voltage as the clock: 40 + 200·φ²/(0.5 + 0.5/φ) = 140 at
    // φ³/(0.5·φ + 0.5) = 0.5, φ = 0.7465 by Newton's method; speed 1/(0.5 + 0.5/φ).
    void speedByHand() {
        LimitCurve curve = plantedCurve();
        curve.voltage = {1.0, 0.0};
        curve.burst = 0.0;
        double clock = 0.75;
        for (int i = 0; i < 20; ++i)
            clock -= (clock * clock * clock - 0.25 * clock - 0.25) / (3.0 * clock * clock - 0.25);
        const LimitedPower found = underLimit(curve, 240.0, 140.0);
        QVERIFY(std::abs(found.speed - 1.0 / (0.5 + 0.5 / clock)) < 1e-6);
        QVERIFY(std::abs(found.watts - 140.0) < 1e-6);
    }

    void aLimitAboveTheDemandChangesNothing() {
        const LimitedPower found = underLimit(plantedCurve(), 240.0, 240.0);
        QCOMPARE(found.speed, 1.0);
        QVERIFY(std::abs(found.watts - 240.0) < 1e-9);
    }

    // Work of 140 W on average is busy at 140 + 0.3·100 = 170 W for 100/130 of its time: a limit
    // of 165 W is felt.
    void burstsFeelLimitsAboveTheirMean() {
        QVERIFY(underLimit(plantedCurve(), 140.0, 165.0).speed < 1.0);
        QCOMPARE(underLimit(plantedCurve(), 140.0, 171.0).speed, 1.0);
    }

    void findsPlantedSpeeds() {
        std::vector<LimitedSpeed> rows;
        for (const double demand : {240.0, 200.0, 160.0, 120.0, 40.0}) {
            for (double limit = 60.0; limit < 240.0; limit += 20.0) {
                const LimitedPower found = underLimit(plantedCurve(), demand, limit);
                rows.push_back({"w", demand, limit, found.speed, found.watts});
            }
        }
        QVERIFY(errorsOf(fitLimitCurve(rows), rows).limited < 0.006);
    }

    void zeus_data() {
        QTest::addColumn<std::string>("path");
        QTest::addColumn<double>("limited"); // goal for rows whose demand is above the limit
        QTest::addColumn<double>("heldOut");
        const std::string root = test::realFiles();
        if (root.empty()) {
            QTest::newRow("no real files") << std::string() << 0.0 << 0.0;
            return;
        }
        const std::string folder = root + "/data/zeus/zeus_summary_power_";
        QTest::newRow("V100") << folder + "v100.csv" << 0.048 << 0.06;
        QTest::newRow("P100") << folder + "p100.csv" << 0.027 << 0.04;
        QTest::newRow("A40") << folder + "a40.csv" << 0.075 << 0.10;
    }

    void zeus() {
        QFETCH(std::string, path);
        QFETCH(double, limited);
        QFETCH(double, heldOut);
        if (path.empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const auto rows = zeusRows(path);
        QVERIFY(rows.size() > 200);
        const LimitCurve curve = fitLimitCurve(rows);
        const LimitErrors fitted = errorsOf(curve, rows);
        const LimitErrors others = heldOutErrors(path, rows);
        qInfo(
            "speed %.1f %% (%zu limited rows), %.1f %% (all %zu), power %.1f %%; work not fitted: "
            "%.1f %%, %.1f %%, %.1f %%; idle %.0f W, bound %.2f, slope %.2f, lowest %.2f, burst "
            "%.2f",
            100 * fitted.limited, fitted.limitedRows, 100 * fitted.all, fitted.rows,
            100 * fitted.watts, 100 * others.limited, 100 * others.all, 100 * others.watts,
            curve.idleW, curve.clockBound, curve.voltage.slope, curve.voltage.lowest, curve.burst);
        QVERIFY(fitted.limited < limited);
        QVERIFY(others.limited < heldOut);
    }

    // The power of work that was not fitted, in the interval that is left where all constants are
    // known: of all three kinds of GPU together, and none far from it.
    void powerIsCovered() {
        const std::string root = test::realFiles();
        if (root.empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const double reach = kNinetyPercent * PowerSpread{}.watts;
        int covered = 0;
        int all = 0;
        for (const char* gpu : {"v100", "p100", "a40"}) {
            int own = 0;
            const std::string path = root + "/data/zeus/zeus_summary_power_" + gpu + ".csv";
            const auto rows = zeusRows(path);
            const auto& curves = heldOutCurves(path, rows);
            for (const LimitedSpeed& row : rows) {
                const double watts = underLimit(curves.at(row.work), row.demandW, row.limitW).watts;
                own += std::abs(std::log(watts / row.watts)) <= reach ? 1 : 0;
            }
            qInfo("%s: %.1f %% of %zu rows covered", gpu,
                100.0 * own / static_cast<double>(rows.size()), rows.size());
            covered += own;
            all += static_cast<int>(rows.size());
        }
        qInfo("%.1f %% of %d rows covered", 100.0 * covered / all, all);
        QVERIFY(covered >= 0.85 * all && covered <= 0.97 * all);
    }
};

TRAINSCOPE_TEST(tst_LimitCurve)
#include "tst_LimitCurve.moc"
