#include "core/analysis/traces/SequenceMatch.h"

#include "core/analysis/traces/ClockFit.h"
#include "core/model/WholeNumber.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>

namespace trainscope::analysis {

namespace {

constexpr double kMostDrift = 300e-6;
constexpr std::int64_t kLeastTolerance = 60'000; // ns: ends of one collective lie this close
constexpr std::int64_t kMostTolerance = 200'000; // ns, once drift is known
constexpr std::int64_t kScoreWidth = 60'000; // ns
constexpr std::size_t kProbes = 48; // neighbouring calls that vote on the difference
constexpr std::size_t kSegments = 5; // stretches of a that are tried
constexpr std::size_t kMostVotes = 2'000'000;
constexpr std::size_t kPeaks = 24; // per segment
constexpr double kFullWork = 4e6; // calls looked at in trying differences over everything
constexpr std::size_t kLeastFull = 4;
constexpr std::size_t kLocalReach = 512; // calls around a segment in the first trial
constexpr double kHintWeight = 1.5;

using CallSpan = std::span<const SequencedCall>;

// b's ends by signature, ascending.
struct End {
    std::int64_t at = 0;
    std::size_t index = 0;
};
using Ends = std::unordered_map<std::uint32_t, std::vector<End>>;

// Indices into a and b, with how far b's end is beyond a's.
struct MatchedPair {
    std::size_t a = 0;
    std::size_t b = 0;
    double residual = 0.0;
};

// b's clock − a's clock = base + line(a's time − origin), ns.
struct Difference {
    std::int64_t base = 0;
    std::int64_t origin = 0;
    RobustLine line;

    [[nodiscard]] std::int64_t at(std::int64_t time) const {
        const double since = static_cast<double>(clampedDifference(time, origin));
        return clampedSum(base, nearestWhole<std::int64_t>(line.at(since)));
    }
};

struct Segment {
    std::size_t first = 0;
    std::size_t last = 0; // behind it
};

struct Trial {
    std::int64_t offset = 0;
    Segment segment;
    double score = 0.0;
    std::vector<MatchedPair> links;
};

class Matcher {
public:
    Matcher(CallSpan a, CallSpan b, const std::optional<ClockHint>& hint)
        : m_a(a)
        , m_b(b)
        , m_hint(hint) {
        for (std::size_t i = 0; i < b.size(); ++i)
            m_ends[b[i].signature].push_back({b[i].end.ns, i});
        for (auto& [signature, ends] : m_ends)
            std::ranges::sort(ends, {}, &End::at);
    }

    std::vector<MatchedCall> match() {
        std::vector<MatchedPair> links = bySequence();
        if (links.empty())
            links = byEnds();
        std::vector<MatchedCall> result;
        for (const MatchedPair& link : links)
            result.push_back({m_a[link.a], m_b[link.b]});
        std::ranges::stable_sort(result, {}, [](const MatchedCall& one) { return one.a.end; });
        return result;
    }

private:
    // Numbers that come twice say nothing.
    std::vector<MatchedPair> bySequence() const {
        std::map<std::pair<std::uint32_t, std::int64_t>, std::pair<std::size_t, int>> numbered;
        for (std::size_t i = 0; i < m_b.size(); ++i) {
            if (m_b[i].sequence < 0)
                continue;
            auto& entry = numbered[{m_b[i].signature, m_b[i].sequence}];
            entry = {i, entry.second + 1};
        }
        std::vector<MatchedPair> links;
        std::map<std::size_t, int> uses;
        for (std::size_t i = 0; i < m_a.size() && !numbered.empty(); ++i) {
            const auto found = numbered.find({m_a[i].signature, m_a[i].sequence});
            if (m_a[i].sequence < 0 || found == numbered.end() || found->second.second != 1)
                continue;
            links.push_back({i, found->second.first, 0.0});
            ++uses[found->second.first];
        }
        std::erase_if(links, [&](const MatchedPair& link) { return uses[link.b] != 1; });
        return links;
    }

