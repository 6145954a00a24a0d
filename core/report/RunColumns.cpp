#include "core/report/RunColumns.h"

#include "core/figures/runs/FigureRuns.h"
#include "core/model/AsciiText.h"
#include "core/text/RunState.h"

#include <fmt/ranges.h>

namespace trainscope::report {

namespace {

using Words = std::vector<std::string>;
using OfRun = std::function<RunValue(const RunRecord&)>;

RunValue textValue(std::string text) {
    return text.empty() ? RunValue() : RunValue(std::move(text));
}

template <typename Number>
RunValue numberValue(const std::optional<Number>& number) {
    return number ? RunValue(static_cast<double>(*number)) : RunValue();
}

RunColumn textColumn(
    std::string key, Words words, std::string title, std::string definition, OfRun of) {
    words.insert(words.begin(), key);
    return {std::move(key), std::move(words), std::move(title), {}, std::move(definition), false,
        false, false, false, std::move(of)};
}

RunColumn countColumn(
    std::string key, Words words, std::string title, std::string definition, OfRun of) {
    RunColumn column = textColumn(
        std::move(key), std::move(words), std::move(title), std::move(definition), std::move(of));
    column.unit = "1";
    column.isNumber = true;
    column.isWhole = true;
    return column;
}

OfRun launchField(std::optional<int> LaunchConfig::*field) {
    return [field](const RunRecord& run) { return numberValue(run.run.launch.*field); };
}

// Empty where nothing states the layout: figures then call the run by its name.
RunValue layoutOf(const RunRecord& run) {
    const bool isStated = !figures::layoutLabel(run.run.launch).empty();
    return isStated || run.named.layout.starts_with("layout ") ? textValue(run.named.layout)
                                                               : RunValue();
}

RunValue durationOf(const RunRecord& run) {
    return run.run.range.isEmpty() ? RunValue() : RunValue(text::runLength(run.run).seconds());
}

std::string kindOf(const Run& run) {
    return run.simulated ? std::string("simulated") : std::string(toString(run.kind));
}

std::vector<RunColumn> factColumns() {
    return {
        textColumn("name", {"run"}, "Run", "name of the run",
            [](const RunRecord& run) { return textValue(run.run.name); }),
        textColumn("folder", {"source"}, "Folder", "folder that the run was imported from",
            [](const RunRecord& run) { return textValue(run.folder); }),
        textColumn("model", {}, "Model", "model that is trained, as the launch configuration says",
            [](const RunRecord& run) { return textValue(run.named.model); }),
        textColumn("cluster", {"machine"}, "Cluster", "GPUs of the run and their model",
            [](const RunRecord& run) { return textValue(run.named.cluster); }),
        textColumn("layout", {"parallelism"}, "Layout",
            "parallel layout: TP tensor, CP context, EP expert, PP pipeline, DP data", layoutOf),
        textColumn("optimisation", {"optimization"}, "Optimisation",
            "cc: communication overlaps compute; act: activations are recomputed; base: neither",
            [](const RunRecord& run) { return textValue(run.named.optimisation); }),
        textColumn("status", {}, "Status",
            "ok, oom (ended out of memory), partial (some of it could not be read)",
            [](const RunRecord& run) { return textValue(std::string(toString(run.run.status))); }),
        textColumn("kind", {}, "Kind", "measured, predicted or simulated",
            [](const RunRecord& run) { return textValue(kindOf(run.run)); }),
        textColumn("gpu", {"gpu_model"}, "GPU", "model of the GPUs",
            [](const RunRecord& run) { return textValue(run.run.gpuModel); }),
        countColumn("gpus", {}, "GPUs", "GPUs of the run",
            [](const RunRecord& run) {
                const int gpus = std::max(run.run.gpuCount, run.run.worldSize);
                return gpus > 0 ? RunValue(double{1} * gpus) : RunValue();
            }),
        countColumn("nodes", {}, "Nodes", "nodes of the run",
            [](const RunRecord& run) {
                return run.run.nodeCount > 0 ? RunValue(double{1} * run.run.nodeCount) : RunValue();
            }),
        textColumn("precision", {}, "Precision", "number format of the training",
            [](const RunRecord& run) {
                return textValue(run.run.launch.precision.value_or(std::string()));
            }),
        countColumn("tp", {"tensor_parallel"}, "TP", "tensor parallelism",
            launchField(&LaunchConfig::tensorParallel)),
        countColumn("pp", {"pipeline_parallel"}, "PP", "pipeline parallelism",
            launchField(&LaunchConfig::pipelineParallel)),
        countColumn("dp", {"data_parallel"}, "DP", "data parallelism",
            launchField(&LaunchConfig::dataParallel)),
        countColumn("cp", {"context_parallel"}, "CP", "context parallelism",
            launchField(&LaunchConfig::contextParallel)),
        countColumn("ep", {"expert_parallel"}, "EP", "expert parallelism",
            launchField(&LaunchConfig::expertParallel)),
        countColumn("micro_batch", {}, "Micro-batch", "samples of a micro-batch",
            launchField(&LaunchConfig::microBatch)),
        countColumn("global_batch", {"batch"}, "Global batch", "samples of a step",
            launchField(&LaunchConfig::globalBatch)),
        countColumn("sequence_length", {"sequence"}, "Sequence", "tokens of a sample",
            launchField(&LaunchConfig::sequenceLength)),
        {"duration_s", {"duration_s", "duration"}, "Duration", "s",
            "from the first sample or span to the end of the last", false, true, false, false,
            durationOf},
    };
}

// As heads of columns, where the compared quantities say it for a board.
std::string titleOf(const analysis::QuantityInfo& quantity) {
    static const std::vector<std::pair<std::string_view, std::string_view>> kTitles{
        {"mean_power_w", "Power of all, in steps"}, {"peak_power_w", "Power of all, peak"},
        {"peak_temperature_c", "Hottest"}, {"exposed_communication_fraction", "Exposed"}};
    const auto found = std::ranges::find_if(
        kTitles, [&quantity](const auto& entry) { return entry.first == quantity.key; });
    return found == kTitles.end() ? quantity.title : std::string(found->second);
}

RunColumn quantityColumn(std::size_t place) {
    const analysis::QuantityInfo& quantity = analysis::listedQuantities()[place];
    const auto of = [place](const RunRecord& run) {
        return run.figures ? numberValue(run.figures->values[place]) : RunValue();
    };
    Words words{quantity.key};
    words.insert(words.end(), quantity.words.begin(), quantity.words.end());
    return {quantity.key, std::move(words), titleOf(quantity),
        analysis::isShare(quantity) ? "%" : quantity.unit,
        quantity.title + ": " + quantity.definition + " (the window is the whole run)", false, true,
        false, true, of};
}

constexpr std::string_view kUsual[]{"name", "model", "cluster", "layout", "optimisation", "status",
    "step_time_s", "goodput_fraction", "tokens_per_s_per_gpu", "tokens_per_j", "mean_gpu_power_w",
    "peak_gpu_power_w", "peak_temperature_c", "throttled_fraction",
    "exposed_communication_fraction", "tags", "note"};

std::vector<RunColumn> makeColumns() {
    std::vector<RunColumn> all = factColumns();
    for (std::size_t i = 0; i < analysis::listedQuantities().size(); ++i)
        all.push_back(quantityColumn(i));
    all.push_back(textColumn("tags", {"tag"}, "Tags", "your own tags", [](const RunRecord& run) {
        return run.labels.tags.empty() ? RunValue() : RunValue(run.labels.tags);
    }));
    all.push_back(textColumn("note", {"notes"}, "Notes", "your own notes",
        [](const RunRecord& run) { return textValue(run.labels.note); }));
    for (RunColumn& column : all)
        column.isUsual
            = std::find(std::begin(kUsual), std::end(kUsual), column.key) != std::end(kUsual);
    // The usual ones first, in their order.
    std::ranges::stable_sort(all, [](const RunColumn& a, const RunColumn& b) {
        const auto rank = [](const RunColumn& column) {
            return std::find(std::begin(kUsual), std::end(kUsual), column.key) - std::begin(kUsual);
        };
        return rank(a) < rank(b);
    });
    return all;
}

} // namespace

RunRecord::RunRecord(Run given, std::string from, store::RunLabels said)
    : run(std::move(given))
    , folder(std::move(from))
    , labels(std::move(said))
    , named(figures::nameOf(run)) { }

bool isMissing(const RunValue& value) {
    return value.index() == 0;
}

text::Cell RunColumn::cell(const RunRecord& run) const {
    const RunValue found = value(run);
    if (const auto* number = std::get_if<double>(&found))
        return isWhole ? text::Cell(static_cast<std::int64_t>(*number)) : text::Cell(*number);
    if (const auto* text = std::get_if<std::string>(&found))
        return *text;
    if (const auto* texts = std::get_if<Words>(&found))
        return fmt::format("{}", fmt::join(*texts, ", "));
    return {};
}

std::string RunColumn::absentWhy(const RunRecord& run) const {
    const auto place = analysis::listedIndex(key);
    return run.figures && place ? run.figures->absentWhy[*place] : std::string();
}

const std::vector<RunColumn>& runColumns() {
    static const std::vector<RunColumn> kColumns = makeColumns();
    return kColumns;
}

std::optional<std::size_t> runColumnIndex(std::string_view key) {
    const auto& all = runColumns();
    const auto found = std::ranges::find(all, key, &RunColumn::key);
    return found == all.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(found - all.begin()));
}

