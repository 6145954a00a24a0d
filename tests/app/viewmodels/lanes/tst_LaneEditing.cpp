// Changes of the arrangement.
#include "app/viewmodels/lanes/LaneEditing.h"
#include "support/TestProgram.h"

#include <QTest>

#include <optional>

using namespace trainscope;
using plot::Arrangement;
using plot::LaneSpec;
using plot::LaneStyle;

namespace {

LaneSpec lane(const char* metric, std::optional<int> rank = {}, double height = 100.0) {
    return {LaneStyle::Lines, metric, rank, height};
}

QStringList names(const Arrangement& arrangement) {
    QStringList result;
    for (const auto& spec : arrangement.lanes)
        result.append(QString::fromStdString(spec.metric)
            + (spec.rank ? QString::number(*spec.rank) : QString()));
    return result;
}

const Arrangement kThree{{lane("a"), lane("b"), lane("c")}};

} // namespace

class tst_LaneEditing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void moves() {
        QCOMPARE(names(app::withLaneMoved(kThree, 0, 2)),
            QStringList({QStringLiteral("b"), QStringLiteral("c"), QStringLiteral("a")}));
        QCOMPARE(names(app::withLaneMoved(kThree, 2, 0)),
            QStringList({QStringLiteral("c"), QStringLiteral("a"), QStringLiteral("b")}));
        QCOMPARE(names(app::withLaneMoved(kThree, 0, 9)),
            QStringList({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}));
    }
    void addsAndRemoves() {
        QCOMPARE(names(app::withLane(kThree, lane("d"), 1)),
            QStringList({QStringLiteral("a"), QStringLiteral("d"), QStringLiteral("b"),
                QStringLiteral("c")}));
        QCOMPARE(names(app::withLane(kThree, lane("d"), 99)),
            QStringList({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c"),
                QStringLiteral("d")}));
        QCOMPARE(names(app::withoutLane(kThree, 1)),
            QStringList({QStringLiteral("a"), QStringLiteral("c")}));
        QCOMPARE(names(app::withoutLane(kThree, 7)),
            QStringList({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}));
    }
    void heightsStayReadable() {
        QCOMPARE(app::withLaneHeight(kThree, 0, 200.0).lanes[0].height, 200.0);
        QCOMPARE(app::withLaneHeight(kThree, 0, 1.0).lanes[0].height, app::kLeastLaneHeight);
        QCOMPARE(app::withLaneHeight(kThree, 0, 1e9).lanes[0].height, app::kMostLaneHeight);
    }
    void kernelsHaveOneStyle() {
        QVERIFY(app::withLaneStyle(kThree, 0, LaneStyle::Heat).lanes[0].style == LaneStyle::Heat);
        QVERIFY(
            app::withLaneStyle(kThree, 0, LaneStyle::Kernels).lanes[0].style == LaneStyle::Lines);
        const Arrangement kernels{{{LaneStyle::Kernels, "", {}, 100.0}}};
        QVERIFY(app::withLaneStyle(kernels, 0, LaneStyle::Heat) == kernels);
    }
    void splitsAndMerges() {
        const Arrangement split = app::withLaneSplit(kThree, 1, {4, 5});
        QCOMPARE(names(split),
            QStringList({QStringLiteral("a"), QStringLiteral("b4"), QStringLiteral("b5"),
                QStringLiteral("c")}));
        QCOMPARE(names(app::withLanesMerged(split, 2)),
            QStringList({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}));
        QVERIFY(app::withLaneSplit(kThree, 1, {4}) == kThree);
        QVERIFY(app::withLanesMerged(kThree, 1) == kThree);
    }
    void loadedDataFollowsTheArrangement() {
        plot::TimelineData data;
        for (const auto& spec : kThree.lanes) {
            plot::LaneData loaded;
            loaded.spec = spec;
            loaded.title = "loaded " + spec.metric;
            data.lanes.push_back(loaded);
        }
        app::rearrange(data, {{lane("c", {}, 50.0), lane("new"), lane("a")}});
        QCOMPARE(data.lanes.size(), std::size_t{3});
        QCOMPARE(data.lanes[0].title, std::string("loaded c"));
        QCOMPARE(data.lanes[0].spec.height, 50.0);
        QVERIFY(data.lanes[1].title.empty());
        QCOMPARE(data.lanes[2].title, std::string("loaded a"));
    }
};

TRAINSCOPE_TEST(tst_LaneEditing)
#include "tst_LaneEditing.moc"
