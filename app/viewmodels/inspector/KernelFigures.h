#pragma once
// Kernels of the inspector in a stretch of time: its tables, the progress of reading, the span that
// a row asks for, and tables that are read only while they are asked for; filled by
// TimelineSelection, in the GUI thread. The functions that read all that block, for a worker.

#include "app/viewmodels/inspector/SpanLookup.h"
#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "app/viewmodels/workspace/Task.h"
#include "core/analysis/replay/StepReplay.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/report/SelectionTables.h"
#include "core/store/KeptSums.h"

#include <QQmlEngine>

namespace trainscope::app {

struct AskedReading {
    std::vector<report::SourcedTable> tables;
    std::vector<std::size_t> places; // index of each of the tables' runs among the shown ones
    QString whyNothing; // or the answer; shown where the first has no rows
};

// Each takes a pass over the trace: the question, and what is shown of the answer.
class AskedTables : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(QString question READ question CONSTANT FINAL)
    Q_PROPERTY(QString tip READ tip CONSTANT FINAL)
    Q_PROPERTY(bool ofWholeRuns READ isOfWholeRuns CONSTANT FINAL) // else of the selection
    Q_PROPERTY(QVariantList tables READ tables CONSTANT FINAL) // each a TableModel
    // There can be an answer.
    Q_PROPERTY(bool available READ isAvailable NOTIFY changed FINAL)
    Q_PROPERTY(bool asked READ isAsked WRITE setAsked NOTIFY askedChanged FINAL)
    // Says that they are being read, or why nothing is there.
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)

public:
    struct Words {
        QString question;
        QString tip;
        QString doing; // while they are read
    };
    AskedTables(Words words, std::size_t tables, bool isOfWholeRuns = false);

    [[nodiscard]] const QString& question() const { return m_words.question; }
    [[nodiscard]] const QString& tip() const { return m_words.tip; }
    [[nodiscard]] bool isOfWholeRuns() const { return m_isOfWholeRuns; }
    [[nodiscard]] QVariantList tables();
    [[nodiscard]] const std::deque<TableModel>& models() const { return m_tables; }
    [[nodiscard]] bool isAvailable() const { return m_isAvailable; }
    void setAvailable(bool available);
    [[nodiscard]] bool isAsked() const { return m_isAsked; }
    void setAsked(bool asked);
    void toggle() { setAsked(!m_isAsked); }
    [[nodiscard]] const QString& text() const { return m_text; }

    void showDoing() { say(m_words.doing); }
    void show(const Result<AskedReading>& reading);
    void clear();

Q_SIGNALS:
    void changed();
    void askedChanged();
    void rowSelected(std::size_t run, const std::string& name); // `run` counts the shown runs

private:
    void fill(const AskedReading& reading);
    void say(const QString& text);

    Words m_words;
    bool m_isOfWholeRuns;
    std::deque<TableModel> m_tables;
    std::vector<std::size_t> m_places;
    bool m_isAvailable = false;
    bool m_isAsked = false;
    QString m_text;
};

// Result so far; told again as more is read.
struct KernelReading {
    std::vector<analysis::TraceSelection> runs; // traced ones, as they are shown
    std::vector<std::size_t> places; // index of each among the shown runs
    std::vector<RunId> lacking; // long traces without sums: every stretch of them is read
    QString doing; // "Reading kernels, 40 %…"; empty: all is there
    bool isProgress = false; // says what is being done, and nothing else
};

class KernelFigures : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(trainscope::app::TableModel* times READ times CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* gpus READ gpus CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* names READ names CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* categories READ categories CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* collectives READ collectives CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* launches READ launches CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* operators READ operators CONSTANT FINAL)
    Q_PROPERTY(bool isThere READ isThere NOTIFY changed FINAL)
    Q_PROPERTY(QString doing READ doing NOTIFY changed FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY changed FINAL)

