#pragma once
// Times at which a log says that a machine worked, and its power signal, in forms that can be laid
// upon each other. Pure, but for powerSignal().

#include "core/analysis/RunStudy.h"
#include "core/model/Time.h"
#include "core/store/Store.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainscope::analysis {

// Times of iterations, counted from the begin of the first; for a log with dates from 1970.
struct LoggedWork {
    struct Piece {
        DurationNs begin;
        DurationNs end;
        std::int64_t iterations = 1;
        // For how long nothing was trained before it the log does not say: `begin` counts as if
        // that were no time.
        bool isAfterPause = false;
    };
    std::vector<Piece> pieces; // in order, not overlapping
};

// Seconds of an iteration in the middle of all.
double usualIteration(const LoggedWork& work);
// Level of a piece: 1 for a busy machine, less where iterations took longer than usual.
double busyLevel(const LoggedWork::Piece& piece, double usualSeconds);

// A signal on even steps: 1 where the machine works, −1 where it idles, between them in between, 0
// where it is not known.
struct WorkSignal {
    TimeNs begin;
    DurationNs step;
    std::vector<double> values;
    DurationNs resolution; // between the samples that it was made of
};
WorkSignal workSignal(TimeNs begin, DurationNs step, std::span<const double> watts);

// Most steps of a power signal.
inline constexpr std::size_t kMostSignalSteps = std::size_t{1} << 16U;

// Signal of a run's summed GPU power, else of the power of its nodes; NotFound where it has none.
struct PowerSignal {
    WorkSignal signal;
    bool isAveraged = false; // by sensors that report up to a second late
};
Result<PowerSignal> powerSignal(const RunStudy& study);

// The integral of a signal from its begin, at any moment.
class SignalIntegral {
public:
    SignalIntegral(std::span<const double> values, double step)
        : m_step(step) {
        m_sums.push_back(0.0);
        for (const double value : values)
            m_sums.push_back(m_sums.back() + value * step);
    }
    [[nodiscard]] double at(double seconds) const {
        const double place = seconds / m_step;
        if (place <= 0.0)
            return 0.0;
        const auto before = static_cast<std::size_t>(place);
        if (before + 1 >= m_sums.size())
            return m_sums.back();
        const double rest = place - static_cast<double>(before);
        return m_sums[before] + rest * (m_sums[before + 1] - m_sums[before]);
    }

private:
    std::vector<double> m_sums;
    double m_step;
};

} // namespace trainscope::analysis
