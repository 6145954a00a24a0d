#pragma once
// The runs of the open database as the list on the left shows them, in the catalogue's order, with
// what is shown, its colour, and a small curve of the mean GPU power that is read later.
// GUI thread only.

#include "app/viewmodels/workspace/Workspace.h"

#include <QAbstractListModel>
#include <QPointer>
#include <QQmlEngine>
#include <QString>

#include <vector>

namespace trainscope::app {

class RunListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::Workspace* workspace READ workspace WRITE setWorkspace NOTIFY
            workspaceChanged REQUIRED FINAL)

public:
    enum Role {
        NameRole = Qt::UserRole + 1,
        DetailRole, // "gpt3-175b · 32 × H200"
        TagsRole, // list of words
        StrongTagRole, // the one that needs attention, among the tags; may be empty
        ShownRole,
        ColorIndexRole, // of Theme.seriesColor; -1 while not shown
        CurveRole, // list of 0..1, NaN where nothing is known
        SearchTextRole, // lower-case words for the filter
        DescriptionRole, // one sentence for screen readers
    };

    explicit RunListModel(QObject* parent = nullptr);
    ~RunListModel() override;

    [[nodiscard]] Workspace* workspace() const { return m_workspace; }
    void setWorkspace(Workspace* workspace);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    // Columns of a curve.
    static constexpr int kCurveColumns = 112;

Q_SIGNALS:
    void workspaceChanged();

private:
    struct Curve {
        RunId run;
        QList<double> values;
    };
    void runsChanged();
    void shownChanged();
    void readCurves();
    [[nodiscard]] int colorIndexOf(RunId run) const;

    QPointer<Workspace> m_workspace;
    std::vector<Run> m_runs;
    std::vector<Curve> m_curves;
    LatestTask<Curve> m_curveTask{Urgency::Background};
};

} // namespace trainscope::app
