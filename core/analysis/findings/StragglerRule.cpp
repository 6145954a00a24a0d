#include "core/analysis/findings/Rules.h"
#include "core/text/NumberMarks.h"

namespace trainscope::analysis {

namespace {

const RankCommunication* communicationOfRank(const RunFacts& facts, int rank) {
    const auto& ranks = facts.communication->ranks;
    const auto found = std::ranges::find(ranks, rank, &RankCommunication::rank);
    return found == ranks.end() ? nullptr : &*found;
}

// Ranks that were matched in synchronising collectives, and the most collectives of one.
struct Matched {
    int ranks = 0;
    std::int64_t collectives = 0;
};
Matched matchedIn(const RunFacts& facts) {
    Matched matched;
    for (const RankCommunication& rank : facts.communication->ranks) {
        matched.ranks += rank.collectives > 0 ? 1 : 0;
        matched.collectives = std::max(matched.collectives, rank.collectives);
    }
    return matched;
}

template <typename Map>
typename Map::const_iterator largestOf(const Map& map) {
    return std::ranges::max_element(map, {}, [](const auto& one) { return one.second; });
}

std::string throughText(const WaitCause& cause) {
    double sum = 0.0;
    std::set<int> ranks;
    for (const auto& [rank, seconds] : cause.throughS) {
        sum += seconds;
        if (seconds >= kToldReason * cause.waitS)
            ranks.insert(rank);
    }
    if (ranks.empty())
        return {};
    return fmt::format(", {} of it through {} {}, which waited for it first", text::seconds(sum),
        ranks.size() == 1 ? "rank" : "ranks", text::numberList(ranks));
}

// Names a rank that mostly comes nearly as late: fixing only one of the two is not enough.
std::string nextToLastText(const WaitCause& cause) {
    const auto beside = largestOf(cause.besideS);
    if (beside == cause.besideS.end() || beside->second < kBesideShare * cause.waitS)
        return {};
    return fmt::format(", only {} of it beyond rank {}, which comes late as well",
        text::seconds(cause.aloneS), beside->first);
}

double inTurnOf(const WaitCauses& causes) {
    const auto found = std::ranges::find(causes.causes, kNoRank, &WaitCause::rank);
    return found == causes.causes.end() ? 0.0 : found->byReasonS[LateReason::InTurn];
}

// "rank 0 52 %, rank 6 41.5 %, no single cause 6.3 %".
std::string sharesText(const RunFacts& facts, const std::vector<const WaitCause*>& stragglers) {
    std::string text;
    double rest = 1.0;
    for (const WaitCause* cause : stragglers) {
        const double share = cause->waitS / facts.causes->waitS;
        text += fmt::format("rank {} {}, ", cause->rank, text::roundedPercent(share));
        rest -= share;
    }
    const double inTurn = inTurnOf(*facts.causes) / facts.causes->waitS;
    if (inTurn >= kToldReason) {
        text += fmt::format("the order of a pipeline {}, ", text::roundedPercent(inTurn));
        rest -= inTurn;
    }
    return text + "no single cause " + text::roundedPercent(std::max(rest, 0.0));
}

std::map<std::string, double> valuesOf(const RunFacts& facts, const WaitCause& cause) {
    const RankCommunication* rank = communicationOfRank(facts, cause.rank);
    std::map<std::string, double> values{{"share", cause.waitS / facts.causes->waitS},
        {"caused_wait_s", cause.waitS}, {"all_wait_s", facts.causes->waitS},
        {"exposed_wait_s", cause.exposedS}, {"fraction", cause.waitS / facts.tracedS()}};
    for (const LateReason reason : kLateReasons) {
        if (reason != LateReason::InTurn)
            values[std::string(toString(reason)) + "_s"] = cause.byReasonS[reason];
    }
    double through = 0.0;
    for (const auto& [late, seconds] : cause.throughS)
        through += seconds;
    values["through_others_s"] = through;
    values["alone_s"] = cause.aloneS;
    if (rank != nullptr) {
        values["times_last"] = static_cast<double>(rank->timesLastForCertain);
        values["collectives"] = static_cast<double>(rank->collectives);
        values["lateness_s"] = rank->latenessS;
    }
    return values;
}

std::string lastIn(const RunFacts& facts, const WaitCause& cause) {
    const RankCommunication* rank = communicationOfRank(facts, cause.rank);
    const auto where = largestOf(cause.byCollectiveS);
    std::string text = rank == nullptr
        ? std::string()
        : fmt::format(", last in {} of {}", rank->timesLastForCertain,
            text::counted(rank->collectives, "collective"));
    if (where != cause.byCollectiveS.end())
        text += fmt::format(
            "{}{}", cause.byCollectiveS.size() > 1 ? ", mostly in " : ", in ", where->first);
    return text;
}

} // namespace

std::vector<const WaitCause*> stragglersOf(const RunFacts& facts) {
    std::vector<const WaitCause*> found;
    const double traced = facts.tracedS();
    if (!facts.communication || !facts.causes || facts.causes->waitS <= 0.0 || traced <= 0.0)
        return found;
    const auto [ranks, collectives] = matchedIn(facts);
    if (collectives < kStragglerCollectives)
        return found;
    double left = facts.causes->waitS;
    auto others = static_cast<double>(ranks);
    for (const WaitCause& cause : facts.causes->causes) {
        if (cause.rank == kNoRank)
            continue;
        const double fair = std::min(0.9, kStragglerOverFair / others) * left;
        if (cause.waitS
            < std::max({fair, kStragglerShare * facts.causes->waitS, kStragglerWait * traced}))
            break;
        if (cause.certainS < kStragglerCertain * cause.waitS)
            continue;
        found.push_back(&cause);
        left -= cause.waitS;
        others = std::max(1.0, others - 1.0);
    }
    return found;
}

std::vector<TracedDevice> withoutStragglers(const RunFacts& facts) {
    std::vector<TracedDevice> devices = facts.traced;
    const auto stragglers = stragglersOf(facts);
    if (stragglers.empty())
        return devices;
    for (TracedDevice& device : devices) {
        for (const WaitCause* cause : stragglers) {
            const auto lost = facts.causes->lost.find({device.rank, cause->rank});
            if (lost == facts.causes->lost.end())
                continue;
            device.idleS = std::max(0.0, device.idleS - lost->second.idleS);
            device.hostBoundS = std::max(0.0, device.hostBoundS - lost->second.hostS);
            device.exposedS = std::max(0.0, device.exposedS - lost->second.exposedS());
            for (const auto& [kind, seconds] : lost->second.exposedByKindS) {
                if (const auto known = device.exposedByKindS.find(kind);
                    known != device.exposedByKindS.end())
                    known->second = std::max(0.0, known->second - seconds);
            }
        }
    }
    return devices;
}

void findStraggler(const RunFacts& facts, Findings& found) {
    const auto stragglers = stragglersOf(facts);
    const double traced = facts.tracedS();
    double rest = 1.0;
    for (const WaitCause* cause : stragglers)
        rest -= cause->waitS / facts.causes->waitS;
    for (const WaitCause* cause : stragglers) {
        const double cost = cause->exposedS / traced;
        Finding finding{"straggler",
            fmt::format("Rank {} causes {} of all waiting, {} of {}{}{}; {}.", cause->rank,
                text::roundedPercent(cause->waitS / facts.causes->waitS),
                text::seconds(cause->waitS), text::seconds(facts.causes->waitS),
                lastIn(facts, *cause), throughText(*cause) + nextToLastText(*cause),
                lateText(cause->byReasonS, cause->kernel, cause->isBeyondChance)),
            valuesOf(facts, *cause), {cause->worstRank, cause->worst, {}},
            fmt::format("{} of all waiting, {} times the mean of the ranks that cause no more, and "
                        "{} of the traced time, in runs of {} or more",
                text::roundedPercent(kStragglerShare), text::worded(kStragglerOverFair),
                text::roundedPercent(kStragglerWait),
                text::counted(kStragglerCollectives, "collective")),
            fmt::format("waiting in synchronising collectives, from each rank's start to the last "
                        "one's: {}; what the late rank did is compared with the mean of the others "
                        "since the group's previous collective; clocks are known to {}; {} traced",
                sharesText(facts, stragglers),
                text::seconds(facts.communication->clocks.largestUncertaintyNs * 1e-9),
                text::seconds(traced)),
            severityOfCost(cost), cost};
        finding.values["rest_share"] = std::max(rest, 0.0);
        found.push_back(std::move(finding));
    }
}

} // namespace trainscope::analysis
