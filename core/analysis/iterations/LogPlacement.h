#pragma once
// Places a log without dates in the telemetry of its run: the GPUs draw much power while the log
// says that iterations ran, and less before, after and between. For that the times at which the log
// says that a machine worked and its power signal are brought into forms that can be laid upon each
// other. Pure, but for placeLog() and powerSignal().

#include "core/analysis/RunStudy.h"

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

struct LogPlacement {
    TimeNs start; // begin of the first iteration
    DurationNs error; // bound on the error of `start`
    std::vector<DurationNs> pauses; // length of each of the log's pauses
    double agreement = 0.0; // agreement of power and work there: 1 all of it, 0 none
    // Other places fit as well; the error spans them where they lie side by side.
    bool isAmbiguous = false;
    double iterationS = 0.0; // mean length of an iteration, to say the error in
    bool isSaid = false; // by the user
};

// "2026-04-22 00:08:53.4 UTC ± 1.2 s, from the edges of the summed power", with what is uncertain.
std::string placementText(const LogPlacement& placement);

// Fails with a sentence where the signal does not show the work. Pauses get the lengths that fit
// best; a pause has no length of its own where the work before it fills the record.
Result<LogPlacement> fitWork(const LoggedWork& work, const WorkSignal& signal);

// By the run's summed GPU power, else the power of its nodes.
Result<LogPlacement> placeLog(const RunStudy& study, const LoggedWork& work);

// Offset from UTC of the stamps of a log without zone: clocks of zones differ by whole quarters of
// an hour, and only one of them lays the log's iterations upon the high power of its run. Pure.

struct LogOffset {
    std::int64_t seconds = 0; // ahead of the telemetry's clock
    double agreement = 0.0; // agreement of power and work there: 1 all of it, 0 none
    std::int64_t nextSeconds = 0; // the next best fit
    double nextAgreement = 0.0;
};

// "UTC+02:00, by the power: 97 % of the iterations lie where it is high, 41 % with UTC+01:45".
std::string offsetText(const LogOffset& offset);

// Fails with a sentence where the signal does not show the work, or several offsets show it about
// as well. `work` counts from 1970, in the log's clock.
Result<LogOffset> fitOffset(const LoggedWork& work, const WorkSignal& signal);

} // namespace trainscope::analysis
