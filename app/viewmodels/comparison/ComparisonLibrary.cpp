#include "app/viewmodels/comparison/ComparisonLibrary.h"

#include "core/model/Try.h"
#include "core/store/Writing.h"

#include <memory>
#include <optional>
#include <utility>

namespace trainscope::app {

void ComparisonLibrary::setWorkspace(Workspace* workspace) {
    m_workspace = workspace;
    m_known.clear();
    Q_EMIT changed();
    read();
}

Result<ComparisonLibrary::Known> ComparisonLibrary::knownIn(const store::Store& store) {
    ASSIGN_OR_RETURN(auto saved, savedComparisons(store));
    Known known;
    for (auto& comparison : saved)
        known[QString::fromStdString(comparison.name)] = std::move(comparison);
    return known;
}

void ComparisonLibrary::read() {
    if (!m_workspace)
        return m_task.cancel();
    m_task.ask(
        m_workspace->readers(),
        [](const store::Store& store, const TaskStage<Known>&) { return knownIn(store); },
        [this](Result<Known> known) {
            if (!known.hasValue()) {
                Q_EMIT failed(known.error());
                return;
            }
            m_known = std::move(known).value();
            Q_EMIT changed();
        });
}

QStringList ComparisonLibrary::names() const {
    QStringList names;
    for (const auto& [name, spec] : m_known)
        names.append(name);
    return names;
}

const SavedComparison* ComparisonLibrary::find(const QString& name) const {
    const auto found = m_known.find(name);
    return found == m_known.end() ? nullptr : &found->second;
}

void ComparisonLibrary::save(const QString& name, const ComparisonSettings& settings) {
    write([key = name.toStdString(), settings](
              store::Store& store) { return saveComparison(store, key, settings); },
        [this, name] { Q_EMIT saved(name); });
}

void ComparisonLibrary::rename(const QString& name, const QString& wanted) {
    write([from = name.toStdString(), to = wanted.toStdString()](
              store::Store& store) { return store::renameComparison(store, from, to); },
        [this, name, wanted] { Q_EMIT renamed(name, wanted); });
}

void ComparisonLibrary::remove(const QString& name) {
    const auto known = m_known.find(name);
    if (known == m_known.end())
        return;
    write([key = name.toStdString()](
              store::Store& store) { return store::removeComparison(store, key); },
        [this, gone = known->second] { Q_EMIT removed(gone); });
}

void ComparisonLibrary::putBack(const SavedComparison& removed) {
    write([key = removed.name, spec = comparisonText(removed.spec)](
              store::Store& store) { return store::saveComparison(store, key, spec); },
        [this, name = QString::fromStdString(removed.name)] { Q_EMIT saved(name); });
}

// Writes, then reads back: only the database can tell the runs of a comparison. It is read once
// more behind that, since a reading under way may be of before the change.
void ComparisonLibrary::write(
    std::function<Status(store::Store&)> work, std::function<void()> done) {
    if (!m_workspace)
        return;
    const auto known = std::make_shared<std::optional<Known>>();
    m_workspace->change(
        [work = std::move(work), known](store::Store& store) -> Status {
            RETURN_IF_ERROR(work(store));
            if (auto now = knownIn(store); now.hasValue())
                *known = std::move(now).value();
            return {};
        },
        [library = QPointer(this), path = m_workspace->databasePath(), known,
            done = std::move(done)](const Status& written) {
            if (!library)
                return;
            if (!written.hasValue())
                Q_EMIT library->failed(written.error());
            if (!library->m_workspace || library->m_workspace->databasePath() != path)
                return;
            if (*known) {
                library->m_known = std::move(**known);
                Q_EMIT library->changed();
                done();
            }
            library->read(); // says why, where reading back failed
        });
}

} // namespace trainscope::app
