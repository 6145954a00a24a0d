#include "importers/trainlog/LogReader.h"

#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/common/FileLines.h"
#include "importers/common/RunFolders.h"
#include "importers/common/StampGate.h"
#include "importers/trainlog/StepRecorder.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::importers::trainlog {

namespace {

constexpr std::string_view kVersion = "trainlog 1";
constexpr std::int64_t kLinesPerReport = 4096;
constexpr double kAlike = 0.2; // lengths of like iterations lie no further apart

// Reads a log to its end; what its steps are for the heirs know.
class LogRun {
public:
    LogRun(const SourceTree& tree, const ImportUnit& unit, const Progress& progress)
        : m_tree(tree)
        , m_unit(unit)
        , m_progress(progress)
        , m_clock(clockSettings(unit))
        , m_reader([this](const LoggedStep& step) { return visit(step); }) { }
    LogRun(const LogRun&) = delete;
    LogRun& operator=(const LogRun&) = delete;
    virtual ~LogRun() = default;

protected:
    virtual Status began() = 0; // the settings are known, no step is
    virtual Status step(const LoggedStep& step, const StepTimes& times) = 0;
    virtual Status values(const LoggedStep& step, TimeNs time) = 0;
    virtual void turned(WallClock::Turn /*turn*/) { } // the clocks, at this line
    virtual void damaged(const std::string& /*text*/) { } // the stamp of this line

    Status readAll() {
        m_reader.keepRun(m_unit.part);
        ASSIGN_OR_RETURN(auto stream, m_tree.open(m_unit.files.front()));
        LineReader lines(std::move(stream), LineBlocks::kBlock, LineEnds::FeedsAndReturns);
        const std::string phase = "Reading " + std::string(namePart(m_unit.files.front()));
        for (std::int64_t count = 1;; ++count) {
            const auto line = lines.next();
            m_bytes = lines.bytesConsumed();
            m_lines = lines.lineNumber();
            if (!line.hasValue()) {
                m_broken = line.error();
                break;
            }
            if (!line.value())
                break;
            m_cutLines += lines.lineWasCut() ? 1 : 0;
            RETURN_IF_ERROR(m_reader.read(*line.value()));
            if (count % kLinesPerReport == 0 && m_progress
                && !m_progress({phase, m_bytes, m_unit.bytes}))
                return cancelled();
        }
        RETURN_IF_ERROR(m_reader.finish());
        return visitWaiting(m_gate.finish());
    }

    [[nodiscard]] LogReader& reader() { return m_reader; }
    [[nodiscard]] StepClock& clock() { return m_clock; }
    [[nodiscard]] const ImportUnit& unit() const { return m_unit; }
    [[nodiscard]] const SourceTree& tree() const { return m_tree; }
    [[nodiscard]] const LaunchConfig& launch() const { return m_launch; }

    std::uint64_t m_bytes = 0;
    std::int64_t m_lines = 0;
    std::int64_t m_cutLines = 0;
    std::int64_t m_restarts = 0;
    std::int64_t m_repeated = 0;
    std::optional<Error> m_broken;
    std::optional<LogStamp> m_before; // in an undated log: the last stamp before its first step

private:
    static ClockSettings clockSettings(const ImportUnit& unit) {
        ClockSettings settings;
        settings.isDated = unit.clock != ClockKind::None;
        settings.utcOffset = {unit.utcOffsetSeconds.value_or(0) * text::kSecond};
        if (unit.placement) {
            settings.start = unit.placement->start;
            settings.pauses = unit.placement->pauses;
        }
        return settings;
    }

    // Lines whose stamps lie far from those before wait for what the next ones tell.
    Status visit(const LoggedStep& logged) {
        const auto& stamp = logged.line.stamp ? logged.line.stamp : logged.nearby;
        const bool isDated = stamp && m_unit.clock != ClockKind::None;
        if (!isDated && m_waiting.empty())
            return visitInTurn(logged);
        if (isDated && !m_gate.take(stamp->time) && m_waiting.empty())
            return visitInTurn(logged);
        m_waiting.push_back(
            {KeptLine(logged.line, logged.line.rank), logged.nearby, m_lines, isDated});
        return m_gate.isWaiting() ? Status() : visitWaiting(m_gate.takeWaiting());
    }

