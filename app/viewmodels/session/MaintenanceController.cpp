#include "app/viewmodels/session/MaintenanceController.h"

#include "app/comparing/SavedComparison.h"
#include "app/painting/ChartPainter.h"
#include "app/reporting/ReportFile.h"
#include "app/reporting/WebPage.h"
#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "core/figures/Figure.h"
#include "core/report/Report.h"
#include "core/store/Writing.h"

#include <QFileInfo>

namespace trainscope::app {

namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 300ms;

} // namespace

MaintenanceController::MaintenanceController(QObject* parent)
    : QObject(parent) {
    m_patience.setInterval(kPatience);
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, [this] { setShowing(true); });
}

MaintenanceController::~MaintenanceController() {
    stop();
    waitForPainting(m_task.ending());
}

void MaintenanceController::renameRun(const QString& name, const QString& typed) {
    const QString newName = typed.trimmed();
    if (newName.isEmpty() || newName == name)
        return;
    begin(QStringLiteral("Renaming %1").arg(name), store::OpenMode::ReadWrite,
        [newName, from = name.toStdString()](
            store::Store& store, const Progress&) -> Result<Outcome> {
            ASSIGN_OR_RETURN(const auto run, store.findRun(from));
            RETURN_IF_ERROR(store::renameRun(store, run.id, newName.toStdString()));
            return Outcome{QStringLiteral("Renamed to %1.").arg(newName), true};
        });
}

void MaintenanceController::removeRuns(const QStringList& names) {
    const QString what = names.size() == 1 ? names.first() : countedText(names.size(), "run");
    begin(QStringLiteral("Removing %1").arg(what), store::OpenMode::ReadWrite,
        [names, what](store::Store& store, const Progress& progress) -> Result<Outcome> {
            for (const QString& name : names) {
                ASSIGN_OR_RETURN(const auto run, store.findRun(name.toStdString()));
                RETURN_IF_ERROR(store::removeRun(store, run.id, progress));
            }
            return Outcome{QStringLiteral("%1 removed.").arg(what), true};
        });
}

void MaintenanceController::vacuum() {
    begin(QStringLiteral("Compacting the database"), store::OpenMode::ReadWrite,
        [](store::Store& store, const Progress& progress) -> Result<Outcome> {
            ASSIGN_OR_RETURN(const auto sizes, store::vacuum(store, progress));
            const auto [before, after] = sizes;
            return Outcome{after < before
                    ? QStringLiteral("The database takes %1, %2 less than before.")
                          .arg(bytesText(after), bytesText(before - after))
                    : QStringLiteral("The database takes %1, as before.").arg(bytesText(after))};
        });
}

void MaintenanceController::check() {
    begin(QStringLiteral("Checking the database"), store::OpenMode::ReadOnly,
        [](store::Store& store, const Progress& progress) -> Result<Outcome> {
            ASSIGN_OR_RETURN(const auto found, store.check(progress));
            const QString read = QStringLiteral("%1 in %2 pieces were read.")
                                     .arg(bytesText(found.bytes))
                                     .arg(found.pieces);
            Outcome outcome{found.damageCount == 0
                    ? QStringLiteral("The database is whole. %1").arg(read)
                    : QStringLiteral("%1 of its pieces are damaged. %2")
                          .arg(found.damageCount)
                          .arg(read)};
            outcome.isToRead = true;
            for (const std::string& text : found.damage)
                outcome.details << QString::fromStdString(text);
            const auto listed = static_cast<std::int64_t>(found.damage.size());
            if (found.damageCount > listed)
                outcome.details << QStringLiteral("… and %1 more.").arg(found.damageCount - listed);
            return outcome;
        });
}

QStringList MaintenanceController::reportForms() {
    QStringList forms;
    for (const Paper paper : papersByUse(QLocale()))
        forms << (paper == Paper::Letter ? QStringLiteral("PDF on Letter (*.pdf)")
                                         : QStringLiteral("PDF on A4 (*.pdf)"));
    return forms << QStringLiteral("Web page (*.html)");
}

QUrl MaintenanceController::fileBeside(const std::string& kind, const QString& suffix) const {
    const QFileInfo database(m_database);
    const std::string name
        = figures::fileNameOf(kind + "-" + database.completeBaseName().toStdString(), {});
    return QUrl::fromLocalFile(
        database.path() + QLatin1Char('/') + QString::fromStdString(name) + suffix);
}

