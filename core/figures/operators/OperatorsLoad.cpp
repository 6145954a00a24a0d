#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/TreeMerge.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/catalogue/GpuModel.h"
#include "core/catalogue/Tables.h"
#include "core/figures/operators/OperatorsFigure.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/plot/TextFit.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Times.h"
#include "core/work/TracedWork.h"

namespace trainscope::figures {

using namespace plot;

namespace {

using analysis::CallNode;
using analysis::CallTree;
using analysis::OperatorEntry;
using analysis::OperatorGrouping;
using analysis::StepPass;

// The pass and the category of kernels that most of the work of a name, or of a name and its
// shapes, belongs to.
class MainParts {
public:
    MainParts(const plot::CalledWork& work, OperatorGrouping grouping)
        : m_withSignature(grouping == OperatorGrouping::Shape) {
        if (grouping != OperatorGrouping::Shape && grouping != OperatorGrouping::Operator)
            return;
        const auto& nodes = work.tree.nodes;
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            if (nodes[i].sums.ownWorks > 0)
                m_passes[keyOf(work.tree, nodes[i])][nodes[i].pass] += nodes[i].sums.ownTime.ns;
            if (analysis::isWork(nodes[i].kind))
                m_categories[keyOf(work.tree, nodes[nodes[i].parent])][work.categories[i]]
                    += nodes[i].sums.time.ns;
        }
    }

    [[nodiscard]] StepPass passOf(const OperatorEntry& row) const {
        return longest(m_passes, keyOf(row), row.pass);
    }
    [[nodiscard]] std::string categoryOf(const OperatorEntry& row) const {
        return longest(m_categories, keyOf(row), std::string());
    }

private:
    using PartKey = std::pair<std::string, std::string>;
    template <typename Part>
    using Times = std::map<PartKey, std::map<Part, std::int64_t>>;

    [[nodiscard]] PartKey keyOf(const CallTree& tree, const CallNode& node) const {
        return {tree.names[node.name],
            m_withSignature ? tree.signatures[node.signature] : std::string()};
    }
    [[nodiscard]] PartKey keyOf(const OperatorEntry& row) const {
        return {row.name, m_withSignature ? row.signature : std::string()};
    }
    template <typename Part>
    static Part longest(const Times<Part>& times, const PartKey& key, Part otherwise) {
        const auto found = times.find(key);
        if (found == times.end())
            return otherwise;
        return std::ranges::max_element(found->second, [](const auto& one, const auto& other) {
            return one.second < other.second;
        })->first;
    }