    Status visitWaiting(const std::vector<bool>& areDamaged) {
        const std::int64_t lines = m_lines;
        std::size_t dated = 0;
        for (const WaitingLine& each : std::exchange(m_waiting, {})) {
            m_lines = each.number;
            StepLine line = each.line.line();
            const bool isDamaged = each.isDated && dated < areDamaged.size() && areDamaged[dated];
            dated += each.isDated ? 1 : 0;
            if (!isDamaged) {
                RETURN_IF_ERROR(visitInTurn({line, each.nearby}));
                continue;
            }
            damaged(m_gate.damageText(line.stamp ? line.stamp->time : each.nearby->time));
        }
        m_lines = lines;
        return {};
    }

    Status visitInTurn(const LoggedStep& logged) {
        const auto isWall
            = [](const std::optional<LogStamp>& stamp) { return stamp && !stamp->isUtc; };
        if (!isWall(logged.line.stamp) && !isWall(logged.nearby))
            return visitTimed(logged);
        StepLine line = logged.line;
        auto nearby = logged.nearby;
        for (std::optional<LogStamp>* stamp : {&nearby, &line.stamp}) {
            if (!isWall(*stamp))
                continue;
            (*stamp)->time = m_wall.unfold((*stamp)->time);
            if (m_wall.turn() != WallClock::Turn::None)
                turned(m_wall.turn());
        }
        return visitTimed({line, nearby});
    }

    Status visitTimed(const LoggedStep& step) {
        if (!m_hasBegun) {
            m_hasBegun = true;
            RETURN_IF_ERROR(begin(step));
        }
        switch (step.line.kind) {
        case StepLine::Kind::Pause:
            m_clock.pause();
            return values(step, m_clock.timeOf(step));
        case StepLine::Kind::Values:
            return values(step, m_clock.timeOf(step));
        case StepLine::Kind::Resume:
            m_clock.resume(step);
            return values(step, m_clock.timeOf(step));
        case StepLine::Kind::Step:
            break;
        }
        return readStep(step);
    }

    Status begin(const LoggedStep& step) {
        const launch::Settings& settings = m_reader.settings();
        m_launch = launchOf(settings, m_unit.files.front());
        if (const auto interval = numberIn(settings, "log_interval"); interval && *interval >= 1.0)
            m_clock.setLogInterval(std::llround(std::min(*interval, 1e6)));
        m_before = step.line.stamp ? step.line.stamp : step.nearby;
        if (m_unit.clock == ClockKind::None && !m_unit.placement && m_before)
            m_clock.setStart(m_before->time);
        return began();
    }

    Status readStep(const LoggedStep& logged) {
        if (logged.line.secondsEach)
            return take(logged, m_clock.step(logged));
        StepLine line = logged.line;
        line.secondsEach = perGpu(line);
        return take(logged, m_clock.step({line, logged.nearby}));
    }

    Status take(const LoggedStep& logged, const StepTimes& times) {
        m_restarts += times.isRestart || times.isNewProcess ? 1 : 0;
        m_repeated += times.count == 0 ? 1 : 0;
        return times.count == 0 ? Status() : step(logged, times);
    }

    // The length of an iteration from the tokens per second of a GPU, where all else is known.
    [[nodiscard]] std::optional<double> perGpu(const StepLine& line) const {
        if (!m_launch.microBatch || !m_launch.sequenceLength)
            return std::nullopt;
        for (const LoggedValue& value : line.values) {
            const KnownKey* known = findKey(value.key);
            if (known == nullptr || known->role != KeyRole::TokenRatePerGpu)
                continue;
            const auto rate = measured(value.text);
            const double shared = static_cast<double>(m_launch.tensorParallel.value_or(1))
                * m_launch.pipelineParallel.value_or(1) * m_launch.contextParallel.value_or(1);
            const double tokens = static_cast<double>(*m_launch.microBatch)
                * *m_launch.sequenceLength * m_launch.gradientAccumulation.value_or(1);
            if (rate && rate->number > 0.0)
                return tokens / (rate->number * shared);
        }
        return std::nullopt;
    }

    struct WaitingLine {
        KeptLine line;
        std::optional<LogStamp> nearby;
        std::int64_t number = 0;
        bool isDated = false;
    };

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    const Progress& m_progress;
    StampGate m_gate;
    std::vector<WaitingLine> m_waiting;
    StepClock m_clock;
    LogReader m_reader;
    LaunchConfig m_launch;
    WallClock m_wall;
    bool m_hasBegun = false;
};

class SinkRun final : public LogRun {
public:
    SinkRun(const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress)
        : LogRun(tree, unit, progress)
        , m_sink(sink) {
        m_report.importer = kVersion;
    }

