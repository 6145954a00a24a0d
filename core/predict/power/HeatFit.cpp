#include "core/predict/power/RunPower.h"

#include "core/analysis/statistics/Means.h"

#include <Eigen/Dense>

namespace trainscope::predict {

namespace {

constexpr std::size_t kLeastMoments = 32;
constexpr double kLeastChangeC = 4.0;
// A reading is off the model by 1.5 °C. The model's own error lasts, so a hundred readings tell no
// more than one.
constexpr double kNoiseC = 15.0;
constexpr double kResistanceSpread = 0.06; // between chips
constexpr double kUsualSpread = 0.3; // between kinds of node
constexpr double kColdestC = 0.0;
constexpr double kHottestC = 60.0;
constexpr double kUsualResistance = 0.05; // K/W, what the spread is of
constexpr double kShortest = 0.5; // time constant, in steps
constexpr double kLongestSeconds = 180.0;
constexpr int kTimeConstants = 24;

// The value that held before where one is missing; the first known one before that.
std::vector<double> filled(const std::vector<double>& values) {
    std::vector<double> out = values;
    double held = 0.0;
    for (const double value : values) {
        if (std::isfinite(value)) {
            held = value;
            break;
        }
    }
    for (double& value : out) {
        held = std::isfinite(value) ? value : held;
        value = held;
    }
    return out;
}

// Behind a first-order low pass that begins settled.
std::vector<double> lowPassed(const std::vector<double>& values, double decay) {
    std::vector<double> out;
    out.reserve(values.size());
    double state = values.empty() ? 0.0 : values.front();
    for (const double value : values) {
        out.push_back(state); // at the step's begin
        state = value + (state - value) * decay;
    }
    return out;
}

// [from, to) of the steps.
HeatRecord partOf(const HeatRecord& record, std::size_t from, std::size_t to) {
    HeatRecord part{record.stepSeconds, record.rows, record.usualResistance, {}, {}};
    const auto cut = [&](const std::vector<double>& values) {
        const std::size_t end = std::min(to, values.size());
        const std::size_t begin = std::min(from, end);
        return std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(begin),
            values.begin() + static_cast<std::ptrdiff_t>(end));
    };
    for (std::size_t slot = 0; slot < record.rows.size(); ++slot) {
        part.watts.push_back(cut(record.watts[slot]));
        part.celsius.push_back(cut(record.celsius[slot]));
    }
    return part;
}

struct HeatCandidate {
    double seconds = 0.0;
    double squares = std::numeric_limits<double>::infinity();
    Eigen::VectorXd unknowns; // inlet, rise, common resistance, what each slot has beyond it
};

// With the time constant given temperatures are linear in the rest:
//     T_i = inlet + (R + r_i)·x_i + rise·Σ_{in front} y_j,
// x the power behind the low pass, y behind two: the front's chips and then one's own.
HeatCandidate solveHeat(const HeatRecord& record, double seconds) {
    const double decay = std::exp(-record.stepSeconds / seconds);
    const std::size_t slots = record.rows.size();
    std::vector<std::vector<double>> own;
    std::vector<std::vector<double>> given;
    for (const std::vector<double>& watts : record.watts) {
        own.push_back(lowPassed(filled(watts), decay));
        given.push_back(lowPassed(own.back(), decay));
    }
    const auto unknowns = static_cast<Eigen::Index>(slots + 3);
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(unknowns, unknowns);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(unknowns);
    double squares = 0.0;
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const auto mine = static_cast<Eigen::Index>(slot + 3);
        for (std::size_t step = 0; step < record.celsius[slot].size(); ++step) {
            const double celsius = record.celsius[slot][step];
            if (!std::isfinite(celsius))
                continue;
            Eigen::VectorXd row = Eigen::VectorXd::Zero(unknowns);
            row[0] = 1.0;
            for (std::size_t other = 0; other < slots; ++other)
                row[1] += record.rows[other] < record.rows[slot] ? given[other][step] : 0.0;
            row[2] = own[slot][step];
            row[mine] = own[slot][step];
            normal += row * row.transpose();
            right += row * celsius;
            squares += celsius * celsius;
        }
        normal(mine, mine) += std::pow(kNoiseC / (kResistanceSpread * kUsualResistance), 2);
    }
    if (std::all_of(record.rows.begin(), record.rows.end(),
            [&](int row) { return row == record.rows.front(); }))
        normal(1, 1) += 1.0; // nothing tells the rise of one row
    if (record.usualResistance) {
        const double weight = std::pow(kNoiseC / (kUsualSpread * *record.usualResistance), 2);
        normal(2, 2) += weight;
        right[2] += weight * *record.usualResistance;
        squares += weight * std::pow(*record.usualResistance, 2);
    }
    HeatCandidate out;
    out.seconds = seconds;
    out.unknowns = normal.ldlt().solve(right);
    if (out.unknowns.allFinite())
        out.squares = squares - out.unknowns.dot(right);
    return out;
}

