// The part of ComparisonController that knows which runs and captures are compared, in which order,
// and how far each was moved.
#include "app/viewmodels/comparison/ComparisonController.h"
#include "core/analysis/comparison/Comparison.h"
#include "core/model/Try.h"
#include "core/plot/timeline/Timeline.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace trainscope::app {

// A run that the settings do not name, or no longer rightly, is compared as a whole.
ComparisonController::Compared ComparisonController::comparedRuns() const {
    Compared runs;
    const auto chosen = workspace() == nullptr ? std::vector<Run>() : workspace()->chosenRuns();
    std::set<RunId> named;
    for (const auto& name : m_settings.runs) {
        const auto run = std::find_if(
            chosen.begin(), chosen.end(), [&name](const Run& one) { return one.name == name.run; });
        if (run == chosen.end() || !hasCapture(run->id, name.capture))
            continue;
        named.insert(run->id);
        runs.push_back({*run, {false, name.capture}});
    }
    for (const Run& run : chosen) {
        if (!named.contains(run.id))
            runs.push_back({run, {}});
    }
    return runs;
}

// A board that is sorted has the runs in another order than the list.
ComparisonController::Compared ComparisonController::orderedRuns() const {
    auto runs = comparedRuns();
    if (m_settings.query.sortedBy.empty() || !m_data || m_data->runs.size() != runs.size())
        return runs;
    const auto placeOf = [this](const analysis::ComparedRun& run) {
        return std::find_if(m_data->runs.begin(), m_data->runs.end(), [&run](const auto& other) {
            return other.named.id == run.run.id && other.capture == run.scope.capture;
        }) - m_data->runs.begin();
    };
    std::stable_sort(runs.begin(), runs.end(),
        [&](const auto& a, const auto& b) { return placeOf(a) < placeOf(b); });
    return runs;
}

QStringList ComparisonController::runLabels() const {
    QStringList labels;
    for (const auto& run : orderedRuns())
        labels.append(QStringLiteral("%1 · %2").arg(
            QString::fromStdString(analysis::runMark(static_cast<std::size_t>(labels.size()))),
            QString::fromStdString(analysis::partName(run.run.name, run.scope.capture))));
    return labels;
}

void ComparisonController::listRuns(const Compared& runs, std::string sortedBy) {
    ComparisonSettings changed = m_settings;
    changed.query.sortedBy = std::move(sortedBy);
    changed.runs.clear();
    for (const auto& run : runs)
        changed.runs.push_back(comparedName(run));
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
    auto runs = orderedRuns();
    if (run < 0 || run >= static_cast<int>(runs.size()))
        return;
    runs.erase(runs.begin() + run);
    listRuns(runs, m_settings.query.sortedBy);
    showRunsOf(runs);
}

void ComparisonController::showRunsOf(const Compared& runs) {
    std::vector<RunId> wanted;
    for (const auto& shown : workspace()->shownRuns())
        wanted.push_back(shown.id);
    const auto isOf = [](RunId id) {
        return [id](const analysis::ComparedRun& one) { return one.run.id == id; };
    };
    std::erase_if(
        wanted, [&](RunId id) { return std::none_of(runs.begin(), runs.end(), isOf(id)); });
    for (const auto& one : runs) {
        if (std::find(wanted.begin(), wanted.end(), one.run.id) == wanted.end())
            wanted.push_back(one.run.id);
    }
    views()->workspace()->setShown(wanted);
}

void ComparisonController::readCaptures() {
    m_capturesTask.ask(
        workspace()->readers(),
        [](const store::Store& store, const TaskStage<Captures>&) -> Result<Captures> {
            Captures all;
            ASSIGN_OR_RETURN(const auto runs, store.runs());
            for (const Run& run : runs) {
                ASSIGN_OR_RETURN(auto captures, store.captures(run.id));
                for (Capture& one : plot::capturesByName(std::move(captures)))
                    all[run.id].push_back(std::move(one.name));
            }
            return all;
        },
        [this](const Result<Captures>& captures) {
            // An error is told by the reading of the comparison, which meets it too.
            m_captures = captures.valueOr({});
            load();
            Q_EMIT stateChanged();
        });
}

