#pragma once
// "Connect…": what a monitoring engine has for a selection, what each of its metrics is here, and
// how it comes into a run database: copied or linked. Long work runs in a worker and can be
// stopped. GUI thread.

#include "app/engine/EngineImport.h"
#include "app/engine/HttpFetch.h"
#include "app/viewmodels/window/FormField.h"
#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/Task.h"
#include "importers/engine/Catalogue.h"
#include "importers/engine/Mapping.h"

#include <QQmlEngine>

namespace trainscope::app {

struct FoundMetricRow {
    QString engineName;
    QString metric; // ours; empty: not imported
    QString proposed; // its metric without the user's choice
    QString seriesText; // "16 series of GPUs"
    // SI value = exposed value × scale, and of what: they stay under another name of ours.
    double scale = 1.0;
    SubjectKind subject = SubjectKind::Gpu;

    bool operator==(const FoundMetricRow&) const = default;
};

class FoundMetricModel : public RowListModel<FoundMetricRow> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit FoundMetricModel(QObject* parent = nullptr);

    void setCatalogue(
        const importers::engine::Catalogue& catalogue, const importers::engine::Mapping& mapping);
    // An empty name: not imported.
    Q_INVOKABLE void setMetric(int row, const QString& name);
    // Adds the edits to `mapping`.
    [[nodiscard]] importers::engine::Mapping edited(importers::engine::Mapping mapping) const;
};

class ConnectController : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    // Fields of the engine, of the way to log in, and of what is taken from it and where to.
    Q_PROPERTY(trainscope::app::FormModel* form READ form CONSTANT FINAL)
    Q_PROPERTY(bool linked MEMBER m_isLinked WRITE setLinked NOTIFY changed FINAL)

    Q_PROPERTY(bool busy READ isBusy NOTIFY changed FINAL)
    Q_PROPERTY(bool found READ isFound NOTIFY changed FINAL)
    Q_PROPERTY(bool canAsk READ canAsk NOTIFY changed FINAL)
    Q_PROPERTY(bool canStart READ canStart NOTIFY changed FINAL)
    Q_PROPERTY(QString foundText READ foundText NOTIFY changed FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY changed FINAL)
    Q_PROPERTY(trainscope::app::WorkProgress progress READ progress NOTIFY progressChanged FINAL)
    Q_PROPERTY(trainscope::app::FoundMetricModel* metrics READ metrics CONSTANT FINAL)

public:
    explicit ConnectController(QObject* parent = nullptr);
    // Stops and waits for the work under way.
    ~ConnectController() override;

    // The database that is open; empty: none.
    void setOpenDatabase(const QString& path);

    Q_INVOKABLE void ask(); // asks the engine for its metrics
    Q_INVOKABLE void start(); // copies or links
    Q_INVOKABLE void stop();

    // Another address, selection or header forgets what was found.
    Q_INVOKABLE void say(const QString& key, const QString& text);
    void setLinked(bool isLinked);

    [[nodiscard]] FormModel* form() { return &m_form; }
    // Without blanks around it.
    [[nodiscard]] QString said(const char* key) const {
        return fieldAt(m_fields, key).text.trimmed();
    }
    [[nodiscard]] bool isBusy() const { return m_task.isRunning(); }
    [[nodiscard]] bool isFound() const { return !m_foundText.isEmpty(); }
    [[nodiscard]] bool canAsk() const { return !isBusy() && !said("address").isEmpty(); }
    [[nodiscard]] bool canStart() const {
        return canAsk() && !said("target").isEmpty() && !said("from").isEmpty();
    }
    [[nodiscard]] QString foundText() const { return m_foundText; }
    [[nodiscard]] QString errorText() const { return m_error; }
    [[nodiscard]] const WorkProgress& progress() const { return m_progress; }
    [[nodiscard]] FoundMetricModel* metrics() { return &m_metrics; }

Q_SIGNALS:
    void changed();
    void progressChanged();
    void done(); // the sheet may close
    void imported(const QString& database, const QStringList& runNames);

private:
    struct Job {
        EngineRequest request;
        EngineAccess access;
        std::string database;
    };

    void edited();
    [[nodiscard]] Result<Job> job() const;
    template <typename Work, typename Take>
    void run(const Job& job, Work work, Take take);
    void takeFound(const importers::engine::Catalogue& catalogue, const EngineRequest& request);
    void fail(const Error& error);
    void takeProgress(const EngineProgress& progress);

    FormFields m_fields; // those that are not asked for now, too
    FormModel m_form{nullptr};
    QString m_mapping;
    bool m_isLinked = true;
    Task<QString> m_proposal{Asking::InTurn}; // for the target
    QString m_foundText;
    QString m_error;
    WorkProgress m_progress;
    FoundMetricModel m_metrics;
    bool m_isStopping = false;
    using Reply = std::function<void()>; // applies an answer
    QThreadPool m_worker; // has one thread
    Task<Reply> m_task;
};

} // namespace trainscope::app
