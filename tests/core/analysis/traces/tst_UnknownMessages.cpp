// Messages of which the trace does not say who takes part.

#include <QtTest>

#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/RankClocks.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using trainscope::test::PlantedRun;

class tst_UnknownMessages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A message of stage 1 does not tell which of the other two stages it goes to: clocks that are
    // right must not be put wrong.
    void connectNobody() {
        PlantedRun planted;
        for (std::int64_t i = 0; i < 60; ++i) {
            const int first = static_cast<int>(i % 2);
            const std::int64_t at = i * 5'000'000;
            planted.addCollective(
                {first, first + 1}, {at, at}, 200'000,
                test::collectiveDetail("send", 1 << 22, "pp", {0, 1, 2}, {}),
                [] { return std::int64_t{0}; }, "ncclDevKernel_SendRecv");
        }
        const auto store = planted.stored();
        const auto found = alignRanks({store, store.findRun("planted").value()});
        QVERIFY(found.hasValue());
        QCOMPARE(found.value().ranks.size(), std::size_t{1});
        QCOMPARE(found.value().unaligned.size(), std::size_t{2});
    }
};

TRAINSCOPE_TEST(tst_UnknownMessages)
#include "tst_UnknownMessages.moc"
