#pragma once
// The marks of the shown runs: where they lie on the screen, and what is done with them. GUI
// thread.

#include <QAbstractListModel>
#include <QQmlEngine>

#include "app/viewmodels/timeline/TimelineCursor.h"
#include "app/viewmodels/timeline/TimelineNavigation.h"
#include "app/viewmodels/workspace/ViewFile.h"

#include <optional>
#include <vector>

namespace trainscope::app {

class MarkListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the timeline.")

public:
    enum Role { MarkLabel = Qt::UserRole + 1, MarkX, MarkWidth, MarkVisible };
    Q_ENUM(Role)

    MarkListModel(TimelineContext& context, TimelineNavigation& navigation, TimelineCursor& cursor,
        QObject* parent = nullptr);

    [[nodiscard]] const std::vector<Mark>& marks() const { return m_marks; }
    void setMarks(std::vector<Mark> marks);
    // Places all marks anew; those of runs that are not shown are not visible.
    void layOut();

    // Marks the selection, else the cursor, else the middle of the window.
    Q_INVOKABLE void mark();
    Q_INVOKABLE void rename(int row, const QString& label);
    Q_INVOKABLE void remove(int row);
    Q_INVOKABLE void jumpTo(int row);
    // To the nearest mark before (-1) or after (1) the cursor.
    void step(int direction);
    void removeAtCursor();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

Q_SIGNALS:
    void edited(); // by the user

private:
    struct Place {
        double x = 0.0;
        double width = 0.0;
        bool visible = false;
        bool operator==(const Place&) const = default;
    };
    [[nodiscard]] bool isThere(int row) const { return row >= 0 && row < rowCount(); }
    // View time of a mark, absent when its run is not shown.
    [[nodiscard]] std::optional<plot::ViewWindow> windowOf(int row) const;
    [[nodiscard]] DurationNs middle() const;
    void told();

    TimelineContext& m_context;
    TimelineNavigation& m_navigation;
    TimelineCursor& m_cursor;
    std::vector<Mark> m_marks;
    std::vector<Place> m_places;
};

} // namespace trainscope::app
