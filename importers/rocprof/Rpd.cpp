
#include "core/text/Numbers.h"
#include "importers/common/Number.h"
#include "importers/rocprof/TraceImport.h"

#include <cmath>

namespace trainscope::importers::rocprof {
namespace {

// Readings of GPUs in a database of rocmProfileData (rocpd_monitor), as series. The tracer polls
// every millisecond and writes a row for as long as a value stayed what it was: the polls are made
// of the row again, so that means and integrals count each value for its time.

constexpr std::int64_t kPoll = 1'000'000; // ns
constexpr std::int64_t kMostPolls = 200'000; // in a series
constexpr std::size_t kMostReadings = 8'000'000;
constexpr std::int64_t kFarthestMoment = 4'000'000'000'000'000'000;

struct MonitorWord {
    std::string_view word;
    const char* metric;
    double scale; // from the source's number to SI
};
constexpr auto kMonitorWords = std::to_array<MonitorWord>({
    {"sclk", metric::kSmClock, 1e6},
    {"power", metric::kGpuPower, 1.0},
    {"temp", metric::kGpuTemperature, 1.0},
});

SeriesDescription descriptionOf(const std::string& word, int rank) {
    SeriesDescription description;
    description.subject.rank = rank;
    const auto known = std::ranges::find_if(
        kMonitorWords, [&](const MonitorWord& one) { return equalsIgnoringCase(one.word, word); });
    if (known != kMonitorWords.end()) {
        description.metric = *findMetric(known->metric);
        description.scale = known->scale;
    } else {
        description.metric = {word, "", MetricKind::Gauge, word};
    }
    return description;
}

class RpdMonitor {
public:
    // The rank of a GPU by its number; absent: of none.
    using RankOf = std::function<std::optional<int>(std::int64_t gpu)>;
    RpdMonitor(TraceImport& into, RankOf rankOf)
        : m_into(into)
        , m_rankOf(std::move(rankOf)) { }

    // The table's rows, in any order. Counts and remarks go into the m_into.report().
    Status read(ForeignDatabase& database) {
        std::map<Key, std::vector<Row>> all;
        std::size_t count = 0;
        std::int64_t ofOthers = 0;
        RETURN_IF_ERROR(m_into.scan(database, "rocpd_monitor",
            "deviceType, deviceId, monitorType, start, end, value",
            [&](const ForeignRow& row) -> Status {
                const auto start = row.integer(3);
                const auto stop = row.integer(4);
                // Texts, in most.
                const auto given = row.number(5);
                const auto value = given ? given : parseNumber(row.text(5));
                const bool isSound = start && stop && value && *start <= *stop && *start >= 0
                    && *stop < kFarthestMoment && std::isfinite(*value) && !row.text(2).empty();
                if (!isSound) {
                    ++m_into.report().skipped;
                    return {};
                }
                const std::int64_t gpu = row.integer(1, 0);
                if (!equalsIgnoringCase(row.text(0), "gpu") || !m_rankOf(gpu)) {
                    ++ofOthers;
                    return {};
                }
                if (++count <= kMostReadings)
                    all[{gpu, std::string(row.text(2))}].push_back({*start, *stop, *value});
                return {};
            }));
        if (ofOthers > 0)
            m_into.report().remark(m_into.unit().path, 0,
                text::counted(ofOthers, "reading", "readings")
                    + " of devices that no process of this trace worked on left out");
        if (count > kMostReadings)
            m_into.report().lost(m_into.unit().path, 0,
                "there are more readings than are kept: the last are left out");
        for (auto& [key, rows] : all)
            RETURN_IF_ERROR(write(key, rows));
        return {};
    }

private:
    struct Row {
        std::int64_t start = 0;
        std::int64_t end = 0;
        double value = 0.0;
    };
    using Key = std::pair<std::int64_t, std::string>; // GPU and what was read

