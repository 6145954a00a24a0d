#pragma once
// Calibration: a cost model brought to measured rows, by factors on its constants first
// (RateFit.h), then by what is left (Residuals.h). Immutable; any thread.

#include "core/predict/calibration/RateFit.h"
#include "core/predict/calibration/Residuals.h"
#include "core/predict/step/Step.h"

#include <vector>

namespace trainscope::predict {

class Calibration {
public:
    // Rows that cannot be predicted are left out.
    static Calibration of(const std::vector<MeasuredJob>& rows,
        const RateTable& table = RateTable::builtIn(), const FitOptions& options = {});

    [[nodiscard]] const RateFactors& factors() const { return m_factors; }
    [[nodiscard]] const Residuals& residuals() const { return m_residuals; }

private:
    RateFactors m_factors;
    Residuals m_residuals;
};

// The standard deviation of a prediction's logarithm without measured rows like it: of every
// constant by how well it is known, of the step about the model's.
double spreadOf(const Job& job, const RateTable& table, const RateFactors& factors = {});

} // namespace trainscope::predict
