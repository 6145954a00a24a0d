#pragma once
// The import as the window drives it: plan what was dropped, let the user change the plan and its
// target, import it, and report. All long work runs in a worker and can be stopped. GUI thread
// only, but for the functions of the target, which ask the disk.

#include "app/importing/Import.h"
#include "app/importing/ImportedRuns.h"
#include "app/importing/ProgressFunnel.h"
#include "app/viewmodels/importing/ImportGroupModel.h"
#include "app/viewmodels/importing/ImportPlanModel.h"
#include "app/viewmodels/importing/ImportReportModel.h"
#include "app/viewmodels/workspace/Task.h"

#include <QQmlEngine>
#include <QTimer>
#include <QUrl>
#include <QVariantMap>

namespace trainscope::app {

// <name of the first source>.trainscope beside it, or in the user's documents where one cannot
// write there. `sources` holds at least one absolute path.
QString suggestedDatabase(const QStringList& sources);

// True where runs can be added to it: a file that can be written, in a folder that can be written
// (SQLite keeps its journal beside the file), other than the built-in sample.
bool canAddTo(const QString& database);

struct TargetCheck {
    QString problem = {}; // reason that nothing can be written there; empty: it can
    QString remark = {}; // warning on it, such as little space
    bool exists = false;
    bool operator==(const TargetCheck&) const = default;
};

// Changes nothing; `sourceBytes` is what would be imported.
TargetCheck checkTarget(const QString& database, std::uint64_t sourceBytes);

struct TargetQuestion {
    QString openDatabase; // empty: none
    QString newDatabase;
    bool prefersOpen = false; // as a target if runs can be added to it
    std::uint64_t sourceBytes = 0;
};
struct TargetAnswer {
    TargetCheck target; // check of the database that takes the runs
    bool canUseOpen = false;
    bool operator==(const TargetAnswer&) const = default;
};
TargetAnswer answerOf(const TargetQuestion& question);

class ImportController : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    Q_PROPERTY(Stage stage READ stage NOTIFY stageChanged FINAL)
    Q_PROPERTY(QString sourceText READ sourceText NOTIFY stageChanged FINAL)
    Q_PROPERTY(QStringList formats READ formats CONSTANT FINAL) // readable formats, a line each
    // Sentence on what was given when nothing of it can be read.
    Q_PROPERTY(QString emptyText READ emptyText NOTIFY stageChanged FINAL)
    Q_PROPERTY(bool ofFolder READ isOfFolder NOTIFY stageChanged FINAL)
    Q_PROPERTY(trainscope::app::ImportPlanModel* plan READ plan CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::ImportGroupModel* groups READ groups CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::ListModel* unrecognised READ unrecognised CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::ImportReportModel* report READ report CONSTANT FINAL)
    // Runs that could be one, a sentence each.
    Q_PROPERTY(QStringList suggestions READ suggestions NOTIFY suggestionsChanged FINAL)

    Q_PROPERTY(QString targetPath READ targetPath NOTIFY targetChanged FINAL)
    // "a new database", "adds to this database, which exists"
    Q_PROPERTY(QString targetNote READ targetNote NOTIFY targetChanged FINAL)
    // Reason that nothing can be written there; empty when it can. Checked when the sheet opens, on
    // each edit, and again while it stays open; until the answer comes the one before stands.
    Q_PROPERTY(QString targetProblem READ targetProblem NOTIFY targetChanged FINAL)
    // Reason that the import cannot start, from the plan or else from the target; empty when it
    // can.
    Q_PROPERTY(QString problem READ problem NOTIFY problemChanged FINAL)
    Q_PROPERTY(bool canUseOpen READ canUseOpen NOTIFY targetChanged FINAL)
    Q_PROPERTY(bool useOpen READ useOpen WRITE setUseOpen NOTIFY targetChanged FINAL)

    Q_PROPERTY(bool stopping READ stopping NOTIFY progressChanged FINAL)
    // fraction and unitFraction (below 0: not known); texts: phase, unit, amount, rate, timeLeft.
    Q_PROPERTY(QVariantMap progress READ progress NOTIFY progressChanged FINAL)

public:
    enum class Stage { Idle, Planning, Review, Importing, Finished };
    Q_ENUM(Stage)

    explicit ImportController(QObject* parent = nullptr);
    // Stops and waits for the work under way.
    ~ImportController() override;

