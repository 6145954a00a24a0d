#include "core/plot/timeline/SpanMix.h"

#include "core/plot/timeline/LaneFrame.h"

#include <set>

namespace trainscope::plot {

namespace {

constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

// Walks both lists once; of each depth one group may hold what comes next.
class Mixer {
public:
    Mixer(const std::vector<store::LodNode>& groups, DurationNs width)
        : m_groups(groups)
        , m_width(width) { }

    void add(const store::LodNode& part) {
        for (; m_next < m_groups.size() && m_groups[m_next].range.begin <= part.range.begin;
             ++m_next)
            open(m_next);
        const std::size_t group = part.depth < m_open.size() ? m_open[part.depth] : kNoGroup;
        if (group == kNoGroup || part.range.length() >= m_width
            || part.range.begin > m_groups[group].range.end)
            return;
        const double busy
            = static_cast<double>(part.busyFraction) * static_cast<double>(part.range.length().ns);
        Time& time = m_times[group][part.name];
        time = {time.ns + busy, part.kind};
    }

    std::vector<SpanMix> mixes() const {
        std::vector<SpanMix> all;
        for (const auto& [group, times] : m_times) {
            double sum = 0.0;
            for (const auto& [name, time] : times)
                sum += time.ns;
            SpanMix mix{group, {}};
            for (const auto& [name, time] : times) {
                if (time.ns > 0.0)
                    mix.parts.push_back({name, time.kind, static_cast<float>(time.ns / sum)});
            }
            if (!mix.parts.empty())
                all.push_back(std::move(mix));
        }
        return all;
    }

private:
    struct Time {
        double ns = 0.0;
        SpanKind kind = SpanKind::Kernel;
    };
    void open(std::size_t index) {
        const store::LodNode& group = m_groups[index];
        if (group.count <= 1)
            return;
        if (group.depth >= m_open.size())
            m_open.resize(std::size_t{group.depth} + 1, kNoGroup);
        m_open[group.depth] = index;
    }

    const std::vector<store::LodNode>& m_groups;
    DurationNs m_width;
    std::size_t m_next = 0;
    std::vector<std::size_t> m_open; // by depth
    std::map<std::size_t, std::map<NameId, Time>> m_times; // by group
};

// Parts of one category become the one that took most.
void joinParts(std::vector<SpanMix::Part>& parts, const TimelineData& data) {
    const auto categoryOf = [&data](NameId name) {
        const auto found = data.names.find(name);
        return found == data.names.end() ? std::string_view() : found->second.category;
    };
    std::ranges::sort(parts, [](const SpanMix::Part& a, const SpanMix::Part& b) {
        return a.share != b.share ? a.share > b.share : a.name < b.name;
    });
    std::vector<SpanMix::Part> joined;
    for (const SpanMix::Part& part : parts) {
        const auto category = categoryOf(part.name);
        const auto same = std::ranges::find_if(
            joined, [&](const SpanMix::Part& other) { return categoryOf(other.name) == category; });
        if (same == joined.end())
            joined.push_back(part);
        else
            same->share += part.share;
    }
    std::ranges::stable_sort(joined, [&](const SpanMix::Part& a, const SpanMix::Part& b) {
        return placeInLegend(categoryOf(a.name)) < placeInLegend(categoryOf(b.name));
    });
    parts = std::move(joined);
}

} // namespace

std::vector<SpanMix> mixesOf(const std::vector<store::LodNode>& groups,
    const std::vector<store::LodNode>& finer, DurationNs width) {
    Mixer mixer(groups, width);
    for (const store::LodNode& part : finer)
        mixer.add(part);
    return mixer.mixes();
}

void joinCategories(TimelineData& data) {
    for (LaneData& lane : data.lanes) {
        std::set<NameId> names;
        for (LaneSpans& track : lane.spans) {
            for (SpanMix& mix : track.mixes) {
                joinParts(mix.parts, data);
                for (const SpanMix::Part& part : mix.parts)
                    names.insert(part.name);
            }
        }
        lane.mixed.assign(names.begin(), names.end());
    }
}

} // namespace trainscope::plot
