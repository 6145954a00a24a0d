#include "app/viewmodels/importing/ReportFacts.h"

#include "app/viewmodels/text/ShownText.h"
#include "app/viewmodels/text/TextOf.h"
#include "core/analysis/machine/AllocatorMemory.h"
#include "core/model/LaunchConfig.h"
#include "core/report/WarningLines.h"
#include "core/text/Numbers.h"

#include <algorithm>
#include <map>
#include <set>

namespace trainscope::app {

namespace {

using Facts = std::vector<std::pair<QString, QString>>;

void addCount(Facts& facts, const char* label, std::int64_t count) {
    if (count > 0)
        facts.emplace_back(textOf(label), wholeText(count));
}

// "0-3, 8", all of them.
QString listed(const std::set<int>& ranks) {
    return QString::fromStdString(text::numberList(ranks, ranks.size()));
}

QString missingRanks(int expected, const std::set<int>& found) {
    std::set<int> missing;
    for (int rank = 0; rank < expected; ++rank) {
        if (!found.contains(rank))
            missing.insert(missing.end(), rank);
    }
    return listed(missing);
}

void addRanks(Facts& facts, const ImportReport& report, const std::set<int>& beside) {
    const auto found = static_cast<std::int64_t>(report.ranksFound.size());
    const int expected = believableGpus(report.ranksExpected);
    const std::set<int> own(report.ranksFound.begin(), report.ranksFound.end());
    if (found == 0 && expected == 0)
        return;
    if (expected == 0) {
        facts.emplace_back(QStringLiteral("Ranks found"), listed(own));
        return;
    }
    std::set<int> all = beside;
    all.insert(own.begin(), own.end());
    const QString missing = missingRanks(expected, all);
    auto text = QStringLiteral("%1 of %2 expected").arg(found).arg(expected);
    if (missing.isEmpty() && found < expected)
        text = QStringLiteral("%1; the other sources of the run have the rest").arg(listed(own));
    if (!missing.isEmpty())
        text = QStringLiteral("%1, missing: %2").arg(text, missing);
    facts.emplace_back(QStringLiteral("Ranks found"), text);
}

// "sensor_period" → "Sensor period".
QString readable(const std::string& key) {
    auto text = shownLine(key)
                    .replace(QLatin1Char('_'), QLatin1Char(' '))
                    .replace(QLatin1String("gpu"), QLatin1String("GPU"));
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

// Facts that the line of the clock says in words, and values that say nothing.
bool isToldElsewhere(const std::string& key, const std::string& value) {
    static const std::set<std::string> told{std::string(analysis::kAllocatorFact), "placed_at_ns",
        "placed_within_s", "placed_ambiguously", "utc_offset_s", "utc_offset_next_agreement"};
    const QString said = QString::fromStdString(value).toLower();
    return told.contains(key) || said.isEmpty() || said == QLatin1String("undefined")
        || said == QLatin1String("unknown") || said == QLatin1String("none");
}

QString labelOf(const std::string& key) {
    if (key == "placed_agreement" || key == "utc_offset_agreement")
        return QStringLiteral("Agreement with the power");
    return readable(key);
}

// "cpu_op" → "cpu op": as traces name their events.
QString eventName(QString name) {
    return name.replace(QLatin1Char('_'), QLatin1Char(' '));
}

// Counts of one kind, "cat:kernel" and "cat:cpu_op", share a line.
void addCounts(Facts& facts, const ImportReport& report) {
    std::map<QString, QStringList> kinds;
    for (const auto& [key, value] : report.counts) {
        const auto text = shownLine(key);
        const auto colon = text.indexOf(QLatin1Char(':'));
        if (colon < 0)
            facts.emplace_back(readable(key), wholeText(value));
        else if (!key.starts_with("ph:")) // letters of the format
            kinds[text.left(colon)].append(
                QStringLiteral("%1 %2").arg(eventName(text.mid(colon + 1)), wholeText(value)));
    }
    for (const auto& [kind, texts] : kinds) {
        const auto label = kind == QLatin1String("cat") ? QStringLiteral("Events by category")
                                                        : readable(kind.toStdString());
        facts.emplace_back(label, texts.join(QStringLiteral(", ")));
    }
}

} // namespace

std::vector<std::pair<QString, QString>> reportFacts(
    const ImportReport& report, const std::set<int>& beside) {
    Facts facts;
    facts.emplace_back(QStringLiteral("Rows read"), wholeText(report.rows));
    addCount(facts, "Rows skipped", report.skipped);
    addRanks(facts, report, beside);
    addCount(facts, "Samples", report.samples);
    addCount(facts, "Missing samples", report.missing);
    addCount(facts, "Spans", report.spans);
    addCount(facts, "Gaps", report.gaps);
    addCount(facts, "Counter wraps or resets", report.counterFalls);
    for (const auto& [key, value] : report.facts) {
        if (!isToldElsewhere(key, value))
            facts.emplace_back(labelOf(key), shownText(value));
    }
    addCounts(facts, report);
    facts.emplace_back(QStringLiteral("Size"), bytesText(report.bytes));
    return facts;
}

QStringList warningTexts(const std::vector<ImportWarning>& warnings) {
    QStringList texts;
    for (const auto& line : report::groupedWarnings(warnings))
        texts.append(shownText(line.text));
    return texts;
}

} // namespace trainscope::app
