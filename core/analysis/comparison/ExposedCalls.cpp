#include "core/analysis/comparison/ExposedCalls.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/machine/RunMachine.h"
#include "core/analysis/traces/Calls.h"
#include "core/analysis/traces/Collectives.h"
#include "core/layout/Layout.h"
#include "core/model/Try.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace trainscope::analysis {

namespace {

using layout::CommunicatorKind;

CommunicatorPlace groupOf(const layout::Layout& layout, CommunicatorKind kind) {
    const layout::LinkClass link = layout::reachOf(layout, kind).link();
    return {std::string(layout::infoOf(kind).key),
        link == layout::LinkClass::ScaleOut ? LinkClass::ScaleOut : LinkClass::ScaleUp};
}

// The only one of several ranks among them.
std::optional<CommunicatorKind> onlyOf(
    const layout::Layout& layout, std::initializer_list<CommunicatorKind> kinds) {
    std::optional<CommunicatorKind> only;
    for (const CommunicatorKind kind : kinds) {
        if (layout.grid.groupSize(kind) < 2)
            continue;
        if (only)
            return std::nullopt;
        only = kind;
    }
    return only;
}

constexpr double kSpeaksFor = 0.2; // of the exposed time, by matched calls

// The group of a collective by its kernel category ("send_recv"), where the layout leaves only one:
// messages are those of the pipeline, or of experts where there is no pipeline; all-to-alls are of
// experts; the others of the only dense group of several ranks.
std::map<std::string, CommunicatorPlace> guessPlaces(const layout::Layout& layout) {
    std::map<std::string, CommunicatorPlace> guessed;
    const auto put = [&](const std::vector<const char*>& categories,
                         const std::optional<CommunicatorKind>& kind) {
        if (!kind)
            return;
        for (const char* category : categories)
            guessed[category] = groupOf(layout, *kind);
    };
    put({"send_recv"}, onlyOf(layout, {CommunicatorKind::Pipeline, CommunicatorKind::Expert}));
    put({"all_to_all"}, onlyOf(layout, {CommunicatorKind::Expert}));
    put({"all_reduce", "all_gather", "reduce_scatter"},
        onlyOf(
            layout, {CommunicatorKind::Tensor, CommunicatorKind::Context, CommunicatorKind::Data}));
    return guessed;
}

// A number that the framework made up says nothing.
bool isMadeUp(const std::string& dimension) {
    return std::all_of(
        dimension.begin(), dimension.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Sums over the matched collectives of one kind along one dimension.
struct MatchedSums {
    double waitS = 0.0; // over collectives and ranks
    double rankS = 0.0; // the same, from start to end
    double betweenS = 0.0; // transfers between nodes
    double sizedS = 0.0; // of these, with a size and every rank
    double busBytes = 0.0; // of those, × busFactor()

    void add(const MatchedSums& more) {
        waitS += more.waitS;
        rankS += more.rankS;
    }
    [[nodiscard]] std::optional<double> waitShare() const {
        return rankS > 0.0 ? std::optional(std::clamp(waitS / rankS, 0.0, 1.0)) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> busBandwidth() const {
        return sizedS > 0.0 ? std::optional(busBytes / sizedS) : std::nullopt;
    }
};
using MatchedKey = std::pair<std::string, std::string>; // category, dimension

class CallMatcher {
public:
    CallMatcher(CommunicatorPlaces& places, TimeRange window)
        : m_places(places)
        , m_window(window) { }

    void add(const Collective& one) {
        if (!m_window.contains(one.end))
            return;
        const CommunicatorPlace& place = m_places.placeOf(one);
        MatchedSums& sums = m_sums[{std::string(toString(one.kind)), place.dimension}];
        for (const CollectiveRank& rank : one.ranks) {
            sums.waitS += rank.wait.seconds();
            sums.rankS += (rank.end - rank.start).seconds();
        }
        if (place.link != LinkClass::ScaleOut)
            return;
        sums.betweenS += one.transfer.seconds();
        if (one.busBandwidth() && *one.bytes >= 1.0 && !one.isPartial()) {
            sums.sizedS += one.transfer.seconds();
            sums.busBytes += *one.bytes * busFactor(one.kind, one.ranksInGroup);
        }
    }

    // By the calls of that group, else by all of its category; absent where hardly any of its calls
    // were matched, for example for want of a common clock.
    [[nodiscard]] std::optional<double> waitShare(const ExposedCommunication& group) const {
        MatchedSums matched;
        const auto own = m_sums.find({group.category, group.dimension});
        if (own != m_sums.end())
            matched = own->second;
        for (const auto& [key, sums] : m_sums) {
            if (own == m_sums.end() && key.first == group.category)
                matched.add(sums);
        }
        return matched.rankS >= kSpeaksFor * group.seconds ? matched.waitShare() : std::nullopt;
    }

    [[nodiscard]] std::optional<double> betweenNodesBandwidth() const {
        const MatchedSums* most = nullptr;
        for (const auto& [key, sums] : m_sums) {
            if (sums.busBandwidth() && (most == nullptr || sums.betweenS > most->betweenS))
                most = &sums;
        }
        return most == nullptr ? std::nullopt : most->busBandwidth();
    }

private:
    CommunicatorPlaces& m_places;
    TimeRange m_window;
    std::map<MatchedKey, MatchedSums> m_sums;
};

class Sorter {
public:
    // `layout`: with each link domain as one node.
    Sorter(const RunStudy& study, const std::optional<layout::Layout>& layout,
        const CommunicatorPlaces& places)
        : m_store(study.store)
        , m_worldSize(std::max(study.run.worldSize, study.run.gpuCount))
        , m_places(places) {
        if (layout)
            m_guessed = guessPlaces(*layout);
    }

    Result<std::vector<ExposedCommunication>> sort(
        const std::map<CategoryShares::Collective, double>& exposed) const {
        std::map<std::tuple<std::string, LinkClass, std::string>, double> sums;
        for (const auto& [collective, seconds] : exposed) {
            ASSIGN_OR_RETURN(const auto place, placeOf(collective));
            sums[{place.dimension, place.link, collective.first}] += seconds;
        }
        std::vector<ExposedCommunication> groups;
        for (const auto& [key, seconds] : sums)
            groups.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), seconds, {}});
        std::stable_sort(groups.begin(), groups.end(),
            [](const ExposedCommunication& a, const ExposedCommunication& b) {
                return a.seconds > b.seconds;
            });
        return groups;
    }

private:
    // By what the trace says of the call, else by the layout.
    [[nodiscard]] Result<CommunicatorPlace> placeOf(
        const CategoryShares::Collective& collective) const {
        const auto& [category, detail] = collective;
        ASSIGN_OR_RETURN(const auto told, collectiveDetail(m_store, detail));
        const Communicator group = communicatorFrom(told, m_worldSize);
        CommunicatorPlace place;
        if (!group.ranks.empty() || !group.description.empty())
            place.dimension = m_places.dimensionOf(group, group.ranks);
        if (isMadeUp(place.dimension))
            place.dimension.clear();
        if (!group.ranks.empty())
            place.link = m_places.linkOf(group.ranks);
        const auto guess = m_guessed.find(category);
        if (guess == m_guessed.end() || place.link != LinkClass::Unknown)
            return place;
        return place.dimension.empty() || place.dimension == guess->second.dimension ? guess->second
                                                                                     : place;
    }

    const store::Store& m_store;
    int m_worldSize;
    const CommunicatorPlaces& m_places;
    std::map<std::string, CommunicatorPlace> m_guessed;
};

} // namespace

Result<ExposedCalls> exposedCallsOf(const RunStudy& study, const layout::Layout* layout,
    const std::map<CategoryShares::Collective, double>& exposed, const RankClocks& clocks,
    TimeRange window) {
    ExposedCalls made;
    if (exposed.empty())
        return made;
    ASSIGN_OR_RETURN(const auto joined, domainsAsNodes(study));
    ASSIGN_OR_RETURN(const auto domain, linkDomainOf(study));
    CommunicatorPlaces places(joined.run, joined.gpus);
    std::optional<layout::Layout> domains;
    if (layout != nullptr)
        domains = domainsAsNodes(*layout, domain);
    ASSIGN_OR_RETURN(auto groups, Sorter(study, domains, places).sort(exposed));
    made.groups = std::move(groups);
    CallMatcher matcher(places, window);
    RETURN_IF_ERROR(forEachCollective(study, clocks, [&matcher](const Collective& one) {
        matcher.add(one);
        return true;
    }));
    for (ExposedCommunication& one : made.groups) {
        if (const auto share = matcher.waitShare(one))
            one.waitS = *share * one.seconds;
    }
    made.betweenNodesBandwidth = matcher.betweenNodesBandwidth();
    return made;
}

} // namespace trainscope::analysis
