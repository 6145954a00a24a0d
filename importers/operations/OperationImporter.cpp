// Traces of a training's operations by worker, as Chrome trace JSON: all ranks in one file, the
// process is the data rank, threads are named "PP rank 1, TP rank 0, pp-comm", and arguments say
// step, model_chunk and mb_id (the timelines of github.com/ByteDance-Seed/StragglerAnalysis, arXiv
// 2505.05713). Each operation is work of its rank's device, each step an iteration of its ranks.
// Ranks are counted as Megatron does: tensor ranks first, then data ranks, then stages. Clock: ts
// and dur are µs since whatever moment the writer chose. Two passes over the file, since names of
// threads stand behind; memory does not grow with the operations.

#include "importers/common/Formats.h"

#include "core/model/SpanFacts.h"
#include "core/model/WholeNumber.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/JsonPaths.h"
#include "importers/trace/ProfileWriter.h"
#include "importers/trace/RunGrouping.h"
#include "importers/trace/TraceName.h"

#include <numeric>

namespace trainscope::importers::operations {
namespace {

using Members = std::map<std::string_view, JsonToken>;

Members membersOf(std::string_view object) {
    Members members;
    forEachMember(
        object, [&](std::string_view key, const JsonToken& value) { members[key] = value; });
    return members;
}

// The number between a word and the next comma, or the end.
std::optional<int> rankBehind(std::string_view text, std::string_view word) {
    const auto at = text.find(word);
    if (at == text.npos)
        return std::nullopt;
    text.remove_prefix(at + word.size());
    const auto rank = wholeNumber<int>(text.substr(0, text.find(',')));
    return rank && *rank >= 0 && *rank < kMostGpus ? rank : std::nullopt;
}

// One import, from the names of threads to the report.
class OperationImport {
public:
    OperationImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink) {
        m_report.importer = "operations 1";
    }

    Result<ImportReport> run(const Progress& progress) {
        m_progress = progress;
        RETURN_IF_ERROR(forEachEvent("M", [this](Members& event) { return takeName(event); }));
        const auto ranks = std::int64_t{m_data} * m_stages * m_tensor;
        if (ranks < 1 || ranks > kMostGpus)
            return Error{ErrorCode::Unrecognised,
                "No thread in this file is named as those of a trace of operations are: \"PP rank "
                "0, TP rank 0, compute\".",
                m_tree.displayPath(m_unit.path)};
        RETURN_IF_ERROR(describeRun(static_cast<int>(ranks)));
        RETURN_IF_ERROR(forEachEvent("X", [this](Members& event) { return takeOperation(event); }));
        RETURN_IF_ERROR(finish());
        return std::move(m_report);
    }

private:
    struct NamedThread {
        int data = 0;
        int stage = 0;
        int tensor = 0;
        std::string kind; // "pp-comm"
    };

    Status forEachEvent(std::string_view phase, const std::function<Status(Members&)>& take) {
        ASSIGN_OR_RETURN(const auto stream, m_tree.open(m_unit.path));
        const bool isArray
            = trimmed(readHead(m_tree, m_unit.path, 1024).valueOr({})).starts_with('[');
        JsonPaths objects(*stream, {isArray ? "" : "traceEvents"});
        for (std::int64_t count = 0;; ++count) {
            const auto found = objects.next();
            m_broken = found.hasValue() ? std::string() : found.error().message;
            if (!found.hasValue() || !found.value())
                break;
            if (auto members = membersOf(found.value()->text); members["ph"].text == phase)
                RETURN_IF_ERROR(take(members));
            constexpr std::int64_t kEvery = 256;
            if (count % kEvery == 0 && m_progress
                && !m_progress({"Reading operations", stream->bytesConsumed(), m_unit.bytes}))
                return cancelled();
        }
        m_report.bytes = objects.bytes();
        return {};
    }

    static std::string keyOf(Members& event) {
        return std::string(event["pid"].raw()).append(1, ' ').append(event["tid"].raw());
    }

    Status takeName(Members& event) {
        const std::string name(membersOf(event["args"].raw())["name"].text);
        const auto data = wholeNumber<int>(event["pid"].text);
        const auto stage = rankBehind(name, "PP rank ");
        const auto tensor = rankBehind(name, "TP rank ");
        if (!data || *data < 0 || *data >= kMostGpus || !stage || !tensor)
            return {};
        m_threads[keyOf(event)] = {*data, *stage, *tensor, name.substr(name.rfind(' ') + 1)};
        m_data = std::max(m_data, *data + 1);
        m_stages = std::max(m_stages, *stage + 1);
        m_tensor = std::max(m_tensor, *tensor + 1);
        return {};
    }

