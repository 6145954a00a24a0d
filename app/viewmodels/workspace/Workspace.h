#pragma once
// What is open: the run database, its runs and which of them are shown. Every view hangs on one
// Workspace. GUI thread only; workers get the path and open their own Store.

#include "core/model/Result.h"
#include "core/plot/timeline/Timeline.h"
#include "core/store/Store.h"

#include <QObject>
#include <QQmlEngine>
#include <QUrl>

#include <filesystem>
#include <optional>
#include <vector>

namespace trainscope::app {

class Workspace : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(bool isOpen READ isOpen NOTIFY databaseChanged FINAL)
    Q_PROPERTY(QString databaseName READ databaseName NOTIFY databaseChanged FINAL)
    Q_PROPERTY(QString databasePath READ databasePath NOTIFY databaseChanged FINAL)

public:
    explicit Workspace(QObject* parent = nullptr);
    ~Workspace() override;

    [[nodiscard]] bool isOpen() const;
    [[nodiscard]] QString databaseName() const;
    [[nodiscard]] QString databasePath() const;

    // Read-only store of this thread; nullptr while nothing is open.
    [[nodiscard]] const store::Store* store() const;
    [[nodiscard]] const std::vector<Run>& runs() const;
    // Chosen in the run list, with their origins (aligned by start) and colours.
    [[nodiscard]] const std::vector<plot::ShownRun>& shownRuns() const;
    // The same as they are in the database, in its order.
    [[nodiscard]] std::vector<Run> chosenRuns() const;

    Status open(const std::filesystem::path& path);
    void close();
    // Reads the catalogue again, after an import.
    Status reload();
    void setShown(const std::vector<RunId>& runs);

Q_SIGNALS:
    void databaseChanged();
    void runsChanged();
    void shownRunsChanged();

private:
    std::optional<store::Store> m_store;
    std::vector<Run> m_runs;
    std::vector<plot::ShownRun> m_shown;
};

} // namespace trainscope::app
