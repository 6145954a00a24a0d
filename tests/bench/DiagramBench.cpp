// A frame of playback on the diagrams of 1,024 GPUs, physical and logical: the cells coloured anew,
// and for comparison all geometry built anew; both painted.
#include "app/painting/ScenePainter.h"
#include "core/plot/layout/PhysicalDiagram.h"
#include "core/plot/layout/support/DemoLayout.h"

#include <QImage>
#include <QPainter>

#include <benchmark/benchmark.h>

#include <algorithm>

namespace {

using namespace trainscope;

constexpr int kNodes = 128;
constexpr int kGpus = 8;
constexpr int kDiagramWidth = 1100;
constexpr int kDiagramHeight = 500;

struct Diagrams {
    layout::Layout layout = test::demoLayout({kNodes, kGpus, 8, 16});
    layout::Cluster cluster = test::demoCluster(kNodes, kGpus);
    plot::RankColours colours = test::demoHeat(kNodes * kGpus);
    plot::FigureStyle style;
    QImage image{kDiagramWidth, 2 * kDiagramHeight, QImage::Format_RGB32};

    Diagrams() {
        style.theme = &plot::darkTheme();
        style.width = kDiagramWidth;
        style.height = kDiagramHeight;
        style.measure = app::measureWith(plot::darkTheme());
    }

    [[nodiscard]] plot::RankDiagram physical() const {
        return plot::buildPhysical({&cluster, &layout, colours, {}, {}}, style);
    }
    [[nodiscard]] plot::RankDiagram logical() const {
        return plot::buildRankGrid({&layout, colours}, style);
    }
    // Every GPU gets the value of its neighbour.
    void next() {
        std::rotate(colours.values.begin(), colours.values.begin() + 1, colours.values.end());
    }
    void paint(const plot::RankDiagram& above, const plot::RankDiagram& below) {
        QPainter painter(&image);
        app::paintScene(above.scene, *style.theme, painter, app::PaintTarget::Screen);
        painter.translate(0.0, kDiagramHeight);
        app::paintScene(below.scene, *style.theme, painter, app::PaintTarget::Screen);
    }
};

void diagramRecolour(benchmark::State& state) {
    Diagrams diagrams;
    auto physical = diagrams.physical();
    auto logical = diagrams.logical();
    for (auto _ : state) {
        diagrams.next();
        plot::recolour(physical, diagrams.colours, &diagrams.layout, *diagrams.style.theme);
        plot::recolour(logical, diagrams.colours, &diagrams.layout, *diagrams.style.theme);
        if (state.range(0) != 0)
            diagrams.paint(physical, logical);
    }
}

void diagramRebuild(benchmark::State& state) {
    Diagrams diagrams;
    for (auto _ : state) {
        diagrams.next();
        const auto physical = diagrams.physical();
        const auto logical = diagrams.logical();
        if (state.range(0) != 0)
            diagrams.paint(physical, logical);
    }
}

// 0: geometry and colours alone; 1: painted too.
BENCHMARK(diagramRecolour)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(diagramRebuild)->Arg(0)->Unit(benchmark::kMillisecond);

} // namespace
