// Profiles of JAX, TensorFlow and PyTorch/XLA (Xspace.h) as traces, a file per host: each device is
// a rank. On GPUs streams are streams; on TPUs the line of XLA's operators is one, and that of
// asynchronous ones another. Operators that hold others (loops) are annotations. FLOP and bytes
// that operators state go with them (core/work/TracedWork.h). Clock: UTC, where the file says when
// it began.

#include "importers/common/Formats.h"

#include "core/analysis/traces/KernelCategory.h"
#include "core/model/SpanFacts.h"
#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"
#include "core/work/TracedWork.h"
#include "importers/common/RunFolders.h"
#include "importers/trace/DetailText.h"
#include "importers/trace/ProfileWriter.h"
#include "importers/trace/RunGrouping.h"
#include "importers/xplane/Xspace.h"

namespace trainscope::importers::xplane {

namespace {

// Meaning of the lines and events of a device's plane.

enum class LineUse { Work, Annotations, Steps, None };

struct DeviceEvent {
    std::string name;
    SpanKind kind = SpanKind::Kernel;
    bool holdsOthers = false; // a loop, a condition, a call
    bool statesWork = false;
};

constexpr std::string_view kOperators = "XLA Ops";
constexpr std::string_view kAsyncOperators = "Async XLA Ops";

bool isStream(const Line& line) {
    return line.name.starts_with("Stream");
}

bool has(const Plane& plane, bool (*is)(const Line&)) {
    return std::any_of(plane.lines.begin(), plane.lines.end(),
        [is](const Line& line) { return line.events > 0 && is(line); });
}

// "%fusion.3 = bf16[8] fusion(…)" → "fusion.3".
std::string_view operatorName(std::string_view text) {
    if (!text.starts_with('%'))
        return text;
    text.remove_prefix(1);
    return text.substr(0, text.find(" = "));
}

bool holdsOthers(std::string_view category) {
    return category == "while" || category == "conditional" || category == "call";
}

// The value of "grid" in "regs:32 grid:2,1,1 block:64,1,1".
std::string_view valueOf(std::string_view details, std::string_view key) {
    for (const std::string_view word : words(details, " ;\n")) {
        const std::size_t colon = word.find(':');
        if (colon != std::string_view::npos && word.substr(0, colon) == key)
            return word.substr(colon + 1);
    }
    return {};
}

void describeKernel(std::string_view details, DetailText& detail) {
    for (const std::string_view key : {"grid", "block"}) {
        std::array<std::int64_t, 3> sizes{};
        std::size_t count = 0;
        for (const std::string_view part : words(valueOf(details, key), ",")) {
            if (count < sizes.size())
                sizes[count++] = wholeNumber<std::int64_t>(part).value_or(0);
        }
        if (count == sizes.size())
            detail.add(key, sizes);
    }
    if (const auto registers = wholeNumber<std::int64_t>(valueOf(details, "regs")))
        detail.add("registers per thread", *registers);
    const auto fixed = wholeNumber<std::int64_t>(valueOf(details, "static_shared"));
    const auto dynamic = wholeNumber<std::int64_t>(valueOf(details, "dynamic_shared"));
    if (fixed || dynamic)
        detail.add("shared memory", clampedSum(fixed.value_or(0), dynamic.value_or(0)));
}

void describeOperator(const Stats& stats, bool statesWork, DetailText& detail) {
    if (statesWork || !stats.hloCategory.empty())
        detail.add(work::kHloCategory, stats.hloCategory);
    if (stats.flops)
        detail.add(work::kStatedFlop, *stats.flops);
    if (stats.bytesAccessed)
        detail.add(work::kStatedBytes, *stats.bytesAccessed);
    constexpr std::size_t kMostText = 1024;
    const auto add = [&](std::string_view key, std::string_view text) {
        if (!text.empty())
            detail.add(key, text.substr(0, kMostText));
    };
    add(work::kStatedShape, stats.shape);
    add("hlo op", stats.hloOp);
    add("hlo module", stats.hloModule);
    add("framework op", stats.frameworkOp);
}

bool isAsync(const Line& line) {
    return line.name == kAsyncOperators;
}

// Operators of XLA.
bool isOfOperators(const Line& line) {
    return line.name == kOperators || isAsync(line);
}

// Lines that the profiler derives from the others (modules, scopes, steps) hold no work of their
// own; operators of XLA are derived where there are streams.
LineUse useOf(const Plane& plane, const Line& line) {
    constexpr std::array<std::string_view, 6> kDerived{"XLA Modules", "XLA TraceMe",
        "Framework Name Scope", "Framework Ops", "TensorFlow Name Scope", "TensorFlow Ops"};
    constexpr std::array<std::string_view, 3> kUnused{"Source code", "Source", "Launch Stats"};
    if (line.name == "Steps")
        return LineUse::Steps;
    if (std::find(kUnused.begin(), kUnused.end(), line.name) != kUnused.end())
        return LineUse::None;
    if (std::find(kDerived.begin(), kDerived.end(), line.name) != kDerived.end())
        return LineUse::Annotations;
    if (isStream(line))
        return LineUse::Work;
    const bool hasStreams = has(plane, isStream);
    if (isOfOperators(line))
        return hasStreams ? LineUse::Annotations : LineUse::Work;
    return hasStreams || has(plane, isOfOperators) ? LineUse::Annotations : LineUse::Work;
}

// "MemcpyH2D" → "Memcpy HtoD", as traces of PyTorch call it; empty: it is no copy.
std::string copyNameOf(std::string_view name) {
    if (!containsIgnoringCase(name, "memcpy"))
        return {};
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kDirections{
        {{"H2D", "HtoD"}, {"D2H", "DtoH"}, {"D2D", "DtoD"}, {"P2P", "PtoP"}, {"H2H", "HtoH"}}};
    for (const auto& [written, told] : kDirections) {
        if (name.find(written) != std::string_view::npos)
            return "Memcpy " + std::string(told);
    }
    return std::string(name);
}

// An operator's name says its category where it is not in it: "fusion.3 (convolution fusion)".
// `detail` gets what is known besides.
DeviceEvent deviceEventOf(
    const Line& line, const EventKind* kind, const Stats& stats, DetailText& detail) {
    DeviceEvent event;
    if (kind != nullptr)
        event.name = kind->shortName.empty() ? operatorName(kind->name)
                                             : std::string_view(kind->shortName);
    if (event.name.empty())
        event.name = "?";
    event.holdsOthers = holdsOthers(stats.hloCategory);
    const auto bytes = wholeNumber<std::int64_t>(valueOf(stats.copyDetails, "size"));
    if (!isOfOperators(line)) {
        if (std::string copy = copyNameOf(event.name); !copy.empty()) {
            event.kind = SpanKind::Copy;
            event.name = std::move(copy);
        } else if (containsIgnoringCase(event.name, "memset")) {
            event.kind = SpanKind::Set;
        }
    } else if (isAsync(line)
        && (event.name.starts_with("copy") || event.name.starts_with("slice")
            || event.name.starts_with("dynamic-slice") || event.name.starts_with("async-copy"))) {
        event.kind = SpanKind::Copy;
    }
    const auto moved = bytes ? bytes : stats.bytesAccessed;
    if (event.kind != SpanKind::Kernel) {
        if (moved)
            detail.add("bytes", *moved);
        return event;
    }
    // Links bound what collectives take, which no roofline has.
    const bool isCollective = analysis::KernelCategories::isCommunication(event.name)
        || analysis::KernelCategories::isCommunication(stats.hloCategory);
    event.statesWork = (stats.flops || stats.bytesAccessed) && !isCollective;
    describeOperator(stats, event.statesWork, detail);
    describeKernel(stats.kernelDetails, detail);
    if (isOfOperators(line) && !stats.hloCategory.empty()
        && event.name.find(stats.hloCategory) == std::string::npos)
        event.name.append(" (").append(stats.hloCategory).append(")");
    return event;
}

constexpr Confidence kSureOfSpace = 96;
constexpr std::int64_t kYear2001 = 1'000'000'000'000'000'000; // ns; no clock since a start is there

std::set<int> devicesOf(const Space& space) {
    std::set<int> devices;
    for (const Plane& plane : space.planes) {
        if (plane.kind == PlaneKind::Device)
            devices.insert(plane.device);
    }
    return devices;
}

// Begin of the earliest line with events, as written.
std::optional<std::int64_t> firstOf(const Space& space) {
    std::optional<std::int64_t> first;
    for (const Plane& plane : space.planes) {
        if (plane.kind != PlaneKind::Device && plane.kind != PlaneKind::Host)
            continue;
        for (const Line& line : plane.lines) {
            if (line.events > 0)
                first = std::min(first.value_or(line.start), line.start);
        }
    }
    return first;
}

// Facts of all planes together.
Stats factsOf(const Space& space) {
    Stats stats;
    for (const Plane& plane : space.planes)
        plane.take(plane.stats, stats);
    return stats;
}

// Distance from a line's start to unix time; absent where nothing says when that was.
std::optional<DurationNs> baseOf(const Space& space) {
    const auto first = firstOf(space);
    if (first && *first >= kYear2001)
        return DurationNs{0};
    const auto start = factsOf(space).profileStart;
    return start && *start >= kYear2001 && *start < 4 * kYear2001
        ? std::optional(DurationNs{*start})
        : std::nullopt;
}

// Picoseconds as nanoseconds, rounded so that what follows without a gap stays so.
std::optional<std::int64_t> nsOf(std::int64_t lineStart, std::int64_t ps) {
    constexpr std::int64_t kPs = 1000;
    const std::int64_t rounded = ps / kPs + (ps % kPs >= kPs / 2 ? 1 : 0);
    std::int64_t sum = 0;
    return __builtin_add_overflow(lineStart, rounded, &sum) ? std::nullopt : std::optional(sum);
}

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    return isSpace(head) ? kSureOfSpace : 0;
}

TraceFacts probe(const SourceTree& tree, const SourceFile& file) {
    TraceFacts facts;
    facts.kind = "XLA profile";
    const auto read = readSpace(tree, file.path, {});
    if (!read.hasValue()) {
        facts.problem = read.error().message;
        return facts;
    }
    const Space& space = read.value();
    facts.ranks = std::max(1, static_cast<int>(devicesOf(space).size()));
    facts.gpuModel = std::string(factsOf(space).deviceType);
    facts.firstNs = firstOf(space);
    const auto base = baseOf(space);
    if (base && facts.firstNs)
        facts.start = TimeNs{*facts.firstNs} + *base;
    if (!base)
        facts.notes.emplace_back("It does not say when it was recorded.");
    if (!space.problem.empty())
        facts.notes.push_back("It can be read in part: " + space.problem + ".");
    return facts;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<TraceFile> files;
    for (const SourceFile& file : mine)
        files.push_back(traceFileOf(file, probe(tree, file)));
    return groupIntoRuns(tree, RunFolders(tree), std::move(files));
}

class SpaceImport {
public:
    SpaceImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink) { }

