// The power by which a log is placed, where one GPU's record broke off and another came twice.

#include "core/store/Fixture.h"

#include "core/analysis/iterations/WorkSignal.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_WorkSignal : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Rank 0 works and idles by turns of 10 s for 100 s, in two sources of which one broke off;
    // rank 1 has 4 s only. With these there would be 4 s in common: 101 steps are rank 0's.
    void recordsThatBrokeOffAreLeftOut() {
        const Fixture fixture;
        auto store = fixture.create();
        const auto add = [&store](int rank, int seconds, const char* source) {
            std::vector<std::int64_t> at;
            std::vector<double> watts;
            for (int t = 0; t <= seconds; ++t) {
                at.push_back(std::int64_t{t} * 1'000'000'000);
                watts.push_back(t % 20 < 10 ? 100.0 : 600.0);
            }
            addSeries(store, gauge("gpu_power", rank), at, watts, source);
        };
        add(0, 4, "first");
        add(0, 100, "second");
        add(1, 4, "third");
        const auto power = got(powerSignal({store, got(store.findRun("run"))}));
        QCOMPARE(power.signal.values.size(), std::size_t{101});
        QCOMPARE(power.signal.values[5], -1.0);
        QCOMPARE(power.signal.values[15], 1.0);
    }
};

TRAINSCOPE_TEST(tst_WorkSignal)
#include "tst_WorkSignal.moc"
