#pragma once
// The rows of the view Operators that are seen, worded, and their heads. GUI thread.

#include <QColor>
#include <QList>
#include <QQmlEngine>
#include <QString>
#include <QStringList>

#include "app/viewmodels/operators/OperatorOutline.h"
#include "app/viewmodels/window/RowListModel.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace trainscope::app {

struct OperatorRow {
    std::uint32_t node = 0; // of the outline
    QString name;
    QString note; // its inputs, or its callers
    QString kind; // in words
    QStringList cells; // of all columns of which something is known
    QStringList shown; // of those that there is room for
    int depth = 0;
    bool isExpandable = false;
    bool isUnfolded = false;
    bool isFound = false;
    bool isWork = false;
    QColor color; // of its pass or category
    bool operator==(const OperatorRow&) const = default;
};

class OperatorRowModel : public RowListModel<OperatorRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the operators.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    // The first is of the names. Those that there is no room for are left out, the least important
    // first; never the one that is sorted by.
    Q_PROPERTY(QStringList heads READ heads NOTIFY headsChanged FINAL)
    // Widths of the other heads, as wide as their numbers are, and their sum.
    Q_PROPERTY(QList<double> widths READ widths NOTIFY headsChanged FINAL)
    Q_PROPERTY(double cellsWidth READ cellsWidth NOTIFY headsChanged FINAL)
    // For names and figures together; names get the rest.
    Q_PROPERTY(double room READ room WRITE setRoom NOTIFY roomChanged FINAL)
    Q_PROPERTY(QStringList tips READ tips NOTIFY headsChanged FINAL)
    Q_PROPERTY(int sortColumn READ sortColumn NOTIFY headsChanged FINAL) // of the heads
    Q_PROPERTY(bool descending READ isDescending NOTIFY headsChanged FINAL)

public:
    explicit OperatorRowModel(QObject* parent = nullptr);

    // Rows that stay keep their place, so that folding does not move what is read.
    void show(const OperatorOutline& outline, const QString& nameHead);

    [[nodiscard]] QStringList heads() const { return m_heads; }
    [[nodiscard]] QList<double> widths() const { return m_widths; }
    [[nodiscard]] double cellsWidth() const;
    [[nodiscard]] double room() const { return m_room; }
    void setRoom(double room);
    // The figures of a row that are known, with their heads.
    [[nodiscard]] static std::vector<std::pair<QString, QString>> figuresOf(
        const OperatorOutline& outline, std::uint32_t node);
    [[nodiscard]] QStringList tips() const { return m_tips; }
    [[nodiscard]] int sortColumn() const { return m_sortColumn; }
    [[nodiscard]] bool isDescending() const { return m_isDescending; }
    // Column of the outline behind a head; -1: names.
    [[nodiscard]] int columnOf(int head) const;
    // -1: it is not seen.
    [[nodiscard]] int rowOf(std::uint32_t node) const;

    // Tab-separated with heads, and CSV in SI units; of one row or of all that are seen.
    [[nodiscard]] QString text(int row = -1) const;
    [[nodiscard]] static QString csv(const OperatorOutline& outline, const QString& nameHead);

Q_SIGNALS:
    void headsChanged();
    void roomChanged(); // show() leaves in other columns

private:
    // A column of the outline.
    struct KnownColumn {
        int place = 0;
        int order = 0;
        double width = 0.0;
        bool isShown = true;
    };
    void measure(const OperatorOutline& outline);
    [[nodiscard]] std::vector<KnownColumn> fitted() const;
    void showHeads(const OperatorOutline& outline, const QString& nameHead);
    void showRows(std::vector<OperatorRow> rows);

    QStringList m_heads;
    QStringList m_allHeads;
    QStringList m_tips;
    QList<double> m_widths;
    double m_room = 0.0; // 0: not known yet, for all
    int m_sorted = -1; // of the outline
    std::vector<KnownColumn> m_known;
    std::vector<int> m_columns; // that are shown, of the outline
    int m_sortColumn = 0;
    bool m_isDescending = true;
};

} // namespace trainscope::app