std::optional<std::size_t> runColumnNamed(std::string_view word) {
    const auto& all = runColumns();
    const auto found = std::ranges::find_if(all, [word](const RunColumn& column) {
        return std::ranges::any_of(
            column.words, [word](const std::string& one) { return equalsIgnoringCase(one, word); });
    });
    return found == all.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(found - all.begin()));
}

std::vector<std::size_t> sortedRuns(
    const std::vector<RunRecord>& runs, std::size_t column, bool isDescending) {
    text::Table table;
    for (const RunRecord& run : runs)
        table.add({runColumns()[column].cell(run)});
    return text::sortedRows(table, 0, isDescending);
}

text::Table runsTable(const std::vector<RunRecord>& runs, const std::vector<std::size_t>& rows,
    const std::vector<std::size_t>& columns) {
    text::Table table{"Runs"};
    for (const std::size_t place : columns) {
        const RunColumn& column = runColumns()[place];
        table.columns.push_back(
            {column.title, column.isNumber ? text::Align::Right : text::Align::Left, column.unit});
    }
    for (const std::size_t row : rows) {
        std::vector<text::Cell> cells;
        for (const std::size_t place : columns)
            cells.push_back(runColumns()[place].cell(runs[row]));
        table.add(std::move(cells));
    }
    return table;
}

} // namespace trainscope::report
