#pragma once
// The schedule of the layout view: the chart's data, which iteration and which plan it shows, and
// what is to be said of its bubbles. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "core/plot/layout/ScheduleFigure.h"

namespace trainscope::app {

class LayoutSchedule : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    Q_PROPERTY(bool shown READ isShown NOTIFY changed FINAL) // there is a pipeline
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL) // in a line
    Q_PROPERTY(QString verdict READ verdict NOTIFY changed FINAL) // the nearest plan; may be empty
    Q_PROPERTY(bool longStep READ isLongStep NOTIFY changed FINAL) // more than can be read
    Q_PROPERTY(trainscope::app::FactListModel* facts READ facts CONSTANT FINAL) // bubbles, plans

public:
    explicit LayoutSchedule(QObject* parent = nullptr);

    [[nodiscard]] SettingListModel* settings() { return &m_rows; }
    [[nodiscard]] FactListModel* facts() { return &m_facts; }
    [[nodiscard]] bool isShown() const { return !m_data.isEmpty() || m_plan.has_value(); }
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] bool isLongStep() const { return isShown() && readablePart() < 1.0; }
    // Keys "iteration" and "plan"; what is chosen is asked for with wanted().
    Q_INVOKABLE void choose(const QString& key, int choice);

    [[nodiscard]] const plot::ScheduleFigureData& data() const { return m_data; }
    // All of it, or as many passes of a stage as can be read.
    [[nodiscard]] plot::ScheduleFigureData part(bool whole) const;
    [[nodiscard]] plot::ScheduleQuery queryOf(RunId run, bool withTraces) const;
    // Something else than what a reading of the layout brings.
    [[nodiscard]] bool hasChoice() const { return m_iteration > 0 || m_plan.has_value(); }
    void setData(plot::ScheduleFigureData data);
    void setIterations(std::vector<analysis::TracedIteration> iterations);
    // Another run: nothing is chosen.
    void forget();

Q_SIGNALS:
    void changed();
    void wanted();

private:
    struct Choice {
        QString title;
        std::optional<std::int64_t> iteration;
    };
    [[nodiscard]] std::vector<Choice> iterationChoices() const;
    [[nodiscard]] double readablePart() const;
    void refresh();

    plot::ScheduleFigureData m_data;
    std::vector<analysis::TracedIteration> m_iterations;
    int m_iteration = 0; // index of a choice; 0: the best traced
    std::optional<layout::ScheduleKind> m_plan;
    SettingListModel m_rows;
    FactListModel m_facts;
};

} // namespace trainscope::app
