#include "importers/registry/OneMachine.h"

#include "core/catalogue/GpuModel.h"
#include "importers/common/RunFolders.h"
#include "importers/registry/Registry.h"
#include "importers/trace/TraceName.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::uint64_t kReadForEvidence = std::uint64_t{16} << 20;
constexpr std::size_t kMostRuns = 256; // of which each is held against each
constexpr DurationNs kTogether{10'000'000'000}; // snapshots of one moment are taken that closely

bool hasGpuReadings(const ImportUnit& unit) {
    const Importer* importer = findImporter(unit.importer);
    return importer != nullptr && importer->format.readsGpus;
}

struct MeanReading {
    double sum = 0.0;
    double count = 0.0;
    [[nodiscard]] double value() const { return sum / count; }
};
// Of each gauge of each GPU, SI.
using MeanReadings = std::map<std::pair<std::string, int>, MeanReading>;

// Two logs of one GPU agree within what their sampling makes; those of two GPUs hardly in all.
bool isAbout(const std::string& metric, double a, double b) {
    constexpr double kPart = 0.02;
    const double least = metric.find("temperature") != std::string::npos ? 1.0
        : metric.find("utilization") != std::string::npos                ? 0.03
                                                                         : 0.0;
    return std::abs(a - b) <= std::max(kPart * std::max(std::abs(a), std::abs(b)), least);
}

// Absent: they have nothing in common.
std::optional<bool> agree(const MeanReadings& a, const MeanReadings& b) {
    std::optional<bool> found;
    for (const auto& [key, mean] : a) {
        const auto other = b.find(key);
        if (other != b.end())
            found = found.value_or(true) && isAbout(key.first, mean.value(), other->second.value());
    }
    return found;
}

// Takes what an import says of GPUs and times, and keeps no reading.
class EvidenceSink final : public Sink {
public:
    Result<RunId> run(const Run& run) override {
        if (!run.gpuModel.empty())
            model = run.gpuModel;
        return RunId{1};
    }
    Status gpu(RunId, const Gpu& gpu) override {
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
        return SeriesId{static_cast<std::int64_t>(m_series.size())};
    }
    Status samples(
        SeriesId id, std::span<const TimeNs> times, std::span<const double> values) override {
        const auto& series = m_series[static_cast<std::size_t>(id.value) - 1];
        const bool isGauge = series.metric.kind == MetricKind::Gauge
            && series.metric.name != metric::kThrottleReasons;
        for (const double value : values) {
            if (!isGauge || std::isnan(value))
                continue;
            auto& mean = means[{series.metric.name, series.subject.rank}];
            mean.sum += value * series.scale;
            mean.count += 1.0;
        }
        for (const TimeNs time : times)
            range = range ? TimeRange{std::min(range->begin, time), std::max(range->end, time)}
                          : TimeRange{time, time};
        return {};
    }
    Result<TrackId> track(RunId, const TrackDescription&) override { return TrackId{1}; }
    Status spans(TrackId, std::span<const Span>) override { return {}; }
    Result<NameId> intern(std::string_view) override { return NameId{1}; }
    Status iteration(RunId, const Iteration&) override { return {}; }

    std::string model;
    std::set<std::string> uuids;
    std::set<int> ranks;
    std::optional<TimeRange> range;
    MeanReadings means;

private:
    std::vector<SeriesDescription> m_series;
};

} // namespace

struct MachineEvidence::Seen {
    bool isTelemetry = false; // else a trace, or a log of something else
    catalogue::Vendor vendor = catalogue::Vendor::Unknown;
    const catalogue::GpuModel* model = nullptr;
    std::set<std::string> uuids;
    std::set<int> ranks;
    MeanReadings means;
    std::optional<TimeRange> range; // UTC
    bool isEndKnown = false;

    [[nodiscard]] bool overlaps(const Seen& other) const {
        return begins(other) && other.begins(*this);
    }

private:
    // Before the other ends.
    [[nodiscard]] bool begins(const Seen& other) const {
        return !other.isEndKnown || range->begin < other.range->end + kTogether;
    }
};

MachineEvidence::MachineEvidence(std::vector<PlannedUnit> units)
    : m_units(std::move(units)) { }

MachineEvidence::~MachineEvidence() = default;

