#include "core/plot/CsvText.h"
#include "core/plot/figures/FigureLoaders.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <tuple>

namespace trainscope::plot {

namespace {

// What a column's header calls a unit: "gpu_temperature_mean [°C]".
std::string unitText(const std::string& siUnit) {
    return siUnit.empty() || siUnit == "1" ? std::string() : fmt::format(" [{}]", siUnit);
}

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
}

std::string runColumns(const FigureRun& run) {
    return fmt::format("{},{},{},{},{},{},{}", csvText(run.name), toString(run.status),
        csvText(run.model), csvText(run.cluster), csvText(run.layout), run.optimisation,
        run.microBatch ? fmt::format("{}", *run.microBatch) : std::string());
}
constexpr std::string_view kRunHeader = "run,status,model,cluster,layout,optimisation,micro_batch";

// One line per run and GPU (or node), a column per heat map.
void heatmapLines(const FigureData& data, std::string& out) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "{},rank,node", kRunHeader);
    // By run, then rank; nodes of a run (rank -1) before its GPUs.
    std::map<std::tuple<std::size_t, int, int>, std::vector<std::optional<double>>> lines;
    for (std::size_t i = 0; i < data.heatmaps.size(); ++i) {
        const FigureHeatmap& heatmap = data.heatmaps[i];
        fmt::format_to(to, ",{}_{}{}", heatmap.scale.metric, toString(heatmap.statistic),
            unitText(heatmap.scale.siUnit));
        for (const auto& row : heatmap.rows) {
            for (std::size_t column = 0; column < heatmap.columns.size(); ++column) {
                if (row.nodes[column] < 0 && !row.values[column])
                    continue;
                const int rank = heatmap.byNode ? -1 : heatmap.columns[column];
                auto& values = lines[{row.run, rank, row.nodes[column]}];
                values.resize(data.heatmaps.size());
                values[i] = row.values[column];
            }
        }
    }
    out += '\n';
    for (const auto& [key, values] : lines) {
        const auto& [run, rank, node] = key;
        fmt::format_to(to, "{},{},{}", runColumns(data.runs[run]),
            rank < 0 ? std::string() : fmt::format("{}", rank), node);
        for (const auto& value : values)
            fmt::format_to(to, ",{}", number(value));
        out += '\n';
    }
}

} // namespace

std::string figureCsv(const FigureData& data) {
    std::string out;
    if (!data.heatmaps.empty())
        heatmapLines(data, out);
    return out;
}

} // namespace trainscope::plot
