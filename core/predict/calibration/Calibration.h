#pragma once
// Calibration: a cost model brought to measured rows, by factors on its constants first
// (RateFit.h), then by what is left (Residuals.h). Immutable; any thread.

#include "core/predict/calibration/RateFit.h"
#include "core/predict/calibration/Residuals.h"
#include "core/predict/step/Step.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::predict {

class Calibration {
public:
    // Rows that cannot be predicted are left out.
    static Calibration of(const std::vector<MeasuredJob>& rows,
        const RateTable& table = RateTable::builtIn(), const FitOptions& options = {});

    [[nodiscard]] const RateFactors& factors() const { return m_fit.factors; }
    [[nodiscard]] const RateFit& fit() const { return m_fit; }
    [[nodiscard]] const Residuals& residuals() const { return m_residuals; }

    // The correction that measured rows like the job give; where no row is like it, its spread is
    // that of the constants. `table`: the one that the calibration was made with.
    [[nodiscard]] Correction correctionOf(const Job& job, const RateTable& table,
        const std::string& source = {}, double version = 0.0) const;

    // The rows that were used, and how far each is off: log(measured / predicted).
    [[nodiscard]] const std::vector<MeasuredJob>& rows() const { return m_rows; }
    struct LeftOut {
        double row = 0.0; // by the other rows alone
        double configuration = 0.0; // by rows of other configurations alone
    };
    // Factors and what they leave are both told by what is left, in closed form: factors are
    // linear near their fit (Rasmussen and Williams 2006, sections 2.7 and 5.4.2).
    [[nodiscard]] std::vector<LeftOut> leftOut() const;

private:
    RateFit m_fit;
    std::vector<MeasuredJob> m_rows;
    std::vector<std::size_t> m_places; // places of the rows in the fit
    Residuals m_residuals;
};

// Groups of a table's rows that are predicted together, from the rows of all other groups.
enum class LeaveOut {
    Sources, // those whose source begins with the same word, as "NVIDIA" or "MLPerf"
    Tenths, // a tenth of the rows, the same in each table
};
std::optional<LeaveOut> leaveOutFrom(std::string_view text); // "sources", "tenths"
// Name of the group of a row of that source and place in its table.
std::string leftOutGroup(LeaveOut how, std::string_view source, int row);

// The spread of a prediction without measured rows like it: of every constant by how well it is
// known, of the step about the model's.
StepSpread spreadOf(const Job& job, const RateTable& table, const RateFit& fit = {});

} // namespace trainscope::predict
