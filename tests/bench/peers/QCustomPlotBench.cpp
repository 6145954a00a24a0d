// One frame of QCustomPlot with adaptive sampling: 64 graphs with every sample of the database that
// timelineFrame draws, panned a little each time.
#include "bench/inputs/PowerDatabase.h"

#include "core/store/Store.h"

#include <QImage>
#include <QPainter>

#include <benchmark/benchmark.h>

#include <qcustomplot.h>

namespace {

using namespace trainscope;

constexpr int kWidth = 1920;
constexpr int kHeight = 1080;
constexpr std::int64_t kSamples = 1'000'000;

void addGraph(QCustomPlot& plot, const store::Store& store, const Series& series, TimeNs begin) {
    QVector<double> times;
    QVector<double> values;
    (void)store.forEachSample(series.id, kAllTime, [&](auto blockTimes, auto blockValues) {
        for (std::size_t i = 0; i < blockTimes.size(); ++i) {
            times.append(static_cast<double>((blockTimes[i] - begin).ns) * 1e-9);
            values.append(blockValues[i]);
        }
        return true;
    });
    QCPGraph* graph = plot.addGraph();
    graph->setAdaptiveSampling(true);
    graph->setData(times, values, true);
}

void qCustomPlotFrame(benchmark::State& state) {
    const auto store
        = store::Store::open(bench::powerDatabase(kSamples), store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return state.SkipWithError(store.error().describe().c_str());
    const Run run = store.value().findRun("power").value();
    QCustomPlot plot;
    plot.setViewport(QRect(0, 0, kWidth, kHeight));
    for (const Series& series : store.value().series(run.id).value())
        addGraph(plot, store.value(), series, run.range.begin);
    plot.rescaleAxes();
    QImage image(kWidth, kHeight, QImage::Format_RGB32);
    bool odd = false;
    for (auto _ : state) {
        plot.xAxis->moveRange((odd = !odd) ? 0.5 : -0.5);
        image.fill(Qt::white);
        QCPPainter painter;
        painter.begin(&image);
        plot.toPainter(&painter, kWidth, kHeight);
        painter.end();
    }
}

BENCHMARK(qCustomPlotFrame)->Unit(benchmark::kMillisecond)->MinTime(1.0);

} // namespace