    bool m_withSignature;
    Times<StepPass> m_passes;
    Times<std::string> m_categories;
};

plot::OperatorsHead headOf(const OperatorsReading& reading, std::string_view what) {
    plot::OperatorsHead head;
    head.run = reading.query.run;
    head.runName = reading.runName;
    head.rank = reading.query.rank;
    head.title = fmt::format("{} · {}", what, reading.runName);
    if (reading.query.rank)
        head.title += fmt::format(" · rank {}", *reading.query.rank);
    head.emptyText = reading.emptyText();
    head.notes = reading.notes();
    if (!reading.work)
        return head;
    const analysis::FrameSums& all = reading.work->tree.nodes.front().sums;
    head.isOfHost = reading.work->tree.isOfHost;
    head.caption
        = fmt::format("{} of {} in {}", text::duration(all.time), plot::timeTitle(head.isOfHost),
            head.isOfHost ? text::counted(all.works, "call")
                          : text::counted(all.works, "kernel or copy", "kernels and copies"));
    if (!reading.windowText.empty())
        head.caption += ", " + reading.windowText;
    if (!reading.query.rank && reading.ranks.size() > 1)
        head.caption += ", ranks " + text::rankList(reading.ranks);
    if (!reading.gpuModel.empty())
        head.caption += ", " + reading.gpuModel;
    head.caption += ".";
    return head;
}

std::string whyNoRoofline(const OperatorsReading& reading) {
    const CallTree& tree = reading.work->tree;
    if (std::string gap = plot::gapText(tree.hasHost, tree.hasShapes, true, {}); !gap.empty())
        return gap;
    return "No operator of this part has FLOP and bytes that are known.";
}

// Those of fp32 only where something computes so.
std::vector<plot::Roof> roofsOf(const catalogue::GpuModel& gpu, const CallTree& tree) {
    std::vector<plot::Roof> roofs;
    const auto add = [&roofs](const char* name, const std::optional<double>& peak) {
        if (!peak)
            return;
        const auto same = std::ranges::find(roofs, *peak, &plot::Roof::flopPerSecond);
        if (same == roofs.end())
            roofs.push_back({name, *peak});
        else
            same->name += std::string(", ") + name;
    };
    add("BF16", gpu.bf16Flops);
    add("FP16", gpu.fp16Flops);
    add("FP8", gpu.fp8Flops);
    const auto computes = [&tree](work::SinglePrecision precision) {
        return std::ranges::any_of(tree.nodes, [&](const CallNode& node) {
            return node.kind == analysis::FrameKind::Kernel
                && work::singlePrecisionOf(tree.names[node.name]) == precision;
        });
    };
    if (computes(work::SinglePrecision::Tf32))
        add("TF32", gpu.tf32Flops);
    if (computes(work::SinglePrecision::Full))
        add("FP32", gpu.fp32Flops);
    return roofs;
}

// Note on the share of the time that is not drawn. The share is of all kernels where the operators
// have their own time alone; modules and annotations contain each other's.
std::string notDrawn(const std::vector<plot::MeasuredOperator>& operators, DurationNs kernelTime) {
    DurationNs drawn;
    DurationNs all;
    for (const auto& one : operators) {
        all = all + one.time;
        if (plot::isOnRoofline(one))
            drawn = drawn + one.time;
    }
    all = std::max(all, kernelTime);
    if (all.ns <= 0 || drawn == all)
        return {};
    return fmt::format("{} of the kernel time is of work whose FLOP or bytes are not known, or "
                       "that has no FLOP: it is not drawn.",
        text::roundedPercent((all - drawn).seconds() / all.seconds()));
}

std::string windowTextOf(const OperatorsQuery& query, const Run& run) {
    if (!query.capture.empty())
        return "capture " + query.capture;
    if (query.iteration)
        return fmt::format("iteration {}", *query.iteration);
    if (query.window == kAllTime)
        return {};
    const auto since = [&run](TimeNs time) { return text::duration(time - run.range.begin); };
    const bool isOpen = query.window.end == kAllTime.end;
    std::string words = query.window.begin == kAllTime.begin ? "up to " + since(query.window.end)
        : isOpen ? "from " + since(query.window.begin) + " on"
                 : "from " + since(query.window.begin) + " to " + since(query.window.end);
    words += " of the run";
    if (query.clocks)
        words += fmt::format(" on the clock of rank {}", query.clocks->referenceRank);
    return words;
}

} // namespace

bool OperatorsQuery::operator==(const OperatorsQuery& other) const {
    const bool isOfSame = run == other.run && rank == other.rank && window == other.window
        && ofSteps == other.ofSteps && capture == other.capture && iteration == other.iteration;
    if (!isOfSame || window == kAllTime || clocks == other.clocks)
        return isOfSame;
    return clocks && other.clocks && *clocks == *other.clocks;
}

std::string OperatorsReading::emptyText() const {
    if (!work)
        return fmt::format("\"{}\" has no traces. Operators come from traces of the PyTorch "
                           "profiler or of Nsight Systems.",
            runName);
    if (work->tree.nodes.front().sums.works == 0)
        return work->tree.isOfHost ? "No call is in this part of the run."
                                   : "No kernel runs in this part of the run.";
    return {};
}

