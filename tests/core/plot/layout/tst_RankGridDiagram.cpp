// Geometry of the logical diagram, by numbers.

#include "core/plot/layout/RankGridDiagram.h"
#include "core/plot/layout/support/DemoLayout.h"
#include "core/plot/support/Targets.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using test::demoHeat;
using test::demoLayout;
using test::diagramStyle;
using test::itemsOf;

namespace {

RankColours colouredBy(RankColour by) {
    RankColours colours;
    colours.by = by;
    return colours;
}

} // namespace

class tst_RankGridDiagram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cellsOfAGrid() {
        const auto layout = demoLayout({4, 8, 4, 2, 2});
        const auto diagram
            = buildRankGrid({&layout, colouredBy(RankColour::Pipeline)}, diagramStyle(900, 300));
        QCOMPARE(diagram.cells.size(), std::size_t{32});
        // Stage 1 lies below stage 0, the next tensor-parallel rank right of the one before.
        QVERIFY(diagram.cells[16].y > diagram.cells[0].bottom());
        QCOMPARE(diagram.cells[16].x, diagram.cells[0].x);
        QVERIFY(diagram.cells[1].x > diagram.cells[0].x);
        QCOMPARE(diagram.cells[1].y, diagram.cells[0].y);
        QVERIFY(!diagram.hitAt({1, 1}).has_value());
        // Rank and place in every cell, two stages, four blocks.
        QCOMPARE(itemsOf<Label>(diagram.scene).size(), std::size_t{2 * 32 + 2 + 4});
    }

    // Every rank has a cell of its own inside the scene, found by its middle, at any size.
    void everyRankHasACell_data() {
        const auto row
            = test::columns<int, int, int, double>("nodes", "tensor", "pipeline", "height");
        for (const double height : {0.0, 300.0}) {
            const auto tag = [&](const char* name) {
                return QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(height);
            };
            row(qPrintable(tag("8")), 1, 8, 1, height);
            row(qPrintable(tag("8, data parallel")), 1, 1, 1, height);
            row(qPrintable(tag("32")), 4, 8, 4, height);
            row(qPrintable(tag("64 in 64 stages")), 8, 1, 64, height);
            row(qPrintable(tag("256")), 32, 8, 8, height);
            row(qPrintable(tag("1024")), 128, 8, 16, height);
            row(qPrintable(tag("1024, data parallel")), 128, 1, 1, height);
        }
    }
    void everyRankHasACell() {
        QFETCH(const int, nodes);
        QFETCH(const int, tensor);
        QFETCH(const int, pipeline);
        QFETCH(const double, height);
        const auto layout = demoLayout({nodes, 8, tensor, pipeline});
        for (const double width : {241.0, 510.0, 1100.0}) {
            const auto diagram = buildRankGrid(
                {&layout, demoHeat(nodes * 8)}, diagramStyle(width, height, paperTheme()));
            QCOMPARE(diagram.cells.size(), static_cast<std::size_t>(nodes * 8));
            for (std::size_t rank = 0; rank < diagram.cells.size(); ++rank) {
                const Rect& cell = diagram.cells[rank];
                QVERIFY(cell.x >= 0 && cell.right() <= width);
                QVERIFY(cell.y >= 0 && cell.bottom() <= diagram.scene.height + 1e-6);
                QVERIFY2(cell.width >= 2.0 && cell.height >= 2.0,
                    qPrintable(QStringLiteral("%1 × %2").arg(cell.width).arg(cell.height)));
                const auto hit = diagram.hitAt(test::centreOf(cell));
                QCOMPARE(hit ? hit->rank.value_or(-1) : -1, static_cast<int>(rank));
            }
            if (height <= 0.0)
                QVERIFY2(diagram.scene.height < 1.6 * width,
                    qPrintable(QString::number(diagram.scene.height)));
        }
    }

    // 1,024 replicas of one GPU are broken into lines, so that cells are no slivers.
    void manyReplicasAreBrokenIntoLines() {
        const auto layout = demoLayout({128, 8, 1, 1});
        const auto diagram
            = buildRankGrid({&layout, colouredBy(RankColour::Data)}, diagramStyle(1000, 300));
        std::set<double> lines;
        for (const Rect& cell : diagram.cells) {
            lines.insert(cell.y);
            QVERIFY(cell.width >= 10.0 && cell.height >= 10.0);
        }
        QVERIFY(lines.size() >= 8);
    }

    void expertsAreNamed() {
        const auto layout = demoLayout({2, 8, 2, 1, 1, 4});
        const auto diagram
            = buildRankGrid({&layout, colouredBy(RankColour::Expert)}, diagramStyle(900, 100));
        // Megatron: EP counts TP × EP × EDP; rank 6 is tensor rank 0 of expert 3.
        const RankCell& cell = diagram.items[6];
        QCOMPARE(std::get<Label>(diagram.scene.items[cell.firstLabel + 1]).text, "T0 E3");
        const auto fill = [&](int rank) {
            return std::get<FillRect>(
                diagram.scene.items[diagram.items[static_cast<std::size_t>(rank)].fill])
                .fill;
        };
        QVERIFY(fill(6) == seriesColor(3));
        QVERIFY(fill(14) == seriesColor(3));
        QVERIFY(fill(0) == seriesColor(0));
    }

    void manyColoursDiffer() {
        std::set<std::tuple<int, int, int>> seen;
        for (int i = 0; i < 64; ++i) {
            const Color color = indexColor(i, 64);
            seen.insert({color.r, color.g, color.b});
        }
        QCOMPARE(seen.size(), std::size_t{64});
        QVERIFY(indexColor(3, 8) == seriesColor(3));
    }
};

TRAINSCOPE_TEST(tst_RankGridDiagram)
#include "tst_RankGridDiagram.moc"
