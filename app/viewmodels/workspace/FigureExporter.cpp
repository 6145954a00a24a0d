#include "FigureExporter.h"

#include "app/painting/ChartPainter.h"
#include "app/painting/FigureFile.h"
#include "app/viewmodels/text/ShownText.h"
#include "core/model/InteractiveThread.h"
#include "core/text/NumberMarks.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace trainscope::app {

namespace {

constexpr std::array kSuffixes{"pdf", "svg", "png", "csv"};
constexpr std::array kThemes{"paper", "light", "dark"};
// A pixel of the screen becomes a point of the figure.
constexpr double kMmPerPixel = 25.4 / 72.0;
constexpr int kCsvColumns = 1920; // of time
constexpr int kLastPreset = 4; // 7 in, as high as its content

QString folderKey() {
    return QStringLiteral("export/folder");
}

QString lastFolder() {
    assertMayBlock("looks for the folder of the last export");
    const QString remembered = QSettings().value(folderKey()).toString();
    if (!remembered.isEmpty() && QDir(remembered).exists())
        return remembered;
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QDir(documents).exists() ? documents : QDir::homePath();
}

// Run names hold slashes.
QString fileNameOf(const QString& text) {
    static const QRegularExpression kUnsafe(QStringLiteral("[^\\w.+-]+"));
    QString name = text;
    name.replace(kUnsafe, QStringLiteral("-"));
    return name.isEmpty() ? QStringLiteral("figure") : name;
}

int formatOf(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    const auto found = std::find_if(kSuffixes.begin(), kSuffixes.end(),
        [&](const char* candidate) { return suffix == QLatin1String(candidate); });
    return found == kSuffixes.end() ? -1 : static_cast<int>(found - kSuffixes.begin());
}

QString withSuffix(const QString& path, int format) {
    const QString suffix = QLatin1String(kSuffixes[static_cast<std::size_t>(format)]);
    if (formatOf(path) < 0)
        return path + QLatin1Char('.') + suffix;
    return path.chopped(QFileInfo(path).suffix().size()) + suffix;
}

// The file that was meant by what was typed. Asks the disk.
QString completed(const QString& typed, int format) {
    QString path = typed.trimmed();
    if (path.isEmpty())
        return path;
    if (path.startsWith(QLatin1String("~/")))
        path.replace(0, 1, QDir::homePath());
    if (QDir::isRelativePath(path))
        path = QDir::cleanPath(lastFolder() + QLatin1Char('/') + path);
    const bool isFolder = path.endsWith(QLatin1Char('/')) || QFileInfo(path).isDir();
    return formatOf(path) < 0 && !isFolder ? withSuffix(path, format) : path;
}

} // namespace

FigureExporter::FigureExporter(QObject* parent)
    : QObject(parent) {
    setPreset(kLastPreset);
}

FigureExporter::~FigureExporter() {
    cancel();
    waitForPainting(m_task.ending());
}

void FigureExporter::setSource(Exportable* source) {
    if (m_source == source)
        return;
    m_source = source;
    Q_EMIT sourceChanged();
}

QStringList FigureExporter::formats() const {
    return {QStringLiteral("PDF, vector"), QStringLiteral("SVG, vector"),
        QStringLiteral("PNG, pixels"), QStringLiteral("CSV, the numbers")};
}

QStringList FigureExporter::presets() const {
    QStringList names;
    for (const auto& preset : figurePresets())
        names.append(preset.name);
    names.append(QStringLiteral("As on screen"));
    names.append(QStringLiteral("Other size"));
    return names;
}

QStringList FigureExporter::themes() const {
    return {QStringLiteral("Paper"), QStringLiteral("Light"), QStringLiteral("Dark")};
}

bool FigureExporter::isAsOnScreen() const {
    return m_preset == static_cast<int>(figurePresets().size());
}

void FigureExporter::setFormat(int format) {
    if (format == m_format || format < 0 || format > kCsv)
        return;
    m_format = format;
    Q_EMIT optionsChanged();
    if (m_suggestion.isEmpty() && !m_path.isEmpty())
        setPath(withSuffix(m_path, format));
}

void FigureExporter::setPreset(int preset) {
    const auto& known = figurePresets();
    m_preset = std::clamp(preset, 0, static_cast<int>(known.size()) + 1);
    if (m_preset < static_cast<int>(known.size())) {
        m_widthMm = known[static_cast<std::size_t>(m_preset)].widthMm;
        m_heightMm = known[static_cast<std::size_t>(m_preset)].heightMm;
        m_theme = 0;
    } else if (isAsOnScreen()) {
        m_widthMm = m_viewWidth * kMmPerPixel;
        m_heightMm = 0.0;
        m_theme = m_viewDark ? 2 : 1;
    }
    Q_EMIT optionsChanged();
}

void FigureExporter::setTheme(int theme) {
    m_theme = std::clamp(theme, 0, static_cast<int>(kThemes.size()) - 1);
    Q_EMIT optionsChanged();
}

void FigureExporter::setSize(double& side, double mm) {
    if (std::abs(mm - side) < 0.005)
        return;
    side = mm;
    m_preset = static_cast<int>(figurePresets().size()) + 1;
    Q_EMIT optionsChanged();
}

