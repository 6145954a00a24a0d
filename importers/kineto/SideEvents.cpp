#include "importers/kineto/SideEvents.h"

#include "core/model/Gather.h"
#include "core/model/WholeNumber.h"
#include "importers/trace/DetailText.h"

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kMaxWaiting = 100'000;

// Counters of PyTorch's CUPTI monitor (torch/profiler/_cuspy/trace.py) that the registry knows;
// others keep their names.
struct GpuCounter {
    std::string_view name;
    const char* metric = nullptr;
    double scale = 1.0;
};
constexpr std::array<GpuCounter, 6> kGpuCounters{
    {{"Power (W)", metric::kGpuPower}, {"Temperature (C)", metric::kGpuTemperature},
        {"SM Clock (MHz)", metric::kSmClock, 1e6}, {"Memory Clock (MHz)", metric::kMemClock, 1e6},
        {"Fan Speed (%)", metric::kFanSpeed, 0.01}, {"SM Active (%)", metric::kSmActive, 0.01}}};

// The device of the process "GPU 3 Counters".
std::optional<int> deviceOfCounters(std::string_view process) {
    constexpr std::string_view kBegin = "GPU ";
    constexpr std::string_view kEnd = " Counters";
    if (!process.starts_with(kBegin) || !process.ends_with(kEnd))
        return std::nullopt;
    process.remove_suffix(kEnd.size());
    return wholeNumber<int>(process.substr(std::min(kBegin.size(), process.size())));
}

// CUDA, HIP and XPU of c10::DeviceType.
bool isGpuType(std::optional<std::int64_t> type) {
    return type == 1 || type == 6 || type == 12;
}

std::uint64_t keyOf(std::uint64_t place, TimeNs time) {
    return place * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(time.ns);
}

// A counter's, which Perfetto tells and Chrome does not.
std::string_view unitOf(const TraceEvent& event) {
    const JsonToken* const unit = event.arg("unit");
    return unit != nullptr && unit->kind == TokenKind::String ? unit->text : std::string_view("1");
}

using analysis::LiveAllocations;
using analysis::MemoryUse;

std::vector<LiveAllocations> bySize(
    const std::unordered_map<std::int64_t, std::int64_t>& live, std::int64_t before) {
    std::map<std::int64_t, std::int64_t> counts;
    for (const auto& [address, bytes] : live)
        ++counts[bytes];
    std::vector<LiveAllocations> all;
    for (const auto& [size, count] : counts)
        all.push_back({MemoryUse::Unknown, size, count, {}});
    if (before > 0)
        all.push_back({MemoryUse::Unknown, before, 1, {"allocated before the recording"}});
    std::ranges::stable_sort(all, std::greater(), &LiveAllocations::bytes);
    if (all.size() > analysis::AllocatorRecord::kMostLive)
        all.resize(analysis::AllocatorRecord::kMostLive);
    return all;
}

} // namespace

void LiveMemory::add(const Event& event) {
    if (m_events.size() < kMost)
        m_events.push_back(event);
}

std::optional<analysis::MemoryPeak> LiveMemory::peak() {
    if (m_events.empty())
        return std::nullopt;
    std::ranges::stable_sort(m_events, {}, &Event::time);
    const auto highest = std::ranges::max_element(m_events, {}, &Event::allocated);
    std::unordered_map<std::int64_t, std::int64_t> live; // bytes by address
    std::int64_t sum = 0;
    for (auto event = m_events.begin(); event <= highest; ++event) {
        if (event->bytes > 0) {
            std::int64_t& bytes = live[event->address];
            sum += event->bytes - bytes;
            bytes = event->bytes;
        } else if (const auto found = live.find(event->address); found != live.end()) {
            sum -= found->second;
            live.erase(found);
        }
    }
    analysis::MemoryPeak peak;
    peak.time = highest->time;
    peak.allocated = highest->allocated;
    peak.reserved = highest->reserved;
    peak.count = static_cast<std::int64_t>(live.size());
    peak.byUse = {{MemoryUse::Unknown, peak.allocated}};
    peak.largest = bySize(live, std::max<std::int64_t>(0, peak.allocated - sum));
    return peak;
}

bool FlowJoin::wait(std::uint64_t place, const Waiting& waiting) {
    if (m_waiting.size() >= kMaxWaiting)
        return false;
    m_waiting.emplace(keyOf(place, waiting.span.start), waiting);
    return true;
}

