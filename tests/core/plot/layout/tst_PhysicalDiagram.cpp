// Geometry of the physical diagram, by numbers.

#include "core/plot/Palette.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/layout/GroupOutlines.h"
#include "core/plot/layout/PhysicalDiagram.h"
#include "core/plot/layout/support/DemoLayout.h"
#include "core/plot/support/Targets.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using test::demoCluster;
using test::demoHeat;
using test::demoLayout;
using test::diagramStyle;
using test::extentOf;
using test::itemsOf;
using test::overlap;

namespace {

bool isWithin(const Rect& inner, const Rect& outer) {
    constexpr double kRounding = 1e-6;
    return inner.x >= outer.x - kRounding && inner.right() <= outer.right() + kRounding
        && inner.y >= outer.y - kRounding && inner.bottom() <= outer.bottom() + kRounding;
}

std::vector<PhysicalEdge> chain(int nodes) {
    std::vector<PhysicalEdge> edges;
    for (int node = 1; node < nodes; ++node)
        edges.push_back(
            {{node - 1, node, "pp", {}, {}}, 1e9 * node, std::to_string(node) + ".00 GB / step"});
    return edges;
}

std::vector<Target> linesOf(const Picture& picture) {
    std::vector<Target> lines;
    std::copy_if(picture.targets.begin(), picture.targets.end(), std::back_inserter(lines),
        [](const Target& target) { return !target.line.empty(); });
    return lines;
}

RankColours colouredBy(RankColour by) {
    RankColours colours;
    colours.by = by;
    return colours;
}

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

class tst_PhysicalDiagram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The sketch: four nodes beside each other, the front row above the rear one.
    void fourNodesInARow() {
        const auto cluster = demoCluster(4, 8);
        const auto layout = demoLayout({4, 8, 8, 4});
        const std::vector<PhysicalNode> nodes(4, {"stage 0 · 3.6 kW", "NVSwitch 174 GB/s", 0.4});
        const auto diagram = buildPhysical(
            {&cluster, &layout, demoHeat(32), nodes, chain(4)}, diagramStyle(1080, 0));
        QCOMPARE(diagram.nodes.size(), std::size_t{4});
        for (std::size_t node = 1; node < 4; ++node) {
            QCOMPARE(diagram.nodes[node].y, diagram.nodes[0].y);
            QVERIFY(diagram.nodes[node].x > diagram.nodes[node - 1].right());
        }
        // Ranks 0 to 3 in front, 4 to 7 behind, each above the one behind it.
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(diagram.cells[i].y, diagram.cells[0].y);
            QCOMPARE(diagram.cells[i + 4].x, diagram.cells[i].x);
            QVERIFY(diagram.cells[i + 4].y > diagram.cells[i].bottom());
        }
        const auto labels = itemsOf<Label>(diagram.scene);
        const auto count = [&](std::string_view text) {
            return std::count_if(labels.begin(), labels.end(),
                [&](const Label& label) { return label.text == text; });
        };
        QCOMPARE(count("node 3"), 1);
        QCOMPARE(count("stage 0 · 3.6 kW"), 4);
        QCOMPARE(count("NVSwitch 174 GB/s"), 4);
        QCOMPARE(count("front ↑  air  rear ↓"), 4);
        QCOMPARE(count("S1 T5"), 1);
        QCOMPARE(count("40°"), 1);
        QCOMPARE(count("3.00 GB / step"), 1);
    }

    // The order of the air decides who stands where: here the rear half is numbered first.
    void airflowOrder() {
        layout::ClusterFacts facts;
        for (int rank = 0; rank < 4; ++rank)
            facts.gpus.push_back({rank, 0, rank, {}, {}});
        facts.airflow = {2, 3, 0, 1};
        const auto cluster = layout::makeCluster(facts);
        const auto diagram
            = buildPhysical({&cluster, nullptr, demoHeat(4), {}, {}}, diagramStyle(400, 0));
        QVERIFY(diagram.cells[2].y < diagram.cells[0].y);
        QCOMPARE(diagram.cells[2].x, diagram.cells[0].x);
        QCOMPARE(diagram.cells[3].y, diagram.cells[2].y);
        QVERIFY(diagram.cells[3].x > diagram.cells[2].x);
    }

    void everyRankHasACell_data() {
        const auto row = test::columns<int, int>("nodes", "gpus");
        for (const auto& [nodes, gpus] : std::initializer_list<std::pair<int, int>>{{1, 1}, {1, 8},
                 {4, 8}, {8, 4}, {8, 8}, {32, 8}, {64, 16}, {128, 8}, {1024, 1}, {3, 7}})
            row(qPrintable(QStringLiteral("%1 of %2").arg(nodes).arg(gpus)), nodes, gpus);
    }
    void everyRankHasACell() {
        QFETCH(const int, nodes);
        QFETCH(const int, gpus);
        const auto cluster = demoCluster(nodes, gpus);
        for (const double width : {241.0, 510.0, 1080.0, 1900.0}) {
            for (const double height : {0.0, 320.0}) {
                const auto style = diagramStyle(width, height, paperTheme());
                const auto diagram = buildPhysical(
                    {&cluster, nullptr, demoHeat(nodes * gpus), {}, chain(nodes)}, style);
                QCOMPARE(diagram.cells.size(), static_cast<std::size_t>(nodes * gpus));
                for (std::size_t rank = 0; rank < diagram.cells.size(); ++rank) {
                    const Rect& cell = diagram.cells[rank];
                    const auto node = rank / static_cast<std::size_t>(gpus);
                    QVERIFY(isWithin(cell, diagram.nodes[node]));
                    QVERIFY(isWithin(cell, {0, 0, width, diagram.scene.height}));
                    QVERIFY2(cell.width >= 2.0 && cell.height >= 2.0,
                        qPrintable(QStringLiteral("%1 × %2").arg(cell.width).arg(cell.height)));
                    const auto hit = diagram.hitAt(test::centreOf(cell));
                    QCOMPARE(hit ? hit->rank.value_or(-1) : -1, static_cast<int>(rank));
                }
                for (std::size_t a = 0; a < diagram.nodes.size(); ++a) {
                    for (std::size_t b = 0; b < a; ++b)
                        QVERIFY(!overlap(diagram.nodes[a], diagram.nodes[b]));
                }
            }
        }
    }

    // No text of a diagram lies on another, at any size.
    void textsStayApart_data() { everyRankHasACell_data(); }
    void textsStayApart() {
        QFETCH(const int, nodes);
        QFETCH(const int, gpus);
        const auto cluster = demoCluster(nodes, gpus);
        const auto layout = demoLayout({nodes, gpus, 1, nodes});
        const std::vector<PhysicalNode> texts(
            static_cast<std::size_t>(nodes), {"stage 17 · 13.6 kW", "NVSwitch 174 GB/s", 0.4});
        for (const double width : {241.0, 510.0, 1080.0}) {
            const auto style = diagramStyle(width, 0.0, paperTheme());
            const auto diagram = buildPhysical(
                {&cluster, &layout, demoHeat(nodes * gpus), texts, chain(nodes)}, style);
            const auto labels = itemsOf<Label>(diagram.scene);
            for (std::size_t a = 0; a < labels.size(); ++a) {
                const Rect extent = extentOf(labels[a], style);
                QVERIFY2(
                    isWithin(extent, {0, 0, width, diagram.scene.height}), labels[a].text.c_str());
                for (std::size_t b = 0; b < a; ++b)
                    QVERIFY2(!overlap(extent, extentOf(labels[b], style)),
                        (labels[a].text + " on " + labels[b].text).c_str());
            }
        }
    }

    // Rows that are lower than a number: each number has the room of its own text.
    void numbersOfLowRowsStayApart() {
        const auto cluster = demoCluster(40'000, 1);
        const auto style = diagramStyle(241.0, 0.0, paperTheme());
        const auto diagram = buildPhysical({&cluster, nullptr, demoHeat(40'000), {}, {}}, style);
        const auto labels = itemsOf<Label>(diagram.scene);
        for (std::size_t i = 1; i < labels.size(); ++i)
            QVERIFY(labels[i].anchor.y - labels[i - 1].anchor.y >= 1.1 * style.theme->smallSize);
    }

    void edgesAreAsWideAsTheirBytes() {
        const auto cluster = demoCluster(4, 8);
        const auto diagram
            = buildPhysical({&cluster, nullptr, demoHeat(32), {}, chain(4)}, diagramStyle(1080, 0));
        const auto edges = linesOf(diagram);
        QCOMPARE(edges.size(), std::size_t{3});
        // 3, 2 and 1 GB, the widest first.
        QCOMPARE(edges[0].shown.choice.value_or(99), std::size_t{2});
        QCOMPARE(edges[1].lineWidth / edges[0].lineWidth, 2.0 / 3.0);
        QCOMPARE(edges[2].lineWidth / edges[0].lineWidth, 1.0 / 3.0);
        for (const Target& edge : edges) {
            const Point middle = edge.line[edge.line.size() / 2];
            QVERIFY(middle.y > diagram.nodes[0].bottom());
            const auto hit = diagram.hitAt({middle.x, middle.y + edge.lineWidth / 2.0 + 3.5});
            QVERIFY(hit && hit->choice == edge.shown.choice && !hit->rank);
            QVERIFY(!diagram.hitAt({middle.x, middle.y + edge.lineWidth / 2.0 + 4.5}));
        }
        QVERIFY(!diagram.hitAt({5, 5}).has_value());
    }

    // 1,024 GPUs whose nodes all exchange: what is drawn stays bounded.
    void manyEdges() {
        const auto cluster = demoCluster(128, 8);
        std::vector<PhysicalEdge> edges;
        for (int a = 0; a < 128; ++a) {
            for (int b = a + 1; b < 128; ++b)
                edges.push_back({{a, b, "ep", {}, {}}, 1.0 + a, "x"});
        }
        const auto diagram = buildPhysical(
            {&cluster, nullptr, demoHeat(1024), {}, edges}, diagramStyle(1080, 500));
        QCOMPARE(linesOf(diagram).size(), kMostEdges);
    }

    void racksAreNamed() {
        layout::ClusterFacts facts;
        for (int rank = 0; rank < 64; ++rank)
            facts.gpus.push_back({rank, rank / 8, rank % 8, {}, {}});
        facts.nodesPerRack = 4;
        const auto cluster = layout::makeCluster(facts);
        QCOMPARE(cluster.nodes[3].rack, 0);
        QCOMPARE(cluster.nodes[4].rack, 1);
        const auto diagram
            = buildPhysical({&cluster, nullptr, demoHeat(64), {}, {}}, diagramStyle(1800, 0));
        std::set<std::string> names;
        for (const Label& label : itemsOf<Label>(diagram.scene))
            names.insert(label.text);
        QVERIFY(names.contains("rack 0") && names.contains("rack 1"));
    }

    // Trays of one NVLink domain stand under one line, in racks or not.
    void linkDomainsAreNamed() {
        layout::ClusterFacts facts;
        for (int rank = 0; rank < 32; ++rank)
            facts.gpus.push_back({rank, rank / 4, rank % 4, {}, {}});
        facts.linkDomain = 16;
        const auto cluster = layout::makeCluster(facts);
        QCOMPARE(cluster.nodesPerDomain, 4);
        const auto diagram
            = buildPhysical({&cluster, nullptr, demoHeat(32), {}, {}}, diagramStyle(1800, 0));
        const auto labels = itemsOf<Label>(diagram.scene);
        const auto find = [&](std::string_view text) {
            return std::find_if(labels.begin(), labels.end(),
                [&](const Label& label) { return label.text == text; });
        };
        QVERIFY(find("NVLink domain 0") != labels.end());
        const auto second = find("NVLink domain 1");
        QVERIFY(second != labels.end());
        QVERIFY(std::abs(second->anchor.x - diagram.nodes[4].x) < 1.0);
        // 18 GPUs are no whole nodes of 4.
        facts.linkDomain = 18;
        QCOMPARE(layout::makeCluster(facts).nodesPerDomain, 1);
    }

    // Two bridges with two GPUs and a card each, a third card far from all, and a bridge of the
    // network that is no card.
    void cardsStandByTheirGpus() {
        using layout::DeviceKind;
        using layout::PathKind;
        std::vector<layout::TopologyDevice> devices;
        for (int gpu = 0; gpu < 4; ++gpu)
            devices.push_back({DeviceKind::Gpu, gpu, "GPU" + std::to_string(gpu), {}, {}, {}});
        for (const char* name : {"far", "b", "a", "br-0"})
            devices.push_back({DeviceKind::Nic, static_cast<int>(devices.size()) - 4, name, {}, {},
                std::optional(25e9)});
        layout::Topology topology(devices);
        for (std::size_t gpu = 0; gpu < 4; ++gpu) {
            topology.setPath(gpu, 4, {PathKind::Sys, 0, false, {}});
            topology.setPath(gpu, 5, {gpu >= 2 ? PathKind::Pix : PathKind::Sys, 0, false, {}});
            topology.setPath(gpu, 6, {gpu < 2 ? PathKind::Pix : PathKind::Sys, 0, false, {}});
        }
        QCOMPARE(topology.connectedNics(), (std::vector<std::size_t>{4, 5, 6}));
        layout::ClusterFacts facts;
        for (int rank = 0; rank < 4; ++rank)
            facts.gpus.push_back({rank, 0, rank, {}, {}});
        facts.airflow = {0, 2, 1, 3}; // 0 over 1, 2 over 3
        facts.topology = topology;
        const auto cluster = layout::makeCluster(facts);
        const auto plain = demoCluster(1, 4);
        const auto style = diagramStyle(500, 0);
        const auto diagram = buildPhysical({&cluster, nullptr, demoHeat(4), {}, {}}, style);
        const auto without = buildPhysical({&plain, nullptr, demoHeat(4), {}, {}}, style);
        QVERIFY(diagram.nodes[0].height > without.nodes[0].height);
        std::map<std::string, Point> at;
        for (const Label& label : itemsOf<Label>(diagram.scene))
            at[label.text] = label.anchor;
        for (const char* name : {"a", "b", "far"}) {
            QVERIFY2(at.contains(name), name);
            QVERIFY(at[name].y > diagram.cells[1].bottom());
            QVERIFY(at[name].y < diagram.nodes[0].bottom());
        }
        QVERIFY(!at.contains("br-0"));
        QVERIFY(at["a"].x < at["b"].x && at["b"].x < at["far"].x);
        // A line from each GPU ends at its card, two at each of the near ones.
        std::map<std::string, int> ends;
        for (const Line& line : itemsOf<Line>(diagram.scene)) {
            for (const auto& [name, point] : at) {
                if (std::abs(line.to.x - point.x) < 0.5 && line.to.y > diagram.cells[1].bottom()
                    && line.to.y < point.y)
                    ++ends[name];
            }
        }
        QCOMPARE(ends["a"], 2);
        QCOMPARE(ends["b"], 2);
        QCOMPARE(ends["far"], 0);
    }

    // Rank 5 of TP 2, PP 2 on 8 GPUs: tensor {4, 5}, pipeline {1, 5}, data {5, 7}.
    void groupsOfARankAreMarked() {
        const auto cluster = demoCluster(1, 8);
        const auto layout = demoLayout({1, 8, 2, 2});
        const auto diagram
            = buildPhysical({&cluster, &layout, demoHeat(8), {}, {}}, diagramStyle(500, 0));
        const auto groups = litGroups(layout, 5, std::nullopt);
        QCOMPARE(groups.size(), std::size_t{3});
        QCOMPARE(groups[0].ranks, (std::vector<int>{4, 5}));
        QCOMPARE(groups[1].ranks, (std::vector<int>{1, 5}));
        QCOMPARE(groups[2].ranks, (std::vector<int>{5, 7}));
        const auto items = groupOutlines(diagram, groups, 5, darkTheme());
        // A frame for rank 4 with its halo, a dashed one of four lines for 1, four corners for 7;
        // and two frames for the rank itself.
        const auto frames = std::count_if(items.begin(), items.end(), [](const SceneItem& item) {
            const auto* line = std::get_if<Polyline>(&item);
            return line != nullptr && line->points.size() == 5;
        });
        const auto dashes = std::count_if(items.begin(), items.end(), [](const SceneItem& item) {
            const auto* line = std::get_if<Line>(&item);
            return line != nullptr && line->dashed;
        });
        const auto corners = std::count_if(items.begin(), items.end(), [](const SceneItem& item) {
            const auto* line = std::get_if<Polyline>(&item);
            return line != nullptr && line->points.size() == 3;
        });
        QCOMPARE(frames, 2 + 2);
        QCOMPARE(dashes, 2 * 4);
        QCOMPARE(corners, 2 * 4);
        QCOMPARE(litGroups(layout, 5, layout::CommunicatorKind::Data).size(), std::size_t{1});
    }

    void marksOfKindsDiffer() {
        std::set<std::pair<int, std::uint32_t>> looks;
        for (const char* key : {"tp", "pp", "dp", "cp", "ep"}) {
            const Color color = groupColor(key);
            looks.insert({static_cast<int>(groupMark(key)),
                static_cast<std::uint32_t>(color.r << 16 | color.g << 8 | color.b)});
        }
        std::set<int> shapes;
        for (const auto& look : looks)
            shapes.insert(look.first);
        QCOMPARE(shapes.size(), std::size_t{5});
        QCOMPARE(looks.size(), std::size_t{5});
    }

    // Geometry of the logical diagram, by numbers.
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
    void everyRankHasACellOfRankGridDiagram_data() {
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
    void everyRankHasACellOfRankGridDiagram() {
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

    // Cells change their colours and values and nothing else, in both diagrams.
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

TRAINSCOPE_TEST(tst_PhysicalDiagram)
#include "tst_PhysicalDiagram.moc"
