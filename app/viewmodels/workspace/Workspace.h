#pragma once
// Workspace: the open run database, its runs and the shown ones among them, and the threads that
// read it. Every view hangs on one Workspace. Additions of a recorder are noticed within a second
// or so. GUI thread; it never waits for the database.

#include "app/viewmodels/workspace/Task.h"
#include "core/plot/timeline/Timeline.h"
#include "core/store/RunNotes.h"

#include <QQmlEngine>
#include <QTimer>

#include <set>

namespace trainscope::app {

// The folder that each run was imported from, by which lists of runs are grouped; from the paths of
// its sources. A run of one source, a file or a folder, is of the folder
// that this lies in. The sources of one run may have a folder of their own: then it is of the
// folder above, unless other runs have sources in it as well.
std::map<RunId, std::string> sourceFolders(
    const std::vector<std::pair<RunId, std::string>>& sourcePaths);

class Workspace : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(bool isOpen READ isOpen NOTIFY databaseChanged FINAL)
    Q_PROPERTY(QString databaseName READ databaseName NOTIFY databaseChanged FINAL)
    Q_PROPERTY(QString databasePath READ databasePath NOTIFY databaseChanged FINAL)

public:
    using Done = std::function<void(const Status&)>;
    using Change = std::function<Status(store::Store&)>;

    explicit Workspace(QObject* parent = nullptr);
    ~Workspace() override;

    [[nodiscard]] bool isOpen() const { return !m_path.empty(); }
    [[nodiscard]] QString databaseName() const;
    [[nodiscard]] QString databasePath() const { return QString::fromStdString(m_path.string()); }
    [[nodiscard]] const std::string& uuid() const { return m_uuid; } // empty: nothing is open

    [[nodiscard]] const std::vector<Run>& runs() const { return m_runs; }
    // The one to show where nobody chose: measured before predicted, then by how many kinds of
    // data it has (traces, telemetry, a training log), how many sources, the order of magnitude
    // of what was recorded, and its name. `among` says which may be; nullptr: there is none.
    [[nodiscard]] const Run* richestRun(const std::function<bool(const Run&)>& among = {}) const;
    [[nodiscard]] const Run* findRun(RunId id) const; // nullptr: there is none
    [[nodiscard]] const Run* findRun(const QString& name) const;
    // Labels that people gave it; empty without any.
    [[nodiscard]] store::RunLabels labels(RunId id) const;
    // Folder that it was imported from; empty: not known.
    [[nodiscard]] std::string folder(RunId id) const;
    // Chosen in the run list, with their origins (aligned by start) and colours.
    [[nodiscard]] const std::vector<plot::ShownRun>& shownRuns() const { return m_shown; }
    [[nodiscard]] std::vector<RunId> shownIds() const;
    // The same as they are in the database, in its order.
    [[nodiscard]] std::vector<Run> chosenRuns() const;

    // A run has become longer within the last seconds: a recorder is at work.
    [[nodiscard]] bool isGrowing() const { return m_isGrowing; }

    // The least time between two figuresAged().
    void setFigurePace(std::chrono::milliseconds pace) { m_figurePace.setInterval(pace); }

    // For questions to the open database.
    [[nodiscard]] ReaderPool& readers() { return m_readers; }

    // In the background; until it is `done`, what was open stays so. A later call supersedes it.
    void open(const std::filesystem::path& path, Done done = {});
    void close();
    // Reads the runs again, after an import. All who ask meanwhile are told when it is `done`.
    void reload(Done done = {});
    // Changes the database in the background, one change after the other. `done` always follows,
    // with Refused where no database is open.
    void change(Change change, Done done);
    // The same, and reads the runs again.
    void write(Change work, Done done);
    void setShown(const std::vector<RunId>& runs);
    // After a click, Ctrl+click or Shift+click on runs, in every list of them: one at least stays.
    void showOnly(const std::vector<RunId>& runs);
    void showBeside(const std::vector<RunId>& runs);
    // Takes them away where all of them are shown, else adds them.
    void toggleShown(const std::vector<RunId>& runs);
    // Changes what is said of these runs, all or nothing, in the background, where `relabel` is
    // called with what the database says of each by then.
    void changeLabels(
        const std::vector<RunId>& runs, const store::Relabel& relabel, Done done = {});

Q_SIGNALS:
    void databaseChanged();
    void runsChanged();
    void shownRunsChanged();
    void labelsChanged();
    void runsGrew(); // some became longer, or a recorder began or ended; nothing else
    // The same at a calm pace: what is computed of whole runs is to be computed again.
    void figuresAged();
    void growingChanged();
    void unreachable(const trainscope::Error& error); // the file that is open; told once

private:
    using Labels = std::map<RunId, store::RunLabels>;
    struct Content {
        std::string uuid;
        std::vector<Run> runs;
        Labels labels;
        std::map<RunId, std::string> folders;
        std::vector<RunId> byRichness;
    };
    static Result<Labels> readLabels(const store::Store& store);
    static Result<Content> readContent(const store::Store& store);
    void read(const std::filesystem::path& path, Done done);
    void lookForGrowth();
    void takeGrowth(std::vector<Run> runs);
    void setGrowing(bool isGrowing);
    void noteGrowth();
    void take(const ReaderPool::Database& database, Content content, bool isReload);

    std::filesystem::path m_path;
    std::string m_uuid;
    std::vector<Run> m_runs;
    Labels m_labels;
    std::map<RunId, std::string> m_folders;
    std::vector<RunId> m_byRichness;
    std::vector<plot::ShownRun> m_shown;
    bool m_isOpening = false;
    QThreadPool m_writer; // has one thread
    ReaderPool m_readers;
    Task<Content> m_task{Urgency::Pointer};
    std::vector<Done> m_waiting; // for its answer
    Task<std::vector<Run>> m_growthTask{Urgency::Background};
    QTimer m_watch;
    QTimer m_figurePace; // runs while figures age
    std::set<RunId> m_recorded; // by recorders at work
    int m_quietLooks = 0; // since something grew
    int m_failedLooks = 0; // since one went well
    bool m_isGrowing = false;
};

// The preferred run where it is shown, else the first that is; nullptr: none, or no database is
// open.
const Run* leadingRun(const Workspace* workspace, RunId preferred = {});

} // namespace trainscope::app
