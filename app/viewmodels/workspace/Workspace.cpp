#include "app/viewmodels/workspace/Workspace.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace trainscope::app {

Workspace::Workspace(QObject* parent)
    : QObject(parent) { }

Workspace::~Workspace() = default;

bool Workspace::isOpen() const {
    return m_store.has_value();
}

QString Workspace::databaseName() const {
    return m_store ? QString::fromStdString(m_store->path().filename().string()) : QString();
}

QString Workspace::databasePath() const {
    return m_store ? QString::fromStdString(m_store->path().string()) : QString();
}

const store::Store* Workspace::store() const {
    return m_store ? &*m_store : nullptr;
}

const std::vector<Run>& Workspace::runs() const {
    return m_runs;
}

const std::vector<plot::ShownRun>& Workspace::shownRuns() const {
    return m_shown;
}

std::vector<Run> Workspace::chosenRuns() const {
    std::vector<Run> chosen;
    std::copy_if(m_runs.begin(), m_runs.end(), std::back_inserter(chosen), [this](const Run& run) {
        return std::any_of(m_shown.begin(), m_shown.end(),
            [&run](const plot::ShownRun& shown) { return shown.id == run.id; });
    });
    return chosen;
}

Status Workspace::open(const std::filesystem::path& path) {
    auto opened = store::Store::open(path, store::OpenMode::ReadOnly);
    if (!opened.hasValue())
        return opened.error();
    auto runs = opened.value().runs();
    if (!runs.hasValue())
        return runs.error();
    m_store.emplace(std::move(opened).value());
    m_runs = std::move(runs).value();
    m_shown.clear();
    Q_EMIT databaseChanged();
    Q_EMIT runsChanged();
    if (!m_runs.empty())
        setShown({m_runs.front().id});
    return {};
}

void Workspace::close() {
    m_store.reset();
    m_runs.clear();
    m_shown.clear();
    Q_EMIT databaseChanged();
    Q_EMIT runsChanged();
    Q_EMIT shownRunsChanged();
}

Status Workspace::reload() {
    if (!m_store)
        return {};
    auto runs = m_store->runs();
    if (!runs.hasValue())
        return runs.error();
    m_runs = std::move(runs).value();
    Q_EMIT runsChanged();
    std::vector<RunId> shown;
    for (const auto& run : m_shown)
        shown.push_back(run.id);
    setShown(shown);
    return {};
}

// A run keeps its colour while it is shown; a new one takes the first that is free.
void Workspace::setShown(const std::vector<RunId>& runs) {
    const auto before = std::exchange(m_shown, {});
    const auto isWanted
        = [&runs](RunId id) { return std::find(runs.begin(), runs.end(), id) != runs.end(); };
    std::set<std::size_t> taken;
    for (const auto& shown : before) {
        if (isWanted(shown.id))
            taken.insert(shown.color);
    }
    for (const auto& run : m_runs) {
        if (!isWanted(run.id))
            continue;
        const auto kept = std::find_if(before.begin(), before.end(),
            [&run](const plot::ShownRun& shown) { return shown.id == run.id; });
        std::size_t color = 0;
        while (kept == before.end() && taken.contains(color))
            ++color;
        color = kept == before.end() ? color : kept->color;
        taken.insert(color);
        m_shown.push_back({run.id, run.name, run.range.begin, color});
    }
    Q_EMIT shownRunsChanged();
}

} // namespace trainscope::app