std::vector<FlowJoin::Waiting> FlowJoin::take(std::uint64_t place, TimeNs time, std::int64_t id) {
    std::vector<Waiting> taken;
    const auto [begin, end] = m_waiting.equal_range(keyOf(place, time));
    for (auto it = begin; it != end; ++it) {
        taken.push_back(it->second);
        taken.back().span.correlation = id;
    }
    m_waiting.erase(begin, end);
    return taken;
}

std::vector<FlowJoin::Waiting> FlowJoin::takeRest() {
    std::vector<Waiting> rest = vectorOf(m_waiting, [](const auto& one) { return one.second; });
    m_waiting.clear();
    return rest;
}

void ExternalJoin::operatorAt(std::int64_t external, std::size_t track, TimeNs start) {
    if (m_count++ >= kMost)
        return;
    store::ByteWriter writer(m_packed);
    writer.signedVarint(store::wrappingDifference(external, m_last.external));
    writer.varint(track);
    writer.signedVarint(store::wrappingDifference(start.ns, m_last.start.ns));
    m_last = {external, track, start};
}

void ExternalJoin::unpack() {
    Operator last;
    for (store::ByteReader reader(m_packed); reader.left() > 0; m_operators.push_back(last)) {
        last.external = store::wrappingSum(last.external, reader.signedVarint());
        last.track = static_cast<std::size_t>(reader.varint());
        last.start.ns = store::wrappingSum(last.start.ns, reader.signedVarint());
    }
    m_packed = {};
    m_last = {};
    std::ranges::stable_sort(m_operators, {}, &Operator::external);
}

std::optional<FlowJoin::Waiting> ExternalJoin::launch(FlowJoin::Waiting& work) {
    constexpr std::int64_t kFirst = std::int64_t{1} << 52; // above those of any driver
    const SpanKind kind = work.span.kind;
    const bool isWork = kind == SpanKind::Kernel || kind == SpanKind::Copy || kind == SpanKind::Set;
    if (!isWork || work.external == 0)
        return std::nullopt;
    if (!m_packed.empty())
        unpack();
    // The last one of several with that number.
    const auto behind
        = std::ranges::upper_bound(m_operators, work.external, {}, &Operator::external);
    if (behind == m_operators.begin() || std::prev(behind)->external != work.external)
        return std::nullopt;
    const Operator& found = *std::prev(behind);
    work.span.correlation = kFirst + m_launches++;
    FlowJoin::Waiting launch{found.track, {}, 0};
    launch.span.start = found.start;
    launch.span.kind = SpanKind::Runtime;
    launch.span.correlation = work.span.correlation;
    return launch;
}

void CollectiveJoin::rangeAt(std::size_t thread, TimeRange range, analysis::CollectiveKind kind) {
    if (m_rangeCount++ < ExternalJoin::kMost)
        m_ranges[thread][range.begin] = {range.end, kind};
}

// The innermost range counts.
void CollectiveJoin::launch(std::size_t thread, TimeNs moment, std::int64_t correlation) {
    const auto found = m_ranges.find(thread);
    if (found == m_ranges.end() || m_launches.size() >= ExternalJoin::kMost)
        return;
    constexpr int kMostNested = 8;
    auto at = found->second.upper_bound(moment);
    for (int i = 0; i < kMostNested && at != found->second.begin(); ++i) {
        if ((--at)->second.end < moment)
            continue;
        m_launches.emplace(correlation, at->second.kind);
        return;
    }
}

bool CollectiveJoin::wait(const FlowJoin::Waiting& kernel, std::string_view detail) {
    if (m_kernels.size() >= ExternalJoin::kMost)
        return false;
    m_kernels.push_back(kernel);
    m_details.emplace(kernel.span.detail, detail);
    return true;
}

void CollectiveJoin::takeAll(
    const std::function<void(FlowJoin::Waiting, const std::string&)>& visit) {
    for (const FlowJoin::Waiting& kernel : std::exchange(m_kernels, {})) {
        std::string detail;
        const auto found = m_launches.find(kernel.span.correlation);
        if (found != m_launches.end()) {
            const std::string& own = m_details.at(kernel.span.detail);
            detail = DetailText().add("Collective name", toString(found->second)).take();
            if (!own.empty())
                detail.replace(detail.size() - 1, 1, 1, ',').append(own, 1);
        }
        visit(kernel, detail);
    }
}

