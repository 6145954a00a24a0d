#include "core/analysis/traces/CommunicationSummary.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/catalogue/GpuModel.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <tuple>

namespace trainscope::analysis {

namespace {

struct Part {
    std::string what; // the collective with its sizes, where these must be equal
    std::string collective;
    bool isOpen = false;
    TimeRange range;
};

// Calls of a rank in its group of a name.
struct FlightCalls {
    std::string description;
    std::vector<int> ranks; // ranks of the group, ascending; empty: not said
    std::map<std::int64_t, Part> collectives; // by number
};
using CallsByRank = std::map<int, FlightCalls>;

struct RecordedGroup {
    std::string description;
    std::set<int> ranks; // as told, else as seen
    std::map<int, std::int64_t> last; // by rank, its last collective
    std::map<std::int64_t, std::map<int, const Part*>> collectives; // by number, then rank
};

// The ranks of a rank's group, as it says itself, else as another of them does.
std::vector<int> groupOf(int rank, const CallsByRank& byRank) {
    if (const auto& own = byRank.at(rank).ranks; !own.empty())
        return own;
    for (const auto& [other, calls] : byRank) {
        if (std::binary_search(calls.ranks.begin(), calls.ranks.end(), rank))
            return calls.ranks;
    }
    return {};
}

// Ranks count their groups each on their own, so that those of one name may be several.
std::map<std::vector<int>, RecordedGroup> groupsOf(const CallsByRank& byRank) {
    std::map<std::vector<int>, RecordedGroup> groups; // by their ranks
    for (const auto& [rank, calls] : byRank) {
        const std::vector<int> ranks = groupOf(rank, byRank);
        RecordedGroup& group = groups[ranks];
        group.description = calls.description;
        group.ranks.insert(rank);
        group.ranks.insert(ranks.begin(), ranks.end());
        for (const auto& [number, part] : calls.collectives)
            group.collectives[number][rank] = &part;
        if (!calls.collectives.empty())
            group.last[rank] = calls.collectives.rbegin()->first;
    }
    return groups;
}

struct FlightDetail {
    std::string state;
    bool isMessage = false;
    std::string sizes;
};

FlightDetail flightDetail(const std::string& text) {
    FlightDetail detail;
    const auto object = nlohmann::json::parse(text, nullptr, false);
    if (!object.is_object())
        return detail;
    if (const auto state = object.find("State"); state != object.end() && state->is_string())
        detail.state = state->get<std::string>();
    detail.isMessage = object.contains("Point to point");
    if (const auto sizes = object.find("Input Dims"); sizes != object.end())
        detail.sizes = sizes->dump();
    return detail;
}

// Sizes differ from rank to rank in what has a root, and in uneven gathers and exchanges.
bool hasEqualSizes(const std::string& collective) {
    return collective.find("all_reduce") != std::string::npos || collective == "allreduce";
}

class FlightReading {
public:
    explicit FlightReading(const store::Store& store)
        : m_store(store) { }

    Status read(const Track& track, const Progress& progress) {
        m_dumped.insert(track.description.rank);
        SpanMerge spans;
        spans.add(SpanCursor(m_store, track.id, kAllTime));
        return spans.forEach(
            [&](std::size_t, const Span& span) { return take(span, track.description.rank); },
            "Reading the flight recorder", progress);
    }

    [[nodiscard]] std::vector<UnreachedCollective> unreached() const {
        std::vector<UnreachedCollective> all;
        for (const auto& [name, byRank] : m_calls) {
            for (const auto& [ranks, group] : groupsOf(byRank)) {
                if (auto one = firstUnreached(name, group))
                    all.push_back(std::move(*one));
            }
        }
        return all;
    }

private:
    Status take(const Span& span, int rank) {
        if (!span.detail.isValid())
            return {};
        ASSIGN_OR_RETURN(const auto text, m_store.name(span.detail));
        const CollectiveDetail said = parseCollectiveDetail(text);
        const FlightDetail own = flightDetail(text);
        if (own.isMessage || !said.sequence || *said.sequence < 0)
            return {};
        FlightCalls& calls = m_calls[said.group][rank];
        calls.description = said.description;
        if (!said.ranks.empty()) {
            calls.ranks = said.ranks;
            std::ranges::sort(calls.ranks);
        }
        calls.collectives[*said.sequence]
            = {said.collective + (hasEqualSizes(said.collective) ? own.sizes : ""), said.collective,
                own.state != "completed", {span.start, span.start + span.duration}};
        return {};
    }

    [[nodiscard]] std::optional<UnreachedCollective> firstUnreached(
        const std::string& name, const RecordedGroup& group) const {
        for (const auto& [number, parts] : group.collectives) {
            if (auto one = unreachedIn(name, group, number, parts))
                return one;
        }
        return std::nullopt;
    }

