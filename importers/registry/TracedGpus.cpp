#include "importers/registry/TracedGpus.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/text/Times.h"
#include "importers/common/GpuIdentity.h"
#include "importers/common/RunFolders.h"
#include "importers/registry/Registry.h"

#include <fmt/format.h>

#include <cstdlib>

namespace trainscope::importers {

namespace {

constexpr std::int64_t kQuarterOfHour = 900; // s
constexpr std::int64_t kFarthestWest = -48; // quarters: UTC-12
constexpr std::int64_t kFarthestEast = 56; // UTC+14
constexpr std::string_view kOtherTime = "Taken as UTC it is of another time than ";
constexpr double kZoneLead = 0.2; // by correlation, before the next zone

TimeRange moved(TimeRange range, std::int64_t seconds) {
    const DurationNs by{seconds * 1'000'000'000};
    return {range.begin + by, range.end + by};
}

// A reading holds until the next.
double powerAt(const analysis::PowerReadings& power, TimeNs time) {
    const auto behind = std::ranges::upper_bound(power.times, time) - power.times.begin();
    return static_cast<double>(power.watts[static_cast<std::size_t>(std::max(behind, 1L) - 1)]);
}

// Correlation of the powers that two logs read of one GPU over the time of both; absent where their
// means differ, or one has none.
std::optional<double> likenessOf(
    const analysis::PowerReadings& log, const analysis::PowerReadings& other, TimeRange common) {
    constexpr double kPart = 0.1; // one may read moments, the other averages
    analysis::PairSums pairs;
    for (std::size_t i = 0; i < log.times.size() && !other.times.empty(); ++i) {
        if (common.contains(log.times[i]))
            pairs.add(static_cast<double>(log.watts[i]), powerAt(other, log.times[i]));
    }
    if (pairs.n == 0.0 || std::abs(pairs.x - pairs.y) > kPart * std::max(pairs.x, pairs.y))
        return std::nullopt;
    constexpr double kVaries = 1.0; // W
    const bool isVarying = std::min(pairs.spreadX(), pairs.spreadY()) >= kVaries;
    return isVarying ? pairs.correlation() : 0.0;
}

// The best of the GPUs that both have; absent where the power of one is another.
std::optional<double> likenessOf(
    const PowerByRank& log, const PowerByRank& other, TimeRange common) {
    std::optional<double> best;
    for (const auto& [rank, power] : log) {
        const auto twin = other.find(rank);
        if (twin == other.end())
            continue;
        const auto one = likenessOf(power, twin->second, common);
        if (!one)
            return std::nullopt;
        best = std::max(best.value_or(-1.0), *one);
    }
    return best;
}

// A log without a zone beside a trace, or a log in UTC, of another time.
class ZoneSearch {
public:
    ZoneSearch(MachineEvidence& evidence, ImportUnit& log, const ImportUnit& other)
        : m_evidence(evidence)
        , m_log(log)
        , m_other(other) { }

    // True: a zone was found, or there is none that would do.
    bool find() {
        const MachineSeen seen = m_evidence.of(m_log);
        const MachineSeen other = m_evidence.of(m_other);
        if (!seen.range || !other.range || seen.overlaps(other) || !canBeOne(seen, other))
            return false;
        std::vector<std::int64_t> zones; // in which they are of one time
        for (std::int64_t quarter = kFarthestWest; quarter <= kFarthestEast; ++quarter) {
            MachineSeen there = seen;
            there.range = moved(*seen.range, -quarter * kQuarterOfHour);
            if (there.overlaps(other)
                && (!other.isTelemetry || isMostly(*there.range, *other.range)))
                zones.push_back(quarter * kQuarterOfHour);
        }
        if (zones.empty())
            return false;
        if (other.isTelemetry)
            return takeAlike(zones, other);
        if (takeBest(zones, seen, other))
            return true;
        note(zones);
        return false;
    }

private:
    static bool canBeOne(const MachineSeen& log, const MachineSeen& trace) {
        return (log.model == nullptr || trace.model == nullptr || log.model == trace.model)
            && !catalogue::areOther(log.vendor, trace.vendor);
    }

    // The shorter one was recorded while the other was.
    static bool isMostly(TimeRange a, TimeRange b) {
        constexpr double share = 0.8;
        return analysis::shared(a, b).length().seconds()
            >= share * std::min(a.length().seconds(), b.length().seconds());
    }

    // The only zone in which both read the same power: it goes up and down alike, or, of logs of
    // one folder, is as high.
    bool takeAlike(const std::vector<std::int64_t>& zones, const MachineSeen& other) {
        constexpr double kAlike = 0.6;
        std::vector<std::pair<double, std::int64_t>> found;
        for (const std::int64_t zone : zones) {
            m_log.utcOffsetSeconds = zone;
            const TimeRange both = analysis::shared(*m_evidence.of(m_log).range, *other.range);
            if (const auto likeness = likenessOf(
                    m_evidence.powerOf(m_log, both), m_evidence.powerOf(m_other, both), both))
                found.emplace_back(*likeness, zone);
        }
        m_log.utcOffsetSeconds.reset();
        std::ranges::sort(found, std::greater());
        const bool isOnly = found.size() == 1 && isOfOneFolder();
        const double next = found.size() < 2 ? 0.0 : found[1].first;
        if (found.empty()
            || (!isOnly
                && (found.front().first < kAlike || found.front().first - next < kZoneLead)))
            return false;
        m_log.utcOffsetSeconds = found.front().second;
        addNote(m_log,
            fmt::format("Its clock is taken as {}: there it reads the power that {} reads.",
                text::zone(found.front().second), namePart(m_other.path)));
        return true;
    }
    [[nodiscard]] bool isOfOneFolder() const {
        const std::string_view own = folderPart(m_log.path);
        const std::string_view its = folderPart(m_other.path);
        return isInside(m_log.path, its) || isInside(m_other.path, own);
    }

    bool takeBest(const std::vector<std::int64_t>& zones, const MachineSeen& seen,
        const MachineSeen& traced) {
        const auto& work = m_evidence.workOf(m_other);
        if (work.isEmpty())
            return false;
        const auto limit = seen.model != nullptr ? seen.powerLimit() : traced.powerLimit();
        std::vector<std::pair<double, std::int64_t>> found;
        for (const std::int64_t zone : zones) {
            m_log.utcOffsetSeconds = zone;
            double best = 0.0;
            bool follows = false;
            for (const auto& [gpu, power] : m_evidence.powerOf(m_log, work.range())) {
                const auto one = analysis::kernelPower(work, power, limit);
                best = std::max(best, one.correlation);
                follows |= one.follows == analysis::KernelPower::Follows::Yes;
            }
            found.emplace_back(follows ? best : std::min(best, 0.5), zone);
        }
        m_log.utcOffsetSeconds.reset();
        std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
        constexpr double kFollows = 0.6;
        const double next = found.size() < 2 ? 0.0 : found[1].first;
        if (found.front().first < kFollows || found.front().first - next < kZoneLead)
            return false;
        m_log.utcOffsetSeconds = found.front().second;
        if (repeats(work, limit, found.front().first)) {
            m_log.utcOffsetSeconds.reset();
            return false;
        }
        addNote(m_log,
            fmt::format("Its clock is taken as {}: there its power follows the kernels of {} "
                        "(correlation {:.2f}).",
                text::zone(found.front().second), namePart(m_other.path), found.front().first));
        return true;
    }

    // Iterations that all look alike follow each other's power: that of any other hour, too.
    bool repeats(const analysis::TracedWork& work, std::optional<double> limit, double best) {
        constexpr int kFirst = 4; // s, beyond what sensors are late
        constexpr int kLast = 30;
        for (auto& [gpu, power] : m_evidence.powerOf(m_log, work.range())) {
            for (int seconds = -kLast; seconds <= kLast; ++seconds) {
                analysis::PowerReadings later = power;
                for (TimeNs& time : later.times)
                    time = time + DurationNs{seconds * 1'000'000'000LL};
                if (std::abs(seconds) >= kFirst
                    && analysis::kernelPower(work, later, limit).correlation > best - kZoneLead)
                    return true;
            }
        }
        return false;
    }

    void note(const std::vector<std::int64_t>& zones) {
        const std::string which = zones.size() == 1
            ? text::zone(zones.front())
            : text::zone(zones.front()) + " to " + text::zone(zones.back());
        addNote(m_log,
            fmt::format("{}{}; with {} it would be of the same. If it is of that machine, say its "
                        "zone (--utc-offset).",
                kOtherTime, namePart(m_other.path), which));
    }

    MachineEvidence& m_evidence;
    ImportUnit& m_log;
    const ImportUnit& m_other;
};

bool isTrace(const PlannedUnit& planned) {
    const ImportUnit& unit = *planned.unit;
    return unit.enabled && !unit.machine && unit.rank && !hasGpuReadings(unit);
}

bool isZoneless(const PlannedUnit& planned) {
    const ImportUnit& unit = *planned.unit;
    return unit.enabled && planned.known == nullptr && unit.clock == ClockKind::Local
        && !unit.utcOffsetSeconds && hasGpuReadings(unit);
}

} // namespace

bool saysOtherTime(std::string_view note) {
    return note.starts_with(kOtherTime);
}

void findZonesByPower(MachineEvidence& evidence) {
    const auto& units = evidence.units();
    const bool isSaid = std::ranges::any_of(units, [](const PlannedUnit& one) {
        return one.unit->clock == ClockKind::Utc && one.unit->utcOffsetSeconds;
    });
    if (isSaid)
        return;
    for (const PlannedUnit& log : units) {
        if (!isZoneless(log)) {
            std::erase_if(log.unit->notes, saysOtherTime);
            continue;
        }
        for (const PlannedUnit& other : units) {
            const bool isOfUtc = other.unit->clock == ClockKind::Utc
                && (isTrace(other) || (other.unit->enabled && hasGpuReadings(*other.unit)));
            if (isOfUtc && ZoneSearch(evidence, *log.unit, *other.unit).find())
                break;
        }
    }
}

namespace {

// The traces and the telemetry of a run.
class TracePlacing {
public:
    explicit TracePlacing(MachineEvidence& evidence)
        : m_evidence(evidence) { }

    void add(const PlannedUnit& planned) {
        if (isTelemetryOf(planned)) {
            m_logs.push_back(planned.unit);
            m_isLogThere |= planned.known != nullptr;
        } else if (isTrace(planned)) {
            m_traces[*planned.unit->rank].push_back(planned.unit);
            m_isThere |= planned.known != nullptr;
        }
    }

    void place() {
        if (m_traces.empty() || m_isThere)
            return;
        std::set<int> metered;
        for (const ImportUnit* log : m_logs) {
            const auto& ranks = m_evidence.of(*log).ranks;
            metered.insert(ranks.begin(), ranks.end());
        }
        if (metered.empty())
            return;
        if (placeLogs(static_cast<int>(metered.size())) || !areUnsaid())
            return;
        if (metered.size() <= m_traces.size())
            return takeAll(metered);
        std::map<int, Choice> choices;
        for (const auto& [rank, traces] : m_traces)
            choices[rank] = choiceFor(traces, metered);
        const bool areKnown = areDistinct(choices);
        for (const auto& [rank, traces] : m_traces)
            move(traces, areKnown ? choices[rank] : Choice(), rank, metered.size());
    }

private:
    // Logs of one node that is not the first, of which all traces are. False: they are not.
    bool placeLogs(int gpus) {
        const int node = m_traces.begin()->first / gpus;
        const bool isOfNode = std::ranges::all_of(m_logs, [&](const ImportUnit* log) {
            const auto& ranks = m_evidence.of(*log).ranks;
            return static_cast<int>(ranks.size()) == gpus && *ranks.begin() == 0
                && *ranks.rbegin() + 1 == gpus && log->place == PlaceInRun();
        });
        if (node == 0 || !isOfNode || m_traces.rbegin()->first / gpus != node || m_isLogThere)
            return false;
        for (ImportUnit* log : m_logs) {
            log->place = {node * gpus, gpus > 1 ? node : 0, 0};
            addNote(*log,
                fmt::format("Its GPUs are taken as ranks {} to {}, as the traces beside it say.",
                    node * gpus, node * gpus + gpus - 1));
        }
        return true;
    }

    // The log has no other GPUs: they are the traces', by whatever numbers.
    void takeAll(const std::set<int>& metered) {
        const bool areTheSame = std::equal(metered.begin(), metered.end(), m_traces.begin(),
            m_traces.end(), [](int gpu, const auto& traces) { return gpu == traces.first; });
        if (areTheSame || metered.size() != m_traces.size())
            return;
        auto gpu = metered.begin();
        for (const auto& [rank, traces] : m_traces) {
            for (ImportUnit* trace : traces) {
                trace->rank = *gpu;
                addNote(*trace,
                    fmt::format("It ran on GPU {}: the log has {}.", *gpu,
                        metered.size() == 1 ? "no other" : "as many as there are traces"));
            }
            ++gpu;
        }
    }

    struct Choice {
        std::optional<int> gpu;
        std::string why;
    };

    // True where no trace names its rank: traces of a larger world do.
    [[nodiscard]] bool areUnsaid() const {
        return std::ranges::all_of(m_traces, [](const auto& rank) {
            return std::ranges::all_of(
                rank.second, [](const ImportUnit* unit) { return unit->worldSize <= 1; });
        });
    }

    Choice choiceFor(const std::vector<ImportUnit*>& traces, const std::set<int>& metered) {
        analysis::TracedWork work;
        for (const ImportUnit* trace : traces) {
            for (const ImportUnit* log : m_logs) {
                if (const auto common = m_evidence.commonGpus(*log, *trace); !common.empty())
                    return {common.front().first.rank, "as both say"};
            }
            const auto device = m_evidence.deviceOf(*trace);
            if (device && metered.contains(*device)
                && trace->gpusPerNode == static_cast<int>(metered.size()))
                return {device, "as it says itself"};
            work.join(m_evidence.workOf(*trace));
        }
        if (work.isEmpty())
            return {};
        PowerByRank power;
        std::optional<double> limit = m_evidence.of(*traces.front()).powerLimit();
        for (const ImportUnit* log : m_logs) {
            power.merge(m_evidence.powerOf(*log, work.range()));
            if (!limit)
                limit = m_evidence.of(*log).powerLimit();
        }
        const auto found = analysis::gpuByPower(work, power, limit);
        return {found.gpu, found.gpu ? "by the power: " + found.reason : std::string()};
    }

    static bool areDistinct(const std::map<int, Choice>& choices) {
        std::set<int> gpus;
        return std::ranges::all_of(choices, [&gpus](const auto& one) {
            return one.second.gpu && gpus.insert(*one.second.gpu).second;
        });
    }

    static void move(const std::vector<ImportUnit*>& traces, const Choice& choice, int rank,
        std::size_t metered) {
        for (ImportUnit* trace : traces) {
            if (choice.gpu)
                trace->rank = *choice.gpu;
            addNote(*trace,
                choice.gpu
                    ? fmt::format("It ran on GPU {} of the {} of the log, {}.", *choice.gpu,
                        metered, choice.why)
                    : fmt::format("Nothing tells on which of the {} GPUs of the log it ran, the "
                                  "power neither: it is taken as GPU {}.",
                        metered, rank));
        }
    }

    MachineEvidence& m_evidence;
    std::vector<ImportUnit*> m_logs;
    std::map<int, std::vector<ImportUnit*>> m_traces; // by rank
    bool m_isThere = false; // a trace of the database, with its rank
    bool m_isLogThere = false;
};

} // namespace

void placeOnGpus(MachineEvidence& evidence) {
    std::map<std::string, TracePlacing> runs;
    for (const PlannedUnit& planned : evidence.units()) {
        const ImportUnit& unit = *planned.unit;
        if (unit.enabled && !unit.machine && !unit.isUndated)
            runs.try_emplace(unit.runName, evidence).first->second.add(planned);
    }
    for (auto& [name, run] : runs)
        run.place();
}

namespace {

struct GpuPlace {
    int rank = 0;
    std::string why; // "its UUID"; empty: it was not recorded
};

// A rank that no recorded GPU has.
int behindAll(const RecordedGpus& recorded) {
    int rank = 0;
    for (const RecordedGpu& gpu : recorded.gpus)
        rank = std::max(rank, gpu.rank + 1);
    return rank;
}

std::optional<GpuPlace> placeByIdentity(const UsedGpu& used, const RecordedGpus& recorded) {
    for (const RecordedGpu& gpu : recorded.gpus) {
        if (areSameGpu(used.uuid, gpu.uuid))
            return GpuPlace{gpu.rank, "its UUID"};
        if (areSameGpu(used.pciAddress, gpu.pciAddress))
            return GpuPlace{gpu.rank, "its PCI address"};
    }
    return std::nullopt;
}

std::optional<GpuPlace> placeByOrdinal(const UsedGpu& used, const RecordedGpus& recorded) {
    for (const RecordedGpu& gpu : recorded.gpus) {
        if (used.ordinal >= 0 && used.ordinal == gpu.ordinal)
            return GpuPlace{gpu.rank, "its number, " + std::to_string(used.ordinal)};
    }
    return std::nullopt;
}

std::optional<GpuPlace> gpuPlaceOf(
    const UsedGpu& used, const std::optional<int>& rank, const RecordedGpus& recorded) {
    if (auto place = placeByIdentity(used, recorded))
        return place;
    const auto& gpus = recorded.gpus;
    const bool hasRank = rank
        && std::ranges::any_of(gpus, [&](const RecordedGpu& gpu) { return gpu.rank == *rank; });
    // A program that does not say what it saw may have seen the first one alone.
    const bool isSaid = used.ordinal < used.visible;
    const bool countsAll = isSaid ? used.visible == recorded.visible : used.ordinal > 0;
    const auto numbered = placeByOrdinal(used, recorded);
    if (numbered && (countsAll || !hasRank))
        return numbered;
    if (isSaid && countsAll && used.ordinal >= 0)
        return GpuPlace{behindAll(recorded) + used.ordinal, {}};
    if (hasRank)
        return GpuPlace{*rank, "its rank"};
    return gpus.size() == 1 ? std::optional(GpuPlace{gpus.front().rank, "being the only one"})
                            : std::nullopt;
}

void moveToGpu(const GpuPlace& place, int used, ImportUnit& unit) {
    if (place.why.empty())
        addNote(unit, "Its GPU was not recorded: it stands behind those that were.");
    else if (unit.rank != place.rank)
        unit.notes.push_back(
            "Of rank " + std::to_string(place.rank) + ", whose GPU it is by " + place.why + ".");
    if (used > 1)
        addNote(unit,
            fmt::format("Its process worked on {} GPUs: all of it stands with the one that it "
                        "worked on most.",
                used));
    unit.rank = place.rank;
}

} // namespace

Status placeOnRecordedGpus(
    const std::vector<PlannedUnit>& units, const RecordedGpus& recorded, const Progress& progress) {
    for (const PlannedUnit& planned : units) {
        ImportUnit& unit = *planned.unit;
        const Importer* importer = findImporter(unit.importer);
        if (importer == nullptr || importer->usedGpu == nullptr || !unit.enabled)
            continue;
        const auto used = importer->usedGpu(*planned.tree, unit, progress);
        if (!used.hasValue() && used.error().code == ErrorCode::Cancelled)
            return used.error();
        if (!used.hasValue())
            continue; // its import says why
        const auto place = gpuPlaceOf(used.value(), unit.rank, recorded);
        if (!place)
            continue;
        moveToGpu(*place, used.value().used, unit);
        for (const PlannedUnit& other : units) {
            if (other.tree == planned.tree && other.unit->partner == unit.path)
                other.unit->rank = place->rank;
        }
    }
    return {};
}

} // namespace trainscope::importers