    Result<ImportReport> run() {
        m_run.name = unit().runName;
        m_run.gpuModel = unit().gpuModel;
        ASSIGN_OR_RETURN(const auto id, m_sink.run(m_run));
        m_recorder.emplace(m_sink, id, m_report);
        RETURN_IF_ERROR(readAll());
        RETURN_IF_ERROR(m_recorder->finish());
        if (m_report.rows == 0 && m_marks == 0)
            return nothing();
        return complete();
    }

private:
    Status began() override {
        StepFacts facts;
        const auto& known = launch();
        const auto gpus = gpusOf(known, reader().settings());
        facts.gpus = gpus;
        if (known.globalBatch)
            facts.samplesPerStep = *known.globalBatch;
        if (known.sequenceLength)
            facts.tokensPerSample = *known.sequenceLength;
        facts.tokensPerStep = numberIn(reader().settings(), "tokens_per_step");
        facts.hasTimes = reader().dialect() == nullptr || reader().dialect()->hasTimes;
        m_recorder->setFacts(facts);
        m_run.launch = known;
        if (m_run.gpuModel.empty())
            m_run.gpuModel = reader().gpuModel();
        if (gpus && *gpus >= 1.0 && *gpus <= 1e7)
            m_run.worldSize = static_cast<int>(*gpus);
        return {};
    }

    Status step(const LoggedStep& step, const StepTimes& times) override {
        ++m_report.rows;
        m_hasDurations = m_hasDurations || !times.range.isEmpty();
        noteStepBack(times.range.end);
        noteRepeats(step, times);
        namePause(step, times);
        m_first = std::min(m_first.value_or(times.range.begin), times.range.begin);
        m_last = times.range.end;
        m_longest = std::max(m_longest, times.count);
        return m_recorder->step(step, times);
    }

    Status values(const LoggedStep& step, TimeNs time) override {
        ++m_marks;
        m_namesIntervals = m_namesIntervals || !step.line.opens.empty();
        if (unit().clock != ClockKind::None) // else only their order is known
            m_recorder->interval(step.line, time);
        return m_recorder->values(step, time);
    }

    void turned(WallClock::Turn turn) override {
        m_report.warn(
            tree().displayPath(unit().files.front()), m_lines, std::string(turnText(turn)));
    }

    void damaged(const std::string& text) override {
        ++m_damaged;
        m_report.lost(tree().displayPath(unit().files.front()), m_lines, text);
    }

    [[nodiscard]] Error nothing() const {
        return {ErrorCode::Unrecognised,
            "There is no iteration in this log. Expected are lines such as \"iteration 10/ 1000 | "
            "elapsed time per iteration (ms): 942.0 | … | lm loss: 1.07E+01\"; found: "
                + text::counted(m_lines, "other line") + ".",
            tree().displayPath(unit().path)};
    }

