// Notes under a roofline on work that it cannot draw.

#include <QTest>

#include "core/analysis/operators/support/HandTree.h"
#include "core/figures/operators/OperatorsFigure.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <string>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;
using analysis::FrameKind;
using trainscope::test::HandTree;

namespace {

plot::MeasuredOperator operatorOf(const char* name, std::int64_t ns, double flop) {
    plot::MeasuredOperator one;
    one.name = name;
    one.time = one.busy = {ns};
    one.efficiency.intensity = flop / 1000.0;
    one.efficiency.flopPerSecond = flop / one.time.seconds();
    return one;
}

} // namespace

class tst_RooflineNotes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 100 µs of kernels: 60 in products, 30 in copies, which have no FLOP, and 10 that no operator
    // launched. 40 of 100 have no point.
    void allThatIsNotDrawnIsTold() {
        HandTree made;
        made.work(made.frame(0, FrameKind::Operator, "aten::mm"), "gemm", 60'000);
        made.work(made.frame(0, FrameKind::Operator, "aten::copy_"), "copy", 30'000);
        made.work(0, "memset", 10'000);
        auto work = std::make_shared<plot::CalledWork>();
        work->tree = made.tree();
        OperatorsReading reading;
        reading.work = work;
        const auto data = rooflineOf(
            reading, {operatorOf("aten::mm", 60'000, 1e6), operatorOf("aten::copy_", 30'000, 0.0)});
        QVERIFY(std::any_of(data.head.notes.begin(), data.head.notes.end(),
            [](const std::string& note) { return note.starts_with("40 % of the kernel time"); }));
    }
};

TRAINSCOPE_TEST(tst_RooflineNotes)
#include "tst_RooflineNotes.moc"
