#pragma once
// Finds the GPU that ran the kernels of a trace: a GPU draws power while its kernels run. Readings
// and trace are on one clock; sensors report late by up to the time that they average over, a
// second and a half at most. Pure.

#include "core/model/Time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

// Times at which a device worked, in the stretches that were traced.
class TracedWork {
public:
    // A stretch, and the work in it: in any order, overlapping or not.
    void add(TimeRange window, std::vector<TimeRange> work);
    // All stretches of another trace of the device.
    void join(const TracedWork& other);
    [[nodiscard]] bool isEmpty() const { return m_stretches.empty(); }
    // From the first to the last moment; of no work at all an empty one.
    [[nodiscard]] TimeRange range() const;
    [[nodiscard]] double seconds() const; // all stretches together
    [[nodiscard]] double share() const; // share of that time in which it worked
    // The share of a part in which it worked; absent where the part is not within a stretch.
    [[nodiscard]] std::optional<double> shareOf(TimeRange part) const;
    [[nodiscard]] bool covers(TimeNs moment) const;

private:
    struct Stretch {
        TimeRange window;
        std::vector<TimeRange> work; // in order, apart
        std::vector<std::int64_t> sums; // ns of work before each of them, and of all
        [[nodiscard]] std::int64_t workBefore(TimeNs moment) const;
    };
    [[nodiscard]] const Stretch* at(TimeNs moment) const;

    std::vector<Stretch> m_stretches; // in order
};

// W, NaN for missing, in order of time.
struct PowerReadings {
    std::vector<TimeNs> times;
    std::vector<float> watts;
};

// Moments of pairs, from which their correlation follows.
struct PairSums {
    double n = 0.0;
    double x = 0.0;
    double y = 0.0;
    double xx = 0.0;
    double yy = 0.0;
    double xy = 0.0;

    void add(double a, double b) {
        n += 1.0;
        x += a;
        y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    [[nodiscard]] double spreadX() const { return n > 0.0 ? deviation(x, xx) : 0.0; }
    [[nodiscard]] double spreadY() const { return n > 0.0 ? deviation(y, yy) : 0.0; }
    [[nodiscard]] double meanY() const { return y / n; }
    [[nodiscard]] double correlation() const {
        const double spread = spreadX() * spreadY();
        return spread > 0.0 ? (xy / n - x / n * (y / n)) / spread : 0.0;
    }

private:
    [[nodiscard]] double deviation(double sum, double squares) const {
        return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
    }
};

// Tells whether a GPU's power follows the kernels of a trace.
struct KernelPower {
    enum class Follows { NotKnown, Yes, No };
    // Yes: power and share of work correlate by 0.6 or more, over 16 readings at least.
    // No: the work changes over 8 s or more, slowly enough for a sensor that averages over a
    // second, and the power does not go with it; or the device works all the time, for 4 s or
    // more, and the GPU is at rest (15 % of its limit).
    Follows follows = Follows::NotKnown;
    double correlation = 0.0; // best over all delays that a sensor may have
    double meanW = std::numeric_limits<double>::quiet_NaN(); // over the readings in the trace
};
// `limitW`: of the model; absent: not known.
KernelPower kernelPower(
    const TracedWork& work, const PowerReadings& power, std::optional<double> limitW);

struct GpuByPower {
    // The only GPU whose power follows; else, where nothing is known to follow or not to, the only
    // one that is not at rest.
    std::optional<int> gpu;
    std::vector<int> following; // those whose power follows about as well
    bool isContradicted = false; // no GPU is the trace's
    std::string reason; // for people: "correlation 0.93, the next 0.21"; empty where nothing tells
};
GpuByPower gpuByPower(
    const TracedWork& work, const std::map<int, PowerReadings>& gpus, std::optional<double> limitW);

} // namespace trainscope::analysis
