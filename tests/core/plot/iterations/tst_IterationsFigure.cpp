// The picture of planted iterations: which row a place offers, and the bars of a comparison.

#include "core/plot/iterations/IterationsFigure.h"
#include "core/plot/support/Targets.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using namespace trainscope::test;
namespace analysis = trainscope::analysis;

namespace {

// 100 iterations of 100 ms, the 31st of 130 ms with 30 ms more of computing.
IterationsFigureData planted() {
    auto table = std::make_shared<analysis::IterationTable>();
    std::int64_t now = 1'700'000'000'000'000'000;
    for (int index = 1; index <= 100; ++index) {
        const std::int64_t more = index == 31 ? 30'000'000 : 0;
        const trainscope::TimeNs end{now + 100'000'000 + more};
        table->rows.push_back({{index, {{now}, end}, -1, false}});
        table->rows.back().values[0] = 0.06 + 1e-9 * static_cast<double>(more);
        table->rows.back().values[3] = 0.04;
        now = end.ns;
    }
    table->medianS = table->lowS = table->highS = 0.1;
    IterationsFigureData data;
    data.table = std::move(table);
    return data;
}

Picture pictureOf(const IterationsFigureData& data) {
    return buildIterations(data, styleWith(lettersOf(6.0), lightTheme(), 800.0, 400.0));
}

} // namespace

class tst_IterationsFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPlaceOffersItsSlowest() {
        const Picture picture = pictureOf(planted());
        const Rect strip = picture.areas.front();
        const auto hit
            = picture.hitAt({strip.x + 0.305 * strip.width, strip.y + strip.height / 2.0});
        QVERIFY(hit && hit->choice == std::size_t{30});
        QCOMPARE(hit->title, "Iteration 31");
        QCOMPARE(hit->facts[0].second, "130 ms");
        QCOMPARE(hit->facts[1].second, "+30 ms");
    }

    void aComparisonHasBars() {
        IterationsFigureData data = planted();
        choose(data, 30, {});
        QCOMPARE(
            data.comparison->text, "130 ms, 30 ms more than the median: 30 ms of it in compute.");
        const Picture picture = pictureOf(data);
        QVERIFY(pictureOf(planted()).areas.front().height > picture.areas.front().height);
        QVERIFY(picture.areas.back().y > picture.areas.front().bottom());
    }

    void nothingSaysWhy() {
        IterationsFigureData data;
        data.emptyText = "There are no iterations.";
        QVERIFY(pictureOf(data).targets.empty());
    }
};

TRAINSCOPE_TEST(tst_IterationsFigure)
#include "tst_IterationsFigure.moc"
