#pragma once
// ProfiledCosts: a profile made ready for predicting steps. Immutable; any thread.

#include "core/predict/cost/Rates.h"
#include "core/predict/profile/Profile.h"
#include "core/predict/profile/ShapeRegressor.h"

namespace trainscope::predict {

// Seconds of operators from the measured samples of a GPU. A shape takes what its floating-point
// operations or bytes take at the GPU's peak, times how much longer the samples nearest in the
// space of the shapes' logarithms took than theirs. The spread grows with the distance to them.
// Immutable; any thread.
class SampledCosts : public OperatorCosts {
public:
    // Operators that the profile does not have (other kinds, products of 32 or 8 bits) go to
    // `otherwise`. An operator whose name is that of a family is taken from there ("fill_mask").
    SampledCosts(const GpuProfile& profile, std::shared_ptr<const OperatorCosts> otherwise);
    // The same samples beside other costs; cheap.
    [[nodiscard]] SampledCosts beside(std::shared_ptr<const OperatorCosts> otherwise) const;

    // Time of all repeats that the operator counts. Softmax is with the extra passes of the
    // profile's stack, which the turning of heads ("heads", a Permute) is a part of: it takes no
    // time of its own.
    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override;
    [[nodiscard]] bool samples(const Operator& work) const { return familyFor(work) != nullptr; }
    [[nodiscard]] const StackTerms& stack() const { return m_stack; }

private:
    struct Family {
        std::string name;
        OperatorKind kind = OperatorKind::Gemm;
        ShapeRegressor forward;
        ShapeRegressor backward;
        double forwardSpread = 0.0;
        double backwardSpread = 0.0;
    };
    [[nodiscard]] const Family* familyFor(const Operator& work) const;
    [[nodiscard]] double extraPass(const Operator& work) const;

    std::shared_ptr<const std::vector<Family>> m_families;
    std::shared_ptr<const OperatorCosts> m_otherwise;
    StackTerms m_stack;
    GpuPeaks m_peaks;
    double m_streamingBandwidth = 0.0; // B/s that large elementwise operators reach
};

// Costs that a step of one job is predicted from.
struct JobCosts {
    Rates rates;
    std::shared_ptr<const OperatorCosts> operators;
    std::shared_ptr<const CollectiveCosts> collectives;
    // Standard deviation of the logarithm of a measured step about its prediction; of samples
    // alone.
    std::optional<double> spread;
};

class ProfiledCosts {
public:
    explicit ProfiledCosts(Profile profile);

    // Absent where the profile lacks the job's GPU, or has fabrics of it and none of the job's
    // site. Sampled costs, by formula what was not sampled, exchanges too where there is no fabric.
    // The rates have gap and jitter of the profile's stack: what is predicted is the fastest step.
    [[nodiscard]] std::optional<JobCosts> costsOf(const Job& job, const Rates& rates) const;

    // The fabric that the profile has for a GPU, where it is the only one; else empty.
    [[nodiscard]] std::string onlyFabricOf(std::string_view gpu) const;

private:
    Profile m_profile;
    std::map<std::string, SampledCosts, std::less<>> m_costs; // by the GPU's name
};

// SampledCollectives: seconds of exchanges from the measured curves of a fabric, and how samples
// become a curve. Immutable; any thread.
//
// Interpolated in the logarithm of the bytes, constant seconds per byte beyond the ends. An
// arrangement of GPUs that was not sampled is answered by the bus bandwidth of the nearest one, a
// kind that was not by that of a related one (a reduce-scatter as half an all-reduce).

class SampledCollectives : public CollectiveCosts {
public:
    // Exchanges of which no sample tells anything (inside a node, where all samples are between
    // nodes) go to `otherwise`.
    SampledCollectives(FabricProfile fabric, std::shared_ptr<const CollectiveCosts> otherwise);

    [[nodiscard]] double secondsOf(const Collective& exchange) const override;

private:
    [[nodiscard]] const CollectiveCurve* nearest(
        CollectiveKind kind, int nodes, int gpusPerNode) const;

    FabricProfile m_fabric;
    std::shared_ptr<const CollectiveCosts> m_otherwise;
};

// The running median of seconds for each byte, of rows sorted by bytes, at each of up to `window`
// rows around it; fewer at the ends, and where sizes are far apart: a row of another size, by more
// than a half, tells nothing of the rate.
std::vector<double> runningMedian(const std::vector<TimedExchange>& rows, std::size_t window);

// Curve through rows that are sorted by bytes; at least one row.
CollectiveCurve curveOf(const CollectiveTimings& timings);
double secondsOn(const CollectiveCurve& curve, double bytes);

} // namespace trainscope::predict
