#include "core/analysis/telemetry/Temperature.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/model/WholeNumber.h"

#include <Eigen/Dense>

namespace trainscope::analysis {

namespace {

AirflowOrder ascending(const std::map<int, double>& gpus) {
    AirflowOrder order;
    for (const auto& [local, mean] : gpus)
        order.push_back(local);
    return order;
}

// Mean over the GPUs at the places [from, to) of the order, of those that were measured.
std::optional<double> meanOfPlaces(const std::map<int, double>& gpus, const AirflowOrder& order,
    std::size_t from, std::size_t to) {
    std::vector<double> values;
    for (std::size_t i = from; i < to; ++i) {
        if (const auto found = gpus.find(order[i]); found != gpus.end())
            values.push_back(found->second);
    }
    return meanOf(values);
}

constexpr std::size_t kLeastKnownSteps = 40;
constexpr std::size_t kWindowsPerRecord = 20;
constexpr std::size_t kMostFitSteps = 4096;

struct KnownSteps {
    std::vector<double> values;
    std::vector<std::size_t> steps; // step of each value
};

KnownSteps knownOf(const UniformSeries& series) {
    KnownSteps out;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
        if (std::isnan(series.values[i]))
            continue;
        out.values.push_back(series.values[i]);
        out.steps.push_back(i);
    }
    return out;
}

double meanOf(const std::vector<double>& values, std::size_t from, std::size_t to) {
    double sum = 0.0;
    for (std::size_t i = from; i < to; ++i)
        sum += values[i];
    return sum / static_cast<double>(to - from);
}

constexpr std::size_t kLeastMoments = 32;
constexpr double kLeastChangeC = 2.0;
constexpr double kLeastExplained = 0.5;
constexpr int kCoarseSteps = 48; // steps of the logarithmic search
constexpr int kFineSteps = 40; // steps of the golden section

struct Moments {
    std::vector<double> power; // by step; holes filled with the value before
    std::vector<double> temperature; // NaN where missing
    double step = 0.0; // s
    std::size_t known = 0;
    double mean = 0.0;
    double variance = 0.0;
    double range = 0.0;
};

Moments momentsOf(const UniformSeries& power, const UniformSeries& temperature) {
    Moments out;
    out.step = power.step.seconds();
    const std::size_t n = std::min(power.values.size(), temperature.values.size());
    double held = std::numeric_limits<double>::quiet_NaN();
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        held = std::isnan(power.values[i]) ? held : power.values[i];
        if (std::isnan(held))
            continue; // the model starts with the first known power
        const double t = temperature.values[i];
        out.power.push_back(held);
        out.temperature.push_back(t);
        if (std::isnan(t))
            continue;
        ++out.known;
        sum += t;
        squares += t * t;
        low = std::min(low, t);
        high = std::max(high, t);
    }
    if (out.known == 0)
        return out;
    const auto count = static_cast<double>(out.known);
    out.mean = sum / count;
    out.variance = squares / count - out.mean * out.mean;
    out.range = high - low;
    return out;
}

struct ThermalCandidate {
    double tau = 0.0;
    double residual = std::numeric_limits<double>::infinity(); // mean square
    double resistance = 0.0;
    double rest = 0.0;
};

// With τ given the model is linear: T = T_rest + R·x + d·exp(−t/τ), x the power behind a low pass.
ThermalCandidate solve(const Moments& moments, double tau) {
    const double decay = std::exp(-moments.step / tau);
    double filtered = moments.power.front();
    double transient = 1.0;
    // Sums of products by hand: a fit makes a hundred of these passes for each GPU.
    double sumX = 0.0, sumD = 0.0, sumXX = 0.0, sumXD = 0.0, sumDD = 0.0;
    double sumT = 0.0, sumXT = 0.0, sumDT = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < moments.power.size(); ++i) {
        if (!std::isnan(moments.temperature[i])) {
            const double t = moments.temperature[i] - moments.mean;
            sumX += filtered;
            sumD += transient;
            sumXX += filtered * filtered;
            sumXD += filtered * transient;
            sumDD += transient * transient;
            sumT += t;
            sumXT += filtered * t;
            sumDT += transient * t;
            squares += t * t;
        }
        filtered += (1.0 - decay) * (moments.power[i] - filtered);
        transient *= decay;
    }
    Eigen::Matrix3d normal;
    normal << static_cast<double>(moments.known), sumX, sumD, sumX, sumXX, sumXD, sumD, sumXD,
        sumDD;
    const Eigen::Vector3d right(sumT, sumXT, sumDT);
    const Eigen::LDLT<Eigen::Matrix3d> factors(normal);
    const Eigen::Vector3d solution = factors.solve(right);
    ThermalCandidate out;
    out.tau = tau;
    if (!solution.allFinite())
        return out;
    out.residual
        = std::max(squares - solution.dot(right), 0.0) / static_cast<double>(moments.known);
    out.rest = solution[0] + moments.mean;
    out.resistance = solution[1];
    return out;
}

// The best τ on a logarithmic grid, then a golden section between its neighbours.
ThermalCandidate search(const Moments& moments, double shortest, double longest) {
    const double ratio = std::pow(longest / shortest, 1.0 / kCoarseSteps);
    ThermalCandidate best;
    for (int i = 0; i <= kCoarseSteps; ++i) {
        const ThermalCandidate one = solve(moments, shortest * std::pow(ratio, i));
        if (one.residual < best.residual)
            best = one;
    }
    const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
    double low = std::log(std::max(best.tau / ratio, shortest));
    double high = std::log(std::min(best.tau * ratio, longest));
    for (int i = 0; i < kFineSteps; ++i) {
        const double left = high - golden * (high - low);
        const double right = low + golden * (high - low);
        if (solve(moments, std::exp(left)).residual < solve(moments, std::exp(right)).residual)
            high = right;
        else
            low = left;
    }
    return solve(moments, std::exp((low + high) / 2.0));
}

