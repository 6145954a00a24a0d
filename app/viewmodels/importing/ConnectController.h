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

#include <memory>
#include <optional>

namespace trainscope::app {

class ConnectController : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    // Typed texts. Another address, selection or header forgets what was found.
    Q_PROPERTY(QString address MEMBER m_address WRITE setAddress NOTIFY changed FINAL)
    Q_PROPERTY(QString match MEMBER m_match WRITE setMatch NOTIFY changed FINAL)
    Q_PROPERTY(QString from MEMBER m_from WRITE setFrom NOTIFY changed FINAL)
    Q_PROPERTY(QString to MEMBER m_to WRITE setTo NOTIFY changed FINAL)
    Q_PROPERTY(QString step MEMBER m_step WRITE setStep NOTIFY changed FINAL)
    Q_PROPERTY(QString runName MEMBER m_runName WRITE setRunName NOTIFY changed FINAL)
    Q_PROPERTY(int login MEMBER m_login WRITE setLogin NOTIFY changed FINAL) // of `logins`
    Q_PROPERTY(QStringList logins READ logins CONSTANT FINAL)
    Q_PROPERTY(bool asksUser READ asksUser NOTIFY changed FINAL)
    Q_PROPERTY(bool asksSecret READ asksSecret NOTIFY changed FINAL)
    Q_PROPERTY(QString user MEMBER m_user WRITE setUser NOTIFY changed FINAL)
    Q_PROPERTY(QString secret MEMBER m_secret WRITE setSecret NOTIFY changed FINAL)
    Q_PROPERTY(QString caFile MEMBER m_caFile WRITE setCaFile NOTIFY changed FINAL)
    Q_PROPERTY(QString header MEMBER m_header WRITE setHeader NOTIFY changed FINAL)
    Q_PROPERTY(bool linked MEMBER m_isLinked WRITE setLinked NOTIFY changed FINAL)
    Q_PROPERTY(QString target MEMBER m_target WRITE setTarget NOTIFY changed FINAL)

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

    Q_INVOKABLE void ask(); // what the engine has
    Q_INVOKABLE void start(); // copies or links
    Q_INVOKABLE void stop();

    void setAddress(const QString& text) { setPlace(m_address, text); }
    void setMatch(const QString& text) { setPlace(m_match, text); }
    void setFrom(const QString& text) { set(m_from, text); }
    void setTo(const QString& text) { set(m_to, text); }
    void setStep(const QString& text) { set(m_step, text); }
    void setRunName(const QString& text) { set(m_runName, text); }
    void setLogin(int kind) { set(m_login, kind); }
    void setUser(const QString& text) { set(m_user, text); }
    void setSecret(const QString& text) { set(m_secret, text); }
    void setCaFile(const QString& text) { set(m_caFile, text); }
    void setHeader(const QString& text) { setPlace(m_header, text); }
    void setLinked(bool isLinked) { set(m_isLinked, isLinked); }
    void setTarget(const QString& text);

    [[nodiscard]] QStringList logins() const;
    [[nodiscard]] bool asksUser() const { return m_login == 2; }
    [[nodiscard]] bool asksSecret() const { return m_login > 0; }
    [[nodiscard]] bool isBusy() const { return m_task.isRunning(); }
    [[nodiscard]] bool isFound() const { return !m_foundText.isEmpty(); }
    [[nodiscard]] bool canAsk() const { return !isBusy() && !m_address.trimmed().isEmpty(); }
    [[nodiscard]] bool canStart() const {
        return canAsk() && !m_target.trimmed().isEmpty() && !m_from.trimmed().isEmpty();
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
    // Sets a text on which findings depend.
    void setPlace(QString& member, const QString& text);
    [[nodiscard]] Result<Job> job() const;
    template <typename Work, typename Take>
    void run(const Job& job, Work work, Take take);
    void takeFound(const importers::engine::Catalogue& catalogue, const EngineRequest& request);
    void fail(const Error& error);
    void takeProgress(const EngineProgress& progress);

    QString m_address = QStringLiteral("http://localhost:9090");
    QString m_match;
    QString m_from = QStringLiteral("-1h");
    QString m_to = QStringLiteral("now");
    QString m_step;
    QString m_runName;
    QString m_mapping;
    int m_login = 0;
    QString m_user;
    QString m_secret;
    QString m_caFile;
    QString m_header; // "X-Scope-OrgID: team"; several are parted by ;
    bool m_isLinked = true;
    QString m_target;
    Task<QString> m_proposal{Asking::InTurn}; // for the target
    QString m_foundText;
    QString m_error;
    QString m_phase;
    double m_fraction = -1.0;
    FoundMetricModel m_metrics;
    bool m_isStopping = false;
    using Reply = std::function<void()>; // what is done with an answer
    QThreadPool m_worker; // of one thread
    Task<Reply> m_task;
};

} // namespace trainscope::app