std::vector<std::string> OperatorsReading::notes() const {
    std::vector<std::string> all;
    if (!work)
        return all;
    std::string gap = plot::gapText(
        work->tree.hasHost, work->tree.hasShapes, gpu != nullptr || work->tree.isOfHost, gpuModel);
    if (work->tree.isOfHost)
        all.emplace_back("No GPU was traced: times are those of the calls on the host, without the "
                         "calls in them.");
    if (!gap.empty())
        all.push_back(std::move(gap));
    if (mfu && mfu->mfu)
        all.push_back(plot::mfuText(*mfu, formulaMfu) + ".");
    if (work->tree.isFull)
        all.emplace_back(
            "There are more call paths than are kept: the rest counts in its callers.");
    return all;
}

// As asked, else from the first iteration of each rank to its last one in that window.
Result<analysis::RankWindow> windowsOf(const store::Store& store, const OperatorsQuery& query) {
    if (!query.capture.empty()) {
        ASSIGN_OR_RETURN(const auto run, runOf(store, query.run));
        ASSIGN_OR_RETURN(const auto windows, analysis::captureWindows({store, run}, query.capture));
        return analysis::RankWindow([windows](int rank) { return windows.of(rank); });
    }
    auto windows = analysis::ownWindows(query.clocks, query.window);
    if (!query.ofSteps && !query.iteration)
        return windows;
    ASSIGN_OR_RETURN(auto iterations, store.iterations(query.run));
    const auto asked = query.iteration;
    return analysis::RankWindow(
        [windows = std::move(windows), iterations = std::move(iterations), asked](int rank) {
            const TimeRange all = windows(rank);
            TimeRange steps = analysis::kNoTime;
            for (const Iteration& one : iterations) {
                if (one.rank == rank && one.index == asked.value_or(one.index)
                    && analysis::shared(one.range, all) == one.range)
                    steps = analysis::spanned(steps, one.range);
            }
            return steps.isEmpty() && !asked ? all : steps;
        });
}

namespace {

// Captures and traced iterations of the run, and the number of the latter in what is read.
Status addParts(
    const store::Store& store, const analysis::RankWindow& windows, OperatorsReading& reading) {
    ASSIGN_OR_RETURN(auto captures, store.captures(reading.query.run));
    ASSIGN_OR_RETURN(const auto iterations, store.iterations(reading.query.run));
    std::set<std::int64_t> traced;
    for (const Iteration& one : iterations) {
        const bool isTraced = std::ranges::any_of(captures, [&one](const Capture& capture) {
            return capture.rank == one.rank
                && 2 * analysis::shared(capture.range, one.range).length().ns
                >= one.range.length().ns;
        });
        if (!isTraced && !captures.empty())
            continue;
        traced.insert(one.index);
        const bool isRead = one.rank == reading.query.rank.value_or(one.rank)
            && analysis::shared(one.range, windows(one.rank)) == one.range;
        reading.steps += isRead ? 1 : 0;
    }
    reading.iterations.assign(traced.begin(), traced.end());
    const auto parts = analysis::partsByCapture(std::move(captures));
    for (const Capture& part : parts) {
        if (parts.size() > 1)
            reading.captures.push_back(part.name);
    }
    return {};
}

} // namespace

Result<OperatorsReading> loadOperators(
    const store::Store& store, const OperatorsQuery& query, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto run, runOf(store, query.run));
    OperatorsReading reading;
    reading.query = query;
    reading.runName = run.name;
    reading.gpuModel = run.gpuModel;
    reading.gpu = catalogue::findAccelerator(run.gpuModel);
    reading.windowText = windowTextOf(query, run);
    ASSIGN_OR_RETURN(reading.ranks, analysis::tracedRanks({store, run}));
    if (reading.ranks.empty())
        return reading;
    const bool isTraced
        = !query.rank || std::ranges::find(reading.ranks, *query.rank) != reading.ranks.end();
    if (!isTraced)
        return Error{ErrorCode::NotFound,
            fmt::format("\"{}\" has no trace of rank {}. It has those of {}.", run.name,
                *query.rank, text::rankList(reading.ranks)),
            {}};
    ASSIGN_OR_RETURN(const auto windows, windowsOf(store, query));
    RETURN_IF_ERROR(addParts(store, windows, reading));
    ASSIGN_OR_RETURN(auto tree,
        query.rank ? analysis::callTree({store, run, progress}, *query.rank, windows(*query.rank))
                   : analysis::callTree({store, run, progress}, windows));
    if (tree.nodes.empty())
        return reading;
    reading.mfu = analysis::operatorMfu(tree, tree.rankTime.seconds(), reading.gpu);
    TimeRange part = query.window;
    if (!query.capture.empty() || query.iteration) {
        part = analysis::kNoTime;
        for (const int rank : reading.ranks)
            part = analysis::spanned(part, windows(rank));
    }
    ASSIGN_OR_RETURN(
        const auto efficiency, analysis::timeEfficiencyOf({store, run, progress}, part));
    reading.formulaMfu = efficiency.mfu;
    ASSIGN_OR_RETURN(
        reading.categories, analysis::KernelCategories::fromFolder(catalogue::configFolder()));
    reading.work = calledWork(std::move(tree), reading.gpu, reading.categories);
    return reading;
}

