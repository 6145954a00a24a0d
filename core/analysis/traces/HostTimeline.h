#pragma once
// Host threads of a rank as the origin of its work: the time of each launch, and the phase that its
// surroundings tell. Fed with the threads' spans in order of start; memory is bounded by what is
// open and by kMostLaunches, so calls that launch nothing do not pile up.

#include "core/analysis/traces/Phase.h"
#include "core/model/Span.h"
#include "core/store/Store.h"

#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace trainscope::analysis {

// Surroundings of a moment: the mark, and the begin and name of the annotation that tells one pass
// from the next of its kind: the one with the numbers of a pass (Phase.h), else the outermost;
// absent where only an operator tells it.
struct Telling {
    Mark mark = Mark::None;
    std::optional<TimeNs> since;
    NameId name = {};
};

struct Launch {
    TimeRange call; // runtime call
    Telling telling;
};

class HostTimeline {
public:
    static constexpr std::size_t kMostLaunches = std::size_t{1} << 17U;

    explicit HostTimeline(const store::Store& store)
        : m_store(store) { }

    Status add(std::size_t thread, const Span& span);
    // The call of that correlation. A call is taken once, unless it launched a graph of kernels.
    std::optional<Launch> takeLaunch(std::int64_t correlation);
    // Surroundings of a moment by annotations; moments must not go back.
    Telling annotationAt(TimeNs moment);

    [[nodiscard]] bool hasLaunches() const { return m_hasLaunches; }
    // Some annotation or operator told forward or backward.
    [[nodiscard]] bool tellsDirections() const { return m_tellsDirections; }

private:
    struct Open {
        TimeRange range;
        Mark mark;
        bool isAnnotation;
        bool isPass; // by its numbers
        NameId name;
    };
    struct Thread {
        std::vector<Open> open; // those that tell something, outermost first
    };
    struct Name {
        Mark annotation = Mark::None;
        Mark operation = Mark::None;
        bool isGraphLaunch = false;
        bool isPass = false;
    };
    struct Known {
        Launch launch;
        bool isGraph = false;
    };
    Result<Name> nameOf(NameId id);
    [[nodiscard]] Telling tellingAt(std::size_t thread, TimeNs moment) const;
    void remember(std::int64_t correlation, const Known& known);

    const store::Store& m_store;
    std::unordered_map<NameId, Name> m_names;
    std::vector<Thread> m_threads;
    std::vector<Open> m_annotations; // for annotationAt(), by their begin
    std::unordered_map<std::int64_t, Known> m_launches;
    std::deque<std::int64_t> m_order; // launches, oldest first
    bool m_hasLaunches = false;
    bool m_tellsDirections = false;
};

} // namespace trainscope::analysis