    std::vector<MatchedPair> byEnds() {
        std::vector<Trial> trials;
        for (const Segment& segment : segments()) {
            for (const std::int64_t offset : offsetsOf(segment))
                trials.push_back(tried(offset, segment, kLocalReach));
        }
        std::ranges::stable_sort(
            trials, [this](const Trial& x, const Trial& y) { return isBetter(x, y); });
        const std::size_t work = m_a.size() + m_b.size();
        const auto full = static_cast<std::size_t>(kFullWork / static_cast<double>(work + 1));
        trials.resize(std::min(trials.size(), std::max(full, kLeastFull)));
        Trial best;
        for (const Trial& trial : trials) {
            Trial whole = tried(trial.offset, trial.segment, m_a.size());
            if (best.links.empty() || isBetter(whole, best))
                best = std::move(whole);
        }
        return std::move(best.links);
    }

    // Trials that cannot be told apart otherwise go by the hint, else to the smaller difference.
    [[nodiscard]] bool isBetter(const Trial& x, const Trial& y) const {
        const double first = weighted(x);
        const double second = weighted(y);
        if (std::abs(first - second) > 1e-6 * std::max(first, second))
            return first > second;
        return distance(x) < distance(y);
    }
    [[nodiscard]] double weighted(const Trial& trial) const {
        const bool isHinted = m_hint && distance(trial) <= static_cast<double>(m_hint->within.ns);
        return trial.score * (isHinted ? kHintWeight : 1.0);
    }
    [[nodiscard]] double distance(const Trial& trial) const {
        const std::int64_t expected = m_hint ? m_hint->offset.ns : 0;
        return std::abs(static_cast<double>(trial.offset) - static_cast<double>(expected));
    }

    [[nodiscard]] std::vector<Segment> segments() const {
        std::vector<Segment> result;
        const std::size_t length = std::min(kProbes, m_a.size());
        for (std::size_t i = 0; i < kSegments && length > 0; ++i) {
            const std::size_t first = (m_a.size() - length) * i / (kSegments - 1);
            if (result.empty() || result.back().first != first)
                result.push_back({first, first + length});
        }
        return result;
    }

    [[nodiscard]] std::int64_t toleranceOf(const Segment& segment) const {
        const double length
            = static_cast<double>((m_a[segment.last - 1].end - m_a[segment.first].end).ns);
        return std::max(kLeastTolerance, std::lround(kMostDrift * std::abs(length) / 2.0));
    }

    // Every pair of a call of the segment and one of b votes for the difference of their ends.
    [[nodiscard]] std::vector<std::int64_t> offsetsOf(const Segment& segment) const {
        std::vector<std::pair<std::int64_t, std::size_t>> votes; // difference, probe
        for (std::size_t i = segment.first; i < segment.last && votes.size() < kMostVotes; ++i) {
            if (const auto found = m_ends.find(m_a[i].signature); found != m_ends.end()) {
                for (const End& end : found->second)
                    votes.emplace_back(end.at - m_a[i].end.ns, i - segment.first);
            }
        }
        std::ranges::sort(votes);
        return peaksOf(votes, toleranceOf(segment));
    }

    [[nodiscard]] static std::vector<std::int64_t> peaksOf(
        const std::vector<std::pair<std::int64_t, std::size_t>>& votes, std::int64_t width) {
        struct Peak {
            std::size_t probes = 0;
            std::int64_t offset = 0;
        };
        std::vector<Peak> peaks;
        std::vector<int> inside(kProbes, 0);
        std::size_t distinct = 0;
        std::size_t first = 0;
        for (std::size_t last = 0; last < votes.size(); ++last) {
            distinct += inside[votes[last].second]++ == 0 ? 1U : 0U;
            while (votes[last].first - votes[first].first > width)
                distinct -= --inside[votes[first++].second] == 0 ? 1U : 0U;
            const Peak peak{distinct, votes[(first + last) / 2].first};
            const bool isNear = !peaks.empty() && peak.offset - peaks.back().offset <= width;
            if (!isNear)
                peaks.push_back(peak);
            else if (peak.probes > peaks.back().probes)
                peaks.back() = peak;
        }
        std::ranges::stable_sort(peaks, std::greater<>(), &Peak::probes);
        std::vector<std::int64_t> offsets;
        for (const Peak& peak : peaks) {
            if (offsets.size() < kPeaks && 2 * peak.probes >= peaks.front().probes)
                offsets.push_back(peak.offset);
        }
        return offsets;
    }

