// The part of ComparisonController that knows which runs are compared, in which order, and how far
// each was moved.
#include "app/viewmodels/comparison/ComparisonController.h"
#include "core/analysis/comparison/Comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::app {

std::vector<Run> ComparisonController::comparedRuns() const {
    auto runs = workspace() == nullptr ? std::vector<Run>() : workspace()->chosenRuns();
    const auto placeOf = [this](const Run& run) {
        return std::find(m_settings.runs.begin(), m_settings.runs.end(), run.name)
            - m_settings.runs.begin();
    };
    std::stable_sort(runs.begin(), runs.end(),
        [&](const Run& a, const Run& b) { return placeOf(a) < placeOf(b); });
    return runs;
}

// A board that is sorted has the runs in another order than the list.
std::vector<Run> ComparisonController::orderedRuns() const {
    auto runs = comparedRuns();
    if (m_settings.query.sortedBy.empty() || !m_data || m_data->runs.size() != runs.size())
        return runs;
    const auto placeOf = [this](const Run& run) {
        return std::find_if(m_data->runs.begin(), m_data->runs.end(), [&run](const auto& other) {
            return other.named.id == run.id;
        }) - m_data->runs.begin();
    };
    std::stable_sort(runs.begin(), runs.end(),
        [&](const Run& a, const Run& b) { return placeOf(a) < placeOf(b); });
    return runs;
}

QStringList ComparisonController::runLabels() const {
    QStringList labels;
    for (const auto& run : orderedRuns())
        labels.append(QStringLiteral("%1 · %2").arg(
            QString::fromStdString(analysis::runMark(static_cast<std::size_t>(labels.size()))),
            QString::fromStdString(run.name)));
    return labels;
}

void ComparisonController::listRuns(const std::vector<Run>& runs, std::string sortedBy) {
    ComparisonSettings changed = m_settings;
    changed.query.sortedBy = std::move(sortedBy);
    changed.runs.clear();
    for (const auto& run : runs)
        changed.runs.push_back(run.name);
    change(changed);
}

void ComparisonController::makeFirst(int run) {
    auto runs = orderedRuns();
    if (run < 0 || run >= static_cast<int>(runs.size()))
        return;
    std::rotate(runs.begin(), runs.begin() + run, runs.begin() + run + 1);
    listRuns(runs, m_settings.query.sortedBy);
}

void ComparisonController::moveRun(int from, int to) {
    auto runs = orderedRuns();
    const auto count = static_cast<int>(runs.size());
    if (from < 0 || from >= count || to < 0 || to >= count || from == to)
        return;
    if (from < to)
        std::rotate(runs.begin() + from, runs.begin() + from + 1, runs.begin() + to + 1);
    else
        std::rotate(runs.begin() + to, runs.begin() + from, runs.begin() + from + 1);
    listRuns(runs, {});
}

void ComparisonController::takeOut(int run) {
    const auto runs = orderedRuns();
    if (run < 0 || run >= static_cast<int>(runs.size()))
        return;
    std::vector<RunId> left;
    for (const auto& shown : workspace()->shownRuns()) {
        if (shown.id != runs[static_cast<std::size_t>(run)].id)
            left.push_back(shown.id);
    }
    views()->workspace()->setShown(left);
}

double ComparisonController::movedSeconds(int run) const {
    const auto runs = orderedRuns();
    if (run < 0 || run >= static_cast<int>(runs.size()))
        return 0.0;
    const auto moved = m_settings.moved.find(runs[static_cast<std::size_t>(run)].name);
    return moved == m_settings.moved.end() ? 0.0 : moved->second.seconds();
}

void ComparisonController::moveBySeconds(int run, double seconds) {
    const auto runs = orderedRuns();
    const bool usable = std::abs(seconds) < 1e6; // also refuses NaN
    if (run < 0 || run >= static_cast<int>(runs.size()) || !usable)
        return;
    ComparisonSettings changed = m_settings;
    const auto& name = runs[static_cast<std::size_t>(run)].name;
    changed.moved[name] = DurationNs{std::llround(seconds * 1e9)};
    if (changed.moved[name].ns == 0)
        changed.moved.erase(name);
    change(changed);
}

} // namespace trainscope::app
