#include "app/viewmodels/importing/ConnectController.h"

#include "app/engine/KnownEngines.h"
#include "app/viewmodels/text/Texts.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/engine/Moments.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace trainscope::app {
namespace {

QString subjectsOf(SubjectKind kind) {
    switch (kind) {
    case SubjectKind::Gpu:
        return QStringLiteral("GPUs");
    case SubjectKind::Node:
        return QStringLiteral("nodes");
    case SubjectKind::Link:
        return QStringLiteral("links");
    default:
        return {};
    }
}

// Row of a metric that is not imported as it stands.
FoundMetricRow absentRow(const std::string& name, const QString& why) {
    FoundMetricRow row{QString::fromStdString(name), {}, {}, why};
    for (const auto& known : importers::exporterMetrics()) {
        if (known.name == name) {
            row.scale = known.scale;
            row.subject = known.subject;
        }
    }
    return row;
}

constexpr int kByToken = 1;
constexpr int kByName = 2;

FormFields connectFields() {
    const auto field = [](const char* key, const char* label, const char* hint = "",
                           const char* tip = "", const char* text = "") {
        return FormField{textOf(key), textOf(label), textOf(text), textOf(hint), textOf(tip)};
    };
    FormFields fields{field("address", "Address", "http://host:9090",
                          "The address that /api/v1/query lies below", "http://localhost:9090"),
        field("login", "Log in", "", "", "No log-in"), field("user", "Name"),
        field("secret", "Secret", "kept in memory only", "Token or password"),
        field("caFile", "Certificates to trust", "Own CA (PEM file)"),
        field("header", "Headers", "None; or X-Scope-OrgID: team",
            "Sent with each question, parted by semicolons; the tenant of Mimir and Thanos"),
        field("match", "Series", "All; or {Hostname=~\"node-[1-4]\"}",
            "Labels that choose the series of a job: {hpc_job=\"4711\"}, {namespace=\"team\"}"),
        field("from", "From", "", "2026-11-22T10:00:00Z, unix seconds, or before now: -2h", "-1h"),
        field("to", "To", "", "Likewise; linked until now, the run goes on", "now"),
        field("runName", "Name of the run", "The cluster's job, else host and time"),
        field("target", "Into"), field("step", "One sample every", "Every sample; or 15s")};
    fieldAt(fields, "login").choices = {
        QStringLiteral("No log-in"), QStringLiteral("Token"), QStringLiteral("Name and password")};
    fieldAt(fields, "secret").isSecret = true;
    return fields;
}

QString proposedTarget(const QString& open) {
    if (!open.isEmpty() && QFileInfo(open).isWritable())
        return open;
    return QDir(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation))
        .filePath(QStringLiteral("engine.trainscope"));
}

} // namespace

FoundMetricModel::FoundMetricModel(QObject* parent)
    : RowListModel(
        {{"engineName", [](const FoundMetricRow& row) { return shownLine(row.engineName); }},
            {"metric", &FoundMetricRow::metric}, {"proposed", &FoundMetricRow::proposed},
            {"seriesText", &FoundMetricRow::seriesText}},
        parent) { }

void FoundMetricModel::setCatalogue(
    const importers::engine::Catalogue& catalogue, const importers::engine::Mapping& mapping) {
    std::vector<FoundMetricRow> found;
    for (const auto& metric : catalogue.metrics) {
        const auto name = QString::fromStdString(metric.metric.name);
        found.push_back({QString::fromStdString(metric.engineName), name, name,
            QStringLiteral("%1 series of %2").arg(metric.series).arg(subjectsOf(metric.subject)),
            metric.scale, metric.subject});
    }
    for (const auto& one : mapping.metrics) {
        if (one.isLeft)
            found.push_back(absentRow(one.engineName, QStringLiteral("left out")));
    }
    for (const auto& name : catalogue.unknownNames) {
        if (mapping.find(name) == nullptr)
            found.push_back(absentRow(name, QStringLiteral("not known")));
    }
    resetRows(std::move(found));
}

void FoundMetricModel::setMetric(int row, const QString& name) {
    if (!isThere(row))
        return;
    FoundMetricRow changed = rows()[static_cast<std::size_t>(row)];
    changed.metric = name.trimmed();
    setRow(static_cast<std::size_t>(row), changed);
}

