#pragma once
// The list of lanes beside the timeline: those that are shown in their order, then every lane that
// the shown runs could have by kind, and, folded, what was not recorded. GUI thread.

#include <QQmlEngine>
#include <QStringList>

#include "app/viewmodels/timeline/TimelineContext.h"
#include "app/viewmodels/timeline/TimelineLanes.h"
#include "app/viewmodels/window/RowListModel.h"

namespace trainscope::app {

struct LanePickerRow {
    QString title; // "GPU power"
    QString section; // "Shown, from above", "Power", …
    bool isFirst = false; // first row of its section
    QString key; // among all rows; stays while the row does
    int lane = -1; // place among the shown lanes; -1: a row of what could be
    int choice = -1; // among TimelineCatalogue::choices; -1: not recorded
    bool shown = false;
    bool isFold = false; // head of what is not recorded
    QStringList styles; // ways that a shown lane can be drawn; empty: one only
    int style = -1; // among them
    QString height; // px, where it was chosen; empty: a share of the window
    bool isDerived = false; // by a formula
    bool operator==(const LanePickerRow&) const = default;
};

class LanePicker : public RowListModel<LanePickerRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the timeline.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    // Words that a row must all have. Lanes of single GPUs are listed where a word asks for them.
    Q_PROPERTY(QString filter READ filter WRITE setFilter NOTIFY filterChanged FINAL)
    Q_PROPERTY(QStringList presets READ presets NOTIFY presetsChanged FINAL)
    // Reasons for which each of them cannot be shown; empty: it can.
    Q_PROPERTY(QStringList presetReasons READ presetReasons NOTIFY presetsChanged FINAL)

public:
    LanePicker(TimelineContext& context, TimelineLanes& lanes, QObject* parent = nullptr);

    [[nodiscard]] const QString& filter() const { return m_filter; }
    void setFilter(const QString& filter);
    [[nodiscard]] QStringList presets() const;
    [[nodiscard]] QStringList presetReasons() const;

    // The shown lane of a row, or the first of those that it is drawn as; -1: none.
    Q_INVOKABLE [[nodiscard]] int laneAt(int row) const;
    // Shows the lane or takes it away; folds and unfolds what is not recorded.
    Q_INVOKABLE void toggle(int row);
    // Shows the lane if it is not shown, and scrolls the timeline to it.
    Q_INVOKABLE void reveal(int row);
    // Moves the shown lane up (-1) or down (1); returns the row that it is in then.
    Q_INVOKABLE int moveBy(int row, int by);
    // Moves a shown lane to the place of another; below those that are shown: to their end.
    Q_INVOKABLE void drop(int row, int to);
    Q_INVOKABLE void setStyle(int row, int style);
    // Empty: a share of the window. False: that is no height.
    Q_INVOKABLE bool setHeight(int row, const QString& pixels);
    Q_INVOKABLE void resizeBy(int row, double pixels) { m_lanes.resizeBy(laneAt(row), pixels); }
    // Lanes that answer a question together, in the place of all others.
    Q_INVOKABLE void apply(int preset);

    // Other runs or lanes are shown.
    void refresh();

Q_SIGNALS:
    void filterChanged();
    void presetsChanged();

private:
    using Rows = std::vector<LanePickerRow>;
    void addShown(Rows& rows) const;
    void addChoices(Rows& rows) const;
    void addMissing(Rows& rows) const;
    [[nodiscard]] bool passes(const QString& text) const;
    [[nodiscard]] const plot::LaneChoice* choiceFor(const plot::LaneSpec& lane) const;
    [[nodiscard]] QString titleOf(const plot::LaneSpec& lane) const;
    [[nodiscard]] bool isOfGpus(const plot::LaneSpec& lane) const;

    TimelineContext& m_context;
    TimelineLanes& m_lanes;
    QString m_filter;
    bool m_isUnfolded = false;
};

} // namespace trainscope::app
