#include "core/figures/runs/RunFigures.h"

#include "core/model/AsciiText.h"

namespace trainscope::figures {

using namespace plot;

namespace {

using RunOption = OptionOf<FigureQuery>;

// In the order of lists and reports.
constexpr std::array kRunFigures{FigureKind::ParallelismSweep, FigureKind::OptimizationSweep,
    FigureKind::MicrobatchSweep, FigureKind::Heatmap, FigureKind::Kernels,
    FigureKind::StageBreakdown, FigureKind::Spectrum, FigureKind::History};

bool isSweep(FigureKind kind) {
    return kind == FigureKind::ParallelismSweep || kind == FigureKind::OptimizationSweep
        || kind == FigureKind::MicrobatchSweep;
}

RunOption metricOption() {
    return listOption<FigureQuery>(
        {"metric", "M", "A panel for this metric", true, "Metric"}, &FigureQuery::metrics);
}

// Sweeps show mean and peak where none is chosen, a heat map what is usual for its metric.
RunOption runStatisticOption() {
    auto option = statisticOption<FigureQuery>(
        {"statistic", "S",
            "mean, peak, p99, min, total (counters) or energy; without, as usual for the metric, "
            "of sweeps mean and peak",
            false, "Statistic"},
        &FigureQuery::statistic);
    option.choicesNow = [](const FigureQuery& query) {
        auto choices = figureStatistics(
            query.metrics.empty() ? std::string(metric::kGpuPower) : query.metrics.front());
        if (isSweep(query.kind))
            choices.insert(choices.begin(), {"", "Mean and peak"});
        return choices;
    };
    return option;
}

RunOption logOption(std::string_view tip) {
    return switchOption<FigureQuery>(
        {"log", {}, "Logarithmic colours or amplitudes", false, "Log", tip},
        &FigureQuery::logScale);
}

RunOption perOption() {
    return choiceOption<FigureQuery, KernelsPer>(
        {"per", "P", "A bar of kernels per run, capture, stage or rank; auto: what tells most",
            false, "A bar for each"},
        "division",
        {{KernelsPer::Auto, "auto", "Automatic"}, {KernelsPer::Run, "run", "Run"},
            {KernelsPer::Capture, "capture", "Capture"},
            {KernelsPer::Stage, "stage", "Pipeline stage"}, {KernelsPer::Rank, "rank", "Rank"}},
        &FigureQuery::per);
}

RunOption normaliseOption(std::string_view title, std::string_view tip) {
    return switchOption<FigureQuery>(
        {"normalise", {}, "Stacks as shares of their sum; efficiency relative to the first", false,
            title, tip},
        &FigureQuery::normalise);
}

RunOption categoriesOption() {
    return textOption<FigureQuery>(
        {"categories", "TABLE", "Kernel categories: default, charllm, or a JSON file", false,
            "Categories", "The table that tells the kernels apart",
            {{"default", "Trainscope"}, {"charllm", "CharLLM-PPT"}}},
        &FigureQuery::categories);
}

// Offered by the window where figures stand beside each other by something else.
RunOption optimisationOption(FigureKind kind) {
    const bool isOffered = isSweep(kind) && kind != FigureKind::OptimizationSweep;
    return textOption<FigureQuery>(
        {"optimization", "O", "Only runs with base, cc (overlap), act (recomputation) or cc+act",
            false, isOffered ? "Runs with" : "", {},
            {{"", "Any optimisation"}, {"base", "No optimisation"}, {"cc", "Overlap"},
                {"act", "Recomputation"}, {"cc+act", "Overlap and recomputation"}}},
        &FigureQuery::optimisation);
}

std::vector<RunOption> ownOptions(FigureKind kind) {
    switch (kind) {
    case FigureKind::ParallelismSweep:
    case FigureKind::OptimizationSweep:
    case FigureKind::MicrobatchSweep:
        return {metricOption(), runStatisticOption(),
            normaliseOption("Relative", "Efficiency relative to the first run")};
    case FigureKind::Heatmap:
        return {metricOption(), runStatisticOption(), logOption("Logarithmic colours, for bytes")};
    case FigureKind::Kernels:
    case FigureKind::StageBreakdown:
        return {perOption(), normaliseOption("Shares", "Every bar as shares of its sum"),
            categoriesOption()};
    case FigureKind::History:
        return {};
    case FigureKind::Spectrum:
        break;
    }
    return {logOption("Logarithmic amplitudes")};
}

Options<FigureQuery> optionsOf(FigureKind kind) {
    auto all = ownOptions(kind);
    all.push_back(textOption<FigureQuery>(
        {"model", "M", "Only runs of models whose name contains this"}, &FigureQuery::model));
    all.push_back(optimisationOption(kind));
    all.push_back(switchOption<FigureQuery>(
        {"whole-run", {}, "Warm-up and unsettled time too; without, steady iterations only"},
        &FigureQuery::wholeRun));
    return all;
}

Status checkMetrics(const store::Store& store, const FigureQuery& query) {
    ASSIGN_OR_RETURN(const auto metrics, figureMetrics(store, query.runs));
    for (const auto& name : query.metrics) {
        std::string known;
        bool isKnown = false;
        for (const auto& choice : metrics) {
            isKnown = isKnown || choice.key == name;
            known += (known.empty() ? "" : ", ") + choice.key;
        }
        if (!isKnown)
            return Error{ErrorCode::NotFound,
                "The runs have no metric '" + name + "'. They have: " + known + ".", {}};
    }
    return {};
}

// A statistic that is chosen fits all metrics; energy needs no other word.
Status checkStatistics(FigureQuery& query) {
    if (!query.statistic)
        return {};
    if (query.statistic == FigureStatistic::Energy && query.metrics.empty())
        query.metrics.emplace_back(metric::kGpuPower);
    for (const auto& metric : query.metrics)
        RETURN_IF_ERROR(checkStatistic(*query.statistic, metric));
    return {};
}

Result<Figure> loadKind(
    const analysis::RunStudies& studies, const Request& request, FigureQuery query) {
    for (const Run& run : request.runs)
        query.runs.push_back(run.id);
    RETURN_IF_ERROR(checkStatistics(query));
    RETURN_IF_ERROR(checkMetrics(studies.store, query));
    ASSIGN_OR_RETURN(auto data, loadFigure(studies, query));
    return runFigure(std::make_shared<const FigureData>(std::move(data)));
}

Kind runKind(FigureKind kind) {
    FigureQuery usual;
    usual.kind = kind;
    Kind made = kindWith(toString(kind), RunsShown::Named, runOptions(kind), loadKind, usual);
    made.inReport = [kind](std::size_t runs) -> std::optional<OptionValues> {
        if (isSweep(kind) && runs < 2)
            return std::nullopt;
        return runOptions(kind).given(FigureQuery());
    };
    return made;
}

// A bar by stage that stands alone compares nothing, nor does a map of runs with one GPU; ranks in
// place of stages that nobody stated are no stages.
bool isOfOne(const FigureData& data) {
    std::size_t most = 0;
    for (const auto& map : data.heatmaps)
        most = std::max(most, map.columns.size());
    for (const auto& panel : data.panels) {
        std::set<std::optional<int>> stages;
        for (const FigureCategory& one : panel.categories)
            stages.insert(one.stage);
        stages.erase(std::nullopt);
        most = std::max(most,
            data.query.kind != FigureKind::StageBreakdown ? panel.categories.size()
                                                          : stages.size());
    }
    return data.spectra.empty() && most <= 1;
}

} // namespace

Figure runFigure(const std::shared_ptr<const FigureData>& data) {
    Figure figure{toString(data->query.kind), data->title,
        data->isEmpty() ? data->emptyText : std::string(), {}, {}, {}, {}};
    for (const auto& run : data->runs)
        figure.runs.emplace_back(run.id, run.name);
    figure.draw = drawing(data, [](const FigureData& drawn, const FigureStyle& style) {
        Picture picture = buildFigure(drawn, style);
        if (style.height > 0.0 && style.height < 0.8 * picture.preferredHeight)
            picture.warnings.push_back(
                fmt::format("The figure wants to be {:.0f} mm high; lower, its labels are thinned "
                            "out or touch.",
                    picture.preferredHeight * 25.4 / 72.0));
        return picture;
    });
    figure.csv = [data] { return figureCsv(*data); };
    figure.isOfOne = isOfOne(*data);
    return figure;
}

const Options<FigureQuery>& runOptions(FigureKind kind) {
    static const std::map<FigureKind, Options<FigureQuery>> all = [] {
        std::map<FigureKind, Options<FigureQuery>> made;
        for (const FigureKind one : kRunFigures)
            made.emplace(one, optionsOf(one));
        return made;
    }();
    return all.at(kind);
}

std::vector<Kind> runFigureKinds() {
    std::vector<Kind> all;
    for (const FigureKind kind : kRunFigures)
        all.push_back(runKind(kind));
    return all;
}

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
    const auto sentence = [](const std::string& text) {
        return capitalised(text) + (text.empty() || text.back() == '.' ? "" : ".");
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
    using Of = analysis::SubjectStatistics;
    using Field = std::optional<double> Of::*;
    // By the statistic; energy is none of a single metric.
    constexpr std::array<Field, namesOf(FigureStatistic{}).size()> fields{
        &Of::mean, &Of::max, &Of::p99, &Of::min, &Of::total, nullptr, &Of::first, &Of::last};
    const Field field = fields[static_cast<std::size_t>(statistic)];
    return field == nullptr ? std::nullopt : statistics.*field;
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
        case FigureKind::History:
            return loadHistory;
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