    Result<ImportReport> run(const Progress& progress) {
        ASSIGN_OR_RETURN(m_space, readSpace(m_tree, m_unit.path, goesOn(progress, 0)));
        m_report.importer = "xplane 1";
        m_base = baseOf(m_space);
        const auto devices = devicesOf(m_space);
        m_devices.assign(devices.begin(), devices.end());
        ProfileWriter writer(m_sink, m_report, m_unit.path, m_unit.rank.value_or(0), m_devices,
            m_base.value_or(DurationNs{0}));
        writer.leaveIterationsOut();
        m_writer = &writer;
        RETURN_IF_ERROR(writer.begin(describe()));
        RETURN_IF_ERROR(readHosts(goesOn(progress, 1)));
        writer.nest();
        RETURN_IF_ERROR(readEvents(PlaneKind::Device, goesOn(progress, 2)));
        RETURN_IF_ERROR(writer.finish());
        const std::size_t listed = m_devices.size() > 1 ? m_devices.size() : 0;
        RETURN_IF_ERROR(writer.describeGpus(
            {std::vector<std::string>(listed, m_unit.gpuModel), {}, m_unit.gpuModel}));
        RETURN_IF_ERROR(writeIterations());
        if (m_report.spans == 0)
            return Error{ErrorCode::Unrecognised, "There is no event with a time in this profile.",
                m_tree.displayPath(m_unit.path)};
        finishReport();
        return std::move(m_report);
    }

private:
    static constexpr std::uint64_t kPasses = 3;
    static constexpr std::size_t kMostMarks = 200'000;

