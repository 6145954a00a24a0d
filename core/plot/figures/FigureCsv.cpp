#include "core/plot/figures/Figure.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace trainscope::plot {

namespace {

// The unit in a column's header: "gpu_temperature_mean [°C]".
std::string unitText(const std::string& siUnit) {
    return siUnit.empty() || siUnit == "1" ? std::string() : fmt::format(" [{}]", siUnit);
}

using Cells = std::vector<text::Cell>;

const Cells kRunTitles{
    "run", "status", "model", "cluster", "layout", "optimisation", "micro_batch"};
Cells runCells(const FigureRun& run) {
    return {run.name, toString(run.status), run.model, run.cluster, run.layout, run.optimisation,
        run.microBatch};
}
// −1: of none.
text::Cell index(int value) {
    return value < 0 ? text::Cell() : text::Cell(value);
}

// One line per run and GPU (or node), a column per heat map.
void heatmapLines(const FigureData& data, std::string& out) {
    Cells titles = kRunTitles;
    titles.insert(titles.end(), {"rank", "node"});
    // By run, then rank; nodes of a run (rank -1) before its GPUs.
    std::map<std::tuple<std::size_t, int, int>, std::vector<std::optional<double>>> lines;
    for (std::size_t i = 0; i < data.heatmaps.size(); ++i) {
        const FigureHeatmap& heatmap = data.heatmaps[i];
        titles.emplace_back(fmt::format("{}_{}{}", heatmap.scale.metric,
            toString(heatmap.statistic), unitText(heatmap.scale.siUnit)));
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
    text::addCsvLine(out, titles);
    for (const auto& [key, values] : lines) {
        const auto& [run, rank, node] = key;
        Cells cells = runCells(data.runs[run]);
        cells.insert(cells.end(), {index(rank), node});
        cells.insert(cells.end(), values.begin(), values.end());
        text::addCsvLine(out, cells);
    }
}

// A column of numbers: "gpu_power_mean [W]", "send_recv [s]", "samples_per_s_per_mj".
std::string columnName(const FigurePanel& panel, const FigureSet& set) {
    if (set.role == SetRole::Efficiency) {
        const bool isRelative = panel.right && panel.right->unit.unit.empty();
        return isRelative ? set.key + "_relative" : set.key + " [samples/(s·MJ)]";
    }
    const std::string unit = unitText(panel.left.siUnit);
    if (set.role == SetRole::Gpu)
        return set.key + unit;
    if (set.role == SetRole::KernelCategory)
        return set.key + (unit.empty() ? "_share" : unit);
    return panel.left.metric + "_" + set.key + unit;
}

// True where bars of one run, stage and rank stand beside each other, as captures and calls do:
// their labels tell them apart.
bool hasBarsOfOneRun(const FigureData& data) {
    for (const FigurePanel& panel : data.panels) {
        std::set<std::tuple<std::size_t, int, int>> known;
        for (const FigureCategory& category : panel.categories) {
            const std::tuple key(
                category.run.value_or(0), category.stage.value_or(-1), category.rank.value_or(-1));
            if (category.run && !known.insert(key).second)
                return true;
        }
    }
    return false;
}

// One line per run, stage, rank or bar; panels add their columns.
void panelLines(const FigureData& data, std::string& out) {
    // Run, stage, rank, bar.
    using Key = std::tuple<std::size_t, int, int, std::size_t>;
    struct Line {
        std::string label;
        std::map<std::string, double> values;
    };
    const bool isByBar = hasBarsOfOneRun(data);
    std::vector<std::string> columns;
    std::map<Key, Line> lines;
    for (const FigurePanel& panel : data.panels) {
        for (const auto& set : panel.sets) {
            const std::string name = columnName(panel, set);
            if (std::ranges::find(columns, name) == columns.end())
                columns.push_back(name);
            for (std::size_t i = 0; i < panel.categories.size(); ++i) {
                const FigureCategory& category = panel.categories[i];
                auto& line = lines[{category.run.value_or(0), category.stage.value_or(-1),
                    category.rank.value_or(-1), isByBar ? i : 0}];
                line.label = category.label;
                if (set.values[i])
                    line.values[name] = *set.values[i];
            }
        }
    }
    Cells titles = kRunTitles;
    titles.insert(titles.end(), {"stage", "rank"});
    if (isByBar)
        titles.emplace_back("bar");
    titles.insert(titles.end(), columns.begin(), columns.end());
    text::addCsvLine(out, titles);
    for (const auto& [key, line] : lines) {
        const auto& [run, stage, rank, bar] = key;
        Cells cells = runCells(data.runs[run]);
        cells.insert(cells.end(), {index(stage), index(rank)});
        if (isByBar)
            cells.emplace_back(line.label);
        for (const auto& name : columns) {
            const auto value = line.values.find(name);
            cells.push_back(value == line.values.end() ? text::Cell() : text::Cell(value->second));
        }
        text::addCsvLine(out, cells);
    }
}

// The curve's points, then the lines; a line's harmonic is that of the iteration frequency.
void spectrumLines(const FigureData& data, std::string& out) {
    out += "run,kind,frequency [Hz],amplitude [W],harmonic\n";
    for (const auto& spectrum : data.spectra) {
        const std::string& run = data.runs[spectrum.run].name;
        for (std::size_t i = 0; i < spectrum.frequencyHz.size(); ++i)
            text::addCsvLine(
                out, {run, "bin", spectrum.frequencyHz[i], spectrum.amplitudeW[i], {}});
        for (const auto& line : spectrum.lines)
            text::addCsvLine(out,
                {run, "line", line.frequencyHz, line.amplitudeW,
                    line.harmonic > 0 ? text::Cell(line.harmonic) : text::Cell()});
    }
}

} // namespace

std::string figureCsv(const FigureData& data) {
    std::string out;
    if (!data.heatmaps.empty())
        heatmapLines(data, out);
    if (!data.panels.empty())
        panelLines(data, out);
    if (!data.spectra.empty())
        spectrumLines(data, out);
    return out;
}

} // namespace trainscope::plot
