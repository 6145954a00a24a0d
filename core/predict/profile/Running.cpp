#include "core/predict/profile/Running.h"

#include "core/analysis/statistics/Means.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trainscope::predict {

namespace {

constexpr double kAlike = 1.5; // sizes up to so many times the other

template <typename Of>
std::vector<double> running(
    const std::vector<TimedExchange>& rows, std::size_t window, const Of& of) {
    std::vector<double> results;
    results.reserve(rows.size());
    for (std::size_t at = 0; at < rows.size(); ++at) {
        std::size_t begin = at > window / 2 ? at - window / 2 : 0;
        std::size_t end = std::min(rows.size(), at + window / 2 + 1);
        while (begin < at && rows[begin].bytes * kAlike < rows[at].bytes)
            ++begin;
        while (end > at + 1 && rows[end - 1].bytes > rows[at].bytes * kAlike)
            --end;
        std::vector<double> rates;
        for (std::size_t i = begin; i < end; ++i)
            rates.push_back(rows[i].seconds / rows[i].bytes);
        results.push_back(of(std::move(rates)));
    }
    return results;
}

} // namespace

std::vector<double> runningMedian(const std::vector<TimedExchange>& rows, std::size_t window) {
    return running(rows, window, analysis::upperMedian<double>);
}

std::vector<double> runningMean(const std::vector<TimedExchange>& rows, std::size_t window) {
    return running(rows, window, [](const std::vector<double>& part) {
        return std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(part.size());
    });
}

} // namespace trainscope::predict