    Status write(const Key& key, std::vector<Row>& rows) {
        std::ranges::stable_sort(
            rows, [](const Row& a, const Row& b) { return a.start < b.start; });
        std::int64_t last = rows.front().end;
        for (const Row& row : rows)
            last = std::max(last, row.end);
        const std::int64_t period = std::max(kPoll, (last - rows.front().start) / kMostPolls + 1);
        ASSIGN_OR_RETURN(const auto series,
            m_into.sink().series(
                m_into.writer().run(), descriptionOf(key.second, m_rankOf(key.first).value_or(0))));
        std::vector<TimeNs> times;
        std::vector<double> values;
        constexpr std::size_t kBlock = 16'384;
        const auto flush = [&]() -> Status {
            m_into.report().samples += static_cast<std::int64_t>(times.size());
            RETURN_IF_ERROR(m_into.sink().samples(series, times, values));
            times.clear();
            values.clear();
            return {};
        };
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int64_t next = i + 1 < rows.size() ? rows[i + 1].start : last + 1;
            const std::int64_t until = std::min(rows[i].end, next);
            std::int64_t at = rows[i].start;
            for (; at == rows[i].start || at < until; at += period) {
                times.push_back({at});
                values.push_back(rows[i].value);
                if (times.size() == kBlock)
                    RETURN_IF_ERROR(flush());
            }
            // A row of several polls held its value up to its end.
            if (i + 1 < rows.size() && at - rows[i].start > period && until - 1 > at - period) {
                times.push_back({until - 1});
                values.push_back(rows[i].value);
            }
        }
        // The end of the last row, which says how long its value held.
        if (rows.back().end > rows.back().start) {
            times.push_back({rows.back().end});
            values.push_back(rows.back().value);
        }
        return flush();
    }

    TraceImport& m_into;
    RankOf m_rankOf;
};

constexpr std::size_t kMostLinked = 16'000'000; // calls, and operations, that are joined
constexpr std::size_t kMostTexts = 200'000; // kept ones, of those that stand in many rows

// Texts of a table by their numbers; most stand in many rows.
class RpdTexts {
public:
    RpdTexts(ForeignDatabase& database, std::string_view table)
        : m_lookup(database, table, "id", "string") { }

    const std::string& operator[](std::int64_t id) {
        if (const auto known = m_known.find(id); known != m_known.end())
            return known->second;
        const auto row = m_lookup.find(id);
        std::string text = row ? std::string(row->text(0)) : std::string();
        if (m_known.size() >= kMostTexts)
            return m_other = std::move(text);
        return m_known.emplace(id, std::move(text)).first->second;
    }

private:
    ForeignLookup m_lookup;
    std::unordered_map<std::int64_t, std::string> m_known;
    std::string m_other;
};

// The calls that caused operations. Calls get numbers in the order of their table, from 1 on.
class RpdLinks {
public:
    struct Call {
        std::int64_t id = 0;
        std::int64_t process = 0;
    };

    void addCall(std::int64_t id, std::int64_t process) {
        if (m_calls.size() < kMostLinked)
            m_calls.push_back({id, process});
    }
    void addLink(std::int64_t call, std::int64_t operation) {
        if (m_links.size() < kMostLinked)
            m_links.emplace_back(operation, call);
    }
    void sort() {
        std::ranges::stable_sort(m_calls, [](const Call& a, const Call& b) { return a.id < b.id; });
        std::ranges::sort(m_links);
    }
    // 0: it is none of those kept.
    [[nodiscard]] std::int64_t numberOf(std::int64_t call) const {
        const auto found = std::ranges::lower_bound(m_calls, call, {}, &Call::id);
        return found == m_calls.end() || found->id != call ? 0 : found - m_calls.begin() + 1;
    }
    // nullptr: nothing says what caused it.
    [[nodiscard]] const Call* causeOf(std::int64_t operation) const {
        const auto link = std::lower_bound(m_links.begin(), m_links.end(), operation,
            [](const auto& one, std::int64_t id) { return one.first < id; });
        if (link == m_links.end() || link->first != operation)
            return nullptr;
        const std::int64_t number = numberOf(link->second);
        return number == 0 ? nullptr : &m_calls[static_cast<std::size_t>(number - 1)];
    }
    [[nodiscard]] const std::vector<Call>& calls() const { return m_calls; }

private:
    std::vector<Call> m_calls;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_links; // operation, call
};

// The row of what was asked of a call, by its number.
std::string_view callKey(const ForeignDatabase& database, std::string_view table) {
    return database.hasColumn(table, "api_ptr_id") ? "api_ptr_id" : "api_id";
}

// A call of the GPU's runtime, a marker, or a function of a library that instruments itself.
SpanKind kindOfCall(std::string_view domain, std::string_view category, std::string_view name) {
    if (domain.empty() || domain == "hip" || domain == "cuda" || domain == "hsa")
        return name == "UserMarker" ? SpanKind::Annotation : SpanKind::Runtime;
    if (domain == "roctx" || domain == "nvtx" || category == "user_scope")
        return SpanKind::Annotation;
    return domain == "rpd_tracer" ? SpanKind::Overhead : SpanKind::CpuOp;
}

class RpdReader {
public:
    explicit RpdReader(ForeignDatabase& database)
        : m_database(database)
        , m_strings(database, "rocpd_string")
        , m_arguments(database,
              database.table("rocpd_ustring") == nullptr ? "rocpd_string" : "rocpd_ustring")
        , m_shapes(database, "rocpd_kernelapi", callKey(database, "rocpd_kernelapi"),
              "gridX, gridY, gridZ, workgroupX, workgroupY, workgroupZ, groupSegmentSize")
        , m_sizes(database, "rocpd_copyapi", callKey(database, "rocpd_copyapi"), "size") { }

