#include "core/figures/runs/FigureRuns.h"

#include "core/analysis/machine/RunLayout.h"
#include "core/catalogue/GpuGuess.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"
#include "core/text/Names.h"

#include <fmt/format.h>

#include <tuple>

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr std::array<std::string_view, 5> kOptimisations{"", "base", "cc", "act", "cc+act"};

std::string_view lastPart(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

// The 3 of "gpt3-175b_3_01000"; empty for other names.
std::string_view layoutIndex(std::string_view name) {
    name = lastPart(name);
    const std::size_t last = name.rfind('_');
    if (last == std::string_view::npos || last == 0)
        return {};
    const std::size_t first = name.rfind('_', last - 1);
    if (first == std::string_view::npos)
        return {};
    const std::string_view index = name.substr(first + 1, last - first - 1);
    const bool isNumber
        = !index.empty() && index.find_first_not_of("0123456789") == std::string_view::npos;
    return isNumber ? index : std::string_view();
}

// GPU model that the run's source or the user names; else empty.
std::string toldModel(const Run& run) {
    return catalogue::isInferredName(run.gpuModel) ? std::string() : run.gpuModel;
}

// Without the vendor: "H200", whatever the source of the name.
std::string shortGpuModel(std::string_view model) {
    for (const std::string_view vendor : {"NVIDIA ", "AMD Instinct ", "AMD "}) {
        if (model.starts_with(vendor))
            model.remove_prefix(vendor.size());
    }
    return std::string(model);
}

std::string clusterOf(const Run& run) {
    return catalogue::gpusText(std::max(run.gpuCount, run.worldSize), shortGpuModel(run.gpuModel));
}

// A run whose GPU nobody named, inferred or not, is of the cluster of the others, where these are
// of one.
void fillUnknownClusters(std::vector<FigureSubject>& subjects) {
    std::set<std::string> models;
    for (const auto& subject : subjects)
        models.insert(shortGpuModel(toldModel(subject.run)));
    if (models.size() != 2 || !models.contains(""))
        return;
    for (auto& subject : subjects) {
        Run anonymous = subject.run;
        anonymous.gpuModel.clear();
        subject.named.cluster = clusterOf(anonymous);
    }
}

std::size_t optimisationRank(std::string_view optimisation) {
    return static_cast<std::size_t>(
        std::ranges::find(kOptimisations, optimisation) - kOptimisations.begin());
}

bool naturally(const FigureSubject& a, const FigureSubject& b) {
    const FigureRun& x = a.named;
    const FigureRun& y = b.named;
    if (const auto order = text::naturalOrder(x.model, y.model); order != 0)
        return order < 0;
    if (const auto order = text::naturalOrder(x.cluster, y.cluster); order != 0)
        return order < 0;
    // Sharded data parallelism is the alternative to the others and comes behind them.
    const bool xSharded = x.layout.ends_with("FSDP");
    const bool ySharded = y.layout.ends_with("FSDP");
    if (xSharded != ySharded)
        return ySharded;
    if (const auto order = text::naturalOrder(x.layout, y.layout); order != 0)
        return order < 0;
    const auto rest = [](const FigureRun& run) {
        return std::tuple(run.microBatch.value_or(0), optimisationRank(run.optimisation));
    };
    if (rest(x) != rest(y))
        return rest(x) < rest(y);
    return text::naturalOrder(x.name, y.name) < 0;
}

bool keepsOrder(FigureKind kind) {
    return kind == FigureKind::Heatmap || kind == FigureKind::Kernels
        || kind == FigureKind::Spectrum;
}

Result<std::vector<Run>> runsAskedFor(const store::Store& store, const FigureQuery& query) {
    if (query.runs.empty())
        return store.runs();
    std::vector<Run> chosen;
    for (const RunId id : query.runs) {
        ASSIGN_OR_RETURN(auto run, runOf(store, id));
        chosen.push_back(std::move(run));
    }
    return chosen;
}

// Adds the degrees that the process groups of the traces, or the run's name, tell, where the launch
// says none.
Result<Run> withLayout(const store::Store& store, Run run) {
    if (!layoutLabel(run.launch).empty())
        return run;
    ASSIGN_OR_RETURN(const auto found, analysis::fittingLayout({store, run}));
    if (!found)
        return run;
    const layout::LayoutRequest& request = found->told.request;
    run.launch.tensorParallel = request.tensor;
    run.launch.pipelineParallel = request.pipeline;
    run.launch.contextParallel = request.context;
    run.launch.expertParallel = request.expert;
    run.launch.virtualPipeline = request.virtualStages;
    run.launch.fsdp = request.fsdp;
    run.launch.zeroStage = request.zeroStage;
    return run;
}

// Facts that may tell runs apart, in the order in which they are said.
using Facet = std::function<std::string(const FigureRun&)>;
const std::array<Facet, 5>& facets() {
    static const std::array<Facet, 5> all{
        [](const FigureRun& run) { return run.model; },
        [](const FigureRun& run) { return run.cluster; },
        [](const FigureRun& run) { return run.layout; },
        [](const FigureRun& run) {
            return run.microBatch ? fmt::format("mbs {}", *run.microBatch) : std::string();
        },
        [](const FigureRun& run) { return run.optimisation; },
    };
    return all;
}

bool differs(const std::vector<FigureSubject>& subjects, const Facet& facet) {
    return std::ranges::any_of(subjects, [&](const FigureSubject& subject) {
        return facet(subject.named) != facet(subjects.front().named);
    });
}

} // namespace

