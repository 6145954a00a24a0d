// The fraction of an import: from a clock that the test turns by hand, and over random phases.

#include "app/importing/ProgressFunnel.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;
using trainscope::app::TransferMeter;

namespace {

using Seconds = std::chrono::seconds;

importers::ImportPlan planOf(const std::vector<std::uint64_t>& sizes) {
    importers::ImportPlan plan;
    for (const std::uint64_t size : sizes) {
        importers::ImportUnit unit;
        unit.bytes = size;
        plan.units.push_back(unit);
    }
    return plan;
}

// A listener that remembers the last progress.
struct Listening {
    ImportProgress seen;
    ImportListener listener = [this](const ImportProgress& progress) {
        seen = progress;
        return true;
    };
};

} // namespace

class tst_ProgressFunnel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void finishingIsWork() {
        const auto plan = planOf({100, 300});
        Listening listening;
        const ImportProgress& seen = listening.seen;
        ProgressFunnel::Time now;
        ProgressFunnel funnel(plan, listening.listener, [&now] { return now += Seconds(1); });
        funnel.beginUnit(0);
        QCOMPARE(seen.fraction, 0.0);
        funnel.report({"Reading", 50, 100});
        QCOMPARE(seen.unitFraction, 0.35); // half of the 0.7 that reading takes
        QCOMPARE(seen.fraction, 0.0875); // a quarter of the bytes is there
        QCOMPARE(seen.bytesDone, std::uint64_t{50});
        funnel.report({"Reading", 90, 100});
        funnel.report({"Indexing", 0, 16});
        QCOMPARE(seen.unitFraction, 0.7); // the rest is not needed
        QCOMPARE(seen.bytesDone, std::uint64_t{90});
        funnel.report({"Indexing", 8, 16});
        QCOMPARE(seen.unitFraction, 0.7 + 0.3 * 0.45);
        funnel.report({"Indexing", 16, 16});
        funnel.report({"Saving", 0, 0});
        QCOMPARE(seen.unitFraction, 0.7 + 0.3 * 0.9);
        funnel.endUnit();
        QCOMPARE(seen.fraction, 0.25);
        QCOMPARE(seen.bytesDone, std::uint64_t{100});
        funnel.beginUnit(1);
        QCOMPARE(seen.fraction, 0.25);
        funnel.endUnit();
        QCOMPARE(seen.fraction, 1.0);
    }
    void sharesAreLearnt() {
        const auto plan = planOf({100, 100});
        Listening listening;
        const ImportProgress& seen = listening.seen;
        ProgressFunnel::Time now;
        ProgressFunnel funnel(plan, listening.listener, [&now] { return now; });
        funnel.beginUnit(0);
        now += Seconds(3);
        funnel.report({"Reading", 100, 100});
        funnel.report({"Indexing", 0, 1});
        now += Seconds(7);
        funnel.endUnit();
        funnel.beginUnit(1);
        now += Seconds(1);
        funnel.report({"Reading", 100, 100});
        QVERIFY(qAbs(seen.unitFraction - 0.5) < 1e-12); // between 0.7 as guessed and 0.3 as seen
    }
    void neverFalls() {
        std::mt19937 random(3);
        for (int round = 0; round < 200; ++round) {
            const auto plan = planOf({random() % 1000, random() % 1000, random() % 1000});
            double last = 0.0;
            bool isGood = true;
            const ImportListener listener = [&](const ImportProgress& progress) {
                isGood = isGood && progress.fraction >= last && progress.fraction <= 1.0 + 1e-12;
                last = progress.fraction;
                return true;
            };
            ProgressFunnel::Time now;
            ProgressFunnel funnel(
                plan, listener, [&] { return now += std::chrono::milliseconds(random() % 50); });
            for (std::size_t unit = 0; unit < 3; ++unit) {
                funnel.beginUnit(unit);
                for (int i = 0; i < 30; ++i) {
                    constexpr std::array<const char*, 3> kPhases{"Reading", "Indexing", "Sorting"};
                    const std::uint64_t total
                        = random() % 3 == 0 ? random() % 500 : plan.units[unit].bytes;
                    funnel.report({kPhases[random() % 3], random() % 1000, total});
                }
                funnel.endUnit();
            }
            QVERIFY(isGood);
            QVERIFY(plan.units[0].bytes + plan.units[1].bytes + plan.units[2].bytes == 0
                || qAbs(last - 1.0) < 1e-12);
        }
    }
    // Call trees are made when every unit is read: all 400 bytes are done, and none of them twice.
    void isWholeBehindTheLastUnit() {
        const auto plan = planOf({100, 300});
        Listening listening;
        const ImportProgress& seen = listening.seen;
        ProgressFunnel::Time now;
        ProgressFunnel funnel(plan, listening.listener, [&now] { return now += Seconds(1); });
        for (const std::size_t unit : {std::size_t{0}, std::size_t{1}}) {
            funnel.beginUnit(unit);
            funnel.endUnit();
        }
        for (const std::uint64_t done : {std::uint64_t{0}, std::uint64_t{20}, std::uint64_t{40}}) {
            QVERIFY(funnel.report({"Following launches", done, 40}));
            QCOMPARE(seen.phase, std::string("Following launches"));
            QCOMPARE(seen.fraction, 1.0);
            QCOMPARE(seen.unitFraction, 1.0);
            QCOMPARE(seen.bytesDone, std::uint64_t{400});
        }
    }
    void stopsOnce() {
        const auto plan = planOf({100});
        int calls = 0;
        const ImportListener listener = [&calls](const ImportProgress&) { return ++calls < 2; };
        ProgressFunnel::Time now;
        ProgressFunnel funnel(plan, listener, [&now] { return now += Seconds(1); });
        funnel.beginUnit(0);
        QVERIFY(!funnel.report({"Reading", 10, 100}));
        QVERIFY(!funnel.report({"Reading", 20, 100}));
        QVERIFY(funnel.isCancelled());
        QCOMPARE(calls, 2);
    }

    // Rate and time left from a clock that the test turns by hand.
    void silentAtFirst() {
        TransferMeter meter;
        QVERIFY(!meter.rate());
        meter.add(0, 0, 0.0);
        meter.add(400, 1000, 0.5);
        QVERIFY(!meter.rate());
        QVERIFY(!meter.secondsLeft());
    }
    void steady() {
        TransferMeter meter;
        for (int step = 0; step <= 10; ++step)
            meter.add(step * 100, static_cast<std::uint64_t>(step) * 50, step / 30.0);
        QCOMPARE(meter.rate().value_or(-1.0), 500.0); // 500 bytes in one second
        QCOMPARE(meter.secondsLeft().value_or(-1.0), 2.0); // a third in one second
    }
    void forgetsTheStart() {
        TransferMeter meter;
        meter.add(0, 0, 0.0);
        for (int second = 1; second <= 20; ++second)
            meter.add(second * 1000,
                second <= 10 ? 0 : static_cast<std::uint64_t>(second - 10) * 100,
                second <= 10 ? 0.0 : (second - 10) * 0.02);
        QCOMPARE(meter.rate().value_or(-1.0), 100.0);
        // 0.2 done in 20 s, at 0.02 a second of late: 0.8 at 0.015 a second.
        QVERIFY(qAbs(meter.secondsLeft().value_or(-1.0) - 0.8 / 0.015) < 1e-9);
    }
    // Sorting and indexing move no bytes, but the work goes on.
    void workWithoutBytes() {
        TransferMeter meter;
        for (int second = 0; second <= 10; ++second)
            meter.add(second * 1000, 700, 0.5 + second * 0.03);
        QVERIFY(!meter.rate());
        QVERIFY(qAbs(meter.secondsLeft().value_or(-1.0) - 0.2 / 0.03) < 1e-9);
    }
    void unknownTotal() {
        TransferMeter meter;
        meter.add(0, 0, -1.0);
        meter.add(1000, 100, -1.0);
        QCOMPARE(meter.rate().value_or(-1.0), 100.0);
        QVERIFY(!meter.secondsLeft());
    }
    void restartsWhenBytesFall() {
        TransferMeter meter;
        meter.add(0, 5000, 0.1);
        meter.add(1000, 100, 0.2);
        QVERIFY(!meter.rate());
    }
    void restartsWithOtherWork() {
        TransferMeter meter;
        meter.add(0, 0, 0.9);
        meter.add(1000, 100, 0.0);
        meter.add(2000, 200, 0.25);
        QCOMPARE(meter.rate().value_or(-1.0), 100.0);
        QCOMPARE(meter.secondsLeft().value_or(-1.0), 3.0);
        // Behind work of which nobody knows how much there is.
        TransferMeter other;
        other.add(0, 0, -1.0);
        other.add(1000, 0, 0.0);
        other.add(2000, 0, 0.25);
        QCOMPARE(other.secondsLeft().value_or(-1.0), 3.0);
    }
};

TRAINSCOPE_TEST(tst_ProgressFunnel)
#include "tst_ProgressFunnel.moc"
