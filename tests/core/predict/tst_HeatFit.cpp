// A planted node is found again from its powers and whole-degree temperatures.

#include <QtTest>

#include "core/predict/power/RunPower.h"
#include "support/TestProgram.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

ThermalNode plantedNode() {
    ThermalNode node{{}, {22.0, 0.005}, 0.0};
    for (int i = 0; i < 4; ++i)
        node.slots.push_back({i / 2, i, {0.040 + 0.002 * i, 6.0}});
    return node;
}

// GPUs that work and rest in turn, each with a rhythm of its own, read as whole degrees.
HeatRecord recordOf(const ThermalNode& node, int steps) {
    HeatRecord record{1.0, {}, {}, {}, {}};
    const ThermalNetwork network(node);
    const ThermalStep step(network, 1.0);
    std::vector<double> celsius = network.steady(std::vector<double>(node.slots.size(), 100.0));
    for (const ThermalSlot& slot : node.slots) {
        record.rows.push_back(slot.row);
        record.watts.emplace_back();
        record.celsius.emplace_back();
    }
    for (int at = 0; at < steps; ++at) {
        std::vector<double> watts;
        for (std::size_t slot = 0; slot < node.slots.size(); ++slot) {
            const int rhythm = 60 + 25 * static_cast<int>(slot);
            watts.push_back(at % rhythm < rhythm / 2 ? 100.0 : 600.0);
            record.watts[slot].push_back(watts.back());
            record.celsius[slot].push_back(std::round(celsius[slot]));
        }
        step.advance(celsius, watts);
    }
    return record;
}

} // namespace

class tst_HeatFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsThePlantedNode() {
        const auto fit = fitHeat(recordOf(plantedNode(), 1200));
        QVERIFY(fit.has_value());
        QVERIFY(std::abs(fit->node.air.inletC - 22.0) < 1.0);
        QVERIFY(std::abs(fit->node.air.risePerW - 0.005) < 0.001);
        QVERIFY(std::abs(fit->medianResistance - 0.043) < 0.002);
        for (std::size_t slot = 0; slot < 4; ++slot) {
            const GpuThermal& thermal = fit->node.slots[slot].thermal;
            QVERIFY(std::abs(thermal.seconds - 6.0) < 1.0);
            const double planted = plantedNode().slots[slot].thermal.resistance;
            QVERIFY(std::abs(thermal.resistance - planted) < 0.003);
        }
        // Rounding alone is 0.25 °C on average.
        QVERIFY(fit->heldOutErrorC < 0.6);
        QCOMPARE(fit->moments + fit->heldOutMoments, std::size_t{4800});
    }

    void holesDoNotMatter() {
        HeatRecord record = recordOf(plantedNode(), 1200);
        for (std::size_t at = 300; at < 330; ++at) {
            record.watts[1][at] = std::numeric_limits<double>::quiet_NaN();
            record.celsius[2][at] = std::numeric_limits<double>::quiet_NaN();
        }
        const auto fit = fitHeat(record);
        QVERIFY(fit.has_value());
        QVERIFY(fit->heldOutErrorC < 0.6);
    }

    void theTrueNodePlaysTheRecord() {
        const HeatRecord record = recordOf(plantedNode(), 400);
        const HeatError error = heatError(plantedNode(), record);
        QVERIFY(error.celsius < 0.3);
        QCOMPARE(error.moments, std::size_t{1600});
    }

    void steadyTemperaturesTellNothing() {
        HeatRecord record = recordOf(plantedNode(), 400);
        for (auto& celsius : record.celsius)
            celsius.assign(celsius.size(), 50.0);
        QVERIFY(!fitHeat(record));
    }
};

TRAINSCOPE_TEST(tst_HeatFit)
#include "tst_HeatFit.moc"