    // Follows the difference from the segment outwards, up to `reach` calls to either side.
    [[nodiscard]] Trial tried(
        std::int64_t offset, const Segment& segment, std::size_t reach) const {
        Trial trial{offset, segment, 0.0, {}};
        const std::size_t lowest = segment.first - std::min(segment.first, reach);
        const std::size_t highest = std::min(m_a.size(), segment.last + reach);
        Segment stretch = segment;
        Difference difference{offset, m_a[(segment.first + segment.last) / 2].end.ns, {}};
        std::int64_t tolerance = toleranceOf(segment);
        for (;;) {
            trial.links = linksIn(stretch, difference, tolerance);
            if (trial.links.empty())
                return trial;
            fit(difference, trial.links);
            tolerance = std::clamp<std::int64_t>(
                std::lround(8.0 * difference.line.spread), kLeastTolerance, kMostTolerance);
            if (stretch.first == lowest && stretch.last == highest)
                break;
            const std::size_t more = 2 * (stretch.last - stretch.first);
            stretch.first -= std::min(more, stretch.first - lowest);
            stretch.last += std::min(more, highest - stretch.last);
        }
        trial.links = linksIn(stretch, difference, tolerance);
        for (const MatchedPair& link : trial.links) {
            const double far = link.residual / static_cast<double>(kScoreWidth);
            trial.score += std::max(0.0, 1.0 - far * far);
        }
        return trial;
    }

    void fit(Difference& difference, const std::vector<MatchedPair>& links) const {
        std::vector<LinePoint> points;
        for (const MatchedPair& link : links) {
            const std::int64_t end = m_a[link.a].end.ns;
            points.push_back({static_cast<double>(clampedDifference(end, difference.origin)),
                static_cast<double>(clampedDifference(
                    clampedDifference(m_b[link.b].end.ns, end), difference.base))});
        }
        difference.line = fitRobustLine(points, kUsualDrift);
    }

    // The nearest end for each call of the stretch, each end once.
    [[nodiscard]] std::vector<MatchedPair> linksIn(
        const Segment& stretch, const Difference& difference, std::int64_t tolerance) const {
        std::vector<MatchedPair> links;
        constexpr std::uint32_t free = 0;
        std::vector<std::uint32_t> taken(m_b.size(), free); // by b: the place in links, from 1
        for (std::size_t i = stretch.first; i < stretch.last; ++i) {
            const auto ends = m_ends.find(m_a[i].signature);
            if (ends == m_ends.end())
                continue;
            const std::int64_t expected = clampedSum(m_a[i].end.ns, difference.at(m_a[i].end.ns));
            const End* const end = nearest(ends->second, expected);
            const MatchedPair link{
                i, end->index, static_cast<double>(clampedDifference(end->at, expected))};
            if (std::abs(link.residual) > static_cast<double>(tolerance))
                continue;
            std::uint32_t& at = taken[link.b];
            if (at == free) {
                links.push_back(link);
                at = static_cast<std::uint32_t>(links.size());
            } else if (std::abs(link.residual) < std::abs(links[at - 1].residual)) {
                links[at - 1] = link;
            }
        }
        return links;
    }

    static const End* nearest(const std::vector<End>& ends, std::int64_t expected) {
        auto at = std::ranges::lower_bound(ends, expected, {}, &End::at);
        const bool isBeforeNearer = at == ends.end()
            || (at != ends.begin() && expected - (at - 1)->at < at->at - expected);
        return isBeforeNearer ? &*(at - 1) : &*at;
    }

    CallSpan m_a;
    CallSpan m_b;
    std::optional<ClockHint> m_hint;
    Ends m_ends;
};

} // namespace

std::vector<MatchedCall> matchSequences(
    CallSpan a, CallSpan b, const std::optional<ClockHint>& hint) {
    if (a.empty() || b.empty())
        return {};
    return Matcher(a, b, hint).match();
}

} // namespace trainscope::analysis