void MaintenanceController::writePage(const QUrl& wanted, bool replaces) {
    begin(QStringLiteral("Writing the web page"), store::OpenMode::ReadOnly,
        [wanted, replaces, path = wanted.toLocalFile(), chosen = m_chosen](
            store::Store& store, const Progress& progress) -> Result<Outcome> {
            Outcome outcome;
            if (!replaces && QFileInfo::exists(path)) {
                outcome.inTheWay = Report{wanted, kPage};
                return outcome;
            }
            cli::PageWish wish;
            ASSIGN_OR_RETURN(wish.runs, store.runs());
            std::erase_if(wish.runs, [&chosen](const Run& run) {
                return !chosen.empty() && std::ranges::find(chosen, run.id) == chosen.end();
            });
            wish.marks = readTimeline(viewFolder(), store.uuid()).marks;
            ASSIGN_OR_RETURN(const auto page,
                writeWebPage({store, progress}, std::move(wish), path.toStdString()));
            outcome.headline = QStringLiteral("The web page was saved as %1: %2.")
                                   .arg(path, bytesText(page.bytes));
            outcome.isToRead = !page.leftOut.empty();
            for (const std::string& sentence : page.leftOut)
                outcome.details
                    << QStringLiteral("Left out: %1").arg(QString::fromStdString(sentence));
            return outcome;
        });
}

void MaintenanceController::writeReport(const QUrl& wanted, int form, bool replaces) {
    if (form == kPage)
        return writePage(wanted, replaces);
    // A dialog leaves the name it was opened with when another form is chosen.
    const bool isPage = form == static_cast<int>(papersByUse(QLocale()).size());
    const QString pdf = QStringLiteral(".pdf");
    QString name = wanted.toLocalFile();
    if (isPage && name.endsWith(pdf, Qt::CaseInsensitive))
        name = name.chopped(pdf.size()) + QStringLiteral(".html");
    const QUrl file = QUrl::fromLocalFile(name);
    const Paper paper = papersByUse(QLocale())[form == 1 ? 1 : 0];
    begin(QStringLiteral("Writing the report"), store::OpenMode::ReadOnly,
        [file, form, replaces, path = name, paper, runs = m_chosen](
            store::Store& store, const Progress& progress) -> Result<Outcome> {
            if (!replaces && QFileInfo::exists(path)) {
                Outcome asking;
                asking.inTheWay = Report{file, form};
                return asking;
            }
            ASSIGN_OR_RETURN(auto saved, savedBoards(store, runs));
            const report::ReportQuery query{
                runs, std::move(saved), readTimeline(viewFolder(), store.uuid()).marks};
            ASSIGN_OR_RETURN(const auto loaded, report::loadReport(store, query, progress));
            RETURN_IF_ERROR(app::writeReport(loaded, path, paper));
            return Outcome{QStringLiteral("The report was saved as %1.").arg(path)};
        });
}

void MaintenanceController::begin(const QString& title, store::OpenMode mode, Work work) {
    if (m_database.isEmpty())
        return;
    if (working()) {
        // Dialogs of some desktops tell of one choice twice.
        if (title != m_title)
            Q_EMIT informed(QStringLiteral("%1 goes on: try again in a moment.").arg(m_title));
        return;
    }
    m_title = title;
    m_headline.clear();
    m_details.clear();
    m_progress = {};
    m_isStopping = false;
    m_task.ask(
        *QThreadPool::globalInstance(),
        [this, path = m_database.toStdString(), mode, work = std::move(work)](
            const TaskStage<Outcome>& stage) -> Result<Outcome> {
            ASSIGN_OR_RETURN(auto store, store::Store::open(path, mode));
            return work(store, stage.progress([this, &stage](const ProgressState& state) {
                // The phase may name a file.
                stage.tell([this, step = WorkProgress{shownLine(state.phase), fractionOf(state)}] {
                    if (!m_isStopping)
                        m_progress = step;
                    Q_EMIT progressChanged();
                });
            }));
        },
        [this](const Result<Outcome>& result) { takeOutcome(result); });
    m_patience.start();
    Q_EMIT stateChanged();
    Q_EMIT progressChanged();
}

void MaintenanceController::takeOutcome(const Result<Outcome>& result) {
    m_patience.stop();
    const Status status = result.hasValue() ? Status() : Status(result.error());
    const Outcome outcome = result.valueOr({});
    m_showing = status.hasValue() && outcome.isToRead;
    if (m_showing) {
        m_headline = outcome.headline;
        m_details = outcome.details;
    }
    Q_EMIT stateChanged();
    if (!status.hasValue() && status.error().code == ErrorCode::Cancelled)
        Q_EMIT informed(QStringLiteral("Stopped. The database is as it was."));
    else if (!status.hasValue())
        Q_EMIT failed(status.error());
    else if (outcome.inTheWay)
        Q_EMIT replaceWanted(outcome.inTheWay->file,
            shownLine(QFileInfo(outcome.inTheWay->file.toLocalFile()).fileName()),
            outcome.inTheWay->form);
    else if (outcome.hasChanged)
        Q_EMIT changed(outcome.headline);
    else if (!m_showing)
        Q_EMIT informed(outcome.headline);
}

void MaintenanceController::stop() {
    m_task.stop();
    m_isStopping = true;
    m_progress.text = QStringLiteral("Stopping…");
    Q_EMIT progressChanged();
}

void MaintenanceController::dismiss() {
    if (!working())
        setShowing(false);
}

void MaintenanceController::setShowing(bool showing) {
    if (m_showing == showing)
        return;
    m_showing = showing;
    Q_EMIT stateChanged();
}

} // namespace trainscope::app