    // A step that the host or a device marks.
    struct Mark {
        int rank = -1; // -1: the host
        std::int64_t index = 0;
        TimeRange range;
    };

    [[nodiscard]] WireStream::GoesOn goesOn(const Progress& progress, std::uint64_t pass) const {
        return [this, &progress, pass](std::uint64_t consumed) {
            return !progress
                || progress({"Reading the profile",
                    (pass * m_unit.bytes + std::min(consumed, m_unit.bytes)) / kPasses,
                    m_unit.bytes});
        };
    }

    [[nodiscard]] Run describe() const {
        Run run;
        run.name = m_unit.runName;
        run.worldSize = m_unit.worldSize;
        run.gpuModel = m_unit.gpuModel;
        if (!m_space.problem.empty())
            run.status = RunStatus::Partial;
        return run;
    }

    // Absent for sums of occurrences, and counted.
    std::optional<TimeRange> rangeOf(const Line& line, const Event& event) {
        ++m_report.rows;
        if (event.isSum) {
            ++m_report.counts["events without a time"];
            return std::nullopt;
        }
        std::int64_t endPs = 0;
        if (__builtin_add_overflow(event.offsetPs, event.durationPs, &endPs))
            return m_writer->rangeOf(std::nullopt, std::nullopt);
        return m_writer->rangeOf(nsOf(line.start, event.offsetPs), nsOf(line.start, endPs));
    }