    // The processes that use GPUs, in the order of these; all tables that join others are read.
    Result<std::vector<std::int64_t>> processes() {
        RETURN_IF_ERROR(m_database.scanFacts(
            "rocpd_api", "id, pid",
            [&](const ForeignRow& row) { m_links.addCall(row.integer(0, 0), row.integer(1, 0)); },
            kMostLinked));
        RETURN_IF_ERROR(m_database.scanFacts(
            "rocpd_api_ops", "api_id, op_id",
            [&](const ForeignRow& row) { m_links.addLink(row.integer(0, 0), row.integer(1, 0)); },
            kMostLinked));
        m_links.sort();
        std::map<std::int64_t, std::int64_t> firstGpu; // by process
        RETURN_IF_ERROR(m_database.scanFacts(
            "rocpd_op", "id, gpuId",
            [&](const ForeignRow& row) {
                const std::int64_t gpu = row.integer(1, 0);
                if (const RpdLinks::Call* cause = m_links.causeOf(row.integer(0, 0))) {
                    const auto known = firstGpu.try_emplace(cause->process, gpu).first;
                    known->second = std::min(known->second, gpu);
                    m_processOfGpu.try_emplace(gpu, cause->process);
                }
            },
            kMostLinked));
        std::vector<std::pair<std::int64_t, std::int64_t>> order;
        for (const auto& [process, gpu] : firstGpu)
            order.emplace_back(gpu, process);
        std::ranges::sort(order);
        std::vector<std::int64_t> result;
        for (const auto& [gpu, process] : order)
            result.push_back(process);
        if (result.empty() && !m_links.calls().empty())
            result.push_back(m_links.calls().front().process);
        return result;
    }

    Status readCalls(TraceImport& into) {
        ProfileWriter& writer = into.writer();
        return into.scan(m_database, "rocpd_api",
            "id, pid, tid, start, end, apiName_id, args_id, domain_id, category_id",
            [&](const ForeignRow& row) -> Status {
                const auto range = writer.rangeOf(row.integer(3), row.integer(4));
                if (!range)
                    return {};
                ProfiledCall call;
                call.process = row.integer(1, 0);
                call.thread = row.integer(2, 0);
                call.range = *range;
                std::string name = m_strings[row.integer(5, 0)];
                const std::string domain = m_strings[row.integer(7, 0)];
                call.kind = kindOfCall(domain, m_strings[row.integer(8, 0)], name);
                if (call.kind == SpanKind::Annotation && name == "UserMarker")
                    name = m_arguments[row.integer(6, 0)];
                call.name = name.empty() ? std::string_view("?") : std::string_view(name);
                if (call.kind == SpanKind::Runtime)
                    call.correlation = m_links.numberOf(row.integer(0, 0));
                return writer.call(call);
            });
    }

    Status readOperations(TraceImport& into) {
        return into.scan(m_database, "rocpd_op",
            "id, gpuId, queueId, start, end, description_id, opType_id",
            [&](const ForeignRow& row) { return operation(row, into); });
    }

    Status readMonitor(TraceImport& into) {
        ProfileWriter& writer = into.writer();
        const auto ranks = gpusOf(writer);
        RpdMonitor monitor(into, [&](std::int64_t gpu) -> std::optional<int> {
            const auto found = ranks.find(gpu);
            if (found != ranks.end())
                return found->second;
            constexpr std::int64_t kMostGpus = 1024;
            return ranks.empty() && gpu >= 0 && gpu < kMostGpus
                ? std::optional(writer.outputs().firstRank() + static_cast<int>(gpu))
                : std::nullopt;
        });
        return monitor.read(m_database);
    }

private:
    Status operation(const ForeignRow& row, TraceImport& into) {
        const std::string type = m_strings[row.integer(6, 0)];
        // They wait for others, or order packets.
        if (type == "Barrier" || type.starts_with("Marker")) {
            ++into.report().counts["barriers and markers of queues"];
            return {};
        }
        const auto range = into.writer().rangeOf(row.integer(3), row.integer(4));
        if (!range)
            return {};
        const std::int64_t gpu = row.integer(1, 0);
        const RpdLinks::Call* const cause = m_links.causeOf(row.integer(0, 0));
        ProfiledWork work;
        const auto known = m_processOfGpu.find(gpu);
        work.process = cause != nullptr     ? cause->process
            : known != m_processOfGpu.end() ? known->second
                                            : gpu;
        constexpr std::int64_t kMostGpus = 100'000; // several nodes may be told apart by a stride
        work.device = static_cast<int>(std::clamp<std::int64_t>(gpu, 0, kMostGpus));
        const std::string stream = std::to_string(row.integer(2, 0));
        work.stream = stream;
        work.range = *range;
        work.correlation = cause == nullptr ? 0 : m_links.numberOf(cause->id);
        std::string name = m_strings[row.integer(5, 0)];
        describeWork(type, cause, name, work, into.detail());
        work.name = name;
        return into.writer().work(work, into.detail());
    }