CalledWorkPtr calledWork(
    CallTree tree, const catalogue::GpuModel* gpu, const analysis::KernelCategories& categories) {
    auto work = std::make_shared<plot::CalledWork>();
    work->tree = std::move(tree);
    work->efficiencies = analysis::efficiencies(work->tree, gpu);
    for (const CallNode& node : work->tree.nodes) {
        const bool isKernel = node.kind == analysis::FrameKind::Kernel;
        work->categories.emplace_back(
            isKernel ? categories.categoryOf(work->tree.names[node.name]) : std::string_view());
    }
    return work;
}

CalledWorkPtr withoutPython(const OperatorsReading& reading) {
    if (!reading.work || !reading.work->tree.hasModules)
        return reading.work;
    analysis::TreeFolding folding;
    folding.python = true;
    return calledWork(
        analysis::foldedTree(reading.work->tree, folding).tree, reading.gpu, reading.categories);
}

plot::FlameFigureData flameOf(const OperatorsReading& reading, CalledWorkPtr work,
    std::uint32_t root, plot::FlameColouring colouring) {
    plot::FlameFigureData data;
    data.head = headOf(reading, "Call tree");
    if (root != 0 && work && root < work->tree.nodes.size()) {
        const CallNode& node = work->tree.nodes[root];
        data.head.title += " · " + plot::frameTitle(node.kind, work->tree.names[node.name]);
    }
    data.head.caption += data.head.isOfHost
        ? " Frames are as wide as the self time of all calls in them."
        : " Frames are as wide as the kernel time of what they launched.";
    data.work = std::move(work);
    data.root = root;
    data.colouring = colouring;
    return data;
}

std::vector<plot::MeasuredOperator> measuredOperators(
    const OperatorsReading& reading, OperatorGrouping grouping) {
    std::vector<plot::MeasuredOperator> made;
    if (!reading.work)
        return made;
    const CallTree& tree = reading.work->tree;
    const MainParts parts(*reading.work, grouping);
    const bool isOwn
        = grouping != OperatorGrouping::Module && grouping != OperatorGrouping::Annotation;
    const auto kind = grouping == OperatorGrouping::Module ? analysis::FrameKind::Module
        : grouping == OperatorGrouping::Annotation         ? analysis::FrameKind::Annotation
                                                           : analysis::FrameKind::Operator;
    for (OperatorEntry& row : analysis::operatorTable(tree, grouping, reading.gpu).rows) {
        if (row.time.ns <= 0)
            continue;
        const bool isPass = grouping == OperatorGrouping::Pass;
        std::string name = isPass ? plot::passTitle(row.pass) : plot::frameTitle(kind, row.name);
        const StepPass pass = parts.passOf(row);
        std::string category = parts.categoryOf(row);
        plot::MeasuredOperator& one = made.emplace_back(
            plot::MeasuredOperator{std::move(row), std::move(category), 0, tree.isOfHost, {}});
        one.name = std::move(name);
        one.pass = pass;
        one.works = isOwn ? one.sums.ownWorks : one.sums.works;
    }
    return made;
}

