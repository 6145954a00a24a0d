// Periods of powers that are read oftener than their sensors are updated.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/energy/PowerSampling.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_PowerSampling : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Read every 10 ms, updated every 50 ms; and a plateau of a second, which is no update period.
    void samplingPeriod() {
        PlantedTrace trace;
        for (int i = 0; i < 1'000; ++i) {
            trace.power(0, i * 10 * kMs, 100.0 + i / 5);
            trace.power(1, i * 10 * kMs, (i / 100) % 2 == 0 ? 100.0 : 400.0);
        }
        const auto store = trace.store();
        const auto all = store.series(store.findRun("run").value().id).value();
        const auto first = powerSamplingOf(store, all[0]);
        QVERIFY(first.hasValue() && first.value());
        QCOMPARE(first.value()->gapLimit.ns, 100 * kMs);
        QCOMPARE(first.value()->maxW, 299.0);
        QVERIFY(first.value()->isRepeating);
        QVERIFY(!powerSamplingOf(store, all[1]).value()->isRepeating);
    }
};

TRAINSCOPE_TEST(tst_PowerSampling)
#include "tst_PowerSampling.moc"
