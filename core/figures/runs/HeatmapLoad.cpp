#include "core/figures/runs/RunFigures.h"
#include "core/text/Times.h"

namespace trainscope::figures {

using namespace plot;

namespace {

struct ReadRun {
    analysis::SteadyState window;
    analysis::RunSummary summary;
    std::string note; // right of its row
};

std::string durationNote(DurationNs duration) {
    return duration.ns <= 0 ? std::string() : text::duration(duration, text::Digits::Three);
}

// The values of one run by rank, or by node.
std::map<int, double> valuesOf(
    const analysis::RunSummary& summary, const FigureHeatmap& heatmap, const std::string& metric) {
    std::map<int, double> values;
    const auto put = [&values](int subject, const std::optional<double>& value) {
        if (value)
            values[subject] = *value;
    };
    if (!heatmap.byNode) {
        for (const auto& gpu : summary.gpus)
            put(gpu.gpu.rank, statisticOf(gpu, metric, heatmap.statistic));
        return values;
    }
    for (const auto& node : summary.nodes) {
        if (const auto found = node.metrics.find(metric); found != node.metrics.end())
            put(node.node, statisticOf(found->second, heatmap.statistic));
    }
    return values;
}

// Node of each rank of the run, or of each node by itself.
std::map<int, int> nodesOf(const analysis::RunSummary& summary, bool byNode) {
    std::map<int, int> nodes;
    for (const auto& gpu : summary.gpus)
        nodes[byNode ? gpu.gpu.node : gpu.gpu.rank] = gpu.gpu.node;
    for (const auto& node : summary.nodes) {
        if (byNode)
            nodes[node.node] = node.node;
    }
    return nodes;
}

bool gpusHave(const std::vector<ReadRun>& runs, const std::string& metric) {
    return std::ranges::any_of(runs, [&](const ReadRun& run) {
        return std::ranges::any_of(
            run.summary.gpus, [&](const auto& gpu) { return gpu.metrics.contains(metric); });
    });
}

FigureHeatmap::Row rowOf(std::size_t index, const ReadRun& run, const FigureHeatmap& heatmap,
    const std::map<int, double>& values) {
    FigureHeatmap::Row row;
    row.run = index;
    const std::map<int, int> nodes = nodesOf(run.summary, heatmap.byNode);
    for (const int column : heatmap.columns) {
        const auto value = values.find(column);
        row.values.push_back(
            value == values.end() ? std::nullopt : std::optional<double>(value->second));
        const auto node = nodes.find(column);
        row.nodes.push_back(node == nodes.end() ? -1 : node->second);
    }
    row.note = run.note;
    return row;
}

FigureAxis scaleOf(
    const FigureData& data, const FigureHeatmap& heatmap, const Metric& metric, bool log) {
    std::vector<double> values;
    for (const auto& row : heatmap.rows) {
        if (data.runs[row.run].status == RunStatus::Oom)
            continue;
        for (const auto& value : row.values) {
            if (value && (!log || *value > 0.0))
                values.push_back(*value);
        }
    }
    FigureAxis axis = colourScale(metric, heatmap.statistic, values);
    axis.log = log && !values.empty();
    return axis;
}

// Windows of the runs that any heat map has values of.
std::vector<analysis::SteadyState> shownWindows(
    const std::vector<ReadRun>& runs, const FigureData& data) {
    std::vector<analysis::SteadyState> windows;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto isOfIt = [run](const FigureHeatmap::Row& row) { return row.run == run; };
        const bool isShown
            = std::ranges::any_of(data.heatmaps, [&isOfIt](const FigureHeatmap& heatmap) {
                  return std::ranges::any_of(heatmap.rows, isOfIt);
              });
        if (isShown && data.runs[run].status != RunStatus::Oom)
            windows.push_back(runs[run].window);
    }
    return windows;
}

// By the statistic that the query asks for; none where no run has values of the metric.
void addHeatmap(const std::vector<ReadRun>& runs, FigureData& data, const std::string& name) {
    FigureHeatmap heatmap;
    heatmap.statistic = data.query.statistic.value_or(usualStatistic(name));
    heatmap.byNode = heatmap.statistic != FigureStatistic::Energy && !gpusHave(runs, name);
    std::vector<std::map<int, double>> values;
    std::set<int> columns;
    Metric metric{name, "1", MetricKind::Gauge, name};
    for (const auto& run : runs) {
        values.push_back(valuesOf(run.summary, heatmap, name));
        if (const auto found = run.summary.metrics.find(name); found != run.summary.metrics.end())
            metric = found->second.metric;
        for (const auto& [subject, value] : values.back())
            columns.insert(subject);
    }
    if (columns.empty())
        return;
    std::size_t without = 0;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        // A run out of memory is shown as such; one without the metric has nothing to say.
        const bool isOom = data.runs[i].status == RunStatus::Oom;
        if (values[i].empty() && !isOom)
            ++without;
        else
            shown.push_back(i);
    }
    // Ranks without values have a column, too, or the others would seem to be all.
    for (const std::size_t i : shown) {
        if (values[i].empty())
            continue;
        for (const auto& [subject, node] : nodesOf(runs[i].summary, heatmap.byNode))
            columns.insert(subject);
    }
    heatmap.columns.assign(columns.begin(), columns.end());
    for (const std::size_t i : shown)
        heatmap.rows.push_back(rowOf(i, runs[i], heatmap, values[i]));
    if (without > 0)
        data.notes.push_back(fmt::format("{} of {} {} no {} and {} left out.", without,
            text::counted(std::ssize(runs), "run"), without == 1 ? "has" : "have",
            statisticTitle(name, heatmap.statistic), without == 1 ? "is" : "are"));
    heatmap.scale = scaleOf(data, heatmap, metric, data.query.logScale);
    data.heatmaps.push_back(std::move(heatmap));
}

} // namespace

Status loadHeatmap(const FigureContext& context, FigureData& data) {
    ASSIGN_OR_RETURN(auto subjects, figureSubjects(context.studies.store, context.query));
    auto metrics = context.query.metrics;
    if (metrics.empty())
        metrics.emplace_back(metric::kGpuTemperature);
    std::vector<ReadRun> runs;
    for (const auto& subject : subjects) {
        ASSIGN_OR_RETURN(auto window, windowOf(context.query, context.studies.of(subject.run)));
        ASSIGN_OR_RETURN(auto summary,
            analysis::summarise(context.studies.of(subject.run), {window.window, metrics}));
        runs.push_back(
            {std::move(window), std::move(summary), durationNote(subject.run.range.length())});
        data.runs.push_back(subject.named);
    }
    for (const auto& metric : metrics)
        addHeatmap(runs, data, metric);
    data.caption = windowCaption(shownWindows(runs, data), context.query);
    if (data.heatmaps.empty())
        data.emptyText = fmt::format("No run of this database has values of {}.", metrics.front());
    else
        data.title = commonTitle(subjects);
    return {};
}

} // namespace trainscope::figures