HeatCandidate bestHeat(const HeatRecord& record) {
    const double shortest = kShortest * record.stepSeconds;
    HeatCandidate best;
    for (int i = 0; i <= kTimeConstants; ++i) {
        HeatCandidate one = solveHeat(record,
            shortest
                * std::pow(kLongestSeconds / shortest, static_cast<double>(i) / kTimeConstants));
        if (one.squares < best.squares)
            best = std::move(one);
    }
    return best;
}

std::size_t knownMoments(const HeatRecord& record, double& change) {
    std::size_t count = 0;
    for (const std::vector<double>& celsius : record.celsius) {
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (const double value : celsius) {
            if (!std::isfinite(value))
                continue;
            ++count;
            low = std::min(low, value);
            high = std::max(high, value);
        }
        change = std::max(change, high - low);
    }
    return count;
}

} // namespace

HeatError heatError(const ThermalNode& node, const HeatRecord& record) {
    const ThermalNetwork network(node);
    const ThermalStep step(network, record.stepSeconds);
    std::vector<std::vector<double>> watts;
    std::vector<double> celsius;
    std::size_t steps = 0;
    for (std::size_t slot = 0; slot < record.rows.size(); ++slot) {
        watts.push_back(filled(record.watts[slot]));
        const std::vector<double> measured = filled(record.celsius[slot]);
        if (watts.back().empty() || measured.empty())
            return {};
        celsius.push_back(measured.front());
        steps = std::max(steps, watts.back().size());
    }
    HeatError out;
    std::vector<double> now(record.rows.size());
    for (std::size_t at = 0; at < steps; ++at) {
        for (std::size_t slot = 0; slot < now.size(); ++slot) {
            now[slot] = watts[slot][std::min(at, watts[slot].size() - 1)];
            const double measured = at < record.celsius[slot].size()
                ? record.celsius[slot][at]
                : std::numeric_limits<double>::quiet_NaN();
            if (!std::isfinite(measured))
                continue;
            out.celsius += std::abs(celsius[slot] - measured);
            ++out.moments;
        }
        step.advance(celsius, now);
    }
    out.celsius /= static_cast<double>(std::max<std::size_t>(out.moments, 1));
    return out;
}

std::optional<HeatFit> fitHeat(const HeatRecord& record, double fitted) {
    std::size_t steps = 0;
    for (const std::vector<double>& watts : record.watts)
        steps = std::max(steps, watts.size());
    const auto until = static_cast<std::size_t>(static_cast<double>(steps) * fitted);
    const HeatRecord known = partOf(record, 0, until);
    double change = 0.0;
    HeatFit out;
    out.moments = knownMoments(known, change);
    if (out.moments < kLeastMoments || change < kLeastChangeC)
        return std::nullopt;
    const HeatCandidate best = bestHeat(known);
    if (!std::isfinite(best.squares) || best.unknowns[2] <= 0.0 || best.unknowns[0] < kColdestC
        || best.unknowns[0] > kHottestC || best.seconds > 0.99 * kLongestSeconds)
        return std::nullopt;
    out.node.air = {best.unknowns[0], std::max(0.0, best.unknowns[1])};
    std::vector<double> resistances;
    for (std::size_t slot = 0; slot < record.rows.size(); ++slot) {
        const double own = best.unknowns[2] + best.unknowns[static_cast<Eigen::Index>(slot + 3)];
        resistances.push_back(std::max(own, 0.1 * best.unknowns[2]));
        out.node.slots.push_back(
            {record.rows[slot], static_cast<int>(slot), {resistances.back(), best.seconds}});
    }
    out.medianResistance = analysis::medianOf(resistances);
    out.errorC = heatError(out.node, known).celsius;
    const HeatError rest = heatError(out.node, partOf(record, until, steps));
    out.heldOutErrorC = rest.celsius;
    out.heldOutMoments = rest.moments;
    return out;
}

} // namespace trainscope::predict
