#pragma once
// The marks of the shown runs, where they lie on the screen. GUI thread.

#include <QAbstractListModel>
#include <QQmlEngine>

#include "app/viewmodels/timeline/RunAlignment.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "core/plot/timeline/TimeScale.h"

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

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] const std::vector<Mark>& marks() const { return m_marks; }
    void setMarks(std::vector<Mark> marks);
    void add(const Mark& mark);
    void remove(std::size_t index);
    void rename(std::size_t index, const QString& label);
    // Places all marks anew; those of runs that are not shown are not visible.
    void layOut(const std::vector<plot::ShownRun>& runs, const plot::TimeScale& axis);

    // View time of a mark, absent when its run is not shown.
    [[nodiscard]] std::optional<plot::ViewWindow> windowOf(
        std::size_t index, const std::vector<plot::ShownRun>& runs) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

private:
    struct Place {
        double x = 0.0;
        double width = 0.0;
        bool visible = false;
        bool operator==(const Place&) const = default;
    };
    std::vector<Mark> m_marks;
    std::vector<Place> m_places;
};

} // namespace trainscope::app