    Result<ImportReport> complete() {
        m_report.bytes = m_bytes;
        m_report.counts["iterations"] = m_recorder->iterations();
        const auto count = [this](const char* name, std::int64_t number) {
            if (number > 0)
                m_report.counts[name] = number;
        };
        count("lines of other ranks", reader().otherRanks().left());
        count("iterations of other ranks", reader().otherRanks().used());
        if (const std::string ranks = reader().otherRanks().text(reader().rank()); !ranks.empty())
            m_report.facts["ranks"] = ranks;
        count("iterations said twice", m_repeated);
        count("restarts", m_restarts);
        count("lines that are too long", m_cutLines);
        count("pauses of unknown length", clock().pauses());
        count("lines with a damaged stamp", m_damaged);
        const LeftOutRows left = reader().leftOut();
        m_report.skipped = m_cutLines + m_damaged + left.count;
        if (left.count > 0)
            m_report.warn(tree().displayPath(unit().files.front()), 0,
                fmt::format("{} not fit the head of {} cells (the first has {}) and {} left out.",
                    left.count == 1 ? "1 row does" : fmt::format("{} rows do", left.count),
                    left.cellsOfHead, left.cells, left.count == 1 ? "is" : "are"));
        m_report.facts["dialect"] = reader().dialect()->name;
        m_report.facts["clock"] = clockFact();
        if (unit().placement)
            addPlacement(*unit().placement);
        if (unit().foundOffset)
            addOffset(*unit().foundOffset);
        if (m_longest > 1)
            m_report.facts["iterations"] = "up to " + std::to_string(m_longest)
                + " between two lines, set evenly; their length is the mean";
        std::string own;
        for (const std::string& metric : m_recorder->ownMetrics())
            own += (own.empty() ? "" : ", ") + metric;
        if (!own.empty())
            m_report.facts["own_metrics"] = own;
        if (!m_run.gpuModel.empty())
            m_report.facts["gpu_model"] = m_run.gpuModel;
        if (m_broken) {
            m_run.status = RunStatus::Partial;
            m_report.lost(tree().displayPath(unit().files.front()), m_lines,
                "The file breaks off here: " + m_broken->message + " What came before is kept.");
        }
        if (!m_hasDurations && m_report.rows > 0)
            m_report.warn(tree().displayPath(unit().files.front()), 0,
                "The log says neither when its iterations were nor how long they took: their "
                "values stand in order, and there are no step times.");
        if (const auto mfu = m_recorder->highestMfu(); mfu && *mfu > 1.0)
            m_report.warn(tree().displayPath(unit().files.front()), 0,
                "The log reports an MFU of " + text::percent(*mfu)
                    + ", which cannot be: the FLOP or the peak that the program counts with is not "
                      "that of this model and GPU. It is kept as written.");
        constexpr double kAnother = 1.5; // beyond what unlike lengths and rounding explain
        const auto share = m_recorder->loggedTokenShare();
        if (share && std::max(*share, 1.0 / *share) > kAnother)
            m_report.warn(tree().displayPath(unit().files.front()), 0,
                "The tokens per second that the log prints are " + text::number(*share)
                    + " times batch x sequence length / step time: one of them leaves out ranks or "
                      "gradient accumulation. The rate is kept as written.");
        takeSteadyBatch();
        RETURN_IF_ERROR(m_sink.run(m_run));
        return std::move(m_report);
    }

    // Takes from the lines the batch that the program did not print among its arguments.
    void takeSteadyBatch() {
        const auto batch = m_recorder->steadyBatch();
        LaunchConfig& launch = m_run.launch;
        if (launch.globalBatch || !batch || *batch < 1.0 || *batch > kMostOfJob)
            return;
        launch.globalBatch = static_cast<int>(std::llround(*batch));
        if (launch.origin.empty())
            launch.origin = unit().files.front();
    }

    // The time from the step before, where other lines say what was done in it.
    void namePause(const LoggedStep& step, const StepTimes& times) {
        const auto between = step.line.between;
        if (between == StepLine::Between::Nothing || m_namesIntervals || !m_first
            || unit().clock == ClockKind::None || times.isRestart || times.range.begin <= m_last)
            return;
        StepLine edge;
        edge.opens = between == StepLine::Between::Evaluation ? "evaluation" : "checkpoint";
        m_recorder->interval(edge, m_last);
        std::swap(edge.opens, edge.closes);
        m_recorder->interval(edge, times.range.begin);
    }

    // A program that starts again from its last checkpoint does some iterations twice.
    void noteRepeats(const LoggedStep& step, const StepTimes& times) {
        constexpr std::size_t kMostHeld = 200'000;
        const std::int64_t first = step.line.index - times.count + 1;
        if (times.isRestart) {
            double lost = 0.0;
            for (auto done = m_done.lower_bound(first); done != m_done.end(); ++done)
                lost += done->second;
            const std::int64_t last = m_done.empty() ? first - 1 : m_done.rbegin()->first;
            m_done.erase(m_done.lower_bound(first), m_done.end());
            if (last >= first) {
                const std::int64_t count = last - first + 1;
                m_report.counts["iterations done twice"] += count;
                m_report.remark(tree().displayPath(unit().files.front()), m_lines,
                    "The program starts again here, at iteration " + std::to_string(first) + ": "
                        + text::counted(count, "iteration") + (count == 1 ? " is" : " are")
                        + " done twice, and " + text::seconds(lost) + " of work were lost.");
            }
        }
        const double each = times.range.length().seconds()
            / static_cast<double>(std::max<std::int64_t>(times.count, 1));
        for (std::int64_t i = 0; i < times.count && m_done.size() < kMostHeld; ++i)
            m_done[first + i] = each;
    }

