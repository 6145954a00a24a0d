#include "importers/registry/MachineEvidence.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/SortByTime.h"
#include "importers/common/RunFolders.h"
#include "importers/registry/Registry.h"

#include <iterator>

namespace trainscope::importers {

// Reading of a unit, in its own numbers.
struct UnitReading {
    std::int64_t samples = 0;
    std::int64_t utcOffsetSeconds = 0; // it was read with
    MachineSeen seen;
    PowerByRank power;
    analysis::TracedWork work; // a trace's
    std::optional<int> device;
};

namespace {

constexpr std::uint64_t kPowerForEvidence = std::uint64_t{16} << 20; // readings of all logs
constexpr std::uint64_t kTracesForEvidence = std::uint64_t{64} << 20;
constexpr DurationNs kTogether{10'000'000'000}; // snapshots of one moment are taken that closely

// Takes what an import says of GPUs and times, of samples the power and of spans when the device
// worked.
class EvidenceSink final : public Sink {
public:
    // Takes no more readings of power than that, and takes them off.
    explicit EvidenceSink(std::uint64_t& mostPower)
        : m_powerLeft(mostPower) { }

    Result<RunId> run(const Run& run) override {
        if (!run.gpuModel.empty())
            model = run.gpuModel;
        worldSize = std::max(worldSize, run.worldSize);
        return RunId{1};
    }
    Status gpu(RunId, const Gpu& gpu) override {
        if (!gpu.model.empty())
            model = gpu.model;
        gpus.push_back(gpu);
        return {};
    }
    Result<SeriesId> series(RunId, const SeriesDescription& description) override {
        if (description.subject.kind == SubjectKind::Gpu)
            ranks.insert(description.subject.rank);
        m_series.push_back(description);
        return SeriesId{static_cast<std::int64_t>(m_series.size())};
    }
    Status samples(
        SeriesId id, std::span<const TimeNs> times, std::span<const double> values) override {
        takePower(m_series[static_cast<std::size_t>(id.value) - 1], times, values);
        for (const TimeNs time : times)
            takeTime(time);
        return {};
    }
    Result<TrackId> track(RunId, const TrackDescription& description) override {
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
    Result<NameId> intern(std::string_view) override { return NameId{1}; }
    Status iteration(RunId, const Iteration& iteration) override {
        takeTime(iteration.range.begin);
        takeTime(iteration.range.end);
        return {};
    }

    std::string model;
    int worldSize = 0;
    std::vector<Gpu> gpus;
    std::set<int> ranks;
    std::optional<TimeRange> range;
    PowerByRank power;
    PowerByRank averagePower;
    std::vector<TimeRange> work;
    std::optional<int> device; // the first stream's

private:
    void takeTime(TimeNs time) {
        range = analysis::spanned(range.value_or(analysis::kNoTime), {time, time});
    }
    void takePower(const SeriesDescription& series, std::span<const TimeNs> times,
        std::span<const double> values) {
        const bool isAverage = series.metric.name == metric::kGpuPowerAverage;
        if (series.subject.kind != SubjectKind::Gpu || !series.subject.device.empty()
            || (!isAverage && series.metric.name != metric::kGpuPower))
            return;
        auto& readings = (isAverage ? averagePower : power)[series.subject.rank];
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::isnan(values[i]) || m_powerLeft == 0)
                continue;
            --m_powerLeft;
            readings.times.push_back(times[i]);
            readings.watts.push_back(static_cast<float>(values[i] * series.scale));
        }
    }

    std::uint64_t& m_powerLeft;
    std::vector<SeriesDescription> m_series;
    std::vector<bool> m_isStream;
};

double meanOf(const analysis::PowerReadings& power) {
    return std::accumulate(power.watts.begin(), power.watts.end(), 0.0)
        / static_cast<double>(power.watts.size());
}

// The average where a GPU has no other.
PowerByRank sortedPower(EvidenceSink& sink) {
    sink.power.merge(sink.averagePower);
    for (auto& [rank, readings] : sink.power)
        sortByTime(readings.times, readings.watts);
    return std::move(sink.power);
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
    seen.isLog = tellsSteps(unit);
    seen.isZoneless = unit.clock == ClockKind::Local && !unit.utcOffsetSeconds;
    seen.worldSize = unit.worldSize;
    seen.vendor = catalogue::vendorOf(unit.gpuModel);
    seen.model = catalogue::findGpuModel(unit.gpuModel);
    return seen;
}

// Those that say something of a machine or a time; nothing needs to be read for others.
bool isOfMachine(const ImportUnit& unit) {
    return hasGpuReadings(unit) || tellsSteps(unit) || unit.rank.has_value();
}

// From begin to end, nearly.
bool areOfOneTime(const MachineSeen& a, const MachineSeen& b) {
    constexpr double kCommon = 0.8; // share of the longer
    if (!a.range || !b.range || !a.isEndKnown || !b.isEndKnown)
        return false;
    const TimeRange common = analysis::shared(*a.range, *b.range);
    const double longer = std::max(a.range->length().seconds(), b.range->length().seconds());
    return !common.isEmpty() && common.length().seconds() >= kCommon * longer;
}

bool isAbout(double a, double b, double part) {
    return std::abs(a - b) <= part * std::max(a, b);
}

// The power of one GPU over the same time differs by more than sensors do.
bool areOfOtherPower(const MachineSeen& a, const MachineSeen& b) {
    return areOfOneTime(a, b) && std::ranges::any_of(a.meanPower, [&b](const auto& mean) {
        const auto other = b.meanPower.find(mean.first);
        return other != b.meanPower.end() && !isAbout(mean.second, other->second, 0.25);
    });
}

// A program prints its first line long before it trains, and its last one after.
bool touch(const MachineSeen& a, const MachineSeen& b) {
    constexpr DurationNs kTenMinutes{600'000'000'000};
    constexpr DurationNs kZones{14LL * 3600 * 1'000'000'000};
    if (!a.isLog && !b.isLog)
        return a.overlaps(b);
    const DurationNs slack = a.isZoneless != b.isZoneless ? kZones : kTenMinutes;
    return a.range->begin <= b.range->end + slack && b.range->begin <= a.range->end + slack;
}

using CommonGpus = std::vector<std::pair<PlaceInRun, PlaceInRun>>;

// Absent where not both have such identities.
std::optional<CommonGpus> commonOf(const MachineSeen& a, const MachineSeen& b, GpuId kind) {
    const auto& first = a.gpus[static_cast<std::size_t>(kind)];
    const auto& second = b.gpus[static_cast<std::size_t>(kind)];
    if (first.empty() || second.empty())
        return std::nullopt;
    CommonGpus common;
    for (const auto& [id, place] : first) {
        if (const auto other = second.find(id); other != second.end())
            common.emplace_back(place, other->second);
    }
    return common;
}

bool areOfTwoMachines(const MachineSeen& a, const MachineSeen& b) {
    if (catalogue::areOther(a.vendor, b.vendor))
        return true;
    if (a.model != nullptr && b.model != nullptr && a.model != b.model)
        return true;
    const auto uuids = commonOf(a, b, GpuId::Uuid);
    if (uuids && uuids->empty())
        return true;
    if (a.worldSize > 0 && b.worldSize > 0 && a.worldSize != b.worldSize)
        return true;
    // They may number the same GPUs otherwise.
    const bool areSame
        = uuids || !commonOf(a, b, GpuId::AddressOnHost).value_or(CommonGpus()).empty();
    return (a.range && b.range && !touch(a, b))
        || (a.isTelemetry && b.isTelemetry && !areSame && areOfOtherPower(a, b));
}

} // namespace

std::string RunSoFar::shownFolder() const {
    const SourceTree* tree = units.front()->tree;
    return tree == nullptr ? folder : tree->displayPath(folder);
}

std::vector<RunSoFar> runsOf(const MachineEvidence& evidence) {
    std::vector<RunSoFar> runs;
    std::map<std::pair<std::string, bool>, std::size_t> places;
    for (const PlannedUnit& planned : evidence.units()) {
        const ImportUnit& unit = *planned.unit;
        if (!unit.enabled || unit.machine || unit.isUndated || unit.files.empty())
            continue;
        const auto [at, isNew]
            = places.try_emplace({unit.runName, planned.known != nullptr}, runs.size());
        if (isNew)
            runs.push_back({unit.runName, planned.known != nullptr, {},
                std::string(folderPart(unit.files.front())), true});
        RunSoFar& run = runs[at->second];
        for (const std::string& file : unit.files) {
            while (!isInside(file, run.folder))
                run.folder = folderPart(run.folder);
        }
        run.units.push_back(&planned);
    }
    for (RunSoFar& run : runs)
        run.isTelemetry
            = std::ranges::any_of(run.units, [](const auto* one) { return isTelemetryOf(*one); })
            && std::ranges::all_of(
                run.units, [](const auto* one) { return isTelemetryOf(*one) || !one->unit->rank; });
    return runs;
}

bool anyPair(const RunSoFar& a, const RunSoFar& b, const OfTwo& holds) {
    return std::ranges::any_of(a.units, [&](const PlannedUnit* left) {
        return std::ranges::any_of(
            b.units, [&](const PlannedUnit* right) { return holds(*left, *right); });
    });
}

bool isTelemetryOf(const PlannedUnit& planned) {
    return planned.known != nullptr ? planned.known->seen.isTelemetry
                                    : hasGpuReadings(*planned.unit);
}

bool hasGpuReadings(const ImportUnit& unit) {
    const Importer* importer = findImporter(unit.importer);
    return importer != nullptr && importer->format.readsGpus;
}

bool tellsSteps(const ImportUnit& unit) {
    const Importer* importer = findImporter(unit.importer);
    return importer != nullptr && (importer->format.isOutput || importer->format.tellsSteps);
}

void keepOneLog(MachineEvidence& evidence, const std::vector<ImportUnit*>& logs) {
    const auto isMore = [&evidence](const ImportUnit* a, const ImportUnit* b) {
        return evidence.readingsOf(*a) > evidence.readingsOf(*b);
    };
    auto order = logs;
    std::ranges::stable_sort(order, isMore);
    for (auto log = order.begin(); log != order.end(); ++log) {
        const MachineSeen& seen = evidence.of(**log);
        const auto better = std::find_if(order.begin(), log, [&](const ImportUnit* other) {
            const MachineSeen& known = evidence.of(*other);
            return other->enabled && (!seen.range || !known.range || seen.overlaps(known));
        });
        if (better == log)
            continue;
        (*log)->enabled = false;
        (*log)->notes = {"A log of the same job as " + (*better)->path + ", which tells as much."};
    }
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
    analysis::TracedWork work; // a database's run has it
};

MachineEvidence::MachineEvidence(std::vector<PlannedUnit> units, Progress progress)
    : m_units(std::move(units))
    , m_progress(std::move(progress))
    , m_powerLeft(kPowerForEvidence)
    , m_traceBytesLeft(kTracesForEvidence) {
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
    EvidenceSink sink(m_powerLeft);
    const auto read = findImporter(unit.importer)->import(*planned.tree, unit, sink, m_progress);
    MachineSeen& seen = reading->seen;
    if (read.hasValue()) {
        const std::string model = sink.model.empty() ? unit.gpuModel : sink.model;
        const auto format = read.value().facts.find("format");
        seen.vendor = catalogue::vendorOf(
            model.empty() && format != read.value().facts.end() ? format->second : model);
        seen.model = catalogue::findGpuModel(model);
        identify(sink.gpus, read.value().facts, seen.gpus);
        seen.ranks = std::move(sink.ranks);
        for (const auto& [rank, power] : sink.power) {
            if (!power.watts.empty())
                seen.meanPower[rank] = meanOf(power);
        }
        seen.worldSize = std::max(seen.worldSize, sink.worldSize);
        if (seen.range && sink.range)
            seen.range = seen.isLog
                ? TimeRange{std::min(seen.range->begin, sink.range->begin), sink.range->end}
                : sink.range;
        seen.isEndKnown = true;
        reading->power = sortedPower(sink);
        reading->samples = read.value().samples;
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
    const bool isLog = hasGpuReadings(unit) || tellsSteps(unit);
    if (own != nullptr && isLog && !unit.reading)
        readLog(*own);
    if (!isLog || !unit.reading) {
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
    known.seen.meanPower.clear();
    for (const auto& [rank, mean] : unit.reading->seen.meanPower)
        known.seen.meanPower[rank + unit.place.rank] = mean;
    for (auto& kind : known.seen.gpus) {
        for (auto& [id, place] : kind)
            place = {place.rank + unit.place.rank, place.node + unit.place.node,
                place.local + unit.place.local};
    }
    return known;
}

const MachineSeen& MachineEvidence::of(const ImportUnit& unit) {
    return known(unit).seen;
}

std::int64_t MachineEvidence::readingsOf(const ImportUnit& unit) {
    static_cast<void>(known(unit));
    return unit.reading ? unit.reading->samples : 0;
}

PowerByRank MachineEvidence::powerOf(const ImportUnit& unit, TimeRange around) {
    const MachineSeen& seen = of(unit);
    const PlannedUnit* own = planned(unit);
    if (own != nullptr && own->known != nullptr)
        return own->known->power ? own->known->power(around) : PowerByRank();
    if (!unit.reading || !seen.isTelemetry)
        return {};
    constexpr DurationNs kMargin{60'000'000'000}; // for sensors that are late, and zone searches
    const bool isLocal = unit.clock == ClockKind::Local;
    const DurationNs later{isLocal
            ? (unit.reading->utcOffsetSeconds - unit.utcOffsetSeconds.value_or(0)) * 1'000'000'000
            : 0};
    PowerByRank placed;
    for (const auto& [rank, readings] : unit.reading->power) {
        const auto& times = readings.times;
        const auto from = std::ranges::lower_bound(times, around.begin - later - kMargin);
        const auto until = std::ranges::upper_bound(times, around.end - later + kMargin);
        const auto watts = readings.watts.begin() + (from - times.begin());
        analysis::PowerReadings& shifted = placed[rank + unit.place.rank];
        shifted.watts.assign(watts, watts + (until - from));
        std::transform(from, until, std::back_inserter(shifted.times),
            [later](TimeNs time) { return time + later; });
    }
    return placed;
}

void MachineEvidence::readTrace(const PlannedUnit& planned) {
    ImportUnit& unit = *planned.unit;
    if (unit.reading || unit.bytes > m_traceBytesLeft)
        return;
    m_traceBytesLeft -= unit.bytes;
    auto reading = std::make_shared<UnitReading>();
    EvidenceSink sink(m_powerLeft);
    const auto read = findImporter(unit.importer)->import(*planned.tree, unit, sink, m_progress);
    if (read.hasValue() && !sink.work.empty()) {
        TimeRange window = analysis::kNoTime;
        for (const TimeRange& part : sink.work)
            window = analysis::spanned(window, part);
        reading->work.add(window, std::move(sink.work));
        reading->device = sink.device;
        identify(sink.gpus, read.value().facts, reading->seen.gpus);
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
    if (unit.reading)
        one.seen.gpus = unit.reading->seen.gpus;
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
    return !found.following.empty() || (found.gpu && of(log).ranks.size() > 1);
}

CommonGpus MachineEvidence::commonGpus(const ImportUnit& a, const ImportUnit& b) {
    static_cast<void>(workOf(a)); // a trace tells its GPU when it is read
    static_cast<void>(workOf(b));
    const MachineSeen& first = of(a);
    const MachineSeen& second = of(b);
    if (auto common = commonOf(first, second, GpuId::Uuid))
        return std::move(*common);
    if (!first.range || !second.range || !first.overlaps(second))
        return {};
    if (auto common = commonOf(first, second, GpuId::AddressOnHost))
        return std::move(*common);
    const auto tellsIndex = [](const MachineSeen& seen, const ImportUnit& unit, std::size_t gpus) {
        return seen.isTelemetry || std::cmp_equal(unit.gpusPerNode, gpus);
    };
    if (auto common = commonOf(first, second, GpuId::IndexOnHost))
        return tellsIndex(first, a, second.ranks.size())
                && tellsIndex(second, b, first.ranks.size())
            ? std::move(*common)
            : CommonGpus();
    auto common = commonOf(first, second, GpuId::Address);
    const bool areAlike = first.model != nullptr && first.model == second.model
        && (!first.isTelemetry || !second.isTelemetry || readAlike(a, b));
    return common && areAlike ? std::move(*common) : CommonGpus();
}

bool MachineEvidence::readAlike(const ImportUnit& a, const ImportUnit& b) {
    constexpr double kPart = 0.02; // two loggers of one GPU; two GPUs hardly in all
    const MachineSeen& first = of(a);
    const MachineSeen& second = of(b);
    return areOfOneTime(first, second) && !first.meanPower.empty()
        && std::ranges::equal(
            first.meanPower, second.meanPower, [](const auto& left, const auto& right) {
                return left.first == right.first && isAbout(left.second, right.second, kPart);
            });
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