    void describeWork(std::string_view type, const RpdLinks::Call* cause, std::string& name,
        ProfiledWork& work, DetailText& detail) {
        const bool isCopy = type == "Memcpy" || type.starts_with("Copy");
        const bool isFill = name == "Fill" || containsIgnoringCase(type, "fillbuffer")
            || containsIgnoringCase(type, "memset");
        if (isCopy || isFill) {
            work.kind = isFill ? SpanKind::Set : SpanKind::Copy;
            name = isFill ? "Memset" : copyName(type);
            const auto row = cause == nullptr ? std::nullopt : m_sizes.find(cause->id);
            if (const auto bytes = row ? row->integer(0) : std::nullopt)
                detail.add("bytes", *bytes);
            return;
        }
        if (name.empty())
            name = type.empty() ? "?" : std::string(type);
        const auto row = cause == nullptr ? std::nullopt : m_shapes.find(cause->id);
        if (!row)
            return;
        // The runtime counts blocks, as its calls do.
        KernelShape shape;
        constexpr std::int64_t kMostItems = 1 << 16;
        constexpr std::int64_t kMostBlocks = std::int64_t{1} << 32;
        for (int i = 0; i < 3; ++i) {
            const std::int64_t items
                = std::clamp<std::int64_t>(row->integer(3 + i, 0), 0, kMostItems);
            shape.workgroup[static_cast<std::size_t>(i)] = items;
            shape.grid[static_cast<std::size_t>(i)]
                = items * std::clamp<std::int64_t>(row->integer(i, 0), 0, kMostBlocks);
        }
        shape.localMemory = row->integer(6);
        rocprof::describe(shape, detail);
    }

    // Ranks by the GPU that each worked on first.
    [[nodiscard]] static std::map<std::int64_t, int> gpusOf(ProfileWriter& writer) {
        std::map<std::int64_t, int> ranks;
        ProcessOutputs& outputs = writer.outputs();
        for (int i = 0; i < outputs.rankCount(); ++i) {
            if (const int device = outputs.output(i).firstDevice(); device >= 0)
                ranks.try_emplace(device, outputs.firstRank() + i);
        }
        return ranks;
    }

    ForeignDatabase& m_database;
    RpdTexts m_strings;
    RpdTexts m_arguments;
    ForeignLookup m_shapes;
    ForeignLookup m_sizes;
    RpdLinks m_links;
    std::map<std::int64_t, std::int64_t> m_processOfGpu;
};

bool isRpd(const ForeignDatabase& database) {
    return database.hasColumn("rocpd_string", "string") && database.hasColumn("rocpd_op", "gpuId")
        && database.hasColumn("rocpd_api", "apiName_id");
}

void tellRpd(ForeignDatabase& database, TraceFacts& facts) {
    takeFirst(database, "rocpd_op", "start", facts);
    takeFirst(database, "rocpd_api", "start", facts);
    RpdReader reader(database);
    const auto processes = reader.processes();
    if (processes.hasValue())
        facts.ranks = std::max(1, static_cast<int>(processes.value().size()));
    else
        facts.problem = processes.error().describe();
}

Result<ImportReport> importRpd(
    ForeignDatabase& database, const SourceTree& tree, const ImportUnit& unit, Sink& sink) {
    RpdReader reader(database);
    ASSIGN_OR_RETURN(const auto processes, reader.processes());
    TraceImport into(tree, unit, sink, processes);
    into.opened(database);
    RETURN_IF_ERROR(into.begin(unit.gpuModel));
    RETURN_IF_ERROR(reader.readCalls(into));
    into.writer().nest();
    RETURN_IF_ERROR(reader.readOperations(into));
    RETURN_IF_ERROR(into.finish({}));
    RETURN_IF_ERROR(reader.readMonitor(into));
    return std::move(into.report());
}

} // namespace

const DatabaseForm kRpd{"rocmProfileData trace", isRpd, tellRpd, importRpd};

} // namespace trainscope::importers::rocprof
