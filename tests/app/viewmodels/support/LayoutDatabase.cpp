#include "app/viewmodels/support/LayoutDatabase.h"

#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <QDebug>

#include <functional>
#include <vector>

namespace trainscope::test {
namespace {

constexpr int kLastSecond = 60;

Status addSeries(Sink& sink, RunId run, const char* metric, const Gpu& gpu,
    const std::function<double(int)>& value) {
    SeriesDescription description;
    description.metric = *findMetric(metric);
    description.subject.rank = gpu.rank;
    description.subject.node = gpu.node;
    const auto id = sink.series(run, description);
    if (!id.hasValue())
        return id.error();
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (int second = 0; second <= kLastSecond; ++second) {
        times.push_back(layoutTime(second));
        values.push_back(value(second));
    }
    return sink.samples(id.value(), times, values);
}

Status addRun(Sink& sink, const Run& run, int gpus) {
    const auto id = sink.run(run);
    if (!id.hasValue())
        return id.error();
    for (int rank = 0; rank < gpus; ++rank) {
        const Gpu gpu{rank, rank / 4, rank % 4, "Test GPU", ""};
        Status status = sink.gpu(id.value(), gpu);
        if (status.hasValue())
            status = addSeries(sink, id.value(), "gpu_temperature", gpu,
                [&](int second) { return gpus == 2 ? 50.0 : 40.0 + rank + second; });
        if (status.hasValue())
            status = addSeries(sink, id.value(), "gpu_power", gpu, [](int) { return 100.0; });
        if (!status.hasValue())
            return status;
    }
    return {};
}

Status fill(store::Store& store) {
    auto session = store::beginImport(store, {"source", 1, "hash", {}});
    if (!session.hasValue())
        return session.error();
    Run grid;
    grid.name = "grid";
    grid.launch.tensorParallel = 2;
    grid.launch.pipelineParallel = 2;
    grid.launch.layers = 8;
    grid.launch.globalBatch = 8;
    grid.launch.microBatch = 1;
    grid.launch.origin = "launch.yaml";
    Run bare;
    bare.name = "bare";
    for (const auto& [run, gpus] : {std::pair(grid, 8), std::pair(bare, 2)}) {
        if (const auto status = addRun(*session.value(), run, gpus); !status.hasValue())
            return status;
    }
    return session.value()->finish({}, "hash", 1, {});
}

} // namespace

std::filesystem::path writeLayoutDatabase(const std::string& folder) {
    auto path = std::filesystem::path(folder) / "layout.trainscope";
    auto store = store::Store::openOrCreate(path);
    const Status filled = store.hasValue() ? fill(store.value()) : Status(store.error());
    if (filled.hasValue())
        return path;
    qWarning() << filled.error().describe().c_str();
    return {};
}

} // namespace trainscope::test
