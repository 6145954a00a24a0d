#pragma once
// The lanes as they lie on the screen, with their readouts, for the overlays of QML. GUI thread.

#include <QAbstractListModel>
#include <QQmlEngine>
#include <QString>

#include <vector>

namespace trainscope::app {

struct LaneRow {
    QString title; // "GPU power"
    QString subtitle;
    double y = 0.0; // of the lane in the view, may lie outside
    double height = 0.0;
    int style = 0; // plot::LaneStyle
    bool hasStyles = false;
    bool canSplit = false; // shows all GPUs
    bool canMerge = false; // shows one GPU
    QString readout; // at the cursor
    QString summary; // for screen readers
    bool operator==(const LaneRow&) const = default;
};

class LaneListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the timeline.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    enum Role {
        Title = Qt::UserRole + 1,
        Subtitle,
        LaneY,
        LaneHeight,
        LaneStyle,
        HasStyles,
        CanSplit,
        CanMerge,
        Readout,
        Summary,
    };
    Q_ENUM(Role)

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int count() const { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] const std::vector<LaneRow>& rows() const { return m_rows; }
    // Rows that stay keep their delegates: only what differs in the middle is inserted or removed.
    void setRows(std::vector<LaneRow> rows);
    void setReadouts(const std::vector<QString>& readouts);
    // Ahead of setRows() when a lane moves, so that its delegate keeps the keyboard focus.
    void moveRow(int from, int to);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

Q_SIGNALS:
    void countChanged();

private:
    void resize(std::size_t count, const std::vector<LaneRow>& rows);

    std::vector<LaneRow> m_rows;
};

} // namespace trainscope::app