std::string layoutLabel(const LaunchConfig& launch) {
    if (!launch.tensorParallel && !launch.pipelineParallel)
        return {};
    std::string label;
    const auto add = [&label](std::string_view key, std::optional<int> degree, bool always) {
        if (degree && (always || *degree > 1))
            label += fmt::format("{}{}{}", label.empty() ? "" : "-", key, *degree);
    };
    add("EP", launch.expertParallel, false);
    add("TP", launch.tensorParallel.value_or(1), true);
    add("CP", launch.contextParallel, false);
    const bool isSharded = launch.fsdp.value_or(false) || launch.zeroStage.value_or(0) == 3;
    add("PP", launch.pipelineParallel.value_or(1), !isSharded);
    add("VPP", launch.virtualPipeline, false);
    return isSharded ? label + "-FSDP" : label;
}

std::string optimisationLabel(const LaunchConfig& launch) {
    if (!launch.overlap || !launch.recompute)
        return {};
    const std::size_t index = (*launch.overlap ? 1U : 0U) + (*launch.recompute ? 2U : 0U);
    return std::string(kOptimisations[1 + index]);
}

FigureRun nameOf(const Run& run) {
    FigureRun named;
    named.id = run.id;
    named.name = run.name;
    named.status = run.status;
    named.model = run.launch.model.value_or("");
    named.cluster = clusterOf(run);
    named.layout = layoutLabel(run.launch);
    if (const auto index = layoutIndex(run.name); named.layout.empty() && !index.empty())
        named.layout = fmt::format("layout {}", index);
    if (named.layout.empty())
        named.layout = std::string(lastPart(run.name));
    named.optimisation = optimisationLabel(run.launch);
    named.microBatch = run.launch.microBatch;
    return named;
}

Result<Run> runOf(const store::Store& store, RunId id) {
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    const auto found = std::ranges::find(runs, id, &Run::id);
    if (found == runs.end())
        return Error{ErrorCode::NotFound,
            "A run that the figure asks for is no longer in the database.", store.path().string()};
    return *found;
}

Result<std::vector<FigureSubject>> figureSubjects(
    const store::Store& store, const FigureQuery& query) {
    ASSIGN_OR_RETURN(const auto runs, runsAskedFor(store, query));
    std::vector<FigureSubject> subjects;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(const auto placed, withLayout(store, run));
        FigureSubject subject{run, nameOf(placed)};
        const bool fits = query.model.empty()
            || subject.named.model.find(query.model) != std::string::npos
            || (subject.named.model.empty() && run.name.find(query.model) != std::string::npos);
        if (fits)
            subjects.push_back(std::move(subject));
    }
    fillUnknownClusters(subjects);
    const auto isOther = [&query](const FigureSubject& subject) {
        return subject.named.optimisation != query.optimisation;
    };
    if (!query.optimisation.empty() && !std::ranges::all_of(subjects, isOther))
        std::erase_if(subjects, isOther);
    if (query.runs.empty() || !keepsOrder(query.kind))
        std::ranges::stable_sort(subjects, naturally);
    labelRuns(subjects);
    return subjects;
}

void labelRuns(std::vector<FigureSubject>& subjects) {
    if (subjects.empty())
        return;
    std::map<std::string, int> uses;
    for (auto& subject : subjects) {
        std::string label;
        for (const auto& facet : facets()) {
            const std::string text = facet(subject.named);
            if (!text.empty() && differs(subjects, facet))
                label += (label.empty() ? "" : " · ") + text;
        }
        subject.named.label = label.empty() ? subject.named.layout : label;
        ++uses[subject.named.label];
    }
    std::vector<text::Named> names;
    for (const auto& subject : subjects)
        names.push_back({subject.named.name, {}});
    const auto telling = text::tellingNames(names);
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        if (uses[subjects[i].named.label] > 1)
            subjects[i].named.label = telling[i];
    }
}

std::string commonTitle(const std::vector<FigureSubject>& subjects) {
    std::string title;
    for (const auto& facet : facets()) {
        if (subjects.empty() || differs(subjects, facet))
            continue;
        if (const std::string text = facet(subjects.front().named); !text.empty())
            title += (title.empty() ? "" : " · ") + text;
    }
    return title;
}

std::string groupLabel(const FigureRun& run, const std::vector<FigureSubject>& all) {
    std::string label;
    if (differs(all, facets()[0]))
        label = run.model.empty() ? "model not stated" : run.model;
    if (differs(all, facets()[1])) {
        // Clusters matter where one model ran on several.
        const bool several = std::ranges::any_of(all, [&run](const auto& other) {
            return other.named.model == run.model && other.named.cluster != run.cluster;
        });
        if (several)
            label += (label.empty() ? "" : ", ") + run.cluster;
    }
    return label;
}

} // namespace trainscope::figures
