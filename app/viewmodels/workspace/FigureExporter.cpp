#include "FigureExporter.h"

#include "app/painting/ChartPainter.h"
#include "app/painting/FigureExport.h"
#include "app/viewmodels/text/Texts.h"
#include "core/model/InteractiveThread.h"
#include "core/text/NumberMarks.h"

#include "app/painting/ScenePainter.h"
#include "core/model/Try.h"

#include <QDir>
#include <QFileInfo>
#include <QPainter>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>

namespace trainscope::app {

namespace {

constexpr std::array kSuffixes{"pdf", "svg", "png", "csv"};
constexpr std::array kThemes{"paper", "light", "dark"};
// A pixel of the screen becomes a point of the figure.
constexpr double kMmPerPixel = 25.4 / 72.0;
constexpr int kCsvColumns = 1920; // columns of time
constexpr double kPreviewColumns = 1.0; // in a point
constexpr double kPreviewSide = 900.0; // pixels, the longer one
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
    const auto found = std::ranges::find_if(
        kSuffixes, [&](const char* candidate) { return suffix == QLatin1String(candidate); });
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
    connect(this, &FigureExporter::optionsChanged, this, &FigureExporter::makePreview);
    connect(this, &FigureExporter::partsTakenChanged, this, &FigureExporter::makePreview);
}

FigureExporter::~FigureExporter() {
    cancel();
    waitForPainting(m_task.ending());
    m_previewTask.stop();
    waitForPainting(m_previewTask.ending());
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
    return listOf(figurePresets(), &FigurePreset::name)
        + QStringList{QStringLiteral("As on screen"), QStringLiteral("Other size")}
    + listOf(pagePresets(), &FigurePreset::name);
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
    const auto& pages = pagePresets();
    const int other = static_cast<int>(known.size()) + 1;
    m_preset = std::clamp(preset, 0, other + static_cast<int>(pages.size()));
    const FigurePreset* chosen = m_preset < other - 1 ? &known[static_cast<std::size_t>(m_preset)]
        : m_preset > other ? &pages[static_cast<std::size_t>(m_preset - other - 1)]
                           : nullptr;
    m_inPages = m_preset > other || (m_preset == other && m_inPages);
    if (chosen != nullptr) {
        m_widthMm = chosen->widthMm;
        m_heightMm = chosen->heightMm;
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
    if (overwrites == std::exchange(m_overwrites, overwrites))
        return;
    Q_EMIT overwritesChanged();
}

void FigureExporter::lookForFile() {
    m_fileTask.ask(
        diskThreads(),
        [path = m_path, format = m_format](
            const TaskStage<bool>&) { return QFileInfo(completed(path, format)).isFile(); },
        [this](const Result<bool>& isThere) { setOverwrites(isThere.value()); });
}

void FigureExporter::setInPages(bool pages) {
    if (pages == std::exchange(m_inPages, pages))
        return;
    Q_EMIT optionsChanged();
}

QList<bool> FigureExporter::partsTaken() const {
    QList<bool> taken;
    for (const auto& part : m_parts)
        taken.append(part.isShown);
    return taken;
}

void FigureExporter::takePart(int part, bool taken) {
    if (part < 0 || static_cast<std::size_t>(part) >= m_parts.size())
        return;
    m_parts[static_cast<std::size_t>(part)].isShown = taken;
    const bool isAny = std::ranges::any_of(m_parts, &ExportPart::isShown);
    if (!isAny)
        m_parts[static_cast<std::size_t>(part)].isShown = true;
    Q_EMIT partsTakenChanged();
}

void FigureExporter::readParts(const std::vector<ExportPart>& parts) {
    m_parts = parts;
    Q_EMIT partsChanged();
    Q_EMIT partsTakenChanged();
}

void FigureExporter::prepare() {
    m_outcome = {};
    m_preview = {};
    const ExportJob job = m_source ? m_source->exportJob() : ExportJob();
    readParts(job.parts);
    m_suggestion = fileNameOf(job.name) + QStringLiteral(".csv");
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
    options.inPages = inPages();
    return options;
}

FigureExporter::Wish FigureExporter::wish() const {
    Wish wish{options(), {}};
    for (const auto& part : m_parts) {
        if (part.isShown)
            wish.parts.push_back(part.key.toStdString());
    }
    return wish;
}

void FigureExporter::makePreview() {
    if (!m_source || !isDrawn()) {
        m_previewTask.stop();
        m_preview = {};
        Q_EMIT previewChanged();
        return;
    }
    m_previewTask.ask(
        *QThreadPool::globalInstance(),
        [job = m_source->exportJob(), wish = wish()](
            const TaskStage<Preview>& stage) { return previewOf(job, wish, stage.progress()); },
        [this](const Result<Preview>& made) {
            m_preview = made.hasValue() ? made.value() : Preview();
            Q_EMIT previewChanged();
        });
    Q_EMIT previewChanged();
}

Result<FigureExporter::Preview> FigureExporter::previewOf(
    const ExportJob& job, const Wish& wish, const Progress& progress) {
    RETURN_IF_ERROR(checkFigureSize(wish.options));
    if (!job.figure)
        return Preview();
    const text::WordingFor file(text::Medium::File);
    auto request = requestFor(QStringLiteral("preview.pdf"), wish.options);
    request.density = kPreviewColumns;
    request.numbers = false;
    for (const auto& part : wish.parts)
        request.options.add("panels", part);
    ASSIGN_OR_RETURN(const auto figure, job.figure(request, progress));
    if (!figure.draw)
        return Preview();
    const auto drawn = drawnFor(figure, wish.options);
    const plot::PlotScene& page = drawn.scenes.front();
    const double scale = std::min(kPreviewSide / page.width, kPreviewSide / page.height);
    QImage image(std::max(static_cast<int>(page.width * scale), 1),
        std::max(static_cast<int>(page.height * scale), 1), QImage::Format_RGB32);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    paintScene(page, wish.options.theme == nullptr ? plot::paperTheme() : *wish.options.theme,
        painter, PaintTarget::Vector);
    painter.end();
    QString text = QStringLiteral("%1 × %2 mm")
                       .arg(page.width * kMmPerPixel, 0, 'f', 0)
                       .arg(page.height * kMmPerPixel, 0, 'f', 0);
    if (wish.options.inPages)
        text += drawn.scenes.size() == 1 ? QStringLiteral(", one page")
                                         : QStringLiteral(", %1 pages").arg(drawn.scenes.size());
    return Preview{std::move(image), text};
}

void FigureExporter::start(const QString& typed, Replace replace) {
    if (isRunning() || !m_source)
        return;
    setPath(typed);
    const QString own = lastPath();
    m_outcome = {};
    m_task.ask(
        *QThreadPool::globalInstance(),
        [job = m_source->exportJob(), typed, format = m_format, wish = wish(), replace, own](
            const TaskStage<Outcome>& stage) {
            const QString path = completed(typed, format);
            if (replace == Replace::Own && path != own && QFileInfo(path).isFile())
                return Outcome{path, {}, {}, true};
            return outcomeOf(job, path, wish, stage.cancelCheck());
        },
        [this](const Result<Outcome>& outcome) { takeOutcome(outcome.value()); });
    Q_EMIT stateChanged();
}

FigureExporter::Outcome FigureExporter::outcomeOf(const ExportJob& job, const QString& path,
    const Wish& wish, const std::function<bool()>& stop) {
    const FigureOptions& options = wish.options;
    const auto failed = [&path](const Error& error) { return Outcome{path, {}, shownText(error)}; };
    if (!job.figure)
        return {path, {}, QStringLiteral("Nothing is shown that could be written.")};
    const text::WordingFor file(text::Medium::File);
    const bool isCsv = formatOf(path) == kCsv;
    auto request = requestFor(path, options);
    request.picture = !isCsv;
    request.numbers = isCsv;
    for (const auto& part : wish.parts)
        request.options.add("panels", part);
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

ExportJob exportJobOf(const QString& view, figures::Figure figure) {
    ExportJob job;
    job.name = QString::fromStdString(figures::fileNameOf(view.toStdString(), figure.runs));
    job.figure = [figure = std::move(figure)](const figures::Request&, const Progress&) {
        return Result<figures::Figure>(figure);
    };
    return job;
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

ExportPreview::ExportPreview(QQuickItem* parent)
    : QQuickPaintedItem(parent) { }

void ExportPreview::setExporter(FigureExporter* exporter) {
    if (exporter == m_exporter)
        return;
    if (m_exporter)
        disconnect(m_exporter, nullptr, this, nullptr);
    m_exporter = exporter;
    if (m_exporter)
        connect(m_exporter, &FigureExporter::previewChanged, this, [this] { update(); });
    Q_EMIT exporterChanged();
    update();
}

void ExportPreview::paint(QPainter* painter) {
    if (!m_exporter || m_exporter->preview().isNull())
        return;
    const QImage& image = m_exporter->preview();
    const QSizeF size
        = QSizeF(image.size()).scaled(QSizeF(width() - 2.0, height() - 2.0), Qt::KeepAspectRatio);
    const QRectF place(QPointF((width() - size.width()) / 2.0, 1.0), size);
    painter->setRenderHint(QPainter::SmoothPixmapTransform);
    painter->drawImage(place, image);
    painter->setPen(QPen(QColor(128, 128, 128, 110), 1.0));
    painter->drawRect(place);
}

} // namespace trainscope::app
