// One frame of 64 GPUs at 1920×1080: our timeline from data to pixels, and Qt Charts with 64 series
// of 2,000 points.
#include "bench/inputs/PowerDatabase.h"

#include "app/painting/ScenePainter.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/plot/timeline/Timeline.h"

#include <QChart>
#include <QGraphicsScene>
#include <QImage>
#include <QLineSeries>
#include <QPainter>

#include <benchmark/benchmark.h>

#include <cmath>

namespace {

using namespace trainscope;

constexpr int kFrameWidth = 1920;
constexpr int kFrameHeight = 1080;
constexpr std::int64_t kFrameSamples = 1'000'000;

void timelineFrame(benchmark::State& state) {
    const auto store
        = store::Store::open(bench::powerDatabase(kFrameSamples), store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return state.SkipWithError(store.error().describe().c_str());
    const Run run = store.value().findRun("power").value();
    const plot::ViewWindow all{{0}, run.range.length()};
    plot::Arrangement arrangement;
    arrangement.lanes = {{plot::LaneStyle::Lines, "gpu_power", {}, 400.0},
        {plot::LaneStyle::Heat, "gpu_power", {}, 400.0}};
    const std::vector<plot::ShownRun> runs{{run.id, run.name, run.range.begin, 0}};
    const auto catalogue = figures::readCatalogue(store.value(), runs);
    if (!catalogue.hasValue())
        return state.SkipWithError(catalogue.error().describe().c_str());
    const auto data = figures::loadTimeline(
        store.value(), catalogue.value(), runs, arrangement, all, kFrameWidth);
    if (!data.hasValue())
        return state.SkipWithError(data.error().describe().c_str());
    const plot::Theme& theme = plot::darkTheme();
    plot::TimelineStyle style;
    style.theme = &theme;
    style.width = kFrameWidth;
    style.height = kFrameHeight;
    style.measure = app::measureWith(theme);
    QImage image(kFrameWidth, kFrameHeight, QImage::Format_RGB32);
    std::int64_t frame = 0;
    for (auto _ : state) {
        // A little pan each time, as while dragging.
        const DurationNs shift{(frame++ % 100) * all.length().ns / 10'000};
        const auto geometry
            = plot::buildTimeline(data.value(), {all.begin + shift, all.end + shift}, style);
        QPainter painter(&image);
        app::paintScene(geometry.scene, theme, painter, app::PaintTarget::Screen);
    }
}

void qtChartsFrame(benchmark::State& state) {
    QGraphicsScene scene;
    auto* chart = new QChart;
    chart->resize(kFrameWidth, kFrameHeight);
    chart->legend()->hide();
    for (int s = 0; s < 64; ++s) {
        auto* series = new QLineSeries;
        QList<QPointF> points;
        for (int i = 0; i < 2000; ++i)
            points.append({static_cast<double>(i),
                400.0 + s + 100.0 * std::sin(0.7 * i + s) + 50.0 * std::sin(3.1 * i)});
        series->replace(points);
        chart->addSeries(series);
    }
    chart->createDefaultAxes();
    scene.addItem(chart);
    QImage image(kFrameWidth, kFrameHeight, QImage::Format_RGB32);
    bool odd = false;
    for (auto _ : state) {
        chart->scroll((odd = !odd) ? 8.0 : -8.0, 0.0);
        QPainter painter(&image);
        scene.render(&painter);
    }
}

BENCHMARK(timelineFrame)->Unit(benchmark::kMillisecond)->MinTime(2.0);
BENCHMARK(qtChartsFrame)->Unit(benchmark::kMillisecond)->MinTime(2.0);

} // namespace
