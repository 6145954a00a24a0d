#pragma once
// Changes of tags and notes of runs, each of which can be taken back. GUI thread.

#include "app/viewmodels/workspace/Workspace.h"
#include "core/store/RunNotes.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <vector>

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
    using Labels = std::vector<store::RunLabels>;
    struct Edit {
        Labels before;
        Labels after;
    };
    void change(Labels after);
    void write(const Labels& labels);

    QPointer<Workspace> m_workspace;
    std::vector<Edit> m_done;
    std::vector<Edit> m_undone;
};

} // namespace trainscope::app
