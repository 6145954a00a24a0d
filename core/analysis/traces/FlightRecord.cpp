#include "core/analysis/traces/FlightRecord.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/model/Try.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

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

} // namespace trainscope::analysis
