// Temperatures of small nodes against the solutions by hand, and conservation of heat.

#include "core/predict/power/RunPower.h"
#include "core/predict/power/ThermalNetwork.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

bool isClose(double a, double b, double within = 1e-9) {
    return std::abs(a - b) <= within * std::max(1.0, std::abs(b));
}

// Front and rear GPU: 0.1 K/W and 10 s each, 0.02 K for each W in front, 20 °C.
ThermalNode twoRows() {
    return {{{0, 0, {0.1, 10.0}}, {1, 1, {0.1, 10.0}}}, {20.0, 0.02}, 0.0};
}

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

Prediction pipelineOn(const char* cluster, const char* layout) {
    return Predictor().predict(test::catalogueJob("llama3-8b", cluster, layout, 16)).value();
}

} // namespace

class tst_ThermalNetwork : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Front: 20 + 0.1·300 = 50. Rear: its air 20 + 0.02·300 = 26, and 0.1·200 above it.
    void settlesAsByHand() {
        const ThermalNetwork network(twoRows());
        const std::vector<double> celsius = network.steady(std::array{300.0, 200.0});
        QVERIFY(isClose(celsius[0], 50.0));
        QVERIFY(isClose(celsius[1], 46.0));
    }

    // Three rows: the third stands in 20 + 0.02·(300 + 200) = 30 °C.
    void everyRowInFrontWarms() {
        ThermalNode node = twoRows();
        node.slots.push_back({2, 2, {0.2, 10.0}});
        const auto celsius = ThermalNetwork(node).steady(std::array{300.0, 200.0, 100.0});
        QVERIFY(isClose(celsius[2], 30.0 + 20.0));
    }

    // Chips of a card: a gets 300 W and b none, g = 5 W/K, R = 0.1: heat g·(Ta − Tb) flows over.
    // Above the air: 10·a + 5·(a − b) = 300, 10·b = 5·(a − b): b = a/3, a = 300/(40/3) = 22.5.
    void chipsOfACardExchangeHeat() {
        const ThermalNode node{{{0, 0, {0.1, 10.0}}, {0, 0, {0.1, 10.0}}}, {20.0, 0.02}, 5.0};
        const auto celsius = ThermalNetwork(node).steady(std::array{300.0, 0.0});
        QVERIFY(isClose(celsius[0], 42.5));
        QVERIFY(isClose(celsius[1], 27.5));
    }

    // Heat that goes in comes out, whatever the node.
    void heatIsConserved() {
        ThermalNode node{{}, {24.0, 0.004}, 3.0};
        std::vector<double> watts;
        for (int i = 0; i < 8; ++i) {
            node.slots.push_back({i / 4, i / 2, {0.04 + 0.003 * i, 4.0 + i}});
            watts.push_back(100.0 + 70.0 * i);
        }
        const auto celsius = ThermalNetwork(node).steady(watts);
        // To the air of each, which all rows in front of it warmed.
        std::vector<double> flows;
        for (std::size_t i = 0; i < node.slots.size(); ++i) {
            const auto before = flows.begin() + static_cast<std::ptrdiff_t>(i / 4 * 4);
            const double air = 24.0 + 0.004 * std::accumulate(flows.begin(), before, 0.0);
            flows.push_back((celsius[i] - air) / node.slots[i].thermal.resistance);
        }
        QVERIFY(isClose(std::accumulate(flows.begin(), flows.end(), 0.0),
            std::accumulate(watts.begin(), watts.end(), 0.0)));
    }

    // A lonely GPU nears its end by e^(−t/τ): after 10 s of τ = 10 s, 50 − 30/e.
    void stepsAreExact() {
        const ThermalNode node{{{0, 0, {0.1, 10.0}}}, {20.0, 0.0}, 0.0};
        const ThermalNetwork network(node);
        std::vector<double> celsius{20.0};
        ThermalStep(network, 10.0).advance(celsius, std::array{300.0});
        QVERIFY(isClose(celsius[0], 50.0 - 30.0 / std::exp(1.0)));
    }

    // The rear one too has a closed form: with equal τ its equation is
    //     τ·dθ₂/dt = R·P₂ + rise·q₁·1 − θ₂, q₁ = (P₁)(1 − e^(−t/τ)) from cold air:
    //     θ₂ = (R·P₂ + rise·P₁)·(1 − e) − rise·P₁·(t/τ)·e,  e = e^(−t/τ).
    void theRearFollowsTheFront() {
        const ThermalNetwork network(twoRows());
        std::vector<double> celsius{20.0, 20.0};
        ThermalStep(network, 5.0).advance(celsius, std::array{300.0, 200.0});
        const double left = std::exp(-0.5);
        QVERIFY(isClose(celsius[0], 20.0 + 30.0 * (1.0 - left)));
        QVERIFY(isClose(celsius[1], 20.0 + 26.0 * (1.0 - left) - 6.0 * 0.5 * left));
    }

    void oneStepIsAsGoodAsAThousand() {
        const ThermalNetwork network(twoRows());
        const std::array watts{650.0, 320.0};
        std::vector<double> once{25.0, 31.0};
        std::vector<double> often = once;
        ThermalStep(network, 7.0).advance(once, watts);
        const ThermalStep small(network, 0.007);
        for (int i = 0; i < 1000; ++i)
            small.advance(often, watts);
        QVERIFY(isClose(once[0], often[0], 1e-9));
        QVERIFY(isClose(once[1], often[1], 1e-9));
    }

    // Eight H100 at 690 W each: the rear four stand in air 0.0043·4·690 = 11.9 K warmer, 24 % of
    // the front's 50.3 °C; up to 27 % are published (arXiv 2509.10371).
    void rearGpusOfAnHgxAreHotter() {
        layout::ClusterNode node;
        for (int i = 0; i < 8; ++i)
            node.gpus.push_back({i, i, i, i >= 4, {}});
        const GpuPower gpu = gpuPowerOf(*catalogue::findGpuModel("H100"));
        const ThermalNetwork network(thermalNodeOf(node, 1, gpu, {}));
        const std::vector<double> watts(8, 690.0);
        const auto celsius = network.steady(watts);
        QVERIFY(isClose(celsius[7] - celsius[0], 0.0043 * 4 * 690.0));
        QVERIFY(celsius[7] / celsius[0] > 1.2 && celsius[7] / celsius[0] <= 1.27);
    }

    void noSlotsHaveNoTemperatures() {
        const ThermalNetwork network(ThermalNode{});
        std::vector<double> none;
        ThermalStep(network, 1.0).advance(none, none);
        QVERIFY(network.steady(none).empty());
    }

    void airRisesAlikeAtTheLimit() {
        QVERIFY(isClose(usualAir(8, 700.0).risePerW * 8 * 700.0, 24.0));
        QVERIFY(isClose(usualAir(4, 560.0).risePerW * 4 * 560.0, 24.0));
    }

    // A planted node is found again from its powers and whole-degree temperatures.
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

    // Temperatures of pipelines whose stages draw differently much, against sums by hand.

    // The last of eight stages makes the logits besides, and the others wait for it. It is in the
    // rear, in air that the four in front have warmed: inlet + rise · Σ P + R · its own P.
    void theHottestHasThePowerOfItsStage() {
        const Prediction made = pipelineOn("1x8xH200", "pp=8");
        const Outlook& outlook = made.outlook;
        const std::vector<double>& watts = outlook.stageW;
        QCOMPARE(watts.size(), std::size_t{8});
        QVERIFY(watts[7] > 1.2 * watts[6]);
        QVERIFY(
            std::abs(std::accumulate(watts.begin(), watts.end(), 0.0) / 8.0 / outlook.meanW - 1.0)
            < 1e-9);
        const NodeAir air = made.power.airOf(8);
        const double celsius = air.inletC
            + air.risePerW * (watts[0] + watts[1] + watts[2] + watts[3])
            + made.power.gpu.thermal.resistance * watts[7];
        QVERIFY(std::abs(outlook.hottestC - celsius) < 1e-6);
        QVERIFY(std::abs(outlook.node[7].celsius - celsius) < 1e-6);
        QCOMPARE(outlook.node[7].watts, watts[7]);
    }

    // The node shown is the one of two that has the last stage.
    void theNodeIsThatOfTheHottest() {
        const Outlook outlook = pipelineOn("2x8xH200", "pp=16").outlook;
        QCOMPARE(outlook.node.size(), std::size_t{8});
        QCOMPARE(outlook.node[0].watts, outlook.stageW[8]);
        QCOMPARE(outlook.node[7].watts, outlook.stageW[15]);
        QCOMPARE(outlook.node[7].celsius, outlook.hottestC);
    }
};

TRAINSCOPE_TEST(tst_ThermalNetwork)
#include "tst_ThermalNetwork.moc"
