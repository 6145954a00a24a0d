// The inspector's rows: one energy, readings that changed, what is folded, masks in words.

#include <QTest>

#include "app/viewmodels/inspector/InspectorModel.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <set>

using namespace trainscope;
using namespace trainscope::app;

namespace {

MetricStatistics gauge(const char* name, const char* unit, double mean, double least, double most) {
    return {{name, unit, MetricKind::Gauge, {}}, mean, least, most, {}};
}

MetricStatistics counter(const char* name, const char* unit, double total) {
    return {{name, unit, MetricKind::Counter, {}}, {}, {}, {}, total};
}

MetricStatistics shared(const char* name, MetricKind kind, std::map<std::string, double> shares) {
    MetricStatistics made{{name, "1", kind, {}}, {}, {}, {}, {}};
    made.shares = std::move(shares);
    return made;
}

// Twelve readings of one GPU and its node over 10 s.
RunStatistics planted() {
    RunStatistics run{"train", "NVIDIA H100", DurationNs{10'000'000'000}, 5e3, {}, {{}}};
    run.gpus[0].energy = 5e3;
    run.energyCoverage = 1.0;
    run.energySource = "by the energy counter, resolution 0.1 s";
    run.nodeEnergy = 6e3;
    run.nodes = 1;
    run.notOfGpus = 1.0 / 6.0;
    run.metrics = {gauge("gpu_power", "W", 500, 100, 700), counter("gpu_energy", "J", 4.9e3),
        gauge("energy", "J", 26.73e3, 3e3, 50e3), gauge("gpu_temperature", "°C", 45, 40, 50),
        gauge("mem_clock", "Hz", 2.6e9, 2.6e9, 2.6e9), counter("pcie_rx", "B", 2e9),
        counter("nvlink_rx", "B", 0), counter("ecc_corrected", "1", 0),
        shared("throttle_reasons", MetricKind::Mask,
            {{"none", 0.72}, {"sw_power_cap", 0.251}, {"gpu_idle", 0.029}}),
        shared("pstate", MetricKind::State, {{"P0", 1.0}}),
        shared("xid", MetricKind::State, {{"none", 1.0}}),
        MetricStatistics{{"fan_speed", "1", MetricKind::Gauge, {}}, {}, {}, {}, {}}};
    return run;
}

const Fact* find(const FactListModel& list, const QString& label) {
    const auto found = std::find_if(list.facts().begin(), list.facts().end(),
        [&label](const Fact& fact) { return fact.label == label; });
    return found == list.facts().end() ? nullptr : &*found;
}

} // namespace

class tst_InspectorModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneEnergyWithItsSource() {
        InspectorModel inspector;
        inspector.showStatistics(std::vector{planted()});
        const Fact* energy = find(*inspector.selection(), QStringLiteral("Energy, 1 GPU"));
        QVERIFY(energy != nullptr);
        QCOMPARE(energy->value, QStringLiteral("5 kJ"));
        QCOMPARE(energy->note,
            QStringLiteral("by the energy counter, resolution 0.1 s; 6 kJ of 1 node in all; 16.7 % "
                           "not of the GPUs"));
        QCOMPARE(inspector.text().count(QStringLiteral("nergy,")), 1);
        QVERIFY(!inspector.text().contains(QStringLiteral("26.73 kJ")));
        QVERIFY(!inspector.text().contains(QStringLiteral("4.9 kJ")));
        const Fact* power = find(*inspector.selection(), QStringLiteral("Mean power per GPU"));
        QVERIFY(power != nullptr);
        QCOMPARE(power->value, QStringLiteral("500 W"));
        QCOMPARE(power->note, QStringLiteral("100 W to 700 W"));
    }

    void readingsThatChanged() {
        InspectorModel inspector;
        inspector.showStatistics(std::vector{planted()});
        QStringList labels;
        for (const Fact& fact : inspector.telemetry()->facts())
            labels.append(fact.label);
        QCOMPARE(labels,
            (QStringList{QStringLiteral("gpu_temperature"), QStringLiteral("pcie_rx, total"),
                QStringLiteral("throttle_reasons")}));
        const Fact& reasons = inspector.telemetry()->facts().back();
        QCOMPARE(reasons.value, QStringLiteral("None 72 %"));
        QCOMPARE(
            reasons.note, QStringLiteral("Software power cap 25.1 %, GPU idle 2.9 % of the time"));
    }

    void constantsAreFolded() {
        InspectorModel inspector;
        inspector.showStatistics(std::vector{planted()});
        QCOMPARE(inspector.constantsText(),
            QStringLiteral("5 readings stayed constant, 1 without data"));
        QCOMPARE(find(*inspector.constants(), QStringLiteral("mem_clock"))->value,
            QStringLiteral("2.6 GHz"));
        QCOMPARE(find(*inspector.constants(), QStringLiteral("ecc_corrected, total"))->value,
            QStringLiteral("none"));
        QCOMPARE(
            find(*inspector.constants(), QStringLiteral("pstate"))->value, QStringLiteral("P0"));
        QCOMPARE(
            find(*inspector.constants(), QStringLiteral("xid"))->value, QStringLiteral("None"));
        RunStatistics one = planted();
        one.metrics = {gauge("mem_clock", "Hz", 2.6e9, 2.6e9, 2.6e9)};
        inspector.showStatistics(std::vector{one});
        QCOMPARE(inspector.constantsText(), QStringLiteral("1 reading stayed constant"));
        QCOMPARE(inspector.telemetry()->facts().size(), std::size_t{0});
        one.metrics.clear();
        inspector.showStatistics(std::vector{one});
        QCOMPARE(inspector.constantsText(), QString());
    }

    // Each of several runs has its own head, in both lists where it has rows there.
    void ofSeveralRuns() {
        InspectorModel inspector;
        RunStatistics other = planted();
        other.name = "train 2";
        other.metrics = {gauge("mem_clock", "Hz", 2.6e9, 2.6e9, 2.6e9)};
        inspector.showStatistics(std::vector{planted(), other});
        const auto heads = [](const FactListModel& list) {
            return std::count_if(list.facts().begin(), list.facts().end(),
                [](const Fact& fact) { return fact.isHead; });
        };
        QCOMPARE(heads(*inspector.telemetry()), 1);
        QCOMPARE(heads(*inspector.constants()), 2);
        QCOMPARE(inspector.constantsText(),
            QStringLiteral("6 readings stayed constant, 1 without data"));
    }

    void eachFigureNamesItsWindow() {
        InspectorModel inspector;
        inspector.startStatistics(
            QStringLiteral("Selection · 12.3 s"), QStringLiteral("over the selected 12.3 s"));
        inspector.showStatistics(std::vector{planted()});
        QCOMPARE(inspector.windowText(), QStringLiteral("over the selected 12.3 s"));
        QVERIFY(inspector.text().contains(QStringLiteral("Telemetry, over the selected 12.3 s\n")));
        inspector.clear();
        QCOMPARE(inspector.windowText(), QString());
    }

    void oneMetricIsNotMetrics() {
        InspectorModel inspector;
        RunStatistics run = planted();
        run.told = RunStatistics::Told{0, 1, {}};
        inspector.showStatistics(std::vector{run});
        QCOMPARE(inspector.engineText(), QStringLiteral("Asking the engine: 0 of 1 metric…"));
        run.told = RunStatistics::Told{1, 3, Error{ErrorCode::Unreadable, "no", {}}};
        inspector.showStatistics(std::vector{run});
        QCOMPARE(
            inspector.engineText(), QStringLiteral("1 of 3 metrics: the engine does not answer."));
    }
};

TRAINSCOPE_TEST(tst_InspectorModel)
#include "tst_InspectorModel.moc"
