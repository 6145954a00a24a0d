#pragma once
// The forms of the layout view: the layout entered by hand (what is in its fields, whether it
// fits), and what a run's sources do not say of its machine. GUI thread.

#include "app/viewmodels/window/FormField.h"
#include "app/viewmodels/window/RowListModel.h"
#include "core/analysis/telemetry/Airflow.h"
#include "core/layout/Layout.h"

#include <QQmlEngine>

namespace trainscope::app {

// A position of a node, from the fresh air to the exhaust.
struct AirPosition {
    int local = 0; // index of the GPU
    bool isRear = false;

    bool operator==(const AirPosition&) const = default;
};

struct MachineFormFacts {
    analysis::AirflowOrder ascending; // the local indices of a node
    analysis::Airflow air; // as used now
    analysis::Airflow inferred; // whatever was said
    std::string gpuModel; // said; empty: as recorded, or inferred
    std::string gpuHint; // meaning of an empty text
    std::string gpuEvidence; // by what it is inferred; empty: it is not
    std::vector<RunId> others; // measured runs on nodes of as many GPUs of that model
};

// The order in which air passes the GPUs of a node, and their model. Changes can be undone one by
// one.
class MachineForm : public RowListModel<AirPosition> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the layout.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(QString gpuModel READ gpuModel WRITE setGpuModel NOTIFY changed FINAL)
    Q_PROPERTY(QString gpuHint READ gpuHint NOTIFY changed FINAL)
    // Evidence for an inferred model, or a remark that nothing is known of the one that is typed.
    Q_PROPERTY(QString gpuRemark READ gpuRemark NOTIFY changed FINAL)
    Q_PROPERTY(QStringList gpuModels READ gpuModels CONSTANT FINAL) // from the catalogue
    // Indices from front to rear, "0, 3, 4, 7, 1, 2, 5, 6", as they can be typed as well.
    Q_PROPERTY(QString orderText READ orderText NOTIFY changed FINAL)
    // Reason that the typed order is impossible; empty: it is possible.
    Q_PROPERTY(QString orderProblem READ orderProblem NOTIFY changed FINAL)
    // Number of other runs on such nodes, and the choice to enter the same for them.
    Q_PROPERTY(int otherCount READ otherCount NOTIFY changed FINAL)
    Q_PROPERTY(bool forOthers READ isForOthers WRITE setForOthers NOTIFY changed FINAL)
    // Origin of the order, and the evidence for it.
    Q_PROPERTY(QString evidence READ evidence NOTIFY changed FINAL)
    Q_PROPERTY(bool said READ isSaid NOTIFY changed FINAL)
    Q_PROPERTY(bool undoable READ isUndoable NOTIFY changed FINAL)

public:
    explicit MachineForm(QObject* parent = nullptr);

    void begin(MachineFormFacts facts);
    // Places the GPU of a row `by` rows further to the rear; negative: to the front.
    Q_INVOKABLE void move(int row, int by);
    Q_INVOKABLE void setOrderText(const QString& text);
    // The order is what temperatures tell, else ascending.
    Q_INVOKABLE void takeInferred() { take({{}, m_now.gpuModel}); }
    Q_INVOKABLE void undo();

    [[nodiscard]] QString gpuModel() const { return m_now.gpuModel; }
    void setGpuModel(const QString& text) { take({m_now.said, text}); }
    [[nodiscard]] QString gpuHint() const { return QString::fromStdString(m_facts.gpuHint); }
    [[nodiscard]] QString gpuRemark() const;
    [[nodiscard]] static QStringList gpuModels();
    [[nodiscard]] QString orderText() const { return joinedNumbers(shownOrder(), ", "); }
    [[nodiscard]] QString orderProblem() const { return m_orderProblem; }
    [[nodiscard]] int otherCount() const { return static_cast<int>(m_facts.others.size()); }
    [[nodiscard]] bool isForOthers() const { return m_isForOthers; }
    void setForOthers(bool isForOthers);
    [[nodiscard]] QString evidence() const;
    [[nodiscard]] bool isSaid() const { return !m_now.said.empty(); }
    [[nodiscard]] bool isUndoable() const { return !m_before.empty(); }

    // The runs beside this one of which it is said too.
    [[nodiscard]] std::vector<RunId> others() const {
        return m_isForOthers ? m_facts.others : std::vector<RunId>();
    }
    // Order to keep; empty: not entered.
    [[nodiscard]] const analysis::AirflowOrder& said() const { return m_now.said; }

Q_SIGNALS:
    void changed();

private:
    struct State {
        analysis::AirflowOrder said;
        QString gpuModel;

        bool operator==(const State&) const = default;
    };
    [[nodiscard]] analysis::AirflowOrder shownOrder() const;
    void take(State next);
    void show();

    MachineFormFacts m_facts;
    State m_now;
    std::vector<State> m_before;
    QString m_orderProblem;
    bool m_isForOthers = false;
};

class LayoutForm : public FormModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the layout.")
    // Problem of the form, or the layout that it makes.
    Q_PROPERTY(bool fits READ fits NOTIFY checked FINAL)
    Q_PROPERTY(QString verdict READ verdict NOTIFY checked FINAL)

public:
    explicit LayoutForm(QObject* parent = nullptr);

    // Begins with this request; `world`: ranks that the run shows, 0: not known.
    void begin(const layout::LayoutRequest& request, int world);
    Q_INVOKABLE void set(const QString& key, const QString& text);

    [[nodiscard]] bool fits() const { return m_fits; }
    [[nodiscard]] QString verdict() const { return m_verdict; }
    [[nodiscard]] const layout::LayoutRequest& request() const { return m_request; }

Q_SIGNALS:
    void checked();

private:
    void check(FormFields fields);

    layout::LayoutRequest m_begun; // parts without a field stay as in it
    layout::LayoutRequest m_request;
    int m_world = 0;
    bool m_fits = false;
    QString m_verdict;
};

} // namespace trainscope::app
