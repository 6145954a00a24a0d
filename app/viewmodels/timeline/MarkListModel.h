#pragma once
// The marks of the shown runs: where they lie on the screen, and what is done with them. GUI
// thread.

#include <QQmlEngine>

#include "app/viewmodels/timeline/TimelineCursor.h"
#include "app/viewmodels/timeline/TimelineNavigation.h"
#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "app/viewmodels/workspace/ViewFile.h"

namespace trainscope::app {

struct MarkRow {
    Mark mark;
    QRectF flag = {}; // in the view; empty: not shown
    bool operator==(const MarkRow&) const = default;
};

class MarkListModel : public RowListModel<MarkRow> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    // From each mark to the next, and from the nearest ones to the cursor.
    Q_PROPERTY(trainscope::app::FactListModel* distances READ distances CONSTANT FINAL)

public:
    MarkListModel(TimelineContext& context, TimelineNavigation& navigation, TimelineCursor& cursor,
        QObject* parent = nullptr);

    [[nodiscard]] std::vector<Mark> marks() const;
    void setMarks(std::vector<Mark> marks);
    // Takes the places of the flags from the picture.
    void layOut();

    [[nodiscard]] FactListModel* distances() { return &m_distances; }
    void tellDistances();

    // Changes that can be undone (ViewHistory.h). mark() marks the selection, else the cursor, else
    // the middle of the window.
    Q_INVOKABLE void mark();
    Q_INVOKABLE void rename(int row, const QString& label);
    Q_INVOKABLE void remove(int row);
    Q_INVOKABLE void jumpTo(int row);
    // To the nearest mark before (-1) or after (1) the cursor.
    void step(int direction);
    void removeAtCursor();

Q_SIGNALS:
    void edited(); // by the user

private:
    void told();

    TimelineContext& m_context;
    TimelineNavigation& m_navigation;
    TimelineCursor& m_cursor;
    FactListModel m_distances;
};

} // namespace trainscope::app
