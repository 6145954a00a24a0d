#pragma once
// ProfiledCosts: a profile made ready for predicting steps. Immutable; any thread.

#include "core/predict/cost/Rates.h"
#include "core/predict/profile/Profile.h"
#include "core/predict/profile/SampledCosts.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope::predict {

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

} // namespace trainscope::predict