// Until they are known, what was chosen is taken to be there.
bool ComparisonController::hasCapture(RunId run, const std::string& capture) const {
    if (capture.empty() || !m_captures)
        return true;
    const auto own = m_captures->find(run);
    return own != m_captures->end()
        && std::find(own->second.begin(), own->second.end(), capture) != own->second.end();
}

bool ComparisonController::hasCaptures() const {
    if (workspace() == nullptr || !m_captures)
        return false;
    const auto& shown = workspace()->shownRuns();
    return std::any_of(shown.begin(), shown.end(),
        [this](const plot::ShownRun& run) { return m_captures->contains(run.id); });
}

// The runs that are shown, and others that have captures.
std::vector<ComparisonController::Offer> ComparisonController::allOffers() const {
    std::vector<Offer> all;
    if (workspace() == nullptr)
        return all;
    const auto& shown = workspace()->shownRuns();
    for (const Run& run : workspace()->runs()) {
        const bool isShown = std::any_of(
            shown.begin(), shown.end(), [&run](const auto& one) { return one.id == run.id; });
        const bool isCaptured = m_captures && m_captures->contains(run.id);
        if (isShown || isCaptured)
            all.push_back({&run, {}});
        if (!isCaptured)
            continue;
        for (const std::string& capture : m_captures->at(run.id))
            all.push_back({&run, capture});
    }
    return all;
}

QStringList ComparisonController::offers() const {
    QStringList texts;
    for (const Offer& one : allOffers())
        texts.append(QString::fromStdString(one.capture.empty() ? one.run->name : one.capture));
    return texts;
}

QList<bool> ComparisonController::offersCapture() const {
    QList<bool> captures;
    for (const Offer& one : allOffers())
        captures.append(!one.capture.empty());
    return captures;
}

QList<bool> ComparisonController::offersChosen() const {
    const auto compared = comparedRuns();
    QList<bool> chosen;
    for (const Offer& offer : allOffers())
        chosen.append(std::any_of(compared.begin(), compared.end(), [&offer](const auto& one) {
            return one.run.id == offer.run->id && one.scope.capture == offer.capture;
        }));
    return chosen;
}

void ComparisonController::toggleOffer(int offer) {
    const auto all = allOffers();
    if (offer < 0 || offer >= static_cast<int>(all.size()))
        return;
    const Offer& chosen = all[static_cast<std::size_t>(offer)];
    auto runs = orderedRuns();
    const auto count = runs.size();
    std::erase_if(runs, [&chosen](const auto& one) {
        return one.run.id == chosen.run->id && one.scope.capture == chosen.capture;
    });
    const bool isOut = runs.size() < count;
    if (isOut && runs.empty())
        return; // the last one stays
    if (!isOut)
        runs.push_back({*chosen.run, {false, chosen.capture}});
    listRuns(runs, m_settings.query.sortedBy);
    showRunsOf(runs);
}

// Captures that the timeline asked to see side by side.
void ComparisonController::takeWanted() {
    if (workspace() == nullptr || !isActive())
        return;
    const auto wanted = views()->takeToCompare();
    const Run* run = wanted ? workspace()->findRun(wanted->run) : nullptr;
    if (run == nullptr)
        return;
    Compared runs;
    for (const std::string& capture : wanted->captures)
        runs.push_back({*run, {false, capture}});
    listRuns(runs, {});
    showRunsOf(runs);
}

double ComparisonController::movedSeconds(int run) const {
    const auto runs = orderedRuns();
    if (run < 0 || run >= static_cast<int>(runs.size()))
        return 0.0;
    const auto moved = m_settings.moved.find(comparedName(runs[static_cast<std::size_t>(run)]));
    return moved == m_settings.moved.end() ? 0.0 : moved->second.seconds();
}

void ComparisonController::moveBySeconds(int run, double seconds) {
    const auto runs = orderedRuns();
    const bool usable = std::abs(seconds) < 1e6; // also refuses NaN
    if (run < 0 || run >= static_cast<int>(runs.size()) || !usable)
        return;
    ComparisonSettings changed = m_settings;
    const ComparedName name = comparedName(runs[static_cast<std::size_t>(run)]);
    changed.moved[name] = DurationNs{std::llround(seconds * 1e9)};
    if (changed.moved[name].ns == 0)
        changed.moved.erase(name);
    change(changed);
}

} // namespace trainscope::app