    [[nodiscard]] static Stats statsOf(
        const Plane& plane, const EventKind* kind, const Event& event) {
        Stats stats;
        if (kind != nullptr)
            plane.take(kind->stats, stats);
        plane.take(event.stats, stats);
        return stats;
    }

    // ------------------------------------------------------------------ host

    Status readHosts(const WireStream::GoesOn& asked) {
        for (const Plane& plane : m_space.planes) {
            if (plane.kind != PlaneKind::Host)
                continue;
            for (const Line& line : plane.lines)
                m_writer->outputs().output(0).nameThread(
                    std::to_string(hostProcess()), std::to_string(line.id), line.name);
        }
        return readEvents(PlaneKind::Host, asked);
    }

    Status readEvents(PlaneKind kind, const WireStream::GoesOn& asked) {
        EventVisitor visitor;
        visitor.kind = kind;
        visitor.event = [this, kind](const Plane& plane, const Line& line, const Event& event) {
            return kind == PlaneKind::Host ? hostEvent(plane, line, event)
                                           : deviceEvent(plane, line, event);
        };
        visitor.endOfLine = [this](const Plane& plane, const Line& line) {
            Status status = m_held ? write(plane, line, *m_held, false) : Status();
            m_held.reset();
            return status;
        };
        return eachEvent(m_tree, m_unit.path, m_space, asked, visitor, m_space.damages);
    }

    [[nodiscard]] std::int64_t hostProcess() const {
        return m_devices.empty() ? 0 : m_devices.front();
    }

    Status hostEvent(const Plane& plane, const Line& line, const Event& event) {
        const auto range = rangeOf(line, event);
        if (!range)
            return {};
        const EventKind* const kind = plane.kindOf(event.kind);
        const Stats stats = statsOf(plane, kind, event);
        ProfiledCall call;
        call.process = hostProcess();
        call.thread = line.id;
        call.range = *range;
        call.name = kind == nullptr || kind->name.empty() ? std::string_view("?") : kind->name;
        call.correlation = stats.correlation.value_or(0);
        if (stats.step) {
            call.kind = SpanKind::Annotation;
            mark(-1, *stats.step, *range);
        } else if (call.name.starts_with('$')) {
            call.name.remove_prefix(1); // a mark of the tracer of Python's calls
            call.kind = SpanKind::Python;
        } else if (call.correlation > 0) {
            call.kind = SpanKind::Runtime;
        } else {
            call.kind = SpanKind::CpuOp;
        }
        return m_writer->call(call);
    }

