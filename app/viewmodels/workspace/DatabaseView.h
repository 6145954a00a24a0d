#pragma once
// Base of the views beside the timeline: they know the Views, read the database in the background
// while they are seen, show the progress of the reading, and can be stopped. GUI thread.

#include <QPointer>
#include <QQmlEngine>

#include "app/viewmodels/workspace/Exportable.h"
#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/Views.h"
#include "core/model/Import.h"
#include "core/plot/figures/Figure.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace trainscope::app {

class DatabaseView : public trainscope::app::Exportable {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("The base of views.")
    Q_PROPERTY(
        trainscope::app::Views* views READ views WRITE setViews NOTIFY viewsChanged REQUIRED FINAL)
    // Only a view that is seen reads.
    Q_PROPERTY(bool active READ isActive WRITE setActive NOTIFY activeChanged FINAL)
    Q_PROPERTY(bool loading READ isLoading NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool stopped READ isStopped NOTIFY stateChanged FINAL)
    Q_PROPERTY(trainscope::app::WorkProgress progress READ progress NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY stateChanged FINAL)

public:
    explicit DatabaseView(QObject* parent = nullptr);

    [[nodiscard]] Views* views() const { return m_views; }
    void setViews(Views* views);
    [[nodiscard]] bool isActive() const { return m_active; }
    void setActive(bool active);

    [[nodiscard]] bool isLoading() const { return m_loading; }
    [[nodiscard]] bool isStopped() const { return m_stopped; }
    [[nodiscard]] const WorkProgress& progress() const { return m_progress; }
    [[nodiscard]] QString errorText() const { return m_error; }
    Q_INVOKABLE void cancel();
    Q_INVOKABLE void readAgain();

Q_SIGNALS:
    void viewsChanged();
    void activeChanged();
    void stateChanged();

protected:
    // The settings that Views keeps for the view are other ones.
    virtual void restore() = 0;
    // The database or its runs are other ones: all that was read is stale.
    virtual void forget() = 0;
    // Begins to read what is wanted and not known yet; nothing while the view is not active.
    virtual void load() = 0;
    // A recorder added to the runs: what is shown is read again while it stays, with what is
    // selected, by readQuietly(). Only asked of a view that is seen and not reading.
    virtual void readGrowth() { }
    // A reading was stopped or failed.
    virtual void nothingRead() { }
    virtual void takeSelection(const trainscope::app::Evidence& /*evidence*/) { }

    // nullptr without Views, or while no database is open.
    [[nodiscard]] Workspace* workspace() const;
    // A database is open, and what can be read of it was.
    [[nodiscard]] bool isAtRest() const {
        return workspace() != nullptr && !m_loading && !m_stopped && m_error.isEmpty();
    }
    // Asks for the metrics that figures of the database can show. An error is not told here: the
    // view's own reading meets it too.
    using Metrics = std::vector<plot::FigureChoice>;
    void askMetrics(std::function<void(Metrics metrics)> take);
    // Settings that Views keeps for a view; empty without one, or where nothing was ever chosen.
    [[nodiscard]] QJsonObject savedSettings(Views::View view) const;
    void saveSettings(Views::View view, const QJsonObject& settings);

    // Runs `job` on a reader thread and hands what it gives to `take`, on the GUI thread. A later
    // reading supersedes it. `what` stands before the phases of its progress. The job must not
    // touch the view.
    template <typename T>
    void read(const QString& what,
        std::function<Result<T>(const store::Store& store, const Progress& progress)> job,
        std::function<void(T value)> take);
    // The same of a job that may tell a part of its answer before; `show` takes it while the
    // reading goes on.
    template <typename T>
    using PartedJob = std::function<Result<T>(const store::Store& store, const Progress& progress,
        const std::function<void(T part)>& tell)>;
    template <typename T>
    void readInParts(const QString& what, PartedJob<T> job, std::function<void(T part)> show,
        std::function<void(T value)> take);
    // The same without a sign of it: what is shown stays until it is there, or where it fails.
    template <typename T>
    void readQuietly(std::function<Result<T>(const store::Store& store, const Progress&)> job,
        std::function<void(T value)> take);
    // The reading under way, if any, comes to nothing, and so does what an earlier one told.
    void endReading();

private:
    using Finish = std::function<void()>; // for the GUI thread
    using Tell = std::function<void(Finish)>; // may be called before the job ends
    using Job = std::function<Finish(
        const store::Store& store, const Progress& progress, const Tell& tell)>;

    void leaveViews();
    void reloadDatabase();
    void takeGrowth();
    void start(const QString& what, Job job);
    void showStep(const WorkProgress& progress);
    void fail(const Error& error);

    QPointer<Views> m_views;
    bool m_active = false;
    Task<Finish> m_task;
    Task<Finish> m_quietTask{Urgency::Background};
    Task<Metrics> m_metricsTask{Urgency::Background};
    bool m_isAged = false; // grown since it was read
    bool m_loading = false;
    bool m_stopped = false;
    WorkProgress m_progress;
    QString m_error;
};

template <typename T>
void DatabaseView::read(const QString& what,
    std::function<Result<T>(const store::Store&, const Progress&)> job,
    std::function<void(T)> take) {
    const auto whole = [job = std::move(job)](const store::Store& store, const Progress& progress,
                           const auto&) { return job(store, progress); };
    readInParts<T>(what, whole, {}, std::move(take));
}

template <typename T>
void DatabaseView::readInParts(const QString& what, PartedJob<T> job, std::function<void(T)> show,
    std::function<void(T)> take) {
    start(what,
        [this, job = std::move(job), show = std::move(show), take = std::move(take)](
            const store::Store& store, const Progress& progress, const Tell& tell) -> Finish {
            const auto tellPart = [&](T value) {
                tell([show, part = std::make_shared<T>(std::move(value))] {
                    show(std::move(*part));
                });
            };
            auto result = std::make_shared<Result<T>>(job(store, progress, tellPart));
            return [this, take, result] {
                if (!result->hasValue())
                    return fail(result->error());
                endReading();
                take(std::move(*result).value());
                takeGrowth(); // rows that came meanwhile
            };
        });
}

template <typename T>
void DatabaseView::readQuietly(std::function<Result<T>(const store::Store&, const Progress&)> job,
    std::function<void(T)> take) {
    if (workspace() == nullptr)
        return;
    m_quietTask.ask(
        workspace()->readers(),
        [job = std::move(job), take = std::move(take)](
            const store::Store& store, const TaskStage<Finish>& stage) -> Result<Finish> {
            auto result = std::make_shared<Result<T>>(job(store, stage.progress()));
            if (!result->hasValue())
                return result->error();
            return Finish([take, result] { take(std::move(*result).value()); });
        },
        [](const Result<Finish>& finish) {
            // The next growth tries again.
            if (finish.hasValue())
                finish.value()();
        });
}

} // namespace trainscope::app