importers::engine::Mapping FoundMetricModel::edited(importers::engine::Mapping mapping) const {
    for (const FoundMetricRow& row : rows()) {
        if (row.metric == row.proposed)
            continue;
        const std::string name = row.engineName.toStdString();
        std::erase_if(mapping.metrics, [&name](const auto& one) { return one.engineName == name; });
        importers::engine::MappedMetric& one = mapping.metrics.emplace_back();
        one.engineName = name;
        one.metric = row.metric.toStdString();
        one.isLeft = row.metric.isEmpty();
        one.scale = row.scale;
        one.subject = row.subject;
    }
    return mapping;
}

ConnectController::ConnectController(QObject* parent)
    : QObject(parent)
    , m_fields(connectFields()) {
    m_worker.setMaxThreadCount(1);
    fieldAt(m_fields, "target").text = proposedTarget({});
    edited();
}

ConnectController::~ConnectController() {
    stop();
    m_worker.waitForDone();
}

void ConnectController::setOpenDatabase(const QString& path) {
    m_proposal.ask(
        diskThreads(), [path](const TaskStage<QString>&) { return proposedTarget(path); },
        [this](const Result<QString>& target) { say(QStringLiteral("target"), target.value()); });
}

void ConnectController::say(const QString& key, const QString& text) {
    static const QStringList places{
        QStringLiteral("address"), QStringLiteral("match"), QStringLiteral("header")};
    FormField* field = fieldIn(m_fields, key);
    if (field == nullptr || field->text == text)
        return;
    field->text = text;
    if (key == QLatin1String("target"))
        m_proposal.cancel();
    if (places.contains(key)) {
        m_foundText.clear();
        m_metrics.setRows({});
    }
    edited();
}

void ConnectController::setLinked(bool isLinked) {
    if (isLinked == std::exchange(m_isLinked, isLinked))
        return;
    edited();
}

// Only the fields that this login and this kind of import need are shown.
void ConnectController::edited() {
    FormFields shown = m_fields;
    const int login = fieldAt(m_fields, "login").current();
    std::erase_if(shown, [this, login](const FormField& field) {
        return (field.key == QLatin1String("user") && login != kByName)
            || (field.key == QLatin1String("secret") && login == 0)
            || (field.key == QLatin1String("step") && m_isLinked);
    });
    m_form.setRows(
        std::move(shown), [](const FormField& a, const FormField& b) { return a.key == b.key; });
    m_error.clear();
    Q_EMIT changed();
}

Result<ConnectController::Job> ConnectController::job() const {
    const auto said = [this](const char* key) { return this->said(key).toStdString(); };
    Job job;
    EngineRequest& request = job.request;
    ASSIGN_OR_RETURN(request.address, importers::engine::addressFrom(said("address")));
    ASSIGN_OR_RETURN(request.selector, importers::engine::selectorFrom(said("match")));
    ASSIGN_OR_RETURN(request.mapping, importers::engine::mappingFrom(m_mapping.toStdString()));
    request.mapping = m_metrics.edited(std::move(request.mapping));
    request.from = said("from");
    request.to = said("to").empty() ? "now" : said("to");
    request.runName = said("runName");
    request.isLinked = m_isLinked;
    if (const std::string step = said("step"); !step.empty()) {
        request.step = importers::engine::durationFrom(step);
        if (!request.step || request.step->ns <= 0)
            return usageError("\"" + step + "\" is no step such as 15s or 1m.");
    }
    const std::string secret = fieldAt(m_fields, "secret").text.toStdString();
    const int login = fieldAt(m_fields, "login").current();
    if (login == kByToken)
        job.access.token = secret;
    if (login == kByName) {
        job.access.user = said("user");
        job.access.password = secret;
    }
    job.access.caFile = said("caFile");
    const auto headers = this->said("header").split(QLatin1Char(';'), Qt::SkipEmptyParts);
    for (const QString& header : headers)
        RETURN_IF_ERROR(addHeader(job.access, header.trimmed().toStdString()));
    request.tenant = job.access.tenant;
    job.database = said("target");
    return job;
}