    Status describeRun(int ranks) {
        Run run;
        run.name = m_unit.runName;
        run.worldSize = ranks;
        run.status = m_broken.empty() ? RunStatus::Ok : RunStatus::Partial;
        run.launch.tensorParallel = m_tensor;
        run.launch.pipelineParallel = m_stages;
        run.launch.dataParallel = m_data;
        run.launch.workload = Workload::Training;
        run.launch.origin = std::string(namePart(m_unit.path));
        ASSIGN_OR_RETURN(m_run, m_sink.run(run));
        std::vector<std::int64_t> numbers(static_cast<std::size_t>(ranks));
        std::iota(numbers.begin(), numbers.end(), 0);
        m_outputs.emplace(m_sink, 0, numbers);
        return {};
    }

    Status takeOperation(Members& event) {
        constexpr std::int64_t kFarthest = 4'000'000'000'000'000'000;
        const auto thread = m_threads.find(keyOf(event));
        const auto start = microsecondsToNs(event["ts"].text);
        const auto duration = microsecondsToNs(event["dur"].text);
        if (thread == m_threads.end() || !start || !duration || std::abs(*start) > kFarthest
            || *duration > kFarthest) {
            if (m_report.skipped++ == 0)
                m_report.lost(m_unit.path, 0,
                    "an operation has no times that are numbers, or is of a thread without a name; "
                    "such are left out");
            return {};
        }
        Span span;
        span.start = {*start};
        // A transfer's may be negative by the noise of clocks.
        span.duration = {std::max<std::int64_t>(*duration, 0)};
        span.kind = SpanKind::Kernel;
        return add(event, thread->second, span);
    }

    Status add(Members& event, const NamedThread& thread, Span span) {
        std::string text;
        const std::string name(plainText(event["name"], text));
        ASSIGN_OR_RETURN(span.name, m_sink.intern(name));
        text.clear();
        appendJson(event["args"], text);
        ASSIGN_OR_RETURN(span.detail, m_sink.intern(text));
        const int rank = (thread.stage * m_data + thread.data) * m_tensor + thread.tensor;
        if (const auto number = integerOf(membersOf(event["args"].raw())["step"])) {
            const TimeRange range{span.start, span.start + span.duration};
            TimeRange& step = m_steps.try_emplace({rank, *number}, range).first->second;
            step = {std::min(step.begin, range.begin), std::max(step.end, range.end)};
        }
        // A message to one neighbour runs beside one from another.
        TraceOutput& output = m_outputs->output(rank);
        output.add(output.track({TrackKind::Stream, 0, kOperationProcess,
                       thread.kind == "pp-comm" ? name : thread.kind}),
            span);
        constexpr std::int64_t kMostHeld = 500'000;
        return ++m_report.spans % kMostHeld == 0 ? m_outputs->flush(m_run, {}, true) : Status();
    }

    Status finish() {
        for (const auto& [key, range] : m_steps)
            m_outputs->output(key.first).addIteration(key.second, range, false);
        RETURN_IF_ERROR(m_outputs->flush(m_run, {}, true));
        constexpr int kUsualGpusPerNode = 8;
        for (int rank = 0; rank < m_outputs->rankCount(); ++rank) {
            TraceOutput& output = m_outputs->output(rank);
            RETURN_IF_ERROR(output.flushIterations(m_run, {}));
            RETURN_IF_ERROR(output.flushCapture(m_run, captureName(m_unit.path)));
            if (output.spanCount() == 0)
                continue;
            m_report.ranksFound.push_back(rank);
            RETURN_IF_ERROR(m_sink.gpu(
                m_run, {rank, rank / kUsualGpusPerNode, rank % kUsualGpusPerNode, {}, {}}));
        }
        m_report.ranksExpected = m_outputs->rankCount();
        m_report.rows = m_report.spans;
        m_report.facts["clock"] = "as written";
        if (!m_broken.empty())
            m_report.lost(m_unit.path, 0, m_broken);
        return {};
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    Progress m_progress;
    ImportReport m_report;
    std::string m_broken; // the reason of an early end
    std::map<std::string, NamedThread> m_threads; // by process and thread
    int m_data = 0;
    int m_stages = 0;
    int m_tensor = 0;
    RunId m_run;
    std::optional<ProcessOutputs> m_outputs; // by rank
    std::map<std::pair<int, std::int64_t>, TimeRange> m_steps; // by rank and number
};

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    constexpr Confidence kSure = 96; // before Kineto, whose events they are
    const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
    const bool isNamed = has("\"PP rank ") && has(", TP rank ");
    return has("\"ph\"") && (isNamed || (has("\"mb_id\"") && has("\"seq_id\""))) ? kSure : 0;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<ImportUnit> units;
    for (const SourceFile& file : mine) {
        units.push_back(unitOfFile(file));
        units.back().summary = "operations of all ranks";
    }
    nameByFolders(tree, units);
    return units;
}

} // namespace

constinit const Importer kImporter{
    {"operations", "operation trace",
        "traces of a training's operations by worker, as StragglerAnalysis has them, .json or "
        ".json.gz",
        Joins::OwnRun, LaunchSettings::None, "\"mb_id\"", "operation trace", "operation traces"},
    sniff, plan, importBy<OperationImport>};

} // namespace trainscope::importers::operations