std::string categoryOfWork(const plot::CalledWork& work, std::size_t node) {
    return work.tree.nodes[node].kind == analysis::FrameKind::Kernel ? work.categories[node]
                                                                     : "copy";
}

std::vector<plot::MeasuredOperator> measuredKernels(
    const OperatorsReading& reading, bool isByCategory) {
    std::vector<plot::MeasuredOperator> made;
    if (!reading.work)
        return made;
    const plot::CalledWork& work = *reading.work;
    std::map<std::string, std::string> categories; // by row
    const auto rowOf = [&](std::size_t node) {
        std::string category = categoryOfWork(work, node);
        std::string row = isByCategory ? category : work.tree.names[work.tree.nodes[node].name];
        categories.try_emplace(row, std::move(category));
        return row;
    };
    for (OperatorEntry& row : analysis::kernelRows(work.tree, reading.gpu, rowOf)) {
        const std::string& category = categories[row.name];
        plot::MeasuredOperator& one
            = made.emplace_back(plot::MeasuredOperator{std::move(row), category, 0, false, {}});
        one.works = one.sums.works;
        one.kernel = isByCategory ? std::string() : one.name;
        one.name = isByCategory  ? analysis::KernelCategories::label(category)
            : category == "copy" ? one.kernel
                                 : plot::shortKernelName(one.kernel);
        one.sums.calls = 0; // those of operators
    }
    return made;
}

plot::RooflineFigureData rooflineOf(
    const OperatorsReading& reading, std::vector<plot::MeasuredOperator> operators) {
    plot::RooflineFigureData data;
    data.head = headOf(reading, "Roofline");
    data.operators = std::move(operators);
    if (reading.gpu != nullptr && reading.work) {
        data.roofs = roofsOf(*reading.gpu, reading.work->tree);
        data.bandwidth = reading.gpu->memoryBandwidth;
    }
    if (data.isEmpty() && data.head.emptyText.empty())
        data.head.emptyText = whyNoRoofline(reading);
    data.head.caption += " Points are as large as their busy time.";
    // The caption names the roofs, since a line may have no room for its name.
    std::string roofs;
    for (const plot::Roof& roof : data.roofs)
        roofs += (roofs.empty() ? " Roofs: " : ", ") + plot::roofText(roof);
    if (data.bandwidth)
        roofs += (roofs.empty() ? " Roofs: " : ", ") + plot::memoryText(*data.bandwidth);
    data.head.caption += roofs.empty() ? roofs : roofs + '.';
    if (reading.work) {
        if (const auto measured = analysis::measuredBandwidth(reading.work->tree, reading.gpu))
            data.head.notes.push_back(
                plot::bandwidthText(*measured, *reading.gpu->memoryBandwidth) + ".");
    }
    const DurationNs kernelTime
        = reading.work ? reading.work->tree.nodes.front().sums.time : DurationNs{};
    if (std::string words = notDrawn(data.operators, kernelTime); !words.empty())
        data.head.notes.push_back(std::move(words));
    return data;
}

plot::OperatorTableFigureData operatorTableOf(const OperatorsReading& reading,
    OperatorGrouping grouping, std::vector<plot::MeasuredOperator> operators) {
    plot::OperatorTableFigureData data;
    data.head = headOf(reading, "Operators");
    data.nameTitle = titleOf(grouping);
    data.operators = std::move(operators);
    if (data.isEmpty() && data.head.emptyText.empty())
        data.head.emptyText = fmt::format("The trace names no {}.",
            grouping == OperatorGrouping::Module           ? "modules (record with with_stack and "
                                                             "with_modules)"
                : grouping == OperatorGrouping::Annotation ? "annotations"
                                                           : "operators");
    data.head.caption += " Hatched: above the roofline.";
    const bool isAssumed = std::ranges::any_of(data.operators,
        [](const plot::MeasuredOperator& one) { return one.efficiency.isTypeAssumed; });
    if (isAssumed)
        data.head.notes.emplace_back("Traces write no element types of lists of tensors, as "
                                     "optimizers take them: their bytes are counted in 32 bits.");
    return data;
}

} // namespace trainscope::figures