const MachineEvidence::Seen& MachineEvidence::of(const ImportUnit& unit) {
    auto& known = m_seen[&unit];
    if (known)
        return *known;
    known = std::make_unique<Seen>();
    Seen& seen = *known;
    std::string model = unit.gpuModel;
    seen.isTelemetry = hasGpuReadings(unit);
    const bool isDated = unit.clock != ClockKind::None && !unit.isUndated && unit.start;
    const DurationNs offset{unit.utcOffsetSeconds.value_or(0) * 1'000'000'000};
    if (isDated && unit.clock == ClockKind::Local)
        seen.range = TimeRange{*unit.start - offset, *unit.start - offset};
    else if (isDated)
        seen.range = TimeRange{*unit.start, *unit.start};
    if (unit.rank && !seen.isTelemetry)
        seen.ranks.insert(*unit.rank);
    seen.isEndKnown = !seen.isTelemetry;
    const auto planned = std::find_if(m_units.begin(), m_units.end(),
        [&unit](const PlannedUnit& one) { return one.unit == &unit; });
    if (seen.isTelemetry && planned != m_units.end() && unit.bytes <= kReadForEvidence) {
        EvidenceSink sink;
        const auto read = findImporter(unit.importer)->import(*planned->tree, unit, sink, {});
        if (read.hasValue()) {
            model = sink.model.empty() ? model : sink.model;
            seen.uuids = std::move(sink.uuids);
            seen.ranks = std::move(sink.ranks);
            seen.means = std::move(sink.means);
            if (seen.range && sink.range)
                seen.range = sink.range;
            seen.isEndKnown = true;
        }
    }
    seen.vendor = catalogue::vendorOf(model);
    seen.model = catalogue::findGpuModel(model);
    return seen;
}

bool MachineEvidence::contradict(const Seen& a, const Seen& b) {
    using catalogue::Vendor;
    if (a.vendor != b.vendor && a.vendor != Vendor::Unknown && b.vendor != Vendor::Unknown)
        return true;
    if (a.model != nullptr && b.model != nullptr && a.model != b.model)
        return true;
    const bool shareUuids = std::any_of(a.uuids.begin(), a.uuids.end(),
        [&b](const std::string& uuid) { return b.uuids.contains(uuid); });
    if (!a.uuids.empty() && !b.uuids.empty() && !shareUuids)
        return true;
    return a.range && b.range && !a.overlaps(b);
}

bool MachineEvidence::contradict(const ImportUnit& a, const ImportUnit& b) {
    // What has no GPUs and no date says nothing; nothing needs to be read for it.
    const auto says
        = [](const ImportUnit& unit) { return hasGpuReadings(unit) || unit.rank.has_value(); };
    return says(a) && says(b) && contradict(of(a), of(b));
}

// The runs of a plan, of which some become one.
class MachineJoining {
public:
    explicit MachineJoining(std::vector<PlannedUnit> units)
        : m_units(units)
        , m_evidence(std::move(units)) { }

    void join() {
        collectRuns();
        if (m_runs.size() < 2 || m_runs.size() > kMostRuns || !hasTelemetry())
            return;
        m_groupOf.resize(m_runs.size());
        std::iota(m_groupOf.begin(), m_groupOf.end(), std::size_t{0});
        for (std::size_t a = 0; a < m_runs.size(); ++a) {
            for (std::size_t b = a + 1; b < m_runs.size(); ++b) {
                if (areOne(a, b) && !isAmbiguous(a, b))
                    unite(a, b);
            }
        }
        nameGroups();
    }

private:
    struct RunUnits {
        std::string name;
        std::vector<ImportUnit*> units;
        bool isTelemetry = false; // alone
        std::set<int> ranks;
    };

    void collectRuns() {
        std::map<std::string, std::size_t> places;
        for (const PlannedUnit& planned : m_units) {
            ImportUnit& unit = *planned.unit;
            const bool isOfMachine = hasGpuReadings(unit) || unit.rank;
            if (!unit.enabled || unit.machine || unit.isUndated || !isOfMachine)
                continue;
            const auto [at, isNew] = places.try_emplace(unit.runName, m_runs.size());
            if (isNew)
                m_runs.push_back({unit.runName, {}, true, {}});
            m_runs[at->second].units.push_back(&unit);
            m_runs[at->second].isTelemetry &= hasGpuReadings(unit);
        }
    }

    [[nodiscard]] bool hasTelemetry() const {
        return std::any_of(m_runs.begin(), m_runs.end(), [](const RunUnits& run) {
            return std::any_of(run.units.begin(), run.units.end(),
                [](const ImportUnit* unit) { return hasGpuReadings(*unit); });
        });
    }

    std::set<int> ranksOf(const RunUnits& run) {
        std::set<int> ranks;
        for (const ImportUnit* unit : run.units) {
            const auto& seen = m_evidence.of(*unit).ranks;
            ranks.insert(seen.begin(), seen.end());
        }
        return ranks;
    }

    bool contradict(const RunUnits& a, const RunUnits& b) {
        return std::any_of(a.units.begin(), a.units.end(), [&](const ImportUnit* left) {
            return std::any_of(b.units.begin(), b.units.end(), [&](const ImportUnit* right) {
                const bool areTraces = !hasGpuReadings(*left) && !hasGpuReadings(*right);
                return areTraces ? areTwins(*left, *right) : m_evidence.contradict(*left, *right);
            });
        });
    }

    // Traces of one rank may follow each other, but not begin together.
    bool areTwins(const ImportUnit& a, const ImportUnit& b) {
        const auto& first = m_evidence.of(a);
        const auto& second = m_evidence.of(b);
        return a.rank == b.rank && (!first.range || !second.range || first.overlaps(second));
    }

    bool shareUuids(const RunUnits& a, const RunUnits& b) {
        for (const ImportUnit* left : a.units) {
            const auto& uuids = m_evidence.of(*left).uuids;
            for (const ImportUnit* right : b.units) {
                const auto& others = m_evidence.of(*right).uuids;
                if (std::any_of(uuids.begin(), uuids.end(),
                        [&](const std::string& uuid) { return others.contains(uuid); }))
                    return true;
            }
        }
        return false;
    }

    bool areDated(const RunUnits& run) {
        return std::all_of(run.units.begin(), run.units.end(),
            [&](const ImportUnit* unit) { return m_evidence.of(*unit).range.has_value(); });
    }

    bool areOne(std::size_t first, std::size_t second) {
        const RunUnits& a = m_runs[first];
        const RunUnits& b = m_runs[second];
        if ((!a.isTelemetry && !b.isTelemetry) || contradict(a, b))
            return false;
        if (shareUuids(a, b))
            return true;
        if (!areDated(a) || !areDated(b) || !liesBeside(a, b))
            return false;
        const auto left = ranksOf(a);
        const auto right = ranksOf(b);
        if (a.isTelemetry && b.isTelemetry)
            return left == right && !areSiblings(a, b) && readAlike(first, second);
        const auto& traced = a.isTelemetry ? right : left;
        const auto& metered = a.isTelemetry ? left : right;
        return !traced.empty()
            && std::includes(metered.begin(), metered.end(), traced.begin(), traced.end());
    }

    // Telemetry of several machines could be the trace's, or traces of several jobs the
    // telemetry's.
    bool isAmbiguous(std::size_t first, std::size_t second) {
        if (m_runs[first].isTelemetry && m_runs[second].isTelemetry)
            return false;
        const std::size_t trace = m_runs[first].isTelemetry ? second : first;
        const std::size_t own = m_runs[first].isTelemetry ? first : second;
        for (std::size_t other = 0; other < m_runs.size(); ++other) {
            if (other == own || other == trace)
                continue;
            const std::size_t pair = m_runs[other].isTelemetry ? trace : own;
            const std::size_t twin = m_runs[other].isTelemetry ? own : trace;
            const bool isOne = m_runs[other].isTelemetry
                ? areOne(std::min(twin, other), std::max(twin, other))
                : !contradict(m_runs[twin], m_runs[other]);
            if (areOne(std::min(pair, other), std::max(pair, other)) && !isOne)
                return true;
        }
        return false;
    }

    // Logs of one program that hold different metrics say nothing against each other. Two logs of
    // the same metrics by one program are those of two jobs, unless a trace is of both.
    bool readAlike(std::size_t first, std::size_t second) {
        const RunUnits& a = m_runs[first];
        const RunUnits& b = m_runs[second];
        bool isWitnessNeeded = false;
        for (const ImportUnit* left : a.units) {
            for (const ImportUnit* right : b.units) {
                const bool isOneProgram = left->importer == right->importer;
                const auto alike = agree(m_evidence.of(*left).means, m_evidence.of(*right).means);
                if (!alike.value_or(isOneProgram))
                    return false;
                isWitnessNeeded |= isOneProgram && alike.has_value();
            }
        }
        return !isWitnessNeeded || isTraced(first, second);
    }

    // Whether a trace could be of both.
    bool isTraced(std::size_t first, std::size_t second) {
        for (std::size_t trace = 0; trace < m_runs.size(); ++trace) {
            if (!m_runs[trace].isTelemetry && areOne(std::min(first, trace), std::max(first, trace))
                && areOne(std::min(second, trace), std::max(second, trace)))
                return true;
        }
        return false;
    }

    static std::string folderOf(const RunUnits& run) {
        std::string folder(folderPart(run.units.front()->files.front()));
        for (const ImportUnit* unit : run.units) {
            while (!isInside(unit->files.front(), folder))
                folder = folderPart(folder);
        }
        return folder;
    }

    // In one folder, or one in a folder of the other's.
    static bool liesBeside(const RunUnits& a, const RunUnits& b) {
        const std::string left = folderOf(a);
        const std::string right = folderOf(b);
        return left == right || isInside(left + "/", right) || isInside(right + "/", left);
    }

    static bool areSiblings(const RunUnits& a, const RunUnits& b) {
        const auto pattern = [](const RunUnits& run) {
            return stemPattern(traceStem(run.units.front()->files.front()));
        };
        return pattern(a) == pattern(b) && a.units.front()->importer == b.units.front()->importer;
    }

    void unite(std::size_t a, std::size_t b) {
        const std::size_t from = m_groupOf[b];
        const std::size_t into = m_groupOf[a];
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            for (std::size_t k = 0; k < m_runs.size(); ++k) {
                if (m_groupOf[i] == into && m_groupOf[k] == from
                    && contradict(m_runs[i], m_runs[k]))
                    return;
            }
        }
        std::replace(m_groupOf.begin(), m_groupOf.end(), from, into);
    }

    [[nodiscard]] const std::string& firstFile(std::size_t run) const {
        return m_runs[run].units.front()->files.front();
    }

    // By what the names of logs share; else by the run whose folder holds the others', by the one
    // with traces, by the first.
    [[nodiscard]] std::string nameOf(const std::vector<std::size_t>& group) const {
        const auto rating = [this](std::size_t i) {
            return std::pair(folderOf(m_runs[i]).size(), m_runs[i].isTelemetry);
        };
        const bool areLogs = std::all_of(
            group.begin(), group.end(), [this](std::size_t i) { return m_runs[i].isTelemetry; });
        const std::string shared = stemWithoutRank(traceStem(firstFile(group.front())));
        if (areLogs && std::all_of(group.begin(), group.end(), [&](std::size_t i) {
                return stemWithoutRank(traceStem(firstFile(i))) == shared;
            }))
            return shared;
        const std::size_t best = *std::min_element(group.begin(), group.end(),
            [&](std::size_t a, std::size_t b) { return rating(a) < rating(b); });
        return m_runs[best].name;
    }

    void nameGroups() {
        std::map<std::size_t, std::vector<std::size_t>> groups;
        for (std::size_t i = 0; i < m_runs.size(); ++i)
            groups[m_groupOf[i]].push_back(i);
        for (const auto& [first, group] : groups) {
            if (group.size() < 2)
                continue;
            const std::string name = nameOf(group);
            for (const std::size_t i : group)
                nameRun(m_runs[i], name);
        }
    }

    static void nameRun(const RunUnits& run, const std::string& name) {
        for (ImportUnit* unit : run.units) {
            if (unit->runName == name)
                continue;
            unit->runName = name;
            unit->notes.push_back("Part of run \"" + name
                + "\": recorded of the same GPUs at the same time. Give it another run's name to "
                  "keep "
                  "it apart.");
        }
    }

    std::vector<PlannedUnit> m_units;
    MachineEvidence m_evidence;
    std::vector<RunUnits> m_runs;
    std::vector<std::size_t> m_groupOf;
};

void joinOneMachine(std::vector<PlannedUnit> units) {
    MachineJoining(std::move(units)).join();
}

} // namespace trainscope::importers