    void noteStepBack(TimeNs end) {
        constexpr DurationNs kBlur{2 * text::kSecond}; // stamps in whole seconds
        const DurationNs back = m_last - end;
        const ClockKind clock = unit().clock;
        if (!m_first || clock == ClockKind::None || back <= kBlur)
            return;
        ++m_report.counts["decreasing time stamps"];
        m_report.warn(tree().displayPath(unit().files.front()), m_lines,
            stepBackText(back, clock == ClockKind::Local ? StampKind::Local : StampKind::Unix));
    }

    void addPlacement(const analysis::LogPlacement& placement) {
        m_report.facts["placed_at_ns"] = std::to_string(placement.start.ns);
        if (placement.isSaid)
            return;
        m_report.facts["placed_within_s"] = text::decimal(placement.error.ns, text::kSecond, 3);
        m_report.facts["placed_ambiguously"] = placement.isAmbiguous ? "true" : "false";
        m_report.facts["placed_agreement"] = text::percent(placement.agreement);
    }

    void addOffset(const analysis::LogOffset& offset) {
        m_report.facts["utc_offset_s"] = std::to_string(offset.seconds);
        m_report.facts["utc_offset_agreement"] = text::percent(offset.agreement);
        m_report.facts["utc_offset_next_agreement"] = text::percent(offset.nextAgreement);
    }

    [[nodiscard]] std::string clockFact() const {
        if (unit().clock == ClockKind::Utc)
            return "unix time, or stamps with zone";
        if (unit().clock == ClockKind::Local)
            return unit().foundOffset ? "local time; " + analysis::offsetText(*unit().foundOffset)
                                      : clockText(StampKind::Local, unit().utcOffsetSeconds);
        if (unit().placement)
            return "no dates; placed at " + analysis::placementText(*unit().placement);
        if (m_before)
            return "no dates at the iterations; the first is placed at the last stamp before it, "
                   "and pauses of unknown length are left out";
        return "no dates: relative, counted from the log's own start";
    }

    Sink& m_sink;
    ImportReport m_report;
    Run m_run;
    std::optional<StepRecorder> m_recorder;
    std::optional<TimeNs> m_first;
    TimeNs m_last;
    std::int64_t m_longest = 0;
    std::int64_t m_damaged = 0; // lines that are left out
    std::int64_t m_marks = 0; // lines that are no iterations
    std::map<std::int64_t, double> m_done; // seconds of each iteration, by its number
    bool m_hasDurations = false;
    bool m_namesIntervals = false; // by lines for their begin and end
};

class WorkRun final : public LogRun {
public:
    using LogRun::LogRun;

    Result<analysis::LoggedWork> run() {
        RETURN_IF_ERROR(readAll());
        return std::move(m_work);
    }

private:
    Status began() override {
        clock().setStart({});
        return {};
    }
    Status values(const LoggedStep&, TimeNs) override { return {}; }

    Status step(const LoggedStep&, const StepTimes& times) override {
        analysis::LoggedWork::Piece piece{
            times.range.begin - TimeNs{}, times.range.end - TimeNs{}, times.count, false};
        piece.isAfterPause = times.isAfterPause;
        if (times.range.isEmpty() && !piece.isAfterPause)
            return {};
        if (!m_work.pieces.empty() && isLike(m_work.pieces.back(), piece)) {
            m_work.pieces.back().end = piece.end;
            m_work.pieces.back().iterations += piece.iterations;
        } else if (m_work.pieces.size() < kMostPieces) {
            m_work.pieces.push_back(piece);
        }
        return {};
    }

    static bool isLike(
        const analysis::LoggedWork::Piece& before, const analysis::LoggedWork::Piece& piece) {
        const auto each = [](const analysis::LoggedWork::Piece& one) {
            return (one.end - one.begin).seconds() / static_cast<double>(one.iterations);
        };
        return !piece.isAfterPause && piece.begin <= before.end
            && std::abs(each(piece) - each(before)) <= kAlike * each(before);
    }

    analysis::LoggedWork m_work;
};

} // namespace

Result<ImportReport> importLog(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return SinkRun(tree, unit, sink, progress).run();
}

Result<analysis::LoggedWork> workOf(
    const SourceTree& tree, const ImportUnit& unit, const Progress& progress) {
    ImportUnit relative = unit;
    relative.placement.reset();
    return WorkRun(tree, relative, progress).run();
}

} // namespace trainscope::importers::trainlog