    using Parts = std::map<int, const Part*>; // by rank
    [[nodiscard]] std::optional<UnreachedCollective> unreachedIn(const std::string& name,
        const RecordedGroup& group, std::int64_t number, const Parts& parts) const {
        UnreachedCollective one;
        one.group = name;
        one.description = group.description;
        one.sequence = number;
        const std::string usual = usualIn(parts);
        for (const int rank : group.ranks) {
            const auto part = parts.find(rank);
            if (part == parts.end()) {
                const auto last = group.last.find(rank);
                if (!m_dumped.contains(rank))
                    one.unknown.push_back(rank);
                else if (last == group.last.end() || last->second < number)
                    one.missing.push_back(rank);
                continue;
            }
            if (part->second->what != usual) {
                one.different.push_back(rank);
                continue;
            }
            one.collective = part->second->collective;
            if (!part->second->isOpen)
                continue;
            const TimeRange& range = part->second->range;
            one.range = one.waiting.empty() ? range : spanned(one.range, range);
            one.waiting.push_back(rank);
        }
        const bool isStuck
            = !one.waiting.empty() && (!one.missing.empty() || !one.different.empty());
        return isStuck ? std::optional(std::move(one)) : std::nullopt;
    }

    // The collective that most ranks are in; of equally many the first by rank.
    static std::string usualIn(const Parts& parts) {
        std::map<std::string, int> counts;
        for (const auto& [rank, part] : parts)
            ++counts[part->what];
        std::string usual;
        int most = 0;
        for (const auto& [rank, part] : parts) {
            if (counts[part->what] > most) {
                most = counts[part->what];
                usual = part->what;
            }
        }
        return usual;
    }

    const store::Store& m_store;
    std::set<int> m_dumped; // ranks
    std::map<std::string, CallsByRank> m_calls; // by name of the group
};

constexpr std::size_t kMostBandwidths = std::size_t{1} << 15U; // per row, exact up to half of it

using RowKey = std::tuple<CollectiveKind, std::string, LinkClass, int>;

// Sums over collectives with a size.
struct Bandwidths {
    double transferS = 0.0;
    double bytes = 0.0;
    double busBytes = 0.0; // bytes × bus factor
    Distribution algorithm{kMostBandwidths};
    Distribution bus{kMostBandwidths};

    void add(const Collective& one) {
        const auto bandwidth = one.algorithmBandwidth();
        if (!bandwidth || *one.bytes < 1.0)
            return;
        transferS += one.transfer.seconds();
        bytes += *one.bytes;
        busBytes += *one.bytes * busFactor(one.kind, one.ranksInGroup);
        algorithm.add(*bandwidth, 1);
        bus.add(*one.busBandwidth(), 1);
    }
};

struct CollectiveSums {
    CommunicationRow row;
    double bytes = 0.0;
    Bandwidths whole;
    Bandwidths partial;
};

// −1: no size.
int binOf(const std::optional<double>& bytes) {
    return bytes && *bytes >= 1.0 ? std::ilogb(*bytes) : -1;
}

class Summary {
public:
    Summary(const Run& run, const std::vector<Gpu>& gpus, const CommunicationOptions& options,
        RankClocks clocks)
        : m_places(run, gpus)
        , m_options(options) {
        m_result.clocks = std::move(clocks);
        m_result.onCommonClock = options.onCommonClock;
        if (const auto* model = catalogue::findGpuModel(run.gpuModel))
            m_scaleUpPeak = model->linkBandwidth;
        for (const RankClock& clock : m_result.clocks.ranks)
            m_ranks[clock.rank].rank = clock.rank;
    }

    [[nodiscard]] const RankClocks& clocks() const { return m_result.clocks; }

    void add(const Collective& one) {
        if (!m_options.window.contains(one.end))
            return;
        ++m_result.collectives;
        m_result.incomplete += one.isComplete ? 0 : 1;
        addToRow(one);
        if (one.kind == CollectiveKind::SendRecv)
            addMessage(one);
        else if (isSynchronising(one.kind))
            addToRanks(one);
    }

