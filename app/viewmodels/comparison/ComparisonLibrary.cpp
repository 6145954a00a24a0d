#include "app/viewmodels/comparison/ComparisonLibrary.h"

#include "core/model/Try.h"
#include "core/store/Writing.h"

#include <utility>

namespace trainscope::app {

void ComparisonLibrary::setWorkspace(Workspace* workspace) {
    m_workspace = workspace;
    m_known.clear();
    Q_EMIT changed();
    read();
}

void ComparisonLibrary::read() {
    if (!m_workspace)
        return m_task.cancel();
    m_task.ask(
        m_workspace->readers(),
        [](const store::Store& store, const TaskStage<Known>&) -> Result<Known> {
            ASSIGN_OR_RETURN(auto saved, savedComparisons(store));
            Known known;
            for (auto& comparison : saved)
                known[QString::fromStdString(comparison.name)] = std::move(comparison);
            return known;
        },
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
        [this, name, settings] {
            m_known[name] = {name.toStdString(), encodeComparison(settings), settings, {}, {}};
            Q_EMIT changed();
            Q_EMIT saved(name);
        });
}

void ComparisonLibrary::rename(const QString& name, const QString& wanted) {
    write([from = name.toStdString(), to = wanted.toStdString()](
              store::Store& store) { return store::renameComparison(store, from, to); },
        [this, name, wanted] {
            m_known[wanted] = std::exchange(m_known[name], {});
            m_known.erase(name);
            Q_EMIT changed();
            Q_EMIT renamed(name, wanted);
        });
}

void ComparisonLibrary::remove(const QString& name) {
    write([key = name.toStdString()](
              store::Store& store) { return store::removeComparison(store, key); },
        [this, name] {
            const SavedComparison gone = std::exchange(m_known[name], {});
            m_known.erase(name);
            Q_EMIT changed();
            Q_EMIT removed(gone);
        });
}

void ComparisonLibrary::putBack(const SavedComparison& removed) {
    write([key = removed.name, spec = comparisonText(removed.spec)](
              store::Store& store) { return store::saveComparison(store, key, spec); },
        [this, removed] {
            const QString name = QString::fromStdString(removed.name);
            m_known[name] = removed;
            Q_EMIT changed();
            Q_EMIT saved(name);
        });
}

void ComparisonLibrary::write(
    std::function<Status(store::Store&)> work, std::function<void()> done) {
    if (!m_workspace)
        return;
    m_workspace->change(
        std::move(work), [library = QPointer(this), done = std::move(done)](const Status& written) {
            if (!library)
                return;
            if (written.hasValue())
                done();
            else
                Q_EMIT library->failed(written.error());
            library->read();
        });
}

} // namespace trainscope::app
