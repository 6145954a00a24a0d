#pragma once
// Activity of a traced device: phases, launches and copies.

#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/LaunchStatistics.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

// Time of each phase (Phase.h) on a device: whole nanoseconds.
struct WindowPhases {
    TimeRange window;
    DurationNs traced; // part of the window: without the time between captures
    ByPhase<DurationNs> time; // sums to what was traced
    DurationNs sendRecvOnly; // part of the exposed communication: nothing but SendRecv ran
    // Nothing ran, or nothing but SendRecv: what a pipeline bubble looks like.
    [[nodiscard]] DurationNs waiting() const { return time[Phase::Idle] + sendRecvOnly; }
};

struct IterationPhases : WindowPhases {
    std::int64_t index = 0;
    bool warmup = false;
};

// Shares of a device's busy time by the category of its work, of the built-in table. Time in which
// compute kernels run belongs to these, else to the kernels of communication; kernels that run at
// once share it equally.
class CategoryShares {
public:
    // An exposed collective by its category and the detail of its spans.
    using Collective = std::pair<std::string, NameId>;

    void add(DurationNs length, const Running& running);

    // s; with "copy", without idle.
    [[nodiscard]] std::map<std::string, double> seconds() const;
    [[nodiscard]] std::map<Collective, double> exposed() const; // s

private:
    struct Category {
        std::string text; // the walk's is gone when it has ended
        double ns = 0.0;
    };
    std::size_t placeOf(const std::string* category);

    // In the order in which they are met, in which they are added: sums of the same spans are the
    // same to the last digit.
    std::vector<Category> m_categories;
    // A walk keeps one text for each category of a kernel, whose address tells it.
    std::unordered_map<const std::string*, std::size_t> m_places;
    double m_copyNs = 0.0;
    std::map<std::pair<std::size_t, NameId>, double> m_exposed;
};

class PhaseMeter : public DeviceVisitor {
public:
    explicit PhaseMeter(const TraceWindow& shown);

    Status piece(TimeRange range, const Running& running) override;
    // After the walk, whose evidence says what unmarked compute is.
    WindowPhases all(const MarkEvidence& evidence) const;
    std::vector<IterationPhases> iterations(const MarkEvidence& evidence) const;
    // Shares of the iterations, if there are any, else of the window.
    [[nodiscard]] const CategoryShares& shares() const { return m_shares; }
    // Exposed time of each kind of collective ("all_reduce") in the window; where several ran at
    // once, each counts.
    [[nodiscard]] const std::map<std::string, DurationNs>& exposedByKind() const {
        return m_exposedByKind;
    }

private:
    static void finish(WindowPhases& window, const MarkEvidence& evidence);
    void addKinds(DurationNs length, const Running& running);

    WindowPhases m_all;
    TraceWindow m_shown;
    bool m_isFirst = true;
    std::vector<IterationPhases> m_iterations;
    OpenWindows m_windows; // as the iterations
    CategoryShares m_shares;
    std::map<std::string, DurationNs> m_exposedByKind;
};

// Copies of a device by direction, with bytes and bandwidth where the trace tells the bytes.
struct CopyKind {
    std::int64_t count = 0;
    DurationNs time; // summed
    std::int64_t withBytes = 0; // part of the count: told and wholly inside the window
    std::int64_t bytes = 0;
    DurationNs timeWithBytes;

    // B/s while copying; absent where no copy tells its bytes or none takes time.
    [[nodiscard]] std::optional<double> bandwidth() const;
};
using CopyStatistics = std::map<std::string, CopyKind>; // "HtoD", "DtoH", "DtoD", "PtoP", "other"

// "Memcpy HtoD (Pinned -> Device)" → "HtoD"; "CopyHostToDevice" → "HtoD".
std::string copyDirection(std::string_view name);
// "bytes" of the detail of a copy or set; absent where the trace does not say it.
std::optional<std::int64_t> movedBytes(std::string_view detail);

// All that one pass over a rank's trace tells about its devices besides the kernel table: phases,
// launches, copies; and the kernel table too, where it is wanted.
struct DeviceActivity {
    int rank = -1;
    int device = -1;
    WindowPhases phases;
    std::vector<IterationPhases> iterations; // by time
    MarkEvidence evidence;
    LaunchStatistics launches;
    CopyStatistics copies;
    CategoryShares shares;
    std::map<std::string, DurationNs> exposedByKind; // PhaseMeter
};

} // namespace trainscope::analysis