public:
    explicit KernelFigures(QObject* parent = nullptr);

    [[nodiscard]] TableModel* times() { return &m_times; }
    [[nodiscard]] TableModel* gpus() { return &m_gpus; }
    [[nodiscard]] TableModel* names() { return &m_names; }
    [[nodiscard]] TableModel* categories() { return &m_categories; }
    [[nodiscard]] TableModel* collectives() { return &m_collectives; }
    [[nodiscard]] TableModel* launches() { return &m_launches; }
    [[nodiscard]] TableModel* operators() { return &m_operators; }
    // The kernels that ran while power was above its limit, and where the energy went.
    [[nodiscard]] AskedTables* above() { return &m_above; }
    [[nodiscard]] AskedTables* energy() { return &m_energy; }
    // Something was traced in the stretch.
    [[nodiscard]] bool isThere() const;
    [[nodiscard]] const QString& doing() const { return m_doing; }
    [[nodiscard]] const QString& errorText() const { return m_error; }

    void show(const Result<KernelReading>& reading);
    // The tables stay while what was there is of another stretch.
    void showDoing(const QString& doing);
    void clear();

    // Every table with all its rows, the CSV with exact figures; empty without any.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString csv() const { return joined(&TableModel::csv); }
    Q_INVOKABLE void copyAsText() const;
    Q_INVOKABLE void copyAsCsv() const;

Q_SIGNALS:
    void changed();
    // The longest span of a row; `run` counts the shown runs.
    void longestWanted(
        trainscope::analysis::SpanGroup group, std::size_t run, const std::string& name);

private:
    [[nodiscard]] std::vector<const TableModel*> copied() const;
    [[nodiscard]] QString joined(const std::function<QString(const TableModel&)>& of) const;
    void connectRows(TableModel& table, analysis::SpanGroup group);

    TableModel m_times;
    TableModel m_gpus;
    TableModel m_exactGpus; // copied instead of the shares
    TableModel m_names;
    TableModel m_categories;
    TableModel m_collectives;
    TableModel m_launches;
    TableModel m_operators;
    AskedTables m_above;
    AskedTables m_energy;
    std::vector<std::size_t> m_places;
    QString m_doing;
    QString m_error;
};

struct KernelStretch {
    CataloguePtr catalogue;
    std::vector<plot::ShownRun> runs;
    plot::ViewWindow stretch;
    std::optional<SpanReport> span = {}; // the selected one
};

// Publishes each part as soon as it is there, and in between how far it is.
void readKernelFigures(
    const store::Store& store, const KernelStretch& stretch, const TaskStage<KernelReading>& stage);

// The kernels that ran in the stretch while power was above its limit, and the energies of its
// phases and kernels. A pass over the spans of that time.
Result<AskedReading> readAboveLimit(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress);
Result<AskedReading> readEnergy(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress);
// Memory of PyTorch's allocator over whole runs (core/report/RunTables.h): devices, uses,
// allocations that lived at the peak, and iterations. Runs without it are left out.
Result<AskedReading> readMemory(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress);

// "In half their time: a step of 35.3 ms is shorter by 1.2 ms (0.9 to 1.5)."
QString whatIfText(const std::string& change, const analysis::StepReplay& replay);
// A step with the selected kernel, and all others of its name in that capture, in half their time
// and in none, in words. Replays the traced steps.
Result<AskedReading> readWhatIf(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress);

// The sums of these runs' traces, to be kept. One pass over all their spans.
Result<std::vector<store::KeptSums>> sumRuns(const store::Store& store,
    const CataloguePtr& catalogue, const std::vector<RunId>& runs, const Progress& progress);

// The longest span of a group in the stretch; absent where there is none.
Result<std::optional<SpanTarget>> findLongest(const store::Store& store,
    const KernelStretch& stretch, analysis::SpanGroup group, std::size_t run,
    const std::string& name, const Progress& progress);

} // namespace trainscope::app
