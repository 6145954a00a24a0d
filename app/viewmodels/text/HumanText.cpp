#include "app/viewmodels/text/HumanText.h"

#include "app/viewmodels/text/Texts.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <QDateTime>
#include <QLocale>
#include <QStringList>

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

} // namespace

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

} // namespace trainscope::app