    CommunicationSummary finish(const CollectiveScan& scan) {
        for (const auto& [rank, count] : scan.unmatched) {
            m_ranks[rank].unmatched = count;
            m_result.unmatched += count;
        }
        for (const auto& [rank, count] : scan.alone)
            m_result.alone += count;
        for (auto& [key, sums] : m_rows)
            finishRow(sums);
        std::ranges::stable_sort(m_result.rows, std::greater<>(), &CommunicationRow::transferS);
        double most = 0.0;
        for (auto& [rank, sums] : m_ranks) {
            if (sums.collectives > 0)
                sums.latenessS /= static_cast<double>(sums.collectives);
            if (sums.causedWaitS > most) {
                most = sums.causedWaitS;
                m_result.straggler = rank;
            }
            m_result.ranks.push_back(sums);
        }
        return std::move(m_result);
    }

private:
    void addToRow(const Collective& one) {
        const CommunicatorPlace& place = m_places.placeOf(one);
        CollectiveSums& sums = m_rows[{one.kind, place.dimension, place.link, binOf(one.bytes)}];
        CommunicationRow& row = sums.row;
        row.kind = one.kind;
        row.dimension = place.dimension;
        row.link = place.link;
        row.ranks = std::max(row.ranks, one.ranksInGroup);
        ++row.count;
        row.partial += one.isPartial() ? 1 : 0;
        row.transferS += one.transfer.seconds();
        for (const CollectiveRank& rank : one.ranks)
            row.waitS += rank.wait.seconds();
        if (one.bytes && *one.bytes >= 1.0) {
            row.leastBytes = std::exp2(binOf(one.bytes));
            sums.bytes += *one.bytes;
        }
        (one.isPartial() ? sums.partial : sums.whole).add(one);
    }

    void addMessage(const Collective& one) {
        for (const CollectiveRank& rank : one.ranks) {
            RankCommunication& sums = m_ranks[rank.rank];
            ++sums.messages;
            sums.messageWaitS += rank.wait.seconds();
        }
    }

    void addToRanks(const Collective& one) {
        double caused = 0.0;
        TimeNs second = one.firstStart; // the last but one to start
        for (const CollectiveRank& rank : one.ranks) {
            RankCommunication& sums = m_ranks[rank.rank];
            ++sums.collectives;
            sums.waitS += rank.wait.seconds();
            sums.latenessS += (rank.start - one.firstStart).seconds();
            caused += rank.wait.seconds();
            if (rank.rank != one.lastRank)
                second = std::max(second, rank.start);
        }
        RankCommunication& last = m_ranks[one.lastRank];
        ++last.timesLast;
        last.causedWaitS += caused;
        const RankClock* const clock = m_result.clocks.find(one.lastRank);
        const double error = (clock == nullptr ? 0.0 : clock->uncertaintyNs)
            + m_result.clocks.largestUncertaintyNs;
        const auto lead = static_cast<double>((one.lastStart - second).ns);
        last.timesLastForCertain += lead > error ? 1 : 0;
    }

    void finishRow(CollectiveSums& sums) {
        CommunicationRow& row = sums.row;
        if (row.leastBytes)
            row.bytes = sums.bytes;
        const bool isWhole = sums.whole.transferS > 0.0;
        Bandwidths& told = isWhole ? sums.whole : sums.partial;
        if (told.transferS > 0.0) {
            row.algorithmBandwidth = told.bytes / told.transferS;
            row.busBandwidth = told.busBytes / told.transferS;
        }
        row.algorithmBandwidthMedian = told.algorithm.median();
        row.algorithmBandwidthP99 = told.algorithm.quantile(0.99);
        row.busBandwidthMedian = told.bus.median();
        row.busBandwidthP99 = told.bus.quantile(0.99);
        if (row.link == LinkClass::ScaleUp)
            row.linkPeak = m_scaleUpPeak;
        else if (row.link == LinkClass::ScaleOut)
            row.linkPeak = m_options.networkBandwidth;
        if (row.linkPeak && row.busBandwidth && isWhole)
            row.utilisation = *row.busBandwidth / *row.linkPeak;
        m_result.rows.push_back(row);
    }

    CommunicatorPlaces m_places;
    const CommunicationOptions& m_options;
    CommunicationSummary m_result;
    std::optional<double> m_scaleUpPeak;
    std::map<RowKey, CollectiveSums> m_rows;
    std::map<int, RankCommunication> m_ranks;
};

} // namespace

Result<std::vector<UnreachedCollective>> unreachedCollectives(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    FlightReading reading(study.store);
    for (const Track& track : tracks) {
        if (track.description.process == kFlightProcess)
            RETURN_IF_ERROR(reading.read(track, study.progress));
    }
    return reading.unreached();
}

Result<CommunicationSummary> communicationOf(
    const RunStudy& study, const CommunicationOptions& options) {
    ASSIGN_OR_RETURN(auto clocks, alignRanks(study));
    ASSIGN_OR_RETURN(const auto joined, domainsAsNodes(study));
    Summary summary(joined.run, joined.gpus, options, std::move(clocks));
    ASSIGN_OR_RETURN(const auto scan,
        forEachCollective(
            study, summary.clocks(),
            [&summary](const Collective& one) {
                summary.add(one);
                return true;
            },
            options.onCommonClock, options.window));
    return summary.finish(scan);
}

} // namespace trainscope::analysis