    void mark(int rank, std::int64_t index, TimeRange range) {
        if (m_marks.size() < kMostMarks)
            m_marks.push_back({rank, index, range});
    }

    // ------------------------------------------------------------------ devices

    // An event of a device, until the next one shows whether it holds others.
    struct Held {
        TimeRange range;
        DeviceEvent event;
        DetailText detail;
        std::int64_t correlation = 0;
    };

    Status deviceEvent(const Plane& plane, const Line& line, const Event& event) {
        const LineUse use = useOf(plane, line);
        if (use == LineUse::None)
            return {};
        const auto range = rangeOf(line, event);
        if (!range)
            return {};
        const EventKind* const kind = plane.kindOf(event.kind);
        const Stats stats = statsOf(plane, kind, event);
        if (use == LineUse::Steps) {
            mark(rankOf(plane.device), stepOf(kind, stats), *range);
            return {};
        }
        Held next;
        next.range = *range;
        next.event = deviceEventOf(line, kind, stats, next.detail);
        next.correlation = stats.correlation.value_or(0);
        if (use == LineUse::Annotations)
            return annotate(plane, line, next);
        // Operators of one line run one after the other: one that lasts beyond the end of the next
        // one holds it.
        // One of no length is held by none.
        if (!isOfOperators(line) || isAsync(line) || range->isEmpty())
            return write(plane, line, next, false);
        const bool holdsNext = m_held && m_held->range.begin <= range->begin
            && range->end <= m_held->range.end && range->begin < m_held->range.end;
        if (m_held)
            RETURN_IF_ERROR(write(plane, line, *m_held, holdsNext));
        m_held = std::move(next);
        return {};
    }

    [[nodiscard]] int rankOf(int device) const {
        const auto found = std::find(m_devices.begin(), m_devices.end(), device);
        return m_unit.rank.value_or(0) + static_cast<int>(found - m_devices.begin());
    }

    // The number that a step's fact or name says, else the next.
    std::int64_t stepOf(const EventKind* kind, const Stats& stats) {
        ++m_steps;
        if (stats.step)
            return *stats.step;
        const std::string_view name = kind == nullptr ? std::string_view() : kind->name;
        const std::size_t before = name.find_last_not_of("0123456789");
        const std::string_view digits
            = name.substr(before == std::string_view::npos ? 0 : before + 1);
        if (const auto number = wholeNumber<std::int64_t>(digits))
            return *number;
        return stats.group.value_or(m_steps - 1);
    }

    [[nodiscard]] static std::string streamOf(const Plane& plane, const Line& line) {
        constexpr std::string_view kStream = "Stream #";
        if (line.name.starts_with(kStream)) {
            const std::string_view rest = std::string_view(line.name).substr(kStream.size());
            return std::string(rest.substr(0, rest.find('(')));
        }
        const std::string name = line.name.empty() ? std::to_string(line.id) : line.name;
        return plane.part.empty() ? name : plane.part + " " + name;
    }

    Status write(const Plane& plane, const Line& line, Held& held, bool holdsNext) {
        if (holdsNext || held.event.holdsOthers)
            return annotate(plane, line, held);
        ProfiledWork work;
        work.process = plane.device;
        work.device = plane.device;
        const std::string stream = streamOf(plane, line);
        work.stream = stream;
        work.range = held.range;
        work.correlation = held.event.statesWork ? kStatesWork : held.correlation;
        work.name = held.event.name;
        work.kind = held.event.kind;
        m_states += held.event.statesWork ? 1 : 0;
        return m_writer->work(work, held.detail);
    }

    Status annotate(const Plane& plane, const Line& line, const Held& held) {
        ASSIGN_OR_RETURN(const auto name, m_sink.intern(held.event.name));
        return m_writer->annotate(
            plane.device, plane.device, streamOf(plane, line), name, held.range);
    }

    // ------------------------------------------------------------------ end

