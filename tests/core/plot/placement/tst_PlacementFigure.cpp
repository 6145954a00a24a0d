// Geometry of the placement's diagram by numbers.

#include "core/plot/layout/PlacementFigure.h"
#include "core/plot/support/Targets.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;

namespace {

FigureStyle styleOf(double width) {
    return test::styleWith(test::lettersOf(4.0), paperTheme(), width);
}

// Each node's halves are stages of their own; ranks change places by twos.
PlacementFigureData demo(int nodes) {
    PlacementFigureData data;
    data.runName = "job";
    data.title = "Placement · job";
    data.caption = "An estimate.";
    analysis::Placement placement;
    placement.helps = true;
    placement.nodes = nodes;
    placement.gpusPerNode = 8;
    for (int stage = 0; stage < 2; ++stage)
        placement.stages.push_back({20, stage == 0 ? 21 : 19, 1.0, 1.0, 70.0, 0});
    for (int rank = 0; rank < 8 * nodes; ++rank) {
        analysis::GpuPlace gpu;
        gpu.node = rank / 8;
        gpu.local = gpu.slot = rank % 8;
        gpu.isRear = gpu.slot >= 4;
        gpu.rankBefore = rank;
        gpu.rankAfter = rank ^ 1;
        gpu.stageBefore = gpu.stageAfter = gpu.isRear ? 1 : 0;
        placement.gpus.push_back(gpu);
    }
    data.placement = placement;
    return data;
}

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

} // namespace

class tst_PlacementFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cells_data() {
        test::columns<int>("nodes");
        for (const int nodes : {1, 4, 8, 128})
            QTest::addRow("%d nodes", nodes) << nodes;
    }

    void cells() {
        QFETCH(int, nodes);
        const auto geometry = buildPlacementFigure(demo(nodes), styleOf(500.0));
        const auto all = test::rectsOf(geometry);
        QCOMPARE(all.size(), static_cast<std::size_t>(2 * 8 * nodes)); // before and after
        for (std::size_t a = 0; a < all.size(); ++a) {
            QVERIFY(all[a].x >= 0.0 && all[a].right() <= 500.0);
            QVERIFY(all[a].bottom() <= geometry.scene.height);
            QVERIFY(all[a].width >= 4.0);
            for (std::size_t b = a > 40 ? a - 40 : 0; b < a; ++b)
                QVERIFY(!overlap(all[a], all[b]));
        }
        // The rear half lies below the front half, slot 4 below slot 0.
        QCOMPARE(all[4].x, all[0].x);
        QVERIFY(all[4].y > all[0].bottom());
        QVERIFY(all[1].x > all[0].right());
    }

    void aGpuSaysItsChange() {
        const auto data = demo(1);
        const auto geometry = buildPlacementFigure(data, styleOf(500.0));
        const auto before = geometry.hitAt(test::centreOf(geometry.targets[5].rect));
        const auto after = geometry.hitAt(test::centreOf(geometry.targets[8 + 5].rect));
        QVERIFY(before && after);
        QCOMPARE(before->title, std::string("GPU 5 of node 0, rear"));
        QCOMPARE(before->rank.value_or(-1), 5);
        QCOMPARE(test::factOf(*before, "now"), std::string("rank 5, stage 1 of 20 layers"));
        QCOMPARE(test::factOf(*before, "proposed"), std::string("rank 4, stage 1 of 19 layers"));
        QCOMPARE(after->title, before->title);
        QVERIFY(after->facts == before->facts);
    }

    void whatItSays() {
        const auto geometry = buildPlacementFigure(demo(4), styleOf(500.0));
        std::string all;
        for (const Label& label : test::itemsOf<Label>(geometry.scene))
            all += label.text + "|";
        for (const char* part : {"stage 0: 20 → 21 layers", "stage 1: 20 → 19 layers",
                 "Proposed (estimate)", "An estimate.", "node 3"})
            QVERIFY2(all.find(part) != std::string::npos, part);
        const std::string csv = placementCsv(demo(1));
        QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 9);
        VERIFY_SAYS(csv, "job,0,5,5,rear,0,0,5,1,20,4,1,19\n");
        PlacementFigureData none;
        none.emptyText = "Nothing.";
        QVERIFY(buildPlacementFigure(none, styleOf(300.0)).targets.empty());
    }
};

TRAINSCOPE_TEST(tst_PlacementFigure)
#include "tst_PlacementFigure.moc"
