#include "importers/nsys/Metrics.h"

#include <set>

namespace trainscope::importers::nsys {

namespace {

constexpr std::size_t kMostCounters = 100'000;

// Counters that measure the same as a registered metric.
constexpr std::array<std::pair<std::string_view, const char*>, 8> kSameAs{{
    {"sms active", metric::kSmActive},
    {"sm active", metric::kSmActive},
    {"tensor active", metric::kTensorActive},
    {"tensor active / fp16 active", metric::kTensorActive},
    {"gr active", metric::kGraphicsActive},
    {"dram active", metric::kDramActive},
    {"gpc clock frequency", metric::kSmClock},
    {"gpu clock frequency", metric::kSmClock},
}};

// "SMs Active [Throughput %]" → "SMs Active" and "Throughput %".
std::pair<std::string_view, std::string_view> nameAndUnit(std::string_view text) {
    const std::size_t open = text.rfind('[');
    const std::size_t close = text.rfind(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return {trimmed(text), {}};
    return {trimmed(text.substr(0, open)), trimmed(text.substr(open + 1, close - open - 1))};
}

std::string snakeCase(std::string_view text) {
    std::string name;
    for (const char c : lowered(text)) {
        const bool isWord = isDigit(c) || (c >= 'a' && c <= 'z');
        if (isWord)
            name.push_back(c);
        else if (!name.empty() && name.back() != '_')
            name.push_back('_');
    }
    while (!name.empty() && name.back() == '_')
        name.pop_back();
    return name.empty() ? "counter" : name;
}

struct UnitScale {
    std::string_view written;
    std::string_view unit;
    double scale = 1.0;
    MetricKind kind = MetricKind::Gauge;
};
constexpr auto kUnits = std::to_array<UnitScale>(
    {{"mhz", "Hz", 1e6}, {"hz", "Hz"}, {"bytes/ms", "B/s", 1e3, MetricKind::Rate},
        {"bytes/s", "B/s", 1.0, MetricKind::Rate}, {"packets/ms", "1/s", 1e3, MetricKind::Rate},
        {"ticks/ms", "1/s", 1e3, MetricKind::Rate}, {"bytes", "B"}});

const UnitScale* unitOf(std::string_view written) {
    const auto found = std::find_if(kUnits.begin(), kUnits.end(),
        [&](const UnitScale& one) { return equalsIgnoringCase(one.written, written); });
    return found == kUnits.end() ? nullptr : &*found;
}

// The start of a sample where it is a time.
std::optional<TimeNs> momentOf(const ForeignRow& row, int column) {
    const auto time = row.integer(column);
    return time && isTime(*time) ? std::optional(TimeNs{*time}) : std::nullopt;
}

// The output and the series in it, once it is there.
struct Sampled {
    TraceOutput* output = nullptr;
    std::size_t series = 0;
    bool isClock = false;
};

class GpuMetricReader {
public:
    explicit GpuMetricReader(Session& session)
        : m_session(session) { }

    Status run() {
        RETURN_IF_ERROR(m_session.read(
            "TARGET_INFO_GPU_METRICS", "typeId, metricId, metricName", [&](const ForeignRow& row) {
                if (m_names.size() < kMostCounters)
                    m_names[{row.integer(0, 0), row.integer(1, 0)}] = row.text(2);
                return Status();
            }));
        RETURN_IF_ERROR(m_session.read("GPU_METRICS", "timestamp, typeId, metricId, value, start",
            [&](const ForeignRow& row) { return take(row); }));
        tellUnused();
        return {};
    }

private:
    Status take(const ForeignRow& row) {
        auto time = momentOf(row, 0);
        if (!time)
            time = momentOf(row, 4);
        const std::pair key{row.integer(1, 0), row.integer(2, 0)};
        auto found = m_series.find(key);
        if (found == m_series.end() && m_series.size() < kMostCounters)
            found = m_series.emplace(key, newSeries(key)).first;
        if (found == m_series.end() || !time) {
            ++m_session.report().skipped;
            return {};
        }
        const Sampled& sampled = found->second;
        if (sampled.output == nullptr)
            return {};
        double value = row.number(3).value_or(std::numeric_limits<double>::quiet_NaN());
        if (sampled.isClock && value < 0.0)
            value += 4294967296.0;
        sampled.output->addSample(sampled.series, *time, value);
        return {};
    }

    Sampled newSeries(const std::pair<std::int64_t, std::int64_t>& key) {
        // The last byte of the type is the GPU.
        const int gpu = static_cast<int>(key.first & 0xFF);
        const auto index = outputOf(gpu);
        if (!index) {
            m_unused.insert(gpu);
            return {};
        }
        const auto named = m_names.find(key);
        const CounterMetric counter = gpuCounter(
            named == m_names.end() ? "GPU metric " + std::to_string(key.second) : named->second);
        SeriesDescription description;
        description.metric = counter.metric;
        description.subject.kind = SubjectKind::Gpu;
        description.subject.rank = m_session.outputs().firstRank() + *index;
        description.scale = counter.scale;
        description.sensor = SensorKind::Averaged;
        TraceOutput& output = m_session.outputs().output(*index);
        return {&output, output.series(std::move(description)), counter.isClock};
    }

    // The rank that worked on a GPU; of a report without any such work, the first.
    std::optional<int> outputOf(int gpu) {
        ProcessOutputs& outputs = m_session.outputs();
        bool isAnyUsed = false;
        for (int i = 0; i < outputs.rankCount(); ++i) {
            const auto process = outputs.processOfRank(outputs.firstRank() + i);
            for (const int device : outputs.output(i).devices()) {
                isAnyUsed = true;
                const ReportGpu* used = m_session.facts().gpu(process.value_or(0), device);
                if ((used == nullptr ? device : used->id) == gpu)
                    return i;
            }
        }
        return isAnyUsed ? std::nullopt : std::optional(0);
    }

    void tellUnused() {
        std::string list;
        for (const int gpu : m_unused)
            list += (list.empty() ? "" : ", ") + std::to_string(gpu);
        if (!list.empty())
            m_session.report().remark(m_session.file(), 0,
                "samples of GPUs that no process of the report used are left out: " + list);
    }

    Session& m_session;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> m_names; // by type and metric
    std::map<std::pair<std::int64_t, std::int64_t>, Sampled> m_series;
    std::set<int> m_unused;
};

class NetworkMetricReader {
public:
    explicit NetworkMetricReader(Session& session)
        : m_session(session) { }

    Status run() {
        RETURN_IF_ERROR(readNames());
        return m_session.read("NET_NIC_METRIC",
            "start, globalId, portId, metricsListId, metricsIdx, value",
            [&](const ForeignRow& row) { return take(row); });
    }

private:
    struct Counter {
        std::string name;
        std::string unit;
    };

    Status readNames() {
        RETURN_IF_ERROR(m_session.read("TARGET_INFO_NETWORK_METRICS",
            "metricsListId, metricsIdx, name, unit", [&](const ForeignRow& row) {
                if (m_counters.size() < kMostCounters)
                    m_counters[{row.integer(0, 0), row.integer(1, 0)}]
                        = {std::string(row.text(2)), std::string(row.text(3))};
                return Status();
            }));
        std::map<std::int64_t, std::string> names;
        RETURN_IF_ERROR(
            m_session.read("TARGET_INFO_NIC_INFO", "nicId, name", [&](const ForeignRow& row) {
                if (names.size() < kMostCounters)
                    names[row.integer(0, 0)] = row.text(1);
                return Status();
            }));
        return m_session.read("NIC_ID_MAP", "nicId, globalId", [&](const ForeignRow& row) {
            const auto found = names.find(row.integer(0, 0));
            if (found != names.end() && m_adapters.size() < kMostCounters)
                m_adapters[row.integer(1, 0)] = found->second;
            return Status();
        });
    }

    Status take(const ForeignRow& row) {
        const auto time = momentOf(row, 0);
        const std::array<std::int64_t, 4> key{
            row.integer(1, 0), row.integer(2, 0), row.integer(3, 0), row.integer(4, 0)};
        auto found = m_series.find(key);
        if (found == m_series.end() && m_series.size() < kMostCounters)
            found = m_series.emplace(key, newSeries(key)).first;
        if (found == m_series.end() || !time) {
            ++m_session.report().skipped;
            return {};
        }
        m_session.outputs().output(0).addSample(
            found->second, *time, row.number(5).value_or(std::numeric_limits<double>::quiet_NaN()));
        return {};
    }

    std::size_t newSeries(const std::array<std::int64_t, 4>& key) {
        const auto known = m_counters.find({key[2], key[3]});
        const Counter counter = known == m_counters.end()
            ? Counter{"network metric " + std::to_string(key[3]), {}}
            : known->second;
        const auto adapter = m_adapters.find(key[0]);
        const CounterMetric found = networkCounter(counter.name, counter.unit);
        SeriesDescription description;
        description.metric = found.metric;
        description.scale = found.scale;
        description.sensor = SensorKind::Averaged;
        description.subject.kind = SubjectKind::Link;
        description.subject.node = m_session.facts().node.value_or(0);
        description.subject.device
            = adapter == m_adapters.end() ? "nic" + std::to_string(key[0]) : adapter->second;
        if (key[1] > 1)
            description.subject.device += ":" + std::to_string(key[1]);
        return m_session.outputs().output(0).series(std::move(description));
    }

    Session& m_session;
    std::map<std::pair<std::int64_t, std::int64_t>, Counter> m_counters; // by list and place in it
    std::map<std::int64_t, std::string> m_adapters; // by global id
    std::map<std::array<std::int64_t, 4>, std::size_t> m_series;
};

} // namespace

CounterMetric gpuCounter(std::string_view name) {
    const auto [plain, unit] = nameAndUnit(name);
    const std::string key = lowered(plain);
    CounterMetric counter;
    counter.isClock = key.ends_with("clock frequency");
    const auto same = std::find_if(
        kSameAs.begin(), kSameAs.end(), [&](const auto& one) { return one.first == key; });
    const bool isPercent = unit.find('%') != std::string_view::npos;
    counter.scale = isPercent ? 0.01 : 1.0;
    if (same != kSameAs.end()) {
        counter.metric = *findMetric(same->second);
        return counter;
    }
    // Names that end so are shown as percentages.
    std::string own = snakeCase(plain);
    if (isPercent)
        own += "_utilization";
    counter.metric = {std::move(own), counter.isClock ? "Hz" : "1", MetricKind::Gauge,
        std::string(isPercent || unit.empty() || counter.isClock ? plain : trimmed(name))};
    return counter;
}

CounterMetric networkCounter(std::string_view name, std::string_view unit) {
    CounterMetric counter;
    counter.metric = {snakeCase(name), "1", MetricKind::Gauge, std::string(trimmed(name))};
    if (const UnitScale* known = unitOf(trimmed(unit))) {
        counter.metric.unit = known->unit;
        counter.metric.kind = known->kind;
        counter.scale = known->scale;
    } else if (!unit.empty()) {
        counter.metric.label.append(" [").append(unit).append("]");
    }
    return counter;
}

Status readGpuMetrics(Session& session) {
    return GpuMetricReader(session).run();
}

Status readNetworkMetrics(Session& session) {
    return NetworkMetricReader(session).run();
}

} // namespace trainscope::importers::nsys