void FigureExporter::setPath(const QString& path) {
    if (path == m_path)
        return;
    m_suggestion.clear();
    m_path = path;
    Q_EMIT pathChanged();
    lookForFile();
    const int format = formatOf(path);
    if (format >= 0 && format != m_format) {
        m_format = format;
        Q_EMIT optionsChanged();
    }
}

QUrl FigureExporter::folder() const {
    const bool isBare = m_path.isEmpty() || QDir::isRelativePath(m_path);
    return QUrl::fromLocalFile(isBare ? m_folder : QFileInfo(m_path).path());
}

void FigureExporter::setOverwrites(bool overwrites) {
    if (overwrites == m_overwrites)
        return;
    m_overwrites = overwrites;
    Q_EMIT overwritesChanged();
}

void FigureExporter::lookForFile() {
    m_fileTask.ask(
        diskThreads(),
        [path = m_path, format = m_format](
            const TaskStage<bool>&) { return QFileInfo(completed(path, format)).isFile(); },
        [this](const Result<bool>& isThere) { setOverwrites(isThere.value()); });
}

void FigureExporter::prepare() {
    m_outcome = {};
    const QString name = m_source ? m_source->exportJob().name : QString();
    m_suggestion = fileNameOf(name) + QStringLiteral(".csv");
    m_folderTask.ask(
        diskThreads(), [](const TaskStage<QString>&) { return lastFolder(); },
        [this](const Result<QString>& folder) { takeFolder(folder.value()); });
    if (isAsOnScreen())
        setPreset(m_preset);
    Q_EMIT stateChanged();
}

// A folder typed meanwhile counts.
void FigureExporter::takeFolder(const QString& folder) {
    m_folder = folder;
    Q_EMIT pathChanged();
    const QString name = std::exchange(m_suggestion, {});
    if (!name.isEmpty())
        setPath(withSuffix(folder + QLatin1Char('/') + name, m_format));
    lookForFile();
}

// A file dialog names files, with their folders.
void FigureExporter::choose(const QUrl& file) {
    const QString path = file.toLocalFile();
    setPath(formatOf(path) < 0 ? withSuffix(path, m_format) : path);
}

FigureOptions FigureExporter::options() const {
    FigureOptions options;
    options.widthMm = m_widthMm;
    options.heightMm = m_heightMm;
    options.theme = plot::findTheme(kThemes[static_cast<std::size_t>(m_theme)]);
    options.pngDpi = m_dpi;
    return options;
}

void FigureExporter::start(const QString& typed, Replace replace) {
    if (isRunning() || !m_source)
        return;
    setPath(typed);
    const QString own = lastPath();
    m_outcome = {};
    m_task.ask(
        *QThreadPool::globalInstance(),
        [job = m_source->exportJob(), typed, format = m_format, options = options(), replace, own](
            const TaskStage<Outcome>& stage) {
            const QString path = completed(typed, format);
            if (replace == Replace::Own && path != own && QFileInfo(path).isFile())
                return Outcome{path, {}, {}, true};
            return outcomeOf(job, path, options, stage.cancelCheck());
        },
        [this](const Result<Outcome>& outcome) { takeOutcome(outcome.value()); });
    Q_EMIT stateChanged();
}

FigureExporter::Outcome FigureExporter::outcomeOf(const ExportJob& job, const QString& path,
    const FigureOptions& options, const std::function<bool()>& stop) {
    const auto failed = [&path](const Error& error) { return Outcome{path, {}, shownText(error)}; };
    if (!job.figure)
        return {path, {}, QStringLiteral("Nothing is shown that could be written.")};
    const text::WordingFor file(text::Medium::File);
    const bool isCsv = formatOf(path) == kCsv;
    auto request = requestFor(path, options);
    request.picture = !isCsv;
    request.numbers = isCsv;
    if (isCsv)
        request.columns = kCsvColumns;
    const auto figure
        = job.figure(request, [&stop](const ProgressState&) { return !stop || !stop(); });
    if (!figure.hasValue())
        return failed(figure.error());
    if (isCsv) {
        const Status written = writeNumbers(figure.value(), path);
        return written.hasValue() ? Outcome{path, {}, {}} : failed(written.error());
    }
    if (!figure.value().draw)
        return {path, {}, QStringLiteral("This view holds no drawing: choose CSV.")};
    const auto written = writeFigure(figure.value(), path, options);
    return written.hasValue() ? Outcome{path, written.value(), {}} : failed(written.error());
}

ExportJob exportJobOf(QString name, figures::Figure figure) {
    ExportJob job;
    job.name = std::move(name);
    job.figure = [figure = std::move(figure)](const figures::Request&, const Progress&) {
        return Result<figures::Figure>(figure);
    };
    return job;
}

void FigureExporter::cancel() {
    m_task.stop();
}

void FigureExporter::takeOutcome(const Outcome& outcome) {
    setPath(outcome.path);
    if (outcome.isAsking) {
        setOverwrites(true);
        Q_EMIT stateChanged();
        Q_EMIT asked();
        return;
    }
    m_outcome = outcome;
    const bool isWritten = outcome.error.isEmpty();
    if (isWritten) {
        QSettings().setValue(folderKey(), QFileInfo(outcome.path).path());
        setOverwrites(true);
    }
    lookForFile();
    Q_EMIT stateChanged();
    Q_EMIT finished(isWritten);
}

} // namespace trainscope::app
