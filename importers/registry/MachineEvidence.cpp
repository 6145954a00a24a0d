#include "importers/registry/MachineEvidence.h"

#include "core/model/Try.h"
#include "importers/registry/Excerpts.h"
#include "importers/registry/Registry.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

namespace trainscope::importers {

namespace {

// Calls of an import of telemetry to its sink, to be told again.
class KeptCalls {
public:
    // The run and the series that the other sink makes.
    struct Ids {
        std::string name; // that the run has by now
        RunId run;
        std::vector<SeriesId> series;
    };
    using Call = std::function<Status(Sink&, Ids&)>;

    explicit KeptCalls(std::uint64_t mostBytes)
        : m_bytesLeft(mostBytes) { }

    void add(Call call, std::uint64_t bytes = 0) {
        if (bytes > m_bytesLeft)
            drop();
        if (!m_isWhole)
            return;
        m_bytesLeft -= bytes;
        m_bytes += bytes;
        m_calls.push_back(std::move(call));
    }
    void drop() {
        m_isWhole = false;
        m_calls.clear();
        m_bytes = 0;
    }
    [[nodiscard]] bool isWhole() const { return m_isWhole; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    Status tell(Sink& sink, const std::string& run, const Progress& progress,
        const ProgressState& state) const {
        Ids ids{run, {}, {}};
        for (const Call& call : m_calls) {
            RETURN_IF_ERROR(call(sink, ids));
            if (progress && !progress(state))
                return cancelled();
        }
        return {};
    }

private:
    std::vector<Call> m_calls;
    std::uint64_t m_bytesLeft;
    std::uint64_t m_bytes = 0;
    bool m_isWhole = true;
};

} // namespace

// Reading of a unit, in its own numbers.
struct UnitReading {
    // Calls of a log that was read whole, and what the unit said then.
    std::optional<KeptCalls> calls;
    ImportReport report;
    std::optional<int> saidRank;
    std::optional<std::int64_t> saidOffset;
    std::int64_t utcOffsetSeconds = 0; // that it was read with
    MachineSeen seen;
    PowerByRank power;
    bool isExcerpt = false;
    analysis::TracedWork work; // of a trace
    std::optional<int> device;
};

namespace {

constexpr std::uint64_t kReadForEvidence = std::uint64_t{16} << 20;
constexpr std::uint64_t kTracesForEvidence = std::uint64_t{64} << 20;
constexpr std::uint64_t kKeptOfLogs = std::uint64_t{32} << 20; // samples in memory, of a plan
constexpr DurationNs kTogether{10'000'000'000}; // snapshots of one moment are taken that closely

// Takes what an import says of GPUs and times, of samples the power and of spans when the device
// worked.
class EvidenceSink final : public Sink {
public:
    explicit EvidenceSink(std::uint64_t keptBytes = 0)
        : kept(keptBytes) { }

    Result<RunId> run(const Run& run) override {
        kept.add([run](Sink& sink, KeptCalls::Ids& ids) {
            Run named = run;
            named.name = ids.name;
            const auto id = sink.run(named);
            ids.run = id.valueOr(ids.run);
            return id.hasValue() ? Status() : Status(id.error());
        });
        if (!run.gpuModel.empty())
            model = run.gpuModel;
        return RunId{1};
    }
    Status gpu(RunId, const Gpu& gpu) override {
        kept.add([gpu](Sink& sink, KeptCalls::Ids& ids) { return sink.gpu(ids.run, gpu); });
        if (!gpu.model.empty())
            model = gpu.model;
        if (!gpu.uuid.empty())
            uuids.insert(gpu.uuid);
        return {};
    }
    Result<SeriesId> series(RunId, const SeriesDescription& description) override {
        if (description.subject.kind == SubjectKind::Gpu)
            ranks.insert(description.subject.rank);
        m_series.push_back(description);
        kept.add([description](Sink& sink, KeptCalls::Ids& ids) {
            const auto id = sink.series(ids.run, description);
            ids.series.push_back(id.valueOr({}));
            return id.hasValue() ? Status() : Status(id.error());
        });
        return SeriesId{static_cast<std::int64_t>(m_series.size())};
    }
    Status samples(
        SeriesId id, std::span<const TimeNs> times, std::span<const double> values) override {
        const auto place = static_cast<std::size_t>(id.value) - 1;
        const auto& series = m_series[place];
        if (kept.isWhole())
            kept.add(
                [place, times = std::vector(times.begin(), times.end()),
                    values = std::vector(values.begin(), values.end())](Sink& sink,
                    KeptCalls::Ids& ids) { return sink.samples(ids.series[place], times, values); },
                times.size() * (sizeof(TimeNs) + sizeof(double)));
        if (series.metric.kind == MetricKind::Gauge)
            takeGauge(series, times, values);
        for (const TimeNs time : times)
            range = range ? TimeRange{std::min(range->begin, time), std::max(range->end, time)}
                          : TimeRange{time, time};
        return {};
    }
    Status counterBits(SeriesId id, int bits) override {
        const auto place = static_cast<std::size_t>(id.value) - 1;
        kept.add([place, bits](Sink& sink, KeptCalls::Ids& ids) {
            return sink.counterBits(ids.series[place], bits);
        });
        return {};
    }
    Result<TrackId> track(RunId, const TrackDescription& description) override {
        kept.drop();
        m_isStream.push_back(description.kind == TrackKind::Stream);
        if (m_isStream.back() && !device)
            device = description.device;
        return TrackId{static_cast<std::int64_t>(m_isStream.size())};
    }
    Status spans(TrackId track, std::span<const Span> spans) override {
        if (!m_isStream[static_cast<std::size_t>(track.value) - 1])
            return {};
        for (const Span& span : spans) {
            if (span.kind == SpanKind::Kernel || span.kind == SpanKind::Copy
                || span.kind == SpanKind::Set)
                work.push_back({span.start, span.start + span.duration});
        }
        return {};
    }
    Result<NameId> intern(std::string_view) override {
        kept.drop();
        return NameId{1};
    }
    Status iteration(RunId, const Iteration& iteration) override {
        kept.add([iteration](Sink& sink, KeptCalls::Ids& ids) {
            return sink.iteration(ids.run, iteration);
        });
        return {};
    }
    Status capture(RunId, const Capture&) override {
        kept.drop();
        return {};
    }

    KeptCalls kept;

    std::string model;
    std::set<std::string> uuids;
    std::set<int> ranks;
    std::optional<TimeRange> range;
    MeanReadings means;
    PowerByRank power;
    PowerByRank averagePower;
    std::vector<TimeRange> work;
    std::optional<int> device; // of the first stream

private:
    void takeGauge(const SeriesDescription& series, std::span<const TimeNs> times,
        std::span<const double> values) {
        auto& mean = means[{series.metric.name, series.subject.rank}];
        const bool isOfGpu
            = series.subject.kind == SubjectKind::Gpu && series.subject.device.empty();
        const bool isAverage = series.metric.name == metric::kGpuPowerAverage;
        const bool isPower = isOfGpu && (isAverage || series.metric.name == metric::kGpuPower);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = values[i] * series.scale;
            if (std::isnan(value))
                continue;
            mean.sum += value;
            mean.count += 1.0;
            if (!isPower)
                continue;
            auto& readings = (isAverage ? averagePower : power)[series.subject.rank];
            readings.times.push_back(times[i]);
            readings.watts.push_back(static_cast<float>(value));
        }
        if (mean.count == 0.0)
            means.erase({series.metric.name, series.subject.rank});
    }

    std::vector<SeriesDescription> m_series;
    std::vector<bool> m_isStream;
};

void sortByTime(analysis::PowerReadings& readings) {
    if (std::is_sorted(readings.times.begin(), readings.times.end()))
        return;
    std::vector<std::pair<TimeNs, float>> pairs;
    for (std::size_t i = 0; i < readings.times.size(); ++i)
        pairs.emplace_back(readings.times[i], readings.watts[i]);
    std::stable_sort(
        pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        readings.times[i] = pairs[i].first;
        readings.watts[i] = pairs[i].second;
    }
}

// The average where a GPU has no other.
PowerByRank sortedPower(EvidenceSink& sink) {
    sink.power.merge(sink.averagePower);
    for (auto& [rank, readings] : sink.power)
        sortByTime(readings);
    return std::move(sink.power);
}

Excerpts::Parts excerptOf(const ImportUnit& unit, std::vector<double> places) {
    constexpr std::uint64_t kLeast = std::uint64_t{256} << 10;
    const std::uint64_t parts = unit.files.size() * (places.size() + 1);
    return {
        std::max(kLeast, kReadForEvidence / std::max<std::uint64_t>(parts, 1)), std::move(places)};
}

// Evidence that the plan has of it.
MachineSeen seenByPlan(const ImportUnit& unit) {
    MachineSeen seen;
    seen.isTelemetry = hasGpuReadings(unit);
    const bool isDated = unit.clock != ClockKind::None && !unit.isUndated && unit.start;
    if (isDated)
        seen.range = TimeRange{*unit.start, *unit.start};
    if (isDated && unit.clock == ClockKind::Local) {
        const TimeNs start
            = *unit.start - DurationNs{unit.utcOffsetSeconds.value_or(0) * 1'000'000'000};
        seen.range = TimeRange{start, start};
    }
    if (unit.rank && !seen.isTelemetry)
        seen.ranks.insert(*unit.rank);
    seen.isEndKnown = !seen.isTelemetry;
    seen.vendor = catalogue::vendorOf(unit.gpuModel);
    seen.model = catalogue::findGpuModel(unit.gpuModel);
    return seen;
}

// Those that say something of a machine; nothing needs to be read for others.
bool isOfMachine(const ImportUnit& unit) {
    return hasGpuReadings(unit) || unit.rank.has_value();
}

// The power of one GPU over the same time differs by more than sensors do.
bool areOfOtherPower(const MachineSeen& a, const MachineSeen& b) {
    constexpr double kOtherPower = 0.25;
    constexpr double kCommon = 0.8; // of the longer
    if (!a.range || !b.range || !a.isEndKnown || !b.isEndKnown)
        return false;
    const TimeRange common{
        std::max(a.range->begin, b.range->begin), std::min(a.range->end, b.range->end)};
    const double longer = std::max(a.range->length().seconds(), b.range->length().seconds());
    if (common.isEmpty() || common.length().seconds() < kCommon * longer)
        return false;
    return std::any_of(a.means.begin(), a.means.end(), [&](const auto& mean) {
        const auto other = b.means.find(mean.first);
        if (mean.first.first != metric::kGpuPower || other == b.means.end())
            return false;
        const double first = mean.second.value();
        const double second = other->second.value();
        return std::abs(first - second) > kOtherPower * std::max(first, second);
    });
}

bool areOfTwoMachines(const MachineSeen& a, const MachineSeen& b) {
    using catalogue::Vendor;
    if (a.vendor != b.vendor && a.vendor != Vendor::Unknown && b.vendor != Vendor::Unknown)
        return true;
    if (a.model != nullptr && b.model != nullptr && a.model != b.model)
        return true;
    const bool shareUuids = std::any_of(a.uuids.begin(), a.uuids.end(),
        [&b](const std::string& uuid) { return b.uuids.contains(uuid); });
    if (!a.uuids.empty() && !b.uuids.empty() && !shareUuids)
        return true;
    return (a.range && b.range && !a.overlaps(b))
        || (a.isTelemetry && b.isTelemetry && areOfOtherPower(a, b));
}

} // namespace

namespace {

// A log may grow while its import is looked at.
bool isAsItWas(const SourceTree& tree, const ImportUnit& unit) {
    std::uint64_t bytes = 0;
    for (const std::string& file : unit.files) {
        const std::string path = tree.localPath(file);
        std::error_code failure;
        bytes += path.empty() ? tree.sizeOf(file) : std::filesystem::file_size(path, failure);
        if (failure)
            return false;
    }
    return bytes == unit.bytes;
}

} // namespace

std::optional<Result<ImportReport>> importKept(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    if (!unit.reading || !unit.reading->calls || unit.reading->saidRank != unit.rank
        || unit.reading->saidOffset != unit.utcOffsetSeconds || unit.saidStart || unit.saidPeriod
        || !isAsItWas(tree, unit))
        return std::nullopt;
    const Status told = unit.reading->calls->tell(
        sink, unit.runName, progress, {"Writing", unit.bytes, unit.bytes});
    if (!told.hasValue())
        return Result<ImportReport>(told.error());
    return Result<ImportReport>(unit.reading->report);
}

bool hasGpuReadings(const ImportUnit& unit) {
    const Importer* importer = findImporter(unit.importer);
    return importer != nullptr && importer->format.readsGpus;
}

void addNote(ImportUnit& unit, const std::string& note) {
    if (std::find(unit.notes.begin(), unit.notes.end(), note) == unit.notes.end())
        unit.notes.push_back(note);
}

bool MachineSeen::overlaps(const MachineSeen& other) const {
    const auto beginsBeforeEnd = [](const MachineSeen& one, const MachineSeen& two) {
        return !two.isEndKnown || one.range->begin < two.range->end + kTogether;
    };
    return beginsBeforeEnd(*this, other) && beginsBeforeEnd(other, *this);
}

std::optional<double> MachineSeen::powerLimit() const {
    return model == nullptr ? std::nullopt : model->powerLimitW;
}

// As of the last time that it was asked for: zones and places are found meanwhile.
struct MachineEvidence::Known {
    MachineSeen seen;
    std::optional<std::int64_t> utcOffsetSeconds;
    PlaceInRun place;
    bool isRead = false;
    bool isTraceRead = false;
    analysis::TracedWork work; // of a run of a database
};

MachineEvidence::MachineEvidence(std::vector<PlannedUnit> units, Progress progress)
    : m_units(std::move(units))
    , m_progress(std::move(progress))
    , m_traceBytesLeft(kTracesForEvidence)
    , m_keptBytesLeft(kKeptOfLogs) {
    for (std::size_t i = 0; i < m_units.size(); ++i)
        m_places[m_units[i].unit] = i;
}

MachineEvidence::~MachineEvidence() = default;

const PlannedUnit* MachineEvidence::planned(const ImportUnit& unit) const {
    const auto found = m_places.find(&unit);
    return found == m_places.end() ? nullptr : &m_units[found->second];
}

void MachineEvidence::readLog(const PlannedUnit& planned) {
    ImportUnit& unit = *planned.unit;
    auto reading = std::make_shared<UnitReading>();
    reading->utcOffsetSeconds = unit.utcOffsetSeconds.value_or(0);
    reading->seen = seenByPlan(unit);
    reading->isExcerpt = unit.bytes > kReadForEvidence;
    EvidenceSink sink(reading->isExcerpt ? 0 : m_keptBytesLeft);
    const Excerpts excerpts(*planned.tree, excerptOf(unit, {0.5, 1.0}));
    const SourceTree& tree = reading->isExcerpt ? excerpts : *planned.tree;
    const auto read = findImporter(unit.importer)->import(tree, unit, sink, m_progress);
    MachineSeen& seen = reading->seen;
    if (read.hasValue()) {
        const std::string model = sink.model.empty() ? unit.gpuModel : sink.model;
        const auto format = read.value().facts.find("format");
        seen.vendor = catalogue::vendorOf(
            model.empty() && format != read.value().facts.end() ? format->second : model);
        seen.model = catalogue::findGpuModel(model);
        seen.uuids = std::move(sink.uuids);
        seen.ranks = std::move(sink.ranks);
        seen.means = std::move(sink.means);
        if (seen.range && sink.range)
            seen.range = sink.range;
        seen.isEndKnown = true;
        reading->power = sortedPower(sink);
        if (!reading->isExcerpt && sink.kept.isWhole()) {
            m_keptBytesLeft -= sink.kept.bytes();
            reading->calls = std::move(sink.kept);
            reading->report = read.value();
            reading->saidRank = unit.rank;
            reading->saidOffset = unit.utcOffsetSeconds;
        }
    }
    unit.reading = std::move(reading);
}

MachineEvidence::Known& MachineEvidence::known(const ImportUnit& unit) {
    auto& found = m_known[&unit];
    if (!found)
        found = std::make_unique<Known>();
    Known& known = *found;
    if (known.isRead && known.utcOffsetSeconds == unit.utcOffsetSeconds
        && known.place == unit.place)
        return known;
    if (known.isRead) {
        m_contradictions.clear();
        m_byPower.clear();
    }
    known.isRead = true;
    known.utcOffsetSeconds = unit.utcOffsetSeconds;
    known.place = unit.place;
    const PlannedUnit* own = planned(unit);
    if (own != nullptr && own->known != nullptr) {
        known.seen = own->known->seen;
        return known;
    }
    if (own != nullptr && hasGpuReadings(unit) && !unit.reading)
        readLog(*own);
    if (!hasGpuReadings(unit) || !unit.reading) {
        known.seen = seenByPlan(unit);
        return known;
    }
    known.seen = unit.reading->seen;
    const DurationNs later{
        (unit.reading->utcOffsetSeconds - unit.utcOffsetSeconds.value_or(0)) * 1'000'000'000};
    if (known.seen.range && unit.clock == ClockKind::Local)
        known.seen.range
            = TimeRange{known.seen.range->begin + later, known.seen.range->end + later};
    known.seen.ranks.clear();
    for (const int rank : unit.reading->seen.ranks)
        known.seen.ranks.insert(rank + unit.place.rank);
    known.seen.means.clear();
    for (const auto& [key, mean] : unit.reading->seen.means)
        known.seen.means[{key.first, key.second < 0 ? key.second : key.second + unit.place.rank}]
            = mean;
    return known;
}

const MachineSeen& MachineEvidence::of(const ImportUnit& unit) {
    return known(unit).seen;
}

PowerByRank MachineEvidence::powerOf(const ImportUnit& unit, TimeRange around) {
    const MachineSeen seen = of(unit);
    const PlannedUnit* own = planned(unit);
    if (own != nullptr && own->known != nullptr)
        return own->known->power ? own->known->power(around) : PowerByRank();
    if (!unit.reading || !seen.isTelemetry)
        return {};
    PowerByRank read;
    const PowerByRank* power = &unit.reading->power;
    std::int64_t offset = unit.reading->utcOffsetSeconds;
    const double length = seen.range ? seen.range->length().seconds() : 0.0;
    if (own != nullptr && unit.reading->isExcerpt && length > 0.0) {
        // Logs are written steadily: its place in time is about its place in the file.
        const auto placeOf = [&](TimeNs moment) {
            return std::clamp((moment - seen.range->begin).seconds() / length, 0.0, 1.0);
        };
        EvidenceSink sink;
        const Excerpts excerpts(
            *own->tree, excerptOf(unit, {(placeOf(around.begin) + placeOf(around.end)) / 2.0}));
        if (findImporter(unit.importer)->import(excerpts, unit, sink, m_progress).hasValue()) {
            read = sortedPower(sink);
            power = &read;
            offset = unit.utcOffsetSeconds.value_or(0);
        }
    }
    const bool isLocal = unit.clock == ClockKind::Local;
    const DurationNs later{
        isLocal ? (offset - unit.utcOffsetSeconds.value_or(0)) * 1'000'000'000 : 0};
    PowerByRank placed;
    for (const auto& [rank, readings] : *power) {
        analysis::PowerReadings& shifted = placed[rank + unit.place.rank];
        shifted = readings;
        for (TimeNs& time : shifted.times)
            time = time + later;
    }
    return placed;
}

void MachineEvidence::readTrace(const PlannedUnit& planned) {
    ImportUnit& unit = *planned.unit;
    if (unit.reading || unit.bytes > m_traceBytesLeft)
        return;
    m_traceBytesLeft -= unit.bytes;
    auto reading = std::make_shared<UnitReading>();
    EvidenceSink sink;
    const auto read = findImporter(unit.importer)->import(*planned.tree, unit, sink, m_progress);
    if (read.hasValue() && !sink.work.empty()) {
        TimeRange window = sink.work.front();
        for (const TimeRange& part : sink.work)
            window = {std::min(window.begin, part.begin), std::max(window.end, part.end)};
        reading->work.add(window, std::move(sink.work));
        reading->device = sink.device;
    }
    unit.reading = std::move(reading);
}

const analysis::TracedWork& MachineEvidence::workOf(const ImportUnit& unit) {
    static const analysis::TracedWork kNone;
    Known& one = known(unit);
    const PlannedUnit* own = planned(unit);
    if (own == nullptr || one.seen.isTelemetry || !unit.rank)
        return kNone;
    const bool isNew = !std::exchange(one.isTraceRead, true);
    if (own->known != nullptr) {
        if (isNew && own->known->work)
            one.work = own->known->work();
        return one.work;
    }
    if (isNew && findImporter(unit.importer) != nullptr && !unit.machine)
        readTrace(*own);
    return unit.reading ? unit.reading->work : kNone;
}

std::optional<int> MachineEvidence::deviceOf(const ImportUnit& unit) {
    static_cast<void>(workOf(unit));
    return unit.reading ? unit.reading->device : std::nullopt;
}

const analysis::GpuByPower& MachineEvidence::byPower(
    const ImportUnit& log, const ImportUnit& trace) {
    const MachineSeen seen = of(log);
    const auto [at, isNew] = m_byPower.try_emplace({&log, &trace});
    if (!isNew || trace.clock != ClockKind::Utc || !seen.range)
        return at->second;
    const auto& work = workOf(trace);
    if (work.isEmpty())
        return at->second;
    const auto limit = seen.model != nullptr ? seen.powerLimit() : of(trace).powerLimit();
    at->second = analysis::gpuByPower(work, powerOf(log, work.range()), limit);
    return at->second;
}

bool MachineEvidence::follows(const ImportUnit& log, const ImportUnit& trace) {
    const auto& found = byPower(log, trace);
    return found.gpu || !found.following.empty();
}

bool MachineEvidence::contradict(const ImportUnit& a, const ImportUnit& b) {
    const auto says = [this](const ImportUnit& unit) {
        const PlannedUnit* own = planned(unit);
        return isOfMachine(unit) || (own != nullptr && own->known != nullptr);
    };
    if (!says(a) || !says(b))
        return false;
    static_cast<void>(known(a));
    static_cast<void>(known(b));
    const Pair key = &a < &b ? Pair{&a, &b} : Pair{&b, &a};
    if (const auto found = m_contradictions.find(key); found != m_contradictions.end())
        return found->second;
    const bool isLog = of(a).isTelemetry;
    const bool isOtherLog = of(b).isTelemetry;
    bool contradicts = areOfTwoMachines(of(a), of(b));
    if (!contradicts && isLog != isOtherLog)
        contradicts = (isLog ? byPower(a, b) : byPower(b, a)).isContradicted;
    m_contradictions[key] = contradicts;
    return contradicts;
}

} // namespace trainscope::importers
