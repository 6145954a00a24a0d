#include "app/viewmodels/text/Texts.h"

#include "core/catalogue/GpuGuess.h"
#include "core/model/HarmlessText.h"
#include "core/report/QueryText.h"
#include "core/text/NumberMarks.h"
#include "core/text/RunState.h"
#include "core/text/Table.h"

#include <QDateTime>
#include <QLocale>
#include <QRegularExpression>

#include <cmath>

namespace trainscope::app {

namespace {

constexpr double kWholeSeconds = 9.95; // would round to 10.0

QString withMarks(const QString& digits) {
    return QString::fromStdString(text::withMarks(digits.toStdString()));
}

// As core/text words numbers, before they get their marks.
const QLocale& numbers() {
    static const QLocale locale(QLocale::English, QLocale::UnitedStates);
    return locale;
}

QLocale ungrouped(QLocale locale) {
    locale.setNumberOptions(QLocale::RejectGroupSeparator);
    return locale;
}

std::optional<double> numberOf(const QString& typed, const QLocale& locale) {
    bool isNumber = false;
    const double value = locale.toDouble(typed.trimmed(), &isNumber);
    return isNumber && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

const QString kDot = QStringLiteral(" · ");

// "NVIDIA H100 80GB HBM3" → "H100", "Tesla P100-PCIE-16GB" → "P100", "NVIDIA RTX A6000" → "RTX
// A6000": without the maker, up to the first word with a digit.
QString shortModel(const std::string& model) {
    static const QStringList makers{QStringLiteral("NVIDIA"), QStringLiteral("AMD"),
        QStringLiteral("Tesla"), QStringLiteral("Instinct"), QStringLiteral("Graphics"),
        QStringLiteral("Device")};
    static const QRegularExpression digit(QStringLiteral("[0-9]"));
    static const QRegularExpression blank(QStringLiteral("\\s+"));
    QStringList kept;
    for (const auto& word : QString::fromStdString(model).split(blank, Qt::SkipEmptyParts)) {
        if (kept.isEmpty() && makers.contains(word, Qt::CaseInsensitive))
            continue;
        const bool isLast = word.contains(digit);
        kept.append(isLast ? word.section(QLatin1Char('-'), 0, 0) : word);
        if (isLast)
            break;
    }
    return kept.join(QLatin1Char(' '));
}

void add(QStringList& parts, const char* prefix, const std::optional<int>& degree) {
    if (degree)
        parts.append(QLatin1String(prefix) + QString::number(*degree));
}

} // namespace

QString joinedNumbers(std::span<const int> numbers, std::string_view between) {
    return QString::fromStdString(fmt::format("{}", fmt::join(numbers, between)));
}

QStringList briefNames(const QStringList& names) {
    std::vector<std::string> plain;
    plain.reserve(static_cast<std::size_t>(names.size()));
    for (const QString& name : names)
        plain.push_back(name.toStdString());
    QStringList brief;
    for (const std::string& name : text::tellingNames(plain))
        brief.append(textOf(name));
    return brief;
}

QString shownText(std::string_view text) {
    return QString::fromStdString(harmless(text));
}

QString shownText(const Error& error) {
    return shownText(error.describe());
}

QString shownLine(std::string_view text) {
    return QString::fromStdString(harmlessLine(text));
}

QString shownLine(const QString& text) {
    return shownLine(text.toStdString());
}

QString tabbedLine(const QStringList& cells) {
    std::vector<std::string> texts;
    for (const QString& cell : cells)
        texts.push_back(cell.toStdString());
    return QString::fromStdString(report::tsvLine(texts));
}

QString tabbedText(const text::Table& table) {
    std::vector<std::string> heads;
    for (const auto& column : table.columns)
        heads.push_back(column.title);
    std::string text = report::tsvLine(heads);
    for (const auto& row : table.inWords())
        text += report::tsvLine(row);
    return QString::fromStdString(text);
}

QString noDataText() {
    return textOf(text::kNoData);
}

QString notTracedText() {
    return QStringLiteral("not traced");
}

QString metricText(std::string_view metric, double si, std::string_view unit) {
    return std::isfinite(si)
        ? QString::fromStdString(text::quantity(si, unit, text::Digits::Four, metric))
        : noDataText();
}

QString metricText(
    std::string_view metric, const std::optional<double>& si, std::string_view unit) {
    return si ? metricText(metric, *si, unit) : QString::fromUtf8(text::kMissing);
}

QString durationText(DurationNs duration) {
    return QString::fromStdString(text::duration(duration));
}

QString exactDurationText(DurationNs duration) {
    return QString::fromStdString(text::exactDuration(duration));
}

std::int64_t localUtcOffsetSeconds(TimeNs time) {
    return QDateTime::fromMSecsSinceEpoch(time.ns / 1'000'000).offsetFromUtc();
}

QString decimalText(double value, char format, int precision) {
    return withMarks(QString::number(value, format, precision));
}

QString bytesText(std::uint64_t bytes) {
    if (bytes < 1000)
        return QStringLiteral("%1 bytes").arg(bytes);
    const auto size = static_cast<double>(bytes);
    const text::ShownUnit shown = text::shownUnit("B", size);
    return QStringLiteral("%1 %2").arg(
        decimalText(size * shown.scale, 'f', 1), QString::fromStdString(shown.unit));
}

QString bytesRateText(double bytesPerSecond) {
    if (!std::isfinite(bytesPerSecond) || bytesPerSecond < 0)
        return {};
    return QStringLiteral("%1/s").arg(bytesText(static_cast<std::uint64_t>(bytesPerSecond)));
}

QString wholeText(std::int64_t count) {
    return withMarks(numbers().toString(static_cast<qlonglong>(count)));
}

QString countedText(std::int64_t count, std::string_view noun) {
    return QStringLiteral("%1 %2%3").arg(
        wholeText(count), textOf(noun), count == 1 ? QString() : QStringLiteral("s"));
}

QString waitText(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0)
        return {};
    if (seconds < kWholeSeconds)
        return QStringLiteral("%1 s").arg(withMarks(numbers().toString(seconds, 'f', 1)));
    return QString::fromStdString(text::seconds(std::round(seconds)));
}

QString momentText(TimeNs moment) {
    const std::int64_t offset = localUtcOffsetSeconds(moment);
    return QString::fromStdString(
        text::withDateForm(text::date(moment, offset)) + " " + text::clock(moment, offset, 0));
}

QString linesOf(const std::vector<std::string>& texts) {
    QStringList lines;
    for (const auto& text : texts)
        lines.append(shownText(text));
    return lines.join(QLatin1Char('\n'));
}

std::optional<double> parseTyped(const QString& text) {
    const auto value = numberOf(text, ungrouped(QLocale()));
    return value ? value : numberOf(text, ungrouped(QLocale::c()));
}

QString keptNumber(const QString& typed) {
    const QLocale reader = ungrouped(QLocale());
    return numberOf(typed, reader)
        ? QString(typed).replace(reader.decimalPoint(), QLatin1String("."))
        : typed;
}

QString typedNumber(const QString& kept) {
    return numberOf(kept, ungrouped(QLocale::c()))
        ? QString(kept).replace(QLatin1Char('.'), QLocale().decimalPoint())
        : kept;
}

QString forFiles(const QString& text) {
    return QString::fromStdString(text::forFiles(text.toStdString()));
}

text::Named namedRun(const Run& run) {
    std::vector<std::string> facts;
    if (!run.range.isEmpty() && run.range.begin.ns > 0) {
        facts = {text::clock(run.range.begin, 0, 0), text::date(run.range.begin, 0)};
    }
    facts.push_back(gpuText(run).toStdString());
    return {run.name, std::move(facts)};
}

QString gpuText(const Run& run) {
    QString model = shortModel(run.gpuModel);
    if (catalogue::isInferredName(run.gpuModel))
        model = QStringLiteral("%1 (inferred)").arg(model);
    if (run.gpuCount == 0)
        return model;
    if (model.isEmpty())
        return countedText(run.gpuCount, "GPU");
    return QStringLiteral("%1 × %2").arg(run.gpuCount).arg(model);
}

QString layoutText(const LaunchConfig& launch) {
    QStringList parts;
    add(parts, "TP", launch.tensorParallel);
    add(parts, "CP", launch.contextParallel);
    add(parts, "EP", launch.expertParallel);
    add(parts, "PP", launch.pipelineParallel);
    add(parts, "VPP", launch.virtualPipeline);
    add(parts, "DP", launch.dataParallel);
    return parts.join(kDot);
}

QString runDetail(const Run& run) {
    QStringList parts;
    if (run.launch.model)
        parts.append(QString::fromStdString(*run.launch.model));
    if (const auto gpus = gpuText(run); !gpus.isEmpty())
        parts.append(gpus);
    if (const auto layout = layoutText(run.launch); !layout.isEmpty())
        parts.append(layout);
    if (parts.isEmpty())
        parts.append(textOf(text::seconds(text::runLength(run).seconds())));
    return parts.join(kDot);
}

QString runFacts(const Run& run) {
    QStringList parts;
    if (const auto gpus = gpuText(run); !gpus.isEmpty())
        parts.append(gpus);
    if (run.nodeCount > 0)
        parts.append(countedText(run.nodeCount, "node"));
    if (const auto layout = layoutText(run.launch); !layout.isEmpty())
        parts.append(layout);
    if (run.launch.microBatch)
        parts.append(QStringLiteral("micro-batch %1").arg(*run.launch.microBatch));
    if (run.launch.globalBatch)
        parts.append(QStringLiteral("batch %1").arg(*run.launch.globalBatch));
    if (!run.range.isEmpty())
        parts.append(textOf(text::seconds(text::runLength(run).seconds())));
    return parts.join(kDot);
}

QString strongTag(const Run& run) {
    if (run.status == RunStatus::Oom)
        return QStringLiteral("out of memory");
    if (text::isBeingRecorded(run, wallClock()))
        return QStringLiteral("recording");
    return run.status == RunStatus::Partial ? QStringLiteral("partial") : QString();
}

QStringList runTags(const Run& run) {
    QStringList tags;
    if (const auto strong = strongTag(run); !strong.isEmpty())
        tags.append(strong);
    if (run.simulated)
        tags.append(QStringLiteral("simulated"));
    else
        tags.append(run.kind == RunKind::Predicted ? QStringLiteral("predicted")
                                                   : QStringLiteral("measured"));
    if (run.launch.recompute.value_or(false))
        tags.append(QStringLiteral("recompute"));
    if (run.launch.overlap.value_or(false))
        tags.append(QStringLiteral("overlap"));
    return tags;
}

QString runDescription(const Run& run) {
    return QStringList{
        QString::fromStdString(run.name), runFacts(run), runTags(run).join(QStringLiteral(", "))}
        .join(QStringLiteral(". "));
}

QString runSearchText(const Run& run) {
    QStringList words{QString::fromStdString(run.name), runDetail(run), runFacts(run),
        QString::fromStdString(run.gpuModel), runTags(run).join(QLatin1Char(' '))};
    if (run.status == RunStatus::Oom)
        words.append(QStringLiteral("oom"));
    return words.join(QLatin1Char(' ')).toLower();
}

QString noRunsText() {
    return QStringLiteral("This run database is empty. Drop a result folder here to import it.");
}

QString chooseRunText() {
    return QStringLiteral("Choose a run on the left.");
}

} // namespace trainscope::app
