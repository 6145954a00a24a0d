#pragma once
// Changes of tags and notes of runs, each of which can be taken back, unless somebody else changed
// the same since. GUI thread.

#include "app/viewmodels/workspace/Workspace.h"
#include "core/store/RunNotes.h"

#include <QPointer>

namespace trainscope::app {

// "slow, paper" as a list: each once, without blanks around them, by their letters.
std::vector<std::string> tagsFrom(const QString& text);

class RunLabelling : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // Forgets what could be taken back.
    void setWorkspace(Workspace* workspace);

    void setTags(RunId run, const QString& text);
    void setNote(RunId run, const QString& text);
    // To what the runs have; those that have it stay as they are.
    void addTags(const std::vector<RunId>& runs, const QString& text);

    [[nodiscard]] bool canUndo() const { return !m_done.empty(); }
    [[nodiscard]] bool canRedo() const { return !m_undone.empty(); }
    void undo();
    void redo();

Q_SIGNALS:
    void changed();
    void failed(const trainscope::Error& error);

private:
    using Change = std::function<void(store::RunLabels&)>;
    struct Edit {
        std::map<RunId, std::string> runs; // with their names
        int writes = 0; // under way
        // Labels in the database, for the thread that writes alone.
        std::map<RunId, store::RunLabels> before;
        std::map<RunId, store::RunLabels> after;
    };
    void change(const std::vector<RunId>& runs, const Change& change);
    void write(const std::shared_ptr<Edit>& edit, const store::Relabel& relabel);
    [[nodiscard]] bool isWriting() const;

    QPointer<Workspace> m_workspace;
    std::vector<std::shared_ptr<Edit>> m_done;
    std::vector<std::shared_ptr<Edit>> m_undone;
};

} // namespace trainscope::app