void SideEvents::take(const TraceEvent& event) {
    switch (event.ph.text.front()) {
    case 'C':
        return counter(event);
    case 'M':
        return threadName(event);
    case 'i':
    case 'I':
        return memory(event);
    default:
        return;
    }
}

bool SideEvents::isAsynchronous(const TraceEvent& event) {
    return event.ph.text.find_first_of("beSF") == 0;
}

// Begins and ends of one thread lie within one another; asynchronous ones are told by category, id
// and name, on whatever thread.
std::string SideEvents::threadOf(const TraceEvent& event) {
    std::string thread(labelOf(event.pid, m_text));
    thread.append(1, '\0');
    if (!isAsynchronous(event))
        return thread.append(labelOf(event.tid, m_text));
    return thread.append(event.cat.text)
        .append(1, '\0')
        .append(event.id.raw())
        .append(1, '\0')
        .append(event.name.text);
}

void SideEvents::begin(const TraceEvent& event) {
    if (m_begunCount >= kMaxBegun) {
        ++m_unpaired;
        return;
    }
    Begun begun;
    begun.start = microsecondsToNs(event.ts.text).value_or(0);
    begun.kind = eventKindOf(categoryOf(event));
    appendDetail(event, begun.kind.kind, begun.detail);
    begun.name = plainText(event.name, m_text);
    m_begun[threadOf(event)].push_back(std::move(begun));
    ++m_begunCount;
}

std::optional<SideEvents::Ended> SideEvents::end(const TraceEvent& event) {
    const auto found = m_begun.find(threadOf(event));
    if (found == m_begun.end() || found->second.empty()) {
        ++m_unpaired;
        return std::nullopt;
    }
    Begun begun = std::move(found->second.back());
    found->second.pop_back();
    --m_begunCount;
    Ended ended;
    ended.span.start = {begun.start};
    const std::int64_t end = microsecondsToNs(event.ts.text).value_or(begun.start);
    ended.span.duration = {std::max<std::int64_t>(end - begun.start, 0)};
    ended.span.kind = begun.kind.kind;
    ended.name = std::move(begun.name);
    ended.detail = std::move(begun.detail);
    ended.track = trackLabelOf(event, begun.kind, event.arg("stream"), event.arg("device"));
    if (isAsynchronous(event))
        ended.track = asynchronousTrack(event, ended.name);
    if (hasCorrelation(begun.kind.kind)) {
        const JsonToken* correlation = event.arg("correlation");
        ended.span.correlation = correlation == nullptr ? 0 : integerOf(*correlation).value_or(0);
        ended.mayWaitForArrow = ended.span.correlation == 0 && begun.kind.kind != SpanKind::Sync;
    }
    return ended;
}

// They run over one another: those of one name share a track, as long as names are few.
TrackLabel SideEvents::asynchronousTrack(const TraceEvent& event, const std::string& name) {
    constexpr std::size_t kMostTracks = 64;
    TrackLabel label;
    label.kind = TrackKind::Other;
    label.process = labelOf(event.pid, m_text);
    label.thread = std::string(event.cat.text);
    if (m_asynchronous.size() < kMostTracks || m_asynchronous.contains(name)) {
        m_asynchronous.insert(name);
        label.thread += " " + name;
    }
    return label;
}

void SideEvents::counter(const TraceEvent& event) {
    const auto time = microsecondsToNs(event.ts.text);
    if (!time)
        return;
    const std::string name(plainText(event.name, m_text));
    const std::string_view process = labelOf(event.pid, m_text);
    const auto device = deviceOfCounters(process);
    for (const EventField& field : event.args) {
        const auto value = numberOf(field.value);
        if (!value)
            continue;
        if (device && field.key.text.empty()) {
            m_output.addSample(gpuSeries(*device, process, name), {*time}, *value);
            continue;
        }
        const bool isOnly = event.args.size() == 1 || field.key.text == name;
        m_output.addSample(isOnly ? name : name + " " + std::string(field.key.text), unitOf(event),
            {*time}, *value);
    }
}