// `work` runs in the worker with a fetcher, `take` here with what came of it.
template <typename Work, typename Take>
void ConnectController::run(const Job& job, Work work, Take take) {
    m_isStopping = false;
    m_error.clear();
    m_progress = {QStringLiteral("Asking…")};
    m_task.ask(
        m_worker,
        [job, work, take](const TaskStage<Reply>& stage) -> Result<Reply> {
            ASSIGN_OR_RETURN(const auto fetcher, openEngine(job.request.address, job.access));
            auto outcome = work(*fetcher, job, stage);
            if (!outcome.hasValue())
                return outcome.error();
            rememberEngine(job.request.address, job.access);
            return Reply(
                [job, take, made = std::make_shared<decltype(outcome)>(std::move(outcome))] {
                    take(made->value(), job);
                });
        },
        [this](const Result<Reply>& reply) {
            if (reply.hasValue())
                reply.value()();
            else
                fail(reply.error());
            Q_EMIT changed();
        });
    Q_EMIT changed();
    Q_EMIT progressChanged();
}

void ConnectController::ask() {
    const auto asked = job();
    if (!asked.hasValue())
        return fail(asked.error());
    using importers::engine::Catalogue;
    run(
        asked.value(),
        [](importers::engine::Fetcher& fetcher, const Job& job,
            const TaskStage<Reply>& stage) -> Result<Catalogue> {
            const TimeNs now = wallClock();
            ASSIGN_OR_RETURN(const auto from, importers::engine::momentFrom(job.request.from, now));
            ASSIGN_OR_RETURN(const auto to, importers::engine::momentFrom(job.request.to, now));
            return readCatalogue(
                fetcher, {job.request.selector, {from, to}, job.request.mapping}, stage.progress());
        },
        [this](const Catalogue& catalogue, const Job& job) { takeFound(catalogue, job.request); });
}

void ConnectController::takeFound(
    const importers::engine::Catalogue& catalogue, const EngineRequest& request) {
    m_metrics.setCatalogue(catalogue, request.mapping);
    // Edits are part of it now.
    m_mapping = QString::fromStdString(textOf(request.mapping));
    QStringList jobs;
    for (const auto& job : catalogue.jobs)
        jobs.append(shownLine(job));
    m_foundText = QStringLiteral("%1 on %2")
                      .arg(countedText(std::ssize(catalogue.roster.gpus()), "GPU"),
                          countedText(std::ssize(catalogue.roster.nodes()), "node"));
    if (!catalogue.roster.nodes().empty())
        m_foundText += QStringLiteral(", %1 to %2")
                           .arg(shownLine(catalogue.roster.nodes().front()),
                               shownLine(catalogue.roster.nodes().back()));
    if (!jobs.isEmpty())
        m_foundText += QStringLiteral("; scraped by %1").arg(jobs.join(QStringLiteral(", ")));
}

void ConnectController::start() {
    const auto asked = job();
    if (!asked.hasValue())
        return fail(asked.error());
    run(
        asked.value(),
        [this](importers::engine::Fetcher& fetcher, const Job& job, const TaskStage<Reply>& stage) {
            return importEngine(fetcher, job.request, job.database, wallClock(),
                [this, &stage, pace = TaskPace()](const EngineProgress& progress) mutable {
                    if (pace.isDue())
                        stage.tell([this, progress] { takeProgress(progress); });
                    return !stage.isCancelled();
                });
        },
        [this](const EngineOutcome& outcome, const Job& job) {
            Q_EMIT imported(
                QString::fromStdString(job.database), {QString::fromStdString(outcome.runName)});
            if (!outcome.error)
                return Q_EMIT done();
            fail(*outcome.error);
            m_error += QLatin1Char(' ')
                + QStringLiteral(
                    "%1 of %2 nodes are in the database; start again to go on from there.")
                      .arg(outcome.partsDone + outcome.partsKept)
                      .arg(outcome.parts);
        });
}

void ConnectController::stop() {
    m_task.stop();
    m_isStopping = true;
}

void ConnectController::takeProgress(const EngineProgress& progress) {
    if (!progress.phase.empty())
        m_progress.text = m_isStopping ? QStringLiteral("Stopping…") : shownLine(progress.phase);
    m_progress.fraction = progress.phase.empty() ? -1.0 : progress.fraction;
    Q_EMIT progressChanged();
}

void ConnectController::fail(const Error& error) {
    m_error = error.code == ErrorCode::Cancelled ? QStringLiteral("Stopped.")
                                                 : shownText(error.message);
    Q_EMIT changed();
}

} // namespace trainscope::app
