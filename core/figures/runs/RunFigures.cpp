#include "core/figures/runs/RunFigures.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::figures {

using namespace plot;

Result<analysis::SteadyState> windowOf(const FigureQuery& query, const analysis::RunStudy& study) {
    analysis::SteadyState whole;
    if (!query.wholeRun) {
        ASSIGN_OR_RETURN(auto steady, analysis::steadyStateOf(study));
        if (!steady.isWholeRun)
            return steady;
        whole.wording = std::move(steady.wording);
    }
    whole.window = kAllTime;
    return whole;
}

std::string windowCaption(
    const std::vector<analysis::SteadyState>& windows, const FigureQuery& query) {
    const auto whole = static_cast<std::size_t>(
        std::ranges::count_if(windows, &analysis::SteadyState::isWholeRun));
    const auto sentence = [](std::string text) {
        if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
            text.front() = static_cast<char>(text.front() - 'a' + 'A');
        return text.empty() || text.back() == '.' ? text : text + ".";
    };
    if (windows.size() == 1 && !windows.front().wording.empty())
        return sentence(windows.front().wording);
    if (query.wholeRun || whole == windows.size())
        return "Over the whole of each run.";
    if (whole == 0)
        return "Over the steady part of each run; warm-up and unsettled time are left out.";
    return fmt::format("Over the steady part of each run, warm-up and unsettled time left out; {} "
                       "of {}, in which none is known, {} shown whole.",
        whole, text::counted(std::ssize(windows), "run"), whole == 1 ? "is" : "are");
}

std::optional<double> statisticOf(
    const analysis::SubjectStatistics& statistics, FigureStatistic statistic) {
    switch (statistic) {
    case FigureStatistic::Mean:
        return statistics.mean;
    case FigureStatistic::Peak:
        return statistics.max;
    case FigureStatistic::P99:
        return statistics.p99;
    case FigureStatistic::Min:
        return statistics.min;
    case FigureStatistic::Total:
        return statistics.total;
    case FigureStatistic::First:
        return statistics.first;
    case FigureStatistic::Last:
        return statistics.last;
    case FigureStatistic::Energy:
        break;
    }
    return std::nullopt;
}

std::optional<double> statisticOf(
    const analysis::GpuSummary& gpu, const std::string& metric, FigureStatistic statistic) {
    if (statistic == FigureStatistic::Energy)
        return gpu.energy ? std::optional(gpu.energy->joules) : std::nullopt;
    const auto found = gpu.metrics.find(metric);
    return found == gpu.metrics.end() ? std::nullopt : statisticOf(found->second, statistic);
}

FigureAxis colourScale(
    const Metric& metric, FigureStatistic statistic, const std::vector<double>& values) {
    FigureAxis axis = axisOf(statisticTitle(metric.name, statistic), metric.name,
        statisticUnit(metric, statistic), values, false);
    if (values.empty())
        return axis;
    const auto [least, greatest] = std::ranges::minmax_element(values);
    if (*least < *greatest)
        axis.range = {*least, *greatest};
    return axis;
}

std::optional<double> statisticOf(
    const analysis::RunSummary& summary, const std::string& metric, FigureStatistic statistic) {
    if (statistic == FigureStatistic::Energy)
        return summary.energy ? std::optional(summary.energy->joules) : std::nullopt;
    const auto found = summary.metrics.find(metric);
    return found == summary.metrics.end() ? std::nullopt
                                          : statisticOf(found->second.all, statistic);
}

Result<FigureData> loadFigure(const analysis::RunStudies& studies, const FigureQuery& query) {
    FigureData data;
    data.query = query;
    const FigureContext context{studies, query};
    const auto load = [&query] {
        switch (query.kind) {
        case FigureKind::Heatmap:
            return loadHeatmap;
        case FigureKind::Kernels:
        case FigureKind::StageBreakdown:
            return loadKernels;
        case FigureKind::Spectrum:
            return loadSpectrum;
        default:
            return loadSweep;
        }
    }();
    RETURN_IF_ERROR(load(context, data));
    return data;
}

Result<std::vector<FigureChoice>> figureMetrics(
    const store::Store& store, const std::vector<RunId>& runs) {
    std::map<std::string, std::string> titles;
    ASSIGN_OR_RETURN(const auto all, store.runs());
    for (const Run& run : all) {
        if (!runs.empty() && std::ranges::find(runs, run.id) == runs.end())
            continue;
        ASSIGN_OR_RETURN(const auto series, store.series(run.id));
        for (const Series& one : series) {
            const Metric& metric = one.description.metric;
            if (isShared(metric.kind))
                continue;
            titles.try_emplace(metric.name, metric.label.empty() ? metric.name : metric.label);
        }
    }
    std::vector<FigureChoice> choices;
    const auto take = [&](const std::string& name) {
        if (const auto found = titles.find(name); found != titles.end()) {
            choices.push_back({name, found->second});
            titles.erase(found);
        }
    };
    for (const Metric& metric : metricRegistry())
        take(metric.name);
    for (const auto& [name, title] : titles)
        choices.push_back({name, title});
    return choices;
}

} // namespace trainscope::figures