    // Absolute paths. Ignored, returning false, while an import is being planned or run.
    bool begin(const QStringList& paths);
    // The database that is open in the window; empty: none.
    void setOpenDatabase(const QString& path);
    // The run of that database that the window shows; empty: none. A description of a machine that
    // lies beside no run is proposed for it.
    void setShownRun(const QString& name) { m_shownRun = name; }
    // The runs of that database.
    void setOpenRuns(std::vector<Run> runs);

    // Makes one run of those of a suggestion.
    Q_INVOKABLE void joinSuggested(int row);
    // Names of the runs that the database had before the last import; absent: not known.
    std::optional<QStringList> takeRunsBefore() { return std::exchange(m_runsBefore, {}); }
    // Once the target has been looked at again.
    Q_INVOKABLE void start();
    // Stops the work; on the review and the report it closes the sheet.
    Q_INVOKABLE void cancel();
    Q_INVOKABLE void setTarget(const QUrl& file);
    // A path while it is typed, and when it has been.
    Q_INVOKABLE void setTargetText(const QString& path);
    Q_INVOKABLE void settleTarget();
    // Looks at the target again: disks fill, locks go.
    void checkTargetAgain();

    [[nodiscard]] Stage stage() const { return m_stage; }
    [[nodiscard]] QString sourceText() const;
    [[nodiscard]] static QStringList formats();
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] bool isOfFolder() const { return m_planned && m_planned->isFolder; }
    [[nodiscard]] ImportPlanModel* plan() { return &m_plan; }
    [[nodiscard]] ImportGroupModel* groups() { return &m_groups; }
    [[nodiscard]] ListModel* unrecognised() { return &m_unrecognised; }
    [[nodiscard]] ImportReportModel* report() { return &m_report; }
    [[nodiscard]] QStringList suggestions() const;
    [[nodiscard]] QString targetPath() const { return useOpen() ? m_openDatabase : m_newDatabase; }
    [[nodiscard]] QString targetNote() const;
    [[nodiscard]] QString targetProblem() const { return m_target.problem; }
    [[nodiscard]] QString problem() const;
    [[nodiscard]] bool canUseOpen() const { return m_openIsWritable; }
    [[nodiscard]] bool useOpen() const { return m_useOpen && canUseOpen(); }
    void setUseOpen(bool use);
    [[nodiscard]] bool stopping() const { return m_isStopping; }
    [[nodiscard]] QVariantMap progress() const;

Q_SIGNALS:
    void stageChanged();
    void suggestionsChanged();
    void targetChanged();
    void problemChanged();
    void progressChanged();
    // The database holds something new, of these runs.
    void imported(const QString& database, const QStringList& runNames);
    void failed(const trainscope::Error& error);

private:
    struct Drop {
        PlannedImport import;
        QString openTarget; // the database that was open meanwhile, where it takes runs; else empty
        QString newTarget; // proposed otherwise
        bool isFolder = false;
    };
    static Result<Drop> planDrop(
        const QStringList& paths, const QString& open, const Progress& progress);
    void setStage(Stage stage);
    void takeTarget();
    void takeAnswer(const TargetAnswer& answer);
    void tellTarget();
    void importInto(const QString& database);
    void takePlan(Result<Drop> planned);
    void proposeShownRun();
    struct Imported {
        std::vector<UnitOutcome> outcomes;
        Result<text::Table> runs = text::Table();
    };
    void takeOutcomes(const Result<Imported>& made);
    void takeProgress(const ImportProgress& progress);
    [[nodiscard]] double fraction() const; // < 0: not known

    Stage m_stage = Stage::Idle;
    QStringList m_paths;
    ImportPlanModel m_plan;
    ImportGroupModel m_groups{m_plan};
    RowListModel<UnrecognisedRow> m_unrecognised{{{"path", &UnrecognisedRow::path},
        {"brief", &UnrecognisedRow::brief}, {"reason", &UnrecognisedRow::reason}}};
    ImportReportModel m_report;
    QString m_openDatabase;
    QString m_shownRun;
    QString m_newDatabase;
    QString m_importedInto; // while an import runs, and of the last one
    std::optional<QStringList> m_runsBefore;
    std::vector<Run> m_openRuns;
    TargetCheck m_target;
    bool m_openIsWritable = false;
    bool m_useOpen = true;
    bool m_isForOpen = false; // the plan shows what joins runs of the open database
    bool m_startsWhenChecked = false;
    Task<TargetAnswer> m_targetTask{Asking::InTurn};

    std::shared_ptr<Drop> m_planned;
    ImportProgress m_progress;
    TransferMeter m_meter;
    QTimer m_recheck;
    bool m_isStopping = false;
    Task<Drop> m_planning;
    Task<Imported> m_importing;
};

} // namespace trainscope::app
