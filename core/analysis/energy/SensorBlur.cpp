#include "core/analysis/energy/SensorBlur.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::analysis {

namespace {

constexpr double kCellsInReach = 16.0;
constexpr double kSeen = 0.95;
constexpr double kUnseen = std::numeric_limits<double>::infinity();

} // namespace

SensorBlur::SensorBlur(TimeRange timeline, const SensorReach& reach)
    : m_timeline(timeline)
    , m_reach(reach) {
    const double length = std::max(1.0, static_cast<double>(timeline.length().ns));
    m_cellNs = std::max(
        {1.0, reach.reachNs() / kCellsInReach, length / static_cast<double>(kMostCells - 1)});
    m_cells = static_cast<std::size_t>(length / m_cellNs) + 1;
    m_half = static_cast<std::size_t>(std::ceil(reach.reachNs() / m_cellNs));
    m_half = std::max<std::size_t>(m_half, 1);
    m_shown.assign(m_cells + 4 * m_half, {kUnseen, -kUnseen});
}

std::size_t SensorBlur::cellOf(TimeNs time) const {
    const double place = static_cast<double>((time - m_timeline.begin).ns) / m_cellNs;
    return std::min(m_cells - 1, static_cast<std::size_t>(std::max(place, 0.0)));
}

void SensorBlur::add(TimeRange range, std::size_t label, double share) {
    if (label >= m_times.size())
        m_times.resize(label + 1, std::vector<double>(m_cells, 0.0));
    auto begin = static_cast<double>((range.begin - m_timeline.begin).ns);
    const auto end = static_cast<double>((range.end - m_timeline.begin).ns);
    for (std::size_t cell = cellOf(range.begin); cell < m_cells && begin < end; ++cell) {
        const bool isLast = cell + 1 == m_cells;
        const double until = isLast ? end : std::min(end, static_cast<double>(cell + 1) * m_cellNs);
        m_times[label][cell] += share * std::max(0.0, until - begin);
        begin = std::max(begin, until);
    }
}

void SensorBlur::addReading(TimeNs time, double watts) {
    const double place = std::floor(static_cast<double>((time - m_timeline.begin).ns) / m_cellNs)
        + 2.0 * static_cast<double>(m_half);
    if (place < 0.0 || place >= static_cast<double>(m_shown.size()))
        return;
    Extremes& shown = m_shown[static_cast<std::size_t>(place)];
    shown = {std::min(shown.low, watts), std::max(shown.high, watts)};
}

// Largest minus smallest reading within ±2H of a cell, at most what the GPU can draw.
double SensorBlur::shownAround(std::size_t cell) const {
    Extremes all{kUnseen, -kUnseen};
    for (std::size_t i = cell; i <= cell + 4 * m_half && i < m_shown.size(); ++i)
        all = {std::min(all.low, m_shown[i].low), std::max(all.high, m_shown[i].high)};
    return all.high > all.low ? std::min(all.high - all.low, m_reach.highestW) : 0.0;
}

// The label's share of the time within ±H of each cell.
std::vector<double> SensorBlur::sharesAround(const std::vector<double>& times) const {
    std::vector<double> before(m_cells + 1, 0.0);
    for (std::size_t cell = 0; cell < m_cells; ++cell)
        before[cell + 1] = before[cell] + times[cell];
    std::vector<double> shares(m_cells);
    const double whole = static_cast<double>(2 * m_half + 1) * m_cellNs;
    for (std::size_t cell = 0; cell < m_cells; ++cell) {
        const std::size_t from = cell < m_half ? 0 : cell - m_half;
        const std::size_t to = std::min(m_cells, cell + m_half + 1);
        shares[cell] = (before[to] - before[from]) / whole;
    }
    return shares;
}

std::vector<bool> SensorBlur::isSeenNearby(const std::vector<double>& shares) const {
    std::vector<std::size_t> before(m_cells + 1, 0);
    for (std::size_t cell = 0; cell < m_cells; ++cell)
        before[cell + 1] = before[cell] + (shares[cell] >= kSeen ? 1 : 0);
    std::vector<bool> seen(m_cells);
    for (std::size_t cell = 0; cell < m_cells; ++cell) {
        const std::size_t from = cell < 2 * m_half ? 0 : cell - 2 * m_half;
        const std::size_t to = std::min(m_cells, cell + 2 * m_half + 1);
        seen[cell] = before[to] > before[from];
    }
    return seen;
}

void SensorBlur::finish() {
    std::vector<std::vector<double>> shares;
    std::vector<std::vector<bool>> seen;
    for (const auto& times : m_times) {
        shares.push_back(sharesAround(times));
        seen.push_back(isSeenNearby(shares.back()));
    }
    std::vector<double> shown(m_cells);
    for (std::size_t cell = 0; cell < m_cells; ++cell)
        shown[cell] = shownAround(cell);
    std::vector<double> mixedIn(m_cells, 0.0);
    m_bounds.assign(m_times.size(), 0.0);
    for (std::size_t k = 0; k < m_times.size(); ++k) {
        for (std::size_t cell = 0; cell < m_cells; ++cell) {
            const double time = m_times[k][cell];
            if (time <= 0.0)
                continue;
            double outside = 1.0;
            double mixed = 0.0;
            for (std::size_t j = 0; j < m_times.size(); ++j) {
                outside -= shares[j][cell];
                if (j != k)
                    mixed += shares[j][cell]
                        * (seen[k][cell] && seen[j][cell] ? shown[cell] : m_reach.highestW);
            }
            mixed += std::max(0.0, outside) * (seen[k][cell] ? shown[cell] : m_reach.highestW);
            const double bound = time * 1e-9 * std::min(2.0 * mixed, m_reach.highestW);
            m_bounds[k] += bound;
            mixedIn[cell] += bound;
        }
    }
    m_mixedBefore.assign(m_cells + 1, 0.0);
    for (std::size_t cell = 0; cell < m_cells; ++cell)
        m_mixedBefore[cell + 1] = m_mixedBefore[cell] + mixedIn[cell];
}

double SensorBlur::boundOfRange(TimeRange range) const {
    const double length = static_cast<double>(range.length().ns);
    const bool isResolved = length >= 2.0 * m_reach.reachNs();
    double bound = 0.0;
    for (const TimeNs border : {range.begin, range.end}) {
        const double step = isResolved ? shownAround(cellOf(border)) : m_reach.highestW;
        bound += step * m_reach.reachNs() / 2.0;
    }
    const double unseen = std::max(0.0, 1.0 - m_reach.windowNs / m_reach.periodNs);
    const double mixed = m_mixedBefore[cellOf(range.end) + 1] - m_mixedBefore[cellOf(range.begin)];
    return std::min(bound * 1e-9 + unseen * mixed / 2.0, length * m_reach.highestW * 1e-9);
}

} // namespace trainscope::analysis
