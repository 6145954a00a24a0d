// Cells change their colours and values and nothing else, in both diagrams.

#include "core/plot/Palette.h"
#include "core/plot/figures/ColourScale.h"
#include "core/plot/layout/PhysicalDiagram.h"
#include "core/plot/layout/RankGridDiagram.h"
#include "core/plot/layout/support/DemoLayout.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using test::demoCluster;
using test::demoHeat;
using test::demoLayout;
using test::diagramStyle;

namespace {

bool isSameShape(const SceneItem& a, const SceneItem& b) {
    if (a.index() != b.index())
        return false;
    if (const auto* fill = std::get_if<FillRect>(&a))
        return fill->rect == std::get<FillRect>(b).rect;
    if (const auto* label = std::get_if<Label>(&a))
        return label->anchor == std::get<Label>(b).anchor;
    if (const auto* line = std::get_if<Polyline>(&a))
        return line->points == std::get<Polyline>(b).points;
    return true;
}

struct Drawn {
    layout::Layout layout;
    layout::Cluster cluster;
    RankColours colours;

    [[nodiscard]] RankDiagram diagram(bool physical) const {
        return physical
            ? buildPhysical({&cluster, &layout, colours, {}, {}}, diagramStyle(900, 400))
            : buildRankGrid({&layout, colours}, diagramStyle(900, 400));
    }
};

Drawn drawn() {
    return {demoLayout({4, 8, 8, 4}), demoCluster(4, 8), demoHeat(32)};
}

} // namespace

class tst_Recolour : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyColoursChange_data() {
        const auto row = test::columns<bool>("physical");
        row("physical", true);
        row("logical", false);
    }
    void onlyColoursChange() {
        QFETCH(const bool, physical);
        auto one = drawn();
        auto diagram = one.diagram(physical);
        const auto before = diagram;
        std::reverse(one.colours.values.begin(), one.colours.values.end());
        one.colours.values[7] = std::nullopt;
        recolour(diagram, one.colours, &one.layout, darkTheme());
        QCOMPARE(diagram.scene.items.size(), before.scene.items.size());
        for (std::size_t i = 0; i < diagram.scene.items.size(); ++i)
            QVERIFY(isSameShape(diagram.scene.items[i], before.scene.items[i]));
        QVERIFY(diagram.cells == before.cells);
        // As if it had been drawn with these values.
        const auto anew = one.diagram(physical);
        for (std::size_t rank = 0; rank < 32; ++rank) {
            const auto& fill = std::get<FillRect>(diagram.scene.items[diagram.items[rank].fill]);
            const auto& other = std::get<FillRect>(anew.scene.items[anew.items[rank].fill]);
            QVERIFY(fill.fill == other.fill);
            QVERIFY(fill.hatch == other.hatch);
        }
        const auto& first = std::get<FillRect>(diagram.scene.items[diagram.items[0].fill]);
        QVERIFY(first.fill == inferno(1.0));
        QCOMPARE(std::get<Label>(diagram.scene.items[*diagram.items[0].value]).text, "90°");
        const auto& missing = std::get<FillRect>(diagram.scene.items[diagram.items[7].fill]);
        QVERIFY(missing.hatch == Hatch::Diagonal);
        QVERIFY(std::get<Label>(diagram.scene.items[*diagram.items[7].value]).text.empty());
    }

    void bothHaveTheSameColours() {
        const auto one = drawn();
        const auto physical = one.diagram(true);
        const auto logical = one.diagram(false);
        for (std::size_t rank = 0; rank < 32; ++rank)
            QVERIFY(std::get<FillRect>(physical.scene.items[physical.items[rank].fill]).fill
                == std::get<FillRect>(logical.scene.items[logical.items[rank].fill]).fill);
    }

    // Text on any colour that a cell can have.
    void textReads() {
        for (int step = 0; step <= 1000; ++step) {
            const double fraction = step / 1000.0;
            for (const Color color : {inferno(fraction), viridis(fraction)})
                QVERIFY2(contrast(readableOn(color), color) >= 4.5,
                    qPrintable(QStringLiteral("%1: %2").arg(fraction).arg(
                        contrast(readableOn(color), color))));
        }
        for (int count = 1; count < 100; ++count) {
            for (int index = 0; index < count; ++index) {
                const Color color = indexColor(index, count);
                QVERIFY(contrast(readableOn(color), color) >= 4.5);
            }
        }
    }

    void shortValues() {
        FigureAxis axis;
        axis.unit = {"W", 1.0};
        axis.range = {300.0, 700.0};
        QCOMPARE(shortValue(axis, 688.4), std::string("688"));
        axis.range = {0.0, 40.0};
        QCOMPARE(shortValue(axis, 7.26), std::string("7.3"));
        axis.unit = {"GB/s", 1e-9};
        axis.range = {0.0, 2e9};
        QCOMPARE(shortValue(axis, 1.254e9), std::string("1.25"));
        axis.unit = {"%", 100.0};
        QCOMPARE(shortValue(axis, 0.97), std::string("97%"));
        QCOMPARE(shortValue(axis, std::nullopt), std::string(""));
    }
};

TRAINSCOPE_TEST(tst_Recolour)
#include "tst_Recolour.moc"
