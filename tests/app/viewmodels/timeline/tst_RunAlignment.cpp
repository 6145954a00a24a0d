// Alignments that the timeline can be moved over.
#include "app/viewmodels/timeline/AlignmentModel.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;

namespace {

plot::ViewWindow limitsOf(
    const std::vector<TimeRange>& ranges, const std::vector<TimeNs>& origins) {
    app::TimelineCatalogue catalogue;
    std::vector<plot::ShownRun> shown;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        catalogue.runs.emplace_back().range = ranges[i];
        shown.emplace_back().origin = origins[i];
    }
    return app::viewLimits(shown, catalogue);
}

} // namespace

class tst_RunAlignment : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void limitsHoldAllRuns() {
        const plot::ViewWindow wanted{{-20}, {700}};
        QVERIFY(limitsOf({{{1000}, {1700}}, {{5000}, {5100}}}, {{1000}, {5020}}) == wanted);
    }
    void anInstantHasASecondAround() {
        const plot::ViewWindow wanted{{-500'000'000}, {500'000'000}};
        QVERIFY(limitsOf({{{7}, {8}}}, {{7}}) == wanted);
        const plot::ViewWindow kernel{{0}, {2}};
        QVERIFY(limitsOf({{{7}, {9}}}, {{7}}) == kernel);
    }
    void withoutDataThereIsNothing() { QVERIFY(limitsOf({{}}, {{}}).length() == DurationNs{}); }
};

TRAINSCOPE_TEST(tst_RunAlignment)
#include "tst_RunAlignment.moc"
