#pragma once
// Calibration: a cost model brought to measured rows, by factors on its constants first
// (RateFit.h), then by what is left (Residuals). Immutable; any thread.

#include "core/predict/Job.h"
#include "core/predict/calibration/RateFit.h"
#include "core/predict/step/Step.h"

#include <Eigen/Core>

namespace trainscope::predict {

// Standard deviation of the logarithm of a measured step about its prediction, by what is not
// known.
struct StepSpread {
    std::map<std::string, double> constants; // by factor: what its standard deviation adds
    double own = 0.0; // left by a model, for this job

    [[nodiscard]] double total() const;
};
// Standard deviation of ln(a/b): a constant counts as far as the steps depend on it unequally, what
// the model leaves as far as the jobs are unlike. likeness: see Residuals::likeness().
double spreadOfRatio(const StepSpread& a, const StepSpread& b, double likeness);

struct Correction {
    double log = 0.0; // to add to the logarithm of predicted seconds
    StepSpread spread; // a measurement's about the corrected prediction
    double told = 0.0; // share of what a cost model gets wrong that the rows tell: 0 far from all
};

// The errors that a cost model still makes on measured rows, carried over to jobs like them. A
// Gaussian process on log(measured / predicted), whose covariance falls with the distance of two
// jobs in GPU, precision, layout, recomputation, model, sequence, batch, number of GPUs and
// software version. Each row has the noise of its source, and more where it contradicts its
// neighbours, so that an outlier is not copied to them. Distances and scales: fitted on published
// summaries.
class Residuals {
public:
    Residuals() = default;
    // `logs`: log(measured / predicted) of each row.
    Residuals(const std::vector<MeasuredJob>& rows, const std::vector<double>& logs);

    // `source` and `version` as in MeasuredJob; empty and 0 where they are not known.
    [[nodiscard]] Correction of(
        const Job& job, const std::string& source = {}, double version = 0.0) const;
    // Correlation of what a cost model gets wrong of two jobs, 0 to 1.
    static double likeness(const Job& a, const Job& b);
    // The logarithm alone, without source and version.
    [[nodiscard]] double logOf(const Job& job) const;
    // None of jobs that differ in layout, micro-batch and recomputation alone is below.
    [[nodiscard]] double leastLogOf(const Job& job) const;
    [[nodiscard]] bool isEmpty() const { return m_points.empty(); }
    [[nodiscard]] const std::vector<double>& logs() const { return m_logs; }
    // Predicts each row from the other ones alone.
    [[nodiscard]] std::vector<Correction> leftOut() const;
    // Rows that contradict their neighbours, and are not copied to them.
    [[nodiscard]] const std::vector<std::size_t>& outliers() const { return m_outliers; }
    // Covariances of the rows' logarithms, noise included.
    [[nodiscard]] Eigen::MatrixXd covariances() const;

private:
    struct Point {
        std::string gpu;
        Precision precision = Precision::Bf16;
        std::string layout;
        Recompute recompute = Recompute::None;
        std::string stack;
        double sequence = 0.0; // logarithms to base 2
        double gpus = 0.0;
        double tokens = 0.0; // in a micro-batch
        double hidden = 0.0;
        double experts = 0.0;
        double version = 0.0; // years
    };
    static Point pointOf(const Job& job, double version);
    static double covariance(const Point& a, const Point& b);
    void learnNoise(const std::vector<MeasuredJob>& rows);
    void factorize(const std::vector<double>& logs);
    [[nodiscard]] double noiseOf(const std::string& source) const;

    std::vector<Point> m_points;
    std::vector<double> m_logs;
    std::vector<double> m_noise; // standard deviation, by row
    std::vector<std::size_t> m_outliers;
    std::map<std::string, double> m_sourceNoise;
    Eigen::MatrixXd m_inverse;
    Eigen::VectorXd m_weights;
};

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