// Only devices with work have counters, and these come behind it: the first is the rank's own.
std::size_t SideEvents::gpuSeries(int device, std::string_view process, std::string_view name) {
    const std::string key = std::string(process).append(1, '\0').append(name);
    if (const auto found = m_gpuSeries.find(key); found != m_gpuSeries.end())
        return found->second;
    const auto* const known = std::ranges::find(kGpuCounters, name, &GpuCounter::name);
    SeriesDescription description;
    description.metric = {std::string(name), "1", MetricKind::Gauge, std::string(name)};
    if (known != kGpuCounters.end()) {
        description.metric = *findMetric(known->metric);
        description.scale = known->scale;
    }
    description.subject.rank = m_output.rank();
    if (m_output.firstDevice() >= 0 && device != m_output.firstDevice())
        description.subject.device = "cuda:" + std::to_string(device);
    return m_gpuSeries.emplace(key, m_output.series(std::move(description))).first->second;
}

void SideEvents::memory(const TraceEvent& event) {
    const JsonToken* allocated = event.arg("Total Allocated");
    const JsonToken* reserved = event.arg("Total Reserved");
    const JsonToken* type = event.arg("Device Type");
    if (allocated == nullptr || type == nullptr || !isGpuType(integerOf(*type)))
        return;
    const auto time = microsecondsToNs(event.ts.text);
    const auto bytes = numberOf(*allocated);
    if (!time || !bytes)
        return;
    const JsonToken* device = event.arg("Device Id");
    const std::int64_t number = device == nullptr ? 0 : integerOf(*device).value_or(0);
    const MemorySeries& series = memoryOf(number);
    m_output.addSample(series.allocated, {*time}, *bytes);
    const auto total = reserved == nullptr ? std::nullopt : numberOf(*reserved);
    const JsonToken* address = event.arg("Addr");
    const JsonToken* size = event.arg("Bytes");
    const auto at = address == nullptr ? std::nullopt : integerOf(*address);
    const auto change = size == nullptr ? std::nullopt : integerOf(*size);
    const auto now = integerOf(*allocated);
    if (at && change && now && m_memory.contains(number))
        m_live[number].add({{*time}, *at, *change, *now,
            reserved == nullptr ? 0 : integerOf(*reserved).value_or(0)});
    if (total) {
        m_output.addSample(series.reserved, {*time}, *total);
        m_output.addSample(series.unallocated, {*time}, *total - *bytes);
    }
}

std::vector<analysis::AllocatorRecord> SideEvents::memoryRecords(DurationNs base) {
    std::vector<analysis::AllocatorRecord> records;
    for (auto& [device, live] : m_live) {
        auto peak = live.peak();
        if (!peak)
            continue;
        analysis::AllocatorRecord record;
        record.rank = m_output.rank();
        record.device = static_cast<int>(std::clamp<std::int64_t>(device, 0, 1 << 20));
        record.events = live.events();
        record.peak = std::move(*peak);
        if (record.peak.time)
            record.peak.time = *record.peak.time + base;
        records.push_back(std::move(record));
    }
    return records;
}

// A rank's first device is the rank's, others are told apart.
const SideEvents::MemorySeries& SideEvents::memoryOf(std::int64_t device) {
    constexpr std::size_t kMostMemories = 64;
    if (const auto found = m_memory.find(device); found != m_memory.end())
        return found->second;
    if (m_memory.size() >= kMostMemories)
        return m_memory.begin()->second;
    const auto make = [&](const char* name) {
        SeriesDescription description;
        description.metric = *findMetric(name);
        description.subject.rank = m_output.rank();
        if (!m_memory.empty())
            description.subject.device = "cuda:" + std::to_string(device);
        return m_output.series(std::move(description));
    };
    const MemorySeries made{make(metric::kTorchAllocated), make(metric::kTorchReserved),
        make(metric::kTorchUnallocated)};
    return m_memory.emplace(device, made).first->second;
}

void SideEvents::threadName(const TraceEvent& event) {
    if (event.name.text != "thread_name")
        return;
    const JsonToken* name = event.arg("name");
    if (name == nullptr || name->kind != TokenKind::String)
        return;
    std::string process;
    std::string thread;
    m_output.nameThread(
        labelOf(event.pid, process), labelOf(event.tid, thread), plainText(*name, m_text));
}

} // namespace trainscope::importers::kineto
