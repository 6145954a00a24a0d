#pragma once
// "Connect…": what a monitoring engine has, and how it comes into a run database: copied or linked.
// Long work runs in a worker and can be stopped. GUI thread.

#include "app/engine/EngineImport.h"
#include "app/engine/HttpFetch.h"
#include "app/viewmodels/importing/FoundMetricModel.h"
#include "app/viewmodels/workspace/Task.h"

#include <QObject>
#include <QQmlEngine>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QVariantMap>

#include <memory>
#include <optional>

namespace trainscope::app {

class ConnectController : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    // Typed texts: address, match, from, to, step, runName, user, secret, caFile, header, target.
    // Another address, selection or header forgets what was found.
    Q_PROPERTY(QVariantMap said READ said NOTIFY changed FINAL)
    Q_PROPERTY(int login MEMBER m_login WRITE setLogin NOTIFY changed FINAL) // index into `logins`
    Q_PROPERTY(QStringList logins READ logins CONSTANT FINAL)
    Q_PROPERTY(bool asksUser READ asksUser NOTIFY changed FINAL)
    Q_PROPERTY(bool asksSecret READ asksSecret NOTIFY changed FINAL)
    Q_PROPERTY(bool linked MEMBER m_isLinked WRITE setLinked NOTIFY changed FINAL)

    Q_PROPERTY(bool busy READ isBusy NOTIFY changed FINAL)
    Q_PROPERTY(bool found READ isFound NOTIFY changed FINAL)
    Q_PROPERTY(bool canAsk READ canAsk NOTIFY changed FINAL)
    Q_PROPERTY(bool canStart READ canStart NOTIFY changed FINAL)
    Q_PROPERTY(QString foundText READ foundText NOTIFY changed FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY changed FINAL)
    Q_PROPERTY(QString phaseText READ phaseText NOTIFY progressChanged FINAL)
    Q_PROPERTY(double fraction READ fraction NOTIFY progressChanged FINAL)
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

    Q_INVOKABLE void say(const QString& name, const QString& text);
    void setLogin(int kind) { set(m_login, kind); }
    void setLinked(bool isLinked) { set(m_isLinked, isLinked); }

    [[nodiscard]] QVariantMap said() const { return m_said; }
    [[nodiscard]] QStringList logins() const;
    [[nodiscard]] bool asksUser() const { return m_login == 2; }
    [[nodiscard]] bool asksSecret() const { return m_login > 0; }
    [[nodiscard]] bool isBusy() const { return m_task.isRunning(); }
    [[nodiscard]] bool isFound() const { return !m_foundText.isEmpty(); }
    [[nodiscard]] bool canAsk() const { return !isBusy() && !saidText("address").isEmpty(); }
    [[nodiscard]] bool canStart() const {
        return canAsk() && !saidText("target").isEmpty() && !saidText("from").isEmpty();
    }
    [[nodiscard]] QString foundText() const { return m_foundText; }
    [[nodiscard]] QString errorText() const { return m_error; }
    [[nodiscard]] QString phaseText() const { return m_phase; }
    [[nodiscard]] double fraction() const { return m_fraction; }
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

    template <typename T>
    void set(T& member, const T& value) {
        if (member == value)
            return;
        member = value;
        m_error.clear();
        Q_EMIT changed();
    }
    [[nodiscard]] QString saidText(const char* name) const {
        return m_said[QLatin1String(name)].toString().trimmed();
    }
    [[nodiscard]] Result<Job> job() const;
    template <typename Work, typename Take>
    void run(const Job& job, Work work, Take take);
    void takeFound(const importers::engine::Catalogue& catalogue, const EngineRequest& request);
    void fail(const Error& error);
    void takeProgress(const EngineProgress& progress);

    QVariantMap m_said;
    QString m_mapping;
    int m_login = 0;
    bool m_isLinked = true;
    Task<QString> m_proposal{Asking::InTurn}; // for the target
    QString m_foundText;
    QString m_error;
    QString m_phase;
    double m_fraction = -1.0;
    FoundMetricModel m_metrics;
    bool m_isStopping = false;
    using Reply = std::function<void()>; // applies an answer
    QThreadPool m_worker; // has one thread
    Task<Reply> m_task;
};

} // namespace trainscope::app