    // Steps of the devices, else those of the host, which lead them.
    Status writeIterations() {
        const bool ofDevices = std::any_of(
            m_marks.begin(), m_marks.end(), [](const Mark& one) { return one.rank >= 0; });
        std::int64_t count = 0;
        std::map<int, std::vector<TimeRange>> byRank;
        const DurationNs base = m_base.value_or(DurationNs{0});
        for (const Mark& one : m_marks) {
            if (ofDevices != (one.rank >= 0))
                continue;
            const int first = ofDevices ? one.rank : m_unit.rank.value_or(0);
            const int ranks = ofDevices ? 1 : std::max(1, static_cast<int>(m_devices.size()));
            for (int i = 0; i < ranks; ++i) {
                const Iteration iteration{
                    one.index, {one.range.begin + base, one.range.end + base}, first + i, false};
                RETURN_IF_ERROR(m_sink.iteration(m_writer->run(), iteration));
                byRank[first + i].push_back(one.range);
                ++count;
            }
        }
        for (const auto& [rank, ranges] : byRank)
            m_writer->tellDoubts(rank, ranges);
        if (count > 0)
            m_report.counts["iterations"] = count;
        return {};
    }

    void finishReport() {
        const Stats facts = factsOf(m_space);
        m_report.bytes = m_space.bytes;
        m_report.ranksExpected = m_unit.worldSize;
        m_report.skipped += m_space.damages;
        m_report.facts["clock"]
            = m_base ? "UTC, unix nanoseconds of the host" : "ns since a start that is not said";
        if (!m_space.hosts.empty())
            m_report.facts["host"] = listNames(m_space.hosts);
        if (!facts.deviceType.empty())
            m_report.facts["GPU"] = std::string(facts.deviceType);
        if (facts.peakTeraflops && *facts.peakTeraflops > 0.0)
            m_report.facts["peak"]
                = text::quantity(*facts.peakTeraflops * 1e12, "FLOP/s", text::Digits::Three);
        if (facts.peakGigabytes && *facts.peakGigabytes > 0.0)
            m_report.facts["memory bandwidth"]
                = text::quantity(*facts.peakGigabytes * 1e9, "B/s", text::Digits::Three);
        if (m_states > 0)
            m_report.counts["operators that state FLOP or bytes"] = m_states;
        warn();
    }

    void warn() {
        if (m_devices.empty())
            m_report.lost(m_unit.path, 0,
                "there is no plane of a device in this profile: what the host did is all there is");
        if (!m_space.problem.empty())
            m_report.lost(m_unit.path, 0, m_space.problem);
        if (m_space.damages > 0)
            m_report.lost(m_unit.path, 0,
                text::counted(m_space.damages, "message", "messages")
                    + " could not be read and are left out");
        std::vector<std::string> unread;
        for (const Plane& plane : m_space.planes) {
            const bool hasEvents = std::any_of(plane.lines.begin(), plane.lines.end(),
                [](const Line& line) { return line.events > 0; });
            if (plane.kind == PlaneKind::Other && hasEvents)
                unread.push_back(plane.name);
        }
        if (!unread.empty())
            m_report.remark(m_unit.path, 0, "planes that are not read: " + listNames(unread));
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    Space m_space;
    std::optional<DurationNs> m_base;
    std::vector<std::int64_t> m_devices; // ascending: of the ranks
    ProfileWriter* m_writer = nullptr;
    ImportReport m_report;
    std::optional<Held> m_held;
    std::vector<Mark> m_marks;
    std::int64_t m_steps = 0;
    std::int64_t m_states = 0;
};

} // namespace

constinit const Importer kImporter{
    {.id = "xplane",
        .name = "XLA profile",
        .description = "profiles of JAX, TensorFlow and PyTorch/XLA on GPUs and TPUs, "
                       ".xplane.pb, one per host",
        .joins = Joins::OwnRun,
        .launch = LaunchSettings::Beside,
        .oneFile = "XLA profile",
        .manyFiles = "XLA profiles",
        .readsBytes = true},
    sniff, plan, importBy<SpaceImport>};

} // namespace trainscope::importers::xplane