Result<RunSettling> findSettling(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    RunSettling out;
    TimeNs last = kAllTime.begin;
    using Moment = std::optional<TimeNs>;
    const auto read
        = [](const store::Store& store, const Series& one, const Progress&) -> Result<Moment> {
        ASSIGN_OR_RETURN(const auto values, resample(store, one, gridOf({&one, 1}, kMostFitSteps)));
        return settledFrom(values);
    };
    const auto take = [&](const Series&, const Moment& from) {
        ++out.gpus;
        out.unsettled += from ? 0 : 1;
        last = std::max(last, from.value_or(last));
        return Status();
    };
    RETURN_IF_ERROR(forEachPart(study, "Finding when temperatures settled",
        gpuSeriesOf(gpuSeriesByRank(series), metric::kGpuTemperature), read, take));
    if (out.gpus > 0 && out.unsettled == 0)
        out.from = last;
    return out;
}

} // namespace

std::optional<AirflowGradient> airflowGradient(
    const std::map<int, std::map<int, double>>& means, const AirflowOrder& order) {
    AirflowGradient out;
    std::vector<double> fronts;
    std::vector<double> rears;
    for (const auto& [node, gpus] : means) {
        const AirflowOrder places = order.empty() ? ascending(gpus) : order;
        const std::size_t half = places.size() / 2;
        const auto front = meanOfPlaces(gpus, places, 0, half);
        const auto rear = meanOfPlaces(gpus, places, places.size() - half, places.size());
        if (!front || !rear)
            continue;
        fronts.push_back(*front);
        rears.push_back(*rear);
        out.nodes.push_back({node, *front, *rear});
    }
    if (fronts.empty())
        return std::nullopt;
    out.frontC = *meanOf(fronts);
    out.rearC = *meanOf(rears);
    out.celsius = out.rearC - out.frontC;
    out.hotterBy = out.frontC > 0.0 ? out.rearC / out.frontC - 1.0 : 0.0;
    return out;
}

Result<AirflowOrder> parseAirflow(std::string_view text) {
    AirflowOrder order;
    const Error wrong{ErrorCode::Usage,
        "The airflow order is a list of local GPU indices from front to rear, such as "
        "4,5,6,7,0,1,2,3; '"
            + std::string(text) + "' is not.",
        {}};
    for (const std::string_view word : words(text, ",")) {
        const auto index = wholeNumber<int>(word);
        if (!index || *index < 0)
            return wrong;
        order.push_back(*index);
    }
    return std::ssize(order) == std::ranges::count(text, ',') + 1 ? Result(order) : wrong;
}

Status checkAirflow(const AirflowOrder& order, const std::vector<Gpu>& gpus) {
    const std::set<int> known = setOf(gpus, &Gpu::local);
    std::string names;
    for (const int local : known)
        names += (names.empty() ? "" : ",") + std::to_string(local);
    const std::set<int> given(order.begin(), order.end());
    if (given == known && given.size() == order.size())
        return {};
    return Error{ErrorCode::Usage,
        "The airflow order must name each local index of a node's GPUs once; this run has " + names
            + ".",
        {}};
}

std::optional<TimeNs> settledFrom(const UniformSeries& temperature) {
    const KnownSteps known = knownOf(temperature);
    const std::size_t n = known.values.size();
    if (n < kLeastKnownSteps)
        return std::nullopt;
    const std::size_t window = std::max<std::size_t>(n / kWindowsPerRecord, 2);
    const double final = meanOf(known.values, n - n / 4, n);
    const double start = meanOf(known.values, 0, window);
    const double tolerance
        = std::max(kSettledWithinC, kSettledWithinRise * std::abs(final - start));
    // From the end backwards: the first moving mean outside ends the search.
    std::size_t settled = n - window;
    for (std::size_t from = n - window + 1; from-- > 0;) {
        if (std::abs(meanOf(known.values, from, from + window) - final) > tolerance)
            break;
        settled = from;
    }
    if (settled > n - n / 4)
        return std::nullopt;
    return temperature.timeOf(known.steps[settled]);
}

Result<RunSettling> runSettling(const RunStudy& study) {
    return study.once(findSettling);
}

std::optional<ThermalFit> fitThermal(const UniformSeries& power, const UniformSeries& temperature) {
    const Moments moments = momentsOf(power, temperature);
    if (moments.known < kLeastMoments || moments.range < kLeastChangeC || moments.step <= 0.0)
        return std::nullopt;
    const double shortest = 2.0 * moments.step;
    const double longest = moments.step * static_cast<double>(moments.power.size());
    if (shortest >= longest)
        return std::nullopt;
    const ThermalCandidate best = search(moments, shortest, longest);
    const double explained = 1.0 - best.residual / moments.variance;
    const bool isAtEdge = best.tau < shortest * 1.01 || best.tau > longest * 0.99;
    if (isAtEdge || !(explained >= kLeastExplained) || best.resistance <= 0.0)
        return std::nullopt;
    return ThermalFit{best.tau, best.resistance, best.rest, std::sqrt(best.residual), explained};
}

} // namespace trainscope::analysis
